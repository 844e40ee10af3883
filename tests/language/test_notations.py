"""What people type who come from other programs, or from paper: accepted, or answered with what it is here.

No hint leads astray: what it proposes is tried, and it is in the language.
"""

import pytest
from helpers import fails, gives, is_read
from hypothesis import given
from hypothesis import strategies as st

from gradcli import gradient, parse
from gradcli.errors import GradcliError, ParseError
from gradcli.language.bindings import require

ANSWERED = [  # text, part of the message, what is proposed (nothing where the hint is words alone), part of the hint
    ("|x|", "U+007C", ["abs(x)"], ""),
    ("||3-5|-4|", "U+007C", ["abs(3-5)"], ""),
    ("2 + |x - 1|", "U+007C", ["abs(x - 1)"], ""),
    ("2|x|", "U+007C", ["2*abs(x)"], ""),
    ("a || b || c", "U+007C", ["a or b", "abs(x)"], ""),
    ("4!", "U+0021", ["factorial(4)", "gamma(4+1)"], ""),
    ("sin(x)!", "U+0021", ["factorial(sin(x))", "gamma(sin(x)+1)"], ""),
    ("(n+1)!", "U+0021", ["factorial(n+1)", "gamma(n+1+1)"], ""),
    ("!x", "U+0021", ["not x"], ""),
    ("sin^2(x)", "unexpected '('", ["sin(x)^2"], ""),
    ("2*cos**3 x", "unexpected 'x'", ["cos(x)^3"], ""),
    ("sin^-1(x)", "unexpected '('", ["asin(x)", "sin(x)^-1"], ""),
    ("sin⁻¹(x)", "the inverse function to some", ["asin(x)", "sin(x)^-1"], ""),
    ("2*cosh⁻¹(x+1)", "the inverse function to some", ["acosh(x+1)", "cosh(x+1)^-1"], ""),
    ("abs⁻¹(x)", "the inverse function to some", ["abs(x)^-1"], ""),
    ("sin² x", "unexpected 'x'", ["sin(x)²"], ""),
    ("sin x", "unexpected 'x'", ["sin(x)"], ""),
    ("ln x", "unexpected 'x'", ["ln(x)"], ""),
    ("sqrt 2x", "unexpected '2'", ["sqrt(2x)"], ""),
    ("2*ln cos(x)", "unexpected 'cos'", ["ln(cos(x))"], ""),
    ("4x-xln(x)", "no function xln", ["x*ln(x)"], ""),
    ("2ab(a+b)", "no function ab", ["a*b*(a+b)"], ""),
    ("f(x) = x^2; f'(3)", "U+0027", ["df(t) = diff(f(t), t); df(3)"], "prime"),
    ("f(x) = x^2; f''(x)", "U+0027", ["diff(f(x), x, 2)"], "prime"),
    ("sin'(x)", "U+0027", ["diff(sin(x), x)"], "prime"),
    ("y'", "U+0027", ["diff(y, x)"], "prime"),
    ("d/dx(x^2)", "no function dx", ["diff(x^2, x)"], ""),
    ("d/dx x^2", "unexpected 'x'", ["diff(x^2, x)"], ""),
    ("∂/∂x(x^2)", "U+2202", ["diff(x^2, x)"], ""),
    ("d^2/dx^2(x^3)", "unexpected '('", ["diff(x^3, x, 2)"], ""),
    ("\\dfrac{x}{2}", "U+005C", ["(x)/(2)"], "LaTeX"),
    ("\\sqrt{x}", "U+005C", ["sqrt(x)"], "LaTeX"),
    ("\\sqrt[3]{x}", "U+005C", ["cbrt(x)"], "LaTeX"),
    ("\\alpha + 1", "U+005C", [], "LaTeX: here it is alpha"),
    ("x^{2}", "U+007B", ["x^(2)"], ""),
    ("x^2 if x < 2 else 1.5", "unexpected 'if'", ["if(x < 2, x^2, 1.5)"], ""),
    ("y = x if x > 0 else -x; y", "unexpected 'if'", ["if(x > 0, x, -x)"], ""),
    ("1 + (x if x > 0 else -x)", "unexpected 'if'", ["if(x > 0, x, -x)"], ""),
    ("if x < 2 then 1 else 2", "unexpected 'x'", ["if(x < 2, 1, 2)"], ""),
    ("abs(y) < 0.25 ? (-1) : (1) + 1", "U+003F", ["if(abs(y) < 0.25, (-1), (1) + 1)"], ""),
    ("max(1, c ? a : b)", "U+003F", ["if(c, a, b)"], ""),
    ("if(a; b; c)", "unexpected ';'", ["if(a, b, c)"], "commas"),
    ("f(3) + 1; f(x) = x^2", "no function f", [], "defined after this"),
    ("2^-3x", "unexpected 'x'", ["2^(-3*x)", "2^-3*x"], "whichever is meant"),
    ("1/2x^2", "unexpected 'x'", ["1/(2*x)", "1/2*x"], "whichever is meant"),
    ("exp(-x^2/2σ^2)", "unexpected 'σ'", ["x^2/(2*σ)", "x^2/2*σ"], "whichever is meant"),
    ("√2x", "unexpected 'x'", ["√(2*x)", "√2*x"], "whichever is meant"),
    ("1_000", "no _", ["1000"], ""),
    ("0x1F + x", "looks hexadecimal", ["31", "0*x1F"], ""),
    ("0b101", "looks binary", ["5", "0*b101"], ""),
    ("90 + 10%", "% is a remainder", ["10/100", "mod(10, b)"], ""),
    ("200 + 10% - 5", "% is a remainder", ["10/100", "mod(10, -5)"], ""),
    ("50% - x", "% is a remainder", ["50/100", "mod(50, -x)"], ""),
    ("(5%)*x", "% is a remainder", ["5/100", "mod(5, b)"], ""),
    ("max(5%, 2)", "% is a remainder", ["5/100", "mod(5, b)"], ""),
    ("a % -b", "% is a remainder", ["a/100", "mod(a, -b)"], ""),
    ("a %", "% is a remainder", ["a/100", "mod(a, b)"], ""),
    ("a % * b", "% is a remainder", ["a/100", "mod(a, b)"], ""),
    ("a %\n; b", "% is a remainder", ["a/100", "mod(a, b)"], ""),
    ("sin(90°)", "U+00B0", ["rad(90)"], ""),
    ("x°", "U+00B0", ["rad(x)"], ""),
    ("½x", "U+00BD", ["(1/2)"], ""),
    ("１２ + x", "U+FF11", ["12"], "plain characters"),
    ("x＋1", "U+FF0B", [], "plain characters: +"),
    ("5.01±0.02", "U+00B1", [], "no uncertainty here"),
    ("1,500*x", "unexpected ','", ["1500", "1.500"], ""),
    ("1.000,5*x", "unexpected ','", ["1000.5"], ""),
    ("remainder(x, y)", "no function remainder", ["mod(x, y)"], ""),
    ("derivative(x^2, x)", "no function derivative", ["diff(x^2, x)"], ""),
    ("D(x)", "no function D", ["diff(x^2, x)"], ""),
    ("avg(1, 2)", "no function avg", ["mean(1, 2)"], ""),
    ("norm(x, y)", "no function norm", ["hypot(x, y)"], ""),
    ("logsumexp(x, y)", "no function logsumexp", ["logaddexp(x, y)"], ""),
    ("nCr(5, 2)", "no function nCr", ["factorial(n)/(factorial(k)*factorial(n - k))"], ""),
    ("piecewise(x > 1, 1, 2)", "no function piecewise", ["if(x > 1, 1, 2)"], ""),
    ("atan(y, x)", "no function atan with 2", ["atan2(y, x)"], ""),
    ("square(x)", "no function square", ["(x)^2"], ""),
    ("round(x^2, 12)", "no function round with 2", ["round(x*10^2)/10^2"], ""),
    ("log(8, 2, 1)", "no function log with 3", ["log(x)", "log(x, base)"], ""),
    ("a <> b", "unexpected '>'", ["a != b"], ""),
    ("a =< b", "unexpected '<'", ["a <= b"], ""),
    ("0 < x <= 2*y", "unexpected '<='", ["0 < x and x <= 2*y"], ""),
    ("x = 2\n+ x*3", "x is used before it is assigned", [], "end that one with ;"),
]


