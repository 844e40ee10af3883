"""A formula and its gradient for columns of numbers: compiled once, called as often as you like.

    kernel = compile("a*exp(-b*x)")
    kernel(a=2.0, b=0.5, x=numpy.linspace(0, 1, 1_000_000))

A column gets one partial derivative per row. A number that stands beside columns gets the sum of its partials over
the rows: the gradient of the sum, which is what fitting and training ask for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from gradcli.autodiff.engine import reported
from gradcli.autodiff.tape import Tape, replay
from gradcli.calculus.gradient import Gradient
from gradcli.errors import UsageError
from gradcli.extras import load
from gradcli.language.bindings import check_outputs, check_wrt, require
from gradcli.language.parser import parse

from .backends import HOMES, choose
from .lowering import differentiated, linear_to, lower
from .plan import Plan, cores, make_plan

BACK_ENDS = ("auto", *HOMES)


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
    `back_end` is "numpy", "llvm" or "auto": LLVM where it is installed and can compute this formula, unless the
    formula is so long that compiling it would take seconds.
    Raises ParseError for a text that is not in the language, UsageError for a name that is not there, and
    GradcliError where the back end is not installed.
    """
    if back_end not in BACK_ENDS:
        raise UsageError(f"no back end {back_end}", hint=f"there are {', '.join(BACK_ENDS)}")
    if threads is not None and threads < 1:
        raise UsageError("threads: at least one")
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
        numpy()
        self.names = tuple(tape.inputs)
        self.wrt = self.names if wrt is None else tuple(wrt)
        self.outputs = None if outputs is None else tuple(outputs)
        self.threads = threads or cores()
        self._tape = tape
        check_wrt(tape, self.wrt, dict.fromkeys(bound))
        check_outputs(tape, self.outputs or ())
        places = [tape.output] if self.outputs is None else [tape.names[name] for name in self.outputs]
        lines, found = self._unlowered = differentiated(tape, places, self.wrt)
        values, partials = [one[0] for one in found], [line for one in found for line in one[1:]]
        chosen = choose(back_end, lines)
        self.back_end, self._build = chosen.name, chosen.build
        self._lines, kept = lower(lines, values, partials, chosen.native)
        self._values, rest = kept[: len(found)], kept[len(found) :]
        self._partials = [rest[i * len(self.wrt) : (i + 1) * len(self.wrt)] for i in range(len(found))]
        self._free = linear_to(self._lines, self._values, rest)
        self._constants = {i: line.value for i, line in enumerate(self._lines) if line.value is not None}
        self._programs: dict[tuple[frozenset[str], bool], _Program] = {}

    @property
    def source(self) -> str:
        """The code that runs where every input is a column: Python that calls NumPy, or the LLVM assembly."""
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

    def sums(self, columns: Mapping[str, Any], names: Sequence[str]) -> Callable[[Any], tuple[Any, Any]]:
        """For a descent over the same rows: a function of the array of the numbers of `names`, in their order.

        It gives the value of each row, and the array of the partials by `wrt`, summed over the rows. What depends on
        the names alone is looked up once, here: a call costs little more than the computation.
        """
        np = numpy()
        _, given, rows = self._read((), {**dict.fromkeys(names, 0.0), **columns})
        program = self._program(frozenset(name for name in given if name in self.names), summed=True)
        plan, lines = program.plan, self._lines
        used = [given[lines[index].name] for index in plan.columns]
        place, where = ({key: i for i, key in enumerate(keys)} for keys in (names, plan.sums))
        if any(lines[i].op for i in plan.given) or not all(line in where for line in self._partials[0]) or not rows:
            return lambda numbers: self._slowly(columns, names, numbers)
        order = np.array([place[lines[index].name] for index in plan.given])
        found = np.array([where[line] for line in self._partials[0]])

        def run(numbers: Any) -> tuple[Any, Any]:
            values = [np.empty(rows) for _ in plan.arrays]
            totals = program.run(used, numbers[order].tolist(), values, rows, self.threads)
            return values[0], np.asarray(totals)[found] + (math.nan if lacking(values[0]).any() else 0.0)

        return run

    def _slowly(self, columns: Mapping[str, Any], names: Sequence[str], numbers: Any) -> tuple[Any, Any]:
        found = self({**dict(zip(names, numbers.tolist(), strict=True)), **columns})
        return found.value, numpy().array([found.partials[name] for name in self.wrt])

    def _run(self, inputs: Mapping[str, Any], *, summed: bool) -> Any:
        from .inputs import uninitialised

        numbers, columns, rows = self._read(self.wrt, inputs)
        if rows is None:
            return self._at(numbers)
        program = self._program(frozenset(name for name in columns if name in self.names), summed=summed)
        fixed = self._fixed(numbers, program.plan.fixed)
        np, plan = numpy(), program.plan
        arrays = uninitialised(len(plan.arrays), rows)
        used = [columns[self._lines[index].name] for index in plan.columns]
        sums = program.run(used, [fixed[index] for index in plan.given], arrays, rows, self.threads)
        per_row, totals = dict(zip(plan.arrays, arrays, strict=True)), dict(zip(plan.sums, sums, strict=True))

        def result(index: int, total: bool) -> Any:
            if total and summed:
                return float(totals[index]) if index in totals else fixed[index] * rows if rows else 0.0
            if index not in per_row:
                return np.full(rows, fixed[index])
            array, taken = per_row[index], index in given_out
            given_out.add(index)
            return array.copy() if taken else array

        given_out: set[int] = set()
        found = []
        for value, partials in zip(self._values, self._partials, strict=True):
            number = result(value, False)
            by = {name: result(line, name not in columns) for name, line in zip(self.wrt, partials, strict=True)}
            found.append(Gradient(number, beside(number, by)))
        return self._named(found)

    def _read(
        self, wrt: Sequence[str], given: Mapping[str, Any]
    ) -> tuple[dict[str, float], dict[str, Any], int | None]:
        """The inputs, and what is given for names in `wrt` that do not occur: numbers, columns and the count of rows."""
        from .inputs import read_inputs

        require(self._tape, given)
        return read_inputs([*self.names, *(name for name in wrt if name in given)], given)

    def _at(self, point: Mapping[str, float]) -> Any:
        """The same at one point, by the engine's own functions."""
        lines, places = self._unlowered
        numbers = replay(Tape(tuple(lines), 0), point)
        found = [
            Gradient(
                numbers[value],
                {n: reported(numbers[value], numbers[i]) for n, i in zip(self.wrt, partials, strict=True)},
            )
            for value, *partials in places
        ]
        return self._named(found)

    def _named(self, found: list[Gradient]) -> Any:
        return found[0] if self.outputs is None else dict(zip(self.outputs, found, strict=True))

    def _fixed(self, numbers: Mapping[str, float], fixed: Sequence[int]) -> dict[int, float]:
        """The numbers of the lines that are the same for every row."""
        found = dict(self._constants)
        for index in fixed:
            line = self._lines[index]
            found[index] = numbers[line.name] if line.op is None else line.op(*[found[a] for a in line.args])
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


def beside(value: Any, partials: dict[str, Any]) -> dict[str, Any]:
    """The partials of a column of values, arrays and sums: nan where, or if anywhere, the value is, and 0 without a sign."""
    rows = lacking(value)
    for name, found in partials.items():
        if isinstance(found, float):
            partials[name] = found + (math.nan if rows.any() else 0.0)
        else:
            found += 0.0
            found[rows] = math.nan
    return partials


def lacking(value: Any) -> Any:
    """The rows in which the value is nan: a mask, or no rows at all where the sum is a number, which is found out faster."""
    np = numpy()
    with np.errstate(all="ignore"):
        return np.isnan(value) if math.isnan(np.add.reduce(value)) else np.zeros(0, np.intp)


class _Program(NamedTuple):
    plan: Plan
    source: str
    run: Callable[..., Any]


def numpy() -> Any:
    """NumPy. Raises GradcliError, with what to install, where it is missing."""
    return load("numpy", "batch", "columns need NumPy, which is not installed")
