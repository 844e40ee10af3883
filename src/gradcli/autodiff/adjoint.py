"""The backward pass as lines of the tape: the derivative as a formula.

The same engine, run on Values whose data are symbols: what it does with numbers it now does with the lines of the
tape, and what it would compute is written down as more lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gradcli.errors import UsageError

from .engine import Value, recorded
from .simplify import TapeBuilder, without_dead_lines
from .symbols import Symbol, line_of
from .tape import MAX_LINES, Line, Tape, below, collection_paused


def differentiate(tape: Tape, names: Sequence[str], order: int = 1) -> tuple[Tape, dict[str, int]]:
    """The tape with the lines of the gradient after its own, and the line of the partial derivative by each name.

    A name may be a variable or one that the program assigned; by one that does not occur the derivative is 0. With
    `order` n it is the n-th derivative by each. Lines that neither value nor derivatives need are dropped. Raises
    UsageError where that takes more than a million lines.
    """
    with collection_paused():
        return _differentiated(tape, names, order)


def _differentiated(tape: Tape, names: Sequence[str], order: int) -> tuple[Tape, dict[str, int]]:
    lines, places = TapeBuilder(tape.lines), _places(tape, names)
    by = list(dict.fromkeys(place for place in places.values() if place is not None))
    found: dict[int | None, int] = dict(zip(by, backward(lines, tape.output, by), strict=True))
    for place in by if order > 1 else ():
        for _ in range(order - 1):
            (found[place],) = backward(lines, found[place], [place])
    return _gathered(tape, lines, {name: found.get(place) for name, place in places.items()})


def successive(tape: Tape, name: str, order: int) -> tuple[Tape, list[int]]:
    """The tape with its first `order` derivatives by one variable, and the lines of its output and of each of them."""
    lines, place, found = TapeBuilder(tape.lines), tape.inputs.get(name), [tape.output]
    for _ in range(order):
        found.append(lines.add(ZERO) if place is None else backward(lines, found[-1], [place])[0])
    return without_dead_lines(tape._replace(lines=tuple(lines.lines)), found)


def differentiate_in_turn(tape: Tape, names: Sequence[str]) -> tuple[Tape, dict[str, int]]:
    """The mixed derivative, by the first name, of that by the second, and so on: one line, called "x,y"."""
    lines, places, found = TapeBuilder(tape.lines), _places(tape, names), tape.output
    for name in names:
        place = places[name]
        found = lines.add(ZERO) if place is None else backward(lines, found, [place])[0]
    return _gathered(tape, lines, {",".join(names): found})


ZERO = Line(None, value=0.0)


def _places(tape: Tape, names: Sequence[str]) -> dict[str, int | None]:
    inputs = tape.inputs
    return {name: inputs.get(name, tape.names.get(name)) for name in names}


def _gathered(tape: Tape, lines: TapeBuilder, found: dict[str, int | None]) -> tuple[Tape, dict[str, int]]:
    also = [lines.add(ZERO) if place is None else place for place in found.values()]
    shorter, kept = without_dead_lines(tape._replace(lines=tuple(lines.lines)), also)
    return shorter, dict(zip(found, kept, strict=True))


def backward(lines: TapeBuilder, output: int, by: Iterable[int]) -> list[int]:
    """Write the backward pass from one line after the others: the line of the derivative by each of `by`, once each.

    A line in `by` counts as a variable, be it an operation or a constant; what others in `by` are computed from it
    counts all the same. Raises UsageError beyond MAX_LINES lines.
    """
    wanted = list(dict.fromkeys(by))
    with collection_paused():
        nodes = _symbols(lines, output, set(wanted))
        top = nodes.get(output)
        if top is not None:
            top.backward()
        grads = [nodes[index].grad if index in nodes else 0.0 for index in wanted]
        found = [line_of(lines, grad) for grad in grads]
    if len(lines.lines) > MAX_LINES:
        raise UsageError(f"this derivative takes more than {MAX_LINES} operations")
    return found


def _symbols(lines: TapeBuilder, output: int, variables: set[int]) -> dict[int, Value]:
    """The graph below `output`, where the number of each line is a symbol that stands for the line."""
    nodes: dict[int, Value] = {}
    bits = {index: 1 << position for position, index in enumerate(variables)}
    cut = variables if len(variables) == 1 else ()  # the only variable: what it was computed from does not matter
    for index in below(lines.lines, output, cut):
        line = lines.lines[index]
        depends = bits.get(index, 0)
        for operand in line.args if line.op is not None and index not in cut else ():
            depends |= nodes[operand].data.below
        symbol = Symbol(lines, index, depends)
        if line.op is None or index in cut:
            nodes[index] = Value(symbol) if index in variables else _fixed(symbol)
        else:
            nodes[index] = recorded(line.op, tuple([nodes[operand] for operand in line.args]), symbol)
            if index in variables and nodes[index]._grad is None:
                nodes[index].grad = 0.0
    return nodes


def _fixed(data: Any) -> Value:
    node = Value(data)
    node._grad = None
    return node
