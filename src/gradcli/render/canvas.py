"""Pictures in a terminal: dots, two by four in each cell, with axes around them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import shortest

from .style import QUIET

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # the bits of a braille character, by row and column
Points = Sequence[tuple[float, float]]
SOLID, DASHED, DOTTED = (1, 0), (4, 4), (1, 3)  # dots drawn, dots left out


class Limits(NamedTuple):
    """The part of the plane that a picture shows."""

    left: float
    right: float
    bottom: float
    top: float


class Canvas:
    """A picture of `width` × `height` cells; where a text was put there are no dots."""

    def __init__(self, width: int, height: int, limits: Limits) -> None:
        self.width, self.height, self.limits = width, height, limits
        self._bits = [[0] * width for _ in range(height)]
        self._style = [[""] * width for _ in range(height)]
        self._text: dict[tuple[int, int], tuple[str, str]] = {}

    def position(self, x: float, y: float) -> tuple[float, float]:
        """The column and row of a point, in dots from the upper left corner, not rounded."""
        left, right, bottom, top = self.limits
        across = (x / 2 - left / 2) / (right / 2 - left / 2)  # halves: the whole range may overflow
        down = (top / 2 - y / 2) / (top / 2 - bottom / 2)
        return _clamped(across * (2 * self.width - 1)), _clamped(down * (4 * self.height - 1))

    def dot(self, column: int, row: int, style: str) -> None:
        if 0 <= column < 2 * self.width and 0 <= row < 4 * self.height:
            self._bits[row // 4][column // 2] |= _DOTS[row % 4][column % 2]
            self._style[row // 4][column // 2] = style

    def line(self, points: Points, style: str, dash: tuple[int, int] = SOLID) -> None:
        """Draw a line through points; the parts outside are left out."""
        drawn, left_out = dash
        count = 0
        last: tuple[int, int] | None = None
        dots = [self.position(x, y) for x, y in points]
        for (x0, y0), (x1, y1) in zip(dots, dots[1:] or dots, strict=False):
            for dot in self._between(x0, y0, x1, y1):
                if dot != last and count % (drawn + left_out) < drawn:
                    self.dot(*dot, style)
                count += dot != last
                last = dot

    def _between(self, x0: float, y0: float, x1: float, y1: float) -> Iterator[tuple[int, int]]:
        """The dots of a piece of line that are inside, one in each column or row of them."""
        clipped = _clip(x0, y0, x1, y1, 2 * self.width - 1, 4 * self.height - 1)
        if clipped is None:
            return
        x0, y0, x1, y1 = clipped
        steps = max(1, math.ceil(max(abs(x1 - x0), abs(y1 - y0))))
        for i in range(steps + 1):
            yield round(x0 + (x1 - x0) * i / steps), round(y0 + (y1 - y0) * i / steps)

    def text(self, x: float, y: float, text: str, style: str) -> None:
        """Put a character into the cell of a point, if it is inside."""
        column, row = self.position(x, y)
        if -0.5 <= column < 2 * self.width and -0.5 <= row < 4 * self.height:
            self.put(int(column + 0.5) // 2, int(row + 0.5) // 4, text, style)

    def put(self, column: int, row: int, text: str, style: str) -> None:
        """Put a character into a cell."""
        self._text[row, column] = text, style

    def rows(self) -> Iterator[Text]:
        """The lines of the picture, from the top."""
        for row in range(self.height):
            line = Text()
            for column in range(self.width):
                bits = self._bits[row][column]
                dots = chr(0x2800 + bits) if bits else " ", self._style[row][column]
                line.append(*self._text.get((row, column), dots))
            yield line


def _clamped(number: float) -> float:
    """The number, kept within ±1e9, so that nothing that is computed from it overflows."""
    return max(-1e9, min(1e9, number))


def _clip(x0: float, y0: float, x1: float, y1: float, right: float, bottom: float) -> tuple[float, ...] | None:
    """The part of a line inside 0..right × 0..bottom (Liang and Barsky), or None."""
    start, end = 0.0, 1.0
    dx, dy = x1 - x0, y1 - y0
    for step, room in ((-dx, x0), (dx, right - x0), (-dy, y0), (dy, bottom - y0)):
        if step == 0 and room < -0.5:
            return None
        if step < 0:
            start = max(start, room / step)
        elif step > 0:
            end = min(end, room / step)
    return (x0 + start * dx, y0 + start * dy, x0 + end * dx, y0 + end * dy) if start <= end else None


# ------------------------------------------------------------------------------------------------ axes


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` round numbers between two, a step of 1, 2 or 5 times a power of ten apart."""
    if not high > low or most < 1:
        return [low]
    raw = (high / most - low / most) or 5e-324
    power = 10.0 ** math.floor(math.log10(raw))
    step = next((power * factor for factor in (1, 2, 5, 10, 20) if _count(low, high, power * factor) <= most), raw)
    first = math.ceil(low / step - 1e-9)
    return [(first + i) * step + 0.0 for i in range(min(most, _count(low, high, step)))]


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """The logarithms of round numbers: 1, 2 and 5 times the powers of ten, or the powers alone, or some of them."""
    powers = range(math.floor(low), math.ceil(high) + 1)
    fine = [power + math.log10(factor) for power in powers for factor in (1, 2, 5)]
    for inside in ([tick for tick in fine if low <= tick <= high], [float(p) for p in powers if low <= p <= high]):
        if 2 <= len(inside) <= most:
            return inside
    return ticks(low, high, most)


