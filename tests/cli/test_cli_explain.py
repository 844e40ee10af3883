"""gradcli explain as a user meets it: what it prints in each form, and what it says to bad input."""

import json
import re

import pytest
from helpers import ESCAPE, fails, gives, strict
from rich.cells import cell_len

WALK = ("(a+b)*(a*b)", "a=3", "b=4")
ORDER = ("c=a+b; d=a*b; e=c+d; f=c*d; y=e+f", "a=2", "b=3")
SIXTY = "t0 = x; " + "; ".join(f"t{i} = t{i - 1} + t{i - 1}" for i in range(1, 61))
BLACK_SCHOLES = (
    "d1 = (log(S/K) + (r + sigma^2/2)*T)/(sigma*sqrt(T)); d2 = d1 - sigma*sqrt(T)\n"
    "S*norm_cdf(d1) - K*exp(-r*T)*norm_cdf(d2)",
    *("S=100", "K=95", "r=0.05", "sigma=0.2", "T=1"),
)
PRETTY = ("--format", "pretty")


def test_plain(run):
    gives(
        run("explain", *WALK, "--wrt", "a"),
        "a\tpath\t12\ta → a+b → (a+b)*(a*b)\t1 × 12\t1 × a*b\n"
        "a\tpath\t28\ta → a*b → (a+b)*(a*b)\t4 × 7\tb × (a+b)\n"
        "a\trest\t0\t0\n"
        "a\tsum\t40\t2\n",
    )


def test_every_variable_without_wrt(quick):
    lines = [line.split("\t") for line in quick("explain", *WALK).stdout.splitlines()]
    assert [line[:3] for line in lines if line[1] == "sum"] == [["a", "sum", "40"], ["b", "sum", "33"]]


def test_pretty_at_80_columns(quick):
    gives(
        quick("explain", *WALK, "--wrt", "a", *PRETTY, env={"COLUMNS": "80"}),
        "2 paths from a to (a+b)*(a*b)\n"
        "a → a+b → (a+b)*(a*b)   1 × a*b     1 × 12 = 12\n"
        "a → a*b → (a+b)*(a*b)   b × (a+b)   4 × 7  = 28\n"
        "                                      d/da = 40\n",
    )


def test_names_of_a_program(quick):
    done = quick("explain", "c = a+b; d = a*b; e = c*d", "a=3", "b=-4", "--wrt", "b", *PRETTY)
    gives(
        done,
        "2 paths from b to e\n"
        "b → c → e   1 × d   1 × (-12) = -12\n"
        "b → d → e   a × c   3 × (-1)  =  -3\n"
        "                         d/db = -15\n",
    )


def test_two_to_the_sixty_paths(run):
    gives(
        run("explain", SIXTY, "x=1", "--limit", "1", *PRETTY, env={"COLUMNS": "80"}),
        "1152921504606846976 paths from x to t60, the largest contribution\n"
        "x → t1 → t2 → t3 → t4 → t5 → t6 → … → t54 → t55 → t56 → t57 → t58 → t59 → t60\n"
        "    1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × … × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 = 1\n"
        "1152921504606846975 others together = 1.15292e+18\n"
        "d/dx                                = 1.15292e+18\n",
    )


@pytest.mark.parametrize("width", [20, 40, 80, 120])
@pytest.mark.parametrize(
    "args",
    [WALK, BLACK_SCHOLES, (SIXTY, "x=1"), ("日本語の変数^2 * tanh(日本語の変数)", "日本語の変数=1/3")],
)
def test_every_line_of_a_path_fits(quick, args, width):
    done = quick("explain", *args, *PRETTY, env={"COLUMNS": str(width)})
    assert done.code == 0
    assert [line for line in done.stdout.splitlines() if cell_len(line) > width] == []


def test_black_scholes(quick):
    """The paths of delta: 0.727897 directly, the two through d1 cancel."""
    found = strict(quick("explain", *BLACK_SCHOLES, "--wrt", "S,sigma", "--json").stdout)
    delta = found["paths"]["S"]
    direct, *others = [path["contribution"] for path in delta["shown"]]
    assert delta["count"] == 3 and direct == pytest.approx(0.7278970, abs=1e-6) and abs(sum(others)) < 1e-12
    assert found["paths"]["sigma"]["sum"] == pytest.approx(33.1927, abs=1e-3)


