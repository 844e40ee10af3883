"""Nonlinear least squares on exact derivatives.

result = fit("y ~ a*exp(-b*x)", {"x": [0, 1, 2, 3], "y": [5.1, 2.9, 1.9, 1.1]}, {"a": 1, "b": 1})
result.params["a"]                   # Parameter(value=..., stderr=..., low=..., high=...)

This is the door: the work is done in fitting.py, which is loaded when NumPy and SciPy are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradcli.errors import Source, UsageError
from gradcli.extras import require_extra

from .fitted import Fit

if TYPE_CHECKING:
    from .vectors import Vector

STEPS = 500


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
    is an expression of columns: the standard deviation of each row; `weights` one for 1/sigma^2, 0 for a row to be left
    out. They count as
    relative, and the residuals set the scale of the standard errors, unless `absolute`. `starts` more than 1 tries as
    many starting points, drawn around the given one and within the bounds. `where` names a row for messages.

    Raises UsageError for names that do not fit together, EvaluationError, with the place and the row, where the model
    is not a number at the start, and GradcliError where there are fewer rows than parameters, where the data do not
    determine a parameter, and where the extra `fit` is not installed.
    """
    _require(start, sigma, weights, absolute)
    from .fitting import fitted, observed

    data = observed(model, columns, start, sigma, weights, where)
    return fitted(data, start, absolute, bounds, (starts, seed), steps, confidence)


def _require(start: Mapping[str, float], sigma: str | None, weights: str | None, absolute: bool) -> None:
    require_extra("fit", "numpy", "scipy")
    if not start:
        raise UsageError("there are no parameters: give each a start", hint='as in: gradcli fit "y ~ a*x" data.csv a=1')
    if sigma is not None and weights is not None:
        raise UsageError("sigma and weights are two names of one thing: give one of them")
    if absolute and sigma is None and weights is None:
        raise UsageError("absolute is said of sigma or weights: give one of them", hint="as in --sigma 0.1 --absolute")


def predict(result: Fit, columns: Mapping[str, Any], count: int) -> tuple[Vector, Vector | None]:
    """The model for `count` other rows, and its standard errors by the uncertainty of the parameters, (count,) both.

    The errors are None where the fit has no covariance.
    """
    from .fitting import predicted

    return predicted(result, columns, count)
