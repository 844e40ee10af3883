"""Difference quotients with an error estimate, from values alone."""

import math
import random

import pytest

from gradcli.calculus.differences import central, is_corner, is_end, sides

SMOOTH = {
    "x^3": (lambda x: x**3, lambda x: 3 * x**2),
    "exp": (lambda x: math.exp(min(x, 700)), lambda x: math.exp(min(x, 700))),
    "sin": (math.sin, math.cos),
    "atan": (math.atan, lambda x: 1 / (1 + x * x)),
    "x": (lambda x: x, lambda x: 1.0),
    "7": (lambda x: 7.0, lambda x: 0.0),
}


def is_kink(function, x, noise=0.0):
    return is_end(function, x) or is_corner(function, x, noise)


@pytest.mark.parametrize("x", [0.0, 1e-9, -1e-3, 0.3, 1.0, -2.5, 40.0])
@pytest.mark.parametrize("name", SMOOTH)
def test_the_error_is_small_and_no_lie(name, x):
    function, derivative = SMOOTH[name]
    found = central(function, x)
    assert abs(found.value - derivative(x)) <= 50 * found.error + 1e-300
    assert found.error <= 1e-8 * abs(derivative(x)) + 1e-11
    assert not is_kink(function, x)


@pytest.mark.parametrize("x", [1e8, 1e-9, 1e100, 1e-100, 1e-300, 1e300])
def test_every_scale(x):
    found = central(lambda x: 2 * x, x)
    assert found.value == pytest.approx(2, rel=1e-9)


@pytest.mark.parametrize(
    ("function", "x", "kink"),
    [
        (abs, 0.0, True),
        (abs, 1e-8, False),  # steps are relative: the corner is far away
        (lambda x: abs(x - 1), 1 + 1e-8, True),
        (abs, 1.0, False),
        (lambda x: max(x, 0.0), 0.0, True),
        (lambda x: float(x > 0), 0.0, True),
        (lambda x: x * x, 0.0, False),
        (lambda x: math.sin(1e6 * x), 1.0, False),
        (lambda x: x * abs(x), 0.0, False),
        (lambda x: math.floor(x), 2.0, True),
        (lambda x: math.floor(x), 2.5, False),
        (lambda x: math.sqrt(x) if x >= 0 else math.nan, 0.0, True),
        (lambda x: abs(x) ** 0.5, 0.0, True),
        (lambda x: math.copysign(1, x) * x + x, 0.0, True),
        (lambda x: abs(x - 1e9), 1e9, True),
        (lambda x: abs(math.sin(1e9 * x)), 0.0, True),
        (lambda x: math.sqrt(x + 1e-9) if x > -1e-9 else math.nan, 0.0, False),  # the end is a smaller step away
        (math.sin, 1e9, False),
        (math.sin, 1e10, False),
        (math.tan, 1e10, False),
        (lambda x: math.sin(1e6 * x), 1e3, False),
        (lambda x: math.sin(1e10 * x), 1.0, False),
        (lambda x: abs(math.sin(1e10 * x)), 1.0, False),
        (lambda x: math.exp(min(1e10 * math.log(x), 700)), 1.0, False),
    ],
)
def test_kinks(function, x, kink):
    assert is_kink(function, x) is kink


def test_waves_of_every_length_have_no_corner():
    """Steps of many waves see slopes like those of a corner by chance; they do not see them six times in a row."""
    dice = random.Random(1)
    for _ in range(2000):
        x, waves = 10 ** dice.uniform(-9, 9), 10 ** dice.uniform(0, 9)
        assert not is_kink(lambda at, scale=waves / x: math.sin(scale * at), x, 2e-16 * waves), (x, waves)


def test_the_slopes_on_either_side():
    assert sides(abs, 0.0, 1e-3) == pytest.approx((-1, 1))
    assert sides(lambda x: x * x, 3.0, 1e-3) == pytest.approx((6, 6))


def test_nothing_finite_has_no_estimate():
    found = central(lambda x: math.nan, 1.0)
    assert math.isnan(found.value) and found.error == math.inf
