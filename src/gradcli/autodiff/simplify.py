"""Shorter tapes that mean the same: what is known is computed, what changes nothing is left out.

Nothing here changes a value or a domain: x/x stays, 0*f stays. Only the sign of a zero may change (x + 0).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gradcli.text import shortest

from .ops import INFIX, PREFIX, TABLE, Op, chosen, if_, kept, lowered, per, still, strong
from .tape import Line, Tape

_ADD, _SUB, _MUL, _DIV, _POW = (INFIX[symbol] for symbol in "+-*/^")
_NEG, _NOT, _EQ, _NE = PREFIX["-"], PREFIX["not"], INFIX["=="], INFIX["!="]
TRUTHS = {row for row in TABLE if row.truth}


class TapeBuilder:
    """Lines that are being written. Equal lines are shared, and a line that would change nothing is not written.

    With `signed_zeros` not even the sign of a zero changes: x + 0 stays, which makes 0 of -0. But of the products of
    the chain rule, strong, chosen and still, it may change: a gradient's zero has no side.

    steep    the lines that a division or another row with a pole leads to: they may be infinite
    guarded  the lines that a choice leads to: they may be 0 because something else was chosen
    """

    def __init__(self, lines: Iterable[Line] = (), *, signed_zeros: bool = False) -> None:
        self.lines = list(lines)
        self.signed_zeros = signed_zeros
        self._known: dict[object, int] = {}
        self._constants: set[int] = set()
        self.steep, self.guarded = set[int](), set[int]()
        for index, line in enumerate(self.lines):
            self._known.setdefault(_key(line), index)
            self._describe(index, line)

    def add(self, line: Line) -> int:
        """The index of a line that says what `line` says: one that is there, a simpler one, or `line` itself."""
        key = _key(line)
        known = self._known.get(key)
        if known is None:
            self._known[key] = known = self._written(line)
        return known

    def number(self, number: float) -> int:
        """The index of a constant."""
        known = self._known.get(number or repr(number))
        return self.add(Line(None, value=number)) if known is None else known

    def _written(self, line: Line) -> int:
        op = line.op
        if op is not None and (op is if_ or op is chosen or op is kept or not self._constants.isdisjoint(line.args)):
            found = self._same(op, line.args)
            if found is not None:
                return found
            simpler = self._shorter(op, line)
            if simpler is line:
                simpler = self._folded(op, line)
            if simpler is not line:
                return self.add(simpler)
        self.lines.append(line)
        self._describe(len(self.lines) - 1, line)
        return len(self.lines) - 1

    def _describe(self, index: int, line: Line) -> None:
        op = line.op
        if op is None:
            if line.value is not None:
                self._constants.add(index)
            return
        if not self.steep.isdisjoint(line.args) or ("pole" in op.flags and not self._tame(op, line.args)):
            self.steep.add(index)
        if op.choice or op.truth or not self.guarded.isdisjoint(line.args):
            self.guarded.add(index)

    def _tame(self, op: Op, args: tuple[int, ...]) -> bool:
        """True for a power with a literal exponent that has no pole, and a quotient by a literal."""
        last = self.lines[args[-1]].value
        return last is not None and (last > 0 if op is _POW else bool(last) and (op is _DIV or op is per))

    def _same(self, op: Op, args: tuple[int, ...]) -> int | None:
        """The operand that the operation merely repeats, if there is one."""
        if op is if_:
            return self._same_branch(*args)
        if op is kept and args[1] not in self.guarded:
            return args[0]
        if len(args) != 2:
            return None
        first, second = args
        left, right = self.lines[first].value, self.lines[second].value
        if op is _ADD or op is _SUB:
            if right == 0 and (not self.signed_zeros or (op is _SUB and repr(right) == "0.0")):
                return first
            return second if left == 0 and op is _ADD and not self.signed_zeros else None
        if op.product and (left == 1 or (right == 0 and op is not _MUL)):
            return second
        if right == 1 and (op.product or op is _DIV or op is _POW):
            return first
        if right == 0 and op is _NE and self._is_truth(first):
            return first
        return first if (op is chosen or op is still) and left == 0 else None

    def _same_branch(self, condition: int, yes: int, no: int) -> int | None:
        if (known := self.lines[condition].value) is not None:
            return yes if known else no
        alike = condition == yes and self.lines[no].value == 0 and not self.signed_zeros
        return yes if yes == no or alike else None

    def _shorter(self, op: Op, line: Line) -> Line:
        """The same operation in fewer words: -1*f is -f, and a truth value needs no comparison with 0."""
        args = line.args
        first, truth = self.lines[args[0]], self._is_truth(args[0])
        if op is strong and first.value == -1:
            return line._replace(op=_NEG, args=args[1:])
        if op is lowered and (exponent := self._exponent(*args[1:])) is not None:
            return line._replace(op=_POW, args=(args[0], self.number(exponent)))
        if op is chosen and truth:
            return line._replace(op=if_, args=(*args, self.number(0.0)))
        if op is _EQ and self.lines[args[1]].value == 0 and truth:
            return line._replace(op=_NOT, args=args[:1])
        if op is if_ and truth:
            condition, yes, no = args[0], self._under(args[0], args[1]), args[2]
            while self.lines[condition].op is _NOT:
                condition, yes, no = self.lines[condition].args[0], no, yes
                yes = self._under(condition, yes)
            shorter = (condition, yes, no)
            return line if shorter == args else line._replace(args=shorter)
        return line

    def _exponent(self, b: int, k: int) -> float | None:
        """b - k, if both are constants and nothing is rounded off."""
        whole, less = self.lines[b].value, self.lines[k].value
        if whole is None or less is None or (whole - less) + less != whole or whole - (whole - less) != less:
            return None
        return whole - less

    def _is_truth(self, index: int) -> bool:
        op = self.lines[index].op
        return op is not None and op.truth

    def _under(self, truth: int, branch: int) -> int:
        """The line of `truth * f` where the truth holds."""
        line = self.lines[branch]
        return line.args[1] if line.op is strong and line.args[0] == truth else branch

    def _folded(self, op: Op, line: Line) -> Line:
        """A constant, where the operands are constants and the result has few digits; else the line itself.

        1/3 stays, as people write it, and so does pi/4.
        """
        values = [self.lines[index].value for index in line.args]
        if op is _POW and values[1] == 0:
            return Line(None, value=1.0)
        if None in values:
            return line
        value = op(*values)
        whole = abs(value) < 1e15 and value == int(value)
        short = op in (_ADD, _SUB, _MUL) and len(shortest(value)) < 8
        return Line(None, value=value) if whole or short or op is _NEG else line


def _key(line: Line) -> object:
    """The key by which two lines are equal; 0.0 and -0.0 are two constants."""
    if line.op is not None:
        return line.op, line.args
    return (line.name, line.args) if line.value is None else line.value or repr(line.value)


def simplify(tape: Tape) -> Tape:
    """The tape without neutral elements (1*f, f + 0, f^1), with whole constants folded, and without dead lines."""
    lines = TapeBuilder()
    place: list[int] = []
    for line in tape.lines:
        place.append(lines.add(moved(line, place)))
    names = {name: place[index] for name, index in tape.names.items()}
    return without_dead_lines(tape._replace(lines=tuple(lines.lines), output=place[tape.output], names=names))[0]


def without_dead_lines(tape: Tape, also: Sequence[int] = ()) -> tuple[Tape, list[int]]:
    """The tape without the lines that neither its output nor those in `also` need, and where `also` are now."""
    needed = bytearray(len(tape.lines))
    for index in (tape.output, *also):
        needed[index] = 1
    for index in range(len(tape.lines) - 1, -1, -1):
        line = tape.lines[index]
        if needed[index] and line.op is not None:
            for operand in line.args:
                needed[operand] = 1
    lines: list[Line] = []
    kept: dict[int, int] = {}
    for index, line in enumerate(tape.lines):
        if needed[index]:
            kept[index] = len(lines)
            lines.append(moved(line, kept) if index != len(lines) else line)
    names = {name: kept[index] for name, index in tape.names.items() if index in kept}
    return tape._replace(lines=tuple(lines), output=kept[tape.output], names=names), [kept[index] for index in also]


def moved(line: Line, places: Mapping[int, int] | Sequence[int]) -> Line:
    """The line with its operands where `places` says that they are now."""
    args = tuple([places[index] for index in line.args]) if line.op is not None else line.args
    return line if args == line.args else Line(line.op, args, *line[2:])
