"""Sums of products, and how they are set: numbers in front, then names, then the rest, and one bar for the divisors.

What `tidy` makes of the lines of a tape, before they are lines again.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from gradcli.autodiff.ops import CONSTANTS, FUNCTIONS, INFIX, PREFIX
from gradcli.autodiff.simplify import TapeBuilder
from gradcli.autodiff.tape import Line
from gradcli.language.unparse import FAMILIAR
from gradcli.text import shortest

_ADD, _SUB, _MUL, _DIV, _POW = (INFIX[symbol] for symbol in "+-*/^")
_NEG, _LOG = PREFIX["-"], FUNCTIONS["log"]
LARGEST, SMALLEST = 2**53, 1e-30  # of numbers that are calculated with


class Product(NamedTuple):
    """A number times the lines in `over`, divided by those in `under`; `decimal` if the number is not a fraction."""

    number: Fraction
    decimal: bool = False
    over: tuple[int, ...] = ()
    under: tuple[int, ...] = ()

    @property
    def negative(self) -> bool:
        return self.number.numerator < 0

    @property
    def size(self) -> int:
        return len(self.over) + len(self.under)


Sum = tuple[Product, ...]
ZERO: Sum = (Product(Fraction(0)),)


def atom(index: int) -> Sum:
    """A line, taken as it is."""
    return (Product(Fraction(1), over=(index,)),)


class Paper:
    """Where sums become lines. `written` has the line of each sum, `read_as` the sum of each line."""

    def __init__(self) -> None:
        self.lines = TapeBuilder()
        self.written: dict[Sum, int] = {}
        self.read_as: dict[int, Sum] = {}
        self.typed: dict[tuple[int, ...], tuple[int, ...]] = {}  # names in a product, sorted: the order typed
        self.constant: list[bool] = []  # for each line, whether no variable is in it
        self.raised: set[int] = set()  # lines of which a power was written

    def write(self, sum_: Sum) -> int:
        """The line of a sum: a positive term first, then the others in their order."""
        if sum_ in self.written:
            return self.written[sum_]
        first = next((i for i, term in enumerate(sum_) if not term.negative), 0)
        line = self._product(sum_[first])
        for term in sum_[:first] + sum_[first + 1 :]:
            op = _SUB if term.negative else _ADD
            line = self.lines.add(Line(op, (line, self._product(_positive(term)))))
        self.written[sum_] = line
        self.read_as.setdefault(line, sum_)
        return line

    def _product(self, product: Product) -> int:
        """number * constants * names * powers * the rest / divisors."""
        if product.number == -1 and product.size == 1 and product.over:
            (inner, *more) = self.read_as.get(product.over[0], (product, product))
            product = product if more else inner._replace(number=-inner.number)
        number, decimal = product.number, product.decimal and is_decimal(product.number)
        top, bottom = (number, Fraction(1)) if decimal else (Fraction(number.numerator), Fraction(number.denominator))
        factors = self._in_order(product.over)
        if abs(top) != 1 or not factors:
            factors.insert(0, self._number(top))
        elif top == -1:
            factors[0] = self.lines.add(Line(_NEG, (factors[0],)))
        return self._divided(self._times_all(factors), bottom, self._divisors(product))

    def _divided(self, line: int, bottom: Fraction, under: tuple[int, ...]) -> int:
        """By the product of the divisors, and once more by each that is there once more."""
        distinct = self._in_order(tuple(dict.fromkeys(under)))
        again = [index for index in distinct for _ in range(under.count(index) - 1)]
        if bottom != 1:
            distinct.insert(0, self._number(bottom))
        if distinct:
            line = self.lines.add(Line(_DIV, (line, self._times_all(distinct))))
        for index in again:
            line = self.lines.add(Line(_DIV, (line, index)))
        return line

    def _times_all(self, factors: list[int]) -> int:
        line = factors[0]
        for factor in factors[1:]:
            line = self.lines.add(Line(_MUL, (line, factor)))
        return line

    def _divisors(self, product: Product) -> tuple[int, ...]:
        """x^2*x is x^3; below a plain number x*x is x^2: where that overflows, the quotient is 0 either way."""
        exponents = self.exponents(product.under)
        return self.merged(product.under, {b: sum(n) for b, n in exponents.items() if max(n) > 1 or not product.over})

    def exponents(self, factors: tuple[int, ...]) -> dict[int, list[int]]:
        """For each base the exponents with which it occurs."""
        found: dict[int, list[int]] = {}
        for index in factors:
            base, exponent = self.base(index)
            found.setdefault(base, []).append(exponent)
        return found

    def merged(self, factors: tuple[int, ...], total: dict[int, int]) -> tuple[int, ...]:
        """Each base in `total` once, to that power (0: not at all), where it first was."""
        found: set[int] = set()
        kept: list[int] = []
        for index in factors:
            base, _ = self.base(index)
            if base not in total:
                kept.append(index)
            elif base not in found and total[base]:
                kept.append(self.power(base, total[base]))
            found.add(base)
        return tuple(kept)

    def power(self, base: int, exponent: int) -> int:
        """The line of base^exponent."""
        return self.lines.add(Line(_POW, (base, self._number(Fraction(exponent))))) if exponent > 1 else base

    def base(self, index: int) -> tuple[int, int]:
        """Base and exponent, where that is a whole number above 1; else the line itself and 1."""
        line = self.lines.lines[index]
        exponent = self.lines.lines[line.args[1]].value if line.op is _POW else None
        if exponent is None or exponent <= 1 or exponent != int(exponent):
            return index, 1
        return line.args[0], int(exponent)

    def _in_order(self, factors: tuple[int, ...]) -> list[int]:
        """Constants, then names and their powers as they appear, or as they were typed, then the rest."""
        ranks = {index: self._rank(index) for index in factors}
        found = sorted(factors, key=ranks.__getitem__)
        names = [index for index in found if ranks[index][0] == 1]
        typed = self.typed.get(tuple(sorted(names)), names)
        before = sum(1 for index in found if ranks[index][0] == 0)
        return [*found[:before], *typed, *found[before + len(names) :]]

    def names_of(self, factors: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the factors that are names or powers of names."""
        return tuple([index for index in factors if self._rank(index)[0] == 1])

    def _rank(self, index: int) -> tuple[int, int]:
        line, (base, _) = self.lines.lines[index], self.base(index)
        if self._is_constant(index) and line.op is not _LOG:  # one writes 2^x*log(2)
            return 0, 0 if line.op is None else index
        return (1, base) if self.lines.lines[base].op is None else (2, index)

    def _is_constant(self, index: int) -> bool:
        for line in self.lines.lines[len(self.constant) : index + 1]:
            constant = all(self.constant[i] for i in line.args) if line.op is not None else line.value is not None
            self.constant.append(constant)
        return self.constant[index]

    def _number(self, number: Fraction) -> int:
        return self.lines.add(Line(None, value=float(number)))


