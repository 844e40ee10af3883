"""The first-order bound on rounding: it holds what rounding did, and is no excuse for more than that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.tape import evaluate, replay
from gradcli.calculus.precise import Precise
from gradcli.calculus.rounding import TINY, UNIT, roundings
from gradcli.language.parser import parse


def bound(text, **inputs):
    tape = parse(text)
    return roundings(tape, {"f": tape.output}, inputs)["f"]


def test_one_operation_is_one_rounding():
    assert bound("x*y", x=3.0, y=5.0) == 15 * UNIT
    assert bound("x", x=3.0) == bound("7") == 0  # inputs and literals are exact


def test_cancellation_keeps_the_rounding_of_what_cancelled():
    assert bound("log(1 + exp(x))", x=-40.0) == pytest.approx(UNIT, rel=1e-9)
    assert bound("(x + 1e10) - 1e10", x=0.25) == pytest.approx(1e10 * UNIT)


def test_next_to_zero_it_is_the_smallest_number():
    assert bound("exp(x)", x=-744.5) == TINY
    assert bound("exp(x)*1e300", x=-800.0) == pytest.approx(1e300 * TINY, rel=1e-9)


def test_a_pole_is_left_out():
    assert bound("sqrt(x*y) + x", x=0.0, y=1.0) == pytest.approx(0.0, abs=4 * TINY)


def test_several_lines_of_one_tape_do_not_mix():
    tape, lines = differentiate(parse("x*sin(y)"), ["x", "y"])
    both = roundings(tape, lines, {"x": 2.0, "y": 0.7})
    assert both == {name: roundings(tape, {name: lines[name]}, {"x": 2.0, "y": 0.7})[name] for name in ("x", "y")}


@pytest.mark.parametrize(
    "text", ["1 - cos(x)", "(1 + x)^3 - 1 - 3x", "log(1 + exp(x - 30))", "sin(1e6*x)", "exp(x) - exp(x/3)*exp(2x/3)", "sqrt(x^2 + 1) - x"]
)  # fmt: skip
@given(x=st.floats(1e-4, 20))
def test_it_holds_what_rounding_did(text, x):
    mpmath = pytest.importorskip("mpmath")
    tape = parse(text)
    with mpmath.workdps(60):
        numbers = replay(tape, {"x": Precise(mpmath.mpf(x))}, lift=lambda literal: Precise(mpmath.mpf(literal)))
        error = abs(float(evaluate(tape, {"x": x}) - numbers[tape.output].number))
    assert error <= 2 * bound(text, x=x)  # exp and sin are right to an ulp, not to half of it
