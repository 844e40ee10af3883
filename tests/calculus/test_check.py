"""Is the gradient right? The check itself is checked: it passes what is right at every scale, and catches what is wrong."""

import pytest

from gradcli.autodiff import ops
from gradcli.calculus import check as module
from gradcli.calculus.check import check
from gradcli.calculus.expected import expect
from gradcli.errors import UsageError
from gradcli.language.parser import parse

FUNCTIONS = ops.FUNCTIONS | ops.INFIX


@pytest.fixture(params=[True, False], ids=["mpmath", "no mpmath"])
def either(request, monkeypatch):
    """With fifty digits, and without."""
    if not request.param:
        monkeypatch.setattr(module, "available", lambda: False)
    return request.param


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1.0, 7.3, 1e4, 1e8])
@pytest.mark.parametrize(
    "text", ["x^3", "x^2", "1/x", "sqrt(x)", "log(x)", "x*log(x)", "cbrt(x)", "x^1.5", "atan(x)", "x/(1 + x)"]
)
def test_smooth_formulas_pass_at_every_scale(text, scale, either):
    assert check(text, x=scale).status == "pass"


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("exp(x)", -300), ("exp(x)", 300), ("sin(x)", 1e3), ("tanh(x)", 20), ("sigmoid(x)", 40), ("softplus(x)", -30), ("x^3", 0), ("x", 0),
        ("x^2", -5), ("sin(1e6*x)", 1), ("erf(x)", 2), ("gamma(x)", 4.5), ("digamma(x)", -0.5), ("2^x", 10), ("x^x", 3), ("abs(x)", -3), ("relu(x)", 2),
        ("floor(x)*x", 2.5), ("if(x > 0, x^2, -x)", 1), ("diff(x^3, x)", 2), ("diff(x^y, y)*1", 2), ("diff(erf(x), x)", 0.5), ("diff(max(x, y)^2, x)", 3),
        ("norm_cdf(x)", -5), ("sinc(x)", 0), ("(x - 1)^2*(x - 1)", 1.0001), ("1e300*x", 1e-300), ("7", 1),
    ],
)  # fmt: skip
def test_more_that_passes(text, x, either):
    result = check(text, {"x": x, "y": 1.25})
    assert result.status == "pass", result


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("sin(x)", 1e9), ("sin(x)", 1e10), ("sinc(x)", 1e9), ("exp(sin(x))", 1e10), ("tan(x)", 1e10), ("sin(1e6*x)", 1000), ("sin(1e10*x)", 1),
        ("x^1e10", 1), ("tanh(1e8*(x - 1))", 1), ("sqrt((x - 1)^2 + 1e-16)", 1), ("abs(sin(1e10*x))", 1), ("exp(x)", 709.7), ("exp(x)", -744), ("x", 1e-310), ("7x", 5e-324),
        ("sqrt(x + 1e-9)", 0), ("if(x > 1, 2x - 1, x^2)", 1), ("sinc(sigmoid(exp(x)))", 1.8e8),
    ],
)  # fmt: skip
def test_waves_are_no_kinks(text, x, either):
    """The scale of the function may be far from the scale of x; the step finds it."""
    result = check(text, x=x)
    assert result.status == "pass", result


@pytest.mark.parametrize(
    ("text", "x"), [("tanh(x)", 300), ("tanh(x)", 120), ("erfc(x)", -15), ("erf(x)", 15), ("sigmoid(x)", 700)]
)
def test_saturated_functions_pass(text, x):
    """1 less 1e-260 has a slope, if there are enough digits to see it."""
    (verdict,) = check(text, x=x).verdicts
    assert verdict.status == "pass" and verdict.digits >= 12, verdict
    assert verdict.precise.value == pytest.approx(verdict.reverse, rel=1e-12, abs=0) and verdict.reverse != 0


