"""The doctor: what is said about the numbers, where, and about what it is silent."""

import pytest
from helpers import POINTS, programs
from hypothesis import given

from gradcli import parse
from gradcli.autodiff.ops import KINDS
from gradcli.errors import EvaluationError, Source
from gradcli.trace.diagnostics import diagnose, literals, unused_binding
from gradcli.trace.trace import trace

POINT = {"x": 0.0, "y": 0.0, "z": 2.0, "w": -1.0, "h": 1e200, "v": 400.0}


def findings(text, **point):
    tape = parse(text)
    return diagnose(tape, trace(tape, POINT | point))


def kinds(text, **point):
    return [(one.kind, one.text) for one in findings(text, **point)]


def evaluation_error(text, **point):
    with pytest.raises(EvaluationError) as caught:
        findings(text, **point)
    return caught.value


@pytest.mark.parametrize(
    ("text", "kind", "place", "message"),
    [
        ("1 + abs(x)", "kink", "abs(x)", "abs of 0: abs has a corner there; the derivative used there is 0 at 0"),
        ("relu(x)", "kink", "relu(x)", "relu of 0"),
        ("1 + hypot(x, y)", "kink", "hypot(x, y)", "hypot of 0 and 0"),
        ("sqrt(x^2)", "kink", "x^2", "the gradient of x would be 0 × inf"),
        ("1 + max(x, y)", "tie", "max(x, y)", "max of 0 and 0: max has a tie there"),
        ("clamp(x, 0, 1)", "tie", "clamp(x, 0, 1)", "clamp of 0, 0 and 1"),
        ("2*floor(z)", "jump", "floor(z)", "floor of 2: floor jumps there"),
        ("(x < y) + z", "jump", "x < y", "0 < 0: < jumps there"),
        ("z % 2", "jump", "z % 2", "2%2: % jumps there"),
        ("1/x", "pole", "1/x", "1/0 is inf: / has a pole there"),
        ("1 + log(x)", "pole", "log(x)", "log of 0 is -inf"),
        ("1 + sqrt(x)", "pole", "sqrt(x)", "sqrt of 0: the derivative by x is inf"),
        ("1 + asin(w)", "pole", "asin(w)", "asin of -1: the derivative by w is inf"),
        ("0*sqrt(x)", "pole", "sqrt(x)", "passes 0 on"),
        ("1 + exp(h)", "overflow", "exp(h)", "exp of 1e+200 is too large for binary64 and became inf"),
        ("h*h", "overflow", "h*h", "1e+200*1e+200 is too large"),
        ("h*x*h", "overflow", "h*x", "times the gradient from above is too large"),
        ("1 + exp(-h)", "underflow", "exp(-h)", "exp of -1e+200 is too small for binary64 and became 0"),
        ("1 + 1/h/h", "underflow", "1/h/h", "too small"),
        ("v/exp(v)", "underflow", "v/exp(v)", "the derivative by exp(v) is too small for binary64 and became 0"),
        ("sin(v*1e-200)*1e-200", "underflow", "v*1e-200", "times the gradient from above is too small"),
        ("1e-400 + z", "underflow", "1e-400", "was read as 0"),
        ("if(log(w) > 1, 1, z)", "domain", "log(w)", "log of -1 is not a number; the result does not depend on it"),
        ("1 + x^y", "undefined", "x^y", "0^0: the derivative by y is not defined there"),
        ("1 + w^z", "undefined", "w^z", "(-1)^2: the derivative by z is not defined there"),
        ("atan2(y, x)", "undefined", "atan2(y, x)", "atan2 of 0 and 0: the derivative by x"),
        ("sqrt(x) - sqrt(x)", "undefined", "x", "inf and -inf"),
        ("z + 9007199254740993", "rounded", "9007199254740993", "was read as 9007199254740992"),
        ("z - -9007199254740993", "rounded", "-9007199254740993", "binary64 cannot hold"),
        ("c = x; z", "unused", "c", "c is never used"),
        ("x + 1; z", "unused", "x + 1", "x + 1 is never used"),
        ("f(u) = u; z", "unused", "f", "f() is never used"),
        ("f(u) = abs(u); 1 + f(x)", "kink", "f(x)", "abs of 0"),
        ("f(u) = 2*abs(u); 1 + f(x)", "kink", "abs(u)", "in the call f(x)"),
    ],
)
def test_findings(text, kind, place, message):
    found = [one for one in findings(text) if (one.kind, one.text) == (kind, place) and message in one.message]
    assert len(found) == 1, findings(text)
    assert text[slice(*found[0].span)] == place and found[0].source.text == text


@pytest.mark.parametrize(
    "text",
    [
        "(z+w)*(z*w)",
        "abs(3 - 3) + z",
        "floor(2)*z",
        "max(1, 1) + z",
        "w^2",
        "x^2",
        "z^0",
        "9007199254740992*z",
        "1e22*z",
        "0*z + 0.0e5",
        "inf*z",
        "-inf + z",
        "exp(-inf) + z",
        "f(u) = u; f(z)",
        "c = z; c*c",
        "c = z",
        "clamp(z, 0, 1)",
        "exp(x)",
        "tanh(h)",
        "if(x == 5, 1, z)",
    ],
)
def test_silent_where_there_is_nothing_to_say(text):
    assert findings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "if(z > 3, 1/x, z)",
        "if(z < 3, z, abs(x))",
        "if(z > 3, log(w), z)",
        "if(z > 3, exp(h), z)",
        "if(z < 3, z, max(x, y))",
        "x and 1/x",
        "z or log(w)",
        "if(z or 1/x, z, 1)",
        "diff(sqrt(max(w, x)), w)",
        "diff(log(clamp(z, w, x)), z)",
    ],
)
def test_silent_about_what_was_not_computed_from(text):
    assert findings(text) == []


