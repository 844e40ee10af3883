"""Descents: each is a generator of points, a few lines long.

    for step in gd(problem, start, 0.01): ...           # endless; the caller decides when to stop

A point comes with its value and its gradient. newton and lbfgs say themselves when nothing is left to gain.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import updates
from .bounds import Box
from .minimum import AWAY, METHODS, Step
from .trust_region import length, shift_within, shifted_step
from .updates import State, Update

if TYPE_CHECKING:
    from .vectors import Vector


SMALL = "the last step moved no variable by more than the tolerance"
ROUNDING = "no step makes the value smaller"
SLOPE = "the gradient is 0, within the tolerance"
BLURRED = 1e-13  # a promise below this share of the value is at the mercy of rounding
TRIALS = 100  # the most radii that one step tries: each is at most a quarter of the one before
FAR = 1e30  # times its size: the variable runs off


class Problem(NamedTuple):
    """A function to be made small, as the methods see it.

    at        the step at a point (n,), with value and gradient
    hessian   the second derivatives at a point, (n, n)
    size      the change of each variable that counts as large, (n,): its start, or 1
    """

    at: Callable[[Vector], Step]
    hessian: Callable[[Vector], Vector]
    box: Box
    size: Vector
    tol: float


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
    here, radius = problem.at(x), math.sqrt(len(x))
    while not here.last:
        yield here
        hessian = problem.hessian(here.point)
        if not _usable(problem, here, hessian):  # as at the end of a domain: the gradient alone shows the way
            hessian = 0 * here.point[:, None] * here.point
        here, radius = _trusted(problem, here, hessian, radius)
    yield here


def _usable(problem: Problem, here: Step, hessian: Vector) -> bool:
    """True if the second derivatives are finite, also in units of the sizes of the variables."""
    size = sizes(problem, here.point)
    return all(map(math.isfinite, (hessian * size[:, None] * size).flat))


def _trusted(problem: Problem, here: Step, hessian: Vector, radius: float) -> tuple[Step, float]:
    """The next point, and the next radius: it shrinks until the value keeps what the Hessian promises."""
    for _ in range(TRIALS):
        step = _newton_step(problem, here, hessian, radius)
        if (here.point + step == here.point).all():
            return here._replace(last=ROUNDING if here.slope.any() else SLOPE), radius
        promised = -float(here.slope @ step + step @ hessian @ step / 2)
        moved = length(step / sizes(problem, here.point))
        if promised <= 0 and problem.box.touched(here.point + step).any():
            radius = moved / 4  # the box cut the step so that it leads uphill: a shorter one fits in
            continue
        there = problem.at(problem.box.clip(here.point + step))
        kept = (here.value - there.value) / promised if promised > 0 and there.finite else -math.inf
        if kept > 0.75 and moved > 0.8 * radius:
            radius *= 3
        elif not kept >= 0.25:
            radius = moved / 4
        if promised > BLURRED * abs(here.value):
            accepted = kept > 1e-4
        elif pull(problem, there) < pull(problem, here) / 2:  # rounding blurs the value: the gradient decides
            accepted = True
        else:
            break
        if accepted:
            small = (abs(step) <= problem.tol * sizes(problem, there.point)).all()
            return there._replace(last=SMALL if small and moved < radius / 2 else ""), radius
    return here._replace(last=ROUNDING), radius


def sizes(problem: Problem, x: Vector) -> Vector:
    """The change of each variable that counts as large at x, (n,)."""
    return np.maximum(abs(x), problem.size)


def pull(problem: Problem, at: Step) -> float:
    """The change of the value, to first order, if the steepest of the free variables changed by its own size."""
    pulls = abs(at.slope) * sizes(problem, at.point)
    return float(np.where(problem.box.free(at.point, at.slope), pulls, 0.0).max())


def _newton_step(problem: Problem, here: Step, hessian: Vector, radius: float) -> Vector:
    """The step in the variables that are free, kept within the bounds; lengths are in units of `size`."""
    x, slope = here.point, here.slope
    free = problem.box.free(x, slope)
    step = 0 * x
    if free.any():
        size = sizes(problem, x)[free]
        curvatures, axes = np.linalg.eigh(hessian[np.ix_(free, free)] * np.outer(size, size))
        slopes = axes.T @ (slope[free] * size)
        step[free] = axes @ shifted_step(curvatures, slopes, shift_within(curvatures, slopes, radius)) * size
    return problem.box.clip(x + step) - x


def lbfgs(problem: Problem, x: Vector, _: float) -> Iterator[Step]:
    """L-BFGS-B, as SciPy has it: the Hessian is guessed from the last gradients."""
    from scipy.optimize import minimize as scipy_minimize

    tried: list[Step] = []
    accepted: list[Step] = []

    def function(point: Vector) -> tuple[float, Vector]:
        tried.append(problem.at(point.copy()))
        return tried[-1].value, tried[-1].slope

    def after(intermediate_result: Any) -> None:
        accepted.append(next(step for step in reversed(tried) if (step.point == intermediate_result.x).all()))
        if settled(problem, accepted[-1], tried[0]):
            raise StopIteration

    bounds = list(zip(problem.box.low, problem.box.high, strict=True))
    options = {"ftol": 0, "gtol": 0, "maxiter": METHODS["lbfgs"].steps, "maxfun": 15_000}
    scipy_minimize(function, x, jac=True, method="L-BFGS-B", bounds=bounds, callback=after, options=options)
    path = [
        tried[0],
        *(step for step in accepted if all(map(math.isfinite, step.point.tolist()))),
    ]  # it may lose its way
    yield from path
    yield path[-1]._replace(last=ROUNDING)


def settled(problem: Problem, here: Step, first: Step) -> str:
    """The reason why a descent may end here whatever the method, or "".

    Either what the gradient still promises is nothing beside what the descent has gained, or it runs off.
    """
    if pull(problem, here) <= problem.tol * (first.value - here.value):
        return SLOPE
    away = any(abs(x) > FAR * size for x, size in zip(here.point.tolist(), problem.size.tolist(), strict=True))
    return AWAY if away else ""


WALKS: dict[str, Callable[[Problem, Vector, float], Iterator[Step]]] = {
    "newton": newton,
    "lbfgs": lbfgs,
    "gd": gd,
    "momentum": momentum,
    "adam": adam,
}
