"""A local minimum, and what is known about it.

    minimum = minimize("(1-x)^2 + 100(y-x^2)^2", {"x": -1.2, "y": 1})
    minimum.point, minimum.verdict          # {'x': 1.0, 'y': 1.0}, 'minimum'

This is the door: the work is done in minimizing.py, which is loaded when NumPy and SciPy are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.autodiff.tape import Tape
from gradcli.errors import UsageError
from gradcli.extras import require_extra
from gradcli.language.bindings import require
from gradcli.language.parser import parse

from .minimum import METHODS, Minimum

MANY = 5  # variables: for more, lbfgs is the default, which needs no Hessian before the end


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
    from .minimizing import minimized

    method = method or ("newton" if len(tape.inputs) <= MANY else "lbfgs")
    default = METHODS[method]
    limit = default.steps if steps is None else steps
    return minimized(tape, start, method, bounds, limit, tol, default.rate if rate is None else rate)


def _tape(formula: str | Tape, start: Mapping[str, float]) -> Tape:
    require_extra("fit", "numpy", "scipy")
    tape = formula if isinstance(formula, Tape) else parse(formula, start)
    require(tape, start)
    if not tape.inputs:
        raise UsageError("there is nothing to vary: the expression has no variables")
    return tape
