"""Derivatives as formulas, with names for what they share."""

import numpy as np
import pytest

from gradcli import derivative, derivatives, parse
from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.tape import replay
from gradcli.errors import UsageError
from gradcli.symbolic.formulas import formulas, to_latex


def value(text, **point):
    tape = parse(text, point)
    return replay(tape, {name: point[name] for name in tape.inputs})[tape.output]


def test_derivative():
    assert derivative("x^2*sin(x)", "x") == "2*x*sin(x) + x^2*cos(x)"
    assert derivative("x^3", "x", 2) == "6*x"
    assert derivative("x^3", "y") == "0"
    assert derivative(parse("x*y"), "y") == "x"
    assert derivative("e^2", "e") == "2*e"
    with pytest.raises(UsageError, match="1 or more"):
        derivative("x", "x", 0)


@pytest.mark.parametrize("name", ["x+1", "", " ", "2x", "sin(x)", "x,y", "and", 3, None, ["x"], b"x"])
def test_what_is_no_name(name):
    with pytest.raises(UsageError, match="name"):
        derivative("x^2", name)


@pytest.mark.parametrize("order", [1.5, 2.0, "2", None, 0, -1, float("nan")])
def test_what_is_no_order(order):
    with pytest.raises(UsageError, match="1 or more"):
        derivative("x^2", "x", order)
    with pytest.raises(UsageError, match="the order of a derivative is 1 or more"):
        derivatives("x^2", order, x=1)


def test_names_and_orders_of_other_kinds():
    assert derivative("θ^2", "θ") == "2*θ"
    assert derivative("x^3", "x", np.int64(2)) == derivative("x^3", "x", order=2) == "6*x"


def test_to_latex():
    assert to_latex("sin(x)/x^2") == r"\frac{\sin\left(x\right)}{x^{2}}"
    assert to_latex(parse("x^2")) == "x^{2}"


SHARED = "exp(x*y)*sin(x*y)*cos(x*y)"


@pytest.mark.parametrize("let", [True, False, None])
def test_with_and_without_names(let):
    page = formulas(*differentiate(parse(SHARED), ["x", "y"]), let=let)
    assert bool(page.labels) is (let is True)
    for name in ("x", "y"):
        text = page.text(name)
        assert value(text, x=0.3, y=0.7) == pytest.approx(value(f"diff({SHARED}, {name})", x=0.3, y=0.7), rel=1e-14)


def test_each_definition_comes_after_those_it_uses():
    page = formulas(*differentiate(parse(SHARED), ["x", "y"]), let=True)
    known = set()
    for name, text in page.definitions():
        assert all(other in known for other in page.labels.values() if other in parse(text).inputs)
        known.add(name)
    assert known and set(page.labels.values()) == known


def test_only_the_definitions_that_are_used():
    page = formulas(*differentiate(parse("exp(x*x)*sin(x*x) + exp(y*y)*sin(y*y)"), ["x", "y"]), let=True)
    assert "y" not in parse(page.text("x")).inputs


def test_no_formulas_at_all():
    page = formulas(*differentiate(parse("2*3"), []))
    assert page.places == {} and list(page.definitions()) == []


def test_what_is_too_large_to_write_out():
    text = "; ".join(["t0 = sin(x)", *[f"t{k} = sin(t{k - 1})*t{k - 1}" for k in range(1, 40)]])
    tape, places = differentiate(parse(text), ["x"])
    with pytest.raises(UsageError, match="more than 1000000"):
        formulas(tape, places, let=False)
    assert len(formulas(tape, places).text("x")) < 30_000
