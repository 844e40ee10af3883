"""Verdicts on the end of a descent: each is true, or it is "not converged"."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradcli
from gradcli.autodiff.tape import replay
from gradcli.errors import GradcliError
from gradcli.optimize.minimize import minimize
from gradcli.optimize.minimum import EDGE, ENDLESS, METHODS

SIX = " + ".join(f"(x{i}-1)^4 + (x{i}-1)^2" for i in range(1, 7))

# Formula, start, bounds; the verdicts that are true, and where the minimum is. Any method may also not converge.
TABLE = [
    (SIX, dict.fromkeys([f"x{i}" for i in range(1, 7)], 1000), (), {"minimum"}, 1.0),
    ("x^3", {"x": 1}, (), {"saddle"}, 0.0),
    ("x^3", {"x": 0}, (), {"saddle"}, 0.0),
    ("x^4", {"x": 1}, (), {"flat"}, 0.0),
    ("x^4", {"x": 1e50}, (), {"flat"}, 0.0),
    ("-x^4", {"x": 0}, (), {"maximum"}, 0.0),
    ("-x^4", {"x": 1}, (), set(), None),
    ("x^2", {"x": 1e50}, (), {"minimum"}, 0.0),
    ("sqrt(x)", {"x": 1}, (), set(), None),
    ("sqrt(x)", {"x": 1}, ("x>=0",), {"minimum"}, 0.0),
    ("sqrt(x)", {"x": 1e9}, ("x>=0",), {"minimum"}, 0.0),
    ("log(x)", {"x": 1}, (), set(), None),
    ("log(x)", {"x": 1}, ("x>=0",), set(), None),
    ("exp(x) - x", {"x": 700}, (), {"minimum"}, 0.0),
    ("x - log(x)", {"x": 100}, (), {"minimum"}, 1.0),
    ("x - log(x)", {"x": 1e-9}, (), {"minimum"}, 1.0),
    ("x^2 + 1/x", {"x": 1e6}, (), {"minimum"}, 0.5 ** (1 / 3)),
    ("(x^2 - 1)^2/4 + 1e6", {"x": 30}, (), {"minimum"}, 1.0),
    ("x^2 - y^2", {"x": 1, "y": 0}, (), {"saddle"}, 0.0),
    ("x^2 - y^2", {"x": 1, "y": 1e-9}, (), set(), None),
    ("atan(x)", {"x": 5}, (), set(), None),
    ("exp(-x)", {"x": 0}, (), set(), None),
    ("1/x", {"x": 1}, (), set(), None),
    ("x", {"x": 1}, (), set(), None),
    ("-exp(-x^2)", {"x": 10}, (), {"minimum"}, 0.0),
    ("cosh(x)", {"x": 1e-9}, (), {"minimum"}, 0.0),
]


@pytest.mark.parametrize(("text", "start", "bounds", "true", "where"), TABLE, ids=lambda case: str(case)[:24])
@pytest.mark.parametrize("method", METHODS)
def test_a_verdict_is_true_or_it_is_not_converged(text, start, bounds, true, where, method):
    try:
        found = minimize(
            text, start, method=method, bounds=bounds, steps=1000 if method in ("newton", "lbfgs") else 300
        )
    except GradcliError:  # a step out of the domain
        assert method in ("gd", "momentum", "adam")
        return
    assert found.verdict in true | {"not converged"}
    if found.verdict != "not converged":
        near = 0.02 if found.verdict == "flat" else 1e-3 if "1e6" in text else 1e-6
        assert abs(abs(next(iter(found.point.values()))) - where) <= near, found


@pytest.mark.parametrize(
    ("text", "start", "method"),
    [
        (SIX, dict.fromkeys([f"x{i}" for i in range(1, 7)], 1000), "lbfgs"),
        ("exp(x) - x", {"x": 700}, "newton"),
        ("x - log(x)", {"x": 100}, "newton"),
        ("x - log(x)", {"x": 100}, "lbfgs"),
        ("x^2 + 1/x", {"x": 1e6}, "newton"),
        ("x^2 + 1/x", {"x": 1e6}, "lbfgs"),
        ("x^2", {"x": 1e50}, "lbfgs"),
        ("-exp(-x^2)", {"x": 10}, "lbfgs"),
        ("(x/1e9 - 1)^2 + (y*1e9 - 1)^2 + (z - 1e6)^2", {"x": 1, "y": 1e-12, "z": 1}, "newton"),
        ("(x/1e9 - 1)^2 + (x/1e9 + y/1e9 - 1)^2", {"x": 1e8, "y": 1e8}, "newton"),
    ],
)
def test_minima_are_reached(text, start, method):
    assert minimize(text, start, method=method).verdict == "minimum"


@pytest.mark.parametrize("method", METHODS)
def test_a_slope_without_end_at_a_bound_is_no_obstacle(method):
    assert minimize("sqrt(x)", {"x": 1}, bounds=["x>=0"], method=method).point == {"x": 0.0}


@pytest.mark.parametrize("method", ["newton", "lbfgs", "gd", "momentum"])
def test_what_falls_without_end_is_said(method):
    assert minimize("-x^2", {"x": 1}, method=method).criterion == ENDLESS


@pytest.mark.parametrize("method", ["newton", "lbfgs"])
def test_the_end_of_a_domain_is_said(method):
    assert minimize("sqrt(x)", {"x": 1}, method=method).criterion == EDGE


# --------------------------------------------------------------- no point around a minimum has a lower value

TERMS = [
    "{c}*{v}^{n}", "{c}*{v}*{w}", "exp({c}*{v})", "{c}/{v}", "({v} - {c})^4", "({v}*{w} - {c})^2", "{c}*log(1+{v}^2)",
    "{c}*{v}/(1+{v}^2)", "sqrt({v})", "{c}*log({v})", "({v} - {c})^2", "cos({v})",
]  # fmt: skip


def drawn(seed):
    """A sum of a few terms, and a start, each variable over 12 decades."""
    draw = random.Random(seed)
    names = "xyz"[: draw.randint(1, 3)]
    terms = [
        draw.choice(TERMS).format(
            c=f"({draw.choice([-3, -1, -0.5, 0.25, 1, 2, 7, 100])})",
            v=draw.choice(names), w=draw.choice(names), n=draw.randint(1, 6),
        )
        for _ in range(draw.randint(1, 4))
    ]  # fmt: skip
    text = " + ".join(terms)
    return text, {name: draw.choice([-1, 1, 1]) * 10 ** draw.uniform(-6, 6) for name in gradcli.parse(text).inputs}


def lowest(text, found, sign=1):
    """The lowest value at points around, at several radii, less the value found."""
    tape, at, draw = gradcli.parse(text), np.array(list(found.point.values())), np.random.default_rng(0)
    for radius in (1e-5, 1e-4, 1e-3):
        for direction in draw.normal(size=(20, len(at))):
            point = at + radius * np.maximum(abs(at), 1e-3) * direction / abs(direction).max()
            value = replay(tape, dict(zip(found.point, point.tolist(), strict=True)))[tape.output]
            yield sign * (value - found.value)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(list(METHODS)))
def test_no_point_around_a_minimum_is_lower(seed, method):
    text, start = drawn(seed)
    try:
        found = minimize(text, start, method=method, steps=200)
    except GradcliError:
        return
    rounding = 1e-11 * abs(found.value) + 1e-15
    if found.verdict == "minimum":
        assert min(lowest(text, found)) >= -rounding, (text, start)
    if found.verdict == "maximum":
        assert min(lowest(text, found, -1)) >= -rounding, (text, start)
    if found.verdict == "saddle":
        assert min(lowest(text, found)) < 0, (text, start)
