"""Fits: parameters, standard errors, weights, bounds, many starts, what cannot be fitted, and `gradcli fit`."""

import math
import random

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import gradcli
from gradcli.errors import EvaluationError, GradcliError, ParseError, UsageError
from gradcli.optimize.fit import fit, predict
from gradcli.optimize.linearised import Point, columns

DECAY = {"x": [0.0, 1.0, 2.0, 3.0, 5.0, 8.0], "y": [5.1, 2.9, 1.9, 1.1, 0.45, 0.08]}
CSV = "x,y\n0,5.1\n1,2.9\n2,1.9\n3,1.1\n5,0.45\n8,0.08\n"


def by_scipy(function, x, y, start, **more):
    """Parameters and standard errors of SciPy's curve_fit, as well as it can."""
    best, covariance = scipy.optimize.curve_fit(function, x, y, start, ftol=1e-14, xtol=1e-14, gtol=1e-14, **more)
    return best, np.sqrt(np.diag(covariance))


def same(found, best, errors, rel=1e-6):
    assert list(found.values.values()) == pytest.approx(best, rel=rel)
    assert [parameter.stderr for parameter in found.params.values()] == pytest.approx(errors, rel=1e-4)


def test_a_straight_line_is_that_of_the_textbook():
    x, y = np.array([1.0, 2.0, 4.0, 5.0]), np.array([2.1, 3.9, 8.2, 9.7])
    found = fit("y ~ a + b*x", {"x": x, "y": y}, {"a": 0, "b": 0})
    spread = ((x - x.mean()) ** 2).sum()
    b = ((x - x.mean()) * (y - y.mean())).sum() / spread
    a = y.mean() - b * x.mean()
    rss = ((y - a - b * x) ** 2).sum()
    errors = [math.sqrt(rss / 2 * (1 / 4 + x.mean() ** 2 / spread)), math.sqrt(rss / 2 / spread)]
    same(found, [a, b], errors, rel=1e-12)
    assert found.converged and found.dof == 2 and found.rss == pytest.approx(rss)
    assert found.r2 == pytest.approx(1 - rss / ((y - y.mean()) ** 2).sum())
    times = 4.302652729911275  # of Student's t with 2 degrees of freedom, both tails of 2.5 %
    assert found.params["a"].high - found.params["a"].value == pytest.approx(times * errors[0])
    assert found.correlations["a"]["b"] == pytest.approx(-x.mean() / math.sqrt((x**2).mean()))
    assert found.fitted == pytest.approx(a + b * x) and list(found.measured) == list(y)


def test_an_exponential_as_scipy_has_it():
    found = fit("y ~ a*exp(-b*x)", DECAY, {"a": 1, "b": 1})
    same(found, *by_scipy(lambda x, a, b: a * np.exp(-b * x), np.array(DECAY["x"]), DECAY["y"], [1, 1]))


def test_the_left_side_may_be_an_expression():
    found = fit("log(y) ~ p - b*x", DECAY, {"p": 0, "b": 0})
    slope, level = np.polyfit(DECAY["x"], np.log(DECAY["y"]), 1)
    assert found.values == pytest.approx({"p": level, "b": -slope})


def test_statements_before_the_model():
    found = fit("f(t) = exp(-b*t)  # ~ decays\ny ~ a*f(x)", DECAY, {"a": 1, "b": 1})
    assert found.values == fit("y ~ a*exp(-b*x)", DECAY, {"a": 1, "b": 1}).values


def test_a_column_and_a_parameter_win_over_constants():
    found = fit("e ~ pi*x", {"x": [1, 2, 3], "e": [2, 4, 6]}, {"pi": 1})
    assert found.values == pytest.approx({"pi": 2})


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([1e-9, 1e-3, 1.0, 1e6]), st.sampled_from([1e-8, 1.0, 1e12]))
def test_parameters_of_any_size(seed, across, up):
    """The same curve in other units: the relative result is the same."""
    draw = random.Random(seed)
    x = [i / 10 for i in range(30)]
    y = [3 * math.exp(-0.7 * t) + draw.gauss(0, 0.01) for t in x]
    plain = fit("y ~ a*exp(-b*x)", {"x": x, "y": y}, {"a": 1, "b": 1})
    scaled = {"x": [t * across for t in x], "y": [v * up for v in y]}
    found = fit("y ~ a*exp(-b*x)", scaled, {"a": up, "b": 1 / across})
    assert found.converged
    assert found.values["a"] / up == pytest.approx(plain.values["a"], rel=1e-9)
    assert found.values["b"] * across == pytest.approx(plain.values["b"], rel=1e-9)
    assert found.params["b"].stderr * across == pytest.approx(plain.params["b"].stderr, rel=1e-6)


