"""A function of two variables on a grid: its values and its gradients, for a picture of its contours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..adjoint import backward
from ..simplify import Lines, alive, simplify
from ..syntax import parse
from ..tape import Line, Tape, replay


class Field(NamedTuple):
    """A function of two variables on a grid: `values[j][i]` and `gradients[j][i]` at (xs[i], ys[j])."""

    xs: list[float]
    ys: list[float]
    values: list[list[float]]
    gradients: list[list[tuple[float, float]]]


def field(formula: str | Tape, names: tuple[str, str], xs: list[float], ys: list[float], bindings: Mapping[str, float]) -> Field:  # fmt: skip
    """Value and gradient of a formula of two variables at every point of a grid."""
    tape = simplify(formula if isinstance(formula, Tape) else parse(formula, {*names, *bindings}))
    lines = Lines(tape.lines)
    by = [tape.inputs[name] for name in names if name in tape.inputs]
    partials = iter(backward(lines, tape.output, by))
    places = [next(partials) if name in tape.inputs else lines.add(Line(None, value=0.0)) for name in names]
    shorter, kept = alive(tape._replace(lines=tuple(lines.lines)), [tape.output, *places])
    rows = []
    for y in ys:
        numbers = [replay(shorter, {**bindings, names[0]: x, names[1]: y}) for x in xs]
        rows.append([tuple([row[index] for index in kept]) for row in numbers])
    values = [[value for value, _, _ in row] for row in rows]
    return Field(xs, ys, values, [[(by_x, by_y) for _, by_x, by_y in row] for row in rows])
