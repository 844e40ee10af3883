"""The tape: a computation as a list of lines, each an operation on lines before it (a Wengert list).

The parser writes one, the printer reads one, and `replay` runs one on any kind of number: floats give the
value, Values give the graph that `backward()` walks.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from gradcli.errors import Source

from .engine import Value, constant, topological
from .ops import Op, Rule

Span = tuple[int, int]
MAX_LINES = 1_000_000  # calls are written out; more lines than this come of a program that doubles at every step


class Line(NamedTuple):
    """One step: an operation on earlier lines, an input (no `op`, no `value`) or a constant (no `op`).

    name    the variable that an input stands for; else the name that the program gave the line, or ""
    span    where in the source the line was written
    call    the text of the call of a user's function, or of diff, that this line came from, or ""
    formula what a line of a derivative computes, which was not typed; else ""
    """

    op: Op | None
    args: tuple[int, ...] = ()
    value: float | None = None
    name: str = ""
    span: Span = (0, 0)
    call: str = ""
    formula: str = ""


class Tape(NamedTuple):
    """A program as lines, operands first.

    output  the line that is the result
    title   the name of the result, or "" where it has none
    names   the line that each assigned name stands for
    unused  names and functions that the program defines and does not use, with their places
    """

    lines: tuple[Line, ...]
    output: int
    title: str = ""
    source: Source = Source("")
    names: Mapping[str, int] = {}
    unused: tuple[tuple[str, Span], ...] = ()

    @property
    def inputs(self) -> dict[str, int]:
        """The variables in the order of their first appearance, and the line of each."""
        return {line.name: index for index, line in enumerate(self.lines) if line.op is None and line.value is None}

    def text(self, index: int) -> str:
        """The text that was typed for a line; its formula if it was not typed."""
        return self.lines[index].formula or self.source.text[slice(*self.lines[index].span)]


def below(lines: Sequence[Line], output: int, cut: Container[int] = ()) -> list[int]:
    """The lines that `output` is computed from, in order; those in `cut` are not taken apart."""
    needed, stack = {output}, [output]
    while stack:
        index = stack.pop()
        if lines[index].op is not None and index not in cut:
            stack += [operand for operand in lines[index].args if operand not in needed]
            needed.update(lines[index].args)
    return sorted(needed)


def active(
    rows: Sequence[Op | None], operands: Sequence[tuple[int, ...]], numbers: Sequence[float], output: int
) -> list[int]:
    """The lines that the number of `output` was really computed from, in order: no branch that was not taken."""
    seen: set[int] = set()
    stack = [output]
    while stack:
        index = stack.pop()
        row = rows[index]
        if index not in seen:
            seen.add(index)
            args = operands[index]
            stack += args if row is None else _used(row.name, args, [numbers[arg] for arg in args], numbers[index])
    return sorted(seen)


def _used(name: str, args: tuple[int, ...], numbers: list[float], y: float) -> tuple[int, ...]:
    first = numbers[0]
    if name == "if":
        return args[0], args[1 if first else 2]
    if (name in ("and", "chosen", "still") and not first) or (name == "or" and first):
        return args[:1]  # chosen(f, g), in a derivative, is 0 where f is 0, whatever g is
    if name == "kept" and not math.isfinite(first) and not y:
        return args[1:]
    return args


def replay(tape: Tape, inputs: Mapping[str, Any], lift: Callable[[float], Any] = float) -> list[Any]:
    """Run the tape: the number of every line, in the order of the lines.

    `inputs` maps each variable to a number of any kind; `lift` makes that kind out of a literal.
    """
    numbers: list[Any] = []
    with collection_paused():
        for line in tape.lines:
            if line.op is not None:
                numbers.append(line.op(*[numbers[index] for index in line.args]))
            else:
                numbers.append(inputs[line.name] if line.value is None else lift(line.value))
    return numbers


def graph(tape: Tape, inputs: Mapping[str, float]) -> list[Value]:
    """Run the tape on Values: the node of every line, ready for `backward()` on the output's."""
    return replay(tape, {name: Value(number) for name, number in inputs.items()}, constant)


@contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage collection while a graph grows: it has no cycles, and the collector would walk it again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def evaluate(tape: Tape, inputs: Mapping[str, float]) -> float:
    """The number of the output, from numbers."""
    return float(replay(tape, inputs)[tape.output])


def record(output: Value, names: Mapping[Value, str]) -> Tape:
    """The graph below `output` as a tape: `names` are its inputs, every other leaf is a constant.

    Equal lines are shared, so that a recorded derivative computes nothing twice. An input that the output does
    not depend on has no line.
    """
    lines: list[Line] = []
    known: dict[Line, int] = {}
    place: dict[Value, int] = {}
    for node in topological(output):
        if node in names:
            line = Line(None, name=names[node])
        elif node._row is None:
            line = Line(None, value=node.data)
        else:
            line = Line(node._row, tuple([place[operand] for operand in node._prev]))
        key = line if line.value is None else line._replace(name=str(line.value))  # 0.0 and -0.0 are two constants
        if key not in known:
            known[key] = len(lines)
            lines.append(line)
        place[node] = known[key]
    return Tape(tuple(lines), place[output])


def expansion(op: Op, count: int) -> Tape | None:
    """The expansion of an operation on so many operands, a tape whose inputs are their positions; None if it does not."""
    return None if op.expands is None else recorded_rule(op.expands, count)


@cache
def recorded_rule(rule: Rule, count: int) -> Tape:
    """A rule of the table as a tape, whose inputs are the positions of its operands."""
    operands = [Value(0.5) for _ in range(count)]
    return record(constant(rule(*operands)), {operand: str(index) for index, operand in enumerate(operands)})


def lacking(lines: Iterable[Line], native: Container[Op]) -> list[Op]:
    """The rows among the lines that are neither in `native` nor expand to rows that are."""
    found: dict[Op, None] = {}
    for line in lines:
        if line.op is not None and line.op not in native:
            tape = expansion(line.op, len(line.args))
            found |= dict.fromkeys([line.op] if tape is None else lacking(tape.lines, native))
    return list(found)
