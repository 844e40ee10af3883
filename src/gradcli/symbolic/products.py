"""Products multiplied, divided and raised to powers, without a change of domain: x/x is not 1.

    multiply(draft, (Product(Fraction(2)),), factor(x))   # 2*x
    power(draft, divide(draft, one, factor(x)), two)      # (1/x)^2 is 1/x^2

A sum of several terms takes part in a product as one factor: it is written as a line of its own.
"""

from __future__ import annotations

import math

from gradcli.autodiff.ops import FUNCTIONS, INFIX, Op
from gradcli.autodiff.tape import Line

from .rationals import fraction_of, is_exact
from .terms import (
    ONE,
    Draft,
    Product,
    Sum,
    base_and_exponent,
    exponents_by_base,
    factor,
    with_exponents,
    write,
    write_power,
)

_POW = INFIX["^"]
_QUOTIENTS: dict[float | None, tuple[float, Op | None, float]] = {  # what rules of the table compute once
    2 / math.sqrt(math.pi): (2.0, FUNCTIONS["sqrt"], math.pi),
    180 / math.pi: (180.0, None, math.pi),
    math.pi / 180: (math.pi, None, 180.0),
}


# ------------------------------------------------------------------------------------------------- lines as sums


def leaf(draft: Draft, line: Line) -> Sum:
    """An input or a constant as a sum."""
    if line.value is None:
        return _copied(draft, line)
    number = None if line.name else fraction_of(line.value)
    return _known_number(draft, line, line.value) if number is None else (Product(*number),)


def _known_number(draft: Draft, line: Line, value: float) -> Sum:
    """A number that stays as it is written, such as pi, its sign apart; or a quotient of such numbers."""
    if value < 0:
        return negate(draft, _number(draft, -value))
    if value not in _QUOTIENTS:
        return _copied(draft, line)
    top, op, bottom = _QUOTIENTS[value]
    divisor = _number(draft, bottom)
    return divide(draft, _number(draft, top), call(draft, op, divisor) if op else divisor)


def _number(draft: Draft, value: float) -> Sum:
    return leaf(draft, Line(None, value=value))


def _copied(draft: Draft, line: Line) -> Sum:
    return factor(draft.tape.add(line._replace(span=(0, 0), formula="")))


def call(draft: Draft, op: Op, *operands: Sum) -> Sum:
    """An operation on sums, each of them written as a line."""
    return as_sum(draft, draft.add(op, *[write(draft, operand) for operand in operands]))


def as_sum(draft: Draft, index: int) -> Sum:
    """The sum that a line of the draft says."""
    line = draft.tape.lines[index]
    return leaf(draft, line) if line.op is None else draft.sum_of.get(index) or factor(index)


def as_product(draft: Draft, terms: Sum) -> Product:
    """A sum as one product: itself, or with its line as the only factor."""
    return terms[0] if len(terms) == 1 else Product(ONE, factors=(write(draft, terms),))


def in_parentheses(draft: Draft, terms: Sum) -> Sum:
    """A sum with its line as the only factor, the sign apart if it is one product."""
    if len(terms) > 1 or terms[0].coefficient >= 0:
        return factor(write(draft, terms))
    return negate(draft, factor(write(draft, negate(draft, terms))))


# ----------------------------------------------------------------------------------------------------- arithmetic


def negate(draft: Draft, terms: Sum) -> Sum:
    """The negative of a sum."""
    product = as_product(draft, terms)
    return (product._replace(coefficient=-product.coefficient),)


def multiply(draft: Draft, left: Sum, right: Sum) -> Sum:
    """The product of two sums, as one product; its coefficient stays one that can be written."""
    a, b = as_product(draft, left), as_product(draft, right)
    coefficient = a.coefficient * b.coefficient
    if not is_exact(coefficient):
        a, coefficient = Product(ONE, factors=(write(draft, (a,)),)), b.coefficient
    product = Product(coefficient, a.decimal or b.decimal, a.factors + b.factors, a.divisors + b.divisors)
    return (_with_powers_collected(draft, product),)


def divide(draft: Draft, left: Sum, right: Sum) -> Sum:
    """The quotient of two sums, as one product; what is itself a quotient, or 0, is a divisor as it stands."""
    a, b = as_product(draft, left), as_product(draft, right)
    if b.divisors or b.coefficient == 0 or not is_exact(a.coefficient / b.coefficient):
        (b,) = in_parentheses(draft, right)
    coefficient = a.coefficient / b.coefficient
    product = Product(coefficient, a.decimal or b.decimal, a.factors, a.divisors + b.factors)
    return (_with_powers_collected(draft, product),)


def power(draft: Draft, base: Sum, exponent: Sum) -> Sum:
    """base^exponent; (1/f)^2 is 1/f^2."""
    whole = _whole_number(exponent)
    if whole and len(base) == 1 and _is_reciprocal(base[0]):
        return (base[0]._replace(divisors=(write_power(draft, base[0].divisors[0], whole),)),)
    raised = call(draft, _POW, base, exponent)
    if whole and len(raised) == 1 and len(raised[0].factors) == 1:
        draft.raised.add(base_and_exponent(draft, raised[0].factors[0])[0])
    return raised


def _whole_number(terms: Sum) -> int:
    """The number that a sum is, if that is a whole one above 1; else 0."""
    number = terms[0].coefficient
    plain = len(terms) == 1 and not terms[0].length
    return int(number) if plain and number.denominator == 1 and number > 1 else 0


def _is_reciprocal(product: Product) -> bool:
    return product.coefficient == 1 and not product.factors and len(product.divisors) == 1


# --------------------------------------------------------------------------------------------------------- powers


def _with_powers_collected(draft: Draft, product: Product) -> Product:
    """x^2*x is x^3 where a power of x was written, as cos(x)*cos(x) is cos(x)^2; x*x stays x*x."""
    if product.length < 2:
        return product
    above, below = exponents_by_base(draft, product.factors), exponents_by_base(draft, product.divisors)
    top = {base: sum(each) for base, each in above.items() if len(each) > 1 and _is_raised(draft, base, each)}
    bottom = _cancelled(above, below)
    top |= dict.fromkeys(bottom, 0)  # x/x^2/x^2 is 1/x^3: it stays infinite at 0
    if not top:
        return product
    factors = with_exponents(draft, product.factors, top)
    return product._replace(factors=factors, divisors=with_exponents(draft, product.divisors, bottom))


def _cancelled(above: dict[int, list[int]], below: dict[int, list[int]]) -> dict[int, int]:
    """The exponents left below the bar, of powers that stand on both sides of it; where the largest or more is left."""
    rest = {base: sum(each) - sum(above[base]) for base, each in below.items() if base in above and max(each) > 1}
    return {base: exponent for base, exponent in rest.items() if exponent >= max(below[base])}


def _is_raised(draft: Draft, base: int, exponents: list[int]) -> bool:
    return max(exponents) > 1 or base in draft.raised or draft.tape.lines[base].op is not None