def _count(low: float, high: float, step: float) -> int:
    return math.floor(high / step + 1e-9) - math.ceil(low / step - 1e-9) + 1 if step > 0 else 10**6


MOST_DIGITS = 10  # of a number at an axis; where more are needed, the numbers are counted from one that is said


class Scale(NamedTuple):
    """The texts of the ticks of an axis; they are counted from `origin`, which is "" for 0."""

    texts: list[str]
    origin: str = ""


def scale(ticks: Sequence[float]) -> Scale:
    """The ticks with as many digits as tell them apart."""
    apart = min((b - a for a, b in pairwise(ticks)), default=0.0)
    largest = max(map(abs, ticks), default=0.0)
    places = math.floor(math.log10(largest)) - math.floor(math.log10(apart) + 1e-9) + 1 if apart and largest else 4
    if places <= MOST_DIGITS:
        return Scale([to_digits(tick, max(1, places)) for tick in ticks])
    return Scale([to_digits(tick - ticks[0], 4) for tick in ticks], shortest(ticks[0]))


def to_digits(number: float, digits: int) -> str:
    """A number to so many significant digits."""
    return shortest(float(f"{number:.{min(digits, 17)}g}"))


def told_apart(numbers: Sequence[float], digits: int, write: Callable[[float, int], str] = to_digits) -> list[str]:
    """Numbers in order to so many significant digits, and to more where two neighbours would be written alike."""
    for more in range(digits, 17):
        texts = [write(number, more) for number in numbers]
        if len(set(texts)) == len(set(numbers)):
            return texts
    return [shortest(number) for number in numbers]


def framed(canvas: Canvas, *, log: bool = False) -> Iterator[Text]:
    """The canvas with numbers at its left and below. With `log` the heights are logarithms to base 10."""
    left, right, bottom, top = canvas.limits
    most = max(3, canvas.height // 3)
    marks = log_ticks(bottom, top, most) if log else ticks(bottom, top, most)
    up = Scale(told_apart([10.0**mark for mark in marks], 4)) if log else scale(marks)
    rows = [round(canvas.position(left, mark)[1]) // 4 for mark in marks]
    heights = dict(zip(rows, up.texts, strict=True))
    margin = max(map(len, heights.values()), default=0)
    for row, line in enumerate(canvas.rows()):
        label = heights.get(row, "")
        yield Text.assemble((label.rjust(margin), QUIET), (" ┤" if label else " │", QUIET), line)
    yield Text(f"{' ' * margin} └{'─' * canvas.width}", style=QUIET)
    marks = ticks(left, right, max(3, canvas.width // 12))
    across = scale(marks)
    yield Text(" " * (margin + 2) + _below(canvas, marks, across.texts), style=QUIET)
    origins = [f"{arrow} from {axis.origin}" for arrow, axis in (("→", across), ("↑", up)) if axis.origin]
    if origins:
        yield Text(f"{' ' * margin}  counted {', '.join(origins)}", style=QUIET)


def _below(canvas: Canvas, marks: Sequence[float], labels: Sequence[str]) -> str:
    """The numbers below the picture, each centred below its point as far as there is room."""
    line = ""
    for mark, label in zip(marks, labels, strict=True):
        column = round(canvas.position(mark, canvas.limits.bottom)[0]) // 2 - len(label) // 2
        column = max(0, min(column, canvas.width - len(label)))
        if column > len(line) or not line:
            line = line.ljust(column) + label
    return line


def room(width: int | None, margin: int = 14) -> tuple[int, int]:
    """Width and height in cells of a picture for a terminal of `width` cells."""
    wide = max(12, min((width or 80) - margin, 100))
    return wide, max(6, min(22, wide // 3))


def title(parts: Sequence[tuple[str, str]]) -> Text:
    """A line of texts in their styles, with room between."""
    line = Text()
    for i, (text, style) in enumerate(parts):
        line.append("   " if i and cell_len(text) else "")
        line.append(text, style=style)
    return line
