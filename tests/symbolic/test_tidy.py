"""Derivatives in the words of a textbook: what is written, and that it means the same."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli import parse
from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.ops import FUNCTIONS, find, over, powlog
from gradcli.autodiff.tape import replay
from gradcli.calculus.precise import Precise
from gradcli.language.unparse import unparse
from gradcli.symbolic.tidy import tidy


def tidied(text):
    """A formula itself, put in order."""
    tape = parse(text)
    shorter, (place,) = tidy(tape, [tape.output])
    return unparse(shorter._replace(output=place))


def derived(text, name="x", order=1):
    tape, places = differentiate(parse(text), [name], order)
    shorter, (place,) = tidy(tape, list(places.values()))
    return unparse(shorter._replace(output=place))


# ------------------------------------------------------------------------------------------- rule by rule


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # numbers
        ("2*3*x", "6*x"),
        ("2*x*3", "6*x"),
        ("x*2", "2*x"),
        ("x*0.5", "0.5*x"),
        ("2*x/4", "x/2"),
        ("x/2/3", "x/6"),
        ("x/(2/3)", "3*x/2"),
        ("0.1*x/3", "x/30"),
        ("1/3*x", "x/3"),
        ("1e-20*x", "1e-20*x"),
        ("1e-320*x/3", "1e-320*x/3"),
        ("2^0.5*x*y", "2^0.5*x*y"),
        ("x*inf", "inf*x"),
        ("x*(1/0)", "x/0"),
        ("0.3333333333333333*x", "x/3"),
        ("0.333333333333333*x", "0.333333333333333*x"),
        ("1e300*x*1e300", "1e+300*(1e+300*x)"),
        ("3*x + 4 + x - 6", "4*x - 2"),
        ("sqrt(4)*3*x", "6*x"),
        ("sqrt(2)*x*3", "3*sqrt(2)*x"),
        ("x*pi*2", "2*pi*x"),
        ("-pi*x", "-pi*x"),
        # signs
        ("-(-x)", "x"),
        ("x - (-y)", "x + y"),
        ("x + (-y)", "x - y"),
        ("-x*(-y)", "x*y"),
        ("x*(-y)*z", "-x*y*z"),
        ("-x/(-y)", "x/y"),
        ("x/(-y)", "-x/y"),
        ("-x + y", "y - x"),
        ("-x - y", "-x - y"),
        ("-(x - y)", "-(x - y)"),
        ("-1*x", "-x"),
        ("x*(-1)", "-x"),
        ("2*(-x)", "-2*x"),
        ("0 - x", "-x"),
        ("sin(-(-x))", "sin(x)"),
        ("(-x)^2", "(-x)^2"),
        ("-(x^2)", "-x^2"),
        # neutral elements
        ("1*x", "x"),
        ("x + 0", "x"),
        ("x/1", "x"),
        ("x^1", "x"),
        ("0 + 0*x + y", "0*x + y"),
        # like terms
        ("x + x", "2*x"),
        ("x*y + y*x", "2*x*y"),
        ("x - x", "x - x"),
        ("2*x - 3*x", "2*x - 3*x"),
        ("sum(x, x, y)", "2*x + y"),
        ("prod(x, 2, y)", "2*x*y"),
        # powers
        ("x*x", "x*x"),
        ("x^2*x", "x^3"),
        ("x^2*y*x^3", "x^5*y"),
        ("sin(x)*sin(x)", "sin(x)^2"),
        ("x^2 + x*x", "2*x^2"),
        ("x^-1*x", "x*x^-1"),
        ("x^0.5*x^0.5", "(x^0.5)^2"),
        ("(1/x)^2", "1/x^2"),
        ("(x/y)^2", "(x/y)^2"),
        # quotients
        ("x/x", "x/x"),
        ("x^2/x", "x^2/x"),
        ("x/x^2", "x/x^2"),
        ("x/x^2/x^2", "1/x^3"),
        ("x^3/x^2/x^2", "x^3/x^4"),
        ("y/x/x", "y/x/x"),
        ("2/x/x", "2/x^2"),
        ("y/x^2/x", "y/x^3"),
        ("x/(y/z)", "x/(y/z)"),
        ("x/y/z", "x/(y*z)"),
        ("x/y*z", "x*z/y"),
        # choices
        ("if(x > 0, 1, 0)*y", "y*if(x > 0, 1, 0)"),
        ("if(x > 0, y, 0) + if(x > 0, 0, z)", "if(x > 0, y, z)"),
        ("if(x > 0, y, 0) - (not x > 0)", "if(x > 0, y, -1)"),
        ("if(x > 0, y, 0) + 2*(x > 0)", "if(x > 0, y + 2, 0)"),
        ("(x > 0) + (x > 0)", "2*(x > 0)"),
        ("if(not x, y, z)", "if(x, z, y)"),
        # the order of the factors
        ("sin(x)*x*2", "2*x*sin(x)"),
        ("(x + 1)*y", "y*(x + 1)"),
        ("y*x + x*y*2", "3*y*x"),
        ("x + w*t*x", "x + w*t*x"),
        ("exp(x)*sqrt(2*pi)", "sqrt(2*pi)*exp(x)"),
        ("2^x*log(2)", "2^x*log(2)"),
    ],
)
def test_rules(text, wanted):
    assert tidied(text) == wanted


@pytest.mark.parametrize(
    ("text", "order", "wanted"),
    [
        ("if(x > 0, x^2, -x)", 1, "if(x > 0, 2*x, -1)"),
        ("if(0, x, 0)", 1, "0"),
        ("if(x - x, x, 0)", 1, "x - x != 0"),
        ("max(x, y)", 1, "(x > y) + (x == y)/2"),
        ("min(y, x)", 1, "(x < y) + (y == x)/2"),
        ("max(x, x)", 1, "2*(x > x) + (x == x)"),
        ("max(x, 0)*y", 1, "if(x > 0, y, if(x == 0, y/2, 0))"),
        ("max(x, y)^2", 2, "if(x > y, 2, if(x == y, 1/2, 0))"),
        ("max(x, y, z)^2", 1, "if(x == max(x, y, z), 2*max(x, y, z)/sum(x == max(x, y, z), y == max(x, y, z), z == max(x, y, z)), 0)"),
        ("max(1, 2*x, 2*x)^2", 1, "if(2*x == max(1, 2*x, 2*x), 8*max(1, 2*x, 2*x)/sum(1 == max(1, 2*x, 2*x), 2*x == max(1, 2*x, 2*x), 2*x == max(1, 2*x, 2*x)), 0)"),
        ("x^2*((x > 1) + (y == 1)/2)", 1, "2*x*((x > 1) + (y == 1)/2)"),
        ("relu(x)^2", 1, "if(x > 0, 2*relu(x), 0)"),
        ("x^x", 1, "x^x*log(x) + x*x^(x - 1)"),
        ("e^x", 1, "e^x"),
        ("tanh(x)", 1, "1/cosh(x)^2"),
        ("tanh(x)*y", 1, "y/cosh(x)^2"),
        ("erf(x)", 2, "-4*x*exp(-x^2)/sqrt(pi)"),
        ("mean(x, y, z)", 1, "1/3"),
        ("-pi*x*y", 1, "-pi*y"),
        ("sin(cos(x))*-1", 1, "cos(cos(x))*sin(x)"),
        ("x/(y/(-z))", 1, "-1/(y/z)"),
    ],
)  # fmt: skip
def test_derivatives(text, order, wanted):
    assert derived(text, "x", order) == wanted


def test_named_lines_stay_lines():
    tape = parse("c = a*b; d = c*c; d*a")
    shorter, _ = tidy(tape, [tape.output], named=True)
    assert unparse(shorter, {shorter.names["d"]: ("d", 0)}) == "a*d"
    assert set(shorter.names) == {"c", "d"}


def test_a_long_product_keeps_its_sign_outside():
    text = "-" + "*".join(f"x{k}" for k in range(40)) + " + y"
    assert tidied(text).startswith("y - x33*") and "-" not in tidied(text)[5:]
    text = "a*(-" + "*".join(f"x{k}" for k in range(40)) + ")"
    assert tidied(text).startswith("-a*") and "-" not in tidied(text)[1:]


# ------------------------------------------------------------------------------------- it means the same

SMOOTH = [
    name
    for name, row in FUNCTIONS.items()
    if row.arity == 1 and name not in ("sign", "floor", "ceil", "round", "trunc", "step", "digamma", "gamma", "lgamma")
]
NAMES = ["x", "y", "z"]
leaves = st.sampled_from([*NAMES, *NAMES, "1", "2", "3", "0.5", "10", "pi", "(1/3)", "(-2)"])


def grown(inner):
    def call(name):
        return st.builds(f"{name}({{}})".format, inner)

    pair = st.tuples(inner, inner)
    return st.one_of(
        st.builds("({}{}{})".format, inner, st.sampled_from("+-*/*/"), inner),
        st.builds("({}){}".format, inner, st.sampled_from(["^2", "^3", "^-1", "^-2", "^0.5", "^(1/3)"])),
        st.builds("({})^({})".format, inner, inner),
        st.builds("-({})".format, inner),
        st.sampled_from(SMOOTH).flatmap(call),
        st.builds("{}({}, {})".format, st.sampled_from(["max", "min", "hypot", "atan2", "logaddexp"]), inner, inner),
        st.builds("if({} {} {}, {}, {})".format, inner, st.sampled_from(["<", ">", "==", "<="]), inner, inner, inner),
        pair.map("max(1, {0[0]}, {0[1]})".format),
        pair.map("prod({0[0]}, {0[1]}, {0[0]})".format),
    )


formulas = st.recursive(leaves, grown, max_leaves=7)
orders = st.sampled_from([1, 1, 2])
ordinary = st.fixed_dictionaries({name: st.floats(-4, 4).map(lambda x: round(x, 2)) for name in NAMES})
HOSTILE = [0.0, 1e200, -1e200, 1e-200, -1e-200, 1.0, -1.0, 0.5, -2.5]
hostile = st.fixed_dictionaries({name: st.sampled_from(HOSTILE) for name in NAMES})
UGLY = re.compile(r"--|\+ -|- -|\(-1\)\*|(?<![\w.)^(-])1\*|(?<![\w.^-])-1\*|\*1(?![\d.^])")


def in_fifty_digits(tape, index, point):
    """The number of a line without rounding and overflow; nan where there is none."""
    from mpmath import mp

    with mp.workdps(60):
        numbers = {name: Precise(mp.mpf(point[name])) for name in tape.inputs}
        found = replay(tape, numbers, lift=lambda literal: Precise(mp.mpf(literal)))
        return found[index].number, max((abs(one.number) for one in found if mp.isfinite(one.number)), default=0)


@settings(max_examples=150)
@given(formulas, st.sampled_from(NAMES), orders)
def test_no_line_is_ugly(text, name, order):
    found = derived(text, name, order)
    assert len(found) > 3000 or not UGLY.search(found), found


@settings(max_examples=150)
@given(formulas, st.sampled_from(NAMES), orders, ordinary)
def test_the_formula_parses_and_computes_the_same(text, name, order, point):
    """Bit for bit what the tidied tape computes."""
    tape, places = differentiate(parse(text), [name], order)
    shorter, (place,) = tidy(tape, list(places.values()))
    printed = unparse(shorter._replace(output=place))
    if len(printed) < 5000:
        again = parse(printed)
        one, other = replay(shorter, point)[place], replay(again, point)[again.output]
        assert one == other or (one != one and other != other) or math.isclose(one, other, rel_tol=1e-13), printed


@settings(max_examples=200)
@given(formulas, st.sampled_from(NAMES), orders, ordinary)
def test_it_has_the_same_value_at_ordinary_points(text, name, order, point):
    """Where a node is not finite, 0*f and the order of a product may hide it or show it.

    And the manual says of x/hypot(x, y) and x^y*log(x) that the engine knows them at 0, where the formula is 0/0 or
    0*inf.
    """
    tape, places = differentiate(parse(text), [name], order)
    shorter, (place,) = tidy(tape, list(places.values()))
    numbers = replay(tape, point)
    hidden = {over: 1, powlog: 0}  # a row and the operand that is 0 there
    if any(line.op in hidden and numbers[line.args[hidden[line.op]]] == 0 for line in tape.lines):
        return
    if all(map(math.isfinite, numbers)) and max(map(abs, numbers)) < 1e6:
        wanted, found = numbers[places[name]], replay(shorter, point)[place]
        # what a divisor of 1e-9 magnifies is rounding, not meaning
        small = min((abs(one) for one in numbers if one), default=1.0)
        if small > 1e-4:
            assert found == pytest.approx(wanted, rel=1e-7, abs=1e-7 * max(map(abs, numbers))), unparse(shorter)


@settings(max_examples=150)
@given(formulas, st.sampled_from(NAMES), st.just(1), hostile)
def test_it_has_the_same_value_at_hostile_points(text, name, order, point):
    """In numbers that do not overflow: a product may overflow in one order and not in another."""
    tape, places = differentiate(parse(text), [name], order)
    shorter, (place,) = tidy(tape, list(places.values()))
    if len(tape.lines) > 150 or any(map(huge, replay(tape, point))):
        return
    (wanted, size), (found, _) = in_fifty_digits(tape, places[name], point), in_fifty_digits(shorter, place, point)
    if wanted == wanted and found == found:
        assert abs(wanted - found) <= 1e-12 * abs(wanted) + 1e-30 * size, (unparse(shorter), wanted, found)


def huge(number):
    """exp of such a number would take an mpmath of its own."""
    return not math.isfinite(number) or 1e4 < abs(number) < 1e150


@pytest.mark.parametrize("value", [0.0, -0.0, 1e200, -1e200, 1e-200, 1.0, -3.0])
@pytest.mark.parametrize(
    "text",
    [
        "x/x", "x - x", "x*x/x", "1/x", "1/x^2", "x/(x + 1)", "sqrt(x^2)", "x*abs(x)", "1/(1 + x^2)", "tanh(x)", "hypot(x, y)",
        "max(x, 0)*y", "if(x > 0, 1/x, 0)", "relu(x)^2", "x^3", "x^-3", "x*exp(-x)", "sigmoid(x)", "y/x", "sin(x)/x", "asinh(x)", "log(x^2 + 1)",
    ],
)  # fmt: skip
def test_everyday_formulas_at_hostile_points(text, value):
    """Where the engine's number is finite, the formula's is the same."""
    point = {"x": value, "y": 2.0}
    tape, places = differentiate(parse(text), ["x"])
    wanted = replay(tape, point)[places["x"]]
    printed = parse(derived(text))
    found = replay(printed, point)[printed.output]
    if math.isfinite(wanted):
        assert math.isclose(found, wanted, rel_tol=1e-12), (derived(text), found, wanted)


@pytest.mark.parametrize("row", [row for row in FUNCTIONS.values() if row.arity], ids=lambda row: row.name)
def test_every_row_is_tidied_without_loss(row):
    arguments = ", ".join("xyz"[: row.arity])
    for name in "xyz"[: row.arity]:
        if row.name in ("polygamma", "sincn") and name == "x":
            continue  # no derivative by n
        tape, places = differentiate(parse(f"{row.name}({arguments})"), [name])
        shorter, (place,) = tidy(tape, list(places.values()))
        for point in ({"x": 0.3, "y": 0.6, "z": 0.7}, {"x": 1.0, "y": 1.0, "z": 1.0}, {"x": 2.0, "y": -1.5, "z": 0.25}):
            wanted, found = replay(tape, point)[places[name]], replay(shorter, point)[place]
            assert found == pytest.approx(wanted, rel=1e-14, nan_ok=True) or not math.isfinite(wanted)
    assert find(row.name) is row
