"""Completion: what the command answers to a shell, and the scripts in the real shells, each on a terminal."""

import os
import shutil

import pytest
from helpers import fails
from screen import Terminal

from gradcli.cli import COMMANDS

SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], "PS1='%% '; source {script}; clear"),
    "zsh": (["-f"], "PS1='%% '; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -d {folder}/dump; clear"),
    "fish": (["--no-config"], "function fish_prompt; echo '% '; end; source {script}; clear"),
}
NAMES = {"bash": "gradcli.bash", "zsh": "_gradcli", "fish": "gradcli.fish"}


@pytest.fixture
def shell(run, gradcli, clean, tmp_path):
    """shell("zsh") is that shell with the completion script loaded, in a folder with a file in it."""
    running = []

    def start(name):
        path = shutil.which(name)
        if path is None:
            pytest.skip(f"{name} is not installed")
        script = tmp_path / NAMES[name]
        script.write_text(run("completion", name).stdout)
        (tmp_path / "files").mkdir()
        (tmp_path / "files" / "model.expr").write_text("a*b")
        folders = f"{os.path.dirname(gradcli)}{os.pathsep}{clean['PATH']}"
        env = clean | {"PATH": folders, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
        options, setup = SHELLS[name]
        running.append(Terminal([path, *options], env, cwd=tmp_path / "files"))
        running[-1].press(setup.format(script=script, folder=tmp_path).encode())
        running[-1].press(b"\r: ready\r", "% : ready")
        return running[-1]

    yield start
    for one in running:
        one.close()


@pytest.mark.parametrize("name", SHELLS)
def test_in_the_real_shell(shell, name):
    prompt = shell(name)
    prompt.press(b"gradcli ev\t", "% gradcli eval")
    prompt.press(b"'a*bc' b\t", "gradcli eval 'a*bc' bc=")
    prompt.press(b"4 \t", "gradcli eval 'a*bc' bc=4 a=")
    prompt.press(b"3 --val\t", "gradcli eval 'a*bc' bc=4 a=3 --value")
    prompt.press(b"\r", "\n12\n")
    prompt.press(b"gradcli functions lgam\t", "gradcli functions lgamma")
    prompt.press(b"\x15gradcli eval -f mod\t", "gradcli eval -f model.expr")


@pytest.mark.parametrize(
    ("name", "words", "word", "answer"),
    [
        ("bash", "gradcli eval a*bc b", "3", "binding,bc=\n"),
        ("bash", "gradcli eval -f mod", "3", "file,mod\n"),
        ("bash", "gradcli exp", "1", "plain,explain\n"),
        ("bash", "gradcli functions dif", "2", "plain,diff\n"),
        ("zsh", "gradcli explain a*bc b", "3", "binding\nbc=\n_\n"),
        ("zsh", "gradcli eval -o ", "3", "file\n\n_\n"),
        ("fish", "gradcli eval 'a*bc' b", "b", "binding,bc=\n"),
        ("fish", "gradcli eval -f mod", "mod", "file,mod\n"),
        ("fish", "gradcli eval 'a*(' ", "", "\n"),  # half an expression completes to nothing
    ],
)
def test_answers(run, name, words, word, answer):
    env = {"_GRADCLI_COMPLETE": f"{name}_complete", "COMP_WORDS": words, "COMP_CWORD": word}
    assert run(env=env) == (0, answer, "")


def test_commands_are_offered_with_what_they_are_for(run):
    env = {"_GRADCLI_COMPLETE": "fish_complete", "COMP_WORDS": "gradcli ", "COMP_CWORD": ""}
    assert run(env=env).stdout == "".join(f"plain,{name}\t{text}\n" for name, text in COMMANDS.items())


def test_an_unknown_shell(run):
    fails(run("completion", "tcsh"), 2, "bash", "zsh", "fish")
    assert run(env={"_GRADCLI_COMPLETE": "tcsh_complete"}).code == 1
