"""The trust region of a quadratic model: the heart of Newton's method and of the fit.

The model is believed within a ball. In the coordinates of its eigenvectors it falls apart into parabolas, and the best
step of limited length is found with a single number: a shift that is added to every curvature.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .vectors import Vector

ENOUGH = 0.1  # how far below the radius a step may end that was to reach it, as a share


def length(vector: Vector) -> float:
    """The Euclidean length."""
    return math.sqrt(float(vector @ vector))


def shifted_step(curvatures: Vector, slopes: Vector, shift: float) -> Vector:
    """The p (axes,) at which slopes*p + (curvatures + shift)*p^2/2 is stationary; 0 along an axis without a slope.

    So at the top of a saddle no step is taken: both ways are down, and nothing here says which is better.
    """
    with np.errstate(all="ignore"):
        return np.where(slopes == 0, 0.0, -slopes / (curvatures + shift))


def shift_within(curvatures: Vector, slopes: Vector, radius: float) -> float:
    """The shift with which the step is no longer than `radius`, and downhill along every axis."""
    if not slopes.any():
        return 0.0
    lowest = float(curvatures[slopes != 0].min())
    free = shifted_step(curvatures, slopes, 0.0)
    if lowest >= 0 and np.isfinite(free).all() and length(free) <= radius:
        return 0.0
    low = max(0.0, -lowest)
    shift = high = low + length(slopes) / radius
    for _ in range(100):
        step = shifted_step(curvatures, slopes, shift)
        size = length(step)
        if (1 - ENOUGH) * radius <= size <= radius or high - low <= 1e-14 * high:
            break
        low, high = (shift, high) if size > radius else (low, shift)
        shift = _nearer(curvatures, step, shift, radius)
        if not low < shift < high:
            shift = (low + high) / 2
    return shift


def _nearer(curvatures: Vector, step: Vector, shift: float, radius: float) -> float:
    """The shift of the next trial: Newton's method on 1/length, which is almost a straight line in the shift."""
    with np.errstate(all="ignore"):
        size = length(step)
        falls = (step * step / (curvatures + shift)).sum()
        return float(shift + (size / radius - 1) * size * size / falls)
