"""The command line as a user meets it: arguments, output formats, exit codes, files, pipes and signals."""

import errno
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from helpers import ESCAPE, fails, gives, posix, strict

WALK = ("(a+b)*(a*b)", "a=3", "b=4")
WALK_PLAIN = "=\t84\t1\na\t3\t40\nb\t4\t33\n"
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


# ------------------------------------------------------------------------------------------------ results


def test_plain(run):
    gives(run("eval", *WALK), WALK_PLAIN)
    gives(run("eval", *WALK, "--format", "plain"), WALK_PLAIN)


def test_json(run):
    done = run("eval", *WALK, "--json")
    assert (done.code, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    assert strict(done.stdout) == {
        "version": 1,
        "expression": "(a+b)*(a*b)",
        "value": 84.0,
        "bindings": {"a": 3.0, "b": 4.0},
        "gradient": {"a": 40.0, "b": 33.0},
        "diagnostics": [],
    }
    assert run("eval", *WALK, "--format=json") == done


@pytest.mark.parametrize(
    ("args", "stdout"),
    [
        ((*WALK, "--value"), "84\n"),
        ((*WALK, "--grad", "a"), "40\n"),
        ((*WALK, "--grad=b"), "33\n"),
        ((*WALK, "--wrt", "b"), "=\t84\t1\nb\t4\t33\n"),
        ((*WALK, "--wrt", "b,a"), "=\t84\t1\nb\t4\t33\na\t3\t40\n"),
        (("out = x^2", "x=3"), "out\t9\t1\nx\t3\t6\n"),
        (("c = a+b; d = a*b; c*d", "a=3", "b=4"), WALK_PLAIN),
        (("2*3",), "=\t6\t1\n"),
        (("a/b", "b=4", "a=3"), "=\t0.75\t1\na\t3\t0.25\nb\t4\t-0.1875\n"),  # order of the expression
        (("x", "x=-0.0"), "=\t-0\t1\nx\t-0\t1\n"),
        (("x", "x=1e15"), "=\t1000000000000000\t1\nx\t1000000000000000\t1\n"),
        (("x", "x=1e16"), "=\t1e+16\t1\nx\t1e+16\t1\n"),
        (("a+b", "a=.1", "b=.2", "--value"), "0.30000000000000004\n"),
        (("x", "x=5e-324", "--value"), "5e-324\n"),
        (("x", "x=1/4", "--value"), "0.25\n"),
        (("x", "x=pi", "--value"), "3.141592653589793\n"),
        (("x", "x=-1e-3", "--value"), "-0.001\n"),
        (("x", "x=inf", "--value"), "inf\n"),
        (("e*x", "e=2", "x=3"), "=\t6\t1\ne\t2\t3\nx\t3\t2\n"),  # a binding wins over the constant
    ],
)
def test_results(quick, args, stdout):
    gives(quick("eval", *args), stdout)


@pytest.mark.parametrize(
    ("args", "value"),
    [
        (("-x^2", "x=3"), "-9"),
        (("-h+1", "h=2"), "-1"),
        (("-2*x", "x=1"), "-2"),
        (("-o", "o=1", "--"), None),  # -o is an option
        (("--", "-h", "h=2"), "-2"),
        (("--", "--x", "x=2"), "2"),
        (("-f+1", "f=2"), "-1"),
        (("-(x)", "x=2"), "-2"),
        (("--(x)", "x=2"), "2"),
        (("-1e-3",), "-0.001"),
        (("-.5",), "-0.5"),
        (("- x", "x=1"), "-1"),
        (("-−x", "x=1"), "1"),
    ],
)
def test_expression_starting_with_a_sign(quick, tmp_path, args, value):
    done = quick("eval", "--value", *args, cwd=tmp_path)
    if value is None:
        assert done.code != 0
    else:
        gives(done, value + "\n")


def test_options_anywhere(quick):
    for args in (
        ["--value", "x^2", "x=3"],
        ["x^2", "--value", "x=3"],
        ["x^2", "x=3", "--value"],
        ["--value", "--", "x^2", "x=3"],
    ):
        gives(quick("eval", *args), "9\n")
    fails(quick("eval", "x^2", "x=3", "--", "--value"), 2)


def test_standard_input_only_on_request(run, tmp_path):
    gives(run("eval", "-", "a=3", "b=4", stdin="(a+b)\n  * (a*b)"[:5] + "*(a*b)\n"), WALK_PLAIN)
    gives(run("eval", "-f", "-", "a=3", "b=4", stdin="(a+b)*(a*b)"), WALK_PLAIN)
    gives(run("eval", "-", "a=3", "b=4", stdin="\ufeffc = a+b # sum\r\nd = a*b\r\n\r\nc*d\r\n"), WALK_PLAIN)
    gives(run("eval", "x", "x=1", "--value", stdin="y"), "1\n")


def test_expression_from_a_file(run, tmp_path):
    (tmp_path / "model.expr").write_text("# the walkthrough\nc = a+b\nd = a*b; c*d\n", encoding="utf-8")
    gives(run("eval", "-f", "model.expr", "a=3", "b=4", cwd=tmp_path), WALK_PLAIN)
    gives(run("eval", "a=3", "b=4", "-f", str(tmp_path / "model.expr")), WALK_PLAIN)


# ------------------------------------------------------------------------------------------------- views


def test_trace_in_a_pipe_is_plain(run):
    done = run("eval", *WALK, "--trace")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[0] == [
        "step",
        "pass",
        "node",
        "text",
        "op",
        "operand",
        "local",
        "upstream",
        "contribution",
        "total",
        "value",
    ]
    assert {len(row) for row in rows} == {11}
    assert [row[0] for row in rows[1:]] == [str(i) for i in range(1, len(rows))]
    assert [row[5:10] for row in rows[1:] if row[1] == "backward"][-2:] == [
        ["a", "1", "12", "12", "40"],
        ["b", "1", "12", "12", "33"],
    ]
    assert (done.code, done.stderr) == (0, "")


def test_trace_json(quick):
    found = strict(quick("eval", *WALK, "--trace", "--json").stdout)
    assert [node["data"] for node in found["nodes"] if node["op"]] == [7.0, 12.0, 84.0]
    assert [s["total"] for s in found["steps"] if s["direction"] == "backward"][-2:] == [40.0, 33.0]
    assert found["gradient"] == {"a": 40.0, "b": 33.0}


def test_tree_in_a_pipe_is_text(run):
    done = run("eval", *WALK, "--tree")
    assert (done.code, done.stderr) == (0, "")
    assert ESCAPE not in done.stdout
    assert "├── a+b" in done.stdout
    assert done.stdout.endswith("value  84\nd/da   40\nd/db   33\n")


@pytest.mark.parametrize(("precision", "shown"), [("1", "0.3"), ("3", "0.333"), ("17", "0.33333333333333331")])
def test_precision_is_for_people(quick, precision, shown):
    args = "x/3", "x=1", "--precision", precision
    value = quick("eval", *args, "--tree").stdout.split("value  ")[-1].split("\n")[0]
    assert float(value) == float(shown) and value[:10] == shown[:10]
    gives(quick("eval", *args), "=\t0.3333333333333333\t1\nx\t1\t0.3333333333333333\n")
    assert strict(quick("eval", *args, "--json").stdout)["value"] == 1 / 3


def test_json_writes_no_bare_infinity(quick):
    found = strict(quick("eval", "1/x", "x=0", "--json").stdout)
    assert (found["value"], found["gradient"]["x"]) == ("Infinity", "-Infinity")
    found = strict(quick("eval", "x^y", "x=-2", "y=3", "--json", "--trace").stdout)
    assert found["gradient"] == {"x": 12.0, "y": "NaN"}
    assert strict(quick("eval", "-x", "x=inf", "--json").stdout)["value"] == "-Infinity"


def test_json_with_any_text(run):
    done = run("eval", 'é*π*x # "\\ \u2028', "é=2", "x=1", "--json")
    assert done.stdout.isascii()
    assert strict(done.stdout)["bindings"] == {"é": 2.0, "x": 1.0}


# --------------------------------------------------------------------------------------------- diagnostics


def test_diagnostics_go_to_stderr(run):
    done = run("eval", "1+abs(x)", "x=0")
    assert (done.code, done.stdout) == (0, "=\t1\t1\nx\t0\t0\n")
    assert re.match(r"kink: abs of 0.*\n  1\+abs\(x\)\n    \^{6}\n$", done.stderr)


def test_diagnostics_in_json(quick):
    (one,) = strict(quick("eval", "1+abs(x)", "x=0", "--json").stdout)["diagnostics"]
    assert (one["kind"], one["span"], one["text"]) == ("kink", [2, 8], "abs(x)") and one["message"]


@pytest.mark.parametrize(
    ("args", "kind"),
    [
        (("max(x,y)", "x=1", "y=1"), "tie"),
        (("floor(x)", "x=2"), "jump"),
        (("log(x)", "x=0"), "pole"),
        (("exp(x)", "x=1000"), "overflow"),
        (("x^y", "x=-2", "y=3"), "undefined"),
        (("9007199254740993*x", "x=1"), "rounded"),
        (("x", "x=9007199254740993"), "rounded"),
        (("x", "x=1", "y=2"), "unused"),
        (("y = 2*x; x", "x=1"), "unused"),
    ],
)
def test_kinds(quick, args, kind):
    done = quick("eval", *args)
    assert done.code == 0 and re.search(rf"^{kind}: ", done.stderr, re.M), done
    assert kind in [one["kind"] for one in strict(quick("eval", *args, "--json").stdout)["diagnostics"]]


def test_many_diagnostics_are_counted(quick):
    done = quick("eval", "+".join(f"abs(x{i})" for i in range(20)), *(f"x{i}=0" for i in range(20)))
    assert (
        done.code == 0 and done.stderr.count("kink:") == 8 and done.stderr.endswith("and 12 more; --json lists all\n")
    )


# -------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("args", "stderr"),
    [
        (
            ("1 + snh(x)", "x=1"),
            "error: no function snh with 1 argument\n  1 + snh(x)\n      ^^^\nhint: did you mean sinh or asinh?\n",
        ),
        (("x+y", "x=1"), "error: no value for y\n  x+y\n    ^\nhint: give it: y=VALUE\n"),
        (("x+1", "x=1", "x=2"), "error: x is given twice: x=1 and x=2\n  x=2\n  ^\n"),
        (
            ("1,5*x", "x=1"),
            "error: unexpected ',': expected an operator or the end\n  1,5*x\n   ^\nhint: the decimal mark is a point: 1.5\n",
        ),
    ],
)
def test_form_of_an_error(quick, args, stderr):
    assert quick("eval", *args) == (2, "", stderr)


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("x+y+z", "y=1"), "no value for x and z"),
        (("speed", "sped=1"), "did you mean sped?"),
        (("x", "x=abc"), "abc"),
        (("x", "x=1,5"), "point: 1.5"),
        (("x", "x="), "x="),
        (("x", "=1"), "=1"),
        (("x", "3=1"), "3=1"),
        (("x", "2x=1"), "2x=1"),
        (("x", "x=1", "x=1"), "given twice"),
        (("x", "x"), "NAME=VALUE"),
        (("a", "+", "b"), "quote the expression"),
        (("x", "x=1;y=2"), "one NAME=VALUE"),
        (("x", "x=y=2"), "x=y=2"),
        (("x", "x=__import__('os')"), "no strings"),
        (("c=x;c", "x=1", "c=2"), "assigned here, and bound"),
        (("x", "x=1", "--grad", "y"), "y is not a variable"),
        (("x", "x=1", "--wrt", "xx"), "xx is not a variable"),
        (("x", "x=1", "--wrt", ","), "--wrt"),
        (("c=x;c+1", "x=1", "--grad", "c"), "c is assigned"),
        (("x", "x=1", "--grad", "x", "--trace"), "--grad"),
        (("x", "x=1", "--bogus"), "--bogus"),
        (("x", "x=1", "--format", "yaml"), "yaml"),
        (("x", "x=1", "--precision", "0"), "--precision"),
        (("x", "x=1", "--precision", "six"), "six"),
        (("x", "x=1", "--color", "pink"), "pink"),
        ((), "no expression"),
        (("",), "no expression"),
        (("  ",), "no expression"),
        (("x+", "x=1"), "expected a number, a name or '('\n  x+\n    ^\n"),
        (("(", "x=1"), "expected a number, a name or '('"),
        (("(x", "x=1"), "never closed"),
        (("1<x<2", "x=1"), "and"),
        (("1/2x", "x=1"), "hint: write /(2*x) or /2*x"),
        (("x$", "x=1"), "U+0024"),
        (("1e400",), "too large"),
    ],
)
def test_usage_and_syntax_errors(quick, args, part):
    fails(quick("eval", *args), 2, part)


