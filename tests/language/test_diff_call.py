"""diff(expr, x) inside expressions: nested, in programs and in functions, in the trace, and its mistakes."""

import json
import math

import pytest
from helpers import fails, gives

from gradcli import gradient


@pytest.mark.parametrize(
    ("text", "point", "wanted"),
    [
        ("diff(x^3, x)", {"x": 2}, 12),
        ("diff(x^3, x, 2)", {"x": 2}, 12),
        ("diff(x^3, x, 4)", {"x": 2}, 0),
        ("diff(diff(x^3, x), x)", {"x": 2}, 12),
        ("diff(diff(diff(x^5, x), x)*x, x)", {"x": 1}, 80),
        ("diff(x^2*y, x)*y", {"x": 3, "y": 5}, 150),
        ("diff(diff(x^2*y^3, x), y)", {"x": 3, "y": 2}, 72),
        ("diff(x^2, y) + y", {"x": 3, "y": 2}, 2),
        ("diff(7, x) + x", {"x": 3}, 3),
        ("diff(x, x)", {"x": 3}, 1),
        ("u = x^2; diff(u, x)", {"x": 3}, 6),
        ("u = x^2; v = u^3; diff(v, u)", {"x": 2}, 48),
        ("u = x^2; v = u^3; diff(v, x)", {"x": 2}, 192),
        ("f(t) = diff(t^3, t); f(x)", {"x": 2}, 12),
        ("f(t) = diff(t^3, t); f(x^2)", {"x": 2}, 48),
        ("f(t, s) = diff(t^2*s, t); f(x, 5)", {"x": 2}, 20),
        ("f(t) = t^3; diff(f(x), x, 2)", {"x": 2}, 12),
        ("f(t) = t^3; g(t) = diff(f(t), t); diff(g(x), x)", {"x": 2}, 12),
        ("diff(if(x > 0, x^2, 1/0), x)", {"x": 3}, 6),
        ("diff(max(x, y), x)", {"x": 3, "y": 3}, 0.5),
        ("diff(x^y, y)", {"x": 0, "y": 2}, 0),
        ("diff(x^2*y^3, x, y)", {"x": 3, "y": 2}, 72),
        ("diff(x^2*y^3, y, x)", {"x": 3, "y": 2}, 72),
        ("diff(x^3*y^2, x, x, y)", {"x": 3, "y": 2}, 72),
        ("diff(x^3, x, x)", {"x": 2}, 12),
        ("f(t, s) = diff(t^2*s, t, s); f(x, 5)", {"x": 2}, 4),
        ("c = 2; diff(c^3*x, c)", {"x": 5}, 60),
        ("c = pi; diff(c*x*pi, c)", {"x": 1}, math.pi),
        ("c = 2; diff(x^2, c)", {"x": 5}, 0),
        ("u = diff(3*x, x); diff(3*x*u, u)", {"x": 5}, 15),
        ("u = diff(x, x); diff(x^2, u)", {"x": 5}, 0),
        ("v = x^2; u = diff(x^3/3, x); diff(u*v, u)", {"x": 5}, 25),
        ("u = x; diff(x*u, u)", {"x": 5}, 5),
        ("u = 1*x; diff(x*u, u)", {"x": 5}, 5),
        ("u = x; diff(x*u, x)", {"x": 5}, 10),
        ("u = x; diff(u^2, u)", {"x": 5}, 10),
        ("v = x^2; u = v; diff(u*v, u)", {"x": 3}, 9),
        ("f(t) = t; u = f(x); diff(u*x, u)", {"x": 3}, 3),
        ("u = x; diff(x*u, u)*u + x", {"x": 5}, 30),
    ],
)
def test_values(text, point, wanted):
    assert gradient(text, point).value == wanted


def test_it_is_differentiable_itself():
    assert gradient("diff(x^3*y, x)", x=2, y=5) == (60, {"x": 60, "y": 12})


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("diff(x^2)", ["diff takes an expression and a name", "diff(x^2)\n  ^^^^^^^^^"]),
        ("diff()", ["diff"]),
        ("diff(x, x, 1, 1)", ["an order, or more names than one", "diff(x^2*y, x, x, y)"]),
        ("diff(x*y, x, y, 2)", ["an order, or more names than one"]),
        ("1 + diff(x^2, 2*x)", ["differentiates by a name", "                ^^^"]),
        ("diff(x^2, 2)", ["differentiates by a name"]),
        ("diff(sin(pi), pi)", ["pi is a constant"]),
        ("c = pi; diff(c^3*x, pi)", ["pi is a constant"]),
        ("diff(x^2, pi)", ["pi is a constant"]),
        ("diff(x^2, x, 0)", ["whole number from 1 to 100", "             ^"]),
        ("diff(x^2, x, 1.5)", ["whole number from 1 to 100"]),
        ("diff(x^2, x, -1)", ["whole number from 1 to 100"]),
        ("diff(x^2, x, x + 1)", ["whole number from 1 to 100"]),
        ("diff(x^2, x, pi)", ["pi is a constant"]),
        ("diff(x^2, x, 101)", ["whole number from 1 to 100"]),
        ("f(t) = diff(t*x, x); f(x)", ["x is not a parameter of f", "hint: make it one"]),
    ],
)
def test_mistakes(quick, text, parts):
    fails(quick("eval", text, "x=1"), 2, *parts)


def test_in_the_trace_it_is_what_it_became(quick):
    done = quick("eval", "diff(x^2*sin(x), x)", "x=1", "--trace", "--json")
    texts = [node["text"] for node in json.loads(done.stdout)["nodes"]]
    assert "cos(x)" in texts and "sin(x)" in texts


def test_diagnostics_point_at_the_call(quick):
    done = quick("eval", "1 + diff(sqrt(x), x)", "x=0")
    assert done.stdout.startswith("=\tinf\t1\n")
    assert "    ^^^^^^^^^^^^^^^^\n" in done.stderr


def test_the_command(run):
    gives(run("eval", "diff(x^3, x)", "x=2"), "=\t12\t1\nx\t2\t12\n")
    gives(run("diff", "diff(x^3, x)"), "x\t6*x\n")
