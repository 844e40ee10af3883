"""Formulas as a person would write them: the tape of a derivative, put in order for reading.

Every line becomes a sum of products, as far as that is short: signs are pulled out, numbers multiplied and put in
front, like terms collected, neutral elements left out. No domain changes: nothing is cancelled that could be 0 or
infinite, terms of opposite signs stay, and y/x/x is not y/x^2, where x^2 may overflow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite
from typing import NamedTuple

from .numbers import shortest
from .ops import CONSTANTS, FUNCTIONS, INFIX, PREFIX, if_, strong
from .simplify import TRUTHS, Lines, alive
from .tape import Line, Tape
from .unparse import FAMILIAR

_ADD, _SUB, _MUL, _DIV, _POW = (INFIX[symbol] for symbol in "+-*/^")
_NEG, _SUM = PREFIX["-"], FUNCTIONS["sum"]
LONGEST, LONGEST_SHARED = 32, 4  # terms or factors that are merged into what they are part of
LARGEST = 2**53


class Product(NamedTuple):
    """A number times the lines in `over`, divided by those in `under`; `decimal` if the number is not a fraction."""

    number: Fraction
    decimal: bool = False
    over: tuple[int, ...] = ()
    under: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return len(self.over) + len(self.under)


Sum = tuple[Product, ...]


def tidy(tape: Tape, wanted: Sequence[int], *, named: bool = False) -> tuple[Tape, list[int]]:
    """The tape with its lines put in order, and where those in `wanted` are now. It means the same.

    With `named` the lines that the program assigned a name to stay lines of their own.
    """
    desk = _Desk(tape, wanted, set(tape.names.values()) if named else set())
    for index, line in enumerate(tape.lines):
        desk.read(index, line)
    places = [desk.write(desk.sums[index]) for index in (tape.output, *wanted)]
    names = {name: desk.write(desk.sums[index]) for name, index in tape.names.items() if named}
    result = tape._replace(lines=tuple(desk.lines.lines), output=places[0], names=names)
    return alive(result, places[1:])


class _Desk:
    """Where a tape is rewritten: `sums` says what each of its lines is, `lines` is what has been written anew."""

    def __init__(self, tape: Tape, wanted: Sequence[int], named: set[int]) -> None:
        self.lines = Lines()
        self.sums: list[Sum] = []
        self.uses = Counter(operand for line in tape.lines if line.op is not None for operand in line.args)
        self.uses.update(wanted)
        self.named = named
        self.written: dict[Sum, int] = {}
        self.read_as: dict[int, Sum] = {}  # of a line that was written: the sum it stands for

    # ------------------------------------------------------------------------------------------- reading

    def read(self, index: int, line: Line) -> None:
        found = self._operation(line) if line.op is not None else self._leaf(line)
        size = len(found) if len(found) > 1 else found[0].size
        if index in self.named or size > (LONGEST if self.uses[index] <= 1 else LONGEST_SHARED):
            found = _atom(self.write(found))
        self.sums.append(found)

    def _leaf(self, line: Line) -> Sum:
        if line.value is None or line.name or not isfinite(line.value) or repr(abs(line.value)) in _OTHERS:
            return _atom(self.lines.add(line._replace(span=(0, 0), formula="")))
        if repr(line.value) == "-0.0":
            return _atom(self.lines.add(Line(None, value=line.value)))
        digits = shortest(line.value)
        return (Product(Fraction(digits), not digits.lstrip("-").isdigit()),)

    def _operation(self, line: Line) -> Sum:
        op, operands = line.op, [self.sums[index] for index in line.args]
        assert op is not None
        if op in (_ADD, _SUM):
            return self._sum(operands)
        if op is _NEG:
            return self._negative(operands[0])
        if op is _SUB:
            return self._sum([operands[0], self._negative(operands[1])])
        if op is _MUL:
            return (self._times(*operands),)
        if op is strong:
            return self._chained(*operands)
        if op is _DIV:
            return (self._over(*operands),)
        return _atom(self.lines.add(Line(op, tuple([self.write(operand) for operand in operands]))))

    def _single(self, operand: Sum) -> Product:
        return operand[0] if len(operand) == 1 else Product(Fraction(1), over=(self.write(operand),))

    def _negative(self, operand: Sum) -> Sum:
        product = self._single(operand)
        return (product._replace(number=-product.number),)

    def _times(self, left: Sum, right: Sum) -> Product:
        a, b = self._single(left), self._single(right)
        number = a.number * b.number
        if not _holds(number):
            a = Product(Fraction(1), over=(self.write((a,)),))
            number = b.number
        return Product(number, a.decimal or b.decimal, self._powers(a.over + b.over), a.under + b.under)

    def _chained(self, local: Sum, upstream: Sum) -> Sum:
        """local × upstream with the strong zero: a truth value among them becomes an `if`, which shows it."""
        guard = self._written_as(upstream)
        if guard is not None and guard.op in TRUTHS:
            return self._if(self.write(upstream), local, ())
        if guard is not None and guard.op is if_:
            condition, a, b = guard.args
            if self._is_zero(b):
                return self._if(condition, (self._times(local, self._read(a)),), ())
            if self._is_zero(a):
                return self._if(condition, (), (self._times(local, self._read(b)),))
        return (self._times(local, upstream),)

    def _written_as(self, sum_: Sum) -> Line | None:
        """The line behind a sum that is one line."""
        (product, *more) = sum_
        if more or product != Product(Fraction(1), over=product.over[:1]):
            return None
        return self.lines.lines[product.over[0]] if product.over else None

    def _if(self, condition: int, yes: Sum, no: Sum) -> Sum:
        zero = (Product(Fraction(0)),)
        return _atom(self.lines.add(Line(if_, (condition, self.write(yes or zero), self.write(no or zero)))))

    def _read(self, index: int) -> Sum:
        return self.read_as.get(index, _atom(index))

    def _is_zero(self, index: int) -> bool:
        return self.lines.lines[index].value == 0

    def _over(self, left: Sum, right: Sum) -> Product:
        a, b = self._single(left), self._single(right)
        if b.under or b.number == 0 or not _holds(a.number / b.number):
            b = Product(Fraction(1), over=(self.write(right),))
        return Product(a.number / b.number, a.decimal or b.decimal, a.over, a.under + b.over)

    def _powers(self, factors: tuple[int, ...]) -> tuple[int, ...]:
        """x^2 * x is x^3 where a power was written; x*x stays x*x."""
        powers = {index: self._power(index) for index in factors}
        bases = {base for base, exponent in powers.values() if exponent > 1}
        if len(factors) < 2 or not bases:
            return factors
        total: dict[int, int] = {}
        for index in factors:
            base, exponent = powers[index]
            total[base] = total.get(base, 0) + exponent
        merged: list[int] = []
        for index in factors:
            base, _ = powers[index]
            if base not in bases:
                merged.append(index)
            elif base in total:
                merged.append(self._raised(base, total.pop(base)))
        return tuple(merged)

    def _power(self, index: int) -> tuple[int, int]:
        """Base and exponent, where that is a whole number above 1; else the line itself and 1."""
        line = self.lines.lines[index]
        exponent = self.lines.lines[line.args[1]].value if line.op is _POW else None
        if exponent is None or exponent <= 1 or exponent != int(exponent):
            return index, 1
        return line.args[0], int(exponent)

    def _raised(self, base: int, exponent: int) -> int:
        return self.lines.add(Line(_POW, (base, self._number(Fraction(exponent), False))))

    def _sum(self, operands: Iterable[Sum]) -> Sum:
        """The terms of all, like ones of the same sign collected, and the numbers added up."""
        terms: dict[object, Product] = {}
        for term in self._branches([term for operand in operands for term in operand]):
            if not term.size and not term.number:
                continue
            sign = (term.number > 0) - (term.number < 0) if term.size else None
            key: tuple[object, ...] = (tuple(sorted(term.over)), tuple(sorted(term.under)), sign)
            known = terms.get(key)
            if known is not None and _holds(known.number + term.number):
                term = known._replace(number=known.number + term.number, decimal=known.decimal or term.decimal)
            elif known is not None:
                key = (*key, len(terms))
            terms[key] = term
        found = [term for term in terms.values() if term.size or term.number]
        return tuple(found) or (Product(Fraction(0)),)

    def _branches(self, terms: list[Product]) -> list[Product]:
        """if(c, f, 0) + if(c, 0, g) is if(c, f, g)."""
        place: dict[int, int] = {}
        found: list[Product] = []
        for term in terms:
            line = self._written_as((term,))
            if line is None or line.op is not if_:
                found.append(term)
            elif line.args[0] not in place:
                place[line.args[0]] = len(found)
                found.append(term)
            else:
                earlier = place[line.args[0]]
                before = self._written_as((found[earlier],))
                assert before is not None
                yes, no = (self._sum([self._read(before.args[i]), self._read(line.args[i])]) for i in (1, 2))
                (found[earlier],) = self._if(line.args[0], yes, no)
        return found

    # ------------------------------------------------------------------------------------------- writing

    def write(self, sum_: Sum) -> int:
        """The line of a sum: a positive term first, then the others in their order."""
        if sum_ in self.written:
            return self.written[sum_]
        first = next((i for i, term in enumerate(sum_) if term.number >= 0), 0)
        line = self._product(sum_[first])
        for term in sum_[:first] + sum_[first + 1 :]:
            op = _SUB if term.number < 0 else _ADD
            line = self.lines.add(Line(op, (line, self._product(term._replace(number=abs(term.number))))))
        self.written[sum_] = line
        self.read_as.setdefault(line, sum_)
        return line

    def _product(self, product: Product) -> int:
        """number * names * powers * the rest / divisors."""
        number, decimal = product.number, product.decimal
        if decimal and not _is_decimal(number):
            decimal = False
        top, bottom = (number, Fraction(1)) if decimal else (Fraction(number.numerator), Fraction(number.denominator))
        factors = sorted(product.over, key=self._rank)
        under = list(product.under)
        if abs(top) != 1 or not factors:
            factors.insert(0, self._number(top, decimal))
        elif top == -1:
            factors[0] = self.lines.add(Line(_NEG, (factors[0],)))
        if not product.over:
            under = list(self._squares(under))
        line = factors[0]
        for factor in factors[1:]:
            line = self.lines.add(Line(_MUL, (line, factor)))
        return self._divided(line, bottom, under)

    def _divided(self, line: int, bottom: Fraction, under: list[int]) -> int:
        """By the product of the divisors, and once more by each that is there once more."""
        distinct = sorted(dict.fromkeys(under), key=self._rank)
        again = [index for index in distinct for _ in range(under.count(index) - 1)]
        if bottom != 1:
            distinct.insert(0, self._number(bottom, False))
        if distinct:
            divisor = distinct[0]
            for factor in distinct[1:]:
                divisor = self.lines.add(Line(_MUL, (divisor, factor)))
            line = self.lines.add(Line(_DIV, (line, divisor)))
        for index in again:
            line = self.lines.add(Line(_DIV, (line, index)))
        return line

    def _squares(self, under: list[int]) -> tuple[int, ...]:
        """Below a plain number x*x may be x^2: where that overflows, the quotient is 0 either way."""
        count = Counter(under)
        return self._powers(tuple([self._raised(index, n) if n > 1 else index for index, n in count.items()]))

    def _rank(self, index: int) -> tuple[int, int]:
        """Constants first, then names and their powers as they appear, then the rest as it came."""
        line = self.lines.lines[index]
        base, _ = self._power(index)
        if line.op is None and line.value is not None:
            return 0, 0
        return (1, base) if self.lines.lines[base].op is None else (2, 0)

    def _number(self, number: Fraction, decimal: bool) -> int:
        value = float(number)
        return self.lines.add(Line(None, value=value))


_OTHERS = {repr(value) for value in [*CONSTANTS.values(), *FAMILIAR]}  # numbers that are known by a name


def _atom(index: int) -> Sum:
    return (Product(Fraction(1), over=(index,)),)


def _holds(number: Fraction) -> bool:
    """Whether binary64 holds numerator and denominator, or the digits, so that nothing is lost when it is written."""
    return max(abs(number.numerator), number.denominator) <= LARGEST or _is_decimal(number)


def _is_decimal(number: Fraction) -> bool:
    """Whether the shortest digits of the nearest double are exactly `number`."""
    if not number or number.denominator > 10**40:
        return not number
    try:
        value = float(number)
    except OverflowError:
        return False
    return value != 0 and Fraction(repr(value)) == number
