"""The result of a descent, and the methods by name, with what they take as defaults."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .vectors import Vector

AWAY = "the variables run off to infinity"
ENDLESS = "the value falls without end, as the variables run off to infinity"
EDGE = "the value still falls where the domain of the formula ends"
SMALL = "the last step moved no variable by more than the tolerance"
ROUNDING = "no step makes the value smaller"
SLOPE = "the gradient is 0, within the tolerance"


class Method(NamedTuple):
    """The default rate and the default limit of steps of a method."""

    rate: float
    steps: int


METHODS = {
    "newton": Method(1.0, 1_000),
    "lbfgs": Method(1.0, 5_000),
    "gd": Method(0.01, 20_000),
    "momentum": Method(0.01, 20_000),
    "adam": Method(0.1, 20_000),
}

RATED = ("gd", "momentum", "adam")


class Step(NamedTuple):
    """A point (n,) of a descent with its value and gradient (n,), which is called the slope.

    evaluations   of value and gradient, up to this one
    last          why the method ends here, or ""
    """

    point: Vector
    value: float
    slope: Vector
    evaluations: int
    last: str = ""

    @property
    def steepness(self) -> float:
        """The length of the gradient."""
        return math.hypot(*self.slope.tolist())


class Minimum(NamedTuple):
    """The end of a descent.

    verdict      minimum, saddle, maximum; flat, where the Hessian is singular and no value around is lower; or not
                 converged
    criterion    in words: by what it was decided
    bounds       the variables that end on a bound, with that bound
    eigenvalues  of the Hessian in the variables that are free to move, ascending
    direction    from a saddle or a maximum: a way down
    evaluations  of value and gradient
    path         each step with its value and gradient, the start first
    method, rate   of the descent
    """

    value: float
    point: dict[str, float]
    gradient: dict[str, float]
    verdict: str
    criterion: str
    bounds: dict[str, float]
    eigenvalues: list[float]
    direction: dict[str, float]
    evaluations: int
    path: list[Step]
    method: str
    rate: float

    @property
    def found(self) -> bool:
        """True for a minimum, as far as second derivatives can tell."""
        return self.verdict in ("minimum", "flat")

    @property
    def too_fast(self) -> float | None:
        """The rate of a descent that ran away by it; None where it did not."""
        ran_away = self.criterion == AWAY or not math.isfinite(self.value)
        return self.rate if self.method in RATED and ran_away else None
