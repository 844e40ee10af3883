"""Descents and what is said of where they end: the methods, bounds, the verdict, and `gradcli minimize`."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradcli
from gradcli.autodiff.tape import replay
from gradcli.errors import EvaluationError, UsageError
from gradcli.optimize.bounds import box
from gradcli.optimize.descent import gd
from gradcli.optimize.minimize import minimize
from gradcli.optimize.minimizing import second_derivatives
from gradcli.optimize.minimum import METHODS, Step
from gradcli.optimize.objective import Problem
from gradcli.optimize.trust_region import length, shift_within, shifted_step

ROSENBROCK = "(1-x)^2 + 100(y-x^2)^2"
BEALE = "(1.5 - x + x*y)^2 + (2.25 - x + x*y^2)^2 + (2.625 - x + x*y^3)^2"
HIMMELBLAU = "(x^2 + y - 11)^2 + (x + y^2 - 7)^2"
POWELL = "(a + 10b)^2 + 5(c - d)^2 + (b - 2c)^4 + 10(a - d)^4"


def near(found, **point):
    return all(abs(found.point[name] - value) <= 1e-6 * max(1.0, abs(value)) for name, value in point.items())


@given(
    st.lists(
        st.tuples(
            st.sampled_from([-5.0, -1e-3, 0.0, 1e-9, 1.0, 5.0]), st.floats(-5, 5).filter(lambda s: abs(s) > 1e-3)
        ),
        min_size=1,
        max_size=5,
    ),
    st.floats(0.01, 100),
)
def test_no_step_within_the_radius_is_better(pairs, radius):
    curvatures, slopes = (np.array(column) for column in zip(*pairs, strict=True))
    step = shifted_step(curvatures, slopes, shift_within(curvatures, slopes, radius))
    assert length(step) <= radius * (1 + 1e-9)

    def model(p):
        return float(slopes @ p + curvatures @ (p * p) / 2)

    draw = np.random.default_rng(1)
    others = draw.normal(size=(200, len(pairs)))
    others *= length(step) / np.linalg.norm(others, axis=1)[:, None]
    assert model(step) <= min(map(model, others)) + 1e-9 * (1 + abs(model(step)))


def test_a_step_reaches_the_radius_where_the_model_would_go_further():
    curvatures, slopes = np.array([-1.0, 2.0]), np.array([0.5, -3.0])
    for radius in (0.1, 1.0, 10.0):
        step = shifted_step(curvatures, slopes, shift_within(curvatures, slopes, radius))
        assert 0.9 * radius <= length(step) <= radius


@pytest.mark.parametrize(
    ("text", "start", "point"),
    [
        (ROSENBROCK, {"x": -1.2, "y": 1}, {"x": 1, "y": 1}),
        (BEALE, {"x": 1, "y": 1}, {"x": 3, "y": 0.5}),
        (HIMMELBLAU, {"x": 1, "y": 1}, {"x": 3, "y": 2}),
        ("(x-1)^2 + 1e6", {"x": 0}, {"x": 1}),
        ("(x/1e9 - 1)^2 + 3(y*1e9 - 1)^2", {"x": 1e8, "y": 1e-8}, {"x": 1e9, "y": 1e-9}),
        ("x*log(x)", {"x": 1}, {"x": math.exp(-1)}),
        ("cosh(x-2) + abs(y)*y^2", {"x": 30, "y": 1}, {"x": 2}),
    ],
)
def test_newton_finds_minima(text, start, point):
    found = minimize(text, start)
    assert found.found and near(found, **point), found


@pytest.mark.parametrize("method", METHODS)
def test_every_method_walks_into_a_valley(method):
    found = minimize("(x-1)^2 + 2(y+2)^2 + x*y/10", {"x": 3, "y": 3}, method=method)
    best = minimize("(x-1)^2 + 2(y+2)^2 + x*y/10", {"x": 0, "y": 0})
    assert found.verdict == "minimum" and near(found, **best.point)
    assert found.path[0].point.tolist() == [3, 3] and found.path[-1].value == found.value
    assert [step.evaluations for step in found.path] == sorted({step.evaluations for step in found.path})


@pytest.mark.parametrize("method", ["newton", "lbfgs", "adam"])
def test_rosenbrock(method):
    found = minimize(ROSENBROCK, {"x": -1.2, "y": 1}, method=method)
    assert found.verdict == "minimum" and abs(found.value) < 1e-8


def test_gradient_descent_is_what_it_says():
    problem = Problem(
        lambda x: Step(x, float(x @ x), 2 * x, 0), lambda x: 2 * np.eye(1), box([], ["x"]), np.ones(1), 1e-8
    )
    walk = gd(problem, np.array([1.0]), 0.25)
    assert [next(walk).point.tolist() for _ in range(4)] == [[1.0], [0.5], [0.25], [0.125]]


@settings(max_examples=30)
@given(*[st.floats(-3, 3).map(lambda x: round(x, 6))] * 2)
def test_himmelblau_ends_in_one_of_its_four_minima(x, y):
    found = minimize(HIMMELBLAU, {"x": x, "y": y})
    if found.found:
        assert abs(found.value) < 1e-12
    else:
        assert found.verdict in ("saddle", "maximum")


def test_many_variables_are_left_to_lbfgs():
    text = " + ".join(f"100(x{i + 1} - x{i}^2)^2 + (1 - x{i})^2" for i in range(1, 100, 2))
    start = {f"x{i}": -1.2 if i % 2 else 1.0 for i in range(1, 101)}
    found = minimize(text, start)
    assert found.found and abs(found.value) < 1e-8 and len(found.eigenvalues) == 100


def test_second_derivatives():
    tape = gradcli.parse("x^2*y + sin(y)")
    twice, rows = second_derivatives(tape, ["x", "y"])
    numbers = replay(twice, {"x": 2.0, "y": 3.0})
    assert [[numbers[place] for place in row] for row in rows] == [[6.0, 4.0], [4.0, -math.sin(3.0)]]


@pytest.mark.parametrize(
    ("text", "start", "verdict"),
    [
        ("x^2 - y^2", {"x": 1, "y": 0}, "saddle"),
        ("x*y", {"x": 0, "y": 0}, "saddle"),
        ("cos(x)", {"x": 0}, "maximum"),
        ("x^4", {"x": 0}, "flat"),
        (POWELL, {"a": 3, "b": -1, "c": 0, "d": 1}, "flat"),
        ("x^2", {"x": 5}, "minimum"),
        ("exp(-x)", {"x": 0}, "not converged"),
        ("x", {"x": 0}, "not converged"),
        ("-x^2", {"x": 1}, "not converged"),
    ],
)
def test_verdict(text, start, verdict):
    found = minimize(text, start)
    assert found.verdict == verdict, found
    assert found.found == (verdict in ("minimum", "flat"))


@pytest.mark.parametrize("method", ["lbfgs", "gd", "momentum", "adam"])
def test_a_small_gradient_alone_is_not_believed(method):
    assert minimize("exp(-x)", {"x": 0}, method=method, rate=10).verdict == "not converged"


def test_a_way_down_from_a_saddle_is_one():
    found = minimize("x^2 + x*y - y^2/8 + z^2", {"x": 0, "y": 0, "z": 0})
    assert found.verdict == "saddle"
    moved = {name: found.point[name] + 0.01 * step for name, step in found.direction.items()}
    assert gradcli.gradient("x^2 + x*y - y^2/8 + z^2", **moved).value < found.value


def test_eigenvalues_are_those_of_the_hessian():
    found = minimize("x^2 + 3(y-1)^2", {"x": 1, "y": 2})
    assert found.eigenvalues == pytest.approx([2, 6])


def test_steps_that_run_out():
    found = minimize(ROSENBROCK, {"x": -1.2, "y": 1}, steps=3)
    assert found.verdict == "not converged" and found.criterion == "3 steps were not enough" and len(found.path) == 4


def test_a_rate_that_is_too_large():
    found = minimize(ROSENBROCK, {"x": -1.2, "y": 1}, method="gd", rate=0.1)
    assert found.verdict == "not converged" and found.criterion == "the variables run off to infinity"


def test_a_value_that_is_not_a_number_is_blamed_on_its_place():
    with pytest.raises(EvaluationError) as at_start:
        minimize("2 + log(x)", {"x": -1})
    assert at_start.value.message == "log of -1 is not a number" and at_start.value.span == (4, 10)
    with pytest.raises(EvaluationError) as later:
        minimize("x*log(x)", {"x": 1}, method="gd", rate=3)
    assert later.value.message == "log of -2 is not a number, at step 1, where x=-2" and later.value.span == (2, 8)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("sqrt(x)", {"x": 0}),
        ("1/x", {"x": 0}),
        ("x", {"x": math.inf}),
        ("x^1.5", {"x": 0}),
        ("cosh(x/1e200) + y^2", {"x": 1e200, "y": 0}),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_infinities_are_no_reason_to_fail(text, start, method):
    found = minimize(text, start, method=method)
    assert found.verdict in ("not converged", "flat")


@pytest.mark.parametrize("method", METHODS)
def test_a_minimum_on_a_bound(method):
    found = minimize("(x-3)^2 + (y-1)^2", {"x": 0, "y": 5}, method=method, bounds=["x<=2", "y>=0"])
    assert found.verdict == "minimum" and found.bounds == {"x": 2.0} and near(found, x=2, y=1)


def test_bounds_that_are_not_reached_change_nothing():
    free, bound = minimize(BEALE, {"x": 1, "y": 1}), minimize(BEALE, {"x": 1, "y": 1}, bounds=["x >= -10", "10 >= y"])
    assert free.point == bound.point and bound.bounds == {}


def test_a_start_outside_is_moved_in():
    found = minimize("x^2", {"x": 9}, bounds=["x<=pi/2", "x>=1"])
    assert found.path[0].point.tolist() == [math.pi / 2] and found.point == {"x": 1.0}


@settings(max_examples=40)
@given(st.floats(-2, 2), st.floats(-2, 2), st.floats(-0.9, 0.9))
def test_a_quadratic_in_a_box(cx, cy, twist):
    text = f"(x - {cx!r})^2 + (y - {cy!r})^2 + {twist!r}*(x - {cx!r})*(y - {cy!r})".replace("--", "+").replace(
        "- -", "+ "
    )
    found = minimize(text, {"x": 0.5, "y": 0.5}, bounds=["x>=0", "x<=1", "y>=0", "y<=1"])
    assert found.found
    x, y = np.meshgrid(*[np.linspace(0, 1, 101)] * 2)
    on_grid = (x - cx) ** 2 + (y - cy) ** 2 + twist * (x - cx) * (y - cy)
    assert found.value <= on_grid.min() + 1e-9


@pytest.mark.parametrize(
    ("bound", "says"),
    [
        ("x>2", "a bound is"),
        ("x", "a bound is"),
        ("x>=y", "a bound is"),
        ("x>=x", "a bound is"),
        ("x>=0/0", "a bound is"),
        ("2*x>=0", "a bound is"),
        ("0<=x>=1", "a bound is"),
        ("0<=1<=x", "a bound is"),
        ("z>=0", "there is no z to bound"),
        ("x>>0", "unexpected"),
        ("", "there is no expression"),
    ],
)
def test_what_is_no_bound(bound, says):
    with pytest.raises(UsageError, match=says):
        minimize("x^2 + y^2", {"x": 1, "y": 1}, bounds=[bound])


def test_bounds_without_room():
    with pytest.raises(UsageError, match="no room"):
        minimize("x^2", {"x": 1}, bounds=["x>=3", "x<=2"])


@pytest.mark.parametrize("method", METHODS)
def test_two_equal_bounds_fix_a_variable(method):
    found = minimize("(x-1)^2 + (y-x)^2", {"x": 1, "y": 0}, bounds=["x>=2", "x<=2"], method=method)
    assert found.verdict == "minimum" and near(found, x=2, y=2) and found.bounds == {"x": 2.0}
    assert minimize("x^2", {"x": 1}, bounds=["2<=x<=2"], method=method).point == {"x": 2.0}


@pytest.mark.parametrize("bound", ["0 <= x <= pi/2", "pi/2>=x>=0"])
def test_a_chain_is_two_bounds(bound):
    assert box([bound], ["y", "x"]).low.tolist() == [-math.inf, 0.0]
    assert box([bound], ["y", "x"]).high.tolist() == [math.inf, math.pi / 2]


def test_a_bound_is_not_dropped_in_silence():
    with pytest.raises(UsageError, match="more than one bound") as info:
        minimize("x^2", {"x": 1}, bounds=["x>=2; x<=5"])
    assert info.value.span == (4, 5)


def test_the_library_offers_it():
    assert gradcli.minimize("x^2", {"x": 1}).verdict == "minimum"
    assert json.dumps(gradcli.minimize("x^2", {"x": 1}).point) == '{"x": 0.0}'
