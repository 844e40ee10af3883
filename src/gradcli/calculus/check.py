"""Is the gradient right? Reverse mode against independent methods.

Three methods: forward mode (the same rules, walked the other way), central differences with an error estimate
(values alone), and, with mpmath, numbers of fifty digits (other functions altogether).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.dual import push
from gradcli.autodiff.ops import Op
from gradcli.autodiff.tape import Tape, evaluate
from gradcli.errors import UsageError
from gradcli.language.bindings import check_wrt, require, to_numbers
from gradcli.language.parser import parse
from gradcli.trace.diagnostics import diagnose
from gradcli.trace.trace import Node, Trace, trace

from .differences import Estimate, central, is_corner, is_end
from .precise import available, derivative, unknown
from .rounding import ULPS, roundings

TOLERANCE = 1e-9  # relative; a rule that is wrong by 0.1 % is a million times further off
FEWEST = 6  # digits: with less of them right, rounding has eaten a number
WORST_FIRST = ("fail", "rounding", "kink")


class Verdict(NamedTuple):
    """One variable: pass, fail, rounding or kink; the derivative by each method (precise: None without mpmath, or a reference).

    digits: to how many decimal digits reverse mode agrees with the best independent method, 16 at most.
    """

    name: str
    status: str
    reverse: float
    forward: float
    differences: Estimate
    precise: Estimate | None
    digits: int

    @property
    def best(self) -> Estimate:
        """The most accurate derivative that owes nothing to reverse mode."""
        return self.precise or self.differences


class Check(NamedTuple):
    """The verdicts, and the worst of them: fail, else rounding, else kink, else pass.

    no_reference: the functions that fifty-digit numbers do not know, because of which there are none.
    """

    status: str
    verdicts: tuple[Verdict, ...]
    no_reference: tuple[str, ...] = ()


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

    A variable's status is `rounding` where the rule is right and the number is not: an independent method agrees with
    fewer than six digits of it, as with (1 - cos(x))/x^2 at 1e-7. It is `kink` where the one-sided differences disagree,
    so that there is no derivative, or a corner nearer than the step. Raises UsageError for a variable without a value,
    or with one that is not finite, EvaluationError where the value is not a number.
    """
    numbers = to_numbers({**(point or {}), **bindings})
    tape = formula if isinstance(formula, Tape) else parse(formula, numbers)
    require(tape, numbers)
    names = list(tape.inputs) if wrt is None else list(wrt)
    check_wrt(tape, names, numbers)
    inputs = {name: numbers[name] for name in tape.inputs}
    for name, number in inputs.items():
        if not math.isfinite(number):
            raise UsageError(f"{name} is {number}: differences need finite numbers")
    verdicts, missing = _verdicts(tape, inputs, names)
    statuses = {verdict.status for verdict in verdicts}
    return Check(next((status for status in WORST_FIRST if status in statuses), "pass"), verdicts, missing)


def _verdicts(
    tape: Tape, inputs: Mapping[str, float], names: Sequence[str]
) -> tuple[tuple[Verdict, ...], tuple[str, ...]]:
    """A verdict on each name, and the functions that fifty-digit numbers do not know."""
    exact = trace(tape, inputs, formulas=False)
    if math.isnan(exact.value):
        diagnose(tape, exact)  # says where, and raises
    rounding, noise = _noise(tape, inputs, names)
    bends, jumps, missing = _bends(exact), _jumps(exact), unknown(tape) if available() else ()
    known = available() and not missing
    verdicts = [
        _verdict(
            tape,
            inputs,
            name,
            exact.gradient.get(name, 0.0),
            noise[name],
            rounding,
            bends=bends,
            jumps=jumps,
            known=known,
        )
        for name in names
    ]
    return tuple(verdicts), missing


