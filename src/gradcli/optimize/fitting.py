"""Nonlinear least squares at work: the walks from the starting points, and what the best of them says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.errors import GradcliError, Source
from gradcli.kernel.kernel import compile as compiled

from .bounds import box
from .fitted import Fit, Parameter
from .least_squares import Solution, least_squares
from .linearised import Problem
from .model import read_model
from .observations import Data, observe
from .starts import starting_points
from .uncertainty import uncertainty

if TYPE_CHECKING:
    from .vectors import Vector

ULPS = 64  # of the measured values: residuals that are shorter than this are rounding
EPSILON = 2.0**-52


def observed(
    model: str | Source,
    columns: Mapping[str, Any],
    start: Mapping[str, float],
    sigma: str | None,
    weights: str | None,
    where: Callable[[int], str],
) -> Data:
    """The rows of a fit. Raises GradcliError where there are fewer than parameters, and what `observe` raises."""
    data = observe(read_model(model, start, columns), columns, sigma, weights, where)
    if len(data.measured) < len(start):
        raise GradcliError(f"{len(start)} parameters need at least as many rows: there are {len(data.measured)}")
    return data


def fitted(
    data: Data,
    start: Mapping[str, float],
    absolute: bool,
    bounds: Sequence[str],
    starts: tuple[int, int],
    steps: int,
    confidence: float,
) -> Fit:
    """The fit to the rows; `starts` is how many starting points to try, and the seed of those that are drawn."""
    names = data.model.parameters
    limits = box(bounds, names)
    blur = ULPS * EPSILON * float(np.linalg.norm(np.sqrt(data.weights) * data.measured))
    problem = Problem(data.residuals, limits, blur)
    given = limits.clip(np.array([float(number) for number in start.values()]))
    data.check(problem.at(given), dict(zip(names, given.tolist(), strict=True)))
    best, alike = _best(problem, starting_points(given, limits, *starts), steps)
    return _result(data, problem, best, (starts[0], alike), absolute, confidence)


def _best(problem: Problem, points: Iterable[Vector], steps: int) -> tuple[Solution, int]:
    """The best of the minima that the walks from these points lead to, and how many lead to it."""
    best: Solution | None = None
    minima = []
    for start in map(problem.at, points):
        if start.finite:
            found = least_squares(problem, start, steps)
            minima += [found.at.squares] if found.converged else []
            best = found if best is None else min(best, found, key=lambda one: (not one.converged, one.at.squares))
    assert best is not None, "the given start has been checked"
    most = best.at.squares * (1 + 1e-6) + problem.blur**2
    return best, sum(squares <= most for squares in minima)


def _result(
    data: Data,
    problem: Problem,
    found: Solution,
    starts: tuple[int, int],
    absolute: bool,
    confidence: float,
) -> Fit:
    at, names = found.at, data.model.parameters
    root = np.sqrt(data.weights)
    known = uncertainty(problem.box, at, names, absolute, confidence)
    mean = float(np.average(data.measured, weights=data.weights))
    about_mean = float((data.weights * (data.measured - mean) ** 2).sum())
    touched = problem.box.touched(at.x)
    return Fit(
        params={name: Parameter(float(x), *known.of(name)) for name, x in zip(names, at.x, strict=True)},
        rss=at.squares,
        dof=len(data.measured) - len(names),
        r2=1 - at.squares / about_mean if about_mean else None,
        correlations=known.correlations,
        covariance=known.covariance,
        converged=found.converged,
        iterations=found.steps,
        bounds={name: float(x) for name, x, on in zip(names, at.x, touched, strict=True) if on},
        starts=starts,
        measured=data.measured,
        fitted=data.measured + at.residuals / root,
        weights=data.weights,
        model=data.model,
    )


def predicted(found: Fit, columns: Mapping[str, Any], count: int) -> tuple[Vector, Vector | None]:
    """The model for other rows, `count` of them, and the standard error of each, None where the fit has none."""
    kernel = compiled(found.model.right, found.model.parameters)
    with np.errstate(all="ignore"):
        value, partials = kernel.rows({name: columns[name] for name in kernel.names if name in columns} | found.values)
    jacobian = np.column_stack([np.broadcast_to(partials[name], count) for name in found.model.parameters])
    if found.covariance is None:
        return np.broadcast_to(value, count), None
    variance = np.einsum("ij,jk,ik->i", jacobian, found.covariance, jacobian)
    return np.broadcast_to(value, count), np.sqrt(np.maximum(variance, 0.0))
