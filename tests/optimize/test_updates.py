"""The update rules: the steps of their definitions, and the same ones in minimize."""

from itertools import islice

import numpy as np
import pytest

from gradcli.optimize import descent
from gradcli.optimize.bounds import box
from gradcli.optimize.minimum import Step
from gradcli.optimize.objective import Problem
from gradcli.optimize.updates import UPDATES, adam, momentum, sgd


def test_the_rules_take_the_steps_of_their_definitions():
    gradient = np.array([3.0, -0.5])
    assert sgd(gradient, (), 0)[0].tolist() == [3.0, -0.5]
    move, state = momentum(gradient, (np.zeros(2),), 0)
    assert momentum(gradient, state, 1)[0].tolist() == pytest.approx([5.7, -0.95])
    move, state = adam(gradient, (np.zeros(2), np.zeros(2)), 0)
    assert move == pytest.approx([1.0, -1.0], rel=1e-6)  # the first step of adam is the sign of the gradient
    assert adam(-gradient, state, 1)[0] == pytest.approx([-0.1 / 1.9, 0.1 / 1.9], rel=1e-6)


@pytest.mark.parametrize(
    ("rule", "walk"), [("sgd", descent.gd), ("momentum", descent.momentum), ("adam", descent.adam)]
)
def test_minimize_walks_by_the_same_rules(rule, walk):
    """To rounding: the arithmetic of minimize has another order."""
    bowl, x = np.array([1.0, 3.0]), np.array([2.0, -1.0])
    problem = Problem(
        lambda x: Step(x, float(bowl @ (x * x)), 2 * bowl * x, 0), lambda x: np.diag(2 * bowl), box([], "xy"), x, 1e-8
    )
    update, arrays = UPDATES[rule]
    state = (np.zeros(2),) * arrays
    for number, step in enumerate(islice(walk(problem, x, 0.05), 50)):
        assert step.point == pytest.approx(x, rel=1e-12, abs=1e-14)
        move, state = update(step.slope, state, number)
        x = x - 0.05 * move
