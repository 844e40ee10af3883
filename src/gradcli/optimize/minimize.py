"""A local minimum, and what is known about it.

    minimum = minimize("(1-x)^2 + 100(y-x^2)^2", {"x": -1.2, "y": 1})
    minimum.point, minimum.verdict          # {'x': 1.0, 'y': 1.0}, 'minimum'

The descent is one of those in descent.py. Where it ends, the eigenvalues of the Hessian tell a minimum from a saddle
and from a maximum, and the step that Newton's method would take next tells how far away the stationary point still is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradcli.autodiff.adjoint import backward, differentiate
from gradcli.autodiff.simplify import TapeBuilder
from gradcli.autodiff.tape import Tape, replay
from gradcli.errors import EvaluationError, UsageError
from gradcli.extras import require_extra
from gradcli.language.bindings import require
from gradcli.language.parser import parse
from gradcli.text import rounded
from gradcli.trace.diagnostics import diagnose
from gradcli.trace.trace import trace

from .bounds import box
from .descent import AWAY, METHODS, ROUNDING, SLOPE, Problem, Step, settled
from .verdict import verdict

if TYPE_CHECKING:
    from .vectors import Vector


NOTHING = 1e-100  # a start below this says nothing about the size of its variable
MANY = 5  # variables: for more, lbfgs is the default, which needs no Hessian before the end


class Minimum(NamedTuple):
    """The end of a descent.

    verdict      minimum, saddle, maximum; flat, where the Hessian is singular and cannot tell; or not converged
    criterion    in words: by what it was decided
    bounds       the variables that end on a bound, with that bound
    eigenvalues  of the Hessian in the variables that are free to move, ascending
    direction    from a saddle or a maximum: a way down
    evaluations  of value and gradient
    path         each step with its value and gradient, the start first
    """

    value: float
    point: dict[str, float]
    gradient: dict[str, float]
    verdict: str
    criterion: str
    bounds: dict[str, float]
    eigenvalues: list[float]
    direction: dict[str, float]
    evaluations: int
    path: list[Step]

    @property
    def found(self) -> bool:
        """True for a minimum, as far as second derivatives can tell."""
        return self.verdict in ("minimum", "flat")


def minimize(
    formula: str | Tape,
    start: Mapping[str, float],
    *,
    method: str | None = None,
    bounds: Sequence[str] = (),
    steps: int | None = None,
    tol: float = 1e-8,
    rate: float | None = None,
) -> Minimum:
    """Walk downhill from `start`, which gives every variable of the formula a value, to a local minimum.

    `bounds` are texts such as "x>=0"; `steps` limits the descent, `rate` is that of gd, momentum and adam. `tol` is
    relative: to the size of a variable for its last step, to the fall of the value for the gradient.

    `method` is newton, lbfgs, gd, momentum or adam; by default newton, and lbfgs for more than 5 variables.

    Raises UsageError for a name or a bound that makes no sense, EvaluationError, with the place in the formula, where
    the value becomes nan, and GradcliError where the extra `fit` is not installed.
    """
    tape = _tape(formula, start)
    import numpy as np

    names = list(tape.inputs)
    x = np.array([float(start[name]) for name in names])
    limits, counted = box(bounds, names), itertools.count(1)
    size = np.where(abs(x) < NOTHING, 1.0, abs(x))
    problem = Problem(_function(tape, names, counted), _hessian(tape, names), limits, size, tol)
    method = method or ("newton" if len(names) <= MANY else "lbfgs")
    limit = METHODS[method].steps if steps is None else steps
    with np.errstate(all="ignore"):  # an overflow is inf, and is looked for
        walk = METHODS[method].walk(problem, limits.clip(x), METHODS[method].rate if rate is None else rate)
        path, ended = _walked(itertools.islice(walk, limit + 1), problem, tape, names, method)
        return _judged(problem, names, path, ended, next(counted) - 1)


def _walked(
    walk: Iterator[Step], problem: Problem, tape: Tape, names: Sequence[str], method: str
) -> tuple[list[Step], str]:
    """The steps up to where there is a reason to end, and the reason, or ""."""
    path: list[Step] = []
    for step in walk:
        if path and step.point is path[-1].point:  # a method that ends says so at the point that it has
            path.pop()
        path.append(step)
        if ended := _ended(problem, tape, names, path, method):
            return path, ended
    return path, ""


def _tape(formula: str | Tape, start: Mapping[str, float]) -> Tape:
    require_extra("fit", "numpy", "scipy")
    tape = formula if isinstance(formula, Tape) else parse(formula, start)
    require(tape, start)
    if not tape.inputs:
        raise UsageError("there is nothing to vary: the expression has no variables")
    return tape


def _function(tape: Tape, names: Sequence[str], counted: Iterator[int]) -> Callable[[Vector], Step]:
    """Value and gradient of the tape at a point, counted."""
    import numpy as np

    both, partials = differentiate(tape, names)
    slopes = [partials[name] for name in names]

    def at(point: Vector) -> Step:
        numbers = replay(both, _named(names, point))
        return Step(point, numbers[both.output], np.array([numbers[line] for line in slopes]), next(counted))

    return at


def _hessian(tape: Tape, names: Sequence[str]) -> Callable[[Vector], Vector]:
    """The second derivatives (n, n) at a point (n,); the tape is differentiated twice when first asked for them."""
    import numpy as np

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


def _ended(problem: Problem, tape: Tape, names: Sequence[str], path: list[Step], method: str) -> str:
    """The reason why the descent ends at its last step, or "". Raises EvaluationError if the value is nan there."""
    here = path[-1]
    if math.isnan(here.value):
        raise _not_a_number(tape, _named(names, here.point), len(path) - 1)
    if not here.finite:
        what = "the gradient is not finite" if math.isfinite(here.value) else f"the value is {here.value}"
        return what
    if here.last:
        return here.last
    reason = settled(problem, here, path[0])
    if reason and not (reason == SLOPE and method == "newton"):  # which goes on to the last digit
        return reason
    still = (
        method in ("gd", "momentum") and len(path) > 2 and all((step.point == here.point).all() for step in path[-3:])
    )
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


def _judged(problem: Problem, names: list[str], path: list[Step], ended: str, evaluations: int) -> Minimum:
    """The minimum, or whatever else the last step is; without a reason to end there, the steps were used up."""
    here = path[-1]
    kind, criterion, eigenvalues, down = "not converged", ended or f"{len(path) - 1} steps were not enough", [], {}
    if here.finite:
        judged = verdict(problem, here, path[0].value - here.value)
        eigenvalues = judged.eigenvalues
        # a minimum of the fourth order is only found to the cube root of what its gradient is
        if judged.away <= (math.cbrt(problem.tol) if ended else problem.tol):
            kind, down = judged.kind, _named(names, judged.down) if judged.down.any() else {}
        elif ended not in ("", AWAY):
            criterion += "; but by its curvature the value is not at rest there"
    touched = problem.box.touched(here.point)
    bounds = {name: float(x) for name, x, on in zip(names, here.point, touched, strict=True) if on}
    point, slope = _named(names, here.point), _named(names, here.slope)
    return Minimum(here.value, point, slope, kind, criterion, bounds, eigenvalues, down, evaluations, path)


def _named(names: Sequence[str], numbers: Vector) -> dict[str, float]:
    return dict(zip(names, numbers.tolist(), strict=True))
