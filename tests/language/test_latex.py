"""Formulas in LaTeX."""

import pytest

from gradcli import parse
from gradcli.autodiff import ops
from gradcli.autodiff.ops import TABLE
from gradcli.autodiff.tape import Line, Tape
from gradcli.language.latex import latex, name, number
from gradcli.language.unparse import FAMILIAR, unparse


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a*b", "a b"), ("2*x", "2 x"), ("x*2", "2 x"), ("2*3", r"2 \cdot 3"), ("a/b", r"\frac{a}{b}"), ("a/b/c", r"\frac{a}{b c}"),
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
    [
        ("a*b*2", "2 a b"), ("(a + b)*2.5", r"2.5 \left(a + b\right)"), ("sin(x)*2", r"2 \sin\left(x\right)"), ("pi*2", r"2 \pi"),
        ("3*x*2", r"3 x \cdot 2"), ("-x*2", r"-x \cdot 2"), ("x/3*2", r"\frac{x}{3} \cdot 2"), ("2^x*2", r"2^{x} \cdot 2"), ("x*1e-9", r"x \cdot 10^{-9}"),
        ("2*(1/3)", r"2 \cdot \frac{1}{3}"), ("2*(x/3)", r"2 \frac{x}{3}"), ("x/2/3", r"\frac{x}{2 \cdot 3}"), ("x/y/2", r"\frac{x}{2 y}"), ("x/y/(a*b)", r"\frac{x}{y a b}"),
    ],
)  # fmt: skip
def test_numbers_stand_in_front_where_that_is_simple(text, wanted):
    assert latex(parse(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x%y*z", r"\left(x \bmod y\right) z"), ("x*(y%z)", r"x \left(y \bmod z\right)"), ("x*y%z", r"x y \bmod z"), ("x%(y*z)", r"x \bmod \left(y z\right)"),
        ("x%y%z", r"\left(x \bmod y\right) \bmod z"), ("x%y/z", r"\frac{x \bmod y}{z}"), ("z/(x%y)", r"\frac{z}{x \bmod y}"), ("(x%y)^2", r"\left(x \bmod y\right)^{2}"),
        ("-(x%y)", r"-\left(x \bmod y\right)"), ("(-x)%y", r"\left(-x\right) \bmod y"), ("a + b%c", r"a + \left(b \bmod c\right)"), ("a%b - c", r"\left(a \bmod b\right) - c"),
        ("(a + b)%c", r"\left(a + b\right) \bmod c"), ("x%y == 0", r"x \bmod y = 0"), ("sin(x%y)", r"\sin\left(x \bmod y\right)"),
    ],
)  # fmt: skip
def test_a_remainder_is_read_as_it_is_meant(text, wanted):
    assert latex(parse(text)) == wanted


def test_comparisons_do_not_chain():
    assert latex(parse("(a < b) < c")) == r"\left(a < b\right) < c"
    assert latex(parse("a < (b < c)")) == r"a < \left(b < c\right)"


SHARE = (
    r"\frac{x = \max\left(x, y\right)}{\left(x = \max\left(x, y\right)\right) + \left(y = \max\left(x, y\right)\right)}"
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("diff(max(x, y), x)", SHARE),
        ("diff(max(x, y)^2, x)", rf"\begin{{cases}} 2 \max\left(x, y\right) {SHARE} & \text{{if }} {SHARE} \\ 0 & \text{{otherwise}} \end{{cases}}"),
        ("diff(clamp(x, a, b), x)", r"\left(\left(x > a\right) + \frac{x = a}{2}\right) \left(\left(b > \max\left(x, a\right)\right) + \frac{b = \max\left(x, a\right)}{2}\right)"),
        ("diff(clamp(x, a, b), b)", r"\left(\max\left(x, a\right) > b\right) + \frac{\max\left(x, a\right) = b}{2}"),
        ("diff(x^y, y)", r"x^{y} \log\left(x\right)"), ("diff(sin(x)^y, y)", r"\sin\left(x\right)^{y} \log\left(\sin\left(x\right)\right)"),
        ("diff(x^3, x)", "3 x^{2}"), ("diff(hypot(x, y), x)", r"\frac{x}{\operatorname{hypot}\left(x, y\right)}"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_typed_are_spelled_out(text, wanted):
    assert latex(parse(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("x", "x^{2}"), ("x + 1", r"\left(x + 1\right)^{2}"), ("sin(x)", r"\sin^{2}\left(x\right)"), ("x_1", "x_{1}^{2}")],
)
def test_the_bell_of_erf(text, wanted):
    variable = next(iter(parse(text).inputs))
    assert f"e^{{-{wanted}}}" in latex(parse(f"diff(erf({text}), {variable})"))


INTERNAL = [row.name for row in TABLE if row.internal and row.name.isidentifier() and row.name != "exp"]


@pytest.mark.parametrize(
    "text", ["max(x, y)^2", "min(x, y, z)*x", "clamp(x, y, z)^3", "abs(max(x, y))", "relu(x)*clamp(y, x, z)"]
)
@pytest.mark.parametrize("order", [1, 2])
def test_no_internal_variablein_derivatives(text, order):
    tape = parse(f"diff({text}, x, {order})")
    assert "ties" in INTERNAL and not [internal for internal in INTERNAL if internal in latex(tape)]


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


@pytest.mark.parametrize("value", FAMILIAR)
def test_numbers_that_are_known_by_a_name(value):
    """They are set as what `unparse` writes for them."""
    assert number(value).text == latex(parse(unparse(Tape((Line(None, value=value),), 0))))
    assert number(-value).text == f"-{number(value).text}"


def test_a_negative_quotient_of_familiar_numbers():
    assert latex(parse("diff(erfc(x), x)")) == r"-\frac{2}{\sqrt{\pi}} e^{-x^{2}}"


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.signature)
def test_every_row_is_balanced(row):
    count = len(row.partials) if row.arity else 3
    tape = Tape((*[Line(None, name=one) for one in "abc"[:count]], Line(row, tuple(range(count)))), count)
    text = latex(tape)
    assert text.count("{") == text.count("}") and text.count(r"\left") == text.count(r"\right")
    assert "a" in text or row is ops.holds  # which reads 1
