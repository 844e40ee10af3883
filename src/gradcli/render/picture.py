"""What every picture of a graph shows: the nodes that lead to the output, and the steps of both passes.

Made from a trace, or from a tape where nothing is bound; then there are names and formulas and no numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import escape
from ..numbers import rounded
from ..ops import Op
from ..tape import Tape
from ..trace import LONGEST_TERM, Node, Step, Trace, local_formula, shortened
from ..unparse import ATOM, OR

LONGEST_LABEL, LONGEST_TEXT = LONGEST_TERM, 240


class Arrow(NamedTuple):
    """An edge: the `position`-th operand of `node`. `step` is that of the backward pass that goes along it, or None."""

    node: int
    position: int
    operand: int
    step: int | None


class Picture(NamedTuple):
    """`nodes` in the order of the forward pass, and the steps of the backward pass for each that pushes.

    `bound` says whether there are numbers; where there are none, `data` is nan.
    """

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    steps: tuple[Step, ...]
    backward: dict[int, list[Step]]
    output: Node
    bound: bool
    precision: int


def picture(what: Trace | Tape, precision: int = 6) -> Picture:
    """The picture of a trace or of a tape."""
    if isinstance(what, Trace):
        nodes, steps, ops = what.nodes, what.steps, what.rows
    else:
        nodes, ops = _unbound(what), tuple([line.op for line in what.lines])
        steps = _steps(what, nodes)
    order = tuple([nodes[step.node] for step in steps if step.direction == "forward"])
    backward: dict[int, list[Step]] = {}
    for step in steps:
        if step.direction == "backward":
            backward.setdefault(step.node, []).append(step)
    arrows = tuple([arrow for node in order for arrow in _arrows(node, ops[node.id], backward.get(node.id, []))])
    return Picture(order, arrows, steps, backward, nodes[what.output], isinstance(what, Trace), precision)


def _arrows(node: Node, op: Op | None, steps: list[Step]) -> Iterator[Arrow]:
    """The edges to a node. Its backward steps are in the order of its operands; some operands have none."""
    due = list(steps)
    partials = op.partials_for(len(node.operands)) if op else ()
    for position, (operand, partial) in enumerate(zip(node.operands, partials, strict=True)):
        fires = partial is not None and bool(due) and due[0].operand == operand
        yield Arrow(node.id, position, operand, due.pop(0).step if fires else None)


def _unbound(tape: Tape) -> tuple[Node, ...]:
    nodes = []
    for index, line in enumerate(tape.lines):
        kind = "op" if line.op else "input" if line.value is None else "constant"
        op, data = line.op.name if line.op else "", math.nan if line.value is None else line.value
        nodes.append(Node(index, tape.source, line.name, kind, op, line.args, data, None, line.span, line.call))
    return tuple(nodes)


def _steps(tape: Tape, nodes: tuple[Node, ...]) -> tuple[Step, ...]:
    """Both passes without numbers: as the engine walks, operands first and first operands first."""
    order = _order(tape)
    follows: list[bool] = []  # whether a line takes a gradient
    for line in tape.lines:
        partials = line.op.partials_for(len(line.args)) if line.op else ()
        passes = any(p is not None and follows[arg] for p, arg in zip(partials, line.args, strict=True))
        follows.append(passes if line.op else line.value is None)
    steps = [Step(number, "forward", index) for number, index in enumerate(order, 1)]
    for index in reversed(order):
        op, args = tape.lines[index].op, tape.lines[index].args
        if op is None or not follows[index]:
            continue
        terms = tuple([_term(nodes[arg]) for arg in args])
        for position, (arg, partial) in enumerate(zip(args, op.partials_for(len(args)), strict=True)):
            if partial is not None and follows[arg]:
                formula = local_formula(op, position, terms, _text_term(nodes[index]))
                steps.append(Step(len(steps) + 1, "backward", index, arg, formula))
    return tuple(steps)


def _order(tape: Tape) -> list[int]:
    order: list[int] = []
    seen: set[int] = set()
    stack = [(tape.output, False)]
    while stack:
        index, done = stack.pop()
        if done:
            order.append(index)
        elif index not in seen:
            seen.add(index)
            stack += [(index, True), *[(arg, False) for arg in reversed(tape.lines[index].args)]]
    return order


def _term(node: Node) -> tuple[str, int] | float:
    return node.data if node.kind == "constant" and not node.name else _text_term(node)


def _text_term(node: Node) -> tuple[str, int]:
    text = reference(node)
    return text, ATOM if node.name or (text.endswith(")") and text.startswith(f"{node.op}(")) else OR


def brief(node: Node, length: int) -> str:
    """What was typed for a node, on one line: at most `length` characters, without reading all of a long text."""
    start, end = node.span
    text = node.source.text
    if end - start > 8 * length:
        return escape(shortened(text[start : start + 4 * length] + " … " + text[end - 4 * length : end], length))
    return escape(shortened(text[start:end], length))


def reference(node: Node) -> str:
    """How other nodes and sentences call a node: its name, or its text."""
    return escape(node.name) if node.name else brief(node, LONGEST_LABEL)


def label(node: Node) -> str:
    """What stands in a node's box: a name, a name and its formula, or a formula."""
    if node.name and node.kind == "op":
        return f"{escape(node.name)} = {brief(node, max(8, LONGEST_LABEL - 3 - len(node.name)))}"
    return reference(node)


def rows(node: Node, bound: bool, precision: int) -> list[tuple[str, str]]:
    """The lines below a label: a constant is called so, the others have data and grad, as far as there are any."""
    number = rounded(node.data, precision)
    if node.kind == "constant":
        return [("constant", "" if label(node) == number else number)]
    if not bound:
        return []
    return [("data", number), *([] if node.grad is None else [("grad", rounded(node.grad, precision))])]
