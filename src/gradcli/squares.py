"""The smallest sum of squares, by Gauss-Newton steps in a trust region on an exact Jacobian.

Each step solves the linearised problem through its singular values, so that the condition of the Jacobian is never
squared. A variable is measured by the length of its column: parameters of very different size are no trouble. Steps
are bent along the curve of the valley (geodesic acceleration: Transtrum and Sethna). At the end, where rounding hides
the last digits from the sum of squares, plain Gauss-Newton steps go on for as long as they get shorter.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .bounds import Box
from .trust import length, shift_within, shifted_step

if TYPE_CHECKING:
    from numpy import bool_, float64
    from numpy.typing import NDArray

    Vector = NDArray[float64]
    Residuals = Callable[[Vector], tuple[Vector, Vector]]

BLURRED = 1e-12  # a promise below this share of the sum of squares is at the mercy of rounding
OFFSET = 1e-6  # the share of the residuals that a stationary point may still have along the model
AHEAD = 0.1  # where on the step its curvature is measured, as a share
BEND = 0.4  # a step that bends more, as a share of its length, is left straight
TRIALS = 100  # the most radii that one step tries: each is at most a quarter of the one before
POLISH = 50  # the most Gauss-Newton steps at the end


class Point(NamedTuple):
    """A point with its residuals (n) and their Jacobian (n, p)."""

    x: Vector
    residuals: Vector
    jacobian: Vector

    @property
    def squares(self) -> float:
        """The sum of squares."""
        return float(self.residuals @ self.residuals)

    @property
    def finite(self) -> bool:
        """Whether there is anything to go on with."""
        return all(map(math.isfinite, (self.squares, float((self.jacobian * self.jacobian).sum()))))


class Problem(NamedTuple):
    """What is to be made small, where, and what is below the rounding of the residuals: a length."""

    residuals: Residuals
    box: Box
    blur: float

    def at(self, x: Vector) -> Point:
        """The point of the box at x, the numbers as they come: an overflow is inf."""
        import numpy as np

        x = self.box.clip(x)
        with np.errstate(all="ignore"):
            return Point(x, *self.residuals(x))


class Solution(NamedTuple):
    """Where the walk ended, whether that is a minimum of the sum of squares, and after how many steps."""

    at: Point
    converged: bool
    steps: int


def least_squares(problem: Problem, start: Vector, steps: int) -> Solution:
    """Walk from `start` to a local minimum of the sum of squares, in at most so many steps.

    Bent steps are quick in long valleys, and are thrown out of a few: if they lead nowhere, straight ones start anew.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        found = _walk(problem, start, steps, bend=BEND)
        return found if found.converged else _better(found, _walk(problem, start, steps, bend=0.0))


def _better(one: Solution, other: Solution) -> Solution:
    return other if other.converged or other.at.squares < one.at.squares else one


def _walk(problem: Problem, start: Vector, steps: int, bend: float) -> Solution:
    at = problem.at(start)
    scale = columns(at.jacobian)
    radius, count = length(scale * at.x) or 1.0, 0
    while count < steps:
        there, radius = _step(problem, at, scale, radius, bend)
        if there is None:
            break
        at, count = there, count + 1
        scale = columns(at.jacobian, scale)
    at, more = _polished(problem, at)
    return Solution(at, _stationary(problem, at), count + more)


def columns(jacobian: Vector, least: Vector | float = 0.0) -> Vector:
    """The length of each column, or `least` where that is more; 1 for an empty one."""
    import numpy as np

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
    import numpy as np

    left, values, right = np.linalg.svd(at.jacobian[:, free] / scale[free], full_matrices=False)
    slopes = values * (left.T @ (at.residuals + at.jacobian @ held))
    return Linear(free, held, scale, left, values, right, slopes)


def _free(box: Box, at: Point, scale: Vector) -> Linear:
    """The linearised problem in all variables that may move downhill."""
    return _linear(at, scale, box.free(at.x, at.jacobian.T @ at.residuals), 0 * at.x)


