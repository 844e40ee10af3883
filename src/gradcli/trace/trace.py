"""The trace: what the two passes did, as data.

Made after the passes. When a node fires its gradient is final, so local derivative, upstream gradient,
contribution and running total can all be computed again from the graph; the engine keeps no record of them.
Everything that is shown, in whatever form, is made from this.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from gradcli.autodiff.engine import Value, constant, contribution, local_derivative, topological
from gradcli.autodiff.ops import ATOM, OR, Op, Text
from gradcli.autodiff.simplify import simplify
from gradcli.autodiff.tape import Span, Tape, collection_paused, graph, record
from gradcli.errors import Source
from gradcli.language.unparse import number, unparse
from gradcli.text import shortened, shortest


class Node(NamedTuple):
    """A number of the graph: its line on the tape, its text and name, its operands, its value and its gradient.

    `mark` is its number where its label alone does not tell which it is (names.py): " #14". `grad` is None for a constant, and for what the output does not depend on. `kind` is "input", "constant" or "op".
    """

    id: int
    source: Source
    name: str
    kind: str
    op: str
    operands: tuple[int, ...]
    data: float
    grad: float | None
    span: Span
    call: str
    formula: str
    mark: str = ""

    @property
    def text(self) -> str:
        """The text that was typed for it, cut out when asked for: all together would take the square of its length.

        For a line of a derivative, its formula.
        """
        return self.formula or self.source.text[slice(*self.span)]

    @property
    def label(self) -> str:
        """The name, or the text of a node without one."""
        return self.name or self.text


class Step(NamedTuple):
    """One step of a pass: forward, `node` gets its value; backward, `node` pushes a contribution to `operand`.

    position is that of the operand in the node: x*x has two steps to x. total_before and total are the operand's gradient before and after `+=`.
    """

    step: int
    direction: str
    node: int
    operand: int | None = None
    formula: str = ""
    local: float | None = None
    upstream: float | None = None
    contribution: float | None = None
    total_before: float | None = None
    total: float | None = None
    value: float | None = None
    position: int | None = None


class Trace(NamedTuple):
    """Both passes at one point. `nodes[i].id == i`; the output is `nodes[output]`, and `title` is its name or "".

    `bindings` are the values of the variables, `wrt` the names to differentiate by. `steps` are in the order in
    which they happen, the forward pass first.
    """

    source: Source
    output: int
    title: str
    bindings: dict[str, float]
    wrt: tuple[str, ...]
    nodes: tuple[Node, ...]
    steps: tuple[Step, ...]
    rows: tuple[Op | None, ...]  # of the nodes
    varies: tuple[bool, ...]  # whether a node depends on any variable

    @property
    def value(self) -> float:
        """The value of the output."""
        return self.nodes[self.output].data

    @property
    def gradient(self) -> dict[str, float]:
        """The partial derivative by each variable that was asked for."""
        by_name = {node.name: node.grad for node in self.nodes if node.kind == "input"}
        return {name: by_name.get(name) or 0.0 for name in self.wrt}


def trace(
    tape: Tape, bindings: Mapping[str, float], wrt: Sequence[str] | None = None, *, formulas: bool = True
) -> Trace:
    """Both passes of the tape, run at a point and recorded.

    `wrt` names the variables to differentiate by; default: all. A caller that shows no steps can leave out their
    `formulas`, which take longest.
    """
    with collection_paused():
        return _trace(tape, bindings, wrt, formulas=formulas)


def _trace(tape: Tape, bindings: Mapping[str, float], wrt: Sequence[str] | None, *, formulas: bool) -> Trace:
    inputs = tape.inputs
    values = graph(tape, {name: bindings[name] for name in inputs})
    output = values[tape.output]
    output.backward()
    order = topological(output)
    index_of = {value: index for index, value in enumerate(values)}
    reached = set(order)
    nodes = tuple(_node(tape, index, value, value in reached) for index, value in enumerate(values))
    steps = _steps(nodes, [(index_of[value], value) for value in order], index_of, formulas=formulas)
    used = {name: float(bindings[name]) for name in inputs}
    varies: list[bool] = []
    for line in tape.lines:
        varies.append(any(varies[index] for index in line.args) if line.op else line.value is None)
    rows = tuple([line.op for line in tape.lines])
    return Trace(
        tape.source,
        tape.output,
        tape.title,
        used,
        tuple(inputs if wrt is None else wrt),
        nodes,
        steps,
        rows,
        tuple(varies),
    )


def without_values(tape: Tape, *, formulas: bool = True) -> Trace:
    """A trace without a point: the nodes, the order of both passes and the formulas.

    It has the form of a trace, so that the same code draws both. `bindings` is empty; the data of an input or
    an operation is nan, and all other numbers are None. `formulas` as in `trace`.
    """
    unbound = trace(tape, dict.fromkeys(tape.inputs, math.nan), (), formulas=formulas)
    nodes, steps = tuple(map(_without_numbers, unbound.nodes)), tuple(map(_bare, unbound.steps))
    return unbound._replace(bindings={}, nodes=nodes, steps=steps)


def _without_numbers(node: Node) -> Node:
    return node._replace(data=node.data if node.kind == "constant" else math.nan, grad=None)


def _bare(step: Step) -> Step:
    return Step(step.step, step.direction, step.node, step.operand, step.formula, position=step.position)


def _node(tape: Tape, index: int, value: Value, reached: bool) -> Node:
    line = tape.lines[index]
    operands, kind = line.args, "op"
    if line.op is None:
        operands, kind = (), "input" if line.value is None else "constant"
    grad = value._grad if reached or kind == "input" else None
    op = line.op.name if line.op else ""
    return Node(index, tape.source, line.name, kind, op, operands, value.data, grad, line.span, line.call, line.formula)


def _steps(
    nodes: tuple[Node, ...], order: list[tuple[int, Value]], index_of: Mapping[Value, int], *, formulas: bool
) -> tuple[Step, ...]:
    steps = [Step(number, "forward", index, value=value.data) for number, (index, value) in enumerate(order, 1)]
    total: dict[int, float] = {}
    for index, value in reversed(order):
        op = value._row
        if value._grad is None or op is None:
            continue
        args = tuple([operand.data for operand in value._prev])
        for position, (operand, partial) in enumerate(zip(value._prev, op.partials_for(len(args)), strict=True)):
            if operand._grad is None or partial is None:
                continue
            local = local_derivative(partial, args, value.data)
            part = contribution(value, position, local, value.grad)
            receiver = index_of[operand]
            before = total.get(receiver, 0.0)
            total[receiver] = before + part
            formula = ""
            if formulas:
                terms = tuple([term(nodes[index_of[v]]) for v in value._prev])
                formula = local_formula(op, position, terms, term(nodes[index]))
            steps.append(
                Step(
                    len(steps) + 1,
                    "backward",
                    index,
                    receiver,
                    formula,
                    float(local),
                    value.grad,
                    part,
                    before,
                    total[receiver],
                    position=position,
                )
            )
    return tuple(steps)


LONGEST_TERM = 24


Term = Text | float  # an operand inside a formula: its text and how tightly it binds, or a literal's number


def term(node: Node) -> Term:
    """A node as an operand in a formula."""
    if node.kind == "constant" and not node.name:
        return node.data
    text = shortened(node.label, LONGEST_TERM)
    return text, ATOM if node.name or (text.endswith(")") and text.startswith(f"{node.op}(")) else OR


@cache
def local_formula(op: Op, position: int, operands: tuple[Term, ...], output: Term) -> str:
    """The local derivative of `op` by one operand as a formula, made from the rule itself.

    A float among the operands is a literal, and is folded where it can be.
    """
    args = [constant(operand) if isinstance(operand, float) else Value(0.0) for operand in operands]
    y = Value(0.0)
    partial = op.partials_for(len(args))[position]
    derivative = partial(*args, y) if partial is not None else 0.0
    if not isinstance(derivative, Value):
        return shortest(derivative)
    names = {arg: str(i) for i, arg in enumerate(args) if not isinstance(operands[i], float)}
    tape = simplify(record(derivative, names | {y: "y"}))
    terms = {line: output if name == "y" else operands[int(name)] for name, line in tape.inputs.items()}
    return unparse(tape, {line: number(term) if isinstance(term, float) else term for line, term in terms.items()})
