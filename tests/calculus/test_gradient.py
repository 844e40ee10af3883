"""Derivatives as library calls: second order, any order, Jacobians, directions; against SymPy's and mpmath's numbers."""

import math
import random
from functools import cache

import numpy
import pytest

from gradcli import gradient, hessian, jacobian, parse
from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.tape import replay
from gradcli.calculus import gradient as calculus
from gradcli.calculus.curve import function
from gradcli.calculus.gradient import derivatives, jvp
from gradcli.calculus.precise import Precise
from gradcli.errors import UsageError
from gradcli.kernel.kernel import compile
from gradcli.symbolic.formulas import formulas

SECH2 = 1 / math.cosh(20.0) ** 2


# ----------------------------------------------------------------------------------------------- hessian


@pytest.mark.parametrize(
    ("text", "point", "wanted"),
    [
        ("x^2*y", {"x": 3, "y": 5}, {"x": {"x": 10, "y": 6}, "y": {"x": 6, "y": 0}}),
        ("(a+b)*(a*b)", {"a": 3, "b": 4}, {"a": {"a": 8, "b": 14}, "b": {"a": 14, "b": 6}}),
        ("x^2", {"x": 0}, {"x": {"x": 2}}),
        ("x^1", {"x": 0}, {"x": {"x": 0}}),
        ("x^1", {"x": 3}, {"x": {"x": 0}}),
        ("x^0", {"x": 0}, {"x": {"x": 0}}),
        ("x^3", {"x": 0}, {"x": {"x": 0}}),
        ("x*x", {"x": 0}, {"x": {"x": 2}}),
        ("hypot(x, y)", {"x": 1, "y": 0}, {"x": {"x": 0, "y": 0}, "y": {"x": 0, "y": 1}}),
        ("hypot(x, y)", {"x": 0, "y": 2}, {"x": {"x": 0.5, "y": 0}, "y": {"x": 0, "y": 0}}),
        ("if(x > 0, x^2, 1/(x - 1))", {"x": 1}, {"x": {"x": 2}}),
        ("if(x > 0, x^3, 1/x)", {"x": -1.0}, {"x": {"x": -2}}),
        ("relu(x)^2", {"x": 3}, {"x": {"x": 2}}),
        ("relu(x)^2", {"x": -3}, {"x": {"x": 0}}),
        ("max(x, y)^2", {"x": 3, "y": 1}, {"x": {"x": 2, "y": 0}, "y": {"x": 0, "y": 0}}),
        ("abs(x)*x", {"x": -2}, {"x": {"x": -2}}),
        ("tanh(x)", {"x": 20}, {"x": {"x": -2 * math.tanh(20.0) * SECH2}}),
        ("softplus(x)", {"x": 40}, {"x": {"x": 4.248354255291589e-18}}),
        ("sigmoid(x)", {"x": 40}, {"x": {"x": -4.248354255291589e-18}}),
        ("sigmoid(x)", {"x": 0}, {"x": {"x": 0}}),
        ("erf(x)", {"x": 5}, {"x": {"x": -4 * 5 * math.exp(-25) / math.sqrt(math.pi)}}),
        ("norm_cdf(x)", {"x": 2}, {"x": {"x": -2 * math.exp(-2.0) / math.sqrt(math.tau)}}),
        ("sinc(x)", {"x": 0}, {"x": {"x": -1 / 3}}),
        ("floor(x)*x", {"x": 2.5}, {"x": {"x": 0}}),
        ("2*x + 3*y", {"x": 1, "y": 1}, {"x": {"x": 0, "y": 0}, "y": {"x": 0, "y": 0}}),
        ("7", {}, {}),
    ],
)
def test_hessian(text, point, wanted):
    found = hessian(text, point)
    assert found.keys() == wanted.keys()
    for row, columns in wanted.items():
        assert found[row] == pytest.approx(columns, rel=1e-14, abs=0)


