"""The smallest sum of squares, by Gauss-Newton steps in a trust region on an exact Jacobian.

Each step solves the linearised problem through its singular values, so that the condition of the Jacobian is never
squared. A variable is measured by the length of its column: parameters of very different size are no trouble. Steps
are bent along the curve of the valley (geodesic acceleration: Transtrum and Sethna). At the end, where rounding hides
the last digits from the sum of squares, plain Gauss-Newton steps go on for as long as they get shorter.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .linearised import Linear, Point, Problem, columns, linearised, trial
from .trust_region import length, shifted_step

if TYPE_CHECKING:
    from .vectors import Vector

BLURRED = 1e-12  # a promise below this share of the sum of squares is at the mercy of rounding
OFFSET = 1e-6  # the share of the residuals that a stationary point may still have along the model
AHEAD = 0.1  # where on the step its curvature is measured, as a share
BEND = 0.4  # a step that bends more, as a share of its length, is left straight
TRIALS = 100  # the most radii that one step tries: each is at most a quarter of the one before
POLISH = 50  # the most Gauss-Newton steps at the end


class Solution(NamedTuple):
    """The end of a walk: the point, True if it is a minimum of the sum of squares, and the number of steps."""

    at: Point
    converged: bool
    steps: int


def least_squares(problem: Problem, start: Point, steps: int) -> Solution:
    """Walk from `start` to a local minimum of the sum of squares, in at most so many steps.

    Bent steps are quick in long valleys, and are thrown out of a few: if they lead nowhere, straight ones start anew.
    """
    with np.errstate(all="ignore"):
        bent = _walk(problem, start, steps, bend=BEND)
        return bent if bent.converged else _better(bent, _walk(problem, start, steps, bend=0.0))


def _better(bent: Solution, straight: Solution) -> Solution:
    return straight if straight.converged or straight.at.squares < bent.at.squares else bent


def _walk(problem: Problem, at: Point, steps: int, bend: float) -> Solution:
    scale = columns(at.slopes)
    radius, count = length(scale * at.x) or 1.0, 0
    while count < steps:
        there, radius = _step(problem, at, scale, radius, bend)
        if there is None:
            break
        at, count = there, count + 1
        scale = columns(at.slopes, scale)
    at, more = _polished(problem, at)
    return Solution(at, _stationary(problem, at), count + more)


def _step(problem: Problem, at: Point, scale: Vector, radius: float, bend: float) -> tuple[Point | None, float]:
    """The next point, and the next radius; no point where no step is left that rounding does not blur."""
    linear = linearised(problem.box, at, scale)
    for _ in range(TRIALS if linear.free.any() else 0):
        move, tried, shift = trial(problem.box, at, linear, radius)
        change = at.slopes @ move
        promised = -float(at.rest @ change + change @ change / 2)
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
    ahead, _ = problem.residuals(at.x + AHEAD * move)
    second = ((ahead - at.residuals) / AHEAD - at.jacobian @ move) * (2 / AHEAD)
    if not np.isfinite(second).all():
        return move
    slopes = linear.right @ ((second @ at.jacobian)[linear.free] / linear.scale[linear.free]) / 2
    bend = linear.move(shifted_step(linear.curvatures, slopes, shift)) - linear.held
    if length(linear.scale * bend) > most * length(linear.scale * move):
        return move
    return problem.box.clip(at.x + move + bend) - at.x


def _polished(problem: Problem, at: Point) -> tuple[Point, int]:
    """The point after Gauss-Newton steps, as long as they get shorter, and how many there were.

    Where residuals and curvature are large, full steps go to and fro about the minimum: then a share of them is taken,
    the one that the last two steps, put through a straight line, say is right.
    """
    scale, count, share = columns(at.slopes), 0, 1.0
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
    linear = linearised(problem.box, at, scale)
    return trial(problem.box, at, linear, math.inf)[0] if linear.free.any() else 0 * at.x


def _stationary(problem: Problem, at: Point) -> bool:
    """True if the residuals are at right angles to all that the free variables can change (Bates and Watts)."""
    if not at.finite:
        return False
    along = length(linearised(problem.box, at, columns(at.slopes)).left.T @ at.rest)
    return along <= max(OFFSET * length(at.residuals), problem.blur)
