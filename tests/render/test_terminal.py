"""What a person sees: the command in a pseudo-terminal of a given size."""

import os
import re
import subprocess

import pytest
from helpers import GOLDEN
from rich.cells import cell_len

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

WALK = ("(a+b)*(a*b)", "a=3", "b=4")
SIZES = [(80, 24), (120, 40)]
ACCENT = "\x1b[1;38;5;163m"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")

LONG_SUM = ("+".join(f"x{i}*sin(x{i})" for i in range(60)), *(f"x{i}={i}/7" for i in range(60)))
LONG_NAMES = (
    "_".join(["a_very_long_variable_name"] * 3) + "^2*exp(" + "_".join(["another_even_longer_name"] * 4) + ")",
)
LONG_NAMES += (
    "_".join(["a_very_long_variable_name"] * 3) + "=1/3",
    "_".join(["another_even_longer_name"] * 4) + "=-pi*1e-5",
)
DEEP = ("sin(" * 40 + "x*y" + ")" * 40, "x=1/3", "y=2")
WIDE = ("日本語の変数 * (円周率 + 日本語の変数)^2 / tanh(円周率)", "日本語の変数=1/3", "円周率=-1e-300")
DIGITS = ("(a+b)*(a*b)/(c-a*b)", "a=-1.23456789e-300", "b=-9.87654321e-123", "c=-1e-5")
FEW = ("f(u, v) = tanh(u*v)^2; c = f(a, b); d = c + a; if(d > 0, d*c, -d)", "a=0.5", "b=-1.25")
BIG = ("+".join(["x"] * 600), "x=1")
SHAPES = {
    "walk": WALK,
    "sum": LONG_SUM,
    "names": LONG_NAMES,
    "deep": DEEP,
    "wide": WIDE,
    "digits": DIGITS,
    "few": FEW,
    "big": BIG,
    "number": ("2",),
}


@pytest.fixture
def terminal(gradcli, clean):
    """terminal("eval", ...) is the exit code and what a terminal of that size received."""

    def call(*args, size=(80, 24), env=None, stderr=None):
        master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (size[1], size[0]))
        environment = {k: v for k, v in {**clean, **(env or {})}.items() if v is not None}
        process = subprocess.Popen([gradcli, *args], stdin=slave, stdout=slave, stderr=stderr or slave, env=environment)
        os.close(slave)
        shown = b""
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not data:
                break
            shown += data
        os.close(master)
        return process.wait(timeout=60), shown.decode("utf-8").replace("\r\n", "\n")

    return call


def golden(name, text):
    """Compare with tests/golden/NAME, or write it there if GRADCLI_UPDATE_GOLDEN=1."""
    path = GOLDEN / name
    if os.environ.get("GRADCLI_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", ["tree", "trace"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_line_fits(terminal, shape, view, size):
    code, shown = terminal("eval", *SHAPES[shape], f"--{view}", size=size, stderr=subprocess.DEVNULL)
    assert code == 0
    lines = ESCAPE.sub("", shown).splitlines()
    assert "\x1b" not in "".join(lines)
    assert [line for line in lines if cell_len(line) > size[0]] == []
    assert any(re.match(r"value +\S", line) for line in lines)


@pytest.mark.parametrize("size", SIZES)
def test_walkthrough(terminal, size):
    env = {"NO_COLOR": "1"}
    code, tree = terminal("eval", *WALK, size=size, env=env)
    assert code == 0
    assert terminal("eval", *WALK, "--tree", size=size, env=env) == (0, tree)
    golden("walkthrough_tree.txt", tree)
    code, trace = terminal("eval", *WALK, "--trace", size=size, env=env)
    assert code == 0
    golden(f"walkthrough_trace_{size[0]}.txt", trace)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "args", [("sin(x)/x", "--order", "4"), ("*".join(f"sin({k}*x)" for k in range(1, 9)),), LONG_NAMES]
)
def test_derivatives_are_whole(terminal, quick, args, size):
    """Long formulas, of derivatives and of what they share, go on below; a pipe has each in one line."""
    code, shown = terminal("diff", *args, size=size, env={"NO_COLOR": "1"})
    assert code == 0 and "…" not in shown
    lines = shown.splitlines()
    assert max(map(cell_len, lines)) <= size[0] and any(line.startswith("    ") for line in lines)
    whole = quick("diff", *args, "--format", "pretty").stdout
    assert max(map(cell_len, whole.splitlines())) > size[0]
    assert "".join(shown.split()) == "".join(whole.split())


def test_derivatives_in_other_formats_are_not_folded(terminal, quick):
    for form in ("plain", "json", "latex"):
        code, shown = terminal("diff", "sin(x)/x", "--order", "4", "--format", form)
        assert (code, shown) == (0, quick("diff", "sin(x)/x", "--order", "4", "--format", form).stdout)


def test_precision(terminal):
    shown = [terminal("eval", "x/3", "x=1", "--precision", digits, env={"NO_COLOR": "1"})[1] for digits in ("3", "9")]
    assert "value  0.333\n" in shown[0] and "value  0.333333333\n" in shown[1]


@pytest.mark.parametrize(
    ("env", "args", "coloured"),
    [
        ({}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": ""}, [], True),
        ({"TERM": "dumb"}, [], False),
        ({"FORCE_COLOR": "0"}, [], False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, [], True),
        ({}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({}, ["--json"], False),
        ({}, ["--format", "plain"], False),
    ],
)
def test_colour(terminal, env, args, coloured):
    code, shown = terminal("eval", *WALK, *args, env=env)
    assert code == 0 and ("\x1b[" in shown) == coloured
    plain = terminal("eval", *WALK, *args, env={**env, "NO_COLOR": "1", "FORCE_COLOR": None})[1]
    assert ESCAPE.sub("", shown) == ESCAPE.sub("", plain)


def test_colour_marks_the_second_arrival(terminal):
    lines = terminal("eval", *WALK, "--trace")[1].splitlines()
    marked = [ESCAPE.sub("", line) for line in lines if ACCENT in line]
    assert [line.split()[-1] for line in marked] == ["40", "33"]


def test_formats_by_name_on_a_terminal(terminal):
    assert terminal("eval", *WALK, "--format", "plain") == (0, "=\t84\t1\na\t3\t40\nb\t4\t33\n")
    assert terminal("eval", *WALK, "--value") == (0, "84\n")


def test_columns_win_over_the_size(terminal):
    lines = terminal("eval", *LONG_NAMES, env={"COLUMNS": "40", "NO_COLOR": "1"})[1].splitlines()
    assert max(map(cell_len, lines)) <= 40


@pytest.mark.parametrize("size", [(0, 0), (20, 5), (1, 1), (1000, 10)])
@pytest.mark.parametrize("view", ["tree", "trace"])
def test_odd_sizes(terminal, view, size):
    code, shown = terminal("eval", *WALK, f"--{view}", size=size)
    assert code == 0 and "84" in shown


def test_a_message_on_a_terminal(terminal):
    assert terminal("eval", "x+$", "x=1", env={"NO_COLOR": "1"})[1].startswith("error: the character '$' (U+0024)")
    code, shown = terminal("eval", "x+$", "x=1")
    assert code == 2 and shown.startswith("\x1b[38;5;131m\x1b[1merror:\x1b[0m ")


def test_standard_input_from_a_terminal_is_not_read(terminal):
    assert terminal("eval", "x", "x=1", "--value") == (0, "1\n")
