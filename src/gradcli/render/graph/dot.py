"""DOT, for Graphviz: micrograd's picture, a record for each value and an oval for each operation."""

from __future__ import annotations

from gradcli.trace.trace import Node, Trace

from .picture import Picture, label, picture, rows

SPECIAL = '\\{}|<>"'


def dot(trace: Trace, rankdir: str = "LR", precision: int = 6) -> str:
    """The graph in the order of the forward pass, so that the same input gives the same text."""
    chart = picture(trace, precision)
    lines = ["digraph {", f"  graph [rankdir={rankdir}]", '  node [fontname="monospace"]']
    lines += [_node(chart, node, rankdir) for node in chart.nodes]
    lines += [f'  op{node.id} [label="{_quoted(node.op)}"]' for node in chart.nodes if node.kind == "op"]
    lines += [f"  op{node.id} -> n{node.id}" for node in chart.nodes if node.kind == "op"]
    lines += [f"  n{arrow.operand} -> op{arrow.node}" for arrow in chart.arrows]
    return "\n".join([*lines, "}"]) + "\n"


def _node(chart: Picture, node: Node, rankdir: str) -> str:
    cells = [label(node), *[" ".join(row).strip() for row in rows(node, chart.bound, chart.precision)]]
    fields = " | ".join(_field(cell) for cell in cells)
    # Graphviz turns records with the rank: braces keep the cells side by side from left to right
    text = f"{{ {fields} }}" if rankdir == "LR" else fields
    style = " style=dashed" if node.kind == "constant" else ""
    return f'  n{node.id} [label="{text}" shape=record{style}]'


def _field(text: str) -> str:
    """A cell of a record, where braces, bars and spaces mean something, and `&` begins an entity."""
    return "".join("&amp;" if char == "&" else f"\\{char}" if char in SPECIAL else char for char in text)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