@pytest.mark.parametrize(("text", "message", "proposals", "hint"), ANSWERED, ids=[repr(row[0]) for row in ANSWERED])
def test_answered_with_what_it_is_here(text, message, proposals, hint):
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert list(getattr(caught.value.hint, "proposals", ())) == proposals
    assert all(proposal in caught.value.hint for proposal in proposals)


@pytest.mark.parametrize("text", [row[0] for row in ANSWERED], ids=repr)
def test_no_hint_leads_astray(text):
    with pytest.raises(ParseError) as caught:
        parse(text)
    functions = "f(x) = x^2; " if "f(x)" in text else ""
    assert all(is_read(proposal, functions) for proposal in getattr(caught.value.hint, "proposals", ()))
    if "write" in caught.value.hint or "written" in caught.value.hint:
        assert caught.value.hint.proposals


@given(
    st.lists(
        st.sampled_from(
            [
                *"axf012()+-*/%^|!?:;,='°±½²{}[]\\ ∂√&<>",
                "sin",
                " if ",
                " else ",
                "d/dx",
                "sin^2",
                "\\frac",
                "1.000,5",
                "0x1F",
            ]
        ),
        max_size=8,
    ).map("".join)
)
def test_no_hint_leads_astray_whatever_is_typed(text):
    try:
        parse(text)
    except ParseError as error:
        assert all(is_read(proposal) for proposal in getattr(error.hint, "proposals", ()))


