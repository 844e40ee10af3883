"""README, manual and every --help: their transcripts run and print what they say, and what they name exists."""

import ast
import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib

import click
import pytest
from helpers import ROOT

import gradcli
from gradcli.autodiff.ops import KINDS, TABLE
from gradcli.cli import COMMANDS, command
from gradcli.render.manual import FOLDER, TOPICS, linked, read, topics

PAGES = {"README": (ROOT / "README.md").read_text(encoding="utf-8")} | {topic.name: topic.text for topic in topics()}
GROUP = click.Context(command, info_name="gradcli", **command.context_settings)
LONGEST = 100  # of a line in the manual, where it is not a transcript, a picture or a row of a table


def transcripts(text):
    """(command line, expected output) of each `$ ...` in the text."""
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
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=environment, timeout=60, cwd=ROOT)
    return (done.stdout + done.stderr).strip("\n")


def blocks(kind):
    """(page and number, text) of each block of this kind in the README and the manual."""
    found = [(name, re.findall(rf"```{kind}\n(.*?)```", text, re.S)) for name, text in PAGES.items()]
    return [pytest.param(text, id=f"{name}-{i}") for name, texts in found for i, text in enumerate(texts, 1)]


def without_blocks(text):
    return re.sub(r"```.*?```", "", text, flags=re.S)


def cells(text, head):
    """The rows, as lists of cells, of the table with this head."""
    assert head in text, head
    lines = text.partition(head)[2].partition("\n\n")[0].strip().splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


# ------------------------------------------------------------------------------------------------- what runs


@pytest.mark.parametrize("block", blocks("console"))
def test_transcripts(block):
    assert block.startswith("$ ")
    for line, expected in transcripts(block):
        assert run(line) == expected


@pytest.mark.parametrize("name", PAGES)
def test_python(name):
    text = "\n".join(re.findall(r"```python\n(.*?)```", PAGES[name], re.S))
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
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


# ---------------------------------------------------------------------------------------------- what is named


def test_the_manual_is_its_folder():
    assert sorted(TOPICS) == sorted(name.removesuffix(".md") for name in os.listdir(FOLDER))
    assert len({topic.title for topic in topics()}) == len(TOPICS)


@pytest.mark.parametrize("topic", topics(), ids=TOPICS)
def test_a_topic_has_its_form(topic):
    """A title, a sentence in one line, sections, and links to neighbours at the end."""
    first, blank, about, *_ = topic.text.splitlines()
    assert (first, blank, about) == (f"# {topic.title}", "", topic.about)
    assert about.endswith(".") and "`" not in about and len(about) <= 61  # the list fits a terminal of 80 columns
    neighbours = topic.text.partition("\n## See also\n\n")[2].splitlines()
    assert len(neighbours) >= 2 and all(line.startswith(("* [", "* `")) for line in neighbours)
    for line in without_blocks(topic.text).splitlines():
        assert len(line) <= LONGEST or line.startswith(("|", "![", "    ")), line


@pytest.mark.parametrize("name", ["README", "CONTRIBUTING", *TOPICS])
def test_links_lead_somewhere(name):
    file = os.path.join(FOLDER, f"{name}.md") if name in TOPICS else ROOT / f"{name}.md"
    with open(file, encoding="utf-8") as page:
        text = without_blocks(page.read())
    for title, address in re.findall(r"\[([^\]]+)\]\(([^)]+)\)", text):
        assert os.path.exists(os.path.join(os.path.dirname(file), address)), address
        if name in TOPICS and (topic := linked(address)):
            assert title.lower() == read(topic).title.lower()


def test_every_topic_is_reached_from_the_readme_and_from_another_topic():
    for topic in topics():
        assert f"](src/gradcli/manual/{topic.name}.md)" in PAGES["README"]
        assert any(f"]({topic.name}.md)" in other.text for other in topics() if other != topic)
    assert [row[1] for row in cells(PAGES["README"], "| topic | what it is about |")] == [t.about for t in topics()]


