"""What may be typed, with its value; and what may not, with its place, its message and its hint."""

import math
import threading

import pytest
from helpers import expressions, is_read
from hypothesis import given
from hypothesis import strategies as st

from gradcli import gradient, parse
from gradcli.autodiff.ops import CONSTANTS, INFIX
from gradcli.autodiff.tape import Tape, replay
from gradcli.errors import GradcliError, ParseError

X = {"a": 2.0, "b": 3.0, "c": 5.0, "x": 7.0, "y": 11.0, "z": 0.5}


def value(text, **inputs):
    tape = parse(text, inputs)
    return replay(tape, X | inputs)[tape.output]


def refused(text, bound=()):
    with pytest.raises(ParseError) as caught:
        parse(text, bound)
    return caught.value


# ------------------------------------------------------------------------------------------------ numbers, names


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e-3", 1e-3),
        ("1.e3", 1e3),
        ("2E+3", 2e3),
        (".5e1", 5.0),
        ("007", 7.0),
        ("1e308", 1e308),
        ("1e-400", 0.0),
        ("5e-324", 5e-324),
        ("0.1", 0.1),
        ("9007199254740993", 9007199254740992.0),
        ("1" * 300, float("1" * 300)),
    ],
)
def test_numbers(text, number):
    assert value(text) == number


@given(st.floats(min_value=0, allow_infinity=False))
def test_every_float_reads_back(number):
    assert value(repr(number)) == number


@pytest.mark.parametrize(
    "name",
    [
        "lambda",
        "def",
        "class",
        "I",
        "E",
        "S",
        "N",
        "e1",
        "sin",
        "max",
        "if",
        "import",
        "None",
        "True",
        "x_1",
        "_",
        "__",
        "_x",
        "é",
        "ü_ß",
        "日本",
        "Δx",
        "α₁",
        "x̂",
        "andy",
        "nota",
        "orx",
        "x1e3",
        "pi2",
        "Infinity",
        "nan",
    ],
)
def test_names(name):
    assert list(parse(f"{name} + 1").inputs) == [parse(name).lines[0].name]
    assert value(f"2 {name}", **{name: 4.0}) == 8.0


def test_names_are_compared_in_normal_form():
    tape = parse("e\u0301 + \u00e9")
    assert list(tape.inputs) == ["\u00e9"]
    assert list(parse("e\u0301 = 1; \u00e9").names) == ["\u00e9"]
    assert value("e\u0301(x) = x; \u00e9(3)") == 3


@pytest.mark.parametrize("text", ["é", "é = 1", "f(é) = é; f(ü)", "日本 + x"])
def test_names_are_plain_strings(text):
    tape = parse(text)
    assert {type(name) for name in [*(line.name for line in tape.lines), *tape.names, tape.title]} == {str}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_and_what_wins_over_them(name):
    assert value(name) == CONSTANTS[name]
    assert value(f"2 {name}") == 2 * CONSTANTS[name]
    assert value(name, **{name: 4.0}) == 4.0
    assert value(f"{name} = 4; {name} + 1") == 5.0
    assert value(f"f({name}) = {name} + 1; f(4)") == 5.0
    assert parse(name).inputs == {}
    assert list(parse(name, [name]).inputs) == [name]


def test_a_function_name_may_be_a_variable():
    assert value("sin*sin(sin)", sin=2.0) == 2 * math.sin(2)
    assert value("max = 4; max(max, 1)") == 4.0
    assert value("f = 3; f(x) = x + f; f(f)") == 6.0