def test_a_wrong_rule_is_caught_where_the_function_saturates(monkeypatch):
    row = FUNCTIONS["tanh"]
    monkeypatch.setattr(row, "partials", (WRONG["by 0.1 %"](row.partials[0]),))
    assert check("tanh(x)", x=300).status == "fail"


@pytest.mark.parametrize("x", [-20, -30, -36, -40])
def test_rounding_in_the_expression_is_no_wrong_rule(x, either):
    """log(1+exp(-30)) has three right digits in binary64, and so has a derivative that holds it."""
    for result in (
        check("y*log(1+exp(x))", x=x, y=1),
        check("(1 - cos(x))*y/x^2", x=10 ** (x / 5), y=1, wrt=["y"]),
    ):
        known = module.available()  # differences of so few digits tell nothing
        eaten = known and any(one.digits < 6 for one in result.verdicts)
        assert result.status == ("rounding" if eaten else "pass"), result


@pytest.mark.parametrize(
    ("text", "x", "really"),
    [
        ("(1 - cos(x))/x^2", 1e-7, -1e-7 / 12),
        ("x/exp(x)", 600, -599 * 2.6503965530043108e-261),
        ("atanh(tanh(x))", 25, 1.0),
        ("(exp(x) - 1)/x", 1e-12, 0.5),
    ],
)
def test_a_number_that_rounding_has_eaten(text, x, really):
    """The rule is right, which is not enough."""
    (verdict,) = check(text, x=x).verdicts
    assert verdict.status == "rounding" and verdict.digits < 6, verdict
    assert verdict.best.value == pytest.approx(really, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "x"), [("sin(x)^2 + cos(x)^2", 0.3), ("x^2 - x*x", 0.3), ("cos(x)", 0), ("x/x", 3), ("exp(-x)", 744)]
)
def test_a_derivative_that_is_0_is_not_eaten(text, x, either):
    assert check(text, x=x).status == "pass"


@pytest.mark.parametrize("text", ["sign(x)", "floor(x)", "step(x) + x", "x > 0", "ceil(x)*2"])
def test_a_jump_at_the_point_is_no_wrong_rule(text, either):
    assert check(text, x=0).status == "kink"


@pytest.mark.parametrize(
    ("text", "x", "slope"), [("sqrt(max(x, 0))", -3, 0), ("acos(min(1, x))", 2, 0), ("sqrt(relu(x)) + x", -1, 1)]
)
def test_forward_mode_has_the_strong_zero(text, x, slope, either):
    (verdict,) = check(text, x=x).verdicts
    assert (verdict.status, verdict.reverse, verdict.forward) == ("pass", slope, slope)


@pytest.mark.parametrize(
    "name", [row.name for row in ops.TABLE if row.form == "call" and not row.internal and row.arity == 1]
)
def test_every_function_passes(name, either):
    x = 1.3 if name not in ("asin", "acos", "atanh", "asech", "logit") else 0.4
    assert check(f"{name}(x)", x=x).status == "pass"


def test_digits():
    (verdict,) = check("x^3", x=2).verdicts
    assert verdict.digits == 16 and verdict.reverse == verdict.forward == 12
    assert abs(verdict.differences.value - 12) <= 1e-9


@pytest.mark.parametrize(
    "text", ["abs(x)", "relu(x)", "max(x, 0)", "abs(x) + x^2", "clamp(x, 0, 1)", "x*sign(x)", "step(x)", "sqrt(x^2)", "x^1.5", "hypot(x, 0)", "atan2(x, -1)", "asin(x + 1)", "x % 1", "not x", "abs(sin(1e9*x))"]
)  # fmt: skip
def test_kinks(text, either):
    result = check(text, x=0)
    assert result.status == "kink", result


def test_a_kink_nearer_than_the_step(either):
    assert check("abs(x - 1)", x=1 + 1e-8).status == "kink"
    assert check("relu(x - 1e9)", x=1e9 + 1).status == "kink"
    assert check("abs(x - 1)", x=1.1).status == "pass"


