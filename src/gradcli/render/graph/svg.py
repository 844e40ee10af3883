"""SVG: the graph as a drawing for any program, in dark colours where one asks for them, with text to be selected."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as markup

from gradcli.trace.trace import Node, Trace

from .paints import FAMILY, dark, ink, paint
from .picture import LONGEST_TEXT, Picture, brief, kinds, picture
from .shapes import HEAD, PAD, ROW, Rect, Shape, Shapes, link, shapes, short, starting, text_width

WIDEST_FITTED = 2000  # a wider one would be too small to read where it is shrunk to the width of a page


def svg(trace: Trace, rankdir: str = "LR", precision: int = 6) -> str:
    """The graph from left to right (LR) or from top to bottom (TB)."""
    chart = picture(trace, precision)
    (drawn,) = shapes(chart, [rankdir])
    return "".join(f"{line}\n" for line in _lines(chart, drawn))


def _lines(chart: Picture, drawn: Shapes) -> Iterator[str]:
    width, height = short(drawn.width), short(drawn.height)
    fits = ' style="max-width:100%;height:auto"' if drawn.width <= WIDEST_FITTED else ""
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gradcli" role="img" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" font-family="{markup(FAMILY)}"{fits}>'
    )
    yield f"<title>Computation graph of {markup(brief(chart.output, LONGEST_TEXT))}</title>"
    yield f"<style>{dark()}</style>"
    yield f'<rect{_look("paper")} width="{width}" height="{height}" rx="8"/>'
    ids = {node.id: index for index, node in enumerate(chart.nodes)}
    for line in filter(None, drawn.lines):
        yield _path("edge", "".join(line))
    for arrow, curve in zip(chart.arrows, drawn.curves, strict=True):
        start = starting(drawn.lines[ids[arrow.operand]][curve.shared - 1])
        yield _path("edge", start + curve.branch) + _path("tip", curve.tip)
    for node, shape in zip(chart.nodes, drawn.nodes, strict=True):
        yield from _node(node, shape, kinds(node, chart))
    yield "</svg>"


def _node(node: Node, shape: Shape, groups: list[str]) -> Iterator[str]:
    yield f'<g class="{" ".join(groups)}" id="n{node.id}">'
    yield f"<title>{markup(_tooltip(node))}</title>"
    x, y, width, _ = shape.box
    if shape.pill:
        yield _path("edge", link(shape.pill, shape.box))
        yield _rect("pill", shape.pill, shape.pill[3] / 2)
        yield _text("sign", shape.pill[0] + shape.pill[2] / 2, shape.pill[1] + shape.pill[3] / 2 + 5, node.op)
    yield _rect("box", shape.box, 6, *groups)
    yield _text("label", x + width / 2, y + HEAD / 2 + 5, shape.label)
    if shape.rows:
        yield _path("rule", f"M{short(x)} {short(y + HEAD)}h{short(width)}")
    for index, (name, number) in enumerate(shape.rows):
        below = y + HEAD + ROW * (index + 1) - 2
        yield f'<g class="row">{_text("name", x + PAD, below, name)}'
        yield f"{_text(ink(name), x + width - PAD, below, number) if number else ''}</g>"
    yield "</g>"


def _tooltip(node: Node) -> str:
    text = brief(node, LONGEST_TEXT)
    text = f"{node.name} = {text}" if node.name and node.kind == "op" else text
    return f"{text}, a constant" if node.kind == "constant" else text


def _look(thing: str, *groups: str) -> str:
    """The attributes of a thing as any program reads them, and the class by which a theme finds it."""
    return f' class="{thing}"' + "".join(f' {name}="{value}"' for name, value in paint(thing, *groups).items())


def _path(thing: str, data: str) -> str:
    return f'<path{_look(thing)} d="{data}"/>'


def _rect(thing: str, rect: Rect, radius: float, *groups: str) -> str:
    x, y, width, height = map(short, rect)
    return f'<rect{_look(thing, *groups)} x="{x}" y="{y}" width="{width}" height="{height}" rx="{short(radius)}"/>'


def _text(thing: str, x: float, y: float, text: str) -> str:
    """A text at a point. One that is not ASCII is fitted to the width that was computed for it."""
    size = float(paint(thing)["font-size"])
    fit = "" if text.isascii() else f' textLength="{short(text_width(text, size))}" lengthAdjust="spacingAndGlyphs"'
    return f'<text{_look(thing)} x="{short(x)}" y="{short(y)}"{fit}>{markup(text)}</text>'
