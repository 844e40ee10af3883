"""How long one `gradcli eval` takes from start to exit, beside an interpreter that only imports Click and Lark.

Prints the medians of the piped command and of the tree on a (pseudo) terminal, and their ratios to that
interpreter: at most 1.25 and 1.9. Bytecode and the grammar's tables are warm: the first rounds do not count.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import at_most, medians, seconds, table

ROUNDS = 31
IMPORTS = [sys.executable, "-c", "import click, lark"]
SCRIPT = Path(sys.executable).with_name("gradcli")  # run by name of the interpreter, so that both run in the same one
EVAL = [sys.executable, str(SCRIPT), "eval", "(a+b)*(a*b)", "a=3", "b=4"]


def environment(cache: str) -> dict[str, str]:
    """Ours, with bytecode written, a grammar cache of its own, and a terminal that has colour."""
    without = {"PYTHONDONTWRITEBYTECODE", "NO_COLOR", "FORCE_COLOR", "COLUMNS"}
    kept = {name: text for name, text in os.environ.items() if name not in without}
    return kept | {"XDG_CACHE_HOME": cache, "TERM": "xterm-256color"}


def piped(command: list[str], env: dict[str, str]) -> bytes:
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True).stdout


def on_terminal(command: list[str], env: dict[str, str]) -> bytes:
    """Run on a pseudo terminal; the output is a few hundred bytes, which the terminal holds until it is read."""
    import pty  # POSIX only

    ours, theirs = pty.openpty()
    try:
        subprocess.run(command, env=env, stdin=theirs, stdout=theirs, check=True)
        return os.read(ours, 65536)
    finally:
        os.close(ours)
        os.close(theirs)


def main() -> None:
    with TemporaryDirectory() as cache:
        env = environment(cache)
        assert piped(EVAL, env) == b"=\t84\t1\na\t3\t40\nb\t4\t33\n"
        if sys.platform == "win32":
            tree = [*EVAL, "--format", "pretty", "--color", "always"], piped
        else:
            tree = EVAL, on_terminal
            assert "├──".encode() in on_terminal(EVAL, env)
        contestants = {
            "python -c 'import click, lark'": (IMPORTS, piped),
            "gradcli eval, piped": (EVAL, piped),
            "gradcli eval, tree on a terminal": tree,
        }
        found = medians(
            {
                name: lambda run=run, command=command: seconds(lambda: run(command, env))
                for name, (command, run) in contestants.items()
            },
            ROUNDS,
            warm=2,
        )
    imports, pipe, terminal = found.values()
    table(f"whole process, median of {ROUNDS} runs in turn", found, "ms", 1e3)
    at_most("piped / imports", pipe / imports, 1.25)
    at_most("tree on a terminal / imports", terminal / imports, 1.9)


if __name__ == "__main__":
    main()
