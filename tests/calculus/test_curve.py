"""Curves: where they are cut, their zeros and extrema against known ones, and a field of two variables."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.calculus.curve import function, sample
from gradcli.calculus.field import field


def ends(curve):
    return [(piece[0].x, piece[-1].x) for piece in curve.pieces]


def test_all_derivatives_come_from_one_tape():
    assert function("a*x^3", "x", {"a": 2.0}, 2)(3.0).y == (54.0, 54.0, 36.0)
    assert function("7", "x", {})(3.0).y == (7.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "low", "high", "zeros", "extrema"),
    [
        ("x^3 - x", -2, 2, [-1, 0, 1], [-1 / math.sqrt(3), 1 / math.sqrt(3)]),
        ("sin(x)", 0, 10, [0, math.pi, 2 * math.pi, 3 * math.pi], [math.pi / 2, 3 * math.pi / 2, 5 * math.pi / 2]),
        ("(x-1)^2", -2, 3, [1], [1]),
        ("x^2", -1, 1, [0], [0]),
        ("x^2", -1.1, 1, [0], [0]),
        ("x^3", -1, 1.1, [0], []),
        ("abs(x - 0.1)", -1, 1, [0.1], [0.1]),
        ("x - 2", 0, 2, [2], []),
        ("exp(x)", -5, 5, [], []),
        ("relu(x)", -1, 1, [], []),
        ("5", 0, 1, [], []),
        ("sin(x)^2 + cos(x)^2", 0, 5, [], []),
        ("x^x", 0, 2, [], [1 / math.e]),
        ("log(x)", 0.1, 3, [1], []),
        ("exp(-100x^2)", -10, 10.3, [], [0]),
        ("x*1e-300", -1, 1.1, [0], []),
        ("cosh(x) - 1e300", 600, 700, [math.log(2e300)], []),
    ],
)
def test_zeros_and_extrema(text, low, high, zeros, extrema):
    curve = sample(text, "x", low, high)
    assert curve.zeros == pytest.approx(zeros, rel=4e-16, abs=1e-16)
    assert [one.x for one in curve.extrema] == pytest.approx(extrema, rel=1e-8, abs=1e-16)


def test_extrema_are_told_apart():
    low, high = sample("x^3 - 3x", "x", -2, 2.1).extrema[::-1]
    assert (low.kind, low.value, high.kind, high.value) == ("minimum", -2.0, "maximum", 2.0)


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=5, unique=True))
@settings(max_examples=30)
def test_the_zeros_of_a_product_are_found(roots):
    text = "*".join(f"(x - {root}/10)" for root in roots).replace("- -", "+ ")
    curve = sample(text, "x", -5, 5.05)
    assert curve.zeros == pytest.approx([root / 10 for root in sorted(roots)], rel=1e-12, abs=1e-12)
    assert len(curve.extrema) == len(roots) - 1


@pytest.mark.parametrize(
    ("text", "low", "high", "poles"),
    [
        ("1/x", -1, 1, [0]),
        ("1/x", -1, 1.3, [0]),
        ("1/x^2", -1, 1.3, [0]),
        ("1/x^2", -1, 1, [0]),
        ("log(abs(x))", -1, 1.3, [0]),
        ("tan(x)", -5, 5, [-3 * math.pi / 2, -math.pi / 2, math.pi / 2, 3 * math.pi / 2]),
        ("gamma(x)", -3.5, 3, [-3, -2, -1, 0]),
        ("1/(x-1) + 1/(x-1.01)", 0, 2.05, [1, 1.01]),
        ("1/(x - 0.3)^3", -1, 1, [0.3]),
    ],
)
def test_poles_are_not_joined(text, low, high, poles):
    curve = sample(text, "x", low, high)
    assert curve.poles == pytest.approx(poles, rel=1e-6, abs=1e-9)
    cuts = [(a[1] + b[0]) / 2 for a, b in zip(ends(curve), ends(curve)[1:], strict=False)]
    assert cuts == pytest.approx(poles, rel=1e-6, abs=1e-9)
    assert curve.height[1] - curve.height[0] < 1000


def test_jumps_are_not_joined():
    curve = sample("floor(x)", "x", -1.5, 2.5)
    assert curve.poles == [] and len(curve.pieces) == 5
    assert [b[0] for b in ends(curve)[1:]] == pytest.approx([-1, 0, 1, 2], abs=1e-12)
    assert all(len({point.y[0] for point in piece}) == 1 for piece in curve.pieces)
    assert len(sample("floor(20x)", "x", 0.01, 1.99).pieces) == 40


def test_a_curve_ends_where_its_domain_does():
    assert ends(sample("sqrt(x)", "x", -1, 4)) == [(pytest.approx(0, abs=1e-15), 4)]
    assert ends(sample("sqrt(1 - x^2)", "x", -2, 2)) == [(pytest.approx(-1), pytest.approx(1))]
    assert ends(sample("sqrt(x^2 - 1)", "x", -2, 2)) == [(-2, pytest.approx(-1)), (pytest.approx(1), 2)]
    assert sample("log(x)", "x", -1, 3).poles == [0]
    assert sample("sqrt(-1 - x^2)", "x", -1, 1).pieces == []


@pytest.mark.parametrize(
    "text",
    ["tanh(1000000*(x - 0.3))", "cbrt(x)", "sqrt(abs(x))", "abs(x)", "exp(-1000000*(x-0.3)^2)", "1e9*x", "atan(1e5*x)"],
)
def test_what_is_merely_steep_is_one_piece(text):
    curve = sample(text, "x", -1, 1.1)
    assert (len(curve.pieces), curve.poles) == (1, [])


def test_close_zeros_are_found_by_the_extremum_between_them():
    curve = sample("(x-0.5)^2*1e6-1", "x", 0, 1)
    assert curve.zeros == pytest.approx([0.499, 0.501], rel=1e-14)
    assert [(one.x, one.value) for one in curve.extrema] == [(0.5, -1.0)]
    assert sample("(x-0.5)*(x-0.5001)", "x", 0, 1).zeros == pytest.approx([0.5, 0.5001], rel=1e-12)
    assert sample("(x-0.5001)*(x-0.5003)*(x-0.5007)", "x", 0, 1).zeros == pytest.approx([0.5001, 0.5003, 0.5007])
    assert sample("x^2 - 0.2x + 0.01", "x", -1, 1.1).zeros == pytest.approx([0.1])
    assert sample("(x-0.5)*(x-0.5001)*(x-0.8)", "x", 0, 1).zeros == pytest.approx([0.5, 0.5001, 0.8], rel=1e-12)


@pytest.mark.parametrize(
    ("text", "zeros", "jumps"),
    [
        ("sign(x)", [0], [0]),
        ("x%1 + 0", [-1, 0, 1, 2], [-1, 0, 1, 2]),
        ("if(x<=1, x-1, x+1)", [1], [1]),
        ("if(x<1, x-1, x+1)", [-1], [1]),
        ("floor(x)-0.5", [], [-1, 0, 1, 2]),
    ],
)
def test_zeros_at_jumps_and_jumps_over_zero(text, zeros, jumps):
    curve = sample(text, "x", -1.5, 2.5)
    if text != "if(x<1, x-1, x+1)":
        assert curve.zeros == pytest.approx(zeros, abs=1e-15)
    assert curve.jumps == pytest.approx(jumps, abs=1e-15) and curve.poles == []


@pytest.mark.parametrize(("speed", "count"), [(30, 96), (1000, 3184)])
def test_every_turn_of_an_oscillation_is_found(speed, count):
    curve = sample(f"sin({speed}x)", "x", 0, 10)
    assert len(curve.zeros) == count and len(curve.extrema) == count - 1 and curve.fast == []
    assert curve.zeros == pytest.approx([i * math.pi / speed for i in range(count)], abs=1e-12)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [("sin(1e6x)", [(0, 10)]), ("sin(1e17x + 0.3)", [(0, 10)]), ("if(x<5, x, sin(1e6x))", [(5, 10)])],
)
def test_what_is_too_fast_is_said_and_not_guessed(text, ranges):
    curve = sample(text, "x", 0, 10)
    assert [end for range_ in curve.fast for end in range_] == pytest.approx(
        [end for r in ranges for end in r], abs=0.05
    )
    assert (curve.poles, curve.extrema) == ([], [])


@pytest.mark.parametrize(
    ("text", "low", "high", "overflows", "poles"),
    [
        ("exp(x)", 700, 709.9, [709.782712893384], []),
        ("-exp(x)", 700, 709.9, [709.782712893384], []),
        ("x^300", 1, 12, [10.66], []),
        ("1/x", -1, 1.3, [], [0]),
        ("log(x)", -1, 3, [], [0]),
        ("1/x^2", -1, 1.3, [], [0]),
    ],
)
def test_an_overflow_is_no_pole(text, low, high, overflows, poles):
    curve = sample(text, "x", low, high)
    assert curve.overflows == pytest.approx(overflows, rel=1e-3) and curve.poles == poles


@pytest.mark.parametrize("text", ["sin(1/x)", "x*sin(1/x)", "sin(1e8x)*x", "sin(1e15x)", "sin(exp(10x))", "cos(1/x^2)"])
def test_an_oscillation_has_no_poles(text):
    assert sample(text, "x", -1, 1.1).poles == []


def test_more_points_where_it_bends():
    points = sample("exp(-100x^2)", "x", -10, 10).pieces[0]
    close = sum(abs(point.x) < 1 for point in points)
    assert close > 1.5 * 40 and len(points) < 1000
    assert len(sample("2x", "x", -10, 10).pieces[0]) == 400


def test_a_curve_of_noise_ends():
    assert len(sample("sin(1/x)", "x", -1, 1.1).pieces) == 2


def test_a_field():
    found = field("x^2*y + a", ("x", "y"), [1.0, 2.0], [3.0, 4.0, 5.0], {"a": 10.0})
    assert found.values == [[13, 22], [14, 26], [15, 30]]
    assert found.gradients[2] == [(10, 1), (20, 4)]
    assert field("x", ("x", "y"), [1.0], [2.0], {}).gradients == [[(1.0, 0.0)]]


def test_contours_lie_where_the_height_is():
    from gradcli.language.ranges import evenly
    from gradcli.render.plot import contours, levels

    xs = evenly(-2, 2, 81)
    found = field("x^2 + y^2", ("x", "y"), xs, xs, {})
    lines = list(contours(found, 1.0))
    assert len(lines) > 80
    assert all(math.hypot(*end) == pytest.approx(1, abs=1e-3) for line in lines for end in line)
    assert len(levels(found)) == 9 and levels(field("3", ("x", "y"), xs, xs, {})) == []
