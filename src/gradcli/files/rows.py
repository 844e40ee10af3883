"""A formula for rows: what it reads from a row, what it adds to it, and why a row has no result.

    batch = plan("a*b", columns=["a", "b"])
    compute(batch, {"a": numpy.array([3.0]), "b": numpy.array([4.0])}, 1, {}).columns     # 12; 4; 3

This module knows no files: it sees columns of numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.autodiff.tape import Tape
from gradcli.errors import EvaluationError, Source, UsageError
from gradcli.kernel import kernel
from gradcli.language.bindings import check_outputs, check_wrt, require
from gradcli.language.parser import parse
from gradcli.text import shortest
from gradcli.trace.diagnostics import diagnose
from gradcli.trace.trace import trace

from .table import NOT_A_NUMBER, Bad, Results

PREFIX = "--prefix g_ puts g_ before the names of all new columns"


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
    """Compile a formula for rows that have these columns; `bound` are the numbers of names that are not columns.

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
    new = [prefix + column for name in wanted for column in _names(name, compiled.wrt, value)]
    used = tuple(name for name in tape.inputs if name not in bound)
    return Batch(tape, compiled, used, bound, wanted, value, tuple(new))


def _names(output: str, wrt: Sequence[str], value: bool) -> list[str]:
    partials = [f"d{output}_d{name}" if output else f"d_{name}" for name in wrt]
    return [output or "value", *partials] if value else partials


def compute(batch: Batch, columns: Mapping[str, Any], count: int, bad: Mapping[int, Bad]) -> Results:
    """The new columns of `count` rows. `columns` are float64 arrays; `bad` are the rows known to have no result.

    A cell that is nan and a value that is not a number make a row bad too.
    """
    gradients = _run(batch, columns, count)
    reasons = dict(bad)
    for name, column in columns.items():
        for row in np.flatnonzero(np.isnan(column)).tolist():
            reasons.setdefault(row, Bad(name, "nan is not a number"))
    for gradient in gradients:
        for row in np.flatnonzero(np.isnan(gradient.value)).tolist():
            if row not in reasons:
                reasons[row] = Bad("", "", point_of(columns, row))
    undefined = np.zeros(count, dtype=bool)
    for gradient in gradients:
        for partial in gradient.partials.values():
            undefined |= np.isnan(partial)
    undefined[list(reasons)] = False
    arrays = [
        array
        for gradient in gradients
        for array in ([gradient.value] if batch.with_value else []) + [*gradient.partials.values()]
    ]
    return Results(tuple(arrays), dict(sorted(reasons.items())), int(undefined.sum()))


def point_of(columns: Mapping[str, Any], row: int) -> dict[str, float]:
    """The numbers in a row."""
    return {name: float(column[row]) for name, column in columns.items()}


def warm_up(batch: Batch) -> None:
    """Let the kernel be built now."""
    _run(batch, {name: np.ones(1) for name in batch.columns}, 1)


def _run(batch: Batch, columns: Mapping[str, Any], count: int) -> list[Any]:
    """The Gradient of each output, every number of it an array of `count`."""
    results = batch.kernel.rows({**batch.bound, **columns})
    several = [results] if batch.outputs == ("",) else [results[name] for name in batch.outputs]
    if columns:
        return several
    spread = [
        gradient._replace(
            value=np.full(count, gradient.value),
            partials={name: np.full(count, number) for name, number in gradient.partials.items()},
        )
        for gradient in several
    ]  # a formula without columns: the same number for every row
    return spread


def explain(batch: Batch, bad: Bad) -> str:
    """The reason in words; for a value that is not a number, the operation that first made one."""
    if bad.point is None:
        return bad.reason
    tapes = [batch.tape._replace(output=batch.tape.names[name]) if name else batch.tape for name in batch.outputs]
    return why_nan(tapes, {**batch.bound, **bad.point})


def why_nan(tapes: Iterable[Tape], point: Mapping[str, float]) -> str:
    """The operation that first made a value that is not a number."""
    for tape in tapes:
        try:
            diagnose(tape, trace(tape, point, (), formulas=False))
        except EvaluationError as problem:
            return problem.message
    return NOT_A_NUMBER


def rounded(results: Results, precision: int) -> Results:
    """The new columns to so many significant digits."""
    columns = [[float(f"{number:.{precision}g}") for number in column.tolist()] for column in results.columns]
    return results._replace(columns=tuple([np.array(column, dtype=float) for column in columns]))