@settings(max_examples=25)
@given(st.floats(0.2, 5), st.floats(0.1, 2), st.floats(-3, 3), st.floats(0.5, 2), st.floats(0.5, 2))
def test_an_exact_curve_gives_its_parameters_back(a, b, c, off_a, off_b):
    x = np.linspace(0, 4, 20)
    start = {"a": a * off_a, "b": b * off_b, "c": 0}
    data = {"x": x, "y": a * np.exp(-b * x) + c}
    # a start with c = 0 far from c leads some of them along the valley where a grows and b vanishes: hence the others
    found = fit("y ~ a*exp(-b*x) + c", data, start, starts=8, seed=0)
    assert found.converged
    assert list(found.values.values()) == pytest.approx([a, b, c], rel=1e-7, abs=1e-9)


def test_a_parameter_that_is_zero():
    found = fit("y ~ a + b*x^2", {"x": [-2, -1, 0, 1, 2], "y": [1.992, 1.999, 2, 2.001, 2.008]}, {"a": 1, "b": 1})
    assert found.converged and abs(found.values["b"]) < 1e-12
    assert found.params["b"].stderr == pytest.approx(0.001759328876372492)


def test_as_many_rows_as_parameters():
    found = fit("y ~ a + b*x", {"x": [1, 2], "y": [3, 5]}, {"a": 0, "b": 0})
    assert found.converged and found.dof == 0 and found.values == pytest.approx({"a": 1, "b": 2})
    assert found.params["a"][1:] == (None, None, None) and found.correlations == {}


def test_steps_that_run_out():
    found = fit("y ~ a*exp(-b*x)", DECAY, {"a": 1, "b": 9}, steps=1)
    assert not found.converged


def test_a_valley_without_a_bottom_is_not_a_minimum():
    """The sum of squares falls for ever as b grows."""
    found = fit("y ~ a*exp(b*x)/(1 + exp(b*x))", {"x": [1.0, 2.0, 3.0], "y": [0.999, 0.9999, 1.0]}, {"a": 1, "b": 1})
    rss = [fit("y ~ a", {"y": [0.999, 0.9999, 1.0]}, {"a": 1}).rss]
    assert not found.converged or found.rss < rss[0]


def test_sigmas_as_scipy_has_them():
    sigma = [0.2, 0.2, 0.1, 0.1, 0.05, 0.01]
    data = {**DECAY, "s": sigma, "w": [1 / s**2 for s in sigma]}

    def decay(x, a, b):
        return a * np.exp(-b * x)

    x = np.array(DECAY["x"])
    for absolute in (False, True):
        expected = by_scipy(decay, x, DECAY["y"], [1, 1], sigma=sigma, absolute_sigma=absolute)
        same(fit("y ~ a*exp(-b*x)", data, {"a": 1, "b": 1}, sigma="s", absolute=absolute), *expected)
        same(fit("y ~ a*exp(-b*x)", data, {"a": 1, "b": 1}, weights="w", absolute=absolute), *expected)
    relative = fit("y ~ a*exp(-b*x)", data, {"a": 1, "b": 1}, sigma="y/10")
    same(relative, *by_scipy(decay, x, DECAY["y"], [1, 1], sigma=np.array(DECAY["y"]) / 10))


def test_absolute_sigmas_need_no_degree_of_freedom():
    found = fit("y ~ a*x", {"x": [2], "y": [6]}, {"a": 1}, sigma="0.1*x/x", absolute=True)
    assert found.params["a"].stderr == pytest.approx(0.05)


@pytest.mark.parametrize("number", [0.0, -1.0])
def test_a_sigma_that_is_none(number):
    with pytest.raises(GradcliError, match=r"greater than 0: it is (0|-1) in row 2"):
        fit("y ~ a*x", {"x": [1, 2], "y": [1, 2], "s": [1, number]}, {"a": 1}, sigma="s")


def test_bounds_hold():
    found = fit("y ~ a*exp(-b*x)", DECAY, {"a": 1, "b": 0.1}, bounds=["a<=4", "b>=0"])
    assert found.converged and found.bounds == {"a": 4.0} and found.params["a"].stderr is None
    (best,), _ = scipy.optimize.curve_fit(lambda x, b: 4 * np.exp(-b * x), np.array(DECAY["x"]), DECAY["y"], [0.5])
    assert found.values["b"] == pytest.approx(best, rel=1e-6) and found.params["b"].stderr > 0


