"""gradcli minimize: arguments, formats, exit codes."""

import pytest
from helpers import fails, gives, strict

from gradcli.errors import GradcliError

ROSENBROCK = "(1-x)^2 + 100(y-x^2)^2"


def test_plain(run):
    done = run("minimize", "(x-1)^2 + (y+2)^2", "x=0", "y=0")
    assert (done.code, done.stdout) == (0, "=\t0\t1\nx\t1\t0\ny\t-2\t0\n")
    assert done.stderr.startswith("minimum: ") and done.stderr.count("\n") == 1


def test_the_output_has_its_name_and_a_file_is_written(quick, tmp_path):
    done = quick("minimize", "cost = (x-1)^2", "x=0", "-o", str(tmp_path / "out.tsv"))
    assert (done.code, done.stdout) == (0, "")
    assert (tmp_path / "out.tsv").read_text() == "cost\t0\t1\nx\t1\t0\n"


def test_json(quick):
    done = quick("minimize", "(x-3)^2", "x=0", "--bound", "x<=2", "--json", "--trace")
    found = strict(done.stdout)
    assert done.code == 0 and found["version"] == 1
    assert found["point"] == {"x": 2.0} and found["gradient"] == {"x": -2.0} and found["bounds"] == {"x": 2.0}
    assert (found["verdict"], found["converged"], found["eigenvalues"]) == ("minimum", True, [])
    assert found["trace"][0] == {"step": 0, "value": 9.0, "point": {"x": 0.0}, "gradient": 6.0}
    assert found["trace"][-1]["step"] == found["steps"] and "x ends on its bound 2" in done.stderr


def test_trace(quick):
    done = quick("minimize", "x^2 + y^2", "x=3", "y=4", "--method", "gd", "--rate", "0.5", "--trace")
    gives(done._replace(stderr=""), "step\tvalue\tx\ty\tgradient\n0\t25\t3\t4\t10\n1\t0\t0\t0\t0\n")


def test_pretty(quick):
    done = quick("minimize", "(x-1)^2", "x=0", "--format", "pretty", "--trace")
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["step", "value", "x", "gradient"],
        ["0", "1", "0", "2"],
        ["1", "0", "1", "0"],
        [],
        ["value", "gradient"],
        ["x", "1", "0"],
        ["value", "0"],
    ]


def test_a_long_descent_is_cut_for_people_alone(quick):
    args = ("minimize", "x^2", "x=1", "--method", "gd", "--trace")
    plain, pretty = quick(*args), quick(*args, "--format", "pretty")
    assert len(plain.stdout.splitlines()) > 300 and len(pretty.stdout.splitlines()) < 60 and "⋮" in pretty.stdout


def test_exit_codes(quick):
    saddle = quick("minimize", "x^2 - y^2", "x=1", "y=0")
    assert saddle.code == 1 and saddle.stdout.startswith("=\t0\t1\n") and saddle.stderr.startswith("saddle: ")
    assert "hint: the value falls" in saddle.stderr
    short = quick("minimize", ROSENBROCK, "x=-1.2", "y=1", "--steps", "2")
    assert short.code == 1 and short.stderr.startswith("not converged: 2 steps were not enough")
    wild = quick("minimize", ROSENBROCK, "x=-1.2", "y=1", "--method", "gd")
    assert wild.code == 1 and "try a --rate smaller than 0.01" in wild.stderr


def test_hints_name_what_was_given(quick):
    wild = quick("minimize", "x^4 + y^2", "x=3", "y=1", "--method", "gd", "--rate", "100")
    assert wild.code == 1 and "hint: try a --rate smaller than 100" in wild.stderr
    endless = quick("minimize", "-x^2", "x=1", "--method", "gd")
    assert "the value falls without end" in endless.stderr and "--rate" not in endless.stderr
    stuck = quick("minimize", "exp(x) - x", "x=700", "--method", "lbfgs")
    assert stuck.code == 1 and "hint: try --method newton" in stuck.stderr


def test_diagnostics_of_the_minimum(quick):
    done = quick("minimize", "abs(x)", "x=3", "y=1", "--json")
    assert [one["kind"] for one in strict(done.stdout)["diagnostics"]] == ["kink", "unused"]
    assert "kink: abs of 0" in done.stderr and "y does not occur" in done.stderr


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("log(x)", "x=-1"), 1, "log of -1 is not a number"),
        (("x + y", "x=1"), 2, "no value for y"),
        (("2",), 2, "nothing to vary"),
        ((), 2, "there is no expression"),
        (("x^2", "x=1", "--bound", "y>=0"), 2, "there is no y to bound"),
        (("x^2", "x=1", "--rate", "0.1"), 2, "--rate is that of"),
        (("x^2", "x=1", "--method", "magic"), 2, "magic"),
        (("x^2", "x=1", "--tol", "2"), 2, "tol"),
        (("x^2 +", "x=1"), 2, "ends too early"),
    ],
)
def test_errors(quick, args, code, says):
    fails(quick("minimize", *args), code, says)


def test_the_extra_is_named_where_it_is_missing(quick, monkeypatch):
    import gradcli.extras

    monkeypatch.setattr(gradcli.extras, "find_spec", lambda module: None)
    fails(quick("minimize", "x^2", "x=1"), 1, "numpy and scipy missing", "pip install 'gradcli[fit]'")
    with pytest.raises(GradcliError):
        gradcli.fit("y ~ a*x", {"x": [1], "y": [1]}, {"a": 1})
