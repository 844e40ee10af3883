"""eval --step in a real pseudo-terminal, seen through a terminal emulator: keys, screens, signals, and the way out."""

import os
import signal
import time

import pytest
from helpers import fails
from rich.cells import cell_len
from screen import Terminal

from gradcli.cli.stepper import BACK, FORWARD, PASS, QUIT, START, keys, moved
from gradcli.language.parser import parse
from gradcli.render.screen import board, screen, window
from gradcli.trace.trace import trace

termios = pytest.importorskip("termios")

WALK = ("(a+b)*(a*b)", "a=3", "b=4")
LARGE = ("+".join(f"x*sin({i}*x)" for i in range(1, 101)), "x=2")
BLACK_SCHOLES = (
    "d1 = (log(S/K) + (r + sigma^2/2)*T)/(sigma*sqrt(T)); d2 = d1 - sigma*sqrt(T); "
    "S*norm_cdf(d1) - K*exp(-r*T)*norm_cdf(d2)",
    *("S=100", "K=95", "r=0.05", "sigma=0.2", "T=1"),
)


class Stepper(Terminal):
    """`eval --step` on a terminal of its own."""

    def __init__(self, gradcli, env, *args, **more):
        super().__init__([gradcli, "eval", *args, "--step"], env, **more)

    def resize(self, size, *parts):
        self.screen.resize(size[1], size[0])
        self.screen.reset()
        termios.tcsetwinsize(self.slave, (size[1], size[0]))
        os.kill(self.process.pid, signal.SIGWINCH)
        return self.sees(*parts)

    def ends(self):
        """The exit code, with the terminal as it was found."""
        code = super().ends()
        assert termios.tcgetattr(self.slave) == self.before
        assert self.received.rindex(b"\x1b[?1049l") > self.received.rindex(b"\x1b[?1049h")
        assert self.received.rindex(b"\x1b[?25h") > self.received.rindex(b"\x1b[?25l")
        return code


@pytest.fixture
def stepper(gradcli, clean):
    """stepper("x^2", "x=3", size=(80, 24)) runs `eval --step` and returns its Stepper."""
    running = []

    def start(*args, env=None, **more):
        environment = {k: v for k, v in {**clean, "NO_COLOR": "1", **(env or {})}.items() if v is not None}
        running.append(Stepper(gradcli, environment, *args, **more))
        return running[-1]

    yield start
    for one in running:
        one.close()


def test_both_passes_key_by_key(stepper):
    walk = stepper(*WALK)
    walk.sees("forward pass  step 0 of 5", "Enter computes the first node.", "a.grad ·   b.grad ·")
    walk.press(b"\r", "step 1 of 5", "a = 3, given")
    walk.press(b" ", "step 2 of 5", "b = 4, given")
    walk.press(b"\n", "▶ ├── a+b #2          7", "a+b = 3 + 4 = 7")
    walk.press(b"\x1b[C", "a*b = 3 * 4 = 12")
    shown = walk.press(b" ", "step 5 of 5", "(a+b)*(a*b) = 7 * 12 = 84", "The forward pass is done: the value is 84.")
    assert "((a+b)*(a*b)).grad = 1" in shown
    shown = walk.press(b" ", "backward pass  step 1 of 6", "(a+b).grad += (a*b).data · out.grad = 12 × 1 = 12")
    assert "▶ (a+b)*(a*b) #4     84     1" in shown and "◀ ├── a+b #2          7    12" in shown
    walk.press(b"  ", "a.grad += b.data · out.grad = 4 × 7 = 28", "a.grad 28   b.grad ·")
    shown = walk.press(b"  ", "arrival 2 at a: 28 + 12 = 40", "a.grad 40   b.grad 21")
    assert "▶ ├── a+b #2          7    12" in shown and "◀ │   ├── a #0        3    40" in shown
    walk.press(b"b", "backward pass  step 4 of 6", "a.grad 28   b.grad 21")
    walk.press(b"\x1b[D\x1b[D\x1b[D\x1b[D", "forward pass  step 5 of 5")
    walk.press(b"f", "backward pass  step 6 of 6", "arrival 2 at b: 21 + 12 = 33", "a.grad 40   b.grad 33")
    walk.press(b" ", "backward pass  step 6 of 6")
    walk.press(b"\x1b[H", "forward pass  step 0 of 5")
    walk.press(b"b", "forward pass  step 0 of 5")
    walk.press(b"f", "forward pass  step 5 of 5")
    os.write(walk.master, b"xzZ?\x1b[15~q")
    assert walk.ends() == 0
    assert walk.received.decode().replace("\r\n", "\n").endswith("\nvalue  84\nd/da   40\nd/db   33\n".lstrip("\n"))


