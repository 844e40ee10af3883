"""The backward pass as lines of the tape: the derivative as a formula.

The same engine, run on Values whose data are Values: what it does with numbers it now does with symbols, one
for each line of the tape, and what comes out are graphs over these symbols, written down as more lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from .engine import Value, recorded, topological
from .simplify import Lines, alive
from .tape import Line, Tape, below, collection_paused


def differentiate(tape: Tape, names: Sequence[str]) -> tuple[Tape, dict[str, int]]:
    """The tape with the lines of the gradient after its own, and the line of the partial derivative by each name.

    A name may be a variable or one that the program assigned; by one that does not occur the derivative is 0.
    Lines that neither value nor gradient need are dropped.
    """
    lines = Lines(tape.lines)
    inputs = tape.inputs
    places = [inputs.get(name, tape.names.get(name, -1)) for name in names]
    partials = backward(lines, tape.output, [place for place in places if place >= 0])
    found = {place: partials.pop(0) for place in dict.fromkeys(place for place in places if place >= 0)}
    also = [found[place] if place >= 0 else lines.add(Line(None, value=0.0)) for place in places]
    shorter, kept = alive(tape._replace(lines=tuple(lines.lines)), also)
    return shorter, dict(zip(names, kept, strict=True))


def backward(lines: Lines, output: int, by: Iterable[int]) -> list[int]:
    """Write the backward pass from one line after the others: the line of the derivative by each of `by`, once each.

    A line in `by` counts as a variable: what it was computed from is not looked at.
    """
    wanted = list(dict.fromkeys(by))
    with collection_paused():
        nodes = _symbols(lines.lines, output, set(wanted))
        top = nodes.get(output)
        if top is not None:
            top.backward()
        grads = [nodes[index].grad if index in nodes else 0.0 for index in wanted]
        place = {node.data: index for index, node in nodes.items() if isinstance(node.data, Value)}
        return _written(lines, grads, place)


def _symbols(lines: Sequence[Line], output: int, variables: set[int]) -> dict[int, Value]:
    """The graph below `output`, where the number of each line is a symbol: a Value that stands for the line."""
    nodes: dict[int, Value] = {}
    for index in below(lines, output, variables):
        line = lines[index]
        symbol = Value(math.nan)  # nobody looks at its number
        if index in variables:
            nodes[index] = Value(symbol)
        elif line.op is None:
            nodes[index] = _fixed(symbol)
        else:
            nodes[index] = recorded(line.op, tuple([nodes[operand] for operand in line.args]), symbol)
    return nodes


def _fixed(data: Any) -> Value:
    node = Value(data)
    node.grad = None
    return node


def _written(lines: Lines, grads: Sequence[Any], place: dict[Value, int]) -> list[int]:
    for node in topological(*[grad for grad in grads if isinstance(grad, Value)]):
        if node in place:
            continue
        if node._op is None:
            place[node] = lines.add(Line(None, value=node.data))
        else:
            place[node] = lines.add(Line(node._op, tuple([place[operand] for operand in node._prev])))
    return [place[grad] if isinstance(grad, Value) else lines.add(Line(None, value=float(grad))) for grad in grads]
