"""A function of two variables on a grid: its values and its gradients, for a picture of its contours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.engine import reported
from gradcli.autodiff.simplify import simplify
from gradcli.autodiff.tape import Tape, replay
from gradcli.language.parser import parse


class Field(NamedTuple):
    """A function of two variables on a grid: `values[j][i]` and `gradients[j][i]` at (xs[i], ys[j])."""

    xs: list[float]
    ys: list[float]
    values: list[list[float]]
    gradients: list[list[tuple[float, float]]]


def field(formula: str | Tape, names: tuple[str, str], xs: list[float], ys: list[float], bindings: Mapping[str, float]) -> Field:  # fmt: skip
    """Value and gradient of a formula of two variables at every point of a grid."""
    tape = simplify(formula if isinstance(formula, Tape) else parse(formula, {*names, *bindings}))
    derived, partials = differentiate(tape, names)
    values, rows = [], []
    for y in ys:
        numbers = [replay(derived, {**bindings, names[0]: x, names[1]: y}) for x in xs]
        rows.append(
            [tuple([reported(row[derived.output], row[line]) for line in partials.values()]) for row in numbers]
        )
        values.append([row[derived.output] for row in numbers])
    return Field(xs, ys, values, [[(by_x, by_y) for by_x, by_y in row] for row in rows])
