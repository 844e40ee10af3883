"""The kind of a point where a descent ends: minimum, saddle or maximum, by the eigenvalues of the Hessian.

All measures are those of the point itself. What the eigenvalues say is believed if the curvature stays the same well
beyond the stationary point that they promise, or if the gradient is 0 but for rounding; where the Hessian is singular,
values around the point are asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .minimum import ROUNDING, SLOPE, Step
from .objective import Problem, pull, runs_off, units

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.typing import NDArray

    from .vectors import Vector

FLAT = 1e-13  # a curvature below this share of the largest counts as 0: rounding alone can make it
NOISE = 2.0**-46  # the share of |Hessian| |x| that the rounding of x alone can make of the gradient
STEADY = 0.25  # the most that a curvature may change, as a share
BEYOND = 4.0  # Newton steps: so far, on both sides, the curvature is looked at
BLURRED = 1e-13  # a promise below this share of the value is at the mercy of rounding
UNDERFLOW = 1e-300  # values that differ by less are 0 in disguise: exp(-x) is flat for binary64 alone
AXES = 5  # the most directions in which values around a singular point are asked
AGAIN = 4.0  # the gradient has to fall by this factor before a verdict is asked again


class Verdict(NamedTuple):
    """The kind of a point by its Hessian.

    kind         minimum, saddle or maximum of the free variables; flat, where it is singular and no value around is
                 lower
    away         the distance to the nearest stationary point, in units of the variables' sizes; inf if there is none
    promised     the fall of the value on the way to it
    eigenvalues  of the Hessian in the free variables, ascending
    down         a direction (n,) in which the value falls, from a saddle or a maximum; else 0
    """

    kind: str
    away: float
    promised: float
    eigenvalues: list[float]
    down: Vector

    def rests(self, tol: float) -> bool:
        """True if the stationary point is reached: a flat one is only found to the cube root of what its gradient is."""
        return self.away <= (math.cbrt(tol) if self.kind == "flat" else tol)


class Bowl(NamedTuple):
    """The quadratic model in the free variables, each in a scale in which its own curvature is 1 or -1.

    scale, axes, curvatures   one unit along axis k is the step scale * axes[:, k]
    bent                      a mask of the axes whose curvature is not 0 but for rounding
    step                      the step to the stationary point along the bent axes
    promised                  the fall of the value on the way
    still                     whether the gradient is 0 but for the rounding of the point
    idle                      whether it is along the axes that are not bent
    """

    scale: Vector
    axes: Vector
    curvatures: Vector
    bent: NDArray[bool_]
    step: Vector
    promised: float
    still: bool
    idle: bool

    def direction(self, axis: int, unit: Vector) -> Vector:
        """The axis as a step, of which the longest component has the length of its unit."""
        step = self.scale * self.axes[:, axis]
        return step / abs(step / unit).max()  # type: ignore[no-any-return]


def verdict(problem: Problem, here: Step) -> Verdict:
    """The verdict on a point."""
    free, nowhere = problem.box.free(here.point, here.slope), 0 * here.point
    if not free.any():
        return Verdict("minimum", 0.0, 0.0, [], nowhere)
    hessian = problem.hessian(here.point)[np.ix_(free, free)]
    bowl = _bowl(hessian, here.slope[free], here.point[free])
    if bowl is None:
        return Verdict("flat", math.inf if here.slope[free].any() else 0.0, math.inf, [], nowhere)
    eigenvalues = np.linalg.eigvalsh(hessian).tolist()
    away = float(np.linalg.norm(bowl.step / units(problem, here.point)[free]))
    if away > math.cbrt(problem.tol) and bowl.promised > BLURRED * abs(here.value):
        return Verdict("flat", away, bowl.promised, eigenvalues, nowhere)
    steady = bowl.still or (bool(bowl.bent.all()) and _steady(problem, here.point, free, hessian, bowl))
    if not bowl.idle or not (steady or (bowl.curvatures[bowl.bent] > 0).all()):
        return Verdict("flat", math.inf, bowl.promised, eigenvalues, nowhere)
    if steady and bowl.bent.all():
        kind, axis, sign = _kind(bowl.curvatures), 0, 1
    else:
        kind, axis, sign = _asked(problem, here, free, bowl, away, steady)
    if not kind:  # lower values around what is not stationary
        return Verdict("flat", math.inf, bowl.promised, eigenvalues, nowhere)
    if kind in ("saddle", "maximum"):
        nowhere[free] = sign * bowl.direction(axis, units(problem, here.point)[free])
    return Verdict(kind, away, bowl.promised, eigenvalues, nowhere)


def _bowl(hessian: Vector, slope: Vector, point: Vector) -> Bowl | None:
    """The quadratic model; None where the Hessian is not finite, or its entries are too far apart."""
    if not np.isfinite(hessian).all():
        return None
    own, row = abs(np.diag(hessian)), abs(hessian).max(axis=1)
    scale = np.where(own > 0, own, np.where(row > 0, row, 1.0)) ** -0.5
    scaled = hessian * scale[:, None] * scale
    if not np.isfinite(scaled).all():
        return None
    curvatures, axes = np.linalg.eigh(scaled)
    bent = abs(curvatures) > FLAT * abs(curvatures).max()
    along = axes.T @ (scale * slope)
    steps = np.where(bent, -along / np.where(bent, curvatures, 1.0), 0.0)
    noise = NOISE * (abs(hessian) @ abs(point))
    idle = abs(along) <= abs(axes).T @ (scale * noise)
    promised = float((along * steps)[bent] @ np.sign(curvatures[bent])) / -2
    still = bool((abs(slope) <= noise).all())
    return Bowl(scale, axes, curvatures, bent, scale * (axes @ steps), promised, still, bool(idle[~bent].all()))


def _kind(curvatures: Vector) -> str:
    """The kind of a stationary point with these curvatures, ascending, none of them 0."""
    return "minimum" if curvatures[0] > 0 else "maximum" if curvatures[-1] < 0 else "saddle"


def _steady(problem: Problem, point: Vector, free: NDArray[bool_], hessian: Vector, bowl: Bowl) -> bool:
    """True if every curvature is the same, within a share, at some Newton steps' distance on both sides."""
    root = bowl.scale[:, None] * bowl.axes / abs(bowl.curvatures) ** 0.5
    for side in (BEYOND, -BEYOND):
        there = point.copy()
        there[free] += side * bowl.step
        change = root.T @ (problem.hessian(problem.box.clip(there))[np.ix_(free, free)] - hessian) @ root
        if not (np.isfinite(change).all() and np.linalg.norm(change, 2) <= STEADY):
            return False
    return True