# ------------------------------------------------------------------------------------------------ precedence


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1 + 2*3", 7),
        ("(1 + 2)*3", 9),
        ("10 - 4 - 3", 3),
        ("24/4/3", 2),
        ("24/4*3", 18),
        ("7*8 % 5", 1),
        ("17 % 10 % 4", 3),
        ("-7 % 5", 3),
        ("-(7 % 5)", -2),
        ("2^3^2", 512),
        ("2**3**2", 512),
        ("2^3**2", 512),
        ("(2^3)^2", 64),
        ("-3^2", -9),
        ("(-3)^2", 9),
        ("2^-1", 0.5),
        ("2^+1", 2),
        ("2^--1", 2),
        ("2^-1^2", 0.5),
        ("y^-2*z", 11**-2 * 0.5),
        ("-x^2", -49),
        ("-x^-2", -(7.0**-2)),
        ("--x", 7),
        ("-+-x", 7),
        ("2 - -3", 5),
        ("2*-3", -6),
        ("2/-4", -0.5),
        ("-2*3", -6),
        ("1 < 2", 1),
        ("2 < 1", 0),
        ("1 <= 1", 1),
        ("1 >= 2", 0),
        ("2 > 1", 1),
        ("1 == 1", 1),
        ("1 != 1", 0),
        ("1 + 1 == 2", 1),
        ("(1 < 2) < 3", 1),
        ("not 1 == 2", 1),
        ("not 0 and 0", 0),
        ("not (0 and 0)", 1),
        ("1 or 0 and 0", 1),
        ("(1 or 0) and 0", 0),
        ("not not 5", 1),
        ("1 < 2 and 2 < 3", 1),
        ("2 and 3", 1),
        ("0 or 2", 1),
        ("1 - 1 or 0", 0),
        ("-a + b", 1),
        ("a*(b + c)", 16),
        ("(((x)))", 7),
        ("\ta \r*\fb ", 6),
        ("a*b# times", 6),
        ("(x > 3) + (x > 9)", 1),
    ],
)
def test_precedence(text, number):
    assert value(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2x", 14),
        ("3x^2", 147),
        ("2(x+1)", 16),
        ("2sin(x)", 2 * math.sin(7)),
        ("2x*3y", 462),
        ("2 x", 14),
        ("-2x", -14),
        ("-2x^2", -98),
        ("2x^-1", 2 / 7),
        ("2x²", 98),
        ("2(x)^2", 98),
        ("x*2y", 154),
        ("x + 2y - 3z", 27.5),
        ("6/2*x", 21),
        ("2pi", 2 * math.pi),
        ("1.5x", 10.5),
        ("2 e", 2 * math.e),
        ("x^2*3y", 49 * 33),
        ("2e1x", 140),
        ("x == 7z*2", 1),
        ("3(a)*2(b)", 36),
    ],
)
def test_implicit_product(text, number):
    assert value(text) == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a − b", "a - b"),
        ("−a", "-a"),
        ("a × b", "a * b"),
        ("a · b", "a * b"),
        ("a ⋅ b", "a * b"),
        ("a ÷ b", "a / b"),
        ("2^−1", "2^-1"),
        ("x²", "x^2"),
        ("x⁻¹", "x^-1"),
        ("x⁺²", "x^2"),
        ("x¹⁰", "x^10"),
        ("-x²", "-(x^2)"),
        ("2x³", "2*x^3"),
        ("(a+b)²", "(a+b)^2"),
        ("sin(x)²", "sin(x)^2"),
        ("2²", "2^2"),
        ("2^x²", "2^(x^2)"),
        ("x⁰¹²³⁴", "x^1234"),
        ("π*τ", "pi*tau"),
        ("a – b", "a - b"),
        ("–a", "-a"),
        ("2^–1", "2^-1"),
        ("a • b", "a * b"),
        ("a ≤ b", "a <= b"),
        ("a ≥ b", "a >= b"),
        ("a ≠ b", "a != b"),
        ("∞", "inf"),
        ("-∞", "-inf"),
        ("min(x, ∞)", "x"),
        ("√x", "sqrt(x)"),
        ("√2", "sqrt(2)"),
        ("2√x", "2*sqrt(x)"),
        ("√x^3", "sqrt(x)^3"),
        ("√√x", "sqrt(sqrt(x))"),
        ("√(x+y)*3", "sqrt(x+y)*3"),
        ("√sin(2)", "sqrt(sin(2))"),
        ("-√x", "-sqrt(x)"),
        ("2^√x", "2^sqrt(x)"),
        ("∛x", "cbrt(x)"),
        ("sin²(x)", "sin(x)^2"),
        ("2cos³(x)*x", "2*cos(x)^3*x"),
        ("-tan² (x)", "-(tan(x)^2)"),
        ("tanh⁻²(z)", "tanh(z)^-2"),
        ("max²(x, y)", "max(x, y)^2"),
        ("sin²(sin²(x))", "sin(sin(x)^2)^2"),
        ("f(u) = u+1; f²(x)", "(x+1)^2"),
        ("f(u) = u; f²(x)", "x^2"),
        ("log²(x, 3)", "(log(x)/log(3))^2"),
    ],
)
def test_typographic_signs(text, plain):
    assert value(text) == value(plain)


