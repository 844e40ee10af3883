"""A function of one variable as a curve: sampled where it bends, cut where it jumps, with its zeros and extrema.

    curve = sample("x^3 - x", "x", -2, 2)
    curve.pieces      # lists of points that belong together; between two of them is a pole, a jump or a gap
    curve.zeros, curve.extrema

Zeros and extrema are found by Newton's method on the exact derivatives, inside an interval where the sign changes.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from gradcli.autodiff.adjoint import successive
from gradcli.autodiff.engine import reported
from gradcli.autodiff.simplify import simplify
from gradcli.autodiff.tape import Tape, replay
from gradcli.language.parser import parse
from gradcli.language.ranges import evenly

from .breaks import HALVINGS, At, Break, Point, cuts, middle_of
from .resolve import Samples, quantiles, resolved, spread

DENSE = 4000  # points of a piece, which are more than can be seen
KINDS = ("pole", "jump", "overflow")  # of cuts that are listed
FINE = 0.002  # of the height: how far a curve may be from its drawing


class Extremum(NamedTuple):
    """A place where the curve turns. `kind` is "minimum" or "maximum"."""

    x: float
    value: float
    kind: str


class Curve(NamedTuple):
    """A curve as drawn: its pieces in order, each a list of points; its zeros, extrema, poles and jumps by x.

    overflows  where its values become too large for binary64
    fast       the ranges in which it changes too fast: zeros, extrema and jumps in them are not listed
    height     the lowest and the highest value to show; around poles it leaves the largest out
    """

    pieces: list[list[Point]]
    zeros: list[float]
    extrema: list[Extremum]
    poles: list[float]
    jumps: list[float]
    overflows: list[float]
    fast: list[tuple[float, float]]
    height: tuple[float, float]


def function(formula: str | Tape, name: str, bindings: Mapping[str, float], order: int = 2) -> At:
    """A function from x to the point of a curve: f and its derivatives by `name` up to `order`, all from one tape."""
    tape = simplify(formula if isinstance(formula, Tape) else parse(formula, {name, *bindings}))
    derivatives, lines = successive(tape, name, order)

    def at(x: float) -> Point:
        numbers = replay(derivatives, {**bindings, name: x})
        value, *slopes = [numbers[line] for line in lines]
        return Point(x, (value, *[reported(value, slope) for slope in slopes]))

    return cache(at)


def sample(formula: str | Tape, name: str, low: float, high: float, bindings: Mapping[str, float] | None = None, count: int = 400) -> Curve:  # fmt: skip
    """The curve of a formula of `name` from low to high, from `count` even points and more where it bends.

    The other variables have their values in `bindings`. Raises ParseError for a text that is not in the language.
    """
    at = function(formula, name, bindings or {})
    even = [at(x) for x in evenly(low, high, count)]
    scale = spread(even)
    least, most = quantiles(even, 0.0)
    samples = resolved(at, even, max(scale, 1e-4 * most - 1e-4 * least))
    items: list[Point | Break] = [samples.points[0]]
    for index, (left, right) in enumerate(pairwise(samples.points)):
        odd = index in samples.odd or not (left.finite and right.finite)
        items += [*(cuts(at, left, right, scale) if odd else ()), right]
    found = {
        kind: _apart([i.x for i in items if isinstance(i, Break) and i.kind == kind], high - low) for kind in KINDS
    }
    fast = _ranges(samples)
    pieces = [_bent(at, piece) for piece in _pieces(items)]
    extrema = [one for piece in pieces for one in _extrema(at, piece) if not _within(one.x, fast)]
    height = _height(even, pieces, extrema, bool(found["pole"]))
    level = 1e-13 * (height[1] - height[0])
    clear = [extremum.x for extremum in extrema if abs(extremum.value) > level]
    pieces = [_smooth(at, _with(at, piece, clear), height) for piece in pieces]
    touching = [extremum.x for extremum in extrema if abs(extremum.value) <= level]
    zeros = [x for piece in pieces for x in _zeros(at, piece) if not _within(x, fast)] + touching
    zeros += [x for x in found["jump"] if at(x).y[0] == 0]
    return Curve(
        pieces, _apart(zeros, high - low), extrema, found["pole"], found["jump"], found["overflow"], fast, height
    )


def _ranges(samples: Samples) -> list[tuple[float, float]]:
    """The ranges that the pairs of samples make which are too fast; those that nearly touch are one."""
    near = (samples.points[-1].x - samples.points[0].x) / 200
    ranges: list[tuple[float, float]] = []
    for index in sorted(samples.fast):
        left, right = samples.points[index].x, samples.points[index + 1].x
        joined = ranges and left - ranges[-1][1] <= near
        ranges[-1:] = [(ranges[-1][0], right)] if joined else [*ranges[-1:], (left, right)]
    return ranges


def _within(x: float, ranges: list[tuple[float, float]]) -> bool:
    index = bisect_right(ranges, (x, math.inf)) - 1
    return index >= 0 and x <= ranges[index][1]


def _bent(at: At, piece: list[Point]) -> list[Point]:
    """The piece with a point more where f' turns and may reach 0: there f turns twice between two points."""
    more = []
    for left, right in _changes(piece, 2):
        width, sign = right.x - left.x, left.y[1]
        ahead, back = left.y[1] + left.y[2] * width, right.y[1] - right.y[2] * width
        if right.y[1] * sign > 0 and min(ahead * sign, back * sign) < 0:
            more.append(_halved(at, left, right).x)
    return _with(at, piece, more)


