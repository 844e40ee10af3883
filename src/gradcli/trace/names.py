"""Short names of nodes: the number of a node, `#14`, where two nodes have the same label.

It is the number that a node has in plain and JSON output, and the same in every picture.
"""

from __future__ import annotations

from collections import Counter

from gradcli.text import escape, shortened

from .trace import LONGEST_TERM, Node, Trace


def numbered(node: Node) -> str:
    """The number of a node as people read it: "#14"."""
    return f"#{node.id}"


def marked(trace: Trace) -> Trace:
    """The trace with a mark, " #14", on each node that another one has the label of, as far as labels are shown.

    A constant has none: its number is all that there is to say.
    """
    labels = [node.name or brief(node, LONGEST_TERM) for node in trace.nodes]
    times = Counter(label for node, label in zip(trace.nodes, labels, strict=True) if node.kind != "constant")
    nodes = [
        node._replace(mark=f" {numbered(node)}") if node.kind != "constant" and times[label] > 1 else node
        for node, label in zip(trace.nodes, labels, strict=True)
    ]
    return trace._replace(nodes=tuple(nodes))


def all_marked(trace: Trace) -> Trace:
    """The trace with the mark of every node."""
    return trace._replace(nodes=tuple([node._replace(mark=f" {numbered(node)}") for node in trace.nodes]))


def brief(node: Node, length: int) -> str:
    """The text of a node on one line: at most `length` cells, without reading all of a long text."""
    if node.formula:
        return escape(shortened(node.formula, length))
    start, end = node.span
    text = node.source.text
    if end - start > 8 * length:
        return escape(shortened(text[start : start + 4 * length] + " … " + text[end - 4 * length : end], length))
    return escape(shortened(text[start:end], length))
