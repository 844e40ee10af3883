"""The rows of a fit: measured values, weights, and the residuals of the model with their Jacobian."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradcli.autodiff.tape import Tape
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


class Data(NamedTuple):
    """Measured values and weights, (rows,) both, and the model as a kernel over the columns."""

    measured: Vector
    weights: Vector
    model: Model
    kernel: Kernel
    columns: Mapping[str, Vector]
    where: Callable[[int], str]

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

    Raises EvaluationError where the left side has no value, and for a sigma or weight that is not a positive number.
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
    measured = _values(model.left, arrays, count, where)
    weight = np.ones(count) if spread is None else _weights(spread, arrays, count, where, squared=sigma is not None)
    kernel = compiled(model.right, model.parameters)
    return Data(measured, weight, model, kernel, {name: arrays[name] for name in kernel.names if name in arrays}, where)


def _side(text: str, columns: Mapping[str, Any]) -> Tape:
    """An expression of columns."""
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
    bad = np.flatnonzero(~(values > 0))
    if len(bad):
        what = "a standard deviation" if squared else "a weight"
        raise GradcliError(f"{what} has to be greater than 0: it is {shortest(values[bad[0]])} in {where(int(bad[0]))}")
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
    raise EvaluationError(f"{reason}, in {where(row)}", tape.source, span, "another start may help")


def _at(number: Any, row: int) -> float:
    return float(number) if isinstance(number, float | int) else float(number[row])