@pytest.mark.parametrize(("sign", "row"), INFIX.items())
def test_every_operator_is_an_operator_of_the_table(sign, row):
    assert value(f"a {sign} b") == row(2.0, 3.0)
    tape = parse(f"a {sign} b")
    assert tape.lines[tape.output].op is row


# -------------------------------------------------------------------------------------------------- programs


@pytest.mark.parametrize(
    ("text", "number", "title"),
    [
        ("c = a+b; d = a*b; e = c*d", 30, "e"),
        ("c = a+b\nd = a*b\nc*d", 30, ""),
        ("c = a+b; c", 5, ""),
        (";;\n a ;;\n", 2, ""),
        ("# a comment\na # another; b\n# and more", 2, ""),
        ("a\n", 2, ""),
        ("a\r\n+b\r\n", 5, ""),
        ("a\n+ b\n- c", 0, ""),
        ("a +\nb", 5, ""),
        ("a + # the sum\n\n# of\n b # two", 5, ""),
        ("a\n\n# and\n\n* b", 6, ""),
        ("k =\n a", 2, "k"),
        ("k\n= a", 2, "k"),
        ("f(u) =\n u\n + 1; f(a)", 3, ""),
        ("k = a\n+ b", 5, "k"),
        ("a;\n+b", 3, ""),
        ("a\n;+b", 3, ""),
        ("a;\n\n-b", -3, ""),
        ("\n-b\n", -3, ""),
        ("a\nb", 3, ""),
        ("a\nnot\n0", 1, ""),
        ("a\n<\nb\nand\n1", 1, ""),
        ("a\n% b", 2, ""),
        ("a\n^b", 8, ""),
        ("max(a\n+ b, 1)\n- 1", 4, ""),
        ("(a +\n b)", 5, ""),
        ("max(a,\n\n  b # the larger\n)", 3, ""),
        ("x = 1; y = x + 1; x + y", 3, ""),
        ("f(u) = u^2; f(3)", 9, ""),
        ("f(u, v) = u^2 + v; f(3, 4)", 13, ""),
        ("f() = 42; f()", 42, ""),
        ("f(u) = u + a; f(1)", 3, ""),
        ("f(u) = u + k; k = 10; f(1)", 11, ""),
        ("k = 10; f(u) = u + k; f(1)", 11, ""),
        ("f(u) = u + 1; g(u) = f(u)*2; g(3)", 8, ""),
        ("f(u) = u*2; g(u) = f(f(u)); g(g(1))", 16, ""),
        ("f(x) = x + 1; x = 5; f(1) + x", 7, ""),
        ("f(a) = a*b; f(10)", 30, ""),
        ("f(pi) = pi; f(3)", 3, ""),
        ("sin(x) = x; sin(3)", 3, ""),
        ("sin(x) = x; f(x) = sin(x) + cos(0); f(3)", 4, ""),
        ("f(x) = x;f(\n1\n)", 1, ""),
        ("f (u) = u; f (2)", 2, ""),
        ("y = floor(2)*0 + 1; y", 1, ""),
        ("d = if(a > b, a, b)", 3, "d"),
        ("e = 2; 3*e^2", 12, ""),
        ("f(u) = u == 3; f(3)", 1, ""),
        ("x == 7", 1, ""),
        ("abs(x) == 1; 5", 5, ""),
    ],
)
def test_programs(text, number, title):
    tape = parse(text)
    assert replay(tape, X)[tape.output] == number
    assert tape.title == title