@pytest.mark.parametrize("text", ["diff(clamp(x, 0, 1), x)", "diff(clamp(-1, -2, x - 1), x)", "diff(max(x, 2*x), x)"])
def test_ties_in_a_derivative_are_told(text):
    (found, *_) = [one for one in findings(text) if one.kind == "jump"]
    assert found.message.startswith("the derivative jumps there; the derivative used there is ")
    assert found.message.endswith(f", in the call {text}") and found.span == (0, len(text))


def test_the_branch_that_was_taken_is_looked_at():
    assert ("pole", "1/x") in kinds("if(z > 1, 1/x, z)")
    assert ("pole", "1/x") in kinds("if(z and 1/x, z, 1)")


def test_what_is_shared_with_a_branch_not_taken_is_looked_at():
    assert kinds("c = abs(x); if(z > 3, c, z + c)") == [("kink", "abs(x)")]


@pytest.mark.parametrize(
    ("text", "message", "place", "hint"),
    [
        ("log(w)", "log of -1 is not a number", "log(w)", "log is defined for x > 0"),
        ("2 + log(w)*3", "log of -1", "log(w)", "x > 0"),
        ("log(w) + sqrt(w)", "log of -1", "log(w)", "x > 0"),
        ("diff(log(log(max(w, -0.5))), w) + sqrt(w)", "sqrt of -1", "sqrt(w)", "x >= 0"),
        ("sqrt(w - 1)", "sqrt of -2", "sqrt(w - 1)", "x >= 0"),
        ("x/x", "0/0", "x/x", "b not 0"),
        ("1 + max(x/y, 1)", "0/0", "x/y", ""),
        ("inf - inf", "inf - inf", "inf - inf", ""),
        ("0*log(x)", "0*(-inf)", "0*log(x)", ""),
        ("(-8)^(1/3)", "(-8)^0.3333333333333333", "(-8)^(1/3)", "a >= 0, or b an integer"),
        ("asin(z)", "asin of 2", "asin(z)", "-1 <= x <= 1"),
        ("if(z > 1, log(w), z)", "log of -1", "log(w)", ""),
        ("f(u) = log(u); 1 + f(w)", "log of -1", "f(w)", ""),
        ("f(u) = 2*log(u); 1 + f(w)", "log of -1 is not a number, in the call f(w)", "log(u)", ""),
        ("c = log(w); 2*c", "log of -1", "log(w)", ""),
        ("min(inf - inf, 1, 2, 3, 4, 5)", "inf - inf", "inf - inf", ""),
    ],
)
def test_a_value_that_is_no_number_is_an_error(text, message, place, hint):
    error = evaluation_error(text)
    assert message in error.message and hint in error.hint
    assert text[slice(*error.span)] == place and error.exit_code == 1


def test_a_binding_that_is_no_number_is_named():
    error = evaluation_error("1 + x", x=float("nan"))
    assert error.message.startswith("x is not a number") and error.span == (4, 5)


def test_a_gradient_that_is_no_number_is_a_finding():
    assert kinds("x^y", x=-2.0, y=3.0) == [("undefined", "x^y")]


def test_findings_come_in_the_order_of_the_text_and_once():
    found = findings("abs(x) + floor(z) + abs(x) + 9007199254740993 + abs(y)")
    assert [one.kind for one in found] == ["kink", "jump", "kink", "rounded", "kink"]
    assert len(set(found)) == len(found)


def test_literals_of_a_binding():
    (one,) = literals(parse(Source("x=9007199254740993")))
    assert (one.kind, one.span, one.text) == ("rounded", (2, 18), "9007199254740993")


@pytest.mark.parametrize(
    ("digits", "kind"),
    [
        ("9007199254740991", None),
        ("9007199254740993", "rounded"),
        ("9007199254740994", None),
        ("1" * 30, "rounded"),
        ("1" + "0" * 22, None),
        ("1" + "0" * 23, "rounded"),
        ("0.1", None),
        ("1e23", None),
        ("1e-400", "underflow"),
        ("0.0e-400", None),
        ("0." + "0" * 400 + "1", "underflow"),
        ("5e-324", None),
    ],
)
def test_literals(digits, kind):
    assert [one.kind for one in literals(parse(f"x + {digits}"))] == ([kind] if kind else [])


def test_unused_bindings():
    one = unused_binding("k", Source("k=3", "k"))
    assert (one.kind, one.span) == ("unused", (0, 1)) and "k does not occur" in one.message


@given(programs())
def test_every_finding_has_a_kind_and_a_place(text):
    for point in POINTS:
        tape = parse(text)
        try:
            found = diagnose(tape, trace(tape, point))
        except EvaluationError as error:
            assert text[slice(*error.span)]
            continue
        for one in found:
            assert one.kind in KINDS and one.message
            assert text[slice(*one.span)] == one.text != ""


def test_no_text_is_cut_out_where_there_is_nothing_to_say(monkeypatch):
    def refuse(*_):
        raise AssertionError("a long expression has texts whose sum is its square")

    monkeypatch.setattr("gradcli.trace.diagnostics.shortened", refuse)
    tape = parse("x*sin(x) + x^2/3 + exp(x)")
    assert diagnose(tape, trace(tape, {"x": 1.5}, formulas=False)) == []
