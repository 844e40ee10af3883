"""The uncertainty of the parameters of a fit: covariance, standard errors, confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradcli.errors import GradcliError
from gradcli.text import rounded

from .bounds import Box
from .linearised import Point, columns

if TYPE_CHECKING:
    from .vectors import Vector

SINGULAR = 1e-13  # a singular value below this share of the largest is one that rounding made
SHARE = 0.1  # of a direction without effect: a parameter with less is not to blame


class Uncertainty(NamedTuple):
    """The covariance (parameters, parameters), or None, and what follows from it, by name."""

    covariance: Any
    intervals: dict[str, tuple[float, float, float]]
    correlations: dict[str, dict[str, float]]

    def of(self, name: str) -> tuple[float | None, float | None, float | None]:
        """Standard error and interval of a parameter."""
        return self.intervals.get(name, (None, None, None))


def uncertainty(box: Box, at: Point, names: Sequence[str], absolute: bool, confidence: float) -> Uncertainty:
    """The uncertainty by the Jacobian at the minimum; a parameter that is held by its bound has none.

    Raises GradcliError, with their names, if the data do not determine some of the parameters.
    """
    free = box.free(at.x, at.slopes.T @ at.rest)
    dof = len(at.residuals) - len(names) + box.fixed
    loose = [name for name, is_free in zip(names, free, strict=True) if is_free]
    if not loose:
        return Uncertainty(None, {}, {})
    jacobian = at.slopes[:, free]
    scale = columns(jacobian)
    _, values, right = np.linalg.svd(jacobian / scale, full_matrices=False)
    _check(values, right, loose, dict(zip(names, at.x.tolist(), strict=True)))
    if dof == 0 and not absolute:
        return Uncertainty(None, {}, {})
    spread = 1.0 if absolute else at.squares / dof
    half = right.T / values / scale[:, None]  # covariance = half @ half.T, without squaring the singular values
    errors = np.sqrt((half * half).sum(axis=1))
    unit = half / errors[:, None]
    together = unit @ unit.T
    np.fill_diagonal(together, 1.0)
    correlations = _correlations(loose, together)
    errors = errors * math.sqrt(spread)
    intervals = _intervals(loose, at.x[free], errors, _quantile(confidence, math.inf if absolute else dof))
    covariance = np.zeros((len(names), len(names)))
    covariance[np.ix_(free, free)] = half @ half.T * spread
    return Uncertainty(covariance, intervals, correlations)


def _check(values: Vector, right: Vector, names: list[str], point: dict[str, float]) -> None:
    """Raise GradcliError if a direction among the parameters changes nothing."""
    idle = values <= SINGULAR * values[0]
    if not idle.any():
        return
    blame = [name for name, share in zip(names, abs(right[idle]).max(axis=0), strict=True) if share > SHARE]
    at = ", ".join(f"{name}={rounded(number)}" for name, number in point.items())
    what = f"{' and '.join(blame)}: only a combination of them" if len(blame) > 1 else blame[0]
    hint = "write the model with fewer parameters, or start elsewhere"
    raise GradcliError(f"the data do not determine {what} (the Jacobian is singular at {at})", hint=hint)


def _correlations(names: list[str], matrix: Vector) -> dict[str, dict[str, float]]:
    return {name: dict(zip(names, row, strict=True)) for name, row in zip(names, matrix.tolist(), strict=True)}


def _intervals(names: list[str], at: Vector, errors: Vector, times: float) -> dict[str, tuple[float, float, float]]:
    pairs = zip(names, at.tolist(), errors.tolist(), strict=True)
    return {name: (error, x - times * error, x + times * error) for name, x, error in pairs}


def _quantile(confidence: float, dof: float) -> float:
    """Of Student's t, or of the normal distribution for infinitely many degrees of freedom."""
    from scipy.special import ndtri, stdtrit

    tail = (1 + confidence) / 2
    return float(ndtri(tail) if math.isinf(dof) else stdtrit(dof, tail))
