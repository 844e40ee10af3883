"""Literals as exact numbers to calculate with, and whether they can be written down again without loss.

fraction_of(0.1), fraction_of(0.3333333333333333)   # (Fraction(1, 10), True), (Fraction(1, 3), False)
"""

from __future__ import annotations

import math
from fractions import Fraction

from gradcli.autodiff.ops import CONSTANTS
from gradcli.language.unparse import FAMILIAR
from gradcli.text import shortest

LARGEST, SMALLEST = 2**53, 1e-30  # of numbers that are calculated with
_NAMED = {repr(value) for value in [*CONSTANTS.values(), *FAMILIAR]}  # numbers that are known by a name


def fraction_of(value: float) -> tuple[Fraction, bool] | None:
    """A literal as a number to calculate with, and whether it is a decimal; None for pi, inf, nan and the smallest.

    0.3333333333333333 is the double that 1/3 is, and reads better so.
    """
    if not math.isfinite(value) or repr(abs(value)) in _NAMED or repr(value) == "-0.0" or 0 < abs(value) < SMALLEST:
        return None
    digits = shortest(value)
    if len(digits) > 16 and 1e-3 < abs(value) < 1 and 1 / round(1 / value) == value:
        return Fraction(1, round(1 / value)), False
    return Fraction(digits), not digits.lstrip("-").isdigit()


def is_exact(number: Fraction) -> bool:
    """True if binary64 holds numerator and denominator, or the digits, so that writing the number loses nothing."""
    return -LARGEST <= number.numerator <= LARGEST >= number.denominator or is_decimal(number)


def is_decimal(number: Fraction) -> bool:
    """True if the shortest digits of the nearest double are exactly `number`."""
    if not number or number.denominator > 10**40:
        return not number
    try:
        value = float(number)
    except OverflowError:
        return False
    return value != 0 and Fraction(repr(value)) == number
