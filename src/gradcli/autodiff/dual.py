"""Forward mode: numbers that carry the derivative in one direction along with them.

    x = Dual(2.0, 1.0)                # the number 2, moving at speed 1
    sin = ops.FUNCTIONS["sin"]
    sin(x).tangent                       # cos(2.0)

The same rows of the table as in the backward pass, read the other way round: an output moves at the sum of local
derivative × the operand's speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .engine import absorbing, local_derivative
from .ops import Op, to_float
from .tape import Tape, replay


class Dual(NamedTuple):
    """A number and its derivative in the direction in question."""

    primal: float
    tangent: float

    @staticmethod
    def _apply(op: Op, args: tuple[Any, ...]) -> Dual | float:
        """The operation on numbers that move; a float where it stands still, so that no pole above makes it move.

        The strong zero of the backward pass, the other way round: what was not chosen, and what stands beside a factor 0
        that does not move, stands still; and what a zero slope lets through is 0, were it infinite.
        """
        numbers = tuple([arg.primal if isinstance(arg, Dual) else to_float(arg) for arg in args])
        y = op(*numbers)
        speed, moves = 0.0, False
        fixed = tuple([i for i, arg in enumerate(args) if not isinstance(arg, Dual)])
        for i, (arg, partial) in enumerate(zip(args, op.partials_for(len(args)), strict=True)):
            if partial is not None and isinstance(arg, Dual):
                local = local_derivative(partial, numbers, y)
                speed += local * arg.tangent if local else 0.0
                moves = moves or local != 0 or not (op.choice or absorbing(op, len(args), i, fixed))
        return Dual(y, speed) if moves else y


def push(tape: Tape, inputs: Mapping[str, float], along: Mapping[str, float]) -> Dual:
    """Value and derivative of the output at `inputs`, in the direction `along` (0 for a name that it lacks)."""
    numbers = {name: Dual(x, along[name]) if along.get(name) else x for name, x in inputs.items()}
    result = replay(tape, numbers)[tape.output]
    return result if isinstance(result, Dual) else Dual(result, 0.0)
