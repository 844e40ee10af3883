"""Starting points of a fit, when one start is not enough."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .bounds import Box

if TYPE_CHECKING:
    from .vectors import Vector


def starting_points(given: Vector, box: Box, count: int, seed: int) -> Iterator[Vector]:
    """The given point, and count - 1 others, drawn between two bounds and otherwise in powers of ten around it.

    The same seed draws the same points on every machine.
    """
    yield given
    draw = random.Random(seed)
    limits = list(zip(given.tolist(), box.low.tolist(), box.high.tolist(), strict=True))
    for _ in range(count - 1):
        yield box.clip(np.array([_drawn(draw, *limit) for limit in limits]))


def _drawn(draw: random.Random, given: float, low: float, high: float) -> float:
    if math.isfinite(low) and math.isfinite(high):
        if 0 < low < high / 100:  # over powers of ten the logarithm is what is drawn evenly
            return math.exp(draw.uniform(math.log(low), math.log(high)))
        return draw.uniform(low, high)
    if given == 0:
        return draw.gauss(0.0, 1.0)
    sign = -1 if draw.random() < 0.2 else 1
    return float(sign * given * 10 ** draw.gauss(0.0, 0.7))