def test_wrt():
    assert hessian("x^2*y*z", x=1, y=2, z=3, wrt=["z", "x"]) == {"z": {"z": 0, "x": 4}, "x": {"z": 4, "x": 12}}
    assert hessian("x^2", x=1, y=2, wrt=["y", "x"]) == {"y": {"y": 0, "x": 0}, "x": {"y": 0, "x": 2}}


# ------------------------------------------------------------------------------------------- derivatives


def test_derivatives():
    assert derivatives("x^3", 4, x=2) == {"x": [12, 12, 6, 0]}
    assert derivatives("x*y^2", 2, x=2, y=3) == {"x": [9, 0], "y": [12, 4]}
    assert derivatives("exp(x)", 10, x=0) == {"x": [1.0] * 10}
    assert derivatives("sin(x)", 6, x=0)["x"] == [1, 0, -1, 0, 1, 0]
    assert derivatives("1/(1 - x)", 8, x=0)["x"] == pytest.approx([math.factorial(n) for n in range(1, 9)])
    assert derivatives("tanh(x)", 3, x=20)["x"][0] == pytest.approx(1.6993417021166355e-17, rel=1e-15)
    assert derivatives("if(x > 0, x^2, 0)", 3, x=1)["x"] == [2, 2, 0]
    assert derivatives("x^2", 1, x=0, y=1, wrt=["y"]) == {"y": [0]}


@pytest.mark.parametrize("order", [0, -1])
def test_no_order_below_one(order):
    with pytest.raises(UsageError, match="1 or more"):
        derivatives("x", order, x=1)


# ------------------------------------------------------------------------------------ jacobian and jvp


def test_jacobian():
    found = jacobian("u = a*b; v = a + u; w = 3", ["v", "u", "w"], a=3, b=4)
    assert list(found) == ["v", "u", "w"]
    assert found["v"] == (15, {"a": 5, "b": 3})
    assert found["u"] == (12, {"a": 4, "b": 3})
    assert found["w"] == (3, {"a": 0, "b": 0})
    assert jacobian("u = a*b; v = a + u", ["u"], a=3, b=4, wrt=["b"])["u"] == (12, {"b": 3})


def test_jacobian_of_what_is_not_assigned():
    with pytest.raises(UsageError, match="toal is not assigned") as error:
        jacobian("total = a*b; total", ["toal"], a=1, b=2)
    assert error.value.hint == "did you mean total?"


def test_jvp():
    assert jvp("(a+b)*(a*b)", {"a": 1, "b": -2}, a=3, b=4) == (84, 40 - 66)
    assert jvp("(a+b)*(a*b)", {}, a=3, b=4) == (84, 0)
    assert jvp("x^2", {"y": 1, "x": 0}, x=3, y=1) == (9, 0)
    assert jvp("if(x > 0, x, 1/(x - x))", {"x": 2}, x=1) == (1, 2)
    with pytest.raises(UsageError, match="z"):
        jvp("x^2", {"z": 1}, x=3)


# -------------------------------------------------------------------------------- names and missing values


@pytest.mark.parametrize("name", ["wrt", "order", "point", "formula", "outputs", "along", "let", "name"])
def test_a_variable_with_the_name_of_a_parameter(name):
    point = {name: 3.0}
    assert gradient(f"{name}^2", point) == (9, {name: 6})
    assert hessian(f"{name}^2", point) == {name: {name: 2}}
    assert derivatives(f"{name}^2", 2, point) == {name: [6, 2]}
    assert jacobian(f"u = {name}^2", ["u"], point)["u"] == (9, {name: 6})
    assert jvp(f"{name}^2", {name: 1}, point) == (9, 6)


def test_missing_values_and_unknown_names():
    with pytest.raises(UsageError, match="x"):
        hessian("x*y", y=1)
    with pytest.raises(UsageError, match="q"):
        hessian("x*y", y=1, x=1, wrt=["q"])
    with pytest.raises(UsageError):
        derivatives("x*y", 2, y=1)


