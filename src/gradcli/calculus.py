"""Value and gradient of a formula, as a library call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .bindings import check_wrt, require
from .ops import to_float
from .syntax import parse
from .tape import Tape, graph


class Gradient(NamedTuple):
    """A value, and its partial derivative by each variable."""

    value: float
    partials: dict[str, float]


def gradient(formula: str | Tape, /, *, wrt: Sequence[str] | None = None, **bindings: float) -> Gradient:
    """Value and partial derivatives of a formula at a point, from one forward and one reverse pass.

    >>> gradient("(a+b)*(a*b)", a=3, b=4)
    Gradient(value=84.0, partials={'a': 40.0, 'b': 33.0})

    `wrt` names the variables to differentiate by; default: all, in the order of their first appearance.
    Numbers are IEEE 754: a nan is returned, not raised. Raises ParseError for a text that is not in the
    language, UsageError for a variable without a value.
    """
    tape = formula if isinstance(formula, Tape) else parse(formula, bindings)
    require(tape, bindings)
    names = list(tape.inputs) if wrt is None else list(wrt)
    check_wrt(tape, names, bindings)
    values = graph(tape, {name: to_float(bindings[name]) for name in tape.inputs})
    values[tape.output].backward()
    return Gradient(
        values[tape.output].data,
        {name: values[tape.inputs[name]].grad if name in tape.inputs else 0.0 for name in names},
    )
