"""Mermaid: the graph as text that GitHub and many editors draw in a Markdown document."""

from __future__ import annotations

from gradcli.trace.trace import Node, Trace

from .picture import Picture, label, picture, rows

MOST_EDGES = 500  # Mermaid's own default; a page may allow more with maxEdges


def mermaid(trace: Trace, rankdir: str = "LR", precision: int = 6) -> str:
    """The graph in the order of the forward pass, so that the same input gives the same text."""
    chart = picture(trace, precision)
    lines = [f"flowchart {rankdir}", *[_node(chart, node) for node in chart.nodes]]
    lines += [f'  op{node.id}(["{_text(node.op)}"]) --> n{node.id}' for node in chart.nodes if node.kind == "op"]
    lines += [f"  n{arrow.operand} --> op{arrow.node}" for arrow in chart.arrows]
    if constants := [f"n{node.id}" for node in chart.nodes if node.kind == "constant"]:
        lines += ["  classDef constant stroke-dasharray: 4 3", f"  class {','.join(constants)} constant"]
    return "\n".join(lines) + "\n"


def edges(trace: Trace) -> int:
    """The number of edges in the text: one to each operation from each operand, and one from it to its value."""
    chart = picture(trace)
    return len(chart.arrows) + sum(node.kind == "op" for node in chart.nodes)


def _node(chart: Picture, node: Node) -> str:
    cells = [label(node), *[" ".join(row).strip() for row in rows(node, chart.bound, chart.precision)]]
    return f'  n{node.id}["{"<br/>".join(map(_text, cells))}"]'


def _text(text: str) -> str:
    """The text with all but letters, digits and spaces as numbers, so that nothing is Markdown, an entity or a tag."""
    return "".join(char if char.isalnum() or char in " .,_" else f"#{ord(char)};" for char in text)
