"""NAME=VALUE: the forms that are accepted, and those that are not."""

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli import parse
from gradcli.errors import EvaluationError, GradcliError, ParseError, UsageError
from gradcli.language.bindings import check_wrt, place_of, read_bindings, read_names, require
from gradcli.language.ranges import read_ranges
from gradcli.text import shortest


def refused(*arguments):
    with pytest.raises(GradcliError) as caught:
        read_bindings(arguments)
    return caught.value


@pytest.mark.parametrize(
    ("argument", "name", "value"),
    [
        ("a=3", "a", 3.0),
        ("a=-3", "a", -3.0),
        ("a=+3", "a", 3.0),
        ("x=1.5", "x", 1.5),
        ("x=.5", "x", 0.5),
        ("x=5.", "x", 5.0),
        ("x=-1e-3", "x", -1e-3),
        ("x=1e308", "x", 1e308),
        ("x=-0", "x", -0.0),
        ("x=-0.0", "x", -0.0),
        ("x=inf", "x", math.inf),
        ("x=-inf", "x", -math.inf),
        ("t=pi/4", "t", math.pi / 4),
        ("t=π/4", "t", math.pi / 4),
        ("r=1/3", "r", 1 / 3),
        ("r=2^0.5", "r", math.sqrt(2)),
        ("r=sqrt(2)", "r", math.sqrt(2)),
        ("r=2pi", "r", 2 * math.pi),
        ("r=1/0", "r", math.inf),
        ("x=−1", "x", -1.0),
        ("x = 3", "x", 3.0),
        (" x=3 ", "x", 3.0),
        ("x=3 # a comment", "x", 3.0),
        ("pi=3", "pi", 3.0),
        ("e=2", "e", 2.0),
        ("x=1==1", "x", 1.0),
        ("sin=2", "sin", 2.0),
        ("lambda=1", "lambda", 1.0),
        ("_x1=1", "_x1", 1.0),
        ("é=1", "é", 1.0),
        ("e\u0301=1", "é", 1.0),
        ("日本=1", "日本", 1.0),
        ("क्षेत्र=1", "क्षेत्र", 1.0),
        ("x=5 + -0.02", "x", 4.98),
        ("x=∞", "x", math.inf),
        ("x=–√4", "x", -2.0),
        ("x=12345678901234567890", "x", 12345678901234567890.0),
        ("x=1;", "x", 1.0),
    ],
)
def test_accepted(argument, name, value):
    ((found, binding),) = read_bindings([argument]).items()
    assert found == name and type(found) is str
    assert repr(binding.value) == repr(value)
    assert binding.source.text == argument


@pytest.mark.parametrize(
    ("argument", "message", "kind"),
    [
        ("x", "NAME=VALUE", UsageError),
        ("", "NAME=VALUE", UsageError),
        ("3", "NAME=VALUE", UsageError),
        ("x+1", "NAME=VALUE", UsageError),
        ("x=", "ends too early", ParseError),
        ("=1", "unexpected '='", ParseError),
        ("3=1", "unexpected '='", ParseError),
        ("2x=1", "unexpected '='", ParseError),
        ("x=1,5", "1,5 has more than one reading", UsageError),
        ("x=1.234.567,89", "write x=1234567.89", UsageError),
        ("x=1.000,5", "1.000,5 has more than one reading", UsageError),
        ("x=1,2,5", "one value is needed", UsageError),
        ("x=0:1", "one value is needed", UsageError),
        ("x=5+-0.02", "no uncertainty here", UsageError),
        ("x=5.01±0.02", "no uncertainty here", UsageError),
        ("x=5.01 +/- 0.02", "no uncertainty here", UsageError),
        ("x=1_000", "no _", ParseError),
        ("x=1e", "no digits", ParseError),
        ("x=1e400", "too large", ParseError),
        ("x=abc", "abc has no value here", UsageError),
        ("x=y=2", "unexpected '='", ParseError),
        ("x==2", "one NAME=VALUE", UsageError),
        ("x=x", "x is used before it is assigned", ParseError),
        ("e=2*e", "e is used before it is assigned", ParseError),
        ("x=1;y=2", "one NAME=VALUE", UsageError),
        ("y=2;x=1", "one NAME=VALUE", UsageError),
        ("f(u)=u;x=1", "one NAME=VALUE", UsageError),
        ("f(u)=u", "nothing to compute", ParseError),
        ("x=0/0", "the value of x is not a number", EvaluationError),
        ("x=log(-1)", "the value of x is not a number", EvaluationError),
        ("x=nan", "nan has no value here", UsageError),
        ("and=1", "unexpected 'and'", ParseError),
        ("x=__import__('os')", "U+0027", ParseError),
        ("x=１", "U+FF11", ParseError),
        ("x='3'", "no", ParseError),
        ("x-y=1", "unexpected '='", ParseError),
    ],
)
def test_refused(argument, message, kind):
    error = refused(argument)
    assert message in str(error) and isinstance(error, kind)
    assert error.source.text == argument


