"""Shorter tapes that mean the same: what is known is computed, what changes nothing is left out.

Nothing here changes a value or a domain: x/x stays, 0*f stays. Only the sign of a zero may change (x + 0).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .numbers import shortest
from .ops import INFIX, PREFIX, Op, if_, strong
from .tape import Line, Tape

_ADD, _SUB, _MUL, _DIV, _POW = (INFIX[symbol] for symbol in "+-*/^")
_NEG, _NOT, _EQ, _NE = PREFIX["-"], PREFIX["not"], INFIX["=="], INFIX["!="]
TRUTHS = {_NOT, *(INFIX[symbol] for symbol in ("<", "<=", ">", ">=", "==", "!=", "and", "or"))}  # give 1 or 0


class Lines:
    """Lines that are being written. Equal lines are shared, and a line that would change nothing is not written.

    With `signed_zeros` not even the sign of a zero changes: x + 0 stays, which makes 0 of -0.
    """

    def __init__(self, lines: Iterable[Line] = (), *, signed_zeros: bool = False) -> None:
        self.lines = list(lines)
        self._signed_zeros = signed_zeros
        self._known: dict[object, int] = {}
        for index, line in enumerate(self.lines):
            self._known.setdefault(_key(line), index)
        self._constants = {index for index, line in enumerate(self.lines) if line.value is not None}

    def add(self, line: Line) -> int:
        """The index of a line that says what `line` says: one that is there, a simpler one, or `line` itself."""
        if line.op is not None and (line.op is if_ or not self._constants.isdisjoint(line.args)):
            found = self._simpler(line)
            if isinstance(found, int):
                return found
            line = found
        key = _key(line)
        known = self._known.get(key)
        if known is not None:
            return known
        self._known[key] = index = len(self.lines)
        self.lines.append(line)
        if line.value is not None:
            self._constants.add(index)
        return index

    def _simpler(self, line: Line) -> Line | int:
        """What an operation with a constant among its operands, or an `if`, comes to."""
        for change in (self._same, self._shorter, self._same, self._folded):
            if line.op is None:
                break
            found = change(line.op, line)
            if not isinstance(found, int):
                line = found
            elif not (self._signed_zeros and line.op is _ADD):
                return found
        return line

    def _same(self, op: Op, line: Line) -> Line | int:
        """The operand that the operation merely repeats, if there is one."""
        args, operands = line.args, [self.lines[index] for index in line.args]
        if op is if_:
            return self._same_branch(line)
        if len(args) != 2:
            return line
        left, right = operands[0].value, operands[1].value
        if (left == 0 and op is _ADD) or (left == 1 and op in (_MUL, strong)) or (right == 0 and op is strong):
            return args[1]
        if (right == 0 and op in (_ADD, _SUB)) or (right == 1 and op in (_MUL, _DIV, _POW, strong)):
            return args[0]
        return args[0] if op is _NE and right == 0 and operands[0].op in TRUTHS else line

    def _same_branch(self, line: Line) -> Line | int:
        condition, yes, no = line.args
        if (known := self.lines[condition].value) is not None:
            return yes if known else no
        return yes if yes == no or (condition == yes and self.lines[no].value == 0) else line

    def _shorter(self, op: Op, line: Line) -> Line:
        """The same operation in fewer words: -1*f is -f, and a truth value needs no comparison with 0."""
        args = line.args
        first = self.lines[args[0]]
        if op is strong and first.value == -1:
            return line._replace(op=_NEG, args=args[1:])
        if op is _EQ and self.lines[args[1]].value == 0 and first.op in TRUTHS:
            return line._replace(op=_NOT, args=args[:1])
        if op is if_ and first.op in TRUTHS:
            yes, no = self._under(args[0], args[1]), args[2]
            return line._replace(args=(first.args[0], no, yes) if first.op is _NOT else (args[0], yes, no))
        return line

    def _under(self, truth: int, branch: int) -> int:
        """What `truth * f` is where the truth holds."""
        line = self.lines[branch]
        return line.args[1] if line.op is strong and line.args[0] == truth else branch

    def _folded(self, op: Op, line: Line) -> Line:
        """A constant, where the operands are constants and the result has few digits; else the line itself.

        1/3 stays, as people write it, and so does pi/4.
        """
        values = [self.lines[index].value for index in line.args]
        if op is _POW and values[1] == 0:
            return Line(None, value=1.0)
        if any(value is None for value in values):
            return line
        value = op(*values)
        whole = abs(value) < 1e15 and value == int(value)
        short = op in (_ADD, _SUB, _MUL) and len(shortest(value)) < 8
        return Line(None, value=value) if whole or short or op is _NEG else line


def _key(line: Line) -> object:
    """What makes two lines equal; 0.0 and -0.0 are two constants."""
    if line.op is not None:
        return line.op, line.args
    return (line.name, line.args) if line.value is None else repr(line.value)


def simplify(tape: Tape) -> Tape:
    """The tape without neutral elements (1*f, f + 0, f^1), with whole constants folded, and without dead lines."""
    lines = Lines()
    place: list[int] = []
    for line in tape.lines:
        place.append(lines.add(line._replace(args=tuple([place[index] for index in line.args])) if line.op else line))
    names = {name: place[index] for name, index in tape.names.items()}
    return alive(tape._replace(lines=tuple(lines.lines), output=place[tape.output], names=names))[0]


def alive(tape: Tape, also: Sequence[int] = ()) -> tuple[Tape, list[int]]:
    """The tape without the lines that neither its output nor those in `also` need, and where `also` are now."""
    needed = {tape.output, *also}
    for index in range(len(tape.lines) - 1, -1, -1):
        line = tape.lines[index]
        if index in needed and line.op is not None:
            needed.update(line.args)
    kept = {index: number for number, index in enumerate(sorted(needed))}
    lines = [_moved(tape.lines[index], kept) for index in kept]
    names = {name: kept[index] for name, index in tape.names.items() if index in kept}
    return tape._replace(lines=tuple(lines), output=kept[tape.output], names=names), [kept[index] for index in also]


def _moved(line: Line, places: Mapping[int, int]) -> Line:
    args = tuple([places[index] for index in line.args]) if line.op is not None else line.args
    return line if args == line.args else line._replace(args=args)