@pytest.mark.parametrize("option", ["-o", "-f", "--grad", "--wrt", "--precision", "--format", "--color"])
def test_option_without_its_value(quick, tmp_path, option):
    fails(quick("eval", "x", "x=1", option, cwd=tmp_path), 2, option, "argument")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (("1+log(x)", "x=-1"), ["log of -1", "\n  1+log(x)\n    ^^^^^^\n"]),
        (("x/x", "x=0"), ["0/0"]),
        (("x", "x=0/0"), ["not a number"]),
        (("f(u) = log(u); 2*f(x)", "x=-1"), ["log of -1", "f(x)"]),
    ],
)
def test_evaluation_errors(quick, args, parts):
    fails(quick("eval", *args), 1, *parts)
    fails(quick("eval", *args, "--json"), 1, *parts)


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("bogus",), "bogus"),
        (("evl", "x"), "did you mean eval?"),
        (("--bogus",), "--bogus"),
        (("x^2", "x=3"), "no command"),
    ],
)
def test_unknown_command(quick, args, part):
    fails(quick(*args), 2, part)


def test_no_command_shows_help_as_an_error(quick):
    done = quick()
    assert (done.code, done.stdout) == (2, "") and "eval" in done.stderr


@pytest.mark.parametrize("args", [("-h",), ("--help",), ("eval", "-h"), ("eval", "--help"), ("eval", "-x", "-h")])
def test_help(quick, args):
    done = quick(*args)
    assert (done.code, done.stderr) == (0, "") and "$ gradcli eval" in done.stdout


