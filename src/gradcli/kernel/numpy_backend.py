"""The NumPy back end: a tape as straight-line source, run on chunks of rows that stay in the cache.

Every operation is a call of a NumPy function on a chunk, into a buffer that is allocated once for each thread and
used again as soon as nothing needs what is in it. The names in the source are ours, never the user's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.autodiff import ops
from gradcli.autodiff.ops import Op
from gradcli.autodiff.tape import Line

from .backends import Backend
from .lowering import ADD, DIV, IF, MAX, MIN, MOD, MUL, NEG, POW, STRONG, SUB, tanh_beside
from .plan import Plan, share

ROWS = 1 << 14  # rows in a chunk: a buffer of 128 KiB, so that a dozen of them fit in the cache of a core

UFUNCS: dict[Op, str] = {
    ADD: "add", SUB: "subtract", MUL: "multiply", DIV: "divide", MOD: "remainder", POW: "power", NEG: "negative",
    ops.lt: "less", ops.le: "less_equal", ops.gt: "greater", ops.ge: "greater_equal", ops.eq: "equal",
    ops.ne: "not_equal", ops.abs_: "absolute", ops.floor: "floor", ops.ceil: "ceil", ops.round: "rint",
    ops.trunc: "trunc", ops.hypot: "hypot", ops.sqrt: "sqrt", ops.cbrt: "cbrt", ops.exp: "exp", ops.exp2: "exp2",
    ops.expm1: "expm1", ops.log: "log", ops.log2: "log2", ops.log10: "log10", ops.log1p: "log1p", ops.sin: "sin",
    ops.cos: "cos", ops.tan: "tan", ops.asin: "arcsin", ops.acos: "arccos", ops.atan: "arctan", ops.atan2: "arctan2",
    ops.sinh: "sinh", ops.cosh: "cosh", ops.tanh: "tanh", ops.asinh: "arcsinh", ops.acosh: "arccosh",
    ops.atanh: "arctanh",
}  # fmt: skip
CONNECTIVES = {ops.not_: "logical_not", ops.and_: "logical_and", ops.or_: "logical_or"}
NATIVE = frozenset([*UFUNCS, *CONNECTIVES, IF, STRONG, MAX, MIN, tanh_beside])


class Function(NamedTuple):
    """Source for one chunk: what it needs of buffers, and the source itself."""

    name: str
    source: str
    buffers: int
    masks: int
    rows: tuple[Op, ...]  # the rows that are called on one number after the other


def write(plan: Plan, name: str, *, strong: bool) -> Function:
    """The source of a function of a chunk; `strong` asks for the strong product where a plain one could do."""
    writer = _Writer(plan, strong)
    body = writer.body()
    parameters = [*(f"x{i}" for i in range(len(plan.columns))), *(f"u{i}" for i in range(len(plan.given)))]
    parameters += [f"y{i}" for i in range(len(plan.arrays))]
    parameters += [f"t{i}" for i in range(writer.buffers)] + [f"m{i}" for i in range(writer.masks)]
    source = f"def {name}({', '.join(parameters)}):\n" + "".join(f"    {line}\n" for line in body)
    return Function(name, source, writer.buffers, writer.masks, tuple(writer.rows))


class _Writer:
    """Writes the lines of one chunk and knows which buffers are free."""

    def __init__(self, plan: Plan, strong: bool) -> None:
        self.plan, self.strong = plan, strong
        self.buffers = self.masks = 0
        self.rows: list[Op] = []
        self._code: list[str] = []
        self._place: dict[int, str] = dict(plan.operands("x{}", "u{}"))
        self._mask: dict[int, str] = {}
        self._free: dict[str, list[str]] = {"t": [], "m": []}
        self._left = plan.uses()
        self._output: dict[int, str] = {}
        for number, index in enumerate(plan.arrays):
            self._output.setdefault(index, f"y{number}")

    def body(self) -> list[str]:
        for index in self.plan.varying:
            line = self.plan.lines[index]
            if line.op is not None:
                self._line(index, line, line.op)
        for number, index in enumerate(self.plan.arrays):
            if self._number(index) != f"y{number}":
                self._code.append(f"np.copyto(y{number}, {self._number(index)})")
        sums = [f"np.add.reduce({self._number(index)})" for index in self.plan.sums]
        risks = [f"np.add.reduce({self._number(index)})" for index in self.plan.risky_arrays]
        risks += [f"s{number}" for number, index in enumerate(self.plan.sums) if index in self.plan.risky]
        self._code += [f"s{number} = {text}" for number, text in enumerate(sums)]
        total = f"({', '.join(f's{number}' for number in range(len(sums)))}{',' if len(sums) == 1 else ''})"
        self._code.append(f"return {total}, {' + '.join(risks) if risks and not self.strong else '0.0'}")
        return self._code

    def _line(self, index: int, line: Line, op: Op) -> None:
        if op.truth:
            masks = op in CONNECTIVES
            operands = [self._truth(arg) if masks else self._number(arg) for arg in line.args]
            self._mask[index] = self._buffer("m")
            self._call(CONNECTIVES[op] if masks else UFUNCS[op], operands, self._mask[index])
            self._release(line.args)
        elif op in UFUNCS or (op is STRONG and not self.strong and index in self.plan.free):
            operands = [self._number(arg) for arg in line.args]
            self._release(line.args)  # a ufunc may write over what it reads
            self._place[index] = self._result(index)
            self._call(UFUNCS.get(op, "multiply"), operands, self._place[index])
        else:
            self._choose(index, line, op)
            self._release(line.args)

    def _choose(self, index: int, line: Line, op: Op) -> None:
        """The operations that take more than one call; what they read must stay until the last."""
        if op is IF:
            mask = self._truth(line.args[0])
            a, b = (self._number(arg) for arg in line.args[1:])
            out = self._place[index] = self._result(index)
            self._code += [f"np.copyto({out}, {b})", f"np.copyto({out}, {a}, where={mask})"]
            return
        operands = [self._number(arg) for arg in line.args]
        out = self._place[index] = self._result(index)
        if op is tanh_beside:
            self._tanh(out, *operands)
        elif op is STRONG or op in (MAX, MIN):
            mask = self._buffer("m")
            self._call({MAX: "maximum", MIN: "minimum"}.get(op, "multiply"), operands, out)
            self._call("equal", [operands[1], "0.0" if op is STRONG else operands[0]], mask)
            self._code.append(f"np.copyto({out}, {'0.0' if op is STRONG else operands[0]}, where={mask})")
            self._free["m"].append(mask)
        else:
            if op not in self.rows:
                self.rows.append(op)
            self._code.append(f"each(f{self.rows.index(op)}, {out}, {', '.join(operands)})")

    def _tanh(self, out: str, x: str, e: str, s: str) -> None:
        """From the exponential where that loses nothing; on the other rows NumPy's, which takes more than twice as long.

        (The argument `where` of a NumPy function takes as long as computing all.)
        """
        mask = self._buffer("m")
        self._call("subtract", ["1.0", e], out)
        self._call("divide", [out, s], out)
        self._call("copysign", [out, x], out)
        self._call("greater", [e, "0.5"], mask)
        self._code += [f"few = np.flatnonzero({mask})", f"{out}[few] = np.tanh({x}[few])"]
        self._free["m"].append(mask)

    def _call(self, ufunc: str, operands: Sequence[str], out: str) -> None:
        self._code.append(f"np.{ufunc}({', '.join(operands)}, out={out})")

    def _number(self, index: int) -> str:
        """The buffer with the number of a line; a truth value becomes one when it is asked for."""
        if index not in self._place:
            self._place[index] = self._result(index)
            self._code.append(f"np.copyto({self._place[index]}, {self._mask[index]})")
        return self._place[index]

    def _truth(self, index: int) -> str:
        """The buffer with the mask of a line: everything but 0 is true, nan too."""
        if index not in self._mask:
            self._mask[index] = self._buffer("m")
            self._call("not_equal", [self._place[index], "0.0"], self._mask[index])
        return self._mask[index]

    def _result(self, index: int) -> str:
        return self._output[index] if index in self._output else self._buffer("t")

    def _buffer(self, kind: str) -> str:
        if self._free[kind]:
            return self._free[kind].pop()
        if kind == "t":
            self.buffers += 1
            return f"t{self.buffers - 1}"
        self.masks += 1
        return f"m{self.masks - 1}"

    def _release(self, used: Sequence[int]) -> None:
        for index in used:
            self._left[index] -= 1
            if self._left[index] == 0:
                for place in (self._place.get(index, ""), self._mask.get(index, "")):
                    if place[:1] in self._free:
                        self._free[place[0]].append(place)


def each(row: Op, out: Any, *operands: Any) -> None:
    """Call a row on one number after the other; an operand may be one number for all.

    The bare primal is several times faster, and where it raises, the row has the IEEE answer.
    """
    columns = [operand.tolist() if hasattr(operand, "tolist") else [operand] * len(out) for operand in operands]
    try:
        out[:] = list(map(row.primal, *columns))
    except (ArithmeticError, ValueError):
        out[:] = list(map(row, *columns))


def build(plan: Plan) -> tuple[str, Callable[..., Any]]:
    """The source, and run(columns, given, outputs, rows, threads): fills the outputs, returns the sums."""
    functions = [write(plan, "chunk", strong=False)]
    if plan.risky:
        functions.append(write(plan, "chunk_with_strong_zeros", strong=True))
    attempts = [_loaded(function) for function in functions]
    buffers, masks = max(f.buffers for f in functions), max(f.masks for f in functions)

    def run(columns: Sequence[Any], given: Sequence[float], outputs: Sequence[Any], rows: int, threads: int) -> Any:
        sums = np.zeros((-(-rows // ROWS), len(plan.sums)))

        def work(queue: Iterator[int]) -> None:
            size = min(rows, ROWS)
            numbers, truths = [np.empty(size) for _ in range(buffers)], [np.empty(size, bool) for _ in range(masks)]
            with np.errstate(all="ignore"):
                for block in queue:
                    part = slice(block * ROWS, min((block + 1) * ROWS, rows))
                    inputs = [*(column[part] for column in columns), *given, *(output[part] for output in outputs)]
                    t, m = ([buffer[: part.stop - part.start] for buffer in kind] for kind in (numbers, truths))
                    for function, attempt in zip(functions, attempts, strict=True):
                        sums[block], risk = attempt(*inputs, *t[: function.buffers], *m[: function.masks])
                        if not math.isnan(risk):
                            break

        share(len(sums), threads, work)
        return sums.sum(axis=0)

    return "\n\n".join(function.source for function in functions), run


def _loaded(function: Function) -> Callable[..., Any]:
    """The function that a source defines."""
    space: dict[str, Any] = {"np": np, "inf": math.inf, "nan": math.nan, "each": each}
    space |= {f"f{number}": row for number, row in enumerate(function.rows)}
    exec(compile(function.source, "<kernel>", "exec"), space)
    made: Callable[..., Any] = space[function.name]
    return made


BACKEND = Backend("numpy", NATIVE, lambda _: None, build)  # a row that it lacks is called on one number after the other
