"""A user's own derivatives against ours, at the point and at random points around it."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from typing import NamedTuple

from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.tape import Tape, evaluate
from gradcli.language.bindings import require

from .gradient import gradient
from .rounding import ULPS, roundings

POINTS, ATTEMPTS = 20, 400  # random points at which a formula is tried, and how many are thrown for them


class Expected(NamedTuple):
    """A user's derivative by one variable: right or not, and, at a point that tells, theirs and ours."""

    name: str
    right: bool
    theirs: float
    ours: float
    point: dict[str, float]


def expect(tape: Tape, inputs: Mapping[str, float], name: str, theirs: Tape) -> Expected:
    """The verdict on `theirs` as the derivative of the tape by `name`: at the point, and where it has variables around it.

    The random points are those of the neighbourhood (half as large to half as large again, either sign) where both
    have a value, and rounding leaves enough of them to tell. A number that was typed with a decimal point and three
    digits or more is right if ours rounds to it. Raises UsageError for a variable without a value.
    """
    require(theirs, inputs)
    dice = random.Random(0)
    derived, lines = differentiate(tape, [name])
    found, _ = _compared(tape, derived, lines[name], inputs, name, theirs)
    tried = 0
    for _ in range(ATTEMPTS if theirs.inputs else 0):
        if not found.right or tried == POINTS:
            break
        scattered = {key: _near(x, dice) for key, x in inputs.items()}
        there, telling = _compared(tape, derived, lines[name], scattered, name, theirs)
        tried += telling
        found = there if telling and not there.right else found
    return found


def _near(x: float, dice: random.Random) -> float:
    return x * dice.uniform(0.5, 1.5) if x else dice.uniform(-1, 1)


def _compared(
    tape: Tape, derived: Tape, line: int, inputs: Mapping[str, float], name: str, theirs: Tape
) -> tuple[Expected, bool]:
    """Theirs and ours at one point, and whether it tells: there is a number, and rounding has not eaten it up."""
    ours = gradient(tape, inputs).partials.get(name, 0.0)
    found = evaluate(theirs, inputs)
    noise = roundings(derived, {"": line}, inputs)[""] + roundings(theirs, {"": theirs.output}, inputs)[""]
    allowed = max(1e-8 * max(abs(found), abs(ours)) + ULPS * noise, _half_a_digit(theirs.source.text))
    both_nan = ours != ours and found != found
    right = both_nan or found == ours or abs(found - ours) <= allowed
    telling = math.isfinite(ours) and ULPS * noise <= 1e-3 * max(abs(found), abs(ours))
    return Expected(name, right, found, ours, dict(inputs)), telling


def _half_a_digit(text: str) -> float:
    """Half a unit of the last digit, for a decimal number of three digits or more; else 0."""
    from decimal import Decimal

    number = re.fullmatch(r"\s*[-−]?((\d*)\.(\d*)([eE][+-]?\d+)?)\s*", text)
    if number is None or len((number[2] + number[3]).lstrip("0")) < 3:
        return 0.0
    exponent = Decimal(number[1]).as_tuple().exponent
    return 0.5 * 10.0**exponent if isinstance(exponent, int) else 0.0
