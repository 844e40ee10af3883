"""Formulas as a person would write them: the tape of a derivative, put in order for reading.

Every line becomes a sum of products, as far as that is short: signs are pulled out, numbers multiplied and put in
front, like terms collected, neutral elements left out, and what a strong zero hides becomes a plain product. No
domain changes: x/x is not 1, terms of opposite signs stay, and y/x/x is not y/x^2, where x^2 may overflow. Where a
power of x was written, y*x/x^2/x^2 is y/x^3: outside of 1e-100 < |x| < 1e100 one may be 0 or inf where the other is
not yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce

from gradcli.autodiff.ops import FUNCTIONS, INFIX, PREFIX, Op, if_, over, powlog, strong
from gradcli.autodiff.simplify import without_dead_lines
from gradcli.autodiff.symbols import spelled
from gradcli.autodiff.tape import Line, Tape

from .choices import Choices
from .terms import ZERO, Sum, atom

_ADD, _SUB, _MUL, _DIV, _POW = (INFIX[symbol] for symbol in "+-*/^")
_NEG, _NE = PREFIX["-"], INFIX["!="]
_SUM, _PROD, _LOG = (FUNCTIONS[name] for name in ("sum", "prod", "log"))
LONGEST, LONGEST_SHARED = 32, 4  # terms or factors that are merged into what they are part of


def tidy(tape: Tape, wanted: Sequence[int], *, named: bool = False) -> tuple[Tape, list[int]]:
    """The tape with its lines put in order, and where those in `wanted` are now. It means the same.

    With `named` the lines that the program assigned a name to stay lines of their own.
    """
    lines, place = spelled(tape.lines)
    names = {name: place[index] for name, index in tape.names.items()}
    tape = tape._replace(lines=tuple(lines), output=place[tape.output], names=names)
    wanted = [place[index] for index in wanted]
    desk = _Desk(tape, wanted, set(tape.names.values()) if named else set())
    for index, line in enumerate(tape.lines):
        desk.read(index, line)
    places = [desk.write(desk.sums[index]) for index in (tape.output, *wanted)]
    names = {name: desk.write(desk.sums[index]) for name, index in tape.names.items() if named}
    result = tape._replace(lines=tuple(desk.lines.lines), output=places[0], names=names)
    return without_dead_lines(result, places[1:])


class _Desk(Choices):
    """Where a tape is rewritten: `sums` says what each of its lines is, `lines` is what has been written anew."""

    def __init__(self, tape: Tape, wanted: Sequence[int], named: set[int]) -> None:
        super().__init__()
        self.sums: list[Sum] = []
        self.uses = Counter(operand for line in tape.lines if line.op is not None for operand in line.args)
        self.uses.update(wanted)
        self.named = named
        self.links = self._chained_sums(tape)

    def _chained_sums(self, tape: Tape) -> set[int]:
        """Sums that are only a part of another: what is alike in them is collected once, at the end of the chain."""
        found: set[int] = set()
        for line in tape.lines:
            if line.op in (_ADD, _SUB):
                found.update(line.args if line.op is _ADD else line.args[:1])
        return {i for i in found if tape.lines[i].op in (_ADD, _SUB) and self.uses[i] == 1 and i not in self.named}

    def _terms(self, line: Line) -> Sum:
        left, right = (self.sums[i] for i in line.args)
        return left + (self._negative(right) if line.op is _SUB else right)

    def read(self, index: int, line: Line) -> None:
        """Take in a line of the tape."""
        if index in self.links and len(terms := self._terms(line)) <= LONGEST:
            self.sums.append(terms)
            return
        found = self._operation(line.op, [self.sums[i] for i in line.args]) if line.op is not None else self._leaf(line)
        if line.op is _MUL and line.span != (0, 0) and not line.formula:
            names = self.names_of(found[0].over)
            self.typed.setdefault(tuple(sorted(names)), names)
        size = len(found) if len(found) > 1 else found[0].size
        if index in self.named or size > (LONGEST if self.uses[index] <= 1 else LONGEST_SHARED):
            found = atom(self.write(found)) if index in self.named else self._packed(found)
        self.sums.append(found)

    def _operation(self, op: Op, operands: list[Sum]) -> Sum:
        if op in (_ADD, _SUM):
            return self._sum(operands)
        if op is _SUB:
            return self._sum([operands[0], self._negative(operands[1])])
        if op is _NEG:
            return self._negative(operands[0])
        if op in (_DIV, over):
            return self._share(*operands) or (self._over(*operands),)
        if op is _NE and operands[1] == ZERO and (truth := self._truth_of(operands[0])) is not None:
            return atom(truth)
        if op is _PROD:
            return reduce(self._product_of, operands)
        if op is powlog:
            return (self._times(self._call(_POW, operands), self._call(_LOG, operands[:1])),)
        rules: dict[Op, Callable[..., Sum]] = {
            _MUL: self._product_of,
            strong: self._chained,
            _POW: self._raised_to,
            if_: self._choice,
        }
        return rules[op](*operands) if op in rules else self._call(op, operands)
