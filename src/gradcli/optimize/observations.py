"""The rows of a fit: measured values, weights, and the residuals of the model with their Jacobian."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.tape import Tape, replay
from gradcli.errors import EvaluationError, GradcliError, Source, UsageError
from gradcli.kernel.kernel import Kernel
from gradcli.kernel.kernel import compile as compiled
from gradcli.language.parser import parse
from gradcli.text import did_you_mean, shortest
from gradcli.trace.diagnostics import diagnose
from gradcli.trace.trace import trace

from .linearised import Point
from .model import Model

if TYPE_CHECKING:
    from .vectors import Vector


ELSEWHERE = [(2.0, 0.1), (0.5, 0.01), (-1.0, 0.1), (-0.1, -0.01), (0.01, 0.0), (1e-3, 0.0)]  # other starts to look at


class Data(NamedTuple):
    """Measured values and weights, (rows,) both, and the model as a kernel over the columns."""

    measured: Vector
    weights: Vector
    model: Model
    kernel: Kernel
    columns: Mapping[str, Vector]
    where: Callable[[int], str]
    left_out: int

    def residuals(self, x: Vector) -> tuple[Vector, Vector]:
        """(model - measured)/sigma at the parameters x, (rows,), and its Jacobian, (rows, parameters)."""
        names, count, root = self.model.parameters, len(self.measured), np.sqrt(self.weights)
        value, partials = self.kernel.rows({**self.columns, **dict(zip(names, x.tolist(), strict=True))})
        jacobian = np.column_stack([np.broadcast_to(partials[name], count) for name in names])
        return root * (value - self.measured), root[:, None] * jacobian

    def check(self, start: Point, parameters: Mapping[str, float]) -> None:
        """Raise EvaluationError, at the place to blame and with the first row, if there is nothing to start from."""
        for numbers, what in ((start.residuals, "the model"), (start.jacobian.T, "its derivative")):
            bad = np.flatnonzero(~np.isfinite(numbers).reshape(-1, len(self.measured)).all(axis=0))
            if len(bad):
                _blame(self.model.right, what, int(bad[0]), {**self.columns, **parameters}, self.where)


def observe(
    model: Model,
    columns: Mapping[str, Any],
    sigma: str | None,
    weights: str | None,
    where: Callable[[int], str],
) -> Data:
    """The rows of the columns that the model needs.

    A weight of 0 leaves its row out. Raises EvaluationError where the left side has no value, and GradcliError for a
    sigma that is not a positive number and a weight that is negative.
    """
    spread = None if sigma is None and weights is None else _side(sigma or weights or "", columns)
    used = list(dict.fromkeys([*model.columns, *(spread.inputs if spread else ())]))
    arrays = {name: np.asarray(columns[name], dtype=float) for name in used}
    counts = {len(array) for array in arrays.values()}
    if len(counts) > 1:
        raise UsageError("the columns differ in length")
    if counts <= {0}:
        raise GradcliError("there are no rows")
    count = counts.pop()
    weight = np.ones(count) if spread is None else _weights(spread, arrays, count, where, squared=sigma is not None)
    kept = np.flatnonzero(weight)
    if not len(kept):
        raise GradcliError("every weight is 0: no row is left")
    arrays = {name: array[kept] for name, array in arrays.items()}

    def place(row: int) -> str:
        return where(int(kept[row]))

    measured = _values(model.left, arrays, len(kept), place)
    kernel = compiled(model.right, model.parameters)
    used_columns = {name: arrays[name] for name in kernel.names if name in arrays}
    return Data(measured, weight[kept], model, kernel, used_columns, place, count - len(kept))


def _side(text: str, columns: Mapping[str, Any]) -> Tape:
    """An expression of columns. Raises UsageError for more than one statement: the first would be lost."""
    if found := re.search("[;\\n]", text):
        raise UsageError("this is more than one expression", Source(text), found.span(), "give one, as in --sigma y/10")
    tape = parse(Source(text), columns)
    for name, line in tape.inputs.items():
        if name not in columns:
            hint = did_you_mean(name, columns) or f"the columns are {', '.join(columns)}"
            raise UsageError(f"there is no column {name}", tape.source, tape.lines[line].span, hint)
    return tape


def _values(tape: Tape, arrays: Mapping[str, Vector], count: int, where: Callable[[int], str]) -> Vector:
    """The values of the tape, (rows,). Raises EvaluationError, with the first row, where a value is not finite."""
    with np.errstate(all="ignore"):
        value = compiled(tape, []).rows({name: arrays[name] for name in tape.inputs}).value
    values: Vector = np.broadcast_to(np.asarray(value, dtype=float), count)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        _blame(tape, "the value", int(bad[0]), arrays, where)
    return values


def _weights(
    tape: Tape, arrays: Mapping[str, Vector], count: int, where: Callable[[int], str], *, squared: bool
) -> Vector:
    values = _values(tape, arrays, count, where)
    bad = np.flatnonzero(~(values > 0) if squared else ~(values >= 0))
    if len(bad):
        what = "a standard deviation" if squared else "a weight"
        least = "greater than 0" if squared else "0 or more"
        raise GradcliError(f"{what} has to be {least}: it is {shortest(values[bad[0]])} in {where(int(bad[0]))}")
    return 1 / values**2 if squared else values


def _blame(tape: Tape, what: str, row: int, numbers: Mapping[str, Any], where: Callable[[int], str]) -> None:
    """Raise the diagnosis of a row in which the tape, or its gradient, is not finite."""
    point = {name: _at(numbers[name], row) for name in tape.inputs}
    seen = trace(tape, point)
    try:
        diagnoses = diagnose(tape, seen)
    except EvaluationError as nan:
        raise EvaluationError(f"{nan.message}, in {where(row)}", nan.source, nan.span, nan.hint) from None
    causes = [cause for cause in diagnoses if cause.kind in ("pole", "overflow", "undefined", "kink", "domain")]
    reason = causes[0].message if causes else f"{what} is not a finite number"
    span = causes[0].span if causes else tape.lines[tape.output].span
    varied = [name for name in point if isinstance(numbers[name], float | int)]
    hint = "another start may help" if _elsewhere(tape, point, varied) else ""
    raise EvaluationError(f"{reason}, in {where(row)}", tape.source, span, hint)


def _elsewhere(tape: Tape, point: Mapping[str, float], varied: Sequence[str]) -> bool:
    """True if the tape and its gradient are finite in this row for some other values of what is varied."""
    both, partials = differentiate(tape, varied)
    for factor, shift in ELSEWHERE if varied else ():
        numbers = replay(both, {**point, **{name: factor * point[name] + shift for name in varied}})
        if all(math.isfinite(numbers[line]) for line in (both.output, *partials.values())):
            return True
    return False


def _at(number: Any, row: int) -> float:
    return float(number) if isinstance(number, float | int) else float(number[row])
