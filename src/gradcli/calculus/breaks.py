"""The cuts of a curve: poles, jumps and holes between two neighbouring samples of a function."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

HALVINGS = 60  # of an interval between two samples: then its ends are neighbours


class Point(NamedTuple):
    """x, and the function with its derivatives there: `y[0]` is f, `y[1]` f', `y[2]` f''."""

    x: float
    y: tuple[float, ...]

    @property
    def finite(self) -> bool:
        """True if the function has a finite value there."""
        return math.isfinite(self.y[0])


class Break(NamedTuple):
    """A cut of a curve. `kind` is "pole" where it grows without bound, "overflow" where binary64 ends, "jump", or "edge"."""

    x: float
    kind: str


At = Callable[[float], Point]


def middle_of(a: float, b: float) -> float:
    """The number half way between two, without overflow."""
    return a / 2 + b / 2


def _shorter(a: float, b: float) -> float:
    """The number that is written shorter: 1, and not its neighbour."""
    return min(a, b, key=lambda number: len(repr(number)))


def cuts(at: At, left: Point, right: Point, scale: float, depth: int = 12) -> Iterator[Point | Break]:
    """The cuts between two points, in order, each with the points beside it.

    `scale` is the height of the curve: jumps of less than a fiftieth of it are not looked for.
    """
    if not left.finite and not right.finite:
        return
    if not left.finite or not right.finite:
        yield from _edge(at, left, right, scale)
        return
    a, b = _suspect(at, left, right, scale) if depth else (left, left)
    if not a.finite or not b.finite:
        hole = b if a.finite else a
        yield from [*_edge(at, left, hole, scale), *_edge(at, hole, right, scale)]
    elif a.x != b.x:
        pole = any(_diverges(at, near.x, far.x - near.x, scale) for near, far in ((a, left), (b, right)))
        if pole or abs(b.y[0] - a.y[0]) > scale / 50:
            levels = 0 if pole else depth - 1  # of halving: a jump may have others beside it
            yield from [*cuts(at, left, a, scale, levels), a, Break(_shorter(a.x, b.x), "pole" if pole else "jump"), b]
            yield from cuts(at, b, right, scale, levels)


def _edge(at: At, left: Point, right: Point, scale: float) -> Iterator[Point | Break]:
    """The end of the range in which the function is finite, between a point inside and one outside of it."""
    inside, outside = (left, right) if left.finite else (right, left)
    far = inside.x
    for _ in range(HALVINGS):
        middle = at(middle_of(inside.x, outside.x))
        inside, outside = (middle, outside) if middle.finite else (inside, middle)
    cut = Break(outside.x, _end(at, inside, outside, far, scale))
    yield from (inside, cut) if left.finite else (cut, inside)


def _end(at: At, inside: Point, outside: Point, far: float, scale: float) -> str:
    """The kind of an end: an overflow stays infinite beyond it, a pole is infinite in one point, or grows towards it."""
    if not math.isinf(outside.y[0]):
        return "pole" if _diverges(at, inside.x, far - inside.x, scale) else "edge"
    beyond = at(outside.x + (outside.x - far) * 2.0**-12)
    return "overflow" if beyond.y[0] == outside.y[0] else "pole"


def _suspect(at: At, left: Point, right: Point, scale: float) -> tuple[Point, Point]:
    """The neighbours between which the curve may be cut: two points (one without a value, for a hole), or one twice."""
    width, rise = right.x - left.x, right.y[0] - left.y[0]
    first, last = left.y[1] * width, right.y[1] * width
    if first * last < 0 and min(abs(first), abs(last)) > scale / 2:  # steep, and it turns: a pole, or a narrow peak
        return _halved(at, left, right, lambda a, middle, b: middle.y[1] * left.y[1] <= 0, 0.0)
    if abs(rise) > scale / 50 and not abs(rise - (first + last) / 2) < abs(rise) / 4:  # not as the slopes predict
        return _halved(at, left, right, lambda a, m, b: abs(m.y[0] - a.y[0]) >= abs(b.y[0] - m.y[0]), abs(rise) / 8)
    return left, left


def _halved(at: At, left: Point, right: Point, in_first: Callable[[Point, Point, Point], bool], enough: float) -> tuple[Point, Point]:  # fmt: skip
    """Halve an interval until its ends are neighbours, or there is a hole between, or it rises less than `enough`."""
    for _ in range(HALVINGS):
        middle = at(middle_of(left.x, right.x))
        if not middle.finite:
            return left, middle
        left, right = (left, middle) if in_first(left, middle, right) else (middle, right)
        if abs(right.y[0] - left.y[0]) < enough:
            return left, left
    return left, right


def _diverges(at: At, x: float, step: float, scale: float) -> bool:
    """True if the function grows without bound towards x, seen from x + step.

    Towards a pole (a logarithm's too) it grows no less on the second stretch than on the first, and above all heights
    of the curve; towards an edge, a cusp or a jump it hardly moves any more, and an oscillation keeps within its heights.
    """
    far, near, close = (at(x + step * part).y[0] for part in (1, 2.0**-12, 2.0**-24))
    return abs(close - near) > abs(near - far) / 2 > 0 and abs(at(x).y[0] - far) > 3 * scale
