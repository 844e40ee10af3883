"""The result of a descent, and the methods by name, with what they take as defaults."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .vectors import Vector

AWAY = "the variables run off to infinity"


class Method(NamedTuple):
    """The default rate and the default limit of steps of a method."""

    rate: float
    steps: int


METHODS = {
    "newton": Method(1.0, 500),
    "lbfgs": Method(1.0, 5_000),
    "gd": Method(0.01, 20_000),
    "momentum": Method(0.01, 20_000),
    "adam": Method(0.1, 20_000),
}


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
    def finite(self) -> bool:
        """True if value and gradient are numbers to go on with."""
        return math.isfinite(self.value) and all(map(math.isfinite, self.slope.tolist()))

    @property
    def steepness(self) -> float:
        """The length of the gradient."""
        return math.hypot(*self.slope.tolist())


class Minimum(NamedTuple):
    """The end of a descent.

    verdict      minimum, saddle, maximum; flat, where the Hessian is singular and cannot tell; or not converged
    criterion    in words: by what it was decided
    bounds       the variables that end on a bound, with that bound
    eigenvalues  of the Hessian in the variables that are free to move, ascending
    direction    from a saddle or a maximum: a way down
    evaluations  of value and gradient
    path         each step with its value and gradient, the start first
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

    @property
    def found(self) -> bool:
        """True for a minimum, as far as second derivatives can tell."""
        return self.verdict in ("minimum", "flat")
