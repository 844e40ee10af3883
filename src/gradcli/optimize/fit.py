"""Nonlinear least squares on exact derivatives.

result = fit("y ~ a*exp(-b*x)", {"x": [0, 1, 2, 3], "y": [5.1, 2.9, 1.9, 1.1]}, {"a": 1, "b": 1})
result.params["a"]                   # Parameter(value=..., stderr=..., low=..., high=...)
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.errors import GradcliError, Source, UsageError
from gradcli.extras import require_extra

from .bounds import Box, box
from .least_squares import Solution, least_squares
from .linearised import Problem
from .model import Model, read_model
from .observations import Data, observe
from .uncertainty import uncertainty

if TYPE_CHECKING:
    from .vectors import Vector

ULPS = 64  # of the measured values: residuals that are shorter than this are rounding
EPSILON = 2.0**-52
STEPS = 500


class Parameter(NamedTuple):
    """A fitted value, its standard error and its confidence interval; None where the data leave no degree of freedom,
    and for a parameter that ends on a bound."""

    value: float
    stderr: float | None
    low: float | None
    high: float | None


class Fit(NamedTuple):
    """The result of a fit.

    rss           the sum of the squared residuals, weighted
    dof           degrees of freedom: rows less parameters
    r2            1 - rss/(the sum of squares about the mean); None where the measured values are all equal
    correlations  of the parameters; empty where there are no standard errors
    covariance    of the parameters, (parameters, parameters) in the order of `params`, or None
    converged     whether this is a local minimum of the sum of squares
    iterations    steps of the walk that led here
    bounds        the parameters that end on a bound, with that bound
    starts        how many starting points were tried, and how many of them led to this minimum
    measured, fitted, weights   of each row, (rows,)
    """

    params: dict[str, Parameter]
    rss: float
    dof: int
    r2: float | None
    correlations: dict[str, dict[str, float]]
    covariance: Any
    converged: bool
    iterations: int
    bounds: dict[str, float]
    starts: tuple[int, int]
    measured: Vector
    fitted: Vector
    weights: Vector
    model: Model

    @property
    def values(self) -> dict[str, float]:
        """The value of each parameter."""
        return {name: parameter.value for name, parameter in self.params.items()}


def fit(
    model: str | Source,
    columns: Mapping[str, Any],
    start: Mapping[str, float],
    *,
    sigma: str | None = None,
    weights: str | None = None,
    absolute: bool = False,
    bounds: Sequence[str] = (),
    starts: int = 1,
    seed: int = 0,
    steps: int = STEPS,
    confidence: float = 0.95,
    where: Callable[[int], str] = lambda row: f"row {row + 1}",
) -> Fit:
    """The parameters that make the sum of the squared differences between both sides of `model` a minimum.

    `columns` maps the names of columns to sequences of numbers, `start` each parameter to its starting value. `sigma`
    is an expression of columns: the standard deviation of each row; `weights` one for 1/sigma^2. They count as
    relative, and the residuals set the scale of the standard errors, unless `absolute`. `starts` more than 1 tries as
    many starting points, drawn around the given one and within the bounds. `where` names a row for messages.

    Raises UsageError for names that do not fit together, EvaluationError, with the place and the row, where the model
    is not a number at the start, and GradcliError where there are fewer rows than parameters, where the data do not
    determine a parameter, and where the extra `fit` is not installed.
    """
    _require(start, sigma, weights)
    import numpy as np

    read = read_model(model, start, columns)
    data = observe(read, columns, sigma, weights, where)
    if len(data.measured) < len(start):
        raise GradcliError(f"{len(start)} parameters need at least as many rows: there are {len(data.measured)}")
    limits = box(bounds, read.parameters)
    blur = ULPS * EPSILON * float(np.linalg.norm(np.sqrt(data.weights) * data.measured))
    problem = Problem(data.residuals, limits, blur)
    given = limits.clip(np.array([float(number) for number in start.values()]))
    data.check(problem.at(given), dict(zip(read.parameters, given.tolist(), strict=True)))
    best, alike = _best(problem, starting_points(given, limits, starts, seed), steps)
    return _result(read, data, problem, best, (starts, alike), absolute, confidence)


def _require(start: Mapping[str, float], sigma: str | None, weights: str | None) -> None:
    require_extra("fit", "numpy", "scipy")
    if not start:
        raise UsageError("there are no parameters: give each a start", hint='as in: gradcli fit "y ~ a*x" data.csv a=1')
    if sigma is not None and weights is not None:
        raise UsageError("sigma and weights are two names of one thing: give one of them")


# ------------------------------------------------------------------------------------------- one start or many


def starting_points(given: Vector, limits: Box, count: int, seed: int) -> Iterator[Vector]:
    """The given point (parameters,), and count - 1 others: drawn between bounds, or in powers of ten around it.

    The same seed draws the same points on every machine.
    """
    import numpy as np

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
    model: Model,
    data: Data,
    problem: Problem,
    solution: Solution,
    starts: tuple[int, int],
    absolute: bool,
    confidence: float,
) -> Fit:
    import numpy as np

    at, names = solution.at, model.parameters
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
        converged=solution.converged,
        iterations=solution.steps,
        bounds={name: float(x) for name, x, on in zip(names, at.x, touched, strict=True) if on},
        starts=starts,
        measured=data.measured,
        fitted=data.measured + at.residuals / root,
        weights=data.weights,
        model=model,
    )


def predict(result: Fit, columns: Mapping[str, Any], count: int) -> tuple[Vector, Vector | None]:
    """The model for `count` other rows, and its standard errors by the uncertainty of the parameters, (count,) both.

    The errors are None where the fit has no covariance.
    """
    import numpy as np

    from gradcli.kernel.kernel import compile as compiled

    kernel = compiled(result.model.right, result.model.parameters)
    with np.errstate(all="ignore"):
        value, partials = kernel.rows({name: columns[name] for name in kernel.names if name in columns} | result.values)
    jacobian = np.column_stack([np.broadcast_to(partials[name], count) for name in result.model.parameters])
    if result.covariance is None:
        return np.broadcast_to(value, count), None
    variance = np.einsum("ij,jk,ik->i", jacobian, result.covariance, jacobian)
    return np.broadcast_to(value, count), np.sqrt(np.maximum(variance, 0.0))
