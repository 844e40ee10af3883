"""The result of a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .model import Model

if TYPE_CHECKING:
    from .vectors import Vector


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
    dof           degrees of freedom: rows less parameters that are not fixed by their bounds
    r2            1 - rss/(the sum of squares about the mean); None where the measured values are all equal
    correlations  of the parameters; empty where there are no standard errors
    covariance    of the parameters, (parameters, parameters) in the order of `params`, or None
    converged     whether this is a local minimum of the sum of squares
    iterations    steps of the walk that led here
    bounds        the parameters that end on a bound, with that bound
    starts        how many starting points were tried, and how many of them led to this minimum
    measured, fitted, weights   of each row, (rows,)
    left_out      rows that a weight of 0 leaves out: they are not among these
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
    left_out: int = 0

    @property
    def values(self) -> dict[str, float]:
        """The value of each parameter."""
        return {name: parameter.value for name, parameter in self.params.items()}
