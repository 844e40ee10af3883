"""gradcli diff as a user meets it."""

import json

import pytest
from helpers import ESCAPE, fails, gives, strict

from gradcli import parse
from gradcli.autodiff.tape import replay

SINES = "*".join(f"sin({k}*x)" for k in range(1, 31))
DOUBLED = "; ".join(["t0 = sin(x)", *[f"t{k} = t{k - 1} + t{k - 1}" for k in range(1, 31)]])


def value(text, **point):
    tape = parse(text, point)
    return replay(tape, {name: point[name] for name in tape.inputs})[tape.output]


# ------------------------------------------------------------------------------------------------ plain


@pytest.mark.parametrize(
    ("args", "stdout"),
    [
        (["x^2*sin(x)"], "x\t2*x*sin(x) + x^2*cos(x)\n"),
        (["(a+b)*(a*b)", "a=3", "b=4"], "a\ta*b + b*(a + b)\t40\nb\ta*b + a*(a + b)\t33\n"),
        (["(a+b)*(a*b)", "a=3"], "a\ta*b + b*(a + b)\nb\ta*b + a*(a + b)\n"),
        (["(a+b)*(a*b)", "b"], "b\ta*b + a*(a + b)\n"),
        (["a*b", "b", "a", "b"], "b\ta\na\tb\n"),
        (["x^3*y^2", "x", "y", "--mixed"], "x,y\t6*x^2*y\n"),
        (["x^3*y^2", "x", "x", "--mixed"], "x,x\t6*x*y^2\n"),
        (["x^3*y^2", "--mixed"], "x,y\t6*x^2*y\n"),
        (["x^3*y^2", "--order", "2"], "x\t6*x*y^2\ny\t2*x^3\n"),
        (["x^3*y^2", "x", "--order", "3", "y=2", "x=5"], "x\t6*y^2\t24\n"),
        (["-x^2"], "x\t-2*x\n"),
        (["x^2", "x=-1e-3"], "x\t2*x\t-0.002\n"),
        (["2*3"], ""),
        (["c = a*b; d = c^2", "c"], "c\t2*a*b\n"),
        (["c = a*b; d = c^2", "a", "c"], "a\t2*a*b*b\nc\t2*a*b\n"),
        (["f(u) = u^2; f(f(x))"], "x\t4*x^3\n"),
        (["e^2", "e"], "e\t2*e\n"),
        (["e^x", "x"], "x\te^x\n"),
        (["e^x", "e=2"], "e\tx*e^(x - 1)\nx\te^x*log(e)\n"),
        (["θ²"], "θ\t2*θ\n"),
        (["x * y", "x", "--let"], "x\ty\n"),
    ],
)
def test_plain(quick, args, stdout):
    gives(quick("diff", *args), stdout)


def test_the_real_command(run, tmp_path):
    gives(run("diff", "x^2*y"), "x\t2*x*y\ny\tx^2\n")
    gives(run("diff", "-", "x", stdin="x^2\n"), "x\t2*x\n")
    (tmp_path / "formula.txt").write_text("x^2*y # a comment\n")
    gives(run("diff", "-f", str(tmp_path / "formula.txt"), "y"), "y\tx^2\n")
    gives(run("diff", "-x*(y)", "x", "y"), "x\t-y\ny\t-x\n")


# ------------------------------------------------------------------------------------------- diagnostics


@pytest.mark.parametrize(
    ("args", "stdout", "kinds"),
    [
        (["abs(x)", "x=0"], "x\tsign(x)\t0\n", ["kink"]),
        (["abs(x)", "x=1"], "x\tsign(x)\t1\n", []),
        (["log(x)", "x=0"], "x\t1/x\tinf\n", ["pole", "pole"]),
        (["1/x", "x=0"], "x\t-1/x^2\t-inf\n", ["pole", "pole"]),
        (["x^y", "x=-1", "y=2"], "x\ty*x^(y - 1)\t-2\ny\tx^y*log(x)\tnan\n", ["undefined"]),
        (["floor(x)", "x=2"], "x\t0\t0\n", ["jump"]),
        (["exp(x)", "x=800"], "x\texp(x)\tinf\n", ["overflow", "overflow"]),
        (["exp(x)", "x=-800"], "x\texp(x)\t0\n", ["underflow"]),
        (["u = 2*x; x^2", "x=3"], "x\t2*x\t6\n", ["unused"]),
        (["x^2", "x=9007199254740993"], "x\t2*x\t1.8014398509481984e+16\n", ["rounded"]),
        (["x^2", "x=1", "y", "y=2"], "y\t0\t0\n", ["unused"]),
        (["c = x - 1; abs(c)", "c", "x=1"], "c\tsign(x - 1)\t0\n", ["kink"]),
    ],
)
def test_what_eval_says_of_the_point(quick, args, stdout, kinds):
    done = quick("diff", *args)
    assert (done.code, done.stdout) == (0, stdout)
    assert [line.partition(":")[0] for line in done.stderr.splitlines() if not line.startswith(" ")] == kinds
    found = strict(quick("diff", *args, "--json").stdout)["diagnostics"]
    assert [one["kind"] for one in found] == kinds
    given = [args[0], *[arg for arg in args[1:] if "=" in arg]]
    assert found == strict(quick("eval", *given, "--json").stdout)["diagnostics"]
    assert done.stderr == quick("eval", *given).stderr


