"""Formulas in LaTeX."""

import pytest

from gradcli import parse
from gradcli.latex import latex, name, number
from gradcli.ops import TABLE
from gradcli.tape import Line, Tape


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a*b", "a b"), ("2*x", "2 x"), ("x*2", r"x \cdot 2"), ("2*3", r"2 \cdot 3"), ("a/b", r"\frac{a}{b}"), ("a/b/c", r"\frac{a}{b c}"),
        ("a/b/b", r"\frac{a}{b^{2}}"), ("-a/b", r"-\frac{a}{b}"), ("(a + b)/c", r"\frac{a + b}{c}"), ("a/(b + c)", r"\frac{a}{b + c}"), ("(a + b)*c", r"\left(a + b\right) c"),
        ("a - (b - c)", r"a - \left(b - c\right)"), ("x^2", "x^{2}"), ("x^(y + 1)", "x^{y + 1}"), ("(x^2)^3", r"\left(x^{2}\right)^{3}"), ("(-x)^2", r"\left(-x\right)^{2}"),
        ("-x^2", "-x^{2}"), ("sin(x)^2", r"\sin^{2}\left(x\right)"), ("sin(x)", r"\sin\left(x\right)"), ("sqrt(x + 1)", r"\sqrt{x + 1}"), ("cbrt(x)", r"\sqrt[3]{x}"),
        ("exp(x)", "e^{x}"), ("abs(x)", r"\left|x\right|"), ("pi*r^2", r"\pi r^{2}"), ("x <= y", r"x \le y"), ("not x", r"\lnot x"), ("x and y", r"x \land y"),
        ("erf(x)", r"\operatorname{erf}\left(x\right)"), ("leaky_relu(x)", r"\operatorname{leaky\_relu}\left(x\right)"), ("max(x, y)", r"\max\left(x, y\right)"),
        ("x%y", r"x \bmod y"), ("if(x > 0, x, y)", r"\begin{cases} x & \text{if } x > 0 \\ y & \text{otherwise} \end{cases}"), ("1e-20*x", r"10^{-20} x"), ("2.5e20*x", r"2.5 \cdot 10^{20} x"),
    ],
)  # fmt: skip
def test_formulas(text, wanted):
    assert latex(parse(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("x", "x"), ("alpha", r"\alpha"), ("Omega", r"\Omega"), ("θ", r"\theta"), ("x1", "x_{1}"), ("x_1", "x_{1}"), ("x_max", r"x_{\mathrm{max}}"), ("rate", r"\mathrm{rate}"), ("theta2", r"\theta_{2}"), ("_", r"\mathrm{\_}")],
)  # fmt: skip
def test_names(text, wanted):
    assert name(text) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(0.5, "0.5"), (-2.0, "-2"), (float("inf"), r"\infty"), (float("nan"), r"\mathrm{nan}"), (-0.0, "-0")],
)
def test_numbers(value, wanted):
    assert number(value).text == wanted


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.signature)
def test_every_row_is_balanced(row):
    count = row.arity or 3
    tape = Tape((*[Line(None, name=one) for one in "abc"[:count]], Line(row, tuple(range(count)))), count)
    text = latex(tape)
    assert text.count("{") == text.count("}") and text.count(r"\left") == text.count(r"\right")
    assert "a" in text
