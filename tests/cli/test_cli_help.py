"""gradcli help: topics and commands by name, in a pipe and on a terminal, and the man pages in a folder."""

import re
import subprocess
import sys

import pytest
from helpers import ESCAPE, fails, posix
from screen import Terminal

from gradcli.cli import COMMANDS
from gradcli.render.manual import TOPICS, read, topics


def test_the_list(quick):
    assert quick("help") == (0, "".join(f"{topic.name}\t{topic.about}\n" for topic in topics()), "")
    pretty = quick("help", "--format", "pretty").stdout
    assert all(topic.name in pretty and topic.about in pretty for topic in topics()) and ESCAPE not in pretty


@pytest.mark.parametrize("name", TOPICS)
def test_a_topic_in_a_pipe_is_its_markdown(quick, name):
    topic = read(name)
    assert quick("help", name) == (0, topic.text, "")
    assert quick("help", *topic.title.split()) == (0, topic.text, "")
    assert quick("help", topic.title.upper()) == (0, topic.text, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_shows_its_help(quick, name):
    assert quick("help", name) == quick(name, "--help")


@pytest.mark.parametrize(
    ("words", "name"), [("calc", "calculus"), ("how it", "design"), ("lang", "language"), ("scripts and", "scripts")]
)
def test_the_start_of_a_name_is_enough(quick, words, name):
    assert quick("help", *words.split()).stdout == read(name).text


def test_what_is_not_there(quick):
    fails(quick("help", "lnguage"), 2, "no topic or command 'lnguage'", "did you mean language?")
    fails(quick("help", "fi"), 2, "several", "files", "fitting", "fit")
    fails(quick("help", "qqqqqq"), 2, "gradcli help lists the topics")
    fails(quick("help", "--man", "man", "language"), 2, "give no topic")
    fails(quick("help", ""), 2, "no topic or command")
    fails(quick("help", "\x1b[31mred"), 2, "no topic or command")


@pytest.mark.parametrize("width", [80, 120])
def test_pretty_in_any_width(quick, width):
    for name in TOPICS:
        shown = quick("help", name, "--format", "pretty", env={"COLUMNS": str(width)})
        assert (shown.code, shown.stderr) == (0, "") and ESCAPE not in shown.stdout
        assert read(name).title.upper() in shown.stdout


def test_links_and_transcripts_on_a_terminal(quick):
    shown = quick("help", "python", "--format", "pretty").stdout
    assert "the language (gradcli help language)" in shown and ".md" not in shown
    transcript = next(line for line in read("calculus").text.splitlines() if "black_scholes" in line)
    wide = quick("help", "calculus", "--format", "pretty", env={"COLUMNS": "40"}).stdout
    assert f"  {transcript}\n" in wide  # longer than the terminal, and whole


def test_colour_is_for_those_who_want_it(run):
    coloured = run("help", "calculus", "--format", "pretty", "--color", "always").stdout
    assert ESCAPE in coloured
    codes = set(re.findall(r"\x1b\[([\d;]+)m", coloured))
    assert all(re.fullmatch(r"(0|[123]|(1;)?(38;5;\d+|94|3))(;38;5;\d+)?", code) for code in codes)  # no background
    plain = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    without = run("help", "calculus", "--format", "pretty").stdout
    assert [line.rstrip() for line in plain.splitlines()] == without.splitlines()
    assert ESCAPE not in run("help", "calculus", "--color", "always").stdout


@posix
@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}])
def test_on_a_terminal_the_pager_shows_it(gradcli, clean, env):
    terminal = Terminal([gradcli, "help", "calculus"], clean | {"PAGER": "less"} | env)
    try:
        terminal.sees("CALCULUS", "Get gradients, Hessians")
        assert (b"\x1b[38;5;63m" in terminal.received) is not bool(env)
        terminal.press(b"q")
        assert terminal.process.wait(30) == 0
    finally:
        terminal.close()


@posix
def test_a_pager_of_the_users_own(gradcli, clean):
    pager = 'sh -c "sed s/FITTING/PAGED/; read x < /dev/tty"'
    terminal = Terminal([gradcli, "help", "fitting"], clean | {"PAGER": pager}, size=(80, 200))
    try:
        terminal.sees("PAGED", "gradcli help learning")
    finally:
        terminal.close()


def test_completion_offers_topics_and_commands(run):
    env = {"_GRADCLI_COMPLETE": "fish_complete", "COMP_WORDS": "gradcli help ", "COMP_CWORD": ""}
    offered = {line.partition("\t")[0] for line in run(env=env).stdout.splitlines()}
    assert offered == {f"plain,{name}" for name in [*TOPICS, *COMMANDS]}
    env = {"_GRADCLI_COMPLETE": "bash_complete", "COMP_WORDS": "gradcli help cal", "COMP_CWORD": "2"}
    assert run(env=env).stdout == "plain,calculus\n"


@posix
@pytest.mark.parametrize("words", [[], ["calculus"], ["eval"]])
def test_a_pipe_loads_nothing_heavy(gradcli, clean, words):
    command = [sys.executable, "-X", "importtime", gradcli, "help", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=clean, timeout=60)
    modules = set(re.findall(r"\|\s+(\S+)$", done.stderr, re.M))
    assert "gradcli.render.manual" in modules
    heavy = ("rich", "markdown_it", "numpy", "difflib", "pygments", "gradcli.kernel")
    assert not {name for name in modules if name.startswith(heavy)}


def test_man_pages_in_a_folder(run, tmp_path):
    done = run("help", "--man", str(tmp_path))
    written = sorted(str(path) for path in tmp_path.rglob("*") if path.is_file())
    assert (done.code, done.stdout.splitlines()) == (0, written)
    assert len(written) == len(TOPICS) + len(COMMANDS) + 1
    fails(run("help", "--man", written[0]), 1, "cannot write")
