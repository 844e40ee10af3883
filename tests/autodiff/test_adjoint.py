"""The derivative as lines of the tape: what the engine computes, computed by a tape."""

import math

import pytest
from helpers import POINTS, expressions, programs
from hypothesis import assume, given

from gradcli import gradient, parse
from gradcli.autodiff import adjoint
from gradcli.autodiff.adjoint import backward, differentiate, differentiate_in_turn
from gradcli.autodiff.simplify import TapeBuilder
from gradcli.autodiff.tape import replay
from gradcli.calculus.gradient import derivatives
from gradcli.errors import UsageError

POINT = POINTS[0]


def at(tape, lines, point=POINT):
    numbers = replay(tape, {name: point[name] for name in tape.inputs})
    return {name: numbers[index] for name, index in lines.items()}


def derivative(text, name, order=1, point=POINT):
    return at(*differentiate(parse(text), [name], order), point)[name]


def agree(a, b):
    return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-14)


# --------------------------------------------------------------------------------- against the engine


@given(programs())
def test_the_tape_finds_the_gradient_of_the_engine(text):
    tape = parse(text)
    assume(tape.inputs)
    first, lines = differentiate(tape, list(tape.inputs))
    for point in POINTS:
        wanted = gradient(tape, point)
        assert agree(replay(first, {name: point[name] for name in first.inputs})[first.output], wanted.value)
        found = at(first, lines, point)
        for name, partial in wanted.partials.items() if wanted.value == wanted.value else ():
            assert agree(found[name], partial), (name, point, found[name], partial)


@given(programs())
def test_what_neither_value_nor_derivatives_need_is_not_there(text):
    tape = parse(text)
    first, lines = differentiate(tape, list(tape.inputs))
    needed = {first.output, *lines.values()}
    for index in range(len(first.lines) - 1, -1, -1):
        if index in needed and first.lines[index].op:
            needed.update(first.lines[index].args)
    assert needed == set(range(len(first.lines)))


@given(programs())
def test_lines_are_not_written_twice(text):
    tape = parse(text)
    typed = len(tape.lines)
    lines = TapeBuilder(tape.lines)
    backward(lines, tape.output, tape.inputs.values())
    written = [(line.op, line.args, repr(line.value)) for line in lines.lines[typed:]]
    assert len(written) == len(set(written))


# ------------------------------------------------------------------------------------ order, and mixed


@pytest.mark.parametrize(
    ("text", "order", "wanted"),
    [
        ("x^3", 1, 3 * 7.0**2),
        ("x^3", 2, 42.0),
        ("x^3", 3, 6.0),
        ("x^3", 4, 0.0),
        ("x^3", 9, 0.0),
        ("exp(2*x)", 5, 32 * math.exp(14.0)),
        ("sin(x)", 4, math.sin(7.0)),
        ("1/x", 3, -6 / 7.0**4),
        ("x*y", 2, 0.0),
        ("7", 2, 0.0),
    ],
)
def test_order(text, order, wanted):
    assert derivative(text, "x", order) == pytest.approx(wanted, rel=1e-14)


@given(expressions)
def test_the_second_order_is_the_first_of_the_first(text):
    tape = parse(f"({text})*x^2")
    first, lines = differentiate(tape, ["x"])
    again, other = differentiate(first._replace(output=lines["x"]), ["x"])
    assert agree(at(*differentiate(tape, ["x"], 2))["x"], at(again, other)["x"])


def test_mixed_derivatives():
    tape, lines = differentiate_in_turn(parse("x^2*y^3"), ["x", "y"])
    assert at(tape, lines) == {"x,y": 6 * 7 * 11.0**2}
    tape, lines = differentiate_in_turn(parse("x^2*y^3"), ["x", "x", "y", "y"])
    assert at(tape, lines) == {"x,x,y,y": 12 * 11.0}
    tape, lines = differentiate_in_turn(parse("x^2*y^3"), ["x", "z"])
    assert at(tape, lines) == {"x,z": 0.0}
    tape, lines = differentiate_in_turn(parse("x^2*y^3"), ["z", "x"])
    assert at(tape, lines) == {"z,x": 0.0}