def test_derivative_inside_an_expression():
    assert value("diff(x^3, x)") == 3 * 7**2
    assert value("diff(x^3, x, 2)") == 6 * 7


def test_lexical_scope():
    assert value("f(u) = u + t; g(t) = f(0); g(100)", t=1.0) == 1.0
    assert value("f(u) = u + t; t = 5; g(t) = f(0) + t; g(100)") == 105.0
    assert list(parse("f(u) = u*w; f(a) + f(b)").inputs) == ["a", "w", "b"]


def test_a_function_sees_the_functions_before_it():
    assert refused("g(x) = f(x); f(x) = x; g(1)").message == "no function f with 1 argument"


def test_a_variable_is_one_line_and_an_operation_is_as_many_as_were_typed():
    tape = parse("a*b + a*b")
    assert [line.name for line in tape.lines if line.op is None] == ["a", "b"]
    assert [line.op.name for line in tape.lines if line.op] == ["*", "*", "+"]
    assert list(parse("b + a + b").inputs) == ["b", "a"]


def test_assigned_names_are_names_of_lines():
    tape = parse("c = a+b; d = c; c*d")
    assert [tape.lines[index].name for index in tape.names.values()] == ["c", "c"]
    assert list(tape.names) == ["c", "d"]


def test_calls_are_written_out_under_their_own_text():
    text = "f(u) = u^2 + 1; f(a) * f(b+1)"
    tape = parse(text)
    assert [line.call for line in tape.lines if line.op and line.op.name == "^"] == ["f(a)", "f(b+1)"]
    sums = [index for index, line in enumerate(tape.lines) if line.op and line.op.name == "+"]
    assert [tape.text(index) for index in sums] == ["f(a)", "b+1", "f(b+1)"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("c = a; b", ["c"]),
        ("c = a; c", []),
        ("c = a", []),
        ("a + 1; b", ["a + 1"]),
        ("f(x) = x; 1", ["f()"]),
        ("f(x) = x; f(1)", []),
        ("f(x) = x; g(x) = f(x); 1", ["g()"]),
        ("f(x) = c + x; c = 1; f(2)", []),
        ("c = 1; d = c; 2", ["d"]),
    ],
)
def test_unused(text, names):
    assert [name for name, _ in parse(text).unused] == names


def test_the_parser_is_safe_between_threads():
    found = {}

    def work(number):
        found[number] = [value(f"x{'+1' * k} + 0*{number}", x=1.0) for k in range(40)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [k + 1.0 for k in range(40)] for n in range(6)}


def test_an_error_leaves_nothing_behind():
    refused("f(x) = x; a = 1; (")
    assert parse("x") == Tape(parse("x").lines, 0, "", parse("x").source, {}, ())
    assert refused("f(1)").message == "no function f with 1 argument"


# -------------------------------------------------------------------------------------------------- mistakes


