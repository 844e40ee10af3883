"""A curve with its derivatives, or the contours of a function of two variables, in the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from rich.text import Text

from gradcli.calculus.breaks import Point
from gradcli.calculus.curve import Curve
from gradcli.calculus.field import Field
from gradcli.text import rounded

from .canvas import DASHED, DOTTED, SOLID, Canvas, Limits, framed, room, title, to_digits, told_apart
from .style import ACCENT, DATA, GRAD, HEIGHTS, QUIET, THIRD

LINES = (("━ ", DATA, SOLID), ("╍ ", GRAD, DASHED), ("┈ ", THIRD, DOTTED))  # of f, f' and f''
LARGEST = 4e307  # height: a picture of more would overflow
MOST = 6  # zeros, extrema or poles that are listed by number
ARROWS = "→↗↑↖←↙↓↘"


def limits(curve: Curve, low: float, high: float, order: int) -> Limits:
    """The limits of the picture: those of the curve, and of its derivatives, as far as they do not make it small."""
    bottom, top = (max(-LARGEST, min(LARGEST, y)) for y in curve.height)
    tall = top - bottom or max(abs(top), 1.0)
    lowest, highest = max(-LARGEST, bottom - tall), min(LARGEST, top + tall)
    for i in range(1, order + 1):
        slopes = [point.y[i] for point in points_of(curve) if math.isfinite(point.y[i])]
        if max([top, *slopes]) / 5 - min([bottom, *slopes]) / 5 > tall:
            slopes = [y for y in slopes if lowest <= y <= highest]
        bottom, top = min([bottom, *slopes]), max([top, *slopes])
    bottom, top = max(-LARGEST, bottom), min(LARGEST, top)
    margin = 0.04 * (top - bottom) or 0.1 * max(abs(top), 1.0)
    return Limits(low, high, bottom - margin, top + margin)


def points_of(curve: Curve) -> Iterator[Point]:
    """The points of all its pieces."""
    return chain.from_iterable(curve.pieces)


def cut_off(curve: Curve, view: Limits, order: int) -> dict[int, tuple[float, float]]:
    """The function (0) and the derivatives (1, 2) that go beyond the picture, with their lowest and highest value."""
    found = {}
    for i in range(order + 1):
        values = [point.y[i] for point in points_of(curve) if point.y[i] == point.y[i]]
        if values and (min(values) < view.bottom or max(values) > view.top):
            found[i] = min(values), max(values)
    return found


def curve_picture(curve: Curve, low: float, high: float, order: int, name: str, width: int | None, precision: int) -> Iterator[Text]:  # fmt: skip
    """f and its derivatives up to `order`, the zeros and the extrema marked, and a list of them below."""
    view = limits(curve, low, high, order)
    canvas = Canvas(*room(width), view)
    canvas.line([(low, 0.0), (high, 0.0)], QUIET, DOTTED)
    for i in range(order, -1, -1):
        for piece in curve.pieces:
            canvas.line([(point.x, point.y[i]) for point in piece if math.isfinite(point.y[i])], *LINES[i][1:])
    for x in curve.zeros:
        canvas.text(x, 0.0, "○", ACCENT)
    for extremum in curve.extrema:
        canvas.text(extremum.x, extremum.value, "●", ACCENT)
    yield title([(mark + "f" + "'" * i, style) for i, (mark, style, _) in enumerate(LINES[: order + 1])])
    yield from framed(canvas)
    yield from _listed(curve, name, width, precision)
    yield from _left_out(curve, view, order, name, precision)


def _listed(curve: Curve, name: str, width: int | None, precision: int) -> Iterator[Text]:
    kinds = {
        "○ zeros": told_apart(curve.zeros, precision, rounded),
        "● minima": _turns(curve, "minimum", precision),
        "● maxima": _turns(curve, "maximum", precision),
        "  poles": told_apart(curve.poles, precision, rounded),
        "  jumps": told_apart(curve.jumps, precision, rounded),
        "  too large at": told_apart(curve.overflows, precision, rounded),
    }
    for kind, texts in kinds.items():
        if texts:
            rest = f", and {len(texts) - MOST} more" if len(texts) > MOST else ""
            where = " " if kind.startswith("●") else f" {name} = "
            yield from _rows(f"{kind}{where}{', '.join(texts[:MOST])}{rest}", len(kind), width)


def _rows(text: str, marked: int, width: int | None) -> Iterator[Text]:
    """A text on as many rows as the width asks for, the first characters of it in colour."""
    from textwrap import wrap

    rows = wrap(text, width, subsequent_indent="    ", drop_whitespace=True) if width else [text]
    for number, row in enumerate(rows):
        line = Text(row)
        if number == 0:
            line.stylize(ACCENT, 0, marked)
        yield line


def _turns(curve: Curve, kind: str, precision: int) -> list[str]:
    turns = [turn for turn in curve.extrema if turn.kind == kind]
    places = told_apart([turn.x for turn in turns], precision, rounded)
    return [f"{rounded(turn.value, precision)} at {x}" for turn, x in zip(turns, places, strict=True)]


def _left_out(curve: Curve, view: Limits, order: int, name: str, precision: int) -> Iterator[Text]:
    """The sentences on what the picture and the list do not show."""
    endless = bool(curve.poles or curve.overflows)
    for i, (lowest, highest) in cut_off(curve, view, order).items():
        ends = "" if endless else f" ({' to '.join(told_apart(sorted({lowest, highest}), precision))})"
        yield Text(f"  cut off: f{chr(39) * i}{ends}", style=QUIET)
    if curve.fast:
        ranges = [f"{to_digits(a, 3)} to {to_digits(b, 3)}" for a, b in curve.fast[:2]]
        rest = f", and {len(curve.fast) - 2} more" if len(curve.fast) > 2 else ""
        yield Text(f"  too fast to draw: {name} = {', '.join(ranges)}{rest}", style=QUIET)


# ----------------------------------------------------------------------------------- two variables


def levels(field: Field, most: int = 9) -> list[float]:
    """The heights of the contours: evenly by the share of the plane below them, so that a pole does not take them all."""
    heights = sorted([value for row in field.values for value in row if math.isfinite(value)])
    if not heights or heights[0] == heights[-1]:
        return []
    return sorted({heights[round((i + 0.5) / most * (len(heights) - 1))] for i in range(most)})


def contours(field: Field, level: float) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The pieces of the line at a height: in each cell of the grid between the edges that it crosses."""
    for j in range(len(field.ys) - 1):
        for i in range(len(field.xs) - 1):
            corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            heights = [field.values[b][a] - level for a, b in corners]
            if not all(map(math.isfinite, heights)) or min(heights) >= 0 or max(heights) < 0:
                continue
            points = [(field.xs[a], field.ys[b]) for a, b in corners]
            crossed = [_crossing(points, heights, k) for k in range(4) if (heights[k] < 0) != (heights[k - 1] < 0)]
            yield from zip(crossed[::2], crossed[1::2], strict=True)


