"""A formula for rows: what it reads from a row, what it adds to it, and why a row has no result.

    batch = plan("a*b", columns=["a", "b"])
    compute(batch, {"a": numpy.array([3.0]), "b": numpy.array([4.0])}, 1, {}).columns     # 12; 4; 3

Files are no matter of this module: it sees columns of numbers, texts of cells, and Arrow record batches.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from gradcli.autodiff.tape import Tape
from gradcli.errors import EvaluationError, Source, UsageError
from gradcli.extras import load
from gradcli.kernel import kernel
from gradcli.language.bindings import check_outputs, check_wrt, require
from gradcli.language.parser import parse
from gradcli.text import shortest
from gradcli.trace.diagnostics import diagnose
from gradcli.trace.trace import trace

from .cells import NUMBER, quoted


class Batch(NamedTuple):
    """A compiled formula for rows.

    columns  the variables that every row gives
    bound    the variables that are the same in all rows
    outputs  the names of the outputs; one "" stands for the result of the last statement
    new      the names of the columns that are added, for each output its value (unless not wanted) and its partials
    """

    tape: Tape
    kernel: Any
    columns: tuple[str, ...]
    bound: Mapping[str, float]
    outputs: tuple[str, ...]
    with_value: bool
    new: tuple[str, ...]


class Bad(NamedTuple):
    """Why a row has no result: the column to blame, and the reason; or the point at which the value is not a number."""

    column: str
    reason: str
    point: Mapping[str, float] | None = None


class Found(NamedTuple):
    """The new columns as float64 arrays in the order of `Batch.new`, and the rows that have no result.

    unsure  how many other rows have a partial derivative that is not a number
    """

    columns: tuple[Any, ...]
    bad: Mapping[int, Bad]
    unsure: int = 0


def plan(
    formula: str | Source,
    columns: Collection[str],
    bound: Mapping[str, float] | None = None,
    *,
    wrt: Sequence[str] | None = None,
    outputs: Sequence[str] = (),
    value: bool = True,
    prefix: str = "",
) -> Batch:
    """Compile a formula for rows that have these columns; `bound` are the numbers of names that are no column.

    `wrt` limits the partial derivatives (default: every variable), `outputs` are assigned names of a program, each
    of which gets its value and its partials. Raises ParseError for a text that is not in the language, UsageError
    for a variable that is neither column nor bound, or both, and for a name that no output or variable has.
    """
    bound = bound or {}
    for name in bound:
        if name in columns:
            raise UsageError(
                f"{name} is given as {name}={shortest(bound[name])}, and is a column as well",
                hint=f"leave out {name}=..., or call the column something else with --rename {name}=NAME",
            )
    tape = parse(formula, {*columns, *bound})
    require(tape, {*columns, *bound})
    check_wrt(tape, wrt or (), bound)
    check_outputs(tape, outputs)
    compiled = kernel.compile(tape, wrt, outputs=outputs or None, threads=1)
    wanted = tuple(outputs) or ("",)
    new = [prefix + one for name in wanted for one in _names(name, compiled.wrt, value)]
    used = tuple(name for name in tape.inputs if name not in bound)
    return Batch(tape, compiled, used, bound, wanted, value, tuple(new))


def _names(output: str, wrt: Sequence[str], value: bool) -> list[str]:
    partials = [f"d{output}_d{name}" if output else f"d_{name}" for name in wrt]
    return [output or "value", *partials] if value else partials


def check_new(batch: Batch, taken: Collection[str]) -> None:
    """Raise UsageError if a new column would have the name of one that is there, or of another new one."""
    for position, name in enumerate(batch.new):
        if name in taken or name in batch.new[:position]:
            what = f"there is a column {name} already" if name in taken else f"two new columns would be called {name}"
            raise UsageError(what, hint="--prefix g_ puts g_ before the names of all new columns")


def compute(batch: Batch, columns: Mapping[str, Any], count: int, bad: Mapping[int, Bad]) -> Found:
    """The new columns of `count` rows. `columns` are float64 arrays; `bad` are the rows known to have no result.

    A cell that is nan and a value that is not a number make a row bad too.
    """
    np = load("numpy")
    results = _run(batch, columns, count)
    found = dict(bad)
    for name, column in columns.items():
        for row in np.flatnonzero(np.isnan(column)).tolist():
            found.setdefault(row, Bad(name, "nan is not a number"))
    for result in results:
        for row in np.flatnonzero(np.isnan(result.value)).tolist():
            if row not in found:
                found[row] = Bad("", "", {name: float(column[row]) for name, column in columns.items()})
    partials = [array for one in results for array in one.partials.values()]
    unsure = np.zeros(count, dtype=bool)
    for array in partials:
        unsure |= np.isnan(array)
    unsure[list(found)] = False
    arrays = [
        array for one in results for array in ([one.value] if batch.with_value else []) + [*one.partials.values()]
    ]
    return Found(tuple(arrays), dict(sorted(found.items())), int(unsure.sum()))


def warm_up(batch: Batch) -> None:
    """Let the kernel be built now."""
    np = load("numpy")
    _run(batch, {name: np.ones(1) for name in batch.columns}, 1)


def _run(batch: Batch, columns: Mapping[str, Any], count: int) -> list[Any]:
    """The Gradient of each output, every number of it an array of `count`."""
    np = load("numpy")
    results = batch.kernel.rows({**batch.bound, **columns})
    several = [results] if batch.outputs == ("",) else [results[name] for name in batch.outputs]
    if columns:
        return several
    spread = [
        one._replace(
            value=np.full(count, one.value),
            partials={name: np.full(count, number) for name, number in one.partials.items()},
        )
        for one in several
    ]  # a formula without columns: the same number for every row
    return spread


def explain(batch: Batch, bad: Bad) -> str:
    """The reason in words; for a value that is not a number, the operation that first made one."""
    if bad.point is None:
        return bad.reason
    tapes = [batch.tape._replace(output=batch.tape.names[name]) if name else batch.tape for name in batch.outputs]
    for tape in tapes:
        try:
            diagnose(tape, trace(tape, {**batch.bound, **bad.point}, (), formulas=False))
        except EvaluationError as problem:
            return problem.message
    return "the value is not a number"


def rounded(found: Found, precision: int) -> Found:
    """The new columns to so many significant digits."""
    np = load("numpy")
    columns = [[float(f"{number:.{precision}g}") for number in column.tolist()] for column in found.columns]
    return found._replace(columns=tuple([np.array(column, dtype=float) for column in columns]))


# -------------------------------------------------------------------------------------------------- cells of text

_INFINITE = re.compile(r"[ \t]*[+-]?inf(?:inity)?[ \t]*", re.ASCII | re.IGNORECASE)


def cell_number(text: str) -> float | str:
    """The number in a cell of text, or why there is none: digits of the language, with a sign, or inf; spaces around."""
    if NUMBER.fullmatch(text.strip(" \t")):
        number = float(text)
        return number if number - number == 0 else f"{quoted(text.strip())} is too large for binary64"
    if _INFINITE.fullmatch(text):
        return float(text)
    if not text.strip():
        return "the cell is empty"
    return f"{quoted(text)} is not a number"
