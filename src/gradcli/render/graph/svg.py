"""SVG: the graph as a drawing that carries its own light and dark colours, with text that can be selected."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as markup

from gradcli.trace.trace import Node, Trace

from .picture import LONGEST_TEXT, Picture, brief, picture
from .shapes import FONT, HEAD, PAD, ROW, ROW_FONT, Rect, Shape, Shapes, shapes, short, starting, text_width

WIDEST_FITTED = 2000  # a wider one would be too small to read where it is shrunk to the width of a page
STYLE = """
.gradcli{--paper:#fff;--ink:#1c2024;--quiet:#5f6670;--edge:#7f8894;--box:#fff;--line:#aab2bd;--input:#e8f1ff;
--input-line:#7fa9ea;--constant:#f4f4f1;--pill:#eef0f3;--data:#0b57a4;--grad:#a83f08;font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;
}
@media (prefers-color-scheme:dark){.gradcli{--paper:#12151a;--ink:#eceef2;--quiet:#a3abb6;--edge:#77818e;--box:#1b2027;
--line:#47505c;--input:#14263f;--input-line:#3c6cae;--constant:#20221f;--pill:#2a313a;--data:#86bdff;--grad:#ffb07a}}
.gradcli .paper{fill:var(--paper)}
.gradcli .edge{fill:none;stroke:var(--edge);stroke-width:1.5}
.gradcli .tip{fill:var(--edge)}
.gradcli .box{fill:var(--box);stroke:var(--line);stroke-width:1.5}
.gradcli .input .box{fill:var(--input);stroke:var(--input-line)}
.gradcli .constant .box{fill:var(--constant);stroke-dasharray:4 3}
.gradcli .output .box{stroke:var(--ink);stroke-width:2.5}
.gradcli .pill{fill:var(--pill);stroke:var(--line);stroke-width:1.5}
.gradcli .rule{stroke:var(--line)}
.gradcli text{fill:var(--ink);white-space:pre}
.gradcli .label,.gradcli .sign{font-size:14px;font-weight:600;text-anchor:middle}
.gradcli .row{font-size:13px}
.gradcli .row .name{fill:var(--quiet)}
.gradcli .number{text-anchor:end}
.gradcli .data{fill:var(--data)}
.gradcli .grad{fill:var(--grad)}
"""


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
        f' viewBox="0 0 {width} {height}"{fits}>'
    )
    yield f"<title>Computation graph of {markup(brief(chart.output, LONGEST_TEXT))}</title>"
    yield f"<style>{STYLE}</style>"
    yield f'<rect class="paper" width="{width}" height="{height}" rx="8"/>'
    ids = {node.id: index for index, node in enumerate(chart.nodes)}
    for line in filter(None, drawn.lines):
        yield f'<path class="edge" d="{"".join(line)}"/>'
    for arrow, curve in zip(chart.arrows, drawn.curves, strict=True):
        start = starting(drawn.lines[ids[arrow.operand]][curve.shared - 1])
        yield f'<path class="edge" d="{start}{curve.branch}"/><path class="tip" d="{curve.tip}"/>'
    for node, shape in zip(chart.nodes, drawn.nodes, strict=True):
        yield from _node(node, shape, node.id == chart.output.id)
    yield "</svg>"


def _node(node: Node, shape: Shape, last: bool) -> Iterator[str]:
    yield f'<g class="{node.kind}{" output" if last else ""}" id="n{node.id}">'
    yield f"<title>{markup(_tooltip(node))}</title>"
    x, y, width, _ = shape.box
    if shape.pill:
        yield _link(shape.pill, shape.box)
        yield _rect("pill", shape.pill, shape.pill[3] / 2)
        yield _text("sign", shape.pill[0] + shape.pill[2] / 2, shape.pill[1] + shape.pill[3] / 2 + 5, node.op)
    yield _rect("box", shape.box, 6)
    yield _text("label", x + width / 2, y + HEAD / 2 + 5, shape.label)
    if shape.rows:
        yield f'<path class="rule" d="M{short(x)} {short(y + HEAD)}h{short(width)}"/>'
    for index, (name, number) in enumerate(shape.rows):
        below = y + HEAD + ROW * (index + 1) - 2
        yield f'<g class="row">{_text("name", x + PAD, below, name)}'
        yield f"{_text(f'number {name}', x + width - PAD, below, number) if number else ''}</g>"
    yield "</g>"


def _tooltip(node: Node) -> str:
    text = brief(node, LONGEST_TEXT)
    text = f"{node.name} = {text}" if node.name and node.kind == "op" else text
    return f"{text}, a constant" if node.kind == "constant" else text


def _link(pill: Rect, box: Rect) -> str:
    x, y = pill[0] + pill[2] / 2, pill[1] + pill[3] / 2
    return f'<path class="edge" d="M{short(x)} {short(y)}L{short(box[0] + box[2] / 2)} {short(box[1] + box[3] / 2)}"/>'


def _rect(kind: str, rect: Rect, radius: float) -> str:
    x, y, width, height = map(short, rect)
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{short(radius)}"/>'


def _text(kind: str, x: float, y: float, text: str) -> str:
    """A text at a point. One that is not ASCII is fitted to the width that was computed for it."""
    size = FONT if kind in ("label", "sign") else ROW_FONT
    fit = "" if text.isascii() else f' textLength="{short(text_width(text, size))}" lengthAdjust="spacingAndGlyphs"'
    return f'<text class="{kind}" x="{short(x)}" y="{short(y)}"{fit}>{markup(text)}</text>'
