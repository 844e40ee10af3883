"""The work of `minimize`: a descent, step by step, and the judgement on the point where it ends.

The descent is one of those in descent.py. Where it ends, the eigenvalues of the Hessian tell a minimum from a saddle
and from a maximum, and the step that Newton's method would take next tells how far away the stationary point still is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from gradcli.autodiff.adjoint import backward, differentiate
from gradcli.autodiff.simplify import TapeBuilder
from gradcli.autodiff.tape import Tape, replay
from gradcli.errors import EvaluationError
from gradcli.text import rounded
from gradcli.trace.diagnostics import diagnose
from gradcli.trace.trace import trace

from .bounds import box
from .descent import WALKS
from .minimum import AWAY, EDGE, ENDLESS, RATED, ROUNDING, Minimum, Step
from .objective import Problem, runs_off
from .verdict import BLURRED, at_edge, verdict, watch

if TYPE_CHECKING:
    from .vectors import Vector


NOT = "not converged"
NOTHING = 1e-100  # a start below this says nothing about the size of its variable


def minimized(
    tape: Tape, start: Mapping[str, float], method: str, bounds: Sequence[str], steps: int, tol: float, rate: float
) -> Minimum:
    """The minimum to which a method leads from the start; the arguments are those of `minimize`."""
    names = list(tape.inputs)
    x = np.array([float(start[name]) for name in names])
    limits, counted = box(bounds, names), itertools.count(1)
    size = np.where(abs(x) < NOTHING, 1.0, abs(x))
    problem = Problem(_function(tape, names, counted), _hessian(tape, names), limits, size, tol)
    with np.errstate(all="ignore"):  # an overflow is inf, and is looked for
        walk = WALKS[method](problem, limits.clip(x), rate)
        path, ended = _walked(itertools.islice(walk, steps + 1), problem, tape, names, method)
        evaluations = next(counted) - 1
        judged = _judged(problem, names, path, ended)
    here = path[-1]
    touched = limits.touched(here.point)
    ends = {name: float(x) for name, x, on in zip(names, here.point, touched, strict=True) if on}
    point, slope = _named(names, here.point), _named(names, here.slope)
    return Minimum(here.value, point, slope, *judged[:2], ends, *judged[2:], evaluations, path, method, rate)


def _walked(
    walk: Iterator[Step], problem: Problem, tape: Tape, names: Sequence[str], method: str
) -> tuple[list[Step], str]:
    """The steps up to where there is a reason to end, and the reason, or ""."""
    path: list[Step] = []
    reason: Callable[[Step], str] = str
    for step in walk:
        if path and step.point is path[-1].point:  # a method that ends says so at the point that it has
            path.pop()
        path.append(step)
        if math.isnan(step.value):
            raise _not_a_number(tape, _named(names, step.point), len(path) - 1)
        if len(path) == 1:
            reason = watch(problem, step) if method in RATED else partial(runs_off, problem, step)
        if ended := _ended(problem, path) or reason(step) or _stuck(path, method):
            return path, ended
    return path, ""


def _function(tape: Tape, names: Sequence[str], counted: Iterator[int]) -> Callable[[Vector], Step]:
    """Value and gradient of the tape at a point, counted."""
    both, partials = differentiate(tape, names)
    slopes = [partials[name] for name in names]

    def at(point: Vector) -> Step:
        numbers = replay(both, _named(names, point))
        return Step(point, numbers[both.output], np.array([numbers[line] for line in slopes]), next(counted))

    return at


def _hessian(tape: Tape, names: Sequence[str]) -> Callable[[Vector], Vector]:
    """The second derivatives (n, n) at a point (n,); the tape is differentiated twice when first asked for them."""
    written: list[tuple[Tape, list[list[int]]]] = []

    def hessian(point: Vector) -> Vector:
        if not written:
            written.append(second_derivatives(tape, names))
        twice, rows = written[0]
        numbers = replay(twice, _named(names, point))
        return np.array([[numbers[line] for line in row] for row in rows])

    return hessian


def second_derivatives(tape: Tape, names: Sequence[str]) -> tuple[Tape, list[list[int]]]:
    """The tape with the lines of the second derivatives after its own, and the line of each: a row for each name."""
    lines = TapeBuilder(tape.lines)
    inputs = [tape.inputs[name] for name in names]
    rows = [backward(lines, slope, inputs) for slope in backward(lines, tape.output, inputs)]
    return tape._replace(lines=tuple(lines.lines)), rows


def _ended(problem: Problem, path: list[Step]) -> str:
    """The reason why a descent ends at its last step that the step itself gives, or ""."""
    here = path[-1]
    if not problem.usable(here):
        return "the gradient is not finite" if math.isfinite(here.value) else f"the value is {here.value}"
    return here.last


def _stuck(path: list[Step], method: str) -> str:
    """ROUNDING if a method that takes its steps by a rate has not moved for two of them, or ""."""
    still = method in RATED and len(path) > 2 and all((step.point == path[-1].point).all() for step in path[-3:])
    return ROUNDING if still else ""


def _not_a_number(tape: Tape, point: dict[str, float], steps: int) -> EvaluationError:
    """The diagnosis of the point, and the step at which the descent came there."""
    try:
        diagnose(tape, trace(tape, point, []))
    except EvaluationError as diagnosis:
        if steps == 0:
            return diagnosis
        at = ", ".join(f"{name}={rounded(number)}" for name, number in point.items())
        hint = "a smaller rate, a bound or another start may help"
        return EvaluationError(
            f"{diagnosis.message}, at step {steps}, where {at}", diagnosis.source, diagnosis.span, hint
        )
    raise AssertionError("a value that is nan has an origin")


def _judged(
    problem: Problem, names: list[str], path: list[Step], ended: str
) -> tuple[str, str, list[float], dict[str, float]]:
    """Verdict, criterion, eigenvalues and a way down; without a reason to end there, the steps were used up."""
    here, criterion = path[-1], ended or f"{len(path) - 1} steps were not enough"
    if not problem.usable(here):
        return NOT, criterion, [], {}
    judged = verdict(problem, here)
    blurred = judged.kind != "flat" and judged.promised <= BLURRED * abs(here.value)
    rests = judged.rests(problem.tol) or blurred if ended else judged.kind != "flat" and judged.away <= problem.tol
    if rests and ended not in (AWAY, ENDLESS):
        return judged.kind, criterion, judged.eigenvalues, _named(names, judged.down) if judged.down.any() else {}
    if ended not in (AWAY, ENDLESS, EDGE):
        unsettled = criterion + "; but by its curvature the value is not at rest there" if ended else criterion
        criterion = EDGE if at_edge(problem, here) else unsettled
    return NOT, criterion, judged.eigenvalues, {}


def _named(names: Sequence[str], numbers: Vector) -> dict[str, float]:
    return dict(zip(names, numbers.tolist(), strict=True))
