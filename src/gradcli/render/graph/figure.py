"""PNG and PDF: the same drawing as the SVG, by matplotlib (the extra `plot`), without Graphviz."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gradcli.trace.trace import Trace

from ..sheet import families, saved, scale, sheet
from .paints import ink, paint
from .picture import Picture, kinds, picture
from .shapes import HEAD, PAD, ROW, Rect, Shape, Shapes, link, shapes, starting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 72  # in an inch; a pixel of the drawing is a point on paper
SHARP = 2.0  # pixels of a PNG for each pixel of the drawing
MONO = "DejaVu Sans Mono"  # comes with matplotlib
ARC = 1 - 4 / 3 * (2**0.5 - 1)  # of the radius: where the curve that is nearest to a quarter of a circle is drawn to
_PIECE = re.compile(r"([MLCZ])([^MLCZ]*)")


def figure(trace: Trace, form: str, rankdir: str = "LR", precision: int = 6) -> bytes:
    """The graph as "png" or "pdf", from left to right (LR) or from top to bottom (TB)."""
    chart = picture(trace, precision)
    (drawn,) = shapes(chart, [rankdir])
    paper = sheet(drawn.width / POINTS, drawn.height / POINTS, facecolor=paint("paper")["fill"])
    sharp = scale(drawn.width, drawn.height, SHARP) if form == "png" else 1.0
    axes = paper.add_axes((0, 0, 1, 1), xlim=(0, drawn.width), ylim=(drawn.height, 0))
    axes.set_axis_off()
    Pen(axes, families("".join(_texts(chart, drawn)), MONO)).draw(chart, drawn)
    return saved(paper, form, POINTS * sharp)


def _texts(chart: Picture, drawn: Shapes) -> list[str]:
    return [text for shape in drawn.nodes for text in (shape.label, *[part for row in shape.rows for part in row])] + [
        node.op for node in chart.nodes
    ]


class Pen:
    """A pen that draws on axes, in which a unit is a pixel of the drawing, and writes in fonts."""

    def __init__(self, axes: Axes, fonts: list[str]) -> None:
        self.axes, self.fonts = axes, fonts

    def draw(self, chart: Picture, drawn: Shapes) -> None:
        """Draw the edges, and the nodes above them."""
        ids = {node.id: index for index, node in enumerate(chart.nodes)}
        for line in filter(None, drawn.lines):
            self._path("edge", "".join(line))
        for arrow, curve in zip(chart.arrows, drawn.curves, strict=True):
            start = starting(drawn.lines[ids[arrow.operand]][curve.shared - 1])
            self._path("edge", start + curve.branch)
            self._path("tip", curve.tip)
        for node, shape in zip(chart.nodes, drawn.nodes, strict=True):
            self._node(node.op, shape, kinds(node, chart))

    def _node(self, op: str, shape: Shape, groups: list[str]) -> None:
        x, y, width, _ = shape.box
        if shape.pill:
            self._path("edge", link(shape.pill, shape.box))
            self._rect("pill", shape.pill, shape.pill[3] / 2)
            self._text("sign", shape.pill[0] + shape.pill[2] / 2, shape.pill[1] + shape.pill[3] / 2 + 5, op)
        self._rect("box", shape.box, 6, *groups)
        self._text("label", x + width / 2, y + HEAD / 2 + 5, shape.label)
        if shape.rows:
            self._path("rule", f"M{x} {y + HEAD}L{x + width} {y + HEAD}")
        for index, (name, number) in enumerate(shape.rows):
            below = y + HEAD + ROW * (index + 1) - 2
            self._text("name", x + PAD, below, name)
            self._text(ink(name), x + width - PAD, below, number)

    def _path(self, thing: str, data: str, *groups: str) -> None:
        from matplotlib.patches import PathPatch

        self.axes.add_patch(PathPatch(_path(data), **_look(thing, *groups)))

    def _rect(self, thing: str, rect: Rect, radius: float, *groups: str) -> None:
        self._path(thing, _rounded(rect, radius), *groups)

    def _text(self, thing: str, x: float, y: float, text: str) -> None:
        look = paint(thing)
        self.axes.text(
            x,
            y,
            text,
            color=look["fill"],
            family=self.fonts,
            fontsize=float(look["font-size"]),
            fontweight="bold" if "font-weight" in look else "normal",
            horizontalalignment={"middle": "center", "end": "right"}.get(look.get("text-anchor", ""), "left"),
            verticalalignment="baseline",
            parse_math=False,
        )


def _look(thing: str, *groups: str) -> dict[str, Any]:
    """The attributes of SVG in matplotlib's words; its dashes are counted in widths of the line."""
    look = paint(thing, *groups)
    width = float(look.get("stroke-width", 1))
    dashes = tuple(float(length) / width for length in look.get("stroke-dasharray", "").split())
    return {
        "facecolor": look.get("fill", "none"),
        "edgecolor": look.get("stroke", "none"),
        "linewidth": width,
        "linestyle": (0, dashes) if dashes else "-",
    }


def _rounded(rect: Rect, radius: float) -> str:
    """The outline of a rectangle with round corners, as path data."""
    x, y, width, height = rect
    right, bottom, near = x + width, y + height, radius * ARC
    return (
        f"M{x + radius} {y}L{right - radius} {y}C{right - near} {y} {right} {y + near} {right} {y + radius}"
        f"L{right} {bottom - radius}C{right} {bottom - near} {right - near} {bottom} {right - radius} {bottom}"
        f"L{x + radius} {bottom}C{x + near} {bottom} {x} {bottom - near} {x} {bottom - radius}"
        f"L{x} {y + radius}C{x} {y + near} {x + near} {y} {x + radius} {y}Z"
    )


def _path(data: str) -> Any:
    """Path data of SVG, in absolute M, L, C and Z, as a path of matplotlib."""
    from matplotlib.path import Path

    code = {"M": Path.MOVETO, "L": Path.LINETO, "C": Path.CURVE4, "Z": Path.CLOSEPOLY}
    points: list[tuple[float, float]] = []
    codes: list[Any] = []
    for letter, text in _PIECE.findall(data):
        numbers = [float(number) for number in text.split()] or [0.0, 0.0]
        points += zip(numbers[::2], numbers[1::2], strict=True)
        codes += [code[letter]] * (len(numbers) // 2)
    return Path(points, codes)
