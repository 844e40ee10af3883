"""The pictures of `plot` as files, by matplotlib (the extra `plot`)."""

from __future__ import annotations

import math
from typing import Any

from gradcli.calculus.curve import Curve
from gradcli.calculus.field import Field
from gradcli.text import escape

from .plot import LARGEST, cut_off, levels, limits
from .sheet import families, saved, sheet

DPI = 120
FONT = "DejaVu Sans"  # comes with matplotlib


def curve_figure(curve: Curve, low: float, high: float, order: int, name: str, text: str, form: str) -> bytes:
    """f and its derivatives, the zeros and the extrema marked, as a file of that form: "png", "jpg", "pdf" or "svg"."""
    figure, axes = _axes(text)
    view = limits(curve, low, high, order)
    cut = cut_off(curve, view, order)
    for i, style in zip(range(order + 1), ("-", "--", ":"), strict=False):
        for number, piece in enumerate(curve.pieces):
            points = [(point.x, point.y[i]) for point in piece if abs(point.y[i]) <= LARGEST]
            label = "f" + "'" * i + (" (cut off)" if i in cut else "") if number == 0 else None
            axes.plot(*zip(*points, strict=True) if points else ([], []), style, color=f"C{i}", label=label)
    for x in curve.poles:
        axes.axvline(x, color="0.7", linewidth=0.8, linestyle=":")
    axes.axhline(0, color="0.5", linewidth=0.8)
    axes.plot(
        curve.zeros, [0.0] * len(curve.zeros), "o", color="C3", fillstyle="none", label="zeros" if curve.zeros else None
    )
    turns = [turn for turn in curve.extrema if abs(turn.value) <= LARGEST]
    places = [turn.x for turn in turns], [turn.value for turn in turns]
    axes.plot(*places, "o", color="C3", label="extrema" if turns else None)
    for start, end in curve.fast:
        axes.axvspan(start, end, color="0.9", label="too fast to draw" if start == curve.fast[0][0] else None)
    axes.set(xlim=(low, high), ylim=(view.bottom, view.top))
    axes.set_xlabel(name, parse_math=False, family=families(name, FONT))
    axes.legend()
    return saved(figure, form, DPI)


def field_figure(field: Field, names: tuple[str, str], text: str, form: str) -> bytes:
    """Contours, and the gradient as a field of arrows, as a file of that form: "png", "jpg", "pdf" or "svg"."""
    figure, axes = _axes(text)
    heights = levels(field, 12)
    if heights:
        drawn = axes.contour(field.xs, field.ys, field.values, levels=heights)
        axes.clabel(drawn, fontsize=7)
    step_x, step_y = max(1, len(field.xs) // 20), max(1, len(field.ys) // 16)
    xs, ys = field.xs[step_x // 2 :: step_x], field.ys[step_y // 2 :: step_y]
    rows = [row[step_x // 2 :: step_x] for row in field.gradients[step_y // 2 :: step_y]]
    unit = [[_unit(*gradient) for gradient in row] for row in rows]
    if any(x or y for row in unit for x, y in row):
        along, up = ([[gradient[i] for gradient in row] for row in unit] for i in (0, 1))
        axes.quiver(xs, ys, along, up, color="0.55", angles="xy", width=0.0025)
    axes.set_xlabel(names[0], parse_math=False, family=families(names[0], FONT))
    axes.set_ylabel(names[1], parse_math=False, family=families(names[1], FONT))
    return saved(figure, form, DPI)


def _unit(x: float, y: float) -> tuple[float, float]:
    """A vector of length 1 in the direction of (x, y): lengths of gradients differ too much to be drawn."""
    length = math.hypot(x, y)
    return (x / length, y / length) if 0 < length < math.inf else (0.0, 0.0)


def _axes(text: str) -> tuple[Any, Any]:
    figure = sheet(8, 5, layout="constrained")
    axes = figure.add_subplot()
    shown = escape(text if len(text) <= 70 else text[:69] + "…")
    axes.set_title(shown, parse_math=False, family=families(shown, FONT))
    return figure, axes