MISTAKES = [  # text, column of the caret, part of the message, part of the hint
    ("", 1, "there is no expression", "write one"),
    ("   ", 4, "there is no expression", "write one"),
    ("# only a comment", 17, "there is no expression", ""),
    ("f(x) = x", 9, "defines a function: there is nothing to compute", ""),
    ("1+", 3, "ends too early: expected a number, a name or '('", ""),
    ("a-  ", 3, "ends too early", ""),
    ("x =", 4, "ends too early", ""),
    ("a and", 6, "ends too early", ""),
    ("(x", 3, "expected an operator or ')'", "the '(' in column 1 is never closed"),
    ("(a+(b*c)", 9, "ends too early", "the '(' in column 1 is never closed"),
    ("sin(x", 6, "an operator, ')' or ','", "the '(' in column 4 is never closed"),
    ("x)", 2, "unexpected ')'", "there is no '(' that it closes"),
    ("x\n)", 3, "unexpected ')'", "there is no '(' that it closes"),
    ("()", 2, "unexpected ')': expected a number, a name or '('", ""),
    ("1e", 2, "the exponent of 1e has no digits", "write 1*e"),
    ("1e+", 2, "the exponent of 1e has no digits", "write 1*e"),
    ("2E*3", 2, "the exponent of 2E has no digits", "write 2*E"),
    ("1.2.3", 4, "unexpected '.3'", ""),
    ("1..2", 3, "unexpected '.2'", ""),
    ("1_000", 2, "a number has no _", "write 1000"),
    ("1,5*x", 2, "unexpected ','", "the decimal mark is a point: 1.5"),
    ("a, b", 2, "unexpected ','", ""),
    ("1 < x < 2", 7, "unexpected '<'", "1 < x and x < 2"),
    ("a == b != c", 8, "unexpected '!='", "with and"),
    ("1/2x", 4, "unexpected 'x'", "1/(2*x) or 1/2*x"),
    ("1%2x", 4, "unexpected 'x'", "1%(2*x) or 1%2*x"),
    ("2^3x", 4, "unexpected 'x'", "2^(3*x) or 2^3*x"),
    ("2**3x", 5, "unexpected 'x'", "2**(3*x) or 2**3*x"),
    ("1/2(x)", 4, "unexpected '('", "1/(2*(x)) or 1/2*(x)"),
    ("(a)(b)", 4, "unexpected '('", "(a)*(b)"),
    ("x(1+x)", 1, "no function x with 1 argument", "x*(1+x)"),
    ("1 2", 3, "unexpected '2'", "1*2"),
    ("x y", 3, "unexpected 'y'", "x*y"),
    ("sin x", 5, "unexpected 'x'", "sin(x)"),
    ("x²^3", 3, "unexpected '^'", "both powers with ^"),
    ("[x]", 1, "U+005B", "only ( ) group"),
    ("{x}", 1, "U+007B", "only ( ) group"),
    ("n!", 2, "U+0021", "gamma(n+1)"),
    ("a & b", 3, "U+0026", "and"),
    ("|x|", 1, "U+007C", "abs(x)"),
    ("a:=1", 2, "U+003A", "="),
    ("'a'", 1, "U+0027", "no strings"),
    ('"a"', 1, "U+0022", "no strings"),
    ("f’(x)", 2, "U+2019", "prime"),
    ("x\u00a0+1", 2, "U+00A0", "plain space"),
    ("x$", 2, "U+0024", "no $"),
    ("a.b", 2, "U+002E", "inside a number"),
    ("x?1:2", 2, "U+003F", "if(x, 1, 2)"),
    ("x½", 2, "'½' (U+00BD)", ""),
    ("xⅧ", 2, "U+2167", ""),
    ("１２", 1, "U+FF11", ""),
    ("x⁻", 2, "U+207B", ""),
    ("x\x07", 2, "the character (U+0007)", ""),
    ("\x1b[31mx", 1, "the character (U+001B)", ""),
    ("x\x00", 2, "U+0000", ""),
    ("\udcff", 1, "the byte 0xFF is not UTF-8", ""),
    ("a=1;a=2;a", 5, "a is assigned twice", "choose another"),
    ("a+1; a=2; a", 6, "a is used before it is assigned", ""),
    ("x = y = 2", 7, "unexpected '='", "=="),
    ("a+b = 3", 5, "unexpected '='", "=="),
    ("= 3", 1, "unexpected '='", ""),
    ("a // b", 4, "unexpected '/'", "floor(a/b)"),
    ("*a", 1, "unexpected '*'", ""),
    ("a*/b", 3, "unexpected '/'", ""),
    ("and", 1, "unexpected 'and'", ""),
    ("not = 1", 5, "unexpected '='", ""),
    ("1e400", 1, "too large for binary64", "1.8e308"),
    ("2*" + "9" * 400, 3, "too large for binary64", ""),
    ("x^" + "9" * 400, 3, "too large", ""),
    ("max(1,,2)", 7, "unexpected ','", ""),
    ("max(1,)", 7, "unexpected ')'", ""),
    ("f(2) = 3", 3, "unexpected '2'", ""),
    ("f(x)=f(x);f(1)", 6, "the function f cannot use itself", ""),
    ("f(x)=x;f(x)=x;1", 8, "the function f is defined twice", ""),
    ("f(x,x)=x;1", 1, "the parameter x occurs twice", ""),
    ("f(x)=x;f(1,2)", 8, "f takes 1 argument, not 2", ""),
    ("f()=1;f(1)", 7, "f takes 0 arguments, not 1", ""),
    ("1 + snh(x)", 5, "no function snh with 1 argument", "did you mean sinh"),
    ("Sin(x)", 1, "no function Sin", "did you mean sin?"),
    ("area(r)=r^2; aera(2)", 14, "no function aera", "did you mean area?"),
    ("sin()", 1, "no function sin with 0 arguments", "sin(x)"),
    ("sin(1,2)", 1, "no function sin with 2 arguments", "sin(x)"),
    ("max()", 1, "no function max", "at least one argument"),
    ("if(1,2)", 1, "no function if", "if(c, a, b)"),
    ("pow(1)", 1, "no function pow", ""),
    ("a b\n+", 3, "unexpected 'b'", ""),
    ("__import__('os')", 12, "U+0027", "no strings"),
    ("strong(1, 2)", 1, "no function strong", ""),
]


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"), MISTAKES, ids=[repr(text[:20]) for text, *_ in MISTAKES]
)
def test_mistakes(text, column, message, hint):
    error = refused(text)
    assert message in error.message
    assert hint in error.hint
    assert error.span[0] + 1 == column
    assert error.source.text == text
    assert str(error).replace("\n", "").isprintable()
    assert all(map(is_read, getattr(error.hint, "proposals", ())))
    if "write" in error.hint or "written" in error.hint:
        assert error.hint.proposals


