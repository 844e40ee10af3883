"""A function to be made small, as the descents see it, and the units in which its variables are measured."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .bounds import Box
from .minimum import AWAY, ENDLESS, Step

if TYPE_CHECKING:
    from .vectors import Vector

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

    def usable(self, at: Step) -> bool:
        """True if the value is a number to go on with, and so is the gradient of the variables that are free."""
        free = self.box.free(at.point, at.slope)
        return math.isfinite(at.value) and bool(np.isfinite(at.slope[free]).all())


def sizes(problem: Problem, x: Vector) -> Vector:
    """The change of each variable that counts as large on the way, at x, (n,): its size there, or at the start."""
    return np.maximum(abs(x), problem.size)


def units(problem: Problem, x: Vector) -> Vector:
    """The change of each variable that counts as large at a point that is judged, (n,).

    A start may say that a variable is small, but not that it is large: what is far from it has a size of its own.
    """
    return np.maximum(abs(x), np.minimum(problem.size, 1.0))


def pull(problem: Problem, at: Step) -> float:
    """The change of the value, to first order, if the steepest of the free variables changed by its own size."""
    pulls = abs(at.slope) * sizes(problem, at.point)
    return float(np.where(problem.box.free(at.point, at.slope), pulls, 0.0).max())


def runs_off(problem: Problem, first: Step, here: Step) -> str:
    """AWAY or ENDLESS if a variable has run off to infinity since the first step, the latter with the value; or ""."""
    if not (abs(here.point) > FAR * problem.size).any():
        return ""
    return ENDLESS if here.value < -FAR * max(1.0, abs(first.value)) else AWAY
