"""Descents: each is a generator of points, a few lines long.

    for step in gd(problem, start, 0.01): ...           # endless; the caller decides when to stop

A point comes with its value and its gradient. newton and lbfgs say themselves when nothing is left to gain.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import updates
from .minimum import EDGE, METHODS, ROUNDING, SLOPE, SMALL, Step
from .objective import Problem, pull, sizes, units
from .trust_region import length, shift_within, shifted_step
from .updates import State, Update
from .verdict import at_edge, verdict, watch

if TYPE_CHECKING:
    from .vectors import Vector


BLURRED = 1e-13  # a promise below this share of the value is at the mercy of rounding
TRIALS = 100  # the most radii that one step tries: each is at most a quarter of the one before
UNLIMITED = {"ftol": 0, "gtol": 0, "maxiter": METHODS["lbfgs"].steps, "maxfun": 15_000}  # we say when to stop
LEAST = 1e-200  # the smallest radius
POLISH = 8  # the most Newton steps where rounding ends a descent by lbfgs
USUAL = 2.0**30  # what is larger, or smaller than its inverse, lbfgs sees in units of a power of two


def gd(problem: Problem, x: Vector, rate: float) -> Iterator[Step]:
    """Gradient descent."""
    return _updated(updates.sgd, (), problem, x, rate)


def momentum(problem: Problem, x: Vector, rate: float) -> Iterator[Step]:
    """Gradient descent with a heavy ball. The velocity is the last move: a bound takes it away."""
    velocity = 0 * x
    for number in itertools.count():
        here = problem.at(x)
        yield here
        move, _ = updates.momentum(rate * here.slope, (velocity,), number)
        before, x = x, problem.box.clip(x - move)
        velocity = before - x


def adam(problem: Problem, x: Vector, rate: float) -> Iterator[Step]:
    """Adam: the step of each variable is its mean gradient in units of its root mean square gradient."""
    return _updated(updates.adam, (0 * x, 0 * x), problem, x, rate)


def _updated(update: Update, state: State, problem: Problem, x: Vector, rate: float) -> Iterator[Step]:
    """The points to which a rule leads, from its state at the start."""
    for number in itertools.count():
        here = problem.at(x)
        yield here
        move, state = update(here.slope, state, number)
        x = problem.box.clip(x - rate * move)


def newton(problem: Problem, x: Vector, _: float) -> Iterator[Step]:
    """Newton's method in a trust region: negative curvature and a singular Hessian do it no harm."""
    return _newton(problem, problem.at(x))


def _newton(problem: Problem, here: Step) -> Iterator[Step]:
    """The points of Newton's method, the first of them given."""
    radius = math.sqrt(len(here.point))
    while not here.last and problem.usable(here):
        yield here
        hessian = problem.hessian(here.point)
        scale = _scale(hessian, here)
        if not _usable(problem, here, hessian / scale):  # as at the end of a domain: the gradient alone shows the way
            hessian, scale = 0 * here.point[:, None] * here.point, _scale(here.slope, here)
        here, radius = _trusted(problem, here, hessian / scale, scale, radius)
    yield here


def _scale(numbers: Vector, here: Step) -> float:
    """A power of two near the largest of the numbers, and of the slopes at a point: in these units nothing overflows."""
    return _power(max(float(abs(each[np.isfinite(each)]).max(initial=0.0)) for each in (numbers, here.slope)))


def _power(number: float) -> float:
    """The power of two near a number, or 1 for 0."""
    return math.ldexp(1.0, max(-1000, min(1000, math.frexp(number)[1]))) if number else 1.0


def _usable(problem: Problem, here: Step, hessian: Vector) -> bool:
    """True if the second derivatives are finite, also in units of the sizes of the variables."""
    size = sizes(problem, here.point)
    free = problem.box.free(here.point, here.slope)
    return bool(np.isfinite((hessian * size[:, None] * size)[np.ix_(free, free)]).all())


def _trusted(problem: Problem, here: Step, hessian: Vector, scale: float, radius: float) -> tuple[Step, float]:
    """The next point, and the next radius: it shrinks until the value keeps what the Hessian promises.

    The Hessian is in units of `scale`, and so are the promises.
    """
    free = problem.box.free(here.point, here.slope)
    slope, hessian = np.where(free, here.slope, 0.0) / scale, np.where(free[:, None] & free, hessian, 0.0)
    for _ in range(TRIALS):
        step = _newton_step(problem, here, slope, hessian, radius)
        if (here.point + step == here.point).all():
            return here._replace(last=ROUNDING if here.slope.any() else SLOPE), radius
        promised = -float(slope @ step + step @ hessian @ step / 2)
        moved = length(step / sizes(problem, here.point))
        if promised <= 0 and problem.box.touched(here.point + step).any():
            radius = max(moved / 4, LEAST)  # the box cut the step so that it leads uphill: a shorter one fits in
            continue
        there = problem.at(problem.box.clip(here.point + step))
        if there.value == -math.inf:
            return there, radius
        usable = promised > 0 and problem.usable(there)
        kept = (here.value / scale - there.value / scale) / promised if usable else -math.inf
        if kept > 0.75 and moved > 0.8 * radius:
            radius *= 3
        elif not kept >= 0.25:
            radius = max(moved / 4, LEAST)
        if promised > BLURRED * abs(here.value / scale):
            accepted = kept > 1e-4
        elif pull(problem, there) < pull(problem, here) / 2:  # rounding blurs the value: the gradient decides
            accepted = True
        else:
            break
        if accepted:
            small = (abs(step) <= problem.tol * units(problem, there.point)).all() and moved < radius / 2
            return there._replace(last=_small(problem, there) if small else ""), radius
    return here._replace(last=ROUNDING), radius


