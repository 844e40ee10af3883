"""A least squares problem near a point: residuals and Jacobian, and the step that the linearised problem asks for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .bounds import Box
from .trust_region import shift_within, shifted_step

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.typing import NDArray

    from .vectors import Vector

    Residuals = Callable[[Vector], tuple[Vector, Vector]]


class Point(NamedTuple):
    """A point x (parameters,) with its residuals (rows,) and their Jacobian (rows, parameters).

    reduced   both, Jacobian first, turned so that only the first parameters + 1 rows are not 0: all lengths and angles are
              the same, and the steps of a fit to a million rows are found on a matrix of a few
    """

    x: Vector
    residuals: Vector
    jacobian: Vector
    reduced: Vector

    @property
    def slopes(self) -> Vector:
        """The reduced Jacobian, (parameters + 1, parameters)."""
        return self.reduced[:, :-1]

    @property
    def rest(self) -> Vector:
        """The reduced residuals, (parameters + 1,)."""
        return self.reduced[:, -1]

    @property
    def squares(self) -> float:
        """The sum of squares."""
        return float(self.residuals @ self.residuals)

    @property
    def finite(self) -> bool:
        """True if residuals and Jacobian are numbers to go on with."""
        return math.isfinite(self.squares) and all(map(math.isfinite, self.reduced.flat))


class Problem(NamedTuple):
    """Residuals to be made small, the box of the parameters, and the length of residuals that are mere rounding."""

    residuals: Residuals
    box: Box
    blur: float

    def at(self, x: Vector) -> Point:
        """The point of the box at x, the numbers as they come: an overflow is inf."""
        x = self.box.clip(x)
        with np.errstate(all="ignore"):
            residuals, jacobian = self.residuals(x)
            reduced: Vector = np.linalg.qr(np.column_stack([jacobian, residuals]), mode="r")  # type: ignore[assignment]
            return Point(x, residuals, jacobian, reduced)


def columns(jacobian: Vector, least: Vector | float = 0.0) -> Vector:
    """The length of each column, (parameters,), or `least` where that is more; 1 for an empty column."""
    lengths = np.maximum(np.sqrt((jacobian * jacobian).sum(axis=0)), least)
    return np.where(lengths > 0, lengths, 1.0)


class Linear(NamedTuple):
    """The linearised problem in the variables that are free, along its singular values; the others move as `held` says.

    left, values, right   the singular value decomposition of the Jacobian in units of `scale`
    slopes, curvatures    of half the sum of squares along each singular direction
    """

    free: NDArray[bool_]
    held: Vector
    scale: Vector
    left: Vector
    values: Vector
    right: Vector
    slopes: Vector

    @property
    def curvatures(self) -> Vector:
        return self.values**2

    def move(self, step: Vector) -> Vector:
        """A step along the singular directions as a step of all variables."""
        move = self.held.copy()
        move[self.free] += self.right.T @ step / self.scale[self.free]
        return move


def _linear(at: Point, scale: Vector, free: NDArray[bool_], held: Vector) -> Linear:
    left, values, right = np.linalg.svd(at.slopes[:, free] / scale[free], full_matrices=False)
    slopes = values * (left.T @ (at.rest + at.slopes @ held))
    return Linear(free, held, scale, left, values, right, slopes)


def linearised(box: Box, at: Point, scale: Vector) -> Linear:
    """The linearised problem in all variables that may move downhill."""
    return _linear(at, scale, box.free(at.x, at.slopes.T @ at.rest), 0 * at.x)


def trial(box: Box, at: Point, linear: Linear, radius: float) -> tuple[Vector, Linear, float]:
    """The step to the minimum of the linearised problem, no longer than the radius, and the shift that made it so.

    Variables that would leave the box are held at their bound, and the others find their best step beside them.
    """
    while True:
        shift = shift_within(linear.curvatures, linear.slopes, radius)
        move = linear.move(shifted_step(linear.curvatures, linear.slopes, shift))
        out = linear.free & box.outside(at.x + move)
        inside = box.clip(at.x + move) - at.x
        if not out.any() or not (linear.free & ~out).any():
            return inside, linear, shift
        linear = _linear(at, linear.scale, linear.free & ~out, np.where(out, inside, linear.held))
