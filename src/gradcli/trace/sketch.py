"""A trace without a point: the nodes, the order of both passes and the formulas, where nothing is bound.

It has the form of a trace, so that whatever draws one draws the other. `bindings` is empty; the data of an input or
an operation is nan, and all other numbers are None.
"""

from __future__ import annotations

import math

from gradcli.autodiff.tape import Tape

from .trace import Node, Step, Trace, trace


def sketch(tape: Tape, *, formulas: bool = True) -> Trace:
    """Both passes as far as they are known without values; who does not show the steps needs no `formulas`."""
    nowhere = trace(tape, dict.fromkeys(tape.inputs, math.nan), (), formulas=formulas)
    nodes, steps = tuple(map(_without_numbers, nowhere.nodes)), tuple(map(_bare, nowhere.steps))
    return nowhere._replace(bindings={}, nodes=nodes, steps=steps)


def _without_numbers(node: Node) -> Node:
    return node._replace(data=node.data if node.kind == "constant" else math.nan, grad=None)


def _bare(step: Step) -> Step:
    return Step(step.step, step.direction, step.node, step.operand, step.formula, position=step.position)
