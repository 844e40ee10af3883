"""The tape: replayed on any kind of number, and recorded from a graph."""

import gc
import math

import pytest
from helpers import POINTS, expressions, programs
from hypothesis import given

from gradcli import parse
from gradcli.autodiff.engine import Value
from gradcli.autodiff.tape import Line, Tape, collection_paused, graph, record, replay


def recorded(tape, point):
    """The tape, run on Values and recorded again."""
    values = graph(tape, {name: point[name] for name in tape.inputs})
    return record(values[tape.output], {values[index]: name for name, index in tape.inputs.items()})


def same(a, b):
    return repr(a) == repr(b)


def test_lines_of_the_walkthrough():
    tape = parse("(a+b)*(a*b)")
    assert [(line.op and line.op.name, line.args, line.name) for line in tape.lines] == [
        (None, (), "a"),
        (None, (), "b"),
        ("+", (0, 1), ""),
        ("*", (0, 1), ""),
        ("*", (2, 3), ""),
    ]
    assert (tape.output, tape.inputs, tape.text(2)) == (4, {"a": 0, "b": 1}, "a+b")


def test_replay_on_floats():
    assert replay(parse("(a+b)*(a*b)"), {"a": 3.0, "b": 4.0}) == [3.0, 4.0, 7.0, 12.0, 84.0]


def test_replay_on_values_is_a_graph():
    a, b, total, product, out = graph(parse("(a+b)*(a*b)"), {"a": 3.0, "b": 4.0})
    out.backward()
    assert [node.grad for node in (a, b, total, product, out)] == [40.0, 33.0, 12.0, 7.0, 1.0]
    assert total._prev == product._prev == (a, b) and out._prev == (total, product)


def test_constants_of_a_graph_take_no_gradient():
    values = graph(parse("2*pi*x"), {"x": 1.0})
    assert [value._grad for value in values if value._row is None] == [None, None, 0.0]


def test_inputs_may_be_shared_and_of_any_kind():
    x = Value(3.0)
    tape = parse("a*b + a")
    out = replay(tape, {"a": x, "b": x}, Value)[tape.output]
    out.backward()
    assert (out.data, x.grad) == (12.0, 7.0)


@given(programs())
def test_graph_values_are_the_floats(text):
    tape = parse(text)
    for point in POINTS:
        floats = replay(tape, point)
        values = graph(tape, {name: point[name] for name in tape.inputs})
        assert all(type(number) is float for number in floats)
        assert all(same(value.data, number) for value, number in zip(values, floats, strict=True))


@given(programs())
def test_recorded_tapes_give_the_same_numbers(text):
    tape = parse(text)
    for point in POINTS:
        again = recorded(tape, point)
        assert same(replay(again, point)[again.output], replay(tape, point)[tape.output])
        assert len(again.lines) <= len(tape.lines)
        assert set(again.inputs) <= set(tape.inputs)


@given(expressions)
def test_operands_come_first_and_equal_lines_once(text):
    again = recorded(parse(text), POINTS[0])
    assert all(operand < index for index, line in enumerate(again.lines) for operand in line.args)
    assert len(set(map(repr, again.lines))) == len(again.lines)
    assert again.output == len(again.lines) - 1


def test_recording_shares_equal_lines():
    again = recorded(parse("a*b + a*b"), {"a": 2.0, "b": 3.0})
    assert [line.op and line.op.name for line in again.lines] == [None, None, "*", "+"]


def test_recording_keeps_the_two_zeros_apart():
    again = recorded(parse("atan2(0, x) + atan2(-0, x)"), {"x": -1.0})
    assert [math.copysign(1, line.value) for line in again.lines if line.value is not None] == [1, -1]
    assert replay(again, {"x": -1.0})[again.output] == 0.0


def test_recording_leaves_out_what_is_not_used():
    a, b = Value(2.0), Value(3.0)
    again = record(a * 2.0, {a: "a", b: "b"})
    assert list(again.inputs) == ["a"]


def test_a_recorded_derivative_is_a_tape():
    x = Value(3.0)
    outer = Value(x)
    (outer**3).backward()
    slope = record(outer.grad, {x: "x"})
    assert replay(slope, {"x": 3.0})[slope.output] == 27.0
    assert replay(slope, {"x": 5.0})[slope.output] == 75.0


def test_an_input_or_a_constant_alone():
    assert parse("x").lines == (Line(None, name="x", span=(0, 1)),)
    x = Value(2.0)
    assert record(x, {x: "x"}) == Tape((Line(None, name="x"),), 0)
    assert record(x, {}) == Tape((Line(None, value=2.0),), 0)


@pytest.mark.parametrize("enabled", [True, False])
def test_collection_pauses_and_resumes(enabled):
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with collection_paused():
            assert not gc.isenabled()
        assert gc.isenabled() is enabled
        with pytest.raises(KeyError):
            replay(parse("x"), {})
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_a_long_tape_is_recorded_without_recursion():
    tape = parse("x" + "*x" * 50_000)
    assert len(recorded(tape, {"x": 1.0}).lines) == 50_001
