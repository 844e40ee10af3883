"""Nonlinear least squares at work: the walks from the starting points, and what the best of them says."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.errors import GradcliError, Source
from gradcli.kernel.kernel import compile as compiled

from .bounds import Box, box
from .fitted import Fit, Parameter
from .least_squares import Solution, least_squares
from .linearised import Problem
from .model import read_model
from .observations import Data, observe
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


# ------------------------------------------------------------------------------------------- one start or many


def starting_points(given: Vector, limits: Box, count: int, seed: int) -> Iterator[Vector]:
    """The given point (parameters,), and count - 1 others: drawn between bounds, or in powers of ten around it.

    The same seed draws the same points on every machine.
    """
    yield given
    draw = random.Random(seed)
    intervals = list(zip(given.tolist(), limits.low.tolist(), limits.high.tolist(), strict=True))
    for _ in range(count - 1):
        yield limits.clip(np.array([_drawn(draw, *interval) for interval in intervals]))


def _drawn(draw: random.Random, given: float, low: float, high: float) -> float:
    if math.isfinite(low) and math.isfinite(high):
        if 0 < low < high / 100:  # over powers of ten the logarithm is what is drawn evenly
            return math.exp(draw.uniform(math.log(low), math.log(high)))
        return draw.uniform(low, high)
    if given == 0:
        return draw.gauss(0.0, 1.0)
    sign = -1 if draw.random() < 0.2 else 1
    return float(sign * given * 10 ** draw.gauss(0.0, 0.7))


def _best(problem: Problem, points: Iterable[Vector], steps: int) -> tuple[Solution, int]:
    """The best of the minima that the walks from these points lead to, and how many lead to it."""
    best: Solution | None = None
    minima = []
    for start in map(problem.at, points):
        if start.finite:
            solution = least_squares(problem, start, steps)
            minima += [solution.at.squares] if solution.converged else []
            best = solution if best is None else min(best, solution, key=lambda s: (not s.converged, s.at.squares))
    assert best is not None, "the given start has been checked"
    most = best.at.squares * (1 + 1e-6) + problem.blur**2
    return best, sum(squares <= most for squares in minima)


# ------------------------------------------------------------------------------------------------- the result


def _result(
    data: Data,
    problem: Problem,
    solution: Solution,
    starts: tuple[int, int],
    absolute: bool,
    confidence: float,
) -> Fit:
    at, names = solution.at, data.model.parameters
    root = np.sqrt(data.weights)
    known = uncertainty(problem.box, at, names, absolute, confidence)
    mean = float(np.average(data.measured, weights=data.weights))
    about_mean = float((data.weights * (data.measured - mean) ** 2).sum())
    touched = problem.box.touched(at.x)
    return Fit(
        params={name: Parameter(float(x), *known.of(name)) for name, x in zip(names, at.x, strict=True)},
        rss=at.squares,
        dof=len(data.measured) - len(names) + problem.box.fixed,
        r2=1 - at.squares / about_mean if about_mean else None,
        correlations=known.correlations,
        covariance=known.covariance,
        converged=solution.converged,
        iterations=solution.steps,
        bounds={name: float(x) for name, x, on in zip(names, at.x, touched, strict=True) if on},
        starts=starts,
        measured=data.measured,
        fitted=data.measured + at.residuals / root,
        weights=data.weights,
        model=data.model,
        left_out=data.left_out,
    )


def predicted(result: Fit, columns: Mapping[str, Any], count: int) -> tuple[Vector, Vector | None]:
    """The answer of `predict` of fit.py."""
    kernel = compiled(result.model.right, result.model.parameters)
    with np.errstate(all="ignore"):
        value, partials = kernel.rows({name: columns[name] for name in kernel.names if name in columns} | result.values)
    jacobian = np.column_stack([np.broadcast_to(partials[name], count) for name in result.model.parameters])
    if result.covariance is None:
        return np.broadcast_to(value, count), None
    variance = np.einsum("ij,jk,ik->i", jacobian, result.covariance, jacobian)
    return np.broadcast_to(value, count), np.sqrt(np.maximum(variance, 0.0))