def test_version(run):
    from gradcli import __version__

    gives(run("--version"), f"gradcli {__version__}\n")


def test_lines_and_wide_characters(run):
    assert "(line 2)\n  b = 2 $ a\n        ^\n" in fails(run("eval", "a = 1\nb = 2 $ a\nb"), 2)
    assert "(standard input, line 2)" in fails(run("eval", "-", stdin="1+\n2+)"[:0] + "a = 1\na+)\n"), 2)
    assert "\n  日本 + $\n         ^\n" in fails(run("eval", "日本 + $", "日本=1"), 2)
    assert "\n  e\u0301 + $\n      ^\n" in fails(run("eval", "e\u0301 + $", "é=1"), 2)


def test_a_long_line_is_cut_around_the_place(quick):
    lines = fails(quick("eval", "1+" * 500 + "$" + "+1" * 500), 2).splitlines()
    assert len(lines[1]) <= 80 and lines[1][lines[2].index("^")] == "$"


def test_markup_stays_text(run):
    fails(run("eval", "[red]x[/red]", "x=1"), 2, "[red]x[/red]")
    fails(run("eval", "x", "x=[bold]1"), 2, "[bold]1")
    shown = run("eval", "x+1 # [red]", "x=1", "--tree", "--color", "always").stdout
    assert "\x1b[31m" not in shown
    fails(run("eval", "x", "x=1", "-f", "[/red].expr"), 1, "[/red].expr")


