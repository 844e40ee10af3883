"""Shorter tapes that mean the same: what is known is computed, what changes nothing is left out.

Nothing here changes a value or a domain: x/x stays, 0*f stays. Only the sign of a zero may change (x + 0).
"""

from __future__ import annotations

from .ops import INFIX, PREFIX, Op, if_, strong
from .tape import Line, Tape

_ADD, _SUB, _MUL, _DIV, _POW = (INFIX[symbol] for symbol in "+-*/^")


def simplify(tape: Tape) -> Tape:
    """The tape without neutral elements (1*f, f + 0, f^1), with whole constants folded, and without dead lines."""
    lines: list[Line] = []
    place: list[int] = []
    for line in tape.lines:
        args = tuple([place[index] for index in line.args])
        known = _same_as(line.op, args, [lines[index].value for index in args]) if line.op else None
        if known is None:
            known = len(lines)
            lines.append(_folded(line._replace(args=args), lines))
        place.append(known)
    return _alive(tape._replace(lines=tuple(lines), output=place[tape.output]))


def _same_as(op: Op, args: tuple[int, ...], values: list[float | None]) -> int | None:
    """The operand that the operation merely repeats, if there is one."""
    if op is if_ and values[0] is not None:
        return args[1] if values[0] else args[2]
    if len(args) != 2:
        return None
    left, right = values
    if (left == 0 and op is _ADD) or (left == 1 and op in (_MUL, strong)):
        return args[1]
    if (right == 0 and op in (_ADD, _SUB)) or (right == 1 and op in (_MUL, _DIV, _POW, strong)):
        return args[0]
    return None


def _folded(line: Line, lines: list[Line]) -> Line:
    """A constant, where the operands are constants and the result is a whole number; else the line itself."""
    values = [lines[index].value for index in line.args]
    if line.op is None or any(value is None for value in values):
        return line
    value = line.op(*values)
    whole = value == value and abs(value) < 1e15 and value == int(value)
    return Line(None, value=value) if whole or line.op is PREFIX["-"] else line


def _alive(tape: Tape) -> Tape:
    alive = {tape.output}
    for index in range(len(tape.lines) - 1, -1, -1):
        if index in alive:
            alive.update(tape.lines[index].args if tape.lines[index].op else ())
    kept = {index: number for number, index in enumerate(sorted(alive))}
    lines = tuple(
        tape.lines[i]._replace(args=tuple([kept[a] for a in tape.lines[i].args])) if tape.lines[i].op else tape.lines[i]
        for i in kept
    )
    return tape._replace(
        lines=lines, output=kept[tape.output], names={n: kept[i] for n, i in tape.names.items() if i in kept}
    )