def test_json(run):
    done = run("explain", *WALK, "--wrt", "a", "--limit", "1", "--json")
    assert (done.code, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    assert strict(done.stdout) == {
        "version": 1,
        "expression": "(a+b)*(a*b)",
        "value": 84.0,
        "bindings": {"a": 3.0, "b": 4.0},
        "gradient": {"a": 40.0},
        "diagnostics": [],
        "nodes": [
            {"id": 0, "name": "a", "text": "a", "span": [1, 2]},
            {"id": 3, "name": "", "text": "a*b", "span": [7, 10]},
            {"id": 4, "name": "", "text": "(a+b)*(a*b)", "span": [0, 11]},
        ],
        "paths": {
            "a": {
                "count": 2,
                "shown": [
                    {"nodes": [0, 3, 4], "formulas": ["b", "a+b"], "locals": [4.0, 7.0], "contribution": 28.0},
                ],
                "rest": 12.0,
                "sum": 40.0,
            }
        },
    }


def test_large_counts_in_json_are_text(quick):
    found = strict(quick("explain", SIXTY, "x=1", "--limit", "0", "--json").stdout)["paths"]["x"]
    assert found == {"count": str(2**60), "shown": [], "rest": 2.0**60, "sum": 2.0**60}
    many = "t0 = x; " + "; ".join(f"t{i} = t{i - 1} + t{i - 1}" for i in range(1, 15_001))
    done = quick("explain", many, "x=0", "--limit", "0")
    assert len(done.stdout.splitlines()[0].split("\t")[3]) == 4_516  # the digits of 2^15000
    assert "about 2.81796e+4515 paths" in quick("explain", many, "x=0", "--limit", "0", *PRETTY).stdout


def test_non_finite_numbers_in_json(quick):
    found = strict(quick("explain", "sqrt(x)", "x=0", "--json").stdout)["paths"]["x"]
    assert found["shown"][0]["locals"] == ["Infinity"] and found["sum"] == "Infinity"


def test_diagnostics_go_to_standard_error(quick):
    done = quick("explain", "abs(x)", "x=0", "y=1")
    assert done.code == 0 and "kink: " in done.stderr and "unused: y" in done.stderr
    assert "abs of 0" in quick("explain", "abs(x)", "x=0", "--json").stdout


@pytest.mark.parametrize(
    ("args", "first"),
    [
        (("x", "x=3"), "1 path from x to x"),
        (("x > 1", "x=3"), "no path from x to x > 1"),
        (("x*y", "x=3", "y=2", "--limit", "0"), "1 path from x to x*y"),
        (("x*x*x", "x=3", "--limit", "2"), "3 paths from x to x*x*x, the 2 largest contributions"),
    ],
)
def test_headings(quick, args, first):
    done = quick("explain", *args, *PRETTY)
    assert done.code == 0 and done.stdout.splitlines()[0] == first


def test_nothing_to_explain(quick):
    gives(quick("explain", "2*3"), "")
    assert strict(quick("explain", "2*3", "--json").stdout)["paths"] == {}


# ------------------------------------------------------------------------------------------ wrong engines


def test_without_accumulation(quick):
    gives(
        quick("explain", *WALK, "--without", "accumulation", *PRETTY),
        "without accumulation: grad = local × upstream, where grad += is right\n"
        "      right  wrong\n"
        "d/da     40     12\n"
        "d/db     33     12\n"
        "first wrong: a, 12 in place of 40\n"
        "a receives 28 from a*b and 12 from a+b: with = in place of += each replaces the one before.\n",
    )


def test_without_order(run):
    reason = (
        "d fires twice, with the gradients 1 and 6, where once with 6 is right: "
        "a receives 3 and 18 from it, in place of 18."
    )
    gives(run("explain", *ORDER, "--without", "order"), f"a\t25\t29\nb\t19\t22\n!\ta\t25\t29\t{reason}\n")
    found = strict(run("explain", *ORDER, "--without", "order", "--json").stdout)
    assert found["gradient"] == {"a": 25.0, "b": 19.0} and found["wrong"] == {"a": 29.0, "b": 22.0}
    assert found["first"] == {"id": 0, "name": "a", "text": "a", "right": 25.0, "wrong": 29.0}
    assert (found["without"], found["reason"]) == ("order", reason)


def test_where_nothing_is_wrong(quick):
    done = quick("explain", *WALK, "--without", "order")
    gives(done, "a\t40\t40\nb\t33\t33\n")
    shown = quick("explain", *WALK, "--without", "order", *PRETTY).stdout
    assert shown.endswith("It makes no difference here: no node that passes a gradient on is reached twice.\n")
    assert strict(quick("explain", *WALK, "--without", "order", "--json").stdout)["first"] is None


def test_a_recursion_that_would_not_end(run):
    plain = run("explain", SIXTY, "x=1", "--without", "order")
    assert plain.code == 0 and plain.stdout.startswith("x\t1.152921504606847e+18\t\n!\tt59\t2\t\t")
    shown = run("explain", SIXTY, "x=1", "--without", "order", *PRETTY, env={"COLUMNS": "80"}).stdout
    assert "never" in shown and f"{2**60 - 1} firings" in " ".join(shown.split())
    assert max(map(cell_len, shown.splitlines())) <= 80
    assert strict(run("explain", SIXTY, "x=1", "--without", "order", "--json").stdout)["wrong"] is None


# ---------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("args", "code", "parts"),
    [
        ((), 2, ["there is no expression"]),
        (("a*b", "a=3"), 2, ["no value for b"]),
        (("a*b", "a=3", "b=4", "--wrt", "c"), 2, ["c is not a variable"]),
        (("c = a; c*c", "a=3", "--wrt", "c"), 2, ["c is assigned, not a variable"]),
        (("a*", "a=3"), 2, ["a*\n"]),
        ((*WALK, "--limit", "-1"), 2, ["--limit"]),
        ((*WALK, "--limit", "many"), 2, ["--limit"]),
        ((*WALK, "--without", "hope"), 2, ["accumulation", "order"]),
        ((*WALK, "--wrt", ","), 2, ["commas"]),
        ((*WALK, "--format", "svg"), 2, ["--format"]),
        (("log(x)", "x=-1"), 1, ["log of -1 is not a number"]),
        (("-f", "nowhere.expr"), 1, ["cannot read nowhere.expr"]),
        (("x", "x=1", "-o", "no/such/folder"), 1, ["cannot write no/such/folder"]),
        (("x\x1b[31m", "x=1"), 2, []),
    ],
)
def test_bad_input(quick, args, code, parts):
    fails(quick("explain", *args), code, *parts)


def test_hostile_names_stay_text(quick):
    done = quick("explain", "[red]x[/red]"[5:6] + "*y # \x1b[31m", "x=1", "y=2", *PRETTY)
    assert done.code == 0 and ESCAPE not in done.stdout


def test_colour_changes_nothing_but_colour(quick):
    for args in (WALK, BLACK_SCHOLES, (*ORDER, "--without", "order")):
        plain = quick("explain", *args, *PRETTY, env={"COLUMNS": "80"}).stdout
        coloured = quick("explain", *args, *PRETTY, "--color", "always", env={"COLUMNS": "80"}).stdout
        assert ESCAPE in coloured and re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_to_a_file(quick, tmp_path):
    gives(quick("explain", *WALK, "-o", "sum.json", cwd=tmp_path), "")
    assert json.loads((tmp_path / "sum.json").read_text())["paths"]["a"]["count"] == 2
    gives(quick("explain", *WALK, "--wrt", "a", "-o", "sum.txt", cwd=tmp_path), "")
    assert (tmp_path / "sum.txt").read_text(encoding="utf-8").startswith("2 paths from a to (a+b)*(a*b)\n")
