"""The picture as rectangles and curves, for SVG and for the page: their positions in pixels.

A node is a box with its label, `data` and `grad`; what an operation computed has the operation in a pill before it,
as in micrograd's drawings. Texts are set in a monospaced font, so that their width is known without the font.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gradcli.text import cells

from . import layers, layout
from .picture import Picture, label, rows

FONT, ROW_FONT, ADVANCE = 14.0, 13.0, 0.615  # pixels; the widest common monospaced font has 0.61 of its size
HEAD, ROW, PAD, LINK, PILL, MARGIN = 30.0, 20.0, 11.0, 12.0, 28.0, 16.0
TIP = 7.0  # the length of an arrow's head

Rect = tuple[float, float, float, float]  # x, y, width, height


class Shape(NamedTuple):
    """A node: its box, its pill or None, and the lines below its label."""

    id: int
    label: str
    rows: list[tuple[str, str]]
    box: Rect
    pill: Rect | None


class Curve(NamedTuple):
    """An arrow: it follows the first `shared` pieces of its operand's line, then its own branch to its tip."""

    shared: int
    branch: str
    tip: str


class Shapes(NamedTuple):
    """Everything drawn, as SVG path data: for each node the pieces of the line that leaves it, and for each arrow
    of the picture, in their order, its curve."""

    width: float
    height: float
    nodes: list[Shape]
    lines: list[list[str]]
    curves: list[Curve]


def shapes(chart: Picture, rankdirs: Sequence[str]) -> list[Shapes]:
    """The picture drawn from left to right (LR), from top to bottom (TB), or both; the order is found once."""
    number = {node.id: index for index, node in enumerate(chart.nodes)}
    order = layers.arrange([tuple([number[operand] for operand in node.operands]) for node in chart.nodes])
    return [_shapes(chart, order, number, rankdir == "TB") for rankdir in rankdirs]


def _shapes(chart: Picture, order: layers.Order, number: dict[int, int], down: bool) -> Shapes:
    drafts = [_draft(chart, index) for index in range(len(chart.nodes))]
    sizes = [_size(draft, down) for draft in drafts]
    drawing = layout.place(order, sizes)
    nodes = [
        _moved(draft, centre, size, down) for draft, centre, size in zip(drafts, drawing.centres, sizes, strict=True)
    ]
    width, height = drawing.size[::-1] if down else drawing.size
    lines: list[list[str]] = [[] for _ in nodes]
    curves = []
    for arrow in chart.arrows:
        route = drawing.routes[number[arrow.node]][arrow.position]
        line = lines[number[arrow.operand]]
        line += [_piece(route, index, down) for index in range(len(line), len(route) - 1)]
        curves.append(Curve(len(route) - 1, *_branch(route, down)))
    return Shapes(width + 2 * MARGIN, height + 2 * MARGIN, nodes, lines, curves)


def text_width(text: str, size: float) -> float:
    return cells(text) * size * ADVANCE


def _draft(chart: Picture, index: int) -> Shape:
    """A node at the origin."""
    node = chart.nodes[index]
    title, lines = label(node), rows(node, chart.bound, chart.precision)
    widths = [text_width(title, FONT), *[text_width(f"{name}  {number}", ROW_FONT) for name, number in lines]]
    width = max(44.0, max(widths) + 2 * PAD)
    height = HEAD + (ROW * len(lines) + 8 if lines else 0.0)
    pill = (0.0, 0.0, max(PILL, text_width(node.op, FONT) + 16), PILL) if node.kind == "op" else None
    return Shape(node.id, title, lines, (0.0, 0.0, width, height), pill)


def _size(draft: Shape, down: bool) -> layout.Size:
    """The length of a node along the edges, and its breadth across."""
    (_, _, width, height), pill = draft.box, draft.pill
    if pill is None:
        return (height, width) if down else (width, height)
    if down:
        return (pill[3] + LINK + height, max(pill[2], width))
    return (pill[2] + LINK + width, max(pill[3], height))


def _moved(draft: Shape, centre: layout.Size, size: layout.Size, down: bool) -> Shape:
    """A node moved to its position: the pill where the edges arrive, the box where they leave."""
    (along, across), (length, _) = centre, size
    (_, _, width, height), pill = draft.box, draft.pill
    far, near = MARGIN + along + length / 2, MARGIN + along - length / 2
    across += MARGIN
    if down:
        box = (across - width / 2, far - height, width, height)
        pill = pill and (across - pill[2] / 2, near, pill[2], pill[3])
    else:
        box = (far - width, across - height / 2, width, height)
        pill = pill and (near, across - pill[3] / 2, pill[2], pill[3])
    return draft._replace(box=box, pill=pill)


def point(along: float, across: float, down: bool) -> str:
    """A point of a path, to a tenth of a pixel."""
    first, second = (across, along) if down else (along, across)
    return f"{short(first + MARGIN)} {short(second + MARGIN)}"


def short(number: float) -> str:
    """A length, to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")


def _piece(route: list[layout.Stretch], index: int, down: bool) -> str:
    """A line from its box to the end of the layer, or over the gap between two layers and through the second."""
    start, end, across = route[index]
    if index == 0:
        return f"M{point(start, across, down)}L{point(end, across, down)}"
    return _bend(route[index - 1], start, across, down) + f"L{point(end, across, down)}"


def _branch(route: list[layout.Stretch], down: bool) -> tuple[str, str]:
    """The last curve of an arrow, which begins where the shared line ends, and the arrow's head."""
    start, end, port = route[-1]
    neck = end - TIP
    head, left, right = (point(*corner, down) for corner in ((end, port), (neck - 1, port - 4), (neck - 1, port + 4)))
    curve = _bend(route[-2], min(start, neck), port, down)
    return f"{curve}L{point(neck, port, down)}", f"M{left}L{head}L{right}Z"


def _bend(before: layout.Stretch, start: float, across: float, down: bool) -> str:
    _, end, height = before
    middle = (end + start) / 2
    return f"C{point(middle, height, down)} {point(middle, across, down)} {point(start, across, down)}"


def starting(piece: str) -> str:
    """The end of a piece of a line, as the start of a path."""
    return f"M{piece[piece.rindex('L') + 1 :]}"


def link(pill: Rect, box: Rect) -> str:
    """The line from the middle of a pill to the middle of its box, below both."""
    x, y = pill[0] + pill[2] / 2, pill[1] + pill[3] / 2
    return f"M{short(x)} {short(y)}L{short(box[0] + box[2] / 2)} {short(box[1] + box[3] / 2)}"