def options_of(name):
    parameters = command.get_command(GROUP, name).get_params(GROUP)
    return {option for parameter in parameters for option in [*parameter.opts, *parameter.secondary_opts]}


@pytest.mark.parametrize("name", PAGES)
def test_commands_and_options_that_are_named_exist(name):
    code = "\n".join(re.findall(r"```console\n[^`]*```|`[^`\n]+`|^    [^\n]*$", PAGES[name], re.M))
    assert set(re.findall(r"(?<!from )\bgradcli ([a-z]+)\b", code)) <= set(COMMANDS)
    options = {option for known in COMMANDS for option in options_of(known)} | {"--help", "--version"}
    for line in code.splitlines():
        known = re.findall(r"(?<!from )\bgradcli ([a-z]+)\b", line)
        allowed = set().union(*map(options_of, known)) | {"--help"} if known else options
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", line)) <= allowed, line


def test_every_command_is_explained():
    text = "\n".join(PAGES[name] for name in TOPICS)
    for name in COMMANDS:
        assert len(re.findall(rf"`gradcli {name}\b|^\$ .*gradcli {name}\b", text, re.M)) > 1, name


# --------------------------------------------------------------------- tables that are those of the program


def test_the_table_of_commands():
    rows = cells(PAGES["getting-started"], "| command | what it gives |")
    assert rows == [[f"`gradcli {name}`", about] for name, about in COMMANDS.items()]


def test_the_table_of_functions():
    """The manual names every function; GRADCLI_UPDATE_GOLDEN=1 writes the table anew."""
    groups = {}
    for row in TABLE:
        if row.form in ("call", "variadic") and not row.internal:
            groups.setdefault(row.group, []).append(f"`{row.name}`")
    table = "".join(f"| {group} | {' '.join(names)} |\n" for group, names in groups.items())
    path = ROOT / "src" / "gradcli" / "manual" / "language.md"
    head, rule, rest = path.read_text(encoding="utf-8").partition("| group | functions |\n|---|---|\n")
    after = rest[rest.index("\n\n") :]
    if os.environ.get("GRADCLI_UPDATE_GOLDEN") == "1":
        path.write_text(head + rule + table.rstrip("\n") + after, encoding="utf-8")
    assert rest.removesuffix(after) + "\n" == table


def test_the_table_of_diagnostics():
    assert [row[0] for row in cells(PAGES["numbers"], "| kind | says |")] == [f"`{kind}`" for kind in KINDS]
    used = {row[2] for row in cells(PAGES["numbers"], "| place | derivative used | kind |")}
    assert used - {""} <= set(KINDS)


def test_the_tables_of_rooms():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = cells(contributing, "| room | what is in it |")
    folders = {path.parent.name for path in (ROOT / "src" / "gradcli").glob("*/__init__.py")}
    assert {row[0].strip("`") for row in rows} == folders
    assert rows == cells(PAGES["design"], "| room | what is in it |")
    paths = re.findall(r"`((?:src|tests|grammar|\.ci|manual|cli|render|kernel|autodiff)/[\w./-]+)`", contributing)
    for path in paths:
        assert (ROOT / path).exists() or (ROOT / "src" / "gradcli" / path.replace("NAME", "eval")).exists(), path


def test_the_table_of_extras():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = cells(PAGES["getting-started"], "| extra | brings | for |")
    assert {row[0].strip("`") for row in rows} == set(project["optional-dependencies"]) - {"bench"}


def test_the_table_of_the_library():
    named = [row[0].strip("`") for row in cells(PAGES["python"], "| name | gives |")]
    text = PAGES["python"]
    assert set(named) <= set(gradcli.__all__)
    assert [name for name in gradcli.__all__ if not re.search(rf"\b{name}\b", text)] == []


def test_the_benches_that_are_named_exist():
    for name in set(re.findall(r"\bbench_\w+\.py", "".join(PAGES.values()))):
        ast.parse((ROOT / "tests" / "bench" / name).read_text(encoding="utf-8"))