@pytest.mark.parametrize(
    ("text", "given", "hint"),
    [
        ("2*PI*r", ["r"], "did you mean pi?"),
        ("E + r", ["r"], "did you mean e?"),
        ("Inf*r", ["r"], "did you mean inf?"),
        ("Infinity", [], "did you mean inf?"),
        ("k = 2; K*k", [], "did you mean k?"),
        ("speed = 2; spede*2", [], "did you mean speed?"),
        ("2xy", ["x", "y"], "for a product write x*y"),
        ("2xy", ["x"], "give it: xy=VALUE"),
        ("rpi", ["r"], "for a product write r*pi"),
        ("dy/dx", ["x"], "a derivative is written diff(y, x)"),
        ("sin -x", ["x"], "sin is a function: write sin(x)"),
    ],
)
def test_names_without_a_value(text, given, hint):
    with pytest.raises(GradcliError) as caught:
        require(parse(text, given), given)
    assert caught.value.hint == hint
    assert all(map(is_read, getattr(caught.value.hint, "proposals", ())))


@pytest.mark.parametrize(
    ("text", "point", "value", "partials"),
    [
        ("a*x^2\n+ b*x\n+ c", {"a": 1, "b": 2, "c": 3, "x": 4}, 27, {"x": 10, "a": 16, "b": 4, "c": 1}),
        ("1 +\n x", {"x": 3}, 4, {"x": 1}),
        ("x – 1", {"x": 3}, 2, {"x": 1}),
        ("x₁ + 2*x₂", {"x₁": 1, "x₂": 2}, 5, {"x₁": 1, "x₂": 2}),
        ("0x", {"x": 3}, 0, {"x": 0}),
        ("0x1F", {"x1F": 3}, 0, {"x1F": 0}),
        ("max(x,  # one\n    y,  # two\n    3)", {"x": 1, "y": 7}, 7, {"x": 0, "y": 1}),
        ("log(x, 10)", {"x": 1000}, 3, {}),
        ("log(x, 2)", {"x": 2**40}, 40, {}),
        ("log(8, b)", {"b": 2}, 3, {}),
        ("log(x, e)", {"x": 1}, 0, {"x": 1}),
        ("factorial(n)", {"n": 5}, 120, {}),
        ("sgn(x)", {"x": -3}, -1, {"x": 0}),
        ("clip(x, 0, 1)", {"x": 3}, 1, {"x": 0}),
        ("√x", {"x": 4}, 2, {"x": 0.25}),
        ("क्षेत्र*2", {"क्षेत्र": 3}, 6, {"क्षेत्र": 2}),
        ("ที่ + நீளம்", {"ที่": 1, "நீளம்": 2}, 3, {"ที่": 1, "நீளம்": 1}),
        ("diff(x^2*y, x, y)", {"x": 3, "y": 1}, 6, {"x": 2, "y": 0}),
    ],
)
def test_accepted(text, point, value, partials):
    found = gradient(text, point)
    assert found.value == value
    assert {name: found.partials[name] for name in partials} == partials


