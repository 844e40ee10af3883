"""The kind of point where a descent ended: minimum, saddle or maximum, by the eigenvalues of the Hessian."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .descent import Problem, pull, sizes
from .minimum import Step

if TYPE_CHECKING:
    from .vectors import Vector

FLAT = 1e-10  # a curvature below this share of the largest counts as 0: rounding alone can make it


class Verdict(NamedTuple):
    """The kind of a point by its Hessian.

    kind         minimum, saddle or maximum of the free variables; flat, where it is singular and cannot tell
    away         the distance to the nearest stationary point, at most, in units of the sizes of the variables
    eigenvalues  of the Hessian in the free variables, ascending
    down         a direction (n,) in which the value falls on both sides, from a saddle or a maximum; else 0
    """

    kind: str
    away: float
    eigenvalues: list[float]
    down: Vector


def verdict(problem: Problem, here: Step, gained: float) -> Verdict:
    """The verdict on a point, after a descent that made the value smaller by `gained`."""
    free, size, nowhere = problem.box.free(here.point, here.slope), sizes(problem, here.point), 0 * here.point
    if not free.any():
        return Verdict("minimum", 0.0, [], nowhere)
    # along what is not bent there is no step to measure: the gradient itself has to be 0
    unbent = 0.0 if pull(problem, here) <= problem.tol * gained else math.inf
    hessian = problem.hessian(here.point)[np.ix_(free, free)]
    scaled = hessian * np.outer(size[free], size[free])
    if not np.isfinite(scaled).all():
        return Verdict("flat", unbent, [], nowhere)
    curvatures, axes = np.linalg.eigh(scaled)
    bent = abs(curvatures) > FLAT * abs(curvatures).max()
    steps = (axes.T @ (here.slope * size)[free])[bent] / curvatures[bent]
    away = max(float(np.linalg.norm(steps)), 0.0 if bent.all() else unbent)
    kind = _kind(curvatures[bent], bool(bent.all()))
    if kind in ("saddle", "maximum"):
        nowhere[free] = axes[:, 0] * size[free]
    return Verdict(kind, away, np.linalg.eigvalsh(hessian).tolist(), nowhere)


def _kind(bent: Vector, all_bent: bool) -> str:
    """The kind of a stationary point with these curvatures, and others that are 0 unless `all_bent`."""
    if not (bent < 0).any():
        return "minimum" if all_bent else "flat"
    return "saddle" if (bent > 0).any() or not all_bent else "maximum"
