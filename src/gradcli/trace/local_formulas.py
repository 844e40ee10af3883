"""The local derivatives of a trace as formulas, made for the steps that are shown.

A trace of a large expression is made without formulas; a view that shows a few of its steps gets theirs here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from gradcli.autodiff.ops import ATOM, Op
from gradcli.language.diff_call import DIFF

from .trace import Node, Step, Term, Trace, local_formula, term


def formulas(trace: Trace) -> Callable[[Step], str]:
    """A function from a backward step to its formula, for a trace that was made without formulas."""

    @cache
    def formula(step: Step) -> str:
        node = trace.nodes[step.node]
        return _formula(trace, step, [term(trace.nodes[index]) for index in node.operands], term(node))

    return formula


def closure_formula(trace: Trace, step: Step, name: Callable[[Node], str]) -> str:
    """The local derivative as a `_backward` has it: `a.data` for an operand that `name` calls a, `out.data` for the output."""
    terms: list[Term] = []
    for operand in [trace.nodes[index] for index in trace.nodes[step.node].operands]:
        literal = operand.kind == "constant" and not operand.name
        terms.append(operand.data if literal else (f"{name(operand)}.data", ATOM))
    return _formula(trace, step, terms, ("out.data", ATOM))


def _formula(trace: Trace, step: Step, operands: Sequence[Term], output: Term) -> str:
    row = trace.rows[step.node]
    assert row is not None and step.position is not None
    return local_formula(row, step.position, tuple(operands), output)


def partial_formulas(row: Op) -> dict[str, str]:
    """The local derivative of a row by each parameter as a formula; empty where there is no gradient."""
    if row is DIFF:
        return {"x": row.slope}
    if row.form == "variadic":
        return {"each x": row.slope}
    operands = tuple([(parameter, ATOM) for parameter in row.parameters])
    output = row.written(operands) if row.form == "infix" else (row.signature, ATOM)
    return {
        parameter: local_formula(row, position, operands, output)
        for position, (parameter, partial) in enumerate(zip(row.parameters, row.partials, strict=True))
        if partial
    }
