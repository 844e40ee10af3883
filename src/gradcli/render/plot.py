"""A curve with its derivatives, or the contours of a function of two variables, in the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from gradcli.calculus.curve import Curve, Extremum
from gradcli.calculus.field import Field
from gradcli.text import rounded

from .canvas import DASHED, DOTTED, SOLID, Canvas, Limits, framed, room, title
from .style import ACCENT, DATA, GRAD, HEIGHTS, QUIET, THIRD

LINES = (("━ ", DATA, SOLID), ("╍ ", GRAD, DASHED), ("┈ ", THIRD, DOTTED))  # of f, f' and f''
MOST = 6  # zeros, extrema or poles that are listed by number
ARROWS = "→↗↑↖←↙↓↘"


def limits(curve: Curve, low: float, high: float, order: int) -> Limits:
    """The limits of the picture: those of the curve, and of as much of its derivatives as does not make it small."""
    bottom, top = (max(-4e307, min(4e307, y)) for y in curve.height)  # a picture of more would overflow
    tall = top - bottom or max(abs(top), 1.0)
    slopes = [point.y[i] for piece in curve.pieces for point in piece for i in range(1, order + 1)]
    inside = [y for y in slopes if bottom - tall <= y <= top + tall]
    bottom, top = min([bottom, *inside]), max([top, *inside])
    margin = 0.04 * (top - bottom) or 0.1 * max(abs(top), 1.0)
    return Limits(low, high, bottom - margin, top + margin)


def curve_picture(curve: Curve, low: float, high: float, order: int, name: str, width: int | None, precision: int) -> Iterator[Text]:  # fmt: skip
    """f and its derivatives up to `order`, the zeros and the extrema marked, and a list of them below."""
    canvas = Canvas(*room(width), limits(curve, low, high, order))
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
    yield from _listed(curve, name, precision)


def _listed(curve: Curve, name: str, precision: int) -> Iterator[Text]:
    kinds = {
        "○ zeros": [rounded(x, precision) for x in curve.zeros],
        "● minima": [_at(turn, precision) for turn in curve.extrema if turn.kind == "minimum"],
        "● maxima": [_at(turn, precision) for turn in curve.extrema if turn.kind == "maximum"],
        "  poles": [rounded(x, precision) for x in curve.poles],
    }
    for kind, texts in kinds.items():
        if texts:
            rest = f", and {len(texts) - MOST} more" if len(texts) > MOST else ""
            where = f" {name} = " if kind in ("○ zeros", "  poles") else " "
            yield Text.assemble((kind, ACCENT), where, ", ".join(texts[:MOST]), (rest, QUIET))


def _at(turn: Extremum, precision: int) -> str:
    return f"{rounded(turn.value, precision)} at {rounded(turn.x, precision)}"


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
    lowest, highest = rounded(min(shown), precision), rounded(max(shown), precision)
    yield title([(f"{names[0]} → {names[1]} ↑", QUIET), (f"from {lowest} to {highest}", ""), ("arrows uphill", ACCENT)])
    yield from framed(canvas)
    yield Text("contours at " + ", ".join(rounded(level, min(precision, 4)) for level in heights), style=QUIET)


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