# -------------------------------------------------------------------------------------- bytes and characters


@posix
def test_bytes_in_the_real_command(run):
    fails(run("eval", b"x+\xff", b"x=1"), 2, "the byte 0xFF is not UTF-8\n  x+\\xff\n    ^")
    fails(run("eval", "x+\x1b]0;hi\x07", "x=1"), 2, "U+001B", "\\x1b]0;hi\\x07")


@posix
@pytest.mark.parametrize(
    "args",
    [
        (b"x+\xff", b"x=1"),
        (b"x", b"x=\xff"),
        (b"x", b"\xff=1"),
        (b"x", b"x=1", b"--wrt", b"\xff"),
        (b"x", b"x=1", b"--grad", b"\xff"),
        (b"x", b"x=1", b"--color", b"\xff"),
        (b"x", b"x=1", b"--b\xff"),
    ],
)
def test_arguments_that_are_not_utf8(quick, args):
    fails(quick("eval", *args), 2, "ff" if b"+" not in args[0] else "the byte 0xFF is not UTF-8\n  x+\\xff\n    ^")


@pytest.mark.parametrize("char", ["\x1b[31m", "\x07", "\x7f", "\x9b31m", "\r", "\u202e", "\u2028"])
def test_control_characters_are_shown_by_their_codes(quick, tmp_path, char):
    message = fails(quick("eval", f"x+{char}", "x=1"), 2)
    assert "U+" in message or char == "\r"  # a carriage return is white space
    fails(quick("eval", "x", f"x=1{char}2"), 2)
    fails(quick("eval", "x", "x=1", "--wrt", f"x{char}y"), 2)
    fails(quick("eval", "x", "x=1", "--format", char), 2)
    assert fails(quick("eval", "-f", str(tmp_path / f"no{char}")), 1).count("\n") == 1
    fails(quick("eval", "x", "x=1", "-o", str(tmp_path / "no" / char)), 1)
    fails(quick(f"eval{char}"), 2)