def test_what_a_definition_writes_has_its_texts():
    tape = parse("log²(x, y)")
    assert [tape.text(index) for index in range(len(tape.lines))] == [
        "x",
        "y",
        "log(x)",
        "log(y)",
        "log(x, y)",
        "²",
        "log²(x, y)",
    ]
    assert [line.op.name for line in parse("log(x, 10)").lines if line.op] == ["log10"]
    assert len(parse("log(x, 10)").lines) == 2


# --------------------------------------------------------------------------------------------- on the command line


@pytest.mark.parametrize("command", ["eval", "diff", "check", "plot", "graph", "minimize", "explain", "map", "fit"])
@pytest.mark.parametrize("first", ["x=3", "x = pi/4", "x=1,2,5", "x=0:10:0.5", "ที่=3"])
def test_a_value_is_no_expression(quick, command, first):
    fails(quick(command, first), 2, f"there is no expression; {first} looks like a value")


def test_assignments_are_expressions(quick, tmp_path):
    gives(quick("eval", "d = a*b", "a=2", "b=3", "--value"), "6\n")
    gives(quick("eval", "x=3; x^2", "--value"), "9\n")
    path = tmp_path / "one.expr"
    path.write_text("x = 3\n")
    gives(quick("eval", "-f", str(path), "--value"), "3\n")


UNUSED = "unused: k is never used\n  k = 3; x^2\n  ^\n"


@pytest.mark.parametrize(
    "args",
    [
        ["eval", "x=2"],
        ["eval", "x=1,2,5"],
        ["eval", "x=2", "--hessian"],
        ["diff"],
        ["diff", "x=2"],
        ["check", "x=2"],
        ["check", "x=2", "--expect", "x=4"],
        ["plot", "x=-1:1:#3"],
        ["graph"],
        ["graph", "x=2"],
        ["minimize", "x=2"],
        ["explain", "x=2", "--wrt", "x"],
        ["map", "ROWS"],
    ],
    ids=" ".join,
)
def test_every_command_says_what_is_thrown_away(quick, tmp_path, args):
    rows = tmp_path / "rows.csv"
    rows.write_text("x,y\n0,1\n1,-1\n2,-2.9\n")
    command, *more = [str(rows) if arg == "ROWS" else arg for arg in args]
    assert quick(command, "k = 3; x^2", *more).stderr.count(UNUSED) == 1


def test_fit_says_what_is_thrown_away(quick, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("x,y\n0,1\n1,-1\n2,-2.9\n")
    done = quick("fit", "k = 3; m = 2; n = 1; n*y ~ m*a*x + b", str(rows), "a=1", "b=1")
    assert done.stderr.count("is never used") == done.stderr.count("k is never used") == 1
    signed = quick("fit", "m = 2\ny ~ -m*a*x + b", str(rows), "a=1", "b=1")
    assert signed.code == 0 and "a\t0.975" in signed.stdout


def test_lines_go_on_in_map_too(quick, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("a,x\n1,4\n")
    gives(quick("map", "a*x^2\n+ x\n+ a", str(rows)), "a,x,value,d_a,d_x\n1,4,21,17,9\n")


def test_by_another_name(quick):
    gives(quick("diff", "u = x; x*u", "u", "x"), "u\tx\nx\t2*x\n")
    gives(quick("diff", "u = 1*x; x*u", "u"), "u\tx\n")