def _halved(at: At, left: Point, right: Point) -> Point:
    """The point between two where f' turns, or one before it where f' has another sign than at both."""
    sign, bend = left.y[1], left.y[2]
    middle = left
    for _ in range(HALVINGS):
        middle = at(middle_of(left.x, right.x))
        if middle.y[1] * sign < 0:
            break
        left, right = (middle, right) if middle.y[2] * bend > 0 else (left, middle)
    return middle


def _with(at: At, piece: list[Point], places: list[float]) -> list[Point]:
    """The piece with more points: beside an extremum beyond 0 there is a zero on either side."""
    inside = [at(x) for x in places if piece[0].x < x < piece[-1].x]
    return sorted({point.x: point for point in [*piece, *inside]}.values())


def _height(even: list[Point], pieces: list[list[Point]], extrema: list[Extremum], poles: bool) -> tuple[float, float]:  # fmt: skip
    """The lowest and highest value to show: of all, or where there are poles of most of the curve, and half as much again."""
    if not poles:
        values = [point.y[0] for piece in pieces for point in piece] + [extremum.value for extremum in extrema]
        return min(values, default=0.0), max(values, default=0.0)
    low, high = quantiles(even, 0.15)
    least, most = quantiles(even, 0.0)
    margin = (high - low) / 2 or 1.0
    return max(least, low - margin), min(most, high + margin)


def _pieces(items: list[Point | Break]) -> list[list[Point]]:
    pieces: list[list[Point]] = [[]]
    for item in items:
        if isinstance(item, Break) or not item.finite:
            pieces.append([])
        else:
            pieces[-1].append(item)
    return [piece for piece in pieces if piece]


def _apart(numbers: list[float], width: float) -> list[float]:
    """The numbers in order, without those that are the same up to rounding; what is nearly 0 is 0."""
    apart: list[float] = []
    for number in sorted(0.0 if abs(number) < 1e-14 * width else number for number in numbers):
        if not apart or number - apart[-1] > 1e-9 * width:
            apart.append(number)
    return apart


def _smooth(at: At, piece: list[Point], height: tuple[float, float], depth: int = 6) -> list[Point]:
    """The piece with more points where it bends, as far as it can be seen."""
    low, high = height
    for _ in range(depth if len(piece) < DENSE else 0):
        finer = piece[:1]
        for left, right in pairwise(piece):
            seen = min(left.y[0], right.y[0]) <= high and max(left.y[0], right.y[0]) >= low
            middle = at(middle_of(left.x, right.x)) if seen else left
            off = abs(middle.y[0] - middle_of(left.y[0], right.y[0]))
            finer += [middle, right] if seen and FINE * (high - low) < off < math.inf else [right]
        if len(finer) == len(piece):
            break
        piece = finer
    return piece


# ------------------------------------------------------------------------------ zeros and extrema


def _zeros(at: At, piece: list[Point]) -> Iterator[float]:
    for left, right in _changes(piece, 0):
        yield _root(at, left, right, 0).x
    for end, inner in ((piece[0], piece[1:2]), (piece[-1], piece[-2:-1])):
        if end.y[0] == 0 and inner and inner[0].y[0] != 0:
            yield end.x


def _extrema(at: At, piece: list[Point]) -> Iterator[Extremum]:
    for left, right in _changes(piece, 1):
        turn = _root(at, left, right, 1)
        turn = at(0.0) if left.x < 0 < right.x and abs(turn.x) < 1e-14 * (right.x - left.x) else turn
        value = turn.y[0]
        moved = max(abs(value - left.y[0]), abs(value - right.y[0]))
        if moved > 1e-13 * max(abs(value), abs(left.y[0])):  # else it is level, and the sign is rounding
            yield Extremum(turn.x, value, "maximum" if left.y[1] > 0 else "minimum")


def _changes(piece: list[Point], order: int) -> Iterator[tuple[Point, Point]]:
    """The pairs of points with opposite signs of f or f', at most one 0 between them."""
    last: Point | None = None
    zeros = 0
    for point in piece:
        number = point.y[order]
        if number == 0:
            zeros += 1
            continue
        if last is not None and zeros < 2 and (last.y[order] < 0) != (number < 0):
            yield last, point
        last, zeros = (point if number == number else None), 0


def _root(at: At, left: Point, right: Point, order: int) -> Point:
    """The point where f or f' is 0, between two of opposite signs: Newton's steps, and halving where one leads outside."""
    rising = left.y[order] < 0
    best = left if abs(left.y[order]) < abs(right.y[order]) else right
    for _ in range(2 * HALVINGS):
        slope = best.y[order + 1]
        x = best.x - best.y[order] / slope if slope else math.nan
        if not left.x < x < right.x:
            x = middle_of(left.x, right.x)
        best = at(x)
        if best.y[order] == 0 or not left.x < x < right.x:
            break
        left, right = (best, right) if (best.y[order] < 0) == rising else (left, best)
    return best
