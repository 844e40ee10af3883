"""The transcripts of the README and of every --help run, and print what they say."""

import doctest
import os
import re
import shlex
import subprocess
import sys

import pytest
from helpers import ROOT

from gradcli.cli import COMMANDS

README = ROOT / "README.md"


def transcripts(text):
    """(command line, expected output) of each `$ gradcli ...` in the text."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return [(line, "\n".join(output).strip("\n")) for line, output in found]


def run(line):
    folder = os.path.dirname(sys.executable)
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR")}
    environment["PATH"] = folder + os.pathsep + environment["PATH"]
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=environment, timeout=60, cwd=README.parent
    )
    return (done.stdout + done.stderr).strip("\n")


def readme_examples():
    blocks = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    return [example for block in blocks for example in transcripts(block)]


@pytest.mark.parametrize(("line", "expected"), readme_examples())
def test_readme_transcript(line, expected):
    assert run(line) == expected


def test_readme_python():
    text = "\n".join(re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S))
    test = doctest.DocTestParser().get_doctest(text, {}, "README", str(README), 0)
    assert doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(test).failed == 0


@pytest.mark.parametrize("arguments", ["--help", *(f"{name} --help" for name in COMMANDS)])
def test_help_opens_with_examples_that_run(arguments):
    shown = run(f"gradcli {shlex.join(arguments.split())}")
    blocks = re.findall(r"^  (\$ gradcli .*?)(?:\n\n|\Z)", shown, re.M | re.S)
    assert blocks, shown
    for block in blocks:
        ((line, expected),) = transcripts("\n".join(part.removeprefix("  ") for part in block.splitlines()))
        if ">" not in line and not expected.startswith("("):
            assert run(line).split() == expected.split()  # help expands tabs
