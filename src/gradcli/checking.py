"""Is the gradient right? Reverse mode against independent methods, and a user's own derivatives against it.

Three methods: forward mode (the same rules, walked the other way), central differences with an error estimate
(values alone), and, with mpmath, numbers of fifty digits (other functions altogether).
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .bindings import check_wrt, require
from .calculus import gradient
from .differences import Estimate, central, is_kink
from .doctor import diagnose
from .errors import UsageError
from .ops import to_float
from .precise import available, derivative
from .syntax import parse
from .tangent import push
from .tape import Tape, evaluate
from .trace import Trace, trace

EPS = sys.float_info.epsilon
TOLERANCE = 1e-9  # relative; a rule that is wrong by 0.1 % is a million times further off
POINTS, ATTEMPTS = 20, 400  # random points at which a user's formula is tried, and how many are thrown for them


class Verdict(NamedTuple):
    """One variable: pass, fail or kink; the derivative by each method (precise: None without mpmath).

    digits: to how many decimal digits reverse mode agrees with the best independent method, 16 at most.
    """

    name: str
    status: str
    reverse: float
    forward: float
    differences: Estimate
    precise: Estimate | None
    digits: int


class Check(NamedTuple):
    """The verdicts, and the worst of them: fail, else kink, else pass."""

    status: str
    verdicts: tuple[Verdict, ...]


def check(
    formula: str | Tape,
    point: Mapping[str, float] | None = None,
    /,
    *,
    wrt: Sequence[str] | None = None,
    **bindings: float,
) -> Check:
    """Compare the gradient of a formula at a point with independent methods.

    >>> check("x^3", x=2).status
    'pass'

    A variable's status is `kink` where the one-sided differences disagree, so that there is no derivative, or a
    corner nearer than the step. Raises UsageError for a variable without a value, or with one that is not finite,
    EvaluationError where the value is not a number.
    """
    numbers = {name: to_float(number) for name, number in {**(point or {}), **bindings}.items()}
    tape = formula if isinstance(formula, Tape) else parse(formula, numbers)
    require(tape, numbers)
    names = list(tape.inputs) if wrt is None else list(wrt)
    check_wrt(tape, names, numbers)
    inputs = {name: numbers[name] for name in tape.inputs}
    for name, number in inputs.items():
        if not math.isfinite(number):
            raise UsageError(f"{name} is {number}: differences need finite numbers")
    exact = trace(tape, inputs, formulas=False)
    if math.isnan(exact.value):
        diagnose(tape, exact)  # says where, and raises
    noise, rounding = _noise(tape, exact), _rounding(exact)
    verdicts = tuple(
        [_verdict(tape, inputs, name, exact.gradient.get(name, 0.0), noise.get(name, 0.0), rounding) for name in names]
    )
    statuses = {verdict.status for verdict in verdicts}
    return Check(next((status for status in ("fail", "kink") if status in statuses), "pass"), verdicts)


def _rounding(exact: Trace) -> float:
    """The rounding error of the value, to first order: an ulp of every node, times what it does to the output."""
    errors = [abs(node.data * node.grad) for node in exact.nodes if node.grad is not None]
    total = EPS * sum(error for error in errors if error == error)
    return total if math.isfinite(total) else 0.0


def _noise(tape: Tape, exact: Trace) -> dict[str, float]:
    """How far rounding may have put each partial off.

    That is the rounding of the contributions that are added up, and how much the gradient moves when every input
    moves by an ulp, up or down: an ill-conditioned expression is not a wrong rule.
    """
    found, inputs = exact.gradient, exact.bindings
    noise = dict.fromkeys(found, 0.0)
    for step in exact.steps:
        if step.operand is not None and (name := exact.nodes[step.operand].name) in noise:
            noise[name] += 1e3 * EPS * abs(step.contribution or 0.0)
    dice = random.Random(0)
    for _ in range(4):
        moved = {name: math.nextafter(x, dice.choice((math.inf, -math.inf))) for name, x in inputs.items()}
        for name, partial in gradient(tape, moved).partials.items():
            if math.isfinite(partial - found[name]):
                noise[name] += 16 * abs(partial - found[name])
    return noise


def _verdict(
    tape: Tape, inputs: Mapping[str, float], name: str, reverse: float, noise: float, rounding: float
) -> Verdict:
    forward = push(tape, inputs, {name: 1.0}).tangent

    def along(x: float) -> float:
        return evaluate(tape, {**inputs, name: x})

    if name not in inputs:
        return Verdict(name, "pass", 0.0, 0.0, Estimate(0.0, 0.0), None, 16)
    differences = central(along, inputs[name], rounding)
    precise = derivative(tape, inputs, name) if available() else None
    verdict = Verdict(name, "", reverse, forward, differences, precise, 0)
    return verdict._replace(
        status=_status(verdict, noise, kink=is_kink(along, inputs[name], rounding)), digits=_digits(verdict)
    )


def _status(verdict: Verdict, noise: float, *, kink: bool) -> str:
    reverse, precise, differences = verdict.reverse, verdict.precise, verdict.differences
    if not math.isfinite(reverse):  # an overflow, or a pole
        return "pass" if precise is not None and precise.value == reverse == verdict.forward else "kink"
    if kink:
        return "kink"
    if not _close(verdict.forward, reverse, noise):
        return "fail"
    if precise is not None and math.isfinite(precise.value):
        return "pass" if _close(precise.value, reverse, noise + 4 * precise.error) else "fail"
    close = abs(differences.value - reverse) <= max(50 * differences.error, TOLERANCE * abs(reverse) + noise)
    return "pass" if close else "fail"


def _close(other: float, reverse: float, noise: float) -> bool:
    return other == reverse or abs(other - reverse) <= TOLERANCE * max(abs(other), abs(reverse)) + noise


def _digits(verdict: Verdict) -> int:
    best = (verdict.precise or verdict.differences).value
    distance = abs(verdict.reverse - best)
    if distance == 0:
        return 16
    size = max(abs(verdict.reverse), abs(best))
    return max(0, min(16, int(-math.log10(distance / size)))) if math.isfinite(distance) else 0


# --------------------------------------------------------------------------------------- a user's own derivatives


class Expected(NamedTuple):
    """A user's derivative by one variable: right or not, and, at a point that tells, theirs and ours."""

    name: str
    right: bool
    theirs: float
    ours: float
    point: dict[str, float]


