"""What eval is asked for beyond value and gradient: --hessian, --order, --along, --out, and where they are refused."""

import pytest
from helpers import fails, strict

# ------------------------------------------------------------------------------------------------ outputs

PROGRAM = "u=a*b; v=log(b-3); u"


def test_an_output_that_is_not_a_number_is_an_error(quick):
    message = "error: log of -1 is not a number\n  u=a*b; v=log(b-3); u\n           ^^^^^^^^\nhint: log is defined for x > 0\n"
    for view in ([], ["--json"], ["--format", "pretty"]):
        assert quick("eval", PROGRAM, "a=6", "b=2", "--out", "u,v", *view) == (1, "", message)
    done = quick("eval", PROGRAM, "a=6", "b=2", "--out", "u")  # nobody asked for v
    assert (done.code, done.stdout) == (0, "u\t12\nu\ta\t2\nu\tb\t6\n")


def test_an_output_that_was_asked_for_is_used(quick):
    assert quick("eval", PROGRAM, "a=6", "b=4", "--out", "v") == (0, "v\t0\nv\ta\t0\nv\tb\t1\n", "")
    assert "unused: v is never used" in quick("eval", PROGRAM, "a=6", "b=4", "--out", "u").stderr
    assert "unused: v is never used" in quick("eval", PROGRAM, "a=6", "b=4").stderr
    unused = "w = a; u = a*b; u"
    assert strict(quick("eval", unused, "a=6", "b=4", "--out", "w", "--json").stdout)["diagnostics"] == []


def test_findings_about_outputs(quick):
    done = quick("eval", "p = 1/b; u = abs(a); v = u + p; u", "a=0", "b=0", "--out", "v,u,p", "--json")
    found = [(one["kind"], one["text"]) for one in strict(done.stdout)["diagnostics"]]
    assert sorted(found) == [("kink", "abs(a)"), ("pole", "1/b"), ("pole", "1/b")]
    assert done.stderr.count("1/0 is inf: / has a pole there") == 1  # once for v and p together


# ------------------------------------------------------------------------------------------------ places


@pytest.mark.parametrize(
    ("options", "stderr"),
    [
        (["--along", "a=1, c=2"], "c is not a variable of the expression\n  a=1, c=2\n       ^\n"),
        (["--along", "a=1,u=2"], "u is assigned, not a variable\n  a=1,u=2\n      ^\n"),
        (["--along", "a=1, a=2"], "a is given twice\n  a=1, a=2\n       ^\n"),
        (["--along", "a=1,b"], "a direction is NAME=NUMBER\n  a=1,b\n      ^\nhint: as in --along x=1,y=-2\n"),
        (["--along", "a=1,b=y"], "y has no value here: a value is a number or a constant expression\n  b=y\n    ^\n"),
        (["--along", "a=1", "--along", "b=3"], "Invalid value for '--along': it is given twice: a=1 and b=3\n"),
        (["--out", "u, ww"], "ww is not assigned in the program\n  u, ww\n     ^^\n"),
        (["--out", "u,vv"], "vv is not assigned in the program\n  u,vv\n    ^^\n"),
        (["--wrt", "a,zz"], "zz is not a variable of the expression\n  a,zz\n    ^^\n"),
        (["--wrt", "aa"], "aa is not a variable of the expression\n  aa\n  ^^\n"),
        (["--grad", "zz"], "zz is not a variable of the expression\n  zz\n  ^^\n"),
        (["--out", ""], "Invalid value for '--out': give names with commas between them, as in --out u,v\n"),
        (["--wrt", "a,,b"], "Invalid value for '--wrt': give names with commas between them, as in --wrt a,b\n"),
        (["--grad", " "], "Invalid value for '--grad': give a name, as in --grad a\n"),
    ],
)
def test_mistakes_in_options_show_their_place(quick, options, stderr):
    assert quick("eval", "u=a*b; v=u; v", "a=6", "b=2", *options) == (2, "", f"error: {stderr}")


def test_a_place_and_a_hint(quick):
    done = quick("eval", "total = speed*b; total", "speed=6", "b=2", "--out", "toal")
    assert done.stderr.endswith("\n  toal\n  ^^^^\nhint: did you mean total?\n")
    done = quick("eval", "total = speed*b; total", "speed=6", "b=2", "--wrt", "b,sped")
    assert done.stderr.endswith("\n  b,sped\n    ^^^^\nhint: did you mean speed?\n")


@pytest.mark.parametrize("command", ["check", "explain", "eval"])
def test_every_command_shows_the_place_of_a_name(quick, command):
    fails(quick(command, "x*y", "x=1", "y=2", "--wrt", "x,q"), 2, "not a variable of the expression\n  x,q\n    ^\n")


def test_names_in_either_form_of_unicode(quick):
    for options in (["--grad", "e\u0301"], ["--grad", "\u00e9"]):
        assert quick("eval", "\u00e9^2", "\u00e9=3", *options) == (0, "6\n", "")


def test_a_direction_is_read_as_bindings_are(quick):
    done = quick("eval", "a*b", "a=6", "b=2", "--along", " a = max(1,2) ,b=-1/2", "--json")
    assert strict(done.stdout)["along"] == {"direction": {"a": 2.0, "b": -0.5}, "derivative": 1.0}
