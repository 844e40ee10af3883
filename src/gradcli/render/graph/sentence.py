"""The steps of both passes in words: `a.grad += b.data · (a*b).grad = 4 × 7 = 28`."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.trace import arithmetic
from gradcli.trace.trace import Node, Step

from .picture import Picture, reference

Nodes = Mapping[int, Node]


def atom(text: str) -> str:
    """`text` so that `.grad` can follow it: a name or a call as it is, anything else in parentheses."""
    name, paren, rest = text.partition("(")
    if name.isidentifier() and (not paren or (rest.endswith(")") and _closes(rest))):
        return text
    return f"({text})"


def _closes(rest: str) -> bool:
    """True if the parenthesis before `rest` closes at its end and not before."""
    depth = 1
    for char in rest[:-1]:
        depth += (char == "(") - (char == ")")
        if not depth:
            return False
    return True


def rule(step: Step, nodes: Nodes) -> str:
    """A step of the backward pass in letters: `a.grad += b.data · (a*b).grad`."""
    assert step.operand is not None
    node, receiver = nodes[step.node], nodes[step.operand]
    others = [operand for position, operand in enumerate(node.operands) if position != step.position]
    around = [nodes[operand] for operand in (*others, step.operand, node.id)]
    local = step.formula
    meant = [n for n in around if n.kind != "constant" and local == reference(n).removesuffix(n.mark)]
    if meant:
        local = f"{atom(reference(meant[0]))}.data"
    elif local.startswith("-") or _loose(local):
        local = f"({local})"
    return f"{atom(reference(receiver))}.grad += {local} · {atom(reference(node))}.grad"


def _loose(formula: str) -> bool:
    """True if there is a space outside parentheses: there, our formulas have an operator looser than a product."""
    depth = 0
    for char in formula:
        depth += (char == "(") - (char == ")")
        if char == " " and depth == 0:
            return True
    return False


def product(step: Step, precision: int) -> str:
    """A step of the backward pass in numbers: `4 × 7 = 28`; "" where there are none."""
    if step.local is None or step.upstream is None or step.contribution is None:
        return ""
    return "".join(arithmetic.product([step.local, step.upstream], step.contribution, precision))


def total(step: Step, precision: int) -> str:
    """The sum that a contribution makes with those before it: `28 + 12 = 40`; "" where there are no numbers."""
    if step.total_before is None or step.contribution is None or step.total is None:
        return ""
    return "".join(arithmetic.sum_(step.total_before, step.contribution, step.total, precision))


def computation(chart: Picture, node: Node, nodes: Nodes) -> str:
    """The computation of a value: `3 + 4` of an operation, in numbers or in names."""
    row = chart.ops[node.id]
    assert row is not None
    return arithmetic.operation(row, [_operand(chart, nodes[operand]) for operand in node.operands])


def forward(chart: Picture, node: Node, nodes: Nodes) -> str:
    """A step of the forward pass: `(a+b).data = 3 + 4 = 7`."""
    name = reference(node)
    value = arithmetic.data(node, chart.precision) if chart.bound or node.kind == "constant" else ""
    if node.kind == "op":
        how = computation(chart, node, nodes)
        return f"{atom(name)}.data = {how}{_result(chart, node, nodes, value) if value not in ('', how) else ''}"
    if node.kind == "constant":
        return f"{name}: a constant" if name == value else f"{name} = {value}: a constant"
    return f"{name}.data = {value}, as given" if value else f"{name}: an input"


def _result(chart: Picture, node: Node, nodes: Nodes, value: str) -> str:
    """The sign and the value after a computation; of -3 = -3 one is enough, and this is not called."""
    row = chart.ops[node.id]
    assert row is not None
    operands = [_operand(chart, nodes[operand]) for operand in node.operands]
    return arithmetic.sign(row, operands, value, chart.precision) + value


def _operand(chart: Picture, node: Node) -> str:
    if chart.bound or node.kind == "constant":
        return arithmetic.data(node, chart.precision)
    return f"{atom(reference(node))}.data"
