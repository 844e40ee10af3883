"""The local derivatives of a trace as formulas, made for the steps that are shown.

A trace of a large expression is made without formulas; who shows a few of its steps asks for theirs here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from .trace import Node, Step, Term, Trace, local_formula, term
from .unparse import ATOM


def formulas(trace: Trace) -> Callable[[Step], str]:
    """What says the formula of a backward step."""
    places: dict[int, int] = {}

    @cache
    def formula(step: Step) -> str:
        if not places:
            places.update(positions(trace))
        return step_formula(trace, step, places[step.step])

    return formula


def receivers(trace: Trace, node: Node) -> list[int]:
    """The positions of the operands that a node pushes a contribution to: one for each of its backward steps."""
    row = trace.rows[node.id]
    partials = row.partials_for(len(node.operands)) if row else ()
    taken = zip(node.operands, partials, strict=True)
    return [i for i, (operand, partial) in enumerate(taken) if partial and trace.nodes[operand].grad is not None]


def positions(trace: Trace) -> dict[int, int]:
    """Of each backward step, by its number, the position of the operand that receives (x*x has two steps for x)."""
    waiting: dict[int, list[int]] = {}
    found: dict[int, int] = {}
    for step in trace.steps:
        if step.operand is not None:
            if step.node not in waiting:
                waiting[step.node] = receivers(trace, trace.nodes[step.node])
            found[step.step] = waiting[step.node].pop(0)
    return found


def step_formula(trace: Trace, step: Step, position: int) -> str:
    """The local derivative of a backward step as a formula, for a trace that was made without them."""
    node, row = trace.nodes[step.node], trace.rows[step.node]
    assert row is not None
    return local_formula(row, position, tuple([term(trace.nodes[index]) for index in node.operands]), term(node))


def closure_formula(trace: Trace, step: Step, position: int, name: Callable[[Node], str]) -> str:
    """The same as the closure of a `_backward` has it: `a.data` for the operand called a, `out.data` for the output."""
    node, row = trace.nodes[step.node], trace.rows[step.node]
    assert row is not None
    terms: list[Term] = []
    for operand in [trace.nodes[index] for index in node.operands]:
        literal = operand.kind == "constant" and not operand.name
        terms.append(operand.data if literal else (f"{name(operand)}.data", ATOM))
    return local_formula(row, position, tuple(terms), ("out.data", ATOM))