def test_nothing_is_said_of_a_point_that_is_not_whole(quick):
    gives(quick("diff", "abs(x)*y", "x=0"), "x\ty*sign(x)\ny\tabs(x)\n")
    gives(quick("diff", "log(x) + y", "x"), "x\t1/x\n")
    done = quick("diff", "x*y", "x=9007199254740993")  # but of the values given
    assert done.stdout == "x\ty\ny\tx\n" and done.stderr.startswith("rounded: binary64 cannot hold 9007199254740993")


@pytest.mark.parametrize("args", [["log(x)", "x=-1"], ["0*sqrt(x)", "x=-4", "x"], ["x/y", "x=0", "y=0"]])
@pytest.mark.parametrize("form", ["plain", "json", "latex", "pretty"])
def test_where_there_is_no_value_there_is_no_derivative(quick, args, form):
    done = quick("diff", *args, "--format", form)
    given = [arg for arg in args if arg != "x"]
    assert (done.code, done.stdout) == (1, "") and "is not a number" in done.stderr
    assert done.stderr == quick("eval", *given).stderr


def test_a_higher_derivative_that_is_not_a_number(quick):
    done = quick("diff", "atan2(y, x)", "x", "y", "--mixed", "x=0", "y=0")
    assert done.code == 0 and done.stdout.endswith("\tnan\n")
    assert "undefined: d²/dx dy is not defined here\n  atan2(y, x)\n" in done.stderr
    found = strict(quick("diff", "sin(x)/x + y", "x", "--order", "2", "x=1e-200", "y=1", "--json").stdout)
    assert found["derivatives"]["x"]["value"] == "NaN"
    assert [(one["kind"], one["message"]) for one in found["diagnostics"]] == [
        ("undefined", "d²/dx² is not defined here")
    ]


# -------------------------------------------------------------------------------------------- json, latex