def _noise(tape: Tape, inputs: Mapping[str, float], names: Sequence[str]) -> tuple[float, dict[str, float]]:
    """The error that rounding may put into the value, and into each partial: an ill-conditioned expression is not a wrong rule."""
    derived, lines = differentiate(tape, names)
    found = roundings(derived, lines | {"": derived.output}, inputs)
    value = 2 * found.pop("")
    return value, {name: ULPS * bound for name, bound in found.items()}


def _bends(exact: Trace) -> bool:
    """True if there may be a corner at the point or near it: a choice, a corner or a jump in a row, or a pole there."""
    return any(_may_bend(exact, node, op) for node, op in zip(exact.nodes, exact.rows, strict=True) if op is not None)


def _jumps(exact: Trace) -> bool:
    """True if a row jumps right at the point: the slopes on both sides may be alike, and infinite."""
    found = [(op.flags.get("jump"), node) for node, op in zip(exact.nodes, exact.rows, strict=True) if op is not None]
    return any(
        jump is not None and exact.varies[node.id] and jump(*[exact.nodes[o].data for o in node.operands], node.data)
        for jump, node in found
    )


def _may_bend(exact: Trace, node: Node, op: Op) -> bool:
    if not exact.varies[node.id]:
        return False
    pole = op.flags.get("pole")
    args = [exact.nodes[operand].data for operand in node.operands]
    chooses = op.choice or None in op.partials or not {"kink", "tie", "jump"}.isdisjoint(op.flags)
    return chooses or bool(pole and pole(*args, node.data))


def _verdict(
    tape: Tape,
    inputs: Mapping[str, float],
    name: str,
    reverse: float,
    noise: float,
    rounding: float,
    *,
    bends: bool,
    jumps: bool,
    known: bool,
) -> Verdict:
    forward = push(tape, inputs, {name: 1.0}).tangent

    def along(x: float) -> float:
        return evaluate(tape, {**inputs, name: x})

    if name not in inputs:
        return Verdict(name, "pass", 0.0, 0.0, Estimate(0.0, 0.0), None, 16)
    differences = central(along, inputs[name], rounding)
    precise = derivative(tape, inputs, name) if known else None
    verdict = Verdict(name, "", reverse, forward, differences, precise, 0)
    status = _status(verdict, noise)
    x, bends = inputs[name], bends or status == "fail"
    if math.isfinite(reverse) and (is_end(along, x) or (bends and is_corner(along, x, rounding))):
        status = "kink"
    status = "kink" if status == "fail" and jumps else status
    verdict = verdict._replace(digits=_digits(verdict))
    return verdict._replace(status="rounding" if _is_eaten(verdict, status) else status)


def _is_eaten(verdict: Verdict, status: str) -> bool:
    """True if a rule that is right gave a number that is not, and another method knows the number."""
    value, error = verdict.best
    if not value or not math.isfinite(value) or not error <= 1e-8 * abs(value):
        return False
    return (status == "pass" and verdict.digits < FEWEST) or (math.isinf(verdict.reverse) and status == "kink")


def _status(verdict: Verdict, noise: float) -> str:
    reverse, precise, differences = verdict.reverse, verdict.precise, verdict.differences
    if not math.isfinite(reverse):  # an overflow, or a pole
        return "pass" if precise is not None and precise.value == reverse == verdict.forward else "kink"
    if not _close(verdict.forward, reverse, noise):
        return "fail"
    if precise is not None and math.isfinite(precise.value):
        return "pass" if _close(precise.value, reverse, noise + 4 * precise.error) else "fail"
    close = abs(differences.value - reverse) <= max(50 * differences.error, TOLERANCE * abs(reverse) + noise)
    return "pass" if close else "fail"


def _close(other: float, reverse: float, noise: float) -> bool:
    return other == reverse or abs(other - reverse) <= TOLERANCE * max(abs(other), abs(reverse)) + noise


def _digits(verdict: Verdict) -> int:
    best = verdict.best.value
    distance = abs(verdict.reverse - best)
    if distance == 0:
        return 16
    size = max(abs(verdict.reverse), abs(best))
    return max(0, min(16, int(-math.log10(distance / size)))) if math.isfinite(distance) else 0
