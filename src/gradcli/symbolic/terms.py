"""Products, sums of products, and how they are written: a number in front, then names, the rest, one bar for divisors.

    draft = empty_draft()
    x = draft.tape.add(Line(None, name="x"))
    write(draft, (Product(Fraction(3, 2), factors=(x,)), Product(Fraction(-1))))   # the line of 3*x/2 - 1

A sum is plain data, which can be compared and looked up. Its factors and divisors are lines of the draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from gradcli.autodiff.ops import FUNCTIONS, INFIX, PREFIX, Op
from gradcli.autodiff.simplify import TapeBuilder
from gradcli.autodiff.tape import Line

from .rationals import is_decimal

_ADD, _SUB, _MUL, _DIV, _POW = (INFIX[symbol] for symbol in "+-*/^")
_NEG, _LOG = PREFIX["-"], FUNCTIONS["log"]

Factors = tuple[int, ...]  # lines of a draft


class Product(NamedTuple):
    """The coefficient times the factors, divided by the divisors; `decimal` if the coefficient is not a fraction."""

    coefficient: Fraction
    decimal: bool = False
    factors: Factors = ()
    divisors: Factors = ()

    @property
    def negative(self) -> bool:
        return self.coefficient.numerator < 0

    @property
    def length(self) -> int:
        return len(self.factors) + len(self.divisors)


Sum = tuple[Product, ...]
ONE = Fraction(1)
ZERO: Sum = (Product(Fraction(0)),)


def factor(line: int) -> Sum:
    """A line as the only factor of a product."""
    return (Product(ONE, factors=(line,)),)


class Draft(NamedTuple):
    """A tape that is being written, and what is known of its lines.

    line_of   the line of each sum that was written
    sum_of    the sum that such a line says
    typed     for the variables of a product, sorted: the order in which they were typed
    constant  for each line, as far as it was needed, True if it contains no variable
    raised    the lines of which a power was written
    """

    tape: TapeBuilder
    line_of: dict[Sum, int]
    sum_of: dict[int, Sum]
    typed: dict[Factors, Factors]
    constant: list[bool]
    raised: set[int]

    def add(self, op: Op, *operands: int) -> int:
        """The line of an operation."""
        return self.tape.add(Line(op, operands))

    def number(self, number: Fraction) -> int:
        """The line of a constant."""
        return self.tape.add(Line(None, value=float(number)))


def empty_draft() -> Draft:
    """A draft without lines."""
    return Draft(TapeBuilder(), {}, {}, {}, [], set())


# ------------------------------------------------------------------------------------------------- sums as lines


def write(draft: Draft, terms: Sum) -> int:
    """The line of a sum: a positive term first, then the others in their order."""
    if terms in draft.line_of:
        return draft.line_of[terms]
    first = next((i for i, term in enumerate(terms) if not term.negative), 0)
    line = _write_product(draft, terms[first])
    for term in terms[:first] + terms[first + 1 :]:
        line = draft.add(_SUB if term.negative else _ADD, line, _write_product(draft, _absolute(term)))
    draft.line_of[terms] = line
    draft.sum_of.setdefault(line, terms)
    return line


def _absolute(term: Product) -> Product:
    return term._replace(coefficient=-term.coefficient) if term.negative else term


def _write_product(draft: Draft, product: Product) -> int:
    """coefficient * constants * names * powers * the rest / divisors."""
    product = _without_double_minus(draft, product)
    top, bottom = _over_the_bar(product)
    factors = _in_order(draft, product.factors)
    if abs(top) != 1 or not factors:
        factors.insert(0, draft.number(top))
    elif top == -1:
        factors[0] = draft.add(_NEG, factors[0])
    return _write_quotient(draft, _multiplied(draft, factors), bottom, _divisors(draft, product))


def _without_double_minus(draft: Draft, product: Product) -> Product:
    """The negative of a line that is itself a product, as one product."""
    if product.coefficient != -1 or product.length != 1 or not product.factors:
        return product
    (inner, *others) = draft.sum_of.get(product.factors[0], (product, product))
    return product if others else inner._replace(coefficient=-inner.coefficient)


def _over_the_bar(product: Product) -> tuple[Fraction, Fraction]:
    """The parts of the coefficient above and below the bar of a fraction; a decimal stands above it."""
    number = product.coefficient
    if product.decimal and is_decimal(number):
        return number, ONE
    return Fraction(number.numerator), Fraction(number.denominator)


def _write_quotient(draft: Draft, line: int, bottom: Fraction, divisors: Factors) -> int:
    """A line divided by the product of the divisors, and once more by each that is there once more."""
    distinct = _in_order(draft, tuple(dict.fromkeys(divisors)))
    repeated = [divisor for divisor in distinct for _ in range(divisors.count(divisor) - 1)]
    if bottom != 1:
        distinct.insert(0, draft.number(bottom))
    if distinct:
        line = draft.add(_DIV, line, _multiplied(draft, distinct))
    for divisor in repeated:
        line = draft.add(_DIV, line, divisor)
    return line


def _multiplied(draft: Draft, factors: list[int]) -> int:
    line = factors[0]
    for other in factors[1:]:
        line = draft.add(_MUL, line, other)
    return line


def _divisors(draft: Draft, product: Product) -> Factors:
    """The divisors, x^2*x as x^3; below a plain number x*x is x^2: if that overflows, the quotient is 0 either way."""
    exponents = exponents_by_base(draft, product.divisors)
    plain = not product.factors
    totals = {base: sum(each) for base, each in exponents.items() if plain or max(each) > 1}
    return with_exponents(draft, product.divisors, totals)


# ---------------------------------------------------------------------------------------------------------- powers


def base_and_exponent(draft: Draft, index: int) -> tuple[int, int]:
    """Base and exponent of a line that is a whole power above 1; else the line itself and 1."""
    lines = draft.tape.lines
    line = lines[index]
    exponent = lines[line.args[1]].value if line.op is _POW else None
    if exponent is None or exponent <= 1 or exponent != int(exponent):
        return index, 1
    return line.args[0], int(exponent)


def exponents_by_base(draft: Draft, factors: Factors) -> dict[int, list[int]]:
    """The exponents with which each base occurs."""
    exponents: dict[int, list[int]] = {}
    for index in factors:
        base, exponent = base_and_exponent(draft, index)
        exponents.setdefault(base, []).append(exponent)
    return exponents


def with_exponents(draft: Draft, factors: Factors, totals: Mapping[int, int]) -> Factors:
    """The factors with each base in `totals` once, to that power (0: not at all), where it first was."""
    left = dict(totals)
    kept: list[int] = []
    for index in factors:
        base, _ = base_and_exponent(draft, index)
        if base not in totals:
            kept.append(index)
        elif total := left.pop(base, 0):
            kept.append(write_power(draft, base, total))
    return tuple(kept)


def write_power(draft: Draft, base: int, exponent: int) -> int:
    """The line of base^exponent."""
    return draft.add(_POW, base, draft.number(Fraction(exponent))) if exponent > 1 else base


# -------------------------------------------------------------------------------------------- the order of factors


def variables_among(draft: Draft, factors: Factors) -> Factors:
    """The factors that are variables or powers of variables."""
    return tuple([index for index in factors if _rank(draft, index)[0] == 1])


def _in_order(draft: Draft, factors: Factors) -> list[int]:
    """Constants, then variables and their powers as they appear, or as they were typed, then the rest."""
    ranks = {index: _rank(draft, index) for index in factors}
    ordered = sorted(factors, key=ranks.__getitem__)
    variables = [index for index in ordered if ranks[index][0] == 1]
    typed = draft.typed.get(tuple(sorted(variables)), variables)
    before = sum(1 for index in ordered if ranks[index][0] == 0)
    return [*ordered[:before], *typed, *ordered[before + len(variables) :]]


def _rank(draft: Draft, index: int) -> tuple[int, int]:
    """The place of a factor among others: 0 for constants, 1 for variables and their powers, 2 for the rest."""
    lines = draft.tape.lines
    line, (base, _) = lines[index], base_and_exponent(draft, index)
    if _is_constant(draft, index) and line.op is not _LOG:  # written 2^x*log(2)
        return 0, 0 if line.op is None else index
    return (1, base) if lines[base].op is None else (2, index)


def _is_constant(draft: Draft, index: int) -> bool:
    constant = draft.constant
    for line in draft.tape.lines[len(constant) : index + 1]:
        constant.append(all(constant[i] for i in line.args) if line.op is not None else line.value is not None)
    return constant[index]
