"""Update rules: how the gradient of a step, and what is remembered of the steps before, become a move.

    move, state = adam(gradient, state, step)       # step counts from 0; the state starts as zeros
    x = x - rate * move

Arrays of any shape will do, and so will numbers: gradient, move and each part of the state have the shape of x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Array = Any  # a NumPy array, or a number
State = tuple[Array, ...]
Update = Callable[[Array, State, int], tuple[Array, State]]


def sgd(gradient: Array, state: State, step: int) -> tuple[Array, State]:
    """Gradient descent: straight downhill, without a state."""
    return gradient, ()


def momentum(gradient: Array, state: State, step: int) -> tuple[Array, State]:
    """A heavy ball: 0.9 of the velocity is kept, which is quicker along a valley. The state is the velocity."""
    velocity = 0.9 * state[0] + gradient
    return velocity, (velocity,)


def adam(gradient: Array, state: State, step: int) -> tuple[Array, State]:
    """Adam: the mean of the gradients over the root of the mean of their squares. The state is both means."""
    mean = 0.9 * state[0] + 0.1 * gradient
    square = 0.999 * state[1] + 0.001 * gradient * gradient
    move = mean / (1 - 0.9 ** (step + 1)) / ((square / (1 - 0.999 ** (step + 1))) ** 0.5 + 1e-8)
    return move, (mean, square)


UPDATES: dict[str, tuple[Update, int]] = {"sgd": (sgd, 0), "momentum": (momentum, 1), "adam": (adam, 2)}
"""Each rule and the number of arrays in its state."""