def test_all_on_bounds():
    found = fit("y ~ a + b*x", {"x": [1, 2, 3], "y": [5, 7, 9]}, {"a": 0, "b": 0}, bounds=["a<=1", "b<=1"])
    assert found.values == {"a": 1.0, "b": 1.0} and found.converged and found.correlations == {}


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_a_box_as_scipy_has_it(seed):
    draw = np.random.default_rng(seed)
    x = np.linspace(0, 5, 25)
    y = 2 * np.exp(-0.8 * x) + 0.3 + draw.normal(0, 0.05, 25)
    found = fit("y ~ a*exp(-b*x) + c", {"x": x, "y": y}, {"a": 1, "b": 1, "c": 1}, bounds=["c>=0.32", "b<=0.7"])
    reference = scipy.optimize.least_squares(
        lambda p: p[0] * np.exp(-p[1] * x) + p[2] - y, [1, 0.6, 1], bounds=([-9, -9, 0.32], [9, 0.7, 9]), xtol=1e-14
    )
    assert found.converged and found.rss <= 2 * reference.cost * (1 + 1e-9)


def test_many_starts_find_what_one_does_not():
    x = np.linspace(0, 10, 60)
    data = {"x": x, "y": 2 * np.sin(3.3 * x + 0.5)}
    start = {"a": 1, "w": 1, "p": 0}
    assert fit("y ~ a*sin(w*x + p)", data, start).rss > 1
    many = {"starts": 40, "seed": 1, "bounds": ["w>=0.1", "w<=10", "p>=-4", "p<=4", "a>=0"]}
    found = fit("y ~ a*sin(w*x + p)", data, start, **many)
    assert found.converged and found.rss < 1e-20 and found.values == pytest.approx({"a": 2, "w": 3.3, "p": 0.5})
    assert found.starts[0] == 40 and 1 <= found.starts[1] < 40
    assert fit("y ~ a*sin(w*x + p)", data, start, **many).values == found.values


def test_starts_without_a_value_are_passed_over():
    data = {"x": [1.0, 2.0, 3.0], "y": [0.0, 0.7, 1.1]}
    found = fit("y ~ a*log(b*x)", data, {"a": 1, "b": 1}, starts=10)
    assert found.converged and found.starts[0] == 10


@pytest.mark.parametrize(
    ("model", "start", "kind", "says"),
    [
        ("y ~ a*x", {}, UsageError, "there are no parameters"),
        ("y = a*x", {"a": 1}, UsageError, "there is no ~"),
        ("y ~ a ~ x", {"a": 1}, UsageError, "more than one ~"),
        ("y ~ a*x + b", {"a": 1}, UsageError, "b is neither a column nor a parameter"),
        ("z ~ a*x", {"a": 1}, UsageError, "z is neither a column nor a parameter"),
        ("y ~ a*x", {"a": 1, "b": 1}, UsageError, "the model does not use the parameter b"),
        ("y ~ x*2", {"x": 1}, UsageError, "x is a parameter and a column"),
        ("y*a ~ x", {"a": 1}, UsageError, "left of the ~ stands what was measured"),
        ("y ~ a*x)", {"a": 1}, ParseError, "unexpected"),
        ("~ a*x", {"a": 1}, ParseError, "there is no expression"),
        ("y ~", {"a": 1}, ParseError, "there is no expression"),
        ("y ~ log(-a*x)", {"a": 1}, EvaluationError, "log of -1 is not a number, in row 1"),
        ("y ~ a/(x-2)", {"a": 1}, EvaluationError, "1/0 is inf"),
        ("y ~ sqrt((a-1)*x) + a", {"a": 1}, EvaluationError, "in row 1"),
        ("log(y-2) ~ a*x", {"a": 1}, EvaluationError, "log of -1 is not a number, in row 1"),
        ("y ~ a + b + c + d*x", dict.fromkeys("abcd", 1), GradcliError, "4 parameters need at least as many rows"),
        ("y ~ a*b*x", {"a": 1, "b": 2}, GradcliError, "the data do not determine a and b"),
        ("y ~ a*x + 0*b", {"a": 1, "b": 2}, GradcliError, "the data do not determine b "),
        ("y ~ (a + b)*x + c", dict.fromkeys("abc", 1), GradcliError, "the data do not determine a and b"),
    ],
)
def test_what_cannot_be_fitted(model, start, kind, says):
    with pytest.raises(kind) as problem:
        fit(model, {"x": [1, 2, 3], "y": [1, 2, 3.1]}, start)
    assert says in str(problem.value)


