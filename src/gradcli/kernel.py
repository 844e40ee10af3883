"""A formula and its gradient for columns of numbers: compiled once, called as often as you like.

    kernel = compile("a*exp(-b*x)")
    kernel(a=2.0, b=0.5, x=numpy.linspace(0, 1, 1_000_000))

A column gets one partial derivative per row. A number that stands beside columns gets the sum of its partials over
the rows: the gradient of the sum, which is what fitting and training ask for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from .bindings import check_wrt, require
from .calculus import Gradient
from .errors import GradcliError, UsageError
from .lowering import differentiated, linear_to, lower
from .plan import Plan, make_plan
from .syntax import parse
from .tape import Tape

BACK_ENDS = ("auto", "llvm", "numpy")


def compile(
    formula: str | Tape,
    wrt: Sequence[str] | None = None,
    *,
    outputs: Sequence[str] | None = None,
    back_end: str = "auto",
    threads: int | None = None,
    bound: Collection[str] = (),
) -> Kernel:
    """Value and partial derivatives of a formula as one program for columns of float64.

    `wrt` names the variables to differentiate by (default: all); `outputs` the assigned names of a program whose
    values and gradients are wanted; `threads` how many work at a time (default: one per core that we may use).
    `bound` are names that will be given: they win over the constants, and one that does not occur has derivative 0.
    `back_end` is "numpy", "llvm" or "auto": the faster one that is installed and can compute this formula.
    Raises ParseError for a text that is not in the language, UsageError for a name that is not there, and
    GradcliError where the back end is not installed.
    """
    if back_end not in BACK_ENDS:
        raise UsageError(f"no back end {back_end}", hint=f"there are {', '.join(BACK_ENDS)}")
    tape = formula if isinstance(formula, Tape) else parse(formula, {*bound, *(wrt or ())})
    return Kernel(tape, wrt, outputs, back_end, threads, bound)


class Kernel:
    """A compiled formula; make one with `compile`.

    names     the inputs, in the order of their first appearance
    wrt       the variables it differentiates by
    outputs   the names of its outputs, or None where the output is the last statement's
    back_end  what computes it: "numpy" or "llvm"
    """

    def __init__(
        self,
        tape: Tape,
        wrt: Sequence[str] | None,
        outputs: Sequence[str] | None,
        back_end: str,
        threads: int | None,
        bound: Collection[str],
    ) -> None:
        _numpy()
        self.names = tuple(tape.inputs)
        self.wrt = self.names if wrt is None else tuple(wrt)
        self.outputs = None if outputs is None else tuple(outputs)
        self.threads = threads or _cores()
        self._tape = tape
        check_wrt(tape, self.wrt, dict.fromkeys(bound))
        places = [tape.output] if self.outputs is None else [_place(tape, name) for name in self.outputs]
        lines, found = differentiated(tape, places, self.wrt)
        values, partials = [one[0] for one in found], [line for one in found for line in one[1:]]
        self._lines, kept = lower(lines, values, partials)
        self._values, rest = kept[: len(found)], kept[len(found) :]
        self._partials = [rest[i * len(self.wrt) : (i + 1) * len(self.wrt)] for i in range(len(found))]
        self._free = linear_to(self._lines, self._values, rest)
        self.back_end, self._build = "numpy", _back_end("numpy")
        self._programs: dict[tuple[frozenset[str], bool], _Program] = {}

    def __repr__(self) -> str:
        return f"<Kernel of {', '.join(self.names)} by {self.back_end}>"

    @property
    def source(self) -> str:
        """What runs where every input is a column: Python that calls NumPy, or the LLVM assembly."""
        return self._program(frozenset(self.names), summed=True).source

    def __call__(self, inputs: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
        """Value and gradient: a Gradient, or one for each name in `outputs`.

        Inputs are numbers or one-dimensional arrays of one length. Without an array the results are numbers. Else
        the value is an array, and so is the partial by an array; the partial by a number is summed over the rows.
        """
        return self._run({**(inputs or {}), **more}, summed=True)

    def rows(self, inputs: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
        """The same with every partial as an array, one per row: the rows of a Jacobian."""
        return self._run({**(inputs or {}), **more}, summed=False)

    def _run(self, inputs: Mapping[str, Any], *, summed: bool) -> Any:
        numbers, columns, rows = _inputs(self._tape, self.wrt, inputs)
        program = self._program(frozenset(name for name in columns if name in self.names), summed=summed)
        fixed = self._fixed(numbers)
        if rows is None:
            return self._results(lambda index, total: fixed[index], columns)
        np = _numpy()
        plan = program.plan
        arrays = [np.empty(rows) for _ in plan.arrays]
        used = [columns[self._lines[index].name] for index in plan.columns]
        sums = program.run(used, [fixed[index] for index in plan.given], arrays, rows, self.threads)
        per_row, totals = dict(zip(plan.arrays, arrays, strict=True)), dict(zip(plan.sums, sums, strict=True))

        def result(index: int, total: bool) -> Any:
            if total and summed:
                return float(totals[index]) if index in totals else fixed[index] * rows if rows else 0.0
            return per_row[index] if index in per_row else np.full(rows, fixed[index])

        return self._results(result, columns)

    def _results(self, result: Callable[[int, bool], Any], columns: Mapping[str, Any]) -> Any:
        found = [
            Gradient(
                result(value, False),
                {name: result(line, name not in columns) for name, line in zip(self.wrt, partials, strict=True)},
            )
            for value, partials in zip(self._values, self._partials, strict=True)
        ]
        return found[0] if self.outputs is None else dict(zip(self.outputs, found, strict=True))

    def _fixed(self, numbers: Mapping[str, float]) -> dict[int, float]:
        """The numbers of the lines that are the same for every row."""
        found: dict[int, float] = {}
        for index, line in enumerate(self._lines):
            if line.op is None and (line.value is not None or line.name in numbers):
                found[index] = numbers[line.name] if line.value is None else line.value
            elif line.op is not None and all(operand in found for operand in line.args):
                found[index] = line.op(*[found[operand] for operand in line.args])
        return found

    def _program(self, columns: frozenset[str], *, summed: bool) -> _Program:
        key = columns, summed
        if key not in self._programs:
            partials = [(name, line) for one in self._partials for name, line in zip(self.wrt, one, strict=True)]
            sums = [line for name, line in partials if summed and name not in columns]
            arrays = [*self._values, *[line for name, line in partials if not summed or name in columns]]
            plan = make_plan(self._lines, columns, self._free, arrays, sums)
            self._programs[key] = _Program(plan, *self._build(plan))
        return self._programs[key]


class _Program(NamedTuple):
    plan: Plan
    source: str
    run: Callable[..., Any]


def _inputs(
    tape: Tape, wrt: Sequence[str], inputs: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, Any], int | None]:
    """The inputs that are numbers, those that are columns, and how many rows these have (None without columns)."""
    require(tape, inputs)
    np = _numpy()
    numbers: dict[str, float] = {}
    columns: dict[str, Any] = {}
    for name in dict.fromkeys([*tape.inputs, *(name for name in wrt if name in inputs)]):
        array = np.asarray(inputs[name], dtype=float)
        if array.ndim > 1:
            raise UsageError(f"{name} has {array.ndim} dimensions: a column has one")
        if array.ndim:
            columns[name] = np.ascontiguousarray(array)
        else:
            numbers[name] = float(array)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise UsageError(f"the columns differ in length: {listed}")
    return numbers, columns, next(iter(lengths.values()), None)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _place(tape: Tape, name: str) -> int:
    if name in tape.names:
        return tape.names[name]
    from .mistakes import did_you_mean

    raise UsageError(f"{name} is not assigned in the program", hint=did_you_mean(name, tape.names))


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise GradcliError("columns need NumPy, which is not installed", hint="pip install 'gradcli[batch]'") from None
    return numpy


def _back_end(name: str) -> Callable[[Plan], tuple[str, Callable[..., Any]]]:
    from . import numpy_kernel

    return numpy_kernel.build