WRONG = {
    "by 0.1 %": lambda partial: lambda *args: partial(*args) * 1.001,
    "by a sign": lambda partial: lambda *args: -partial(*args),
    "by a constant": lambda partial: lambda *args: partial(*args) + 0.01,
    "by a factor of two": lambda partial: lambda *args: 2 * partial(*args),
}


@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize(
    "name", ["sin", "exp", "log", "tanh", "sqrt", "erf", "atan", "*", "/", "^", "hypot", "sigmoid"]
)
def test_a_wrong_rule_is_caught(name, how, either, monkeypatch):
    row = FUNCTIONS[name]
    monkeypatch.setattr(row, "partials", (WRONG[how](row.partials[0]), *row.partials[1:]))
    text = f"x {name} y" if row.form == "infix" else f"{name}({', '.join('xy'[: row.arity])})"
    for point in ({"x": 0.7, "y": 1.9}, {"x": 2.5, "y": 1.2}):
        result = check(text, point, wrt=["x"])
        assert result.status == "fail", result


def test_a_wrong_value_is_caught_by_other_functions(monkeypatch):
    """mpmath has its own sine: a primal that is wrong together with its derivative is found."""
    monkeypatch.setattr(ops.FUNCTIONS["sin"], "primal", lambda x: 2 * x)
    monkeypatch.setattr(ops.FUNCTIONS["sin"], "partials", (lambda x, y: 2.0,))
    assert check("sin(x)", x=0.5).status == "fail"


@pytest.mark.parametrize(
    ("formula", "right"),
    [("b*(2*a+b)", True), ("2*a*b + b^2", True), ("40", True), ("40.0000000001", True), ("40.1", False), ("40 + (a - 3)", False), ("-b*(2*a+b)", False), ("b*(2*a+b)*1.001", False), ("a*(2*b+a)", False)],
)  # fmt: skip
def test_expect(formula, right):
    assert expect(parse("(a+b)*(a*b)"), {"a": 3.0, "b": 4.0}, "a", parse(formula)).right is right


@pytest.mark.parametrize(
    ("text", "x", "formula", "right"),
    [
        ("tanh(x)", 8, "1-tanh(x)^2", True), ("tanh(x)", 8, "(1-tanh(x)^2)*1.001", False), ("tanh(x)", 8, "1+tanh(x)^2", False),
        ("tanh(x)", 15, "1-tanh(x)^2", True), ("tanh(x)", 15, "2-2*tanh(x)^2", False), ("log(1+exp(x))", 30, "exp(x)/(1+exp(x))", True),
        ("sin(x)", 0, "cos(x)", True), ("sin(x)", 0, "1", True), ("sin(x)", 0, "1 - x", False),
    ],
)  # fmt: skip
def test_a_formula_may_round_otherwise(text, x, formula, right):
    assert expect(parse(text), {"x": float(x)}, "x", parse(formula)).right is right


@pytest.mark.parametrize(
    ("typed", "right"),
    [("0.3333333", True), ("0.333", True), (".333", True), ("3.33e-1", True), ("33.3e-2", True), ("0.33", False), ("0.0", False), ("0.334", False), ("-0.333", False), ("1/3", True), ("0.333*1", False)],
)  # fmt: skip
def test_a_typed_number_is_right_to_its_digits(typed, right):
    assert expect(parse("x/3"), {"x": 1.0}, "x", parse(typed)).right is right


def test_a_typed_number_may_be_negative():
    assert expect(parse("-x/3"), {"x": 1.0}, "x", parse("-0.333")).right
    assert not expect(parse("-x/3"), {"x": 1.0}, "x", parse("-0.334")).right


def test_expect_needs_values():
    with pytest.raises(UsageError, match="no value for c"):
        expect(parse("a*b"), {"a": 3.0, "b": 4.0}, "a", parse("c"))