def _asked(
    problem: Problem, here: Step, free: NDArray[bool_], bowl: Bowl, away: float, steady: bool
) -> tuple[str, int, int]:
    """The kind of a point with a singular Hessian, by the values around it, and the axis and the side of the way down.

    Without a kind the point is not stationary: values around it are lower, or there are none.
    """
    higher, down = bool((bowl.curvatures[bowl.bent] > 0).any()), None
    if steady and (bowl.curvatures[bowl.bent] < 0).any():
        down = (0, 1)
    for axis, side, change in _around(problem, here, free, bowl, away):
        if (math.isnan(change) and not steady) or 0 < abs(change) < UNDERFLOW:
            return "", 0, 0
        higher = higher or change > 0
        down = down or ((axis, side) if change < 0 else None)
    if down is None:
        return "flat", 0, 0
    return ("saddle" if higher else "maximum", *down) if steady else ("", 0, 0)


def _around(
    problem: Problem, here: Step, free: NDArray[bool_], bowl: Bowl, away: float
) -> Iterator[tuple[int, int, float]]:
    """The changes of the value around the point along the least bent axes, on both sides: 0 where rounding hides them."""
    nearest = max(30 * away, 1e-3)
    unit = units(problem, here.point)[free]
    for axis in np.argsort(abs(bowl.curvatures))[:AXES].tolist():
        for side in (1, -1):
            for radius in (nearest, 10 * nearest):
                there = here.point.copy()
                there[free] += side * radius * bowl.direction(axis, unit)
                value = problem.at(problem.box.clip(there)).value
                blurred = abs(value - here.value) <= 2.0**-50 * max(abs(value), abs(here.value))
                yield axis, side, 0.0 if blurred else value - here.value


def at_edge(problem: Problem, here: Step) -> bool:
    """True if the formula has no value a little further downhill."""
    free = problem.box.free(here.point, here.slope)
    downhill = np.where(free, -np.sign(here.slope) * units(problem, here.point), 0.0)
    return math.isnan(problem.at(problem.box.clip(here.point + 10 * problem.tol * downhill)).value)


def watch(problem: Problem, first: Step) -> Callable[[Step], str]:
    """A function that gives the reason why a descent from `first` may end at a step, whatever the method, or "".

    Either it runs off, or it is at rest. The Hessian is asked once the gradient promises nothing beside what the
    descent has gained, and from there on each time that the gradient has become smaller by a factor.
    """
    least = math.inf

    def reason(here: Step) -> str:
        nonlocal least
        now = pull(problem, here)
        if now <= problem.tol * (first.value - here.value) and (now == 0 or AGAIN * now <= least):
            least = now
            if verdict(problem, here).rests(problem.tol):
                return SLOPE if problem.box.free(here.point, here.slope).any() else ROUNDING
        return runs_off(problem, first, here)

    return reason