@pytest.mark.parametrize("value", ["a", "", None, 1j, [1.0]])
def test_values_that_are_not_numbers(value):
    calls = [
        lambda: jvp("x*y", {"x": value}, x=1, y=2),
        lambda: jvp("x*y", {"x": 1}, x=value, y=2),
        lambda: gradient("x*y", x=value, y=2),
        lambda: jacobian("u = x", ["u"], {"x": value}),
        lambda: hessian("x", x=value),
        lambda: derivatives("x", 2, x=value),
    ]
    for call in calls:
        with pytest.raises(UsageError) as caught:
            call()
        assert str(caught.value) == f"x needs a number, not {value!r}"


def test_a_nan_is_returned_and_a_large_int_is_infinite():
    assert math.isnan(gradient("log(x)", x=-1).value)
    assert jvp("2*x", {"x": 10**400}, x=1) == (2, math.inf)


def test_tapes_may_be_given():
    tape = parse("x^2*y")
    assert hessian(tape, x=1, y=2)["x"]["y"] == 2
    assert calculus.jacobian(parse("u = x^2"), ["u"], x=3)["u"].value == 9


# --------------------------------------------------------------------------------- against an oracle

UNARY = [
    "sin",
    "cos",
    "exp",
    "tanh",
    "atan",
    "asinh",
    "sigmoid",
    "softplus",
    "erf",
    "norm_cdf",
    "norm_pdf",
    "logsigmoid",
]
UNARY += ["sinh", "cosh", "expm1", "exp2", "silu", "gelu", "erfc", "sinc", "deg", "rad", "cbrt", "tan"]
POSITIVE = ["log", "sqrt", "log2", "log10", "log1p", "lgamma", "digamma", "gamma"]  # of exp(...)
INNER = ["asin", "acos", "atanh"]  # of tanh(...)/2


def smooth(dice, depth):
    """A random expression over all smooth functions, defined everywhere."""
    if depth == 0 or dice.random() < 0.15:
        return dice.choice(["x", "y", "x", "y", "0.7", "2", "1.3"])
    inner = [smooth(dice, depth - 1) for _ in range(3)]
    kind = dice.random()
    if kind < 0.4:
        return f"({inner[0]}) {dice.choice('+-*')} ({inner[1]})"
    if kind < 0.46:
        return f"({inner[0]})/(1 + ({inner[1]})^2)"
    if kind < 0.52:
        return f"({inner[0]})^{dice.choice('23')}"
    if kind < 0.56:
        return f"(1 + ({inner[0]})^2)^({inner[1]})"
    if kind < 0.6:
        return dice.choice(["hypot(1 + ({0})^2, {1})", "atan2({1}, 2 + sin({0}))", "logaddexp({0}, {1})"]).format(
            *inner
        )
    if kind < 0.63:
        return f"{dice.choice(['mean', 'sum', 'prod'])}({', '.join(inner)})"
    if kind < 0.72:
        return f"{dice.choice(POSITIVE)}(0.5 + exp(sin({inner[0]})))"
    if kind < 0.77:
        return f"{dice.choice(INNER)}(tanh({inner[0]})/2)"
    return f"{dice.choice(UNARY)}({inner[0]})"


@cache
def cases(count, depth):
    """Expressions with a moderate value, and a point for each."""
    dice = random.Random(20240229)
    found = []
    while len(found) < count:
        text = smooth(dice, depth)
        point = {"x": round(dice.uniform(-1.5, 1.5), 3), "y": round(dice.uniform(-1.5, 1.5), 3)}
        tape = parse(text)
        if {"x", "y"} <= set(tape.inputs) and len(tape.lines) < 60 and max(map(abs, replay(tape, point))) < 1e3:
            found.append((text, point))
    return found


def at(tape, place, point):
    return replay(tape, {name: point[name] for name in tape.inputs})[place]


