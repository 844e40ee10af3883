"""A program on a terminal of its own, for tests: what it shows, and keys to press."""

import os
import select
import subprocess
import time

import pytest

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")
fcntl = pytest.importorskip("fcntl")
pyte = pytest.importorskip("pyte")

PATIENCE = 30  # seconds for what should take a moment


class Terminal:
    """A pseudo-terminal with a program in it. `typed` goes to its standard input, in place of the terminal."""

    def __init__(self, argv, env, size=(80, 24), typed=None, cwd=None):
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (size[1], size[0]))
        self.before = termios.tcgetattr(self.slave)
        self.screen = pyte.Screen(*size)
        self.screen.write_process_input = lambda data: os.write(self.master, data.encode())  # what a terminal answers
        self.stream = pyte.ByteStream(self.screen)
        self.received = b""
        self.process = subprocess.Popen(
            argv,
            stdin=self.slave if typed is None else subprocess.PIPE,
            stdout=self.slave,
            stderr=self.slave,
            env=env,
            cwd=cwd,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0),
        )
        if typed is not None:
            self.process.stdin.write(typed)
            self.process.stdin.close()

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, wait):
        ready, _, _ = select.select([self.master], [], [], wait)
        data = os.read(self.master, 65536) if ready else b""
        self.received += data
        self.stream.feed(data)
        return data

    def sees(self, *parts):
        """Wait until the screen shows all `parts`; the text of the screen."""
        limit = time.monotonic() + PATIENCE
        while not all(part in self.text for part in parts):
            assert time.monotonic() < limit and self.process.poll() is None, (parts, self.text)
            self.read(0.2)
        while self.read(0.05):
            pass
        return self.text

    def press(self, data, *parts):
        os.write(self.master, data)
        return self.sees(*parts)

    def ends(self):
        """Wait for the end; the exit code."""
        limit = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < limit, self.text
            self.read(0.05)
        while self.read(0.05):
            pass
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)
