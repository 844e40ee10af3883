"""The stepper of `eval --step`: draws a screen, waits for a key, and leaves the terminal as it found it."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from gradcli.errors import UsageError
from gradcli.render.view import Look
from gradcli.trace.trace import Trace

from .output import Place

HINT = "--trace shows the same steps, in a pipe too"
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[0m\x1b[?25h\x1b[?1049l"
_KEY = re.compile(rb"\x1b[\[O][0-9;]*[A-Za-z~]|[\x00-\xff]", re.DOTALL)
FORWARD, BACK, PASS, START, QUIT = "forward", "back", "end of pass", "start", "quit"
KEYS = {
    FORWARD: [b"\r", b"\n", b" ", b"n", b"l", b"\x1b[C", b"\x1bOC", b"\x1b[B", b"\x1bOB"],
    BACK: [b"b", b"h", b"\x7f", b"\x08", b"\x1b[D", b"\x1bOD", b"\x1b[A", b"\x1bOA"],
    PASS: [b"f", b"\x1b[F", b"\x1bOF", b"\x1b[4~"],
    START: [b"0", b"\x1b[H", b"\x1bOH", b"\x1b[1~"],
    QUIT: [b"q", b"Q", b"\x04"],
}
_MEANING = {key: meaning for meaning, keys in KEYS.items() for key in keys}
SIGNALS = ("SIGWINCH", "SIGINT", "SIGTERM", "SIGHUP", "SIGTSTP")


def step_through(trace: Trace, destination: Place) -> None:
    """Show the steps of both passes, one key press at a time. Raises UsageError where there is no terminal."""
    keyboard = _keyboard(destination)
    with _taken(keyboard) as terminal:
        _show(trace, destination.look, terminal)


def _keyboard(destination: Place) -> int:
    """The descriptor to read keys from: standard input, or the terminal itself where the expression came that way."""
    if sys.platform == "win32" or not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        raise UsageError("--step needs a terminal to draw on", hint=HINT)
    if destination.format != "pretty" or destination.path is not None:
        raise UsageError("--step draws on the terminal: leave out --format and -o", hint=HINT)
    if sys.stdin is not None and sys.stdin.isatty():
        return sys.stdin.fileno()
    with suppress(OSError):
        return os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)
    raise UsageError("--step needs a terminal to read keys from", hint=HINT)


def moved(key: str, done: int, forward: int, steps: int) -> int:
    """The number of steps that are done after a key: `forward` of the `steps` are the forward pass."""
    if key == FORWARD:
        return min(done + 1, steps)
    if key == BACK:
        return max(done - 1, 0)
    if key == PASS:
        return forward if done < forward else steps
    return 0 if key == START else done


def keys(data: bytes) -> list[str]:
    """The meanings of the keys that were pressed; a key without one is left out."""
    return [_MEANING[key] for key in _KEY.findall(data) if key in _MEANING]


class Terminal(NamedTuple):
    """The descriptor that keys are read from, its settings before, and both ends of a pipe for signals.

    Signals are taken from the pipe one by one between two screens, so that none interrupts the drawing.
    """

    keyboard: int
    before: list[Any]
    read: int
    write: int


@contextmanager
def _taken(keyboard: int) -> Iterator[Terminal]:
    """The alternate screen, keys without Enter, and signals in a pipe, until the end of the block, however it ends."""
    import termios

    terminal = Terminal(keyboard, termios.tcgetattr(keyboard), *os.pipe())
    known = [getattr(signal, name) for name in SIGNALS]
    handlers = {number: signal.getsignal(number) for number in known}
    try:
        for number in known:
            signal.signal(number, lambda number, _: _noted(terminal, number))
        _enter(terminal)
        yield terminal
    finally:
        _leave(terminal)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(terminal.read)
        os.close(terminal.write)


def _noted(terminal: Terminal, number: int) -> None:
    os.write(terminal.write, bytes([number]))


def _enter(terminal: Terminal) -> None:
    import termios
    import tty

    tty.setcbreak(terminal.keyboard, termios.TCSADRAIN)
    _write(ENTER)


def _leave(terminal: Terminal) -> None:
    import termios

    with suppress(OSError, termios.error):  # the terminal may be gone
        _write(LEAVE)
        termios.tcsetattr(terminal.keyboard, termios.TCSAFLUSH, terminal.before)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _show(trace: Trace, look: Look, terminal: Terminal) -> None:
    """Draw, wait, move, until the user quits or a signal ends it."""
    from gradcli.render.screen import board, screen

    size, shown, done, top = (0, 0), None, 0, 0
    while True:
        if size != (size := _size()) or shown is None:
            # the last column is left free: terminals differ in what a character there does to the cursor
            shown = board(trace, size[0] - 1, look.precision)
        lines, top = screen(shown, done, size[1], top)
        _draw(lines, look, size[0] - 1)
        for key in _pressed(terminal):
            if key == QUIT:
                return
            done = moved(key, done, shown.forward, len(trace.steps))


def _size() -> tuple[int, int]:
    size = (80, 24)
    with suppress(OSError):
        window = os.get_terminal_size(sys.stdout.fileno())
        size = (window.columns or 80, window.lines or 24)
    return max(20, size[0]), size[1]


def _draw(lines: list[Any], look: Look, width: int) -> None:
    from gradcli.render.terminal import printed

    shown = printed(lines, colour=look.colour, width=width).split("\n")[:-1]
    _write("\x1b[H" + "\r\n".join(f"{line}\x1b[K" for line in shown) + "\x1b[J")


def _pressed(terminal: Terminal) -> list[str]:
    """Wait for keys or a signal, and return the meanings of the keys. A terminal that is gone counts as a quit."""
    ready, _, _ = select.select([terminal.keyboard, terminal.read], [], [])
    if terminal.read in ready:
        _obey(terminal, os.read(terminal.read, 1)[0])
        return []
    data = b""
    with suppress(OSError):
        data = os.read(terminal.keyboard, 1024)
    return keys(data) if data else [QUIT]


def _obey(terminal: Terminal, number: int) -> None:
    """Do what a signal asks for; for a new size of the window the next screen is enough."""
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    if number in (signal.SIGTERM, signal.SIGHUP):
        sys.exit(128 + number)
    if number == signal.SIGTSTP:  # Ctrl-Z: give the terminal back, stop, and take it again when continued
        _leave(terminal)
        os.kill(os.getpid(), signal.SIGSTOP)
        _enter(terminal)
