"""One step that is not trusted further than a radius: the heart of Newton's method and of the fit.

A quadratic model of what is to be made small is believed within a ball. In the coordinates of its eigenvectors the
model falls apart into parabolas, and the step is that of one number: the shift that is added to every curvature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Vector = NDArray[float64]

ENOUGH = 0.1  # how far below the radius a step may end that was to reach it, as a share


def step_within(curvatures: Vector, slopes: Vector, radius: float) -> Vector:
    """The p with length at most `radius` that minimises the sum of slopes*p + curvatures*p^2/2.

    A curvature may be negative. Along an axis without a slope the step does not go, whatever the curvature: from the
    top of a saddle both ways are down, and nothing here says which is better.
    """
    import numpy as np

    lowest = float(curvatures.min())
    if lowest >= 0:
        free = _shifted(curvatures, slopes, 0.0)
        if np.linalg.norm(free) <= radius and np.isfinite(free).all():
            return free
    low = max(0.0, -lowest)
    high = low + float(np.linalg.norm(slopes)) / radius
    step = _shifted(curvatures, slopes, high)
    shift = high
    for _ in range(100):
        length = float(np.linalg.norm(step))
        if (1 - ENOUGH) * radius <= length <= radius * (1 + 1e-12) or high - low <= 1e-14 * high:
            break
        low, high = (shift, high) if length > radius else (low, shift)
        shift = _nearer(curvatures, step, shift, radius)
        if not low < shift < high:
            shift = (low + high) / 2
        step = _shifted(curvatures, slopes, shift)
    return step


def _shifted(curvatures: Vector, slopes: Vector, shift: float) -> Vector:
    import numpy as np

    with np.errstate(all="ignore"):
        return np.where(slopes == 0, 0.0, -slopes / (curvatures + shift))


def _nearer(curvatures: Vector, step: Vector, shift: float, radius: float) -> float:
    """The shift of the next trial: Newton's method on 1/length, which is almost a straight line in the shift."""
    import numpy as np

    with np.errstate(all="ignore"):
        length = np.linalg.norm(step)
        falls = (step * step / (curvatures + shift)).sum()
        return float(shift + (length / radius - 1) * length * length / falls)