def test_places_are_those_in_the_whole_text():
    with pytest.raises(EvaluationError) as problem:
        fit("g(t) = log(t); y ~ a*g(x)", {"x": [1, -1], "y": [1, 2]}, {"a": 1})
    assert problem.value.source.text == "g(t) = log(t); y ~ a*g(x)"
    assert "row 2" in problem.value.message
    with pytest.raises(ParseError) as problem:
        fit("y ~ a*(x", {"x": [1], "y": [1]}, {"a": 1})
    assert problem.value.source.text == "y ~ a*(x"


@pytest.mark.parametrize(
    ("data", "says"),
    [({"x": [], "y": []}, "no rows"), ({"x": [1, 2], "y": [1]}, "differ in length")],
)
def test_columns_that_are_none(data, says):
    with pytest.raises(GradcliError, match=says):
        fit("y ~ a*x", data, {"a": 1})


def test_a_weight_of_0_leaves_the_row_out():
    data = {"x": [1, 2, 0, 3], "y": [2, 4, -1, 6.5], "w": [1, 1, 0, 2]}
    found = fit("log(y) ~ log(a*x)", data, {"a": 1}, weights="w")
    fewer = fit("log(y) ~ log(a*x)", {name: [*v[:2], v[3]] for name, v in data.items()}, {"a": 1}, weights="w")
    assert (found.params, found.dof, found.left_out) == (fewer.params, 2, 1)
    with pytest.raises(GradcliError, match="0 or more: it is -1 in row 1"):
        fit("y ~ a*x", data, {"a": 1}, weights="-w")
    with pytest.raises(GradcliError, match="every weight is 0"):
        fit("y ~ a*x", data, {"a": 1}, weights="0*w")


def test_absolute_is_said_of_sigma_or_weights():
    with pytest.raises(UsageError, match="absolute is said of"):
        fit("y ~ a*x", DECAY, {"a": 1}, absolute=True)


def test_a_sigma_is_not_dropped_in_silence():
    with pytest.raises(UsageError, match="more than one expression") as info:
        fit("y ~ a*x", DECAY, {"a": 1}, sigma="x; y")
    assert info.value.span == (1, 2)


def test_a_parameter_that_is_fixed_by_its_bounds():
    free = fit("y - 2 ~ a*x", DECAY, {"a": 1})
    fixed = fit("y ~ a*x + b", DECAY, {"a": 1, "b": 5}, bounds=["2<=b<=2"])
    assert fixed.values == pytest.approx({"a": free.values["a"], "b": 2.0}) and fixed.dof == free.dof
    assert fixed.params["a"].stderr == pytest.approx(free.params["a"].stderr) and fixed.params["b"].stderr is None


@pytest.mark.parametrize(("model", "hint"), [("y ~ a/(x-1)", ""), ("y ~ x/(a-1)", "another start may help")])
def test_another_start_is_advised_where_it_may_help(model, hint):
    with pytest.raises(EvaluationError) as info:
        fit(model, {"x": [1, 2], "y": [1, 2]}, {"a": 1})
    assert (info.value.hint or "") == hint


def test_sigma_and_weights_exclude_each_other():
    with pytest.raises(UsageError, match="two names of one thing"):
        fit("y ~ a*x", DECAY, {"a": 1}, sigma="x", weights="x")


def test_the_scale_of_an_empty_column_is_one():
    assert columns(np.array([[3.0, 0.0], [4.0, 0.0]])).tolist() == [5.0, 1.0]
    assert not Point(np.ones(1), np.array([math.inf]), np.ones((1, 1)), np.ones((1, 2))).finite


def test_predictions_and_their_errors():
    found = fit("y ~ a + b*x", {"x": [1, 2, 4, 5], "y": [2.1, 3.9, 8.2, 9.7]}, {"a": 0, "b": 0})
    values, errors = predict(found, {"x": np.array([3.0, 10.0])}, 2)
    assert values == pytest.approx([found.values["a"] + found.values["b"] * x for x in (3, 10)])
    at_mean = math.sqrt(found.rss / found.dof / 4)  # x = 3 is the mean: half of the residual standard error
    assert errors[0] == pytest.approx(at_mean) and errors[1] > errors[0]


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data.csv").write_text(CSV, encoding="utf-8")
    return tmp_path


def test_the_library_offers_it():
    assert gradcli.fit("y ~ a*x", {"x": [1, 2], "y": [2, 4]}, {"a": 1}).values == pytest.approx({"a": 2})