def slope(tape, name, point):
    """The derivative from values alone: a central difference in eighty digits, of other functions than ours."""
    from mpmath import mp

    with mp.workdps(80):

        def shifted(step):
            numbers = {key: Precise(mp.mpf(x) + (step if key == name else 0)) for key, x in point.items()}
            return replay(tape, numbers, lift=lambda literal: Precise(mp.mpf(literal)))[tape.output].number

        step = mp.mpf(10) ** -25
        return float((shifted(step) - shifted(-step)) / (2 * step))


def condition(tape, name, point):
    """How far the gradient moves when every input does, by an ulp, in units of 1e-16."""
    moved = [
        gradient(tape, {key: x * (1 + sign * 1e-9) for key, x in point.items()}).partials[name] for sign in (1, -1)
    ]
    return abs(moved[0] - moved[1]) * 1e9 * 1e-16


def test_formula_reverse_forward_and_oracle_agree_on_five_hundred_expressions():
    for text, point in cases(500, 4):
        tape = parse(text)
        first, lines = differentiate(tape, ["x", "y"])
        page = formulas(first, lines)
        partials = gradient(tape, point).partials
        # rounding of the parts that are added up, which may cancel
        slack = 1e-15 * max((abs(number) for number in replay(first, point)), default=0)
        for name in ("x", "y"):
            wanted = slope(tape, name, point)
            printed = parse(page.text(name))
            found = {
                "reverse": partials[name],
                "forward": jvp(tape, {name: 1.0}, point).tangent,
                "tape": at(first, lines[name], point),
                "formula": at(printed, printed.output, point),
            }
            for method, number in found.items():
                allowed = 1e-12 * abs(wanted) + 100 * condition(tape, name, point) + slack
                assert abs(number - wanted) <= allowed, (text, point, name, method, number, wanted)


def test_hessians_of_two_hundred_expressions():
    for text, point in cases(200, 3):
        tape = parse(text)
        found = hessian(tape, point)
        first, lines = differentiate(tape, ["x", "y"])
        slack = 1e-14 * max(abs(number) for number in replay(first, point))
        for row in ("x", "y"):
            for column in ("x", "y"):
                wanted = slope(first._replace(output=lines[row]), column, point)
                error = abs(found[row][column] - wanted)
                assert error <= 1e-12 * abs(wanted) + slack, (text, point, row, column, found[row][column], wanted)
        assert found["x"]["y"] == found["y"]["x"]


def test_against_sympy():
    sympy = pytest.importorskip("sympy")
    x, y = sympy.symbols("x y")
    for text in [
        "x^3*y",
        "sin(x*y)/x",
        "exp(-x^2)*y",
        "x^y",
        "log(1 + x^2)*atan(y)",
        "sqrt(x^2 + y^2)",
        "tanh(x + y)^2",
        "erf(x)*y^3",
    ]:
        theirs = sympy.sympify(text.replace("^", "**"))
        point = {"x": 0.7, "y": 1.3}
        ours = hessian(text, point)
        for a, b in ((x, x), (x, y), (y, y)):
            wanted = float(theirs.diff(a, b).evalf(30, subs={x: sympy.Rational(7, 10), y: sympy.Rational(13, 10)}))
            assert ours[str(a)][str(b)] == pytest.approx(wanted, rel=1e-12)


# ------------------------------------------------------- where there is no value, and the sign of a zero

NO_VALUE = [
    ("log(x)", -1.0),
    ("log2(x) + y", -1.0),
    ("log10(x)", -2.0),
    ("log1p(x)", -3.0),
    ("atanh(x)", 2.0),
    ("digamma(x)", 0.0),
    ("acosh(x)*y", 0.5),
    ("0*log(x)", 0.0),
]


def all_nan(numbers):
    return all(math.isnan(number) for number in numbers)