def expect(tape: Tape, inputs: Mapping[str, float], name: str, theirs: Tape) -> Expected:
    """Whether `theirs` is the derivative of the tape by `name`: at the point, and where it has variables around it.

    The random points are those of the neighbourhood (half as large to half as large again, either sign) where both
    have a value. Raises UsageError for a variable without a value.
    """
    require(theirs, inputs)
    dice = random.Random(0)
    found = _compared(tape, inputs, name, theirs)
    tried = 0
    for _ in range(ATTEMPTS if theirs.inputs else 0):
        if not found.right or tried == POINTS:
            break
        scattered = {key: _near(x, dice) for key, x in inputs.items()}
        there = _compared(tape, scattered, name, theirs)
        if math.isfinite(there.ours):
            tried += 1
            found = found if there.right else there
    return found


def _near(x: float, dice: random.Random) -> float:
    return x * dice.uniform(0.5, 1.5) if x else dice.uniform(-1, 1)


def _compared(tape: Tape, inputs: Mapping[str, float], name: str, theirs: Tape) -> Expected:
    exact = trace(tape, inputs, formulas=False)
    ours, noise, found = (
        exact.gradient.get(name, 0.0),
        _noise(tape, exact),
        evaluate(theirs, inputs),
    )
    both_nan = ours != ours and found != found
    right = both_nan or found == ours or abs(found - ours) <= 1e-8 * max(abs(found), abs(ours)) + noise.get(name, 0.0)
    return Expected(name, right, found, ours, dict(inputs))
