"""Samples of a function, close enough to each other that nothing it does between two of them is missed.

Two samples with their derivatives predict the one between them (the cubic of Hermite). Where the prediction fails, a
sample is taken there, and so on: an oscillation of any speed is found, or it is said where there were not enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .breaks import At, Point, middle_of

MOST = 30_000  # samples
LEVELS = 14  # of halving, after which what fails is a jump or a pole, or too fast
ALONE = 4  # neighbouring intervals that fail, at most, where it is one jump or pole
TURNS = 2  # up and down, at most, of what is steep and no oscillation: a pole turns twice
OFF, STEEP = 0.005, 0.05  # of the spread: how far the value, and the slope times the width, may be from the prediction


class Samples(NamedTuple):
    """Samples in order; the pairs of neighbours, by the index of the first, that hold a jump or a pole or are too fast."""

    points: list[Point]
    odd: set[int]
    fast: set[int]


def resolved(at: At, even: Sequence[Point], scale: float) -> Samples:
    """The samples, and as many more as it takes, for a function whose values spread over `scale`."""
    points, suspects = list(even), set(range(len(even) - 1))
    for _ in range(LEVELS):
        if not suspects or len(points) + len(suspects) > MOST:
            break
        points, suspects = _halved(at, points, suspects, scale)
    fast = {
        index for run in _runs(sorted(suspects)) if len(run) > ALONE and _turns(points, run) > TURNS for index in run
    }
    return Samples(points, suspects - fast, fast)


def _halved(at: At, points: list[Point], suspects: set[int], scale: float) -> tuple[list[Point], set[int]]:
    """The samples with one more in each suspect pair that fails to predict it, and the pairs that are suspect now."""
    finer, now = points[:1], set()
    for index, (left, right) in enumerate(pairwise(points)):
        middle = at(middle_of(left.x, right.x)) if index in suspects and (left.finite or right.finite) else None
        if middle is not None and left.x < middle.x < right.x and not _predicted(left, middle, right, scale):
            now |= {len(finer) - 1, len(finer)}
            finer.append(middle)
        finer.append(right)
    return finer, now


def _predicted(left: Point, middle: Point, right: Point, scale: float) -> bool:
    """True if the cubic through two points with their slopes meets the third, and has its slope."""
    if not (left.finite and right.finite):
        return False
    width, rise = right.x - left.x, right.y[0] - left.y[0]
    value = middle_of(left.y[0], right.y[0]) + width * (left.y[1] - right.y[1]) / 8
    slope = 1.5 * rise - width * (left.y[1] + right.y[1]) / 4
    return abs(middle.y[0] - value) <= OFF * scale and abs(width * middle.y[1] - slope) <= STEEP * scale


def _turns(points: list[Point], run: list[int]) -> int:
    """The number of turns of the function, as its samples show or as its slopes do, in neighbouring pairs of samples."""
    pairs = [(points[index], points[index + 1]) for index in run]
    rises = [right.y[0] > left.y[0] for left, right in pairs]
    slopes = [left.y[1] > 0 for left, _ in pairs]
    return max(sum(a != b for a, b in pairwise(signs)) for signs in (rises, slopes))


def _runs(numbers: list[int]) -> list[list[int]]:
    """The numbers in runs of successive ones."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def spread(points: list[Point]) -> float:
    """The spread of the samples, without the largest and smallest tenth; never less than rounding makes of it."""
    low, high = quantiles(points, 0.1)
    least, most = quantiles(points, 0.0)
    size = max(abs(least), abs(most))
    width = high - low if low < high else most - least
    return max(width, 1e-12 * size) if 0 < size < math.inf and width < math.inf else 1.0


def quantiles(points: list[Point], share: float) -> tuple[float, float]:
    """The lowest and the highest value, without a share of the values at either end."""
    values = sorted([point.y[0] for point in points if point.finite]) or [0.0]
    last = len(values) - 1
    return values[round(share * last)], values[round((1 - share) * last)]