@given(expressions)
def test_the_order_of_the_names_does_not_matter(text):
    tape = parse(f"({text})*x*sin(y)")
    one, other = (at(*differentiate_in_turn(tape, names)) for names in (["x", "y"], ["y", "x"]))
    (a,), (b,) = one.values(), other.values()
    finite = math.isfinite(a) and math.isfinite(b)
    assert not finite or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9 * abs(gradient(tape, POINT).value) + 1e-300)


# ------------------------------------------------------------------------------------------ which names


def test_an_unknown_name_gives_0():
    tape, lines = differentiate(parse("x^2"), ["x", "nobody"])
    assert at(tape, lines) == {"x": 14.0, "nobody": 0.0}


def test_a_variable_that_was_only_mentioned_gives_0():
    assert derivative("c = x*y; a", "x") == 0
    assert derivative("floor(x)", "x") == 0


def test_by_a_name_that_the_program_assigned():
    tape, lines = differentiate(parse("c = a + b; d = a*b; e = c*d"), ["c", "d", "a", "e"])
    assert at(tape, lines) == {"c": 6.0, "d": 5.0, "a": 1 * 6.0 + 3.0 * 5.0, "e": 1.0}


@pytest.mark.parametrize("asked", [["a"], ["a", "c"], ["c", "a", "d", "e"]])
def test_what_else_is_asked_for_does_not_matter(asked):
    tape, lines = differentiate(parse("c = a + b; d = a*b; e = c*d"), asked)
    assert at(tape, lines)["a"] == 1 * 6.0 + 3.0 * 5.0


def test_by_names_that_stand_for_constants_and_truth_values():
    tape, lines = differentiate(parse("c = 2; d = x > 1; c^2*d*x"), ["c", "d", "x"])
    assert at(tape, lines) == {"c": 2 * 2 * 7.0, "d": 28.0, "x": 4.0}


def test_by_the_second_name_of_a_line():
    """d is c: what is differentiated by one is differentiated by the other."""
    tape, lines = differentiate(parse("c = a + b; d = c; c*d"), ["c", "d"])
    assert at(tape, lines) == {"c": 10.0, "d": 10.0}


def test_values_are_kept():
    tape, _ = differentiate(parse("c = a + b; e = c*c"), ["a"])
    numbers = replay(tape, POINT)
    assert (numbers[tape.output], numbers[tape.names["c"]], tape.title) == (25.0, 5.0, "e")


def test_the_strong_zero_is_kept():
    assert derivative("if(x > 0, x, log(0*x))", "x") == 1
    assert derivative("sqrt(relu(-x)) + x", "x") == 1


# ---------------------------------------------------------------------------------------------- its size


def test_too_many_lines_are_refused(monkeypatch):
    monkeypatch.setattr(adjoint, "MAX_LINES", 100)
    with pytest.raises(UsageError, match="more than 100 operations"):
        differentiate(parse("*".join(f"sin({k}*x)" for k in range(2, 40))), ["x"])


def test_doubling_thirty_times_stays_small():
    text = "; ".join(f"t{k} = t{k - 1} + t{k - 1}" if k else "t0 = x*x" for k in range(31))
    tape, lines = differentiate(parse(text), ["x"])
    assert at(tape, lines) == {"x": 2.0**30 * 14}
    assert len(tape.lines) < 200


def test_a_deep_tape():
    depth = 20_000
    text = "sin(" * depth + "x" + ")" * depth
    tape, lines = differentiate(parse(text), ["x"])
    assert len(tape.lines) <= 5 * depth
    assert 0 < at(tape, lines)["x"] < 1


def test_the_length_of_each_order_of_a_polynomial_falls():
    found = derivatives("x^5 - 3*x^2", 7, x=2)["x"]
    assert found == [5 * 16 - 12.0, 20 * 8 - 6.0, 60 * 4.0, 120 * 2.0, 120.0, 0.0, 0.0]