def _positive(term: Product) -> Product:
    return term._replace(number=-term.number) if term.negative else term


_OTHERS = {repr(value) for value in [*CONSTANTS.values(), *FAMILIAR]}  # numbers that are known by a name


def fraction_of(value: float) -> tuple[Fraction, bool] | None:
    """A literal as a number to calculate with, and whether it is a decimal; None for pi, for what is no number, and for
    the smallest.

    0.3333333333333333 is the double that 1/3 is, and reads better so.
    """
    if not math.isfinite(value) or repr(abs(value)) in _OTHERS or repr(value) == "-0.0" or 0 < abs(value) < SMALLEST:
        return None
    digits = shortest(value)
    if len(digits) > 16 and 1e-3 < abs(value) < 1 and 1 / round(1 / value) == value:
        return Fraction(1, round(1 / value)), False
    return Fraction(digits), not digits.lstrip("-").isdigit()


def holds(number: Fraction) -> bool:
    """Whether binary64 holds numerator and denominator, or the digits, so that nothing is lost when it is written."""
    return -LARGEST <= number.numerator <= LARGEST >= number.denominator or is_decimal(number)


def is_decimal(number: Fraction) -> bool:
    """Whether the shortest digits of the nearest double are exactly `number`."""
    if not number or number.denominator > 10**40:
        return not number
    try:
        value = float(number)
    except OverflowError:
        return False
    return value != 0 and Fraction(repr(value)) == number
