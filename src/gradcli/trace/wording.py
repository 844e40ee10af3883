"""An operation with the numbers that it met, in the manner of the place where it is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gradcli.autodiff.ops import INFIX, PREFIX, PRODUCT
from gradcli.text import enclosed


class Manner(NamedTuple):
    """The ways in which one place says an operation otherwise than another.

    times     the sign of a product
    tight     2*3 in place of 2 * 3, as in a formula
    leading   parentheses around a negative number in front, too
    minus     a template for the negative, of the number or of the number `enclosed`; and so `negation`
    words     "log of 2" in place of log(2)
    """

    times: str = "*"
    tight: bool = False
    leading: bool = True
    minus: str = "-{enclosed}"
    negation: str = "not {enclosed}"
    words: bool = False


SENTENCE = Manner(times="×")
TABLE = Manner(leading=False, minus="-({number})", negation="not {number}")
DIAGNOSTIC = Manner(tight=True, minus="- {number}", negation="not {number}", words=True)


def worded(name: str, numbers: Sequence[str], manner: Manner) -> str:
    """The operation `name` with its operands: 3 + 4, -(2), max(1, 2), "max of 1 and 2"."""
    if name in INFIX and len(numbers) == 2:
        sign = manner.times if name == "*" else name
        tight = manner.tight and INFIX[name].level <= PRODUCT
        left = enclosed(numbers[0]) if manner.leading else numbers[0]
        return (sign if tight else f" {sign} ").join([left, enclosed(numbers[1])])
    if name in PREFIX and len(numbers) == 1:
        template = manner.negation if name == "not" else manner.minus
        return template.format(number=numbers[0], enclosed=enclosed(numbers[0]))
    return _in_words(name, numbers) if manner.words else f"{name}({', '.join(numbers)})"


def _in_words(name: str, numbers: Sequence[str]) -> str:
    *most, last = numbers if len(numbers) < 5 else [*numbers[:3], "…", numbers[-1]]
    return f"{name} of {', '.join(most)} and {last}" if most else f"{name} of {last}"
