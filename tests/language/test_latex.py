"""Formulas in LaTeX."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli import parse
from gradcli.autodiff import ops
from gradcli.autodiff.ops import FUNCTIONS, TABLE
from gradcli.autodiff.tape import Line, Tape
from gradcli.language.latex import GREEK, equals, latex, name, number, spellings
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
    [("x", "x"), ("alpha", r"\alpha"), ("Omega", r"\Omega"), ("θ", r"\theta"), ("x1", "x_{1}"), ("x_1", "x_{1}"), ("x_max", r"x_{\mathrm{max}}"), ("rate", r"\mathrm{rate}"), ("theta2", r"\theta_{2}"), ("_", r"\mathrm{\_}"), ("x₁", "x_{1}"), ("x₁₂", "x_{12}"), ("θ₀", r"\theta_{0}"), ("vₘₐₓ", r"v_{\mathrm{max}}"), ("α1", r"\alpha_{1}"), ("x_", r"\mathrm{x\_}"), ("x__", r"x_{\mathrm{\_}}"), ("Α", r"\mathrm{A}"), ("字", "字"), ("naïve", r"\mathrm{naïve}")],
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


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("mass*velocity", r"\mathrm{mass} \, \mathrm{velocity}"), ("2*mass", r"2 \, \mathrm{mass}"), ("mass*2", r"2 \, \mathrm{mass}"), ("a*rate", r"a \, \mathrm{rate}"),
        ("mass^2*velocity", r"\mathrm{mass}^{2} \, \mathrm{velocity}"), ("x/mass/velocity", r"\frac{x}{\mathrm{mass} \, \mathrm{velocity}}"), ("rate*(a + b)", r"\mathrm{rate} \cdot \left(a + b\right)"),
        ("rate_1*(a + b)", r"\mathrm{rate}_{1} \cdot \left(a + b\right)"), ("(a + b)*rate", r"\left(a + b\right) \, \mathrm{rate}"), ("m_max*v_max", r"m_{\mathrm{max}} v_{\mathrm{max}}"), ("a*b", "a b"),
    ],
)  # fmt: skip
def test_two_names_do_not_look_like_one_nor_like_a_call(text, wanted):
    assert latex(parse(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x1 + x_1", r"\mathrm{x1} + x_{1}"), ("x₁ + x_1 + x1", r"x_{1} + \mathrm{x\_1} + \mathrm{x1}"), ("alpha + α", r"\mathrm{alpha} + \alpha"), ("x_ + x", r"\mathrm{x\_} + x"),
        ("x1 + x2", "x_{1} + x_{2}"), ("x_1 + alpha", r"x_{1} + \alpha"), ("A + Α", r"A + \mathrm{A}"),
    ],
)  # fmt: skip
def test_names_that_look_alike_are_told_apart_where_they_meet(text, wanted):
    assert latex(parse(text)) == wanted


@given(
    st.sets(st.text("xaα1_₁", min_size=1, max_size=5).filter(str.isidentifier) | st.sampled_from(GREEK), max_size=30)
)
def test_no_two_names_are_set_alike(names):
    found = spellings(names)
    assert set(found) == names and len(set(found.values())) == len(names)


CASES = r"\begin{cases} x & \text{if } x > 0 \\ 1 & \text{otherwise} \end{cases}"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("if(x > 0, x, 1)", CASES), ("if(x > 0, x, 1)^2", rf"\left({CASES}\right)^{{2}}"), ("3*if(x > 0, x, 1)", rf"3 \left({CASES}\right)"), ("if(x > 0, x, 1) + 1", rf"\left({CASES}\right) + 1"),
        ("-if(x > 0, x, 1)", rf"-\left({CASES}\right)"), ("if(x > 0, x, 1)/y", rf"\frac{{{CASES}}}{{y}}"), ("y/if(x > 0, x, 1)", rf"\frac{{y}}{{{CASES}}}"), ("exp(if(x > 0, x, 1))", rf"e^{{{CASES}}}"),
    ],
)  # fmt: skip
def test_cases_stand_in_brackets_inside_a_formula(text, wanted):
    assert latex(parse(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("x+(-y)", r"x + \left(-y\right)"), ("x-(-y)", r"x - \left(-y\right)"), ("x+-2", r"x + \left(-2\right)"), ("x+(-y*z)", r"x + \left(-y z\right)"), ("-y+x", "-y + x"), ("x<-y", "x < -y")],
)  # fmt: skip
def test_no_two_signs_meet(text, wanted):
    assert latex(parse(text)) == wanted


@pytest.mark.parametrize(
    ("formula", "value", "wanted"),
    [("a b", 40.0, " = 40"), ("a", 1 / 3, r" \approx 0.333333"), ("a", 670592745.0, " = 670592745"), ("a", 0.5, " = 0.5"), ("-1", -1.0, ""), ("a", float("inf"), r" = \infty"), ("a", 1.25e-30, r" = 1.25 \cdot 10^{-30}"), ("a", float("nan"), r" = \mathrm{nan}")],
)  # fmt: skip
def test_what_a_formula_equals(formula, value, wanted):
    assert equals(formula, value, 6) == wanted


# matplotlib sets a part of LaTeX. For these it has other names, and `cases` it does not have: their rows are set alone.
OTHERS = {
    r"\bmod": r"\mathrm{mod}",
    r"\le ": r"\leq ",
    r"\ge ": r"\geq ",
    r"\lnot": r"\neg",
    r"\land": r"\wedge",
    r"\lor": r"\vee",
}
OTHERS |= {r"\begin{cases}": "", r"\end{cases}": "", "&": "", r"\\": ""}


def sets(text):
    mathtext = pytest.importorskip("matplotlib.mathtext")
    for ours, its in OTHERS.items():
        text = text.replace(ours, its)
    assert mathtext.MathTextParser("path").parse(f"${text}$").width > 0


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.signature)
def test_every_row_is_set_by_an_engine(row):
    count = len(row.partials) if row.arity else 3
    operands = [Line(None, name=one) for one in ("mass", "x_1", "alpha")[:count]]
    sets(latex(Tape((*operands, Line(row, tuple(range(count)))), count)))
    for outer in ("2*({})^2", "({})/y - ({})", "-({})*rate"):
        if row.name in FUNCTIONS and row.arity:
            call = f"{row.name}({', '.join('abc'[:count])})"
            sets(latex(parse(outer.replace("{}", call))))


@pytest.mark.parametrize(
    "text", ["x₁ + x_1 + x1", "θ*Α*mass/(x_*y)", "diff(erf(x), x)", "x+(-y)", "2*3*1e-9*x^(a/b)", "naïve*vₘₐₓ"]
)
def test_names_and_numbers_are_set_by_an_engine(text):
    sets(latex(parse(text)))
