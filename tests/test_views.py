"""What eval is asked for beyond value and gradient: --hessian, --order, --along, --out, and where they are refused."""

from test_cli import strict

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