def test_bound_names_are_not_assigned():
    error = refused("c = 1; c + x", ["c", "x"])
    assert error.span == (0, 1) and "bound" in error.message


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "a = 1\nb = 2 $ a\nb",
            ["the character '$' (U+0024) is not part of the language (line 2)", "  b = 2 $ a", "        ^"],
        ),
        ("(a", ["the text ends too early: expected an operator or ')'", "  (a", "    ^"]),
        ("日本 + $", ["the character '$' (U+0024) is not part of the language", "  日本 + $", "         ^"]),
        ("e\u0301 + $", ["the character '$' (U+0024) is not part of the language", "  e\u0301 + $", "      ^"]),
        ("1 + snh(x)", ["no function snh with 1 argument", "  1 + snh(x)", "      ^^^"]),
        ("x\x1b$", ["the character (U+001B) is not part of the language", "  x\\x1b$", "   ^^^^"]),
    ],
)
def test_errors_are_shown_with_a_caret(text, shown):
    assert str(refused(text)).split("\n")[:3] == shown


def test_a_long_line_is_cut_around_the_place():
    lines = str(refused("x+" * 500 + "$" + "+x" * 500)).split("\n")
    assert all(len(line) <= 82 for line in lines)
    assert lines[1][lines[2].index("^")] == "$"


@given(st.text(alphabet="ax1.e+-*/^%<>=!(),;\n #²⁻−π√é½$\x07 sin", max_size=12))
def test_any_text_parses_or_is_a_parse_error(text):
    try:
        tape = parse(text)
    except ParseError as error:
        start, end = error.span
        assert 0 <= start <= end <= len(text)
        assert str(error)
    else:
        assert 0 <= tape.output < len(tape.lines)