def test_json(quick):
    done = quick("diff", "x^2/y", "x=3", "y=2", "--json")
    assert (done.code, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    assert strict(done.stdout) == {
        "version": 1,
        "expression": "x^2/y",
        "derivatives": {
            "x": {"formula": "2*x/y", "latex": r"\frac{2 x}{y}", "value": 3.0},
            "y": {"formula": "-x^2/y/y", "latex": r"-\frac{x^{2}}{y^{2}}", "value": -2.25},
        },
        "diagnostics": [],
    }


def test_json_without_numbers_and_with_infinities(quick):
    assert strict(quick("diff", "x*y", "x=1", "--json").stdout)["derivatives"]["y"] == {
        "formula": "x",
        "latex": "x",
        "value": None,
    }
    assert strict(quick("diff", "1/x", "x=0", "--json").stdout)["derivatives"]["x"]["value"] == "-Infinity"
    assert strict(quick("diff", "x^y", "x=-1", "y=2", "--json").stdout)["derivatives"]["y"]["value"] == "NaN"


@pytest.mark.parametrize(
    ("args", "stdout"),
    [
        (["x^2*sin(x)"], r"\frac{\partial f}{\partial x} = 2 x \sin\left(x\right) + x^{2} \cos\left(x\right)"),
        (["y = x^2"], r"\frac{\partial y}{\partial x} = 2 x"),
        (["x^5*y", "x", "--order", "3"], r"\frac{\partial^{3} f}{\partial x^{3}} = 60 x^{2} y"),
        (["x^5*y", "x", "y", "--mixed"], r"\frac{\partial^{2} f}{\partial x \partial y} = 5 x^{4}"),
        (["alpha*x_1", "x_1"], r"\frac{\partial f}{\partial x_{1}} = \alpha"),
        (["x1*x_1", "x1"], r"\frac{\partial f}{\partial \mathrm{x1}} = x_{1}"),
        (["x^2/y", "x", "x=1", "y=3"], r"\frac{\partial f}{\partial x} = \frac{2 x}{y} \approx 0.666667"),
        (["x^2*y", "x", "x=1", "y=3"], r"\frac{\partial f}{\partial x} = 2 x y = 6"),
        (["x+(-y)", "y", "x=1", "y=3"], r"\frac{\partial f}{\partial y} = -1"),
    ],
)
def test_latex(quick, args, stdout):
    gives(quick("diff", *args, "--latex"), stdout + "\n")
    gives(quick("diff", *args, "--format", "latex"), stdout + "\n")


def test_a_tex_file(quick, tmp_path):
    gives(quick("diff", "x^2", "-o", str(tmp_path / "d.tex")), "")
    assert (tmp_path / "d.tex").read_text() == "\\frac{\\partial f}{\\partial x} = 2 x\n"
    gives(quick("diff", "x^2", "-o", str(tmp_path / "d.json")), "")
    assert strict((tmp_path / "d.json").read_text())["derivatives"]["x"]["formula"] == "2*x"


# ------------------------------------------------------------------------------------------------- pretty


def test_pretty(quick):
    done = quick("diff", "x^2*y", "x=2", "y=3", "--format", "pretty", env={"COLUMNS": "80"})
    gives(done, "d/dx = 2*x*y\n     = 12\nd/dy = x^2\n     = 4\n")
    assert quick("diff", "x^3*y", "x", "--order", "2", "--format", "pretty").stdout == "d²/dx² = 6*x*y\n"
    assert quick("diff", "x^3*y", "x", "y", "--mixed", "--format", "pretty").stdout == "d²/dx dy = 3*x^2\n"


def test_pretty_names_what_is_shared(quick):
    done = quick("diff", "exp(x*y)*sin(x*y)", "--let", "--format", "pretty", env={"COLUMNS": "80"})
    head, _, tail = done.stdout.partition("\n\n")
    assert head.splitlines()[0].replace(" ", "") in ("t1=x*y", "t1=exp(x*y)")
    assert tail.startswith("d/dx = ") and "t1" in tail
    assert ESCAPE not in done.stdout


def test_precision(quick):
    assert quick("diff", "x^3/7", "x=1", "--format", "pretty", "--precision", "3").stdout.endswith("= 0.429\n")


# ------------------------------------------------------------------------------------------------ --let


def test_a_product_of_thirty_sines(quick):
    done = quick("diff", SINES, "x")
    (name, text) = done.stdout.rstrip("\n").split("\t")
    assert name == "x" and "; " in text and len(text) < 3000
    assert value(text, x=0.01) == pytest.approx(value(f"diff({SINES}, x)", x=0.01), rel=1e-12)
    whole = quick("diff", SINES, "x", "--no-let").stdout.rstrip("\n").split("\t")[1]
    assert "; " not in whole and len(whole) > 3 * len(text)
    assert value(whole, x=0.01) == pytest.approx(value(text, x=0.01), rel=1e-12)


def test_doubling_thirty_times(quick):
    text = f"{DOUBLED}; t30*x"
    done = quick("diff", text, "x")
    formula = done.stdout.rstrip("\n").split("\t")[1]
    assert len(formula) < 2000
    assert value(formula, x=0.5) == pytest.approx(value(f"{text.rpartition(';')[0]}; diff(t30*x, x)", x=0.5), rel=1e-14)


def test_what_does_not_double_in_a_sum(quick):
    text = "; ".join(["t0 = sin(x)", *[f"t{k} = sin(t{k - 1})*t{k - 1}" for k in range(1, 31)]])
    done = quick("diff", text)
    formula = done.stdout.rstrip("\n").split("\t")[1]
    assert done.code == 0 and len(formula) < 20_000
    refused = quick("diff", text, "--no-let")
    fails(refused, 2, "more than 1000000 operations", "hint: leave out --no-let")


def test_names_that_are_taken(quick):
    """t1 and t2 are the user's; ours begin where they end."""
    formula = quick("diff", "t1*sin(t2)*exp(t1*sin(t2))", "t1", "--let").stdout.rstrip("\n").split("\t")[1]
    assert formula.startswith("t3 = ")
    point = {"t1": 0.3, "t2": 0.7}
    assert value(formula, **point) == pytest.approx(value("diff(t1*sin(t2)*exp(t1*sin(t2)), t1)", **point), rel=1e-14)


@pytest.mark.parametrize("mine", ["t_1", "t1"])
def test_names_that_look_alike_in_latex(quick, mine):
    text = f"{mine}*sin(x)*exp({mine}*sin(x))"
    found = strict(quick("diff", text, "x", "--let", "--json").stdout)["derivatives"]["x"]
    assert found["formula"].startswith("t2 = ") and found["latex"].startswith(r"\begin{aligned} t_{2} &= ")
    assert "t_{1} &=" not in found["latex"]
    assert value(found["formula"], x=0.3, **{mine: 0.7}) == pytest.approx(
        value(f"diff({text}, x)", x=0.3, **{mine: 0.7}), rel=1e-14
    )


def test_names_of_the_program_are_kept(quick):
    formula = quick("diff", "t1 = exp(x*y); t2 = sin(t1)*t1; t2*t2*t1", "x", "--let").stdout.rstrip("\n").split("\t")[1]
    assert "t1 = exp(x*y)" in formula
    point = {"x": 0.3, "y": 0.7}
    wanted = value("t1 = exp(x*y); t2 = sin(t1)*t1; diff(t2*t2*t1, x)", **point)
    assert value(formula, **point) == pytest.approx(wanted, rel=1e-14)


def test_definitions_in_json_and_latex(quick):
    found = strict(quick("diff", SINES, "--json").stdout)["derivatives"]["x"]
    assert found["formula"].startswith("t1 = ") and found["latex"].startswith(r"\begin{aligned} t_{1} &= ")
    assert found["latex"].count("{") == found["latex"].count("}")


def test_what_is_shared_is_written_once_in_latex(quick):
    lines = quick("diff", SINES, "--let", "--latex").stdout.splitlines()
    names = [line.partition(" = ")[0] for line in lines]
    assert len(names) == len(set(names)) and names[0] == "t_{1}"
    assert sum(name.startswith(r"\frac{\partial f}") for name in names) == len(names) - names.index(
        next(name for name in names if name.startswith(r"\frac"))
    )


# ---------------------------------------------------------------------------------------------- bad input


def test_a_variable_that_does_not_occur(quick):
    done = quick("diff", "x^2", "y")
    assert (done.code, done.stdout) == (0, "y\t0\n")
    assert done.stderr == "unused: y does not occur in the expression\n  y\n  ^\n"
    record = json.loads(quick("diff", "x^2", "y", "--json").stdout)
    assert [(one["kind"], one["text"]) for one in record["diagnostics"]] == [("unused", "y")]
    done = quick("diff", "x^2", "z=1")
    assert (done.code, done.stdout) == (0, "x\t2*x\n") and done.stderr.startswith("unused: z")


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["x", "--order", "0"], ["--order"]),
        (["x", "--order", "-1"], ["--order"]),
        (["x", "--order", "1.5"], ["--order"]),
        (["x", "--mixed", "--order", "2"], ["--mixed says the order by itself"]),
        (["x^2", "2x"], ["this is not a name", "  2x\n  ^^\n"]),
        (["x^2", "x,y"], ["this is not a name", "  x,y\n  ^^^\n"]),
        (["x^2", "x+1"], ["this is not a name"]),
        (["x^2", "sin(x)"], ["this is not a name"]),
        (["x^2", ""], ["this is not a name"]),
        (["x^2", "x\x1b[31m"], ["this is not a name"]),
        (["x^2", "and"], ["and"]),
        (["x^", "x"], ["ends too early", "    ^\n"]),
        (["x^2", "x="], ["x=\n"]),
        (["x^2", "x=1", "x=2"], ["x"]),
        ([""], ["there is no expression"]),
        ([], ["there is no expression"]),
        (["c = x; c", "c=2"], ["c is assigned here"]),
        (["x^2", "--format", "svg"], ["svg"]),
        (["x^2", "--nonsense"], ["--nonsense"]),
    ],
)
def test_bad_input(quick, args, parts):
    fails(quick("diff", *args), 2, *parts)


def test_unwritable_output(quick, tmp_path):
    fails(quick("diff", "x^2", "-o", str(tmp_path / "no" / "d.tex")), 1, "d.tex")
