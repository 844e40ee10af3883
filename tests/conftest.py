"""What the tests of the command line share: the real command, run in a subprocess with a clean environment."""

import os
import shutil
import signal
import subprocess
import sys
from typing import NamedTuple

import chromium
import pytest
from hypothesis import HealthCheck, settings

# No test fails for being slow. In the checks the examples are the same every time: what fails there, the change did.
settings.register_profile(
    "gradcli", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("gradcli")

# A shell that starts us in the background has us ignore Ctrl-C, and so would every command that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

UNWANTED = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "GRADCLI_DEBUG", "LC_ALL", "LANG", "LC_CTYPE")


class Done(NamedTuple):
    code: int
    stdout: str
    stderr: str


@pytest.fixture(scope="session")
def gradcli():
    """The path of the command that is installed beside this Python."""
    path = shutil.which("gradcli", path=os.path.dirname(sys.executable))
    assert path, "gradcli is not installed beside this Python"
    return path


@pytest.fixture(scope="session")
def clean(tmp_path_factory):
    """An environment without surprises, and with a cache folder of its own."""
    environment = {
        k: v for k, v in os.environ.items() if k not in UNWANTED and not k.startswith(("PYTHON", "_GRADCLI"))
    }
    return environment | {
        "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }


@pytest.fixture(scope="session")
def run(gradcli, clean):
    """run("eval", "x^2", "x=3") is the exit code and what was written; an `env` value of None removes the variable."""

    def call(*args, stdin="", env=None, cwd=None):
        environment = {k: v for k, v in {**clean, **(env or {})}.items() if v is not None}
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run([gradcli, *args], input=data, capture_output=True, env=environment, cwd=cwd, timeout=60)
        return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return call


@pytest.fixture
def quick(clean, monkeypatch, capsys):
    """The same inside this process, for what does not depend on a process of its own."""
    from gradcli.cli import main

    def call(*args, env=None, cwd=None):
        with monkeypatch.context() as patch:
            for name in UNWANTED:
                patch.delenv(name, raising=False)
            for name, value in {
                "XDG_CACHE_HOME": clean["XDG_CACHE_HOME"],
                "TERM": clean["TERM"],
                **(env or {}),
            }.items():
                patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
            if cwd is not None:
                patch.chdir(cwd)
            capsys.readouterr()
            code = main([os.fsdecode(arg) for arg in args])
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium; without one its tests are skipped."""
    path = chromium.find()
    if path is None:
        pytest.skip("Chromium is not installed")
    with chromium.Chromium(path) as found:
        yield found
