"""The error that rounding may have put into a number of the tape, to first order.

Every computed line is rounded once. The effect on the line asked for is that rounding times the adjoint: one backward
pass, in which every line counts as a variable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gradcli.autodiff.engine import Value, topological
from gradcli.autodiff.tape import Tape, replay

ULPS = 16  # how many roundings of an operation count: functions are not all right to half an ulp
UNIT = 2.0**-53  # half an ulp of 1: what one rounding may do, relative
TINY = 2.0**-1074  # and absolutely, where the number is next to 0


def roundings(tape: Tape, lines: Mapping[str, int], inputs: Mapping[str, float]) -> dict[str, float]:
    """The bound for each of some lines, by name: the sum of rounding × adjoint over the lines it is computed from.

    Inputs and literals are exact. What is not finite (the adjoint at a pole) is left out.
    """
    nodes = replay(tape, {name: Value(inputs[name]) for name in tape.inputs}, Value)
    return {name: _bound(nodes[line]) for name, line in lines.items()}


def _bound(output: Value) -> float:
    output.backward()
    errors = [_moved(node.data, node._grad) for node in topological(output) if node._row is not None]
    return math.fsum(error for error in errors if error < math.inf)


def _moved(data: float, adjoint: Any) -> float:
    return max(abs(data) * UNIT, TINY) * abs(adjoint) if adjoint is not None else 0.0
