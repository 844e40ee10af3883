"""gradcli check: arguments, formats, exit codes."""

import sys

import pytest
from helpers import fails, gives, strict

from gradcli.autodiff import ops
from gradcli.calculus import check as module
from gradcli.errors import GradcliError
from gradcli.language.parser import parse


def test_plain_and_exit_codes(quick):
    done = quick("check", "x^3", "x=2")
    assert done.code == 0 and done.stdout.startswith("x\tpass\t12\t12\t12") and done.stdout.count("\t") == 5
    assert quick("check", "abs(x)", "x=0").code == 0
    assert quick("check", "abs(x)", "x=0").stdout.startswith("x\tkink\t")


def test_it_tells_of_the_values(quick):
    code, _, err = quick("check", "x^2", "x=9007199254740993", "y=2", "--format", "plain")
    assert code == 0 and "rounded: binary64 cannot hold 9007199254740993" in err
    assert "unused: y does not occur" in err


def test_a_failure_has_exit_code_1(quick, monkeypatch):
    monkeypatch.setattr(ops.FUNCTIONS["sin"], "partials", (lambda x, y: -ops.FUNCTIONS["cos"](x),))
    done = quick("check", "sin(x)", "x=1")
    assert (done.code, done.stdout.split("\t")[1]) == (1, "fail")
    assert strict(quick("check", "sin(x)", "x=1", "--json").stdout)["status"] == "fail"


def test_json(run):
    done = run("check", "x^2*y", "x=3", "y=2", "--json")
    record = strict(done.stdout)
    assert (done.code, record["version"], record["status"]) == (0, 1, "pass")
    assert record["methods"]["reverse"] == record["methods"]["forward"] == {"x": 12.0, "y": 9.0}
    assert set(record["methods"]) == {"reverse", "forward", "differences", "differences_error", "precise"}
    assert record["variables"] == {"x": {"status": "pass", "digits": 16}, "y": {"status": "pass", "digits": 16}}


def test_expectations(quick):
    args = ("check", "(a+b)*(a*b)", "a=3", "b=4", "--expect", "a=b*(2*a+b)")
    gives(quick(*args), "a\tright\t40\t40\n")
    done = quick(*args, "--expect", "b=32")
    assert done == (1, "a\tright\t40\t40\nb\twrong\t32\t33\n", "")
    assert strict(quick(*args, "--expect", "b=32", "--json").stdout)["expected"]["b"] == {
        "right": False, "yours": 32.0, "ours": 33.0, "at": {"a": 3.0, "b": 4.0},
    }  # fmt: skip


def test_the_point_is_said_where_it_is_another(quick):
    done = quick("check", "x^2*y", "x=1", "y=2", "--expect", "x=2y+y*(x-1)")
    name, status, theirs, ours, *point = done.stdout.rstrip("\n").split("\t")
    assert (done.code, name, status) == (1, "x", "wrong")
    there = {key: float(number) for key, _, number in (field.partition("=") for field in point)}
    assert set(there) == {"x", "y"} and there != {"x": 1.0, "y": 2.0}
    assert float(ours) == pytest.approx(2 * there["x"] * there["y"])
    assert float(theirs) == pytest.approx(2 * there["y"] + there["y"] * (there["x"] - 1))


@pytest.mark.parametrize(
    ("expected", "parts"),
    [
        ("q=1", ["q is not a variable", "  q=1\n  ^\n"]),
        ("a=b*(2*", ["ends too early", "  b*(2*\n       ^\n"]),
        ("a=b*(2*a+c)", ["no value for c", "  b*(2*a+c)\n         ^\n"]),
        ("a=snh(b)", ["no function snh", "  snh(b)\n  ^^^\n", "did you mean sinh"]),
        ("a", ["NAME=FORMULA", "  a\n  ^\n"]),
        ("2a=1", ["this is not a name", "  2a\n  ^^\n"]),
        ("a=", ["there is no expression"]),
        ("", ["NAME=FORMULA"]),
    ],
)
def test_bad_expectations(quick, expected, parts):
    fails(quick("check", "(a+b)*(a*b)", "a=3", "b=4", "--expect", expected), 2, *parts)


@pytest.mark.parametrize(
    ("args", "code", "part"),
    [
        (["x*y", "x=1"], 2, "no value for y"),
        (["x", "x=inf"], 2, "finite"),
        (["x", "x=1", "--wrt", "q"], 2, "q is not a variable"),
        (["log(x)", "x=-1"], 1, "log of -1"),
        ([], 2, "there is no expression"),
    ],
)
def test_bad_input(quick, args, code, part):
    fails(quick("check", *args), code, part)


def test_without_mpmath(quick, monkeypatch):
    from gradcli.calculus import precise
    from gradcli.render import check as view

    for one in (module, precise, view):
        monkeypatch.setattr(one, "available", lambda: False)
    assert quick("check", "x^3", "x=2").stdout.count("\t") == 4
    assert "precise" not in strict(quick("check", "x^3", "x=2", "--json").stdout)["methods"]
    assert "pip install 'gradcli[check]'" in quick("check", "x^3", "x=2", "--format", "pretty").stdout
    monkeypatch.setitem(sys.modules, "mpmath", None)
    with pytest.raises(GradcliError, match="mpmath"):
        precise.derivative(parse("x"), {"x": 1.0}, "x")


def test_pretty(quick):
    done = quick("check", "x^2", "x=3", "--format", "pretty")
    assert done.code == 0 and done.stdout.endswith("\n\npass: all methods agree\n")
