"""From tape to text and back: what is printed parses again and means the same; and shorter tapes mean the same too."""

import math

import pytest
from helpers import POINTS, expressions, programs
from hypothesis import assume, given

from gradcli import parse
from gradcli.autodiff.engine import Value
from gradcli.autodiff.ops import CONSTANTS, TABLE
from gradcli.autodiff.simplify import simplify
from gradcli.autodiff.tape import Line, Tape, record, replay
from gradcli.language.unparse import FAMILIAR, unparse


def numbers(tape, point):
    return replay(tape, point)[tape.output]


def same(a, b):
    return repr(a) == repr(b)


def equal(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def means_the_same(one, other):
    return all(same(numbers(one, point), numbers(other, point)) for point in POINTS)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("(a+b)*(a*b)", "(a + b)*(a*b)"),
        ("((a*b))*c", "a*b*c"),
        ("a*(b*c)", "a*(b*c)"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("a/(b/c)", "a/(b/c)"),
        ("a/b*c", "a/b*c"),
        ("a % (b*c)", "a%(b*c)"),
        ("-x^2", "-x^2"),
        ("(-x)^2", "(-x)^2"),
        ("(-2)^2", "(-2)^2"),
        ("-(2^2)", "-2^2"),
        ("2^-x", "2^-x"),
        ("2^(x+1)", "2^(x + 1)"),
        ("(a^b)^c", "(a^b)^c"),
        ("a^(b^c)", "a^b^c"),
        ("a - -2", "a - -2"),
        ("a*-2", "a*-2"),
        ("-(-x)", "-(-x)"),
        ("-(a*b)", "-(a*b)"),
        ("(-a)*b", "-a*b"),
        ("(a < b) < c", "(a < b) < c"),
        ("a < (b < c)", "a < (b < c)"),
        ("a + b < c", "a + b < c"),
        ("not (a and b)", "not (a and b)"),
        ("(not a) and b", "not a and b"),
        ("not (a < b)", "not a < b"),
        ("(not a) < b", "(not a) < b"),
        ("a and (b or c)", "a and (b or c)"),
        ("a or (b and c)", "a or b and c"),
        ("not (not a)", "not not a"),
        ("2x", "2*x"),
        ("x²", "x^2"),
        ("π", "pi"),
        ("tau*e + inf", "tau*e + inf"),
        ("1e3*x", "1000*x"),
        ("1e16*x", "1e+16*x"),
        (".5x", "0.5*x"),
        ("where(a, b, c)", "if(a, b, c)"),
        ("ln(x)", "log(x)"),
        ("pow(a, b)", "a^b"),
        ("mod(a + 1, b)", "(a + 1)%b"),
        ("max(a, b+1, max(c))", "max(a, b + 1, max(c))"),
        ("c = a+b; c*c", "(a + b)*(a + b)"),
        ("f(u) = u^2; f(a+1)", "(a + 1)^2"),
        ("a*(-b)", "a*-b"),
        ("a/(-2)", "a/-2"),
        ("a^(-2)", "a^-2"),
    ],
)
def test_printed_form(text, printed):
    assert unparse(parse(text)) == printed
    assert means_the_same(parse(printed), parse(text))


@given(programs())
def test_what_is_printed_means_the_same(text):
    tape = parse(text)
    printed = unparse(tape)
    assume(len(printed) < 5000)
    again = parse(printed)
    assert means_the_same(tape, again), printed
    assert unparse(again) == printed


@given(expressions)
def test_parentheses_around_everything_change_nothing(text):
    assert unparse(parse(f"(({text}))")) == unparse(parse(text))


@pytest.mark.parametrize("row", [row for row in TABLE if not row.internal], ids=lambda row: row.signature)
def test_every_row_prints_as_it_is_typed(row):
    count = row.arity or 3
    lines = [Line(None, name=name) for name in "abc"[:count]] + [Line(row, tuple(range(count)))]
    tape = Tape(tuple(lines), count)
    again = parse(unparse(tape))
    assert [line.op for line in again.lines] == [line.op for line in tape.lines]
    assert unparse(again) == unparse(tape)


