"""Derivatives without derivatives: difference quotients with an error estimate, from values alone.

Nothing here knows the rules of the table; that is what makes it a check on them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import NamedTuple

EPS = sys.float_info.epsilon
FIRST, HALVINGS, LEVELS = (
    0.37,
    46,
    8,
)  # the largest step (not a round number, which may be a whole period), how often it is halved, columns
KINK_STEP = 6e-6  # relative; about the cube root of eps, where central differences are best
HALVED = 6  # how often a kink's step is halved
LOWEST, HIGHEST, STEADY = 0.75, 2.3, 0.2  # how the distance of the slopes goes on with a halving, and how evenly

Function = Callable[[float], float]


class Estimate(NamedTuple):
    """A derivative, and the error that it may have."""

    value: float
    error: float


def central(function: Function, x: float, noise: float = 0.0) -> Estimate:
    """The derivative of `function` at x by central differences, extrapolated to step 0 (Richardson).

    All steps from 0.37 × max(|x|, 1) downwards by halves are tried; from each start the Neville table over the next
    eight gives an estimate with an error (the distance to its neighbours, and the rounding of the quotients). The
    one with the smallest error is returned, unless smaller steps contradict it: steps of many periods can agree on
    something else. The error is inf where no step has a finite quotient. `noise` is the rounding error in the values
    of the function, where it is more than an ulp: sin(1e6*x) rounds its argument first.
    """
    quotients = [_quotient(function, x, step, noise) for step in _steps(x)]
    best = Estimate(math.nan, math.inf)
    for start in range(len(quotients)):
        estimate = _extrapolated(quotients[start : start + LEVELS])
        contradicts = abs(estimate.value - best.value) > 20 * (estimate.error + best.error)
        if estimate.error < best.error or contradicts:
            best = estimate
    return best


def _steps(x: float) -> list[float]:
    """The steps, largest first, for numbers of every size: those of |x| below 1 go on down to 1e-14 |x|."""
    largest, smallest = FIRST * max(abs(x), 1.0), 1e-14 * abs(x) if x else 1e-14
    count = min(1100, max(HALVINGS, math.ceil(math.log2(largest) - math.log2(smallest)) if smallest > 0 else HALVINGS))
    steps = [largest * 0.5**k for k in range(count)]
    return [step for step in steps if step > 0 and x + step != x]


def _quotient(function: Function, x: float, step: float, noise: float) -> Estimate:
    right, left = x + step, x - step
    above, below = function(right), function(left)
    width = right - left  # what the step really was
    return Estimate((above - below) / width, 2 * max(EPS * max(abs(above), abs(below)), noise) / width)


def _extrapolated(quotients: list[Estimate]) -> Estimate:
    """The best entry of the Neville table, as far as the quotients themselves converge.

    They must come closer to each other with every halving, or chance finds two alike in the noise of an oscillation.
    """
    best, row, change = Estimate(math.nan, math.inf), [0.0], math.inf
    for position, (value, rounding) in enumerate(quotients):
        before, row, last = row, [value], change
        change = abs(value - before[0]) if position else math.inf
        if not math.isfinite(value) or (position > 1 and change > 0.5 * last + 4 * rounding):
            break
        for column in range(1, position + 1):
            row.append(row[-1] + (row[-1] - before[column - 1]) / (4.0**column - 1))
            distance = max(abs(row[column] - row[column - 1]), abs(row[column] - before[column - 1]))
            if position > 1 and distance + 2 * rounding < best.error:
                best = Estimate(row[column], distance + 2 * rounding)
    return best


def sides(function: Function, x: float, step: float) -> tuple[float, float]:
    """The slopes to the left and to the right of x, each from three values."""
    middle = function(x)

    def slope(h: float) -> float:
        return (4 * function(x + h) - 3 * middle - function(x + 2 * h)) / (2 * h)

    return slope(-step), slope(step)


def is_end(function: Function, x: float) -> bool:
    """True if the function has finite values on only one side of x, however small the step."""
    if not math.isfinite(function(x)):
        return False
    steps = _shrinking(x, KINK_STEP)
    ends = [math.isfinite(function(x - step)) != math.isfinite(function(x + step)) for step in steps]
    return bool(steps) and all(ends)


def is_corner(function: Function, x: float, noise: float = 0.0) -> bool:
    """True if the slopes to the left and to the right of x differ, over six halvings of some step.

    Where the function is smooth on the scale of the step their distance shrinks with it; at a corner it stays, at a
    jump it doubles with every halving, at a cusp something between. Where a step holds whole waves it does none of
    these for six times in a row, and smaller steps are asked.
    """
    return any(_persists(function, x, step, noise) for step in _shrinking(x, KINK_STEP))


def _shrinking(x: float, largest: float) -> list[float]:
    """Six steps or fewer, each the 64th part of the one before."""
    steps = [largest * (abs(x) or 1.0) / 2.0 ** (HALVED * k) for k in range(6)]
    return [step for step in steps if x - step / 2**HALVED != x != x + step / 2**HALVED]


def _persists(function: Function, x: float, step: float, noise: float) -> bool:
    before, ratio = 0.0, 0.0
    for halved in range(HALVED + 1):
        jump, rounding = _jump(function, x, step / 2**halved, noise)
        if not abs(jump) > rounding:  # nor where it is nan
            return False
        last, ratio = ratio, jump / before if before else 0.0
        if (halved and not LOWEST < ratio < HIGHEST) or (halved > 1 and abs(ratio - last) > STEADY):
            return False
        before = jump
    return True


def _jump(function: Function, x: float, step: float, noise: float) -> tuple[float, float]:
    """The distance of the slopes to the right and to the left, and how much of it rounding may be."""
    left, right = sides(function, x, step)
    size = max(abs(function(x)), abs(function(x - 2 * step)), abs(function(x + 2 * step)))
    return right - left, 64 * max(EPS * size, noise) / step + 1e-5 * max(abs(left), abs(right))