def _small(problem: Problem, here: Step) -> str:
    """The reason to end after a small step, or "" where it was small without need."""
    if verdict(problem, here).rests(problem.tol):
        return SMALL
    return EDGE if at_edge(problem, here) else ""


def _newton_step(problem: Problem, here: Step, slope: Vector, hessian: Vector, radius: float) -> Vector:
    """The step in the variables that are free, kept within the bounds; lengths are in units of `size`."""
    x = here.point
    free = problem.box.free(x, here.slope)
    step = 0 * x
    if free.any():
        size = sizes(problem, x)[free]
        curvatures, axes = np.linalg.eigh(hessian[np.ix_(free, free)] * np.outer(size, size))
        slopes = axes.T @ (slope[free] * size)
        step[free] = axes @ shifted_step(curvatures, slopes, shift_within(curvatures, slopes, radius)) * size
    return problem.box.clip(x + step) - x


def lbfgs(problem: Problem, x: Vector, _: float) -> Iterator[Step]:
    """L-BFGS-B, as SciPy has it: the Hessian is guessed from the last gradients.

    Where rounding ends it, the last digits are those of a few steps of Newton's method.
    """
    first = problem.at(x)
    yield first
    if problem.usable(first):
        path = _lbfgs(problem, first)
        yield from path[1:]
        if path[-1].last:
            return
        for step in itertools.islice(_newton(problem, path[-1]), 1, POLISH + 1):
            path.append(step)
            yield step
        yield path[-1]._replace(last=path[-1].last or ROUNDING)


def _lbfgs(problem: Problem, first: Step) -> list[Step]:
    """The points that SciPy's L-BFGS-B accepts; the last says why it ends there, unless SciPy gave up.

    A variable, and the value, are seen in units of a power of two where they are far from 1, which changes no digit. A
    point outside of the domain is shown as one that lies uphill: the search along a line comes back from there.
    """
    from scipy.optimize import minimize as scipy_minimize

    tried, path, reason = [first], [first], watch(problem, first)
    loose = problem.box.low < problem.box.high
    unit = np.array([_far(size) for size in problem.size[loose].tolist()])
    scale = _far(float(abs(first.slope[loose] * unit).max(initial=0.0)))

    def whole(point: Vector) -> Vector:
        x = first.point.copy()
        x[loose] = point * unit
        return x

    def function(point: Vector) -> tuple[float, Vector]:
        x = whole(point)
        tried.append(first if (x == first.point).all() else problem.at(x))
        here = tried[-1] if problem.usable(tried[-1]) else _uphill(path[-1], tried[-1])
        return here.value / scale, np.nan_to_num(here.slope[loose] / scale * unit)

    def after(intermediate_result: Any) -> None:
        x = whole(intermediate_result.x)
        here = next((step for step in reversed(tried) if (step.point == x).all()), None)
        if here is None or not problem.usable(here):
            raise StopIteration
        path.append(here._replace(last=reason(here)))
        if path[-1].last:
            raise StopIteration

    path[0] = first._replace(last=reason(first))
    if path[0].last or not loose.any():
        return [first, path[0]]
    bounds = list(zip(problem.box.low[loose] / unit, problem.box.high[loose] / unit, strict=True))
    start = first.point[loose] / unit
    scipy_minimize(function, start, jac=True, method="L-BFGS-B", bounds=bounds, callback=after, options=UNLIMITED)
    return path


def _far(number: float) -> float:
    """The power of two near a number that is far from 1; else 1."""
    return 1.0 if 1 / USUAL <= number <= USUAL else _power(number)


def _uphill(base: Step, there: Step) -> Step:
    """A point without a value as one that lies as far above the base as the slope there says it should lie below."""
    move = there.point - base.point
    rise = abs(float(np.where(np.isfinite(base.slope), base.slope, 0.0) @ move))
    return there._replace(value=base.value + rise, slope=-base.slope)


WALKS: dict[str, Callable[[Problem, Vector, float], Iterator[Step]]] = {
    "newton": newton,
    "lbfgs": lbfgs,
    "gd": gd,
    "momentum": momentum,
    "adam": adam,
}