@pytest.mark.parametrize(
    ("argument", "readings"),
    [
        ("x=1,5", ["x=1.5", "x=1,5,"]),
        ("x = -1,25", ["x=-1.25", "x=-1,25,"]),
        ("x=1,500", ["x=1500", "x=1.500", "x=1,500,"]),
        ("x=1234,500", ["x=1234.500", "x=1234,500,"]),
        ("x=1.000,5", ["x=1000.5", "x=1.000,5,"]),
    ],
)
def test_a_comma_has_its_readings(argument, readings):
    hint = refused(argument).hint
    assert hint.proposals == tuple(readings)
    assert hint == f"write {', '.join(readings[:-1])}, or {readings[-1]} for the list of two"
    for reading in readings:
        assert read_ranges([reading])


@pytest.mark.parametrize("second", ["x=2", "x=1", "x = 2", "x=sqrt(4)"])
def test_given_twice(second):
    error = refused("x=1", second)
    assert error.message == f"x is given twice: x=1 and {second}"


def test_given_twice_in_two_forms_of_unicode():
    assert "given twice" in refused("\u00e9=1", "e\u0301=2").message


def test_order_is_kept():
    assert list(read_bindings(["b=1", "a=2", "c=1/2"])) == ["b", "a", "c"]
    assert read_bindings([]) == {}


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_printed_numbers_are_read_back(number):
    assert repr(read_bindings([f"x={shortest(number)}"])["x"].value) == repr(number)


@given(st.from_regex(r"[+-]?([0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18})", fullmatch=True))
def test_the_short_way_and_the_parser_agree(digits):
    short, long = read_bindings([f"x={digits}"])["x"], read_bindings([f"x= {digits}"])["x"]
    assert repr(short.value) == repr(long.value) == repr(float(digits))


@given(st.text(alphabet="xy=1.5e-+/()π,;_ ", max_size=8))
def test_any_argument_is_read_or_refused(argument):
    try:
        read_bindings([argument])
    except GradcliError as error:
        start, end = error.span
        assert 0 <= start <= end <= len(argument)


def test_require():
    tape = parse("speed*t + x")
    require(tape, ["speed", "t", "x", "more"])
    for given_names, message, hint, place in [
        (["t", "x"], "no value for speed", "give it: speed=VALUE", (0, 5)),
        (["t", "x", "sped"], "no value for speed", "did you mean sped?", (0, 5)),
        (["speed"], "no value for t and x", "give it: t=VALUE", (6, 7)),
        ([], "no value for speed, t and x", "give it: speed=VALUE", (0, 5)),
    ]:
        with pytest.raises(UsageError) as caught:
            require(tape, given_names)
        assert (caught.value.message, caught.value.hint, caught.value.span) == (message, hint, place)
    require(parse("1 + pi"), [])


def test_check_wrt():
    tape = parse("c = speed*t; c + 1")
    check_wrt(tape, ["speed", "t", "k"], {"k": 1})
    for name, message in [("c", "c is assigned, not a variable"), ("sped", "sped is not a variable of the expression")]:
        with pytest.raises(UsageError) as caught:
            check_wrt(tape, [name], {})
        assert caught.value.message == message
    assert caught.value.hint == "did you mean speed?"


@given(st.lists(st.text("abé_ \t"), min_size=1, max_size=6))
def test_names_know_their_places(pieces):
    text = ",".join(pieces)
    names = read_names(text)
    assert names == [piece.strip() for piece in pieces]
    for name in pickle.loads(pickle.dumps(names)):  # as they go to a cluster
        source, span = place_of(name)
        assert source.text == text and text[slice(*span)] == name


def test_a_name_in_a_library_call_has_no_place():
    assert place_of("x") == (None, None)
