"""Additions to value and gradient at a point: second derivatives, higher orders, a direction, several outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gradcli.autodiff.tape import Tape
from gradcli.errors import UsageError
from gradcli.language.bindings import check_outputs
from gradcli.trace.diagnostics import Diagnostic, diagnose
from gradcli.trace.trace import Trace, trace

from .gradient import Gradient, derivatives, hessian, jacobian, jvp


class Wanted(NamedTuple):
    """A request: the Hessian, derivatives up to an order, the direction of a derivative, the names of outputs."""

    hessian: bool = False
    order: int | None = None
    along: Mapping[str, float] | None = None
    outputs: Sequence[str] | None = None


class Additions(NamedTuple):
    """The answers to a request; None for what it leaves out. `slope` is the derivative in the direction."""

    hessian: dict[str, dict[str, float]] | None = None
    derivatives: dict[str, list[float]] | None = None
    direction: Mapping[str, float] | None = None
    slope: float = 0.0
    outputs: dict[str, Gradient] | None = None


def additions(tape: Tape, result: Trace, wanted: Wanted, point: Mapping[str, float]) -> Additions:
    """The answers at a point, by the variables of a trace. Raises UsageError for an order of several variables."""
    wrt = list(result.wrt)
    if wanted.order is not None and len(wrt) != 1:
        raise UsageError("--order takes one variable", hint=f"choose it: --wrt {wrt[0] if wrt else 'NAME'}")
    return Additions(
        hessian(tape, point, wrt=wrt) if wanted.hessian else None,
        None if wanted.order is None else derivatives(tape, wanted.order, point, wrt=wrt),
        wanted.along,
        0.0 if wanted.along is None else jvp(tape, wanted.along, point).tangent,
        None if wanted.outputs is None else jacobian(tape, wanted.outputs, point, wrt=wrt),
    )


def with_outputs(tape: Tape, outputs: Sequence[str]) -> Tape:
    """The tape where these names are asked for, so that none is unused. Raises UsageError for one not assigned."""
    check_outputs(tape, outputs)
    return tape._replace(unused=tuple([(name, span) for name, span in tape.unused if name not in outputs]))


def diagnose_additions(added: Additions, tape: Tape, result: Trace, point: Mapping[str, float]) -> Iterator[Diagnostic]:
    """Diagnostics of the answers: second derivatives that are not numbers, and those of each output.

    Raises EvaluationError, with the place, for an output that is not a number.
    """
    for name in added.outputs or {}:
        output = tape._replace(output=tape.names[name])
        yield from diagnose(output, trace(output, point, result.wrt, formulas=False))
    node = result.nodes[result.output]
    for row, columns in (added.hessian or {}).items():
        for column, second in columns.items():
            if math.isnan(second) and row <= column:
                message = f"the second derivative by {row} and {column} is not defined here"
                yield Diagnostic("undefined", node.span, node.text, message, result.source)