def _crossing(points: Sequence[tuple[float, float]], heights: Sequence[float], k: int) -> tuple[float, float]:
    share = heights[k] / (heights[k] - heights[k - 1])
    (x, y), (x0, y0) = points[k], points[k - 1]
    return x + share * (x0 - x), y + share * (y0 - y)


def field_picture(field: Field, names: tuple[str, str], width: int | None, precision: int) -> Iterator[Text]:
    """Contours, drawn the finer the higher, and arrows that point where the function grows fastest."""
    canvas = Canvas(*room(width), Limits(field.xs[0], field.xs[-1], field.ys[0], field.ys[-1]))
    heights = levels(field)
    for number, level in enumerate(heights):
        style = HEIGHTS[number * len(HEIGHTS) // len(heights)]
        for line in contours(field, level):
            canvas.line(line, style)
    _arrows(canvas, field)
    shown = [value for row in field.values for value in row if math.isfinite(value)] or [math.nan]
    lowest, *_, highest = told_apart([min(shown), max(shown)], precision)
    yield title([(f"{names[0]} → {names[1]} ↑", QUIET), (f"from {lowest} to {highest}", ""), ("arrows uphill", ACCENT)])
    yield from framed(canvas)
    yield from _rows("contours at " + ", ".join(told_apart(heights, min(precision, 4))), 0, width)


def _arrows(canvas: Canvas, field: Field, apart: int = 7) -> None:
    """Arrows in cells `apart` from each other, as steep as they look on the screen."""
    left, right, bottom, top = canvas.limits
    to_x, to_y = _scaled(right - left, canvas.width), _scaled(top - bottom, 2 * canvas.height)
    for row in range(1, canvas.height, max(2, apart // 2)):
        for column in range(apart // 2, canvas.width, apart):
            i = round((column + 0.5) / canvas.width * (len(field.xs) - 1))
            j = round((1 - (row + 0.5) / canvas.height) * (len(field.ys) - 1))
            by_x, by_y = field.gradients[j][i]
            across, up = by_x / to_x(1.0), by_y / to_y(1.0)
            if math.isfinite(across) and math.isfinite(up) and (across or up):
                canvas.put(column, row, ARROWS[round(math.atan2(up, across) / (math.pi / 4)) % 8], ACCENT)


def _scaled(length: float, cells: int) -> Callable[[float], float]:
    return lambda number: number * cells / length