def test_colour_marks_the_second_arrival(stepper):
    walk = stepper(*WALK, env={"NO_COLOR": None})
    walk.sees("step 0 of 5")
    walk.press(b"ff\x1b[D", "arrival 2 at a: 28 + 12 = 40")
    assert b"\x1b[1;38;5;163marrival 2 at a: \x1b[0m" in walk.received
    row = next(number for number, line in enumerate(walk.screen.display) if line.startswith("◀"))
    assert walk.screen.buffer[row][walk.screen.display[row].index("a")].reverse
    os.write(walk.master, b"q")
    assert walk.ends() == 0


def test_what_matters_is_in_view_at_80_by_24(stepper):
    large = stepper(*LARGE)
    large.sees("forward pass  step 0 of 500")
    for _ in range(5):
        shown = large.press(b" " * 97, "forward pass")
        assert "▶" in shown and len(shown.splitlines()) == 24
    large.press(b"f", "forward pass  step 500 of 500")
    for number in (60, 120, 180, 240):
        shown = large.press(b" " * 60, f"backward pass  step {number} of")
        assert "▶" in shown and "◀" in shown and ".grad += " in shown
        assert shown.splitlines()[-1].startswith("Enter forward")
        assert max(map(cell_len, shown.splitlines())) <= 80
    assert "⋮" in shown  # x is far from the products that it is in
    os.write(large.master, b"q")
    assert large.ends() == 0


def test_resize(stepper):
    scholes = stepper(*BLACK_SCHOLES)
    scholes.sees("forward pass  step 0 of 29", "rows 1–16 of 40")
    scholes.press(b"f   ", "backward pass  step 3 of 35", "▶", "◀")
    shown = scholes.resize((120, 50), "backward pass  step 3 of 35", "value")
    assert "rows " not in shown and "q quit" in shown
    shown = scholes.resize((40, 12), "backward pass  step 3 of 35", "q quit")
    assert max(map(cell_len, shown.splitlines())) <= 40 and "▶" in shown
    shown = scholes.resize((80, 5), "backward pass", ".grad")
    assert len(shown.splitlines()) <= 5
    os.write(scholes.master, b"q")
    assert scholes.ends() == 0


def test_control_c(stepper):
    walk = stepper(*WALK)
    walk.sees("step 0 of 5")
    os.write(walk.master, b"\x03")
    assert walk.ends() == 130
    assert b"Traceback" not in walk.received


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_leave_the_terminal_as_it_was(stepper, number):
    walk = stepper(*WALK)
    walk.sees("step 0 of 5")
    walk.process.send_signal(number)
    assert walk.ends() == 128 + number
    assert b"Traceback" not in walk.received


def test_suspended_and_continued(stepper):
    walk = stepper(*WALK)
    walk.sees("step 0 of 5")
    walk.press(b"  ", "step 2 of 5")
    walk.process.send_signal(signal.SIGTSTP)
    limit = time.monotonic() + 30
    while not walk.received.endswith(b"\x1b[?1049l"):
        assert time.monotonic() < limit
        walk.read(0.1)
    while termios.tcgetattr(walk.slave) != walk.before:
        assert time.monotonic() < limit
        time.sleep(0.01)
    walk.screen.reset()
    walk.process.send_signal(signal.SIGCONT)
    walk.sees("step 2 of 5")
    os.write(walk.master, b"q")
    assert walk.ends() == 0


def test_an_expression_from_a_pipe_leaves_the_keys_to_the_terminal(stepper):
    walk = stepper("-", "a=3", "b=4", typed=b"(a+b)*(a*b)")
    walk.sees("step 0 of 5")
    walk.press(b"f", "step 5 of 5")
    os.write(walk.master, b"\x04")
    assert walk.ends() == 0