@pytest.mark.parametrize(
    "value", [*FAMILIAR, *CONSTANTS.values(), 0.0, -0.0, 1e-320, 1.7976931348623157e308, 2 / 3, 123456789.0, math.nan]
)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("pattern", ["x", "2^x", "x^2", "-x", "2/x", "1 - x", "sin(x)", "not x", "x < 1"])
def test_constants_read_back_as_the_same_number(value, sign, pattern):
    tape = parse(pattern)
    lines = [Line(None, value=sign * value) if line.name == "x" else line for line in tape.lines]
    tape = tape._replace(lines=tuple(lines))
    printed = unparse(tape)
    assert equal(numbers(parse(printed), {}), numbers(tape, {})), printed


def derivative(text, name="x"):
    """The recorded derivative of a formula, as a tape."""
    tape = parse(text)
    inputs = {variable: Value(Value(POINTS[0][variable])) for variable in tape.inputs}
    replayed = replay(tape, inputs, lambda number: Value(number))
    replayed[tape.output].backward()
    slope = inputs[name].grad
    names = {value.data: variable for variable, value in inputs.items()}
    return record(slope, names) if isinstance(slope, Value) else Tape((Line(None, value=slope),), 0)


@pytest.mark.parametrize(
    "text",
    [
        "x^3",
        "x^y",
        "sin(x)*x",
        "exp(-x^2)",
        "max(x, y)*x",
        "if(x > 1, x^2, 3)",
        "hypot(x, y)",
        "x/y",
        "norm_pdf(x)",
        "atan2(x, y)",
    ],
)
def test_recorded_derivatives_are_formulas(text):
    tape = simplify(derivative(text))
    printed = unparse(tape)
    wanted, found = numbers(tape, POINTS[0]), numbers(parse(printed), POINTS[0])
    assert found == pytest.approx(wanted, rel=1e-14), printed


def test_labels_are_not_taken_apart():
    tape = parse("(a + b)*(a + b)^2")
    index = next(i for i, line in enumerate(tape.lines) if line.op)
    assert unparse(tape, {index: ("S", 0)}) == "S*(a + b)^2"


# ---------------------------------------------------------------------------------------------------- simplify


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("1*x", "x"),
        ("x*1", "x"),
        ("x + 0", "x"),
        ("0 + x", "x"),
        ("x - 0", "x"),
        ("0 - x", "0 - x"),
        ("x/1", "x"),
        ("1/x", "1/x"),
        ("x^1", "x"),
        ("x^0", "1"),
        ("(x > 0) != 0", "x > 0"),
        ("x != 0", "x != 0"),
        ("(x > 0) == 0", "not x > 0"),
        ("if(not x, y, z)", "if(x, z, y)"),
        ("if(x > 0, x > 0, 0)", "x > 0"),
        ("if(x, y, y)", "y"),
        ("0.5 - 1 + x", "-0.5 + x"),
        ("1^x", "1^x"),
        ("0*x", "0*x"),
        ("x/x", "x/x"),
        ("x - x", "x - x"),
        ("2 + 3", "5"),
        ("x + 2*3", "x + 6"),
        ("1/3*x", "1/3*x"),
        ("2 - 3 + x", "-1 + x"),
        ("if(1, x, y)", "x"),
        ("if(0, x, y)", "y"),
        ("if(x, 1*y, z)", "if(x, y, z)"),
        ("(1*x)*(0 + y)", "x*y"),
        ("x^(2 - 1)", "x"),
        ("0/0 + x", "0/0 + x"),
        ("sqrt(4)*x", "2*x"),
        ("sqrt(2)*x", "sqrt(2)*x"),
        ("c = x*y; d = 1; x", "x"),
    ],
)
def test_simplified_form(text, shorter):
    assert unparse(simplify(parse(text))) == shorter


@given(programs())
def test_simplify_never_changes_a_value(text):
    tape = parse(text)
    shorter = simplify(tape)
    assert len(shorter.lines) <= len(tape.lines)
    assert set(shorter.inputs) <= set(tape.inputs)
    point = POINTS[0]
    assert equal(numbers(shorter, point), numbers(tape, point))
    assert simplify(shorter).lines == shorter.lines


@given(programs())
def test_simplify_leaves_no_dead_lines(text):
    tape = simplify(parse(text))
    used = {tape.output, *(index for line in tape.lines if line.op for index in line.args)}
    assert used == set(range(len(tape.lines)))