def test_control_characters_in_a_comment(run):
    done = run("eval", "x # \x1b[31m", "x=1", "--tree")
    assert "\x1b" not in done.stdout + done.stderr
    assert "\x1b" not in run("eval", "abs(x) # \x1b[31m", "x=0").stderr


@pytest.mark.parametrize("args", [("-f", "."), ("-f", "missing.expr"), ("-f", "latin1.expr"), ("-f", "")])
def test_files_that_cannot_be_read(quick, tmp_path, args):
    (tmp_path / "latin1.expr").write_bytes(b"a = 1\nb = \xe9\n")
    message = fails(quick("eval", *args, cwd=tmp_path), 1)
    assert message.count("\n") == 1
    if "latin1" in args[1]:
        assert "0xE9" in message and "line 2" in message


def test_standard_input_that_is_not_utf8(run):
    fails(run("eval", "-", stdin=b"x+\xff"), 1, "standard input", "0xFF")


@posix
def test_closed_standard_streams(gradcli, clean):
    for command, code in [
        ("eval - <&-", 1),
        ("eval x x=1 >&-", 1),
        ("eval x x=1 --value 2>&-", 0),
        ("eval 'x+' 2>&-", 2),
    ]:
        done = subprocess.run(
            ["bash", "-c", f'"$0" {command}', gradcli], capture_output=True, text=True, env=clean, timeout=60
        )
        assert done.returncode == code, done
        assert "Traceback" not in done.stderr and "internal error" not in done.stderr


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "de_DE.UTF-8"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        {"LC_ALL": None, "LANG": None},
    ],
)
def test_locale_changes_no_number(run, env):
    gives(run("eval", "x/2", "x=1", env=env), "=\t0.5\t1\nx\t1\t0.5\n")
    gives(run("eval", "pi*x", "x=1", "--grad", "x", env=env), "3.141592653589793\n")
    fails(run("eval", "π*y", env=env), 2, "no value for y")
    done = run("eval", "π*x²", "x=1", "--tree", env=env)
    assert (done.code, done.stderr) == (0, "")


# --------------------------------------------------------------------------------------------------- files


def test_output_file_takes_its_format_from_the_ending(quick, tmp_path):
    for name in ("a.json", "a.tsv", "a.txt", "a.JSON", "a"):
        gives(quick("eval", *WALK, "-o", name, "--color", "always", cwd=tmp_path, env={"FORCE_COLOR": "1"}), "")
    read = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert ESCAPE not in "".join(read.values())
    assert strict(read["a.json"])["value"] == strict(read["a.JSON"])["value"] == 84
    assert read["a.tsv"] == read["a"] == WALK_PLAIN
    assert "├── a+b" in read["a.txt"]
    gives(quick("eval", *WALK, "-o", "b.json", "--format", "plain", cwd=tmp_path), "")
    assert (tmp_path / "b.json").read_text(encoding="utf-8") == WALK_PLAIN
    gives(quick("eval", *WALK, "-o", "t.tsv", "--trace", cwd=tmp_path), "")
    assert (tmp_path / "t.tsv").read_text(encoding="utf-8").startswith("step\tpass\t")