@pytest.mark.parametrize(("text", "x"), NO_VALUE)
def test_where_a_value_is_nan_so_is_every_partial(text, x):
    tape, point = parse(text), {"x": x, "y": 1.0}
    numbers = {name: point[name] for name in tape.inputs}
    assert all_nan(gradient(tape, numbers).partials.values())
    assert math.isnan(jvp(tape, {"x": 1.0}, numbers).tangent)
    assert all_nan(one for row in hessian(tape, numbers).values() for one in row.values())
    assert all_nan(derivatives(tape, 3, numbers, wrt=["x"])["x"])
    assert all_nan(function(tape, "x", numbers)(x).y)
    columns = {name: numpy.array([0.3, number, 0.3]) for name, number in numbers.items()}
    for back_end in ("numpy", "auto"):
        made = compile(tape, back_end=back_end)
        assert all_nan(made(numbers).partials.values())
        rows = made.rows(columns | {"y": 1.0} if "y" in numbers else columns)
        for column in rows.partials.values():
            assert numpy.isnan(column).tolist() == numpy.isnan(rows.value).tolist()
        if "y" in numbers:
            assert math.isnan(made(columns | {"y": 1.0}).partials["y"])
            summed = compile(tape, wrt=["y"], back_end=back_end).sums({"x": columns["x"]}, ["y"])
            assert math.isnan(summed(numpy.array([1.0]))[1][0])


@pytest.mark.parametrize(
    "text", ["cos(x)", "-x^2", "-x^3", "5 - x^4", "abs(x)^3*(-1)", "-cosh(x)", "x*sin(-x)", "-x*relu(x)"]
)
def test_a_zero_of_a_derivative_has_no_sign(text):
    """Of a value it has: that is IEEE's, and the side of what is divided by it."""
    tape = parse(text)
    answers = [gradient(tape, x=0).partials["x"], derivatives(tape, 1, x=0)["x"][0], jvp(tape, {"x": 1}, x=0).tangent]
    answers += [function(tape, "x", {})(0.0).y[1]]
    for back_end in ("numpy", "auto"):
        made = compile(tape, back_end=back_end)
        answers += [made(x=0.0).partials["x"], float(made(x=numpy.array([0.0, 1.0])).partials["x"][0])]
    assert [repr(answer) for answer in answers] == ["0.0"] * len(answers)
    assert repr(gradient("-x", x=0).value) == "-0.0"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("abs(x)", 0.0),
        ("abs(x)^2", 0.0),
        ("exp(-hypot(x, y)^2)", 0.0),
        ("relu(x)^2", 0.0),
        ("x*abs(x)", 0.0),
        ("elu(x)", 1.0),
    ],
)
def test_where_the_gradient_follows_a_convention_the_second_derivative_is_nan(text, first):
    point = dict.fromkeys(parse(text).inputs, 0.0)
    assert gradient(text, point).partials["x"] == derivatives(text, 3, point, wrt=["x"])["x"][0] == first
    assert all_nan(derivatives(text, 3, point, wrt=["x"])["x"][1:])
    assert all_nan(number for row in hessian(text, point).values() for number in row.values())


def test_a_corner_elsewhere_leaves_the_second_derivative_alone():
    """Of variables that it does not concern, of a branch that was not taken, of a condition, of a constant."""
    assert hessian("if(abs(x) < 1e-4, 1 - x^2/6, sin(x)/x)", x=0)["x"]["x"] == -1 / 3
    found = hessian("abs(x) + y^2", x=0, y=3)
    assert math.isnan(found["x"]["x"]) and (found["x"]["y"], found["y"]["y"]) == (0.0, 2.0)
    assert hessian("if(y > 0, y^2, abs(x))", x=0, y=3, wrt=["x", "y"])["y"]["y"] == 2.0
    assert hessian("abs(0)*x + x^2", x=0) == {"x": {"x": 2.0}}
    assert hessian("abs(x)^2", x=1e-9)["x"]["x"] == 2.0
