"""The content of every picture of a graph: the nodes that lead to the output, the edges, and the steps of both passes."""

from __future__ import annotations

from typing import NamedTuple

from gradcli.autodiff.ops import Op
from gradcli.text import escape, rounded
from gradcli.trace.arithmetic import data
from gradcli.trace.names import brief as brief
from gradcli.trace.names import marked
from gradcli.trace.trace import LONGEST_TERM, Node, Step, Trace

LONGEST_LABEL, LONGEST_TEXT = LONGEST_TERM, 240


class Arrow(NamedTuple):
    """An edge: the `position`-th operand of `node`. `step` is that of the backward pass that goes along it, or None."""

    node: int
    position: int
    operand: int
    step: int | None


class Picture(NamedTuple):
    """`nodes` in the order of the forward pass, and the steps of the backward pass for each that pushes.

    `bound` is False for a graph without numbers, in which `data` is nan.
    """

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    steps: tuple[Step, ...]
    backward: dict[int, list[Step]]
    output: Node
    bound: bool
    precision: int
    ops: tuple[Op | None, ...]  # by the id of a node


def picture(trace: Trace, precision: int = 6) -> Picture:
    """The content to draw: the nodes that lead to the output, and the edges between them."""
    trace = marked(trace)
    nodes = tuple([trace.nodes[step.node] for step in trace.steps if step.direction == "forward"])
    backward: dict[int, list[Step]] = {node.id: [] for node in nodes}
    for step in trace.steps:
        if step.direction == "backward":
            backward[step.node].append(step)
    steps = {(step.node, step.position): step.step for step in trace.steps}
    arrows = tuple(
        [
            Arrow(node.id, position, operand, steps.get((node.id, position)))
            for node in nodes
            for position, operand in enumerate(node.operands)
        ]
    )
    bound = all(node.name in trace.bindings for node in nodes if node.kind == "input")
    return Picture(nodes, arrows, trace.steps, backward, trace.nodes[trace.output], bound, precision, trace.rows)


def reference(node: Node) -> str:
    """The name of a node for other nodes and sentences, or its text; with its mark."""
    return (escape(node.name) if node.name else brief(node, LONGEST_LABEL)) + node.mark


def label(node: Node) -> str:
    """The label in a node's box: a name, a name and its formula, or a formula; with its mark."""
    if node.name and node.kind == "op":
        return f"{escape(node.name)} = {brief(node, max(8, LONGEST_LABEL - 3 - len(node.name)))}{node.mark}"
    return reference(node)


def kinds(node: Node, chart: Picture) -> list[str]:
    """The kinds of a node by which it is painted: "input", "constant" or "op", and "output" for the last."""
    return [node.kind, *(["output"] if node.id == chart.output.id else [])]


def rows(node: Node, bound: bool, precision: int) -> list[tuple[str, str]]:
    """The lines below a label, a name and a number each: "constant", or data and grad as far as they are known."""
    number = data(node, precision)
    if node.kind == "constant":
        return [("constant", "" if label(node) == number else number)]
    if not bound:
        return []
    return [("data", number), *([] if node.grad is None else [("grad", rounded(node.grad, precision))])]