@pytest.mark.parametrize("args", [[], ["--format", "pretty"], ["--json"], ["-o", "steps.txt"]])
def test_without_a_terminal(run, tmp_path, args):
    message = fails(run("eval", *WALK, "--step", *args, cwd=tmp_path), 2, "--step needs a terminal to draw on")
    assert message.endswith("hint: --trace shows the same steps, in a pipe too\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("args", [["--format", "plain"], ["--json"], ["-o", "steps.txt"]])
def test_what_does_not_go_with_a_terminal(stepper, args):
    walk = stepper(*WALK, *args)
    assert walk.process.wait(timeout=30) == 2
    assert b"--step draws on the terminal: leave out --format and -o" in walk.read(1)


def test_a_dumb_terminal_and_no_keyboard(stepper):
    dumb = stepper(*WALK, env={"TERM": "dumb"})
    assert dumb.process.wait(timeout=30) == 2
    assert b"--step needs a terminal to draw on" in dumb.read(1) and b"\x1b" not in dumb.received


def test_nothing_is_drawn_for_a_mistake(stepper):
    wrong = stepper("log(x)", "x=-1")
    assert wrong.process.wait(timeout=30) == 1
    assert b"log of -1 is not a number" in wrong.read(1) and b"\x1b[?1049h" not in wrong.received


# --------------------------------------------------------------------------------------- without a terminal


def traced(text, **point):
    return trace(parse(text, point), point, formulas=False)


def test_keys():
    assert keys(b"\r\n nb\x7ffq") == [FORWARD] * 4 + [BACK, BACK, PASS, QUIT]
    assert keys(b"\x1b[C\x1bOD\x1b[F\x1b[1~") == [FORWARD, BACK, PASS, START]
    assert keys(b"\x1b[15~\x1b\xc3\xa9?") == []


@pytest.mark.parametrize(
    ("key", "done", "expected"),
    [
        (FORWARD, 0, 1),
        (FORWARD, 11, 11),
        (BACK, 0, 0),
        (BACK, 6, 5),
        (PASS, 0, 5),
        (PASS, 5, 11),
        (PASS, 11, 11),
        (START, 7, 0),
    ],
)
def test_moved(key, done, expected):
    assert moved(key, done, forward=5, steps=11) == expected


@pytest.mark.parametrize("size", [1, 5, 100])
@pytest.mark.parametrize("room", [1, 2, 3, 7, 99])
@pytest.mark.parametrize("top", [0, 4, 98])
def test_the_marked_rows_are_in_the_window(size, room, top):
    for marks in ([], [0], [size - 1], [size // 2], [0, size - 1], [size // 3, size // 2], [size - 1, 0]):
        shown, first = window(size, marks, room, top)
        assert len(shown) == min(size, room)
        rows = [row for row in shown if row >= 0]
        assert rows == sorted(set(rows)) and all(0 <= row < size for row in rows)
        assert shown.count(-1) <= 1 and 0 <= first <= size
        if room >= 3 or len(marks) < 2:
            assert set(marks) <= set(rows), (marks, shown)


def test_the_window_stays_while_the_marks_are_in_it():
    assert window(100, [20, 24], 10, 15) == (list(range(15, 25)), 15)
    assert window(100, [20, 25], 10, 15)[1] != 15


@pytest.mark.parametrize("size", [(20, 5), (20, 10), (40, 12), (80, 24), (120, 40), (300, 100)])
@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("(a+b)*(a*b)", {"a": 3, "b": 4}),
        (BLACK_SCHOLES[0], {"S": 100, "K": 95, "r": 0.05, "sigma": 0.2, "T": 1}),
        ("if(x > 0, x^x, 日本語)*1e-300 - 日本語*x", {"x": 1e-5, "日本語": -1 / 3}),
        ("+".join(f"v{i}^2" for i in range(40)), {f"v{i}": i / 7 for i in range(40)}),
        ("2*3", {}),
    ],
)
def test_every_screen_fits(text, point, size):
    result = traced(text, **point)
    shown, top = board(result, size[0] - 1, 6), 0
    for done in range(len(result.steps) + 1):
        lines, top = screen(shown, done, size[1], top)
        assert len(lines) == size[1]
        if size[0] >= 40:  # on less, a row may lose its end
            assert [line.plain for line in lines if cell_len(line.plain.rstrip()) >= size[0]] == []


def test_the_screens_say_what_the_trace_says():
    result = traced("c = a+b; d = a*b; e = c*d*a", a=2, b=5)
    shown = board(result, 79, 6)
    for done, step in enumerate(result.steps, 1):
        text = "\n".join(line.plain for line in screen(shown, done, 24, 0)[0])
        if step.operand is None:
            assert f"{step.value:g}" in text
        else:
            assert f" × {step.upstream:g} = {step.contribution:g}" in text
            if step.total_before:
                assert f"{step.total_before:g} + {step.contribution:g} = {step.total:g}" in text
    assert "a.grad 160   b.grad 48" in text


def test_a_constant_has_no_backward_pass():
    result = traced("2*3")
    text = "\n".join(line.plain for line in screen(board(result, 79, 6), len(result.steps), 24, 0)[0])
    assert "The forward pass is done: the value is 6." in text and "backward" not in text
