"""A trace without a point: the nodes, the order of both passes and the formulas, where nothing is bound.

It has the form of a trace, so that whatever draws one draws the other. `bindings` is empty; the data of an input or
an operation is nan, and all other numbers are None.
"""

from __future__ import annotations

import math

from ..ops import Op
from ..tape import Line, Tape
from ..trace import Node, Step, Trace, local_formula, term


def sketch(tape: Tape, *, formulas: bool = True) -> Trace:
    """Both passes of the tape as far as they are known without values; who does not show the steps needs no `formulas`."""
    nodes = tuple([_node(tape, index, line) for index, line in enumerate(tape.lines)])
    order = _order(tape)
    steps = [Step(number, "forward", index) for number, index in enumerate(order, 1)]
    follows = _follows(tape)
    for index in reversed(order):
        op, args = tape.lines[index].op, tape.lines[index].args
        if op is None or not follows[index]:
            continue
        for position, (arg, partial) in enumerate(zip(args, op.partials_for(len(args)), strict=True)):
            if partial is not None and follows[arg]:
                formula = _formula(op, position, nodes, args, index) if formulas else ""
                steps.append(Step(len(steps) + 1, "backward", index, arg, formula))
    rows = tuple([line.op for line in tape.lines])
    return Trace(tape.source, tape.output, tape.title, {}, (), nodes, tuple(steps), rows, tuple(follows))


def _node(tape: Tape, index: int, line: Line) -> Node:
    kind = "op" if line.op else "input" if line.value is None else "constant"
    data = math.nan if line.value is None else line.value
    return Node(
        index,
        tape.source,
        line.name,
        kind,
        line.op.name if line.op else "",
        line.args,
        data,
        None,
        line.span,
        line.call,
        line.formula,
    )


def _order(tape: Tape) -> list[int]:
    """The lines that the output needs, as the engine walks them: operands before users, first operands first."""
    order: list[int] = []
    seen: set[int] = set()
    stack = [(tape.output, False)]
    while stack:
        index, ready = stack.pop()
        if ready:
            order.append(index)
        elif index not in seen:
            seen.add(index)
            stack.append((index, True))
            stack += [(arg, False) for arg in reversed(tape.lines[index].args)]
    return order


def _follows(tape: Tape) -> list[bool]:
    """Whether a line takes a gradient: an input does, and what passes one on to such a line."""
    follows: list[bool] = []
    for line in tape.lines:
        partials = line.op.partials_for(len(line.args)) if line.op else ()
        passes = any(p is not None and follows[arg] for p, arg in zip(partials, line.args, strict=True))
        follows.append(passes if line.op else line.value is None)
    return follows


def _formula(op: Op, position: int, nodes: tuple[Node, ...], args: tuple[int, ...], index: int) -> str:
    return local_formula(op, position, tuple([term(nodes[arg]) for arg in args]), term(nodes[index]))