def _trial(box: Box, at: Point, linear: Linear, radius: float) -> tuple[Vector, Linear, float]:
    """The step to the minimum of the linearised problem, no longer than the radius, and the shift that made it so.

    Variables that would leave the box are held at their bound, and the others find their best step beside them.
    """
    import numpy as np

    while True:
        shift = shift_within(linear.curvatures, linear.slopes, radius)
        move = linear.move(shifted_step(linear.curvatures, linear.slopes, shift))
        out = linear.free & box.outside(at.x + move)
        inside = box.clip(at.x + move) - at.x
        if not out.any() or not (linear.free & ~out).any():
            return inside, linear, shift
        linear = _linear(at, linear.scale, linear.free & ~out, np.where(out, inside, linear.held))


def _step(problem: Problem, at: Point, scale: Vector, radius: float, bend: float) -> tuple[Point | None, float]:
    """The next point, and the next radius; no point where no step is left that rounding does not blur."""
    linear = _free(problem.box, at, scale)
    for _ in range(TRIALS if linear.free.any() else 0):
        move, tried, shift = _trial(problem.box, at, linear, radius)
        change = at.jacobian @ move
        promised = -float(at.residuals @ change + change @ change / 2)
        if (at.x + move == at.x).all():
            break
        if not promised > BLURRED * at.squares:
            if not (linear.free & problem.box.touched(at.x + move)).any():
                break
            radius = length(scale * move) / 4  # the box cut the step so that it leads nowhere: a shorter one fits in
            continue
        if bend:
            move = _bent(problem, at, tried, shift, move, bend)
        there = problem.at(at.x + move)
        kept = float((at.residuals - there.residuals) @ (at.residuals + there.residuals)) / 2 / promised
        moved = length(scale * move)
        if there.finite and kept > 0.75 and moved > 0.8 * radius:
            radius *= 2
        elif not (there.finite and kept >= 0.25):
            radius = moved / 4
        if there.finite and kept > 1e-4:
            return there, radius
    return None, radius


def _bent(problem: Problem, at: Point, linear: Linear, shift: float, move: Vector, most: float) -> Vector:
    """The step, bent by what the residuals do along it to second order."""
    import numpy as np

    ahead = problem.at(at.x + AHEAD * move)
    second = ((ahead.residuals - at.residuals) / AHEAD - at.jacobian @ move) * (2 / AHEAD)
    if not np.isfinite(second).all():
        return move
    slopes = linear.values * (linear.left.T @ second) / 2
    bend = linear.move(shifted_step(linear.curvatures, slopes, shift)) - linear.held
    if length(linear.scale * bend) > most * length(linear.scale * move):
        return move
    return problem.box.clip(at.x + move + bend) - at.x


def _polished(problem: Problem, at: Point) -> tuple[Point, int]:
    """The point after Gauss-Newton steps, as long as they get shorter, and how many there were.

    Where residuals and curvature are large, full steps go to and fro about the minimum: then a share of them is taken,
    the one that the last two steps, put through a straight line, say is right.
    """
    scale, count, share = columns(at.jacobian), 0, 1.0
    move = _full(problem, at, scale)
    for _ in range(POLISH):
        there = problem.at(at.x + share * move)
        if not there.finite or there.squares > at.squares * (1 + 1e-9) + problem.blur**2:
            break
        after = _full(problem, there, scale)
        if length(scale * after) < 0.9 * length(scale * move):
            at, move, count = there, after, count + 1
            continue
        back = length(scale * (move - after))
        better = share * float((scale * move) @ (scale * (move - after))) / back**2 if back else 0.0
        if not 0.1 < better < 0.9 * share:
            break
        share = better
    return at, count


def _full(problem: Problem, at: Point, scale: Vector) -> Vector:
    """The Gauss-Newton step, whatever its length."""
    linear = _free(problem.box, at, scale)
    return _trial(problem.box, at, linear, math.inf)[0] if linear.free.any() else 0 * at.x


def _stationary(problem: Problem, at: Point) -> bool:
    """Whether the residuals are at right angles to all that the free variables can change (Bates and Watts)."""
    if not at.finite:
        return False
    along = length(_free(problem.box, at, columns(at.jacobian)).left.T @ at.residuals)
    return along <= max(OFFSET * length(at.residuals), problem.blur)