def test_output_file_is_not_touched_by_an_error(quick, tmp_path):
    old = tmp_path / "old.json"
    old.write_text("old", encoding="utf-8")
    for args in (("x+", "x=1"), ("log(x)", "x=-1"), ("x",), ("x", "x=1", "--bogus")):
        assert quick("eval", *args, "-o", str(old)).code != 0
        assert os.listdir(tmp_path) == ["old.json"] and old.read_text(encoding="utf-8") == "old"
    gives(quick("eval", "x", "x=1", "-o", str(old)), "")
    assert os.listdir(tmp_path) == ["old.json"] and strict(old.read_text(encoding="utf-8"))["value"] == 1


@posix
def test_output_file_keeps_mode_and_link(quick, tmp_path):
    real, link = tmp_path / "real.tsv", tmp_path / "link.tsv"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to("real.tsv")
    gives(quick("eval", *WALK, "-o", "link.tsv", cwd=tmp_path), "")
    assert link.is_symlink() and real.read_text(encoding="utf-8") == WALK_PLAIN and real.stat().st_mode & 0o777 == 0o640


@posix
def test_output_file_that_does_not_fit_leaves_the_old_one(gradcli, clean, tmp_path):
    """A file-size limit is a disk that fills up."""
    old = tmp_path / "old.json"
    old.write_text("old", encoding="utf-8")
    limit = 'trap "" XFSZ; ulimit -f 8; exec "$0" eval "$1" x=1 --json --trace -o old.json'
    done = subprocess.run(
        ["bash", "-c", limit, gradcli, "+".join(["x"] * 400)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=clean,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "") and done.stderr.startswith("error: cannot write old.json: "), done
    assert os.listdir(tmp_path) == ["old.json"] and old.read_text(encoding="utf-8") == "old"


def test_output_to_places_that_are_none(quick, tmp_path):
    for path in ("missing/a.tsv", ".", ""):
        message = fails(quick("eval", "x", "x=1", "-o", path, cwd=tmp_path), 1, "cannot write")
        assert message.count("\n") == 1
    assert os.listdir(tmp_path) == []


@posix
def test_output_to_a_read_only_folder(run, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    if os.access(folder, os.W_OK):
        pytest.skip("root may write anywhere")
    assert fails(run("eval", "x", "x=1", "-o", str(folder / "a.tsv")), 1, os.strerror(errno.EACCES)).count("\n") == 1


@posix
def test_output_to_a_device(run):
    gives(run("eval", "x", "x=1", "--value", "-o", "/dev/stdout"), "1\n")
    gives(run("eval", "x", "x=1", "-o", "/dev/null"), "")


@needs_full
def test_full_disk(run, gradcli, clean):
    assert fails(run("eval", *WALK, "-o", "/dev/full"), 1, os.strerror(errno.ENOSPC)).count("\n") == 1
    for args in ([], ["--json"], ["--tree"], ["--trace"], ["--value"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [gradcli, "eval", *WALK, *args], stdout=full, stderr=subprocess.PIPE, text=True, env=clean, timeout=60
            )
        assert (done.returncode, done.stderr) == (1, f"error: cannot write: {os.strerror(errno.ENOSPC)}\n")


# ----------------------------------------------------------------------------------------- pipes and signals


@posix
@pytest.mark.parametrize("reader", ["head -1", "true", "exec 0<&-; sleep 0.2"])
def test_a_closed_pipe_is_quiet(gradcli, clean, reader):
    script = f'set -o pipefail; "$0" eval "$1" x=1 --trace | ({reader})'
    done = subprocess.run(
        ["bash", "-c", script, gradcli, "+".join(["x"] * 3000)], capture_output=True, text=True, env=clean, timeout=60
    )
    assert done.stderr == "" and done.returncode == 0, done
    assert done.stdout.count("\n") == (reader == "head -1")


@posix
def test_a_pipe_closed_before_the_start(gradcli, clean):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [gradcli, "eval", *WALK], stdout=writing, stderr=subprocess.PIPE, text=True, env=clean, timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@posix
def test_interrupt(gradcli, clean):
    with subprocess.Popen(
        [gradcli, "eval", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean
    ) as process:
        wait_until_it_reads(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"") and b"Traceback" not in err


def wait_until_it_reads(pid):
    """Linux tells which system call a process waits in; elsewhere wait long enough."""
    for _ in range(500):
        time.sleep(0.02)
        try:
            with open(f"/proc/{pid}/wchan", encoding="ascii") as file:
                if "pipe" in file.read():
                    return
        except OSError:
            break
    time.sleep(2)


# -------------------------------------------------------------------------------------------- looks


def test_columns_cut_nothing_in_a_pipe(run):
    names = "a_long_variable_name_number_one", "a_long_variable_name_number_two"
    args = "eval", "*".join(names), f"{names[0]}=1/3", f"{names[1]}=3"
    for extra in ([], ["--json"], ["--trace"], ["--format", "plain", "--trace"]):
        assert run(*args, *extra, env={"COLUMNS": "20"}) == run(*args, *extra)
    gives(
        run(*args, env={"COLUMNS": "20"}),
        f"=\t1\t1\n{names[0]}\t0.3333333333333333\t3\n{names[1]}\t3\t0.3333333333333333\n",
    )


@pytest.mark.parametrize("columns", ["0", "-5", "x", "", "1e3", "99999999999999999999", "²"])
def test_odd_columns(quick, columns):
    assert quick("eval", *WALK, "--tree", env={"COLUMNS": columns}).code == 0


@pytest.mark.parametrize(
    ("env", "args", "coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "0"}, [], False),
        ({"FORCE_COLOR": ""}, [], False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, [], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({}, ["--color", "always"], True),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"TERM": "dumb"}, ["--color", "always"], True),
        ({"TERM": None}, ["--color", "always"], True),
        ({}, ["--color", "auto"], False),
    ],
)
def test_colour(quick, env, args, coloured):
    for view in ("--tree", "--trace"):
        shown = quick("eval", *WALK, view, "--format", "pretty", *args, env=env).stdout
        assert (ESCAPE in shown) == coloured
    for plain in ([], ["--json"], ["--value"], ["--trace"]):
        done = quick("eval", *WALK, *plain, *args, env=env)
        assert ESCAPE not in done.stdout and done.code == 0


def test_colour_of_messages(quick):
    assert ESCAPE in quick("eval", "abs(x)", "x=0", env={"FORCE_COLOR": "1"}).stderr
    assert ESCAPE not in quick("eval", "abs(x)", "x=0").stderr
    assert quick("eval", "x+", env={"FORCE_COLOR": "1"}).stderr.startswith("\x1b[31m\x1b[1merror:\x1b[0m ")


@pytest.mark.parametrize("args", [("abs(x)", "x=0"), ("x+",), ("log(x)", "x=-1")])
def test_colour_never_holds_for_messages_too(quick, args):
    assert ESCAPE not in quick("eval", *args, "--color", "never", env={"FORCE_COLOR": "1"}).stderr


# ------------------------------------------------------------------------------------------ internal errors

BREAK = "import gradcli.cli.commands.eval as e\ndef trace(*args, **options): raise RuntimeError('boom')\ne.trace = trace\nfrom gradcli.cli import main\nraise SystemExit(main(['eval', 'x', 'x=1']))"


def test_internal_error(clean):
    def broken(**env):
        return subprocess.run(
            [sys.executable, "-c", BREAK], capture_output=True, text=True, env={**clean, **env}, timeout=60
        )

    done = broken()
    assert (done.returncode, done.stdout) == (1, "") and "Traceback" not in done.stderr
    assert done.stderr.startswith("error: internal error: RuntimeError: boom\nhint: GRADCLI_DEBUG=1")
    done = broken(GRADCLI_DEBUG="1")
    assert done.returncode == 1 and "Traceback" in done.stderr and "boom" in done.stderr
    assert "Traceback" not in broken(GRADCLI_DEBUG="0").stderr


def test_debug_leaves_the_errors_of_users_alone(run):
    assert run("eval", "x+", env={"GRADCLI_DEBUG": "1"}) == run("eval", "x+")