@given(st.text(max_size=20))
def test_any_unicode_parses_or_is_a_parse_error(text):
    try:
        parse(text)
    except GradcliError as error:
        assert str(error).replace("\n", "").isprintable()


# ------------------------------------------------------------------------------------------- depth and size


def sines(count, x):
    for _ in range(count):
        x = math.sin(x)
    return x


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("(" * 100_000 + "x" + ")" * 100_000, 7.0),
        ("sin(" * 20_000 + "x" + ")" * 20_000, sines(20_000, 7.0)),
        ("x" + "^1" * 20_000, 7.0),
        ("-" * 10_001 + "x", -7.0),
        ("not " * 10_000 + "x", 1.0),
        ("x" + "+1" * 50_000, 50_007.0),
        ("2^" + "-" * 10_000 + "1", 2.0),
        ("max(" * 5_000 + "x" + ",1)" * 5_000, 7.0),
        ("x" + "\n" * 50_000, 7.0),
        (";".join(f"c{i} = {f'c{i - 1}' if i else 'x'}" for i in range(5_000)), 7.0),
    ],
    ids=["parentheses", "sines", "powers", "signs", "nots", "sums", "exponent", "calls", "lines", "statements"],
)
def test_no_depth_is_too_deep(text, number):
    assert value(text) == number


@pytest.mark.parametrize(
    "text", ["(" * 100_000, "x+" * 50_000, "sin(" * 20_000, "(" * 50_000 + "x" + ")" * 50_001], ids=lambda t: t[:4]
)
def test_deep_mistakes_are_mistakes(text):
    assert len(str(refused(text))) < 1000


def test_towers_answer_at_once():
    assert value("9^9^9^9") == math.inf
    assert gradient("x^9^9^9", x=0.5).value == 0.0
    assert gradient("9^9^9^9^x", x=9).value == math.inf


@pytest.mark.parametrize(
    "text", ["1" * 100_000, "1e" + "9" * 100_000, "x²" + "³" * 100_000, "9" * 5_000 + "x"], ids=lambda t: t[:4]
)
def test_numbers_without_end_are_errors(text):
    error = refused(text)
    assert "too large" in error.message and len(str(error)) < 1000


def test_a_hundred_thousand_decimals_are_a_number():
    assert value("0." + "3" * 100_000) == 1 / 3
    assert value("1e-" + "9" * 5_000) == 0.0


def test_a_program_that_doubles_at_every_step_is_refused(monkeypatch):
    monkeypatch.setattr("gradcli.language.writer.MAX_LINES", 10_000)
    steps = ";".join(f"f{i}(x) = f{i - 1}(x) + f{i - 1}(x)" for i in range(1, 40))
    assert "operations" in refused(f"f0(x) = x*x; {steps}; f39(2)").message


# ------------------------------------------------------------------------------------------------------ spans


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("(a+b)*(a*b)", ["a", "b", "a+b", "a*b", "(a+b)*(a*b)"]),
        ("-x^2", ["x", "2", "x^2", "-x^2"]),
        ("((a))+ -2", ["a", "-2", "((a))+ -2"]),
        ("2x", ["2", "x", "2x"]),
        ("x²", ["x", "²", "x²"]),
        ("1 + sin( x )", ["1", "x", "sin( x )", "1 + sin( x )"]),
        ("c = a ; c+c", ["a", "c+c"]),
        ("not a and +b", ["a", "not a", "b", "not a and +b"]),
    ],
)
def test_spans(text, texts):
    tape = parse(text)
    found = [tape.text(index) for index in range(len(tape.lines))]
    assert sorted(found) == sorted(texts)


@given(expressions)
def test_every_span_slices_to_a_text_with_the_same_meaning(text):
    tape = parse(text)
    numbers = replay(tape, X)
    for index, line in enumerate(tape.lines):
        inner = parse(
            tape.text(index).translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
            if line.op is None
            else tape.text(index)
        )
        assert repr(replay(inner, X)[inner.output]) == repr(numbers[index]), (text, tape.text(index))
