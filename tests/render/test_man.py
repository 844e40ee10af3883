"""Man pages: what roff must not take for its own, and pages that groff and mandoc read without a word."""

import shutil
import subprocess

import pytest

from gradcli.render.man import escaped, topic_page
from gradcli.render.manual import TOPICS, Topic, read

SAMPLE = r"""# Sample

About it.

## First part, d'accord

.start with a dot; a `code-word` and **bold**, *slanted*; 'quotes', "double", a\b, x^2, ~, `−x²`.

* one
* two,
  in two lines

1. first

| name | a | b |
|---|---|---|
| `.x` | 1 | -2 |

```console
$ gradcli eval "x^2" x=3
.dot
'quote	tab

after
```

### Deeper: `x^2`-y

See [The language](language.md) and [elsewhere](https://example.org/a-b).
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder with all man pages, made in this process."""
    from gradcli.cli import main

    folder = tmp_path_factory.mktemp("man")
    assert main(["help", "--man", str(folder)]) == 0
    (folder / "man7" / "gradcli-sample.7").write_text(page(SAMPLE), encoding="ascii")
    return folder


def page(text):
    return topic_page(Topic("sample", "Sample", "About it.", text))


def shown(text):
    """A page as groff prints it on a terminal."""
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    command = ["groff", "-man", "-Tutf8", "-ww", "-P-cbou"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_escapes():
    assert escaped(r"a-b \n 'x' ^~") == r"a\-b \en \(aqx\(aq \(ha\(ti"
    assert escaped("x² → ⡇") == r"x\[u00B2] \[u2192] \[u2847]"


def test_no_line_is_a_request_that_was_not_meant():
    requests = {".TH", ".SH", ".SS", ".PP", ".TP", ".IP", ".RS", ".RE", ".nf", ".fi", ".B", ".BR"}
    for text in [page(SAMPLE), *[topic_page(read(name)) for name in TOPICS]]:
        assert text.isascii()
        for line in text.splitlines():
            assert not line.startswith("'") and (not line.startswith(".") or line.split()[0] in requests), line


def test_what_a_reader_sees():
    lines = [" ".join(line.split()) for line in shown(page(SAMPLE)).splitlines()]
    text = "\n".join(lines)
    for part in (
        "\nNAME\ngradcli-sample - About it\n",
        "\nFIRST PART, D'ACCORD\n.start with a dot; a code-word and bold, slanted; 'quotes', \"double\",\na\\b, x^2, ~, −x².\n",
        '\n$ gradcli eval "x^2" x=3\n.dot\n\'quote tab\n\nafter\n',
        "\n* two, in two lines\n",
        "\n1. first\n",
        "\n.x a: 1; b: -2\n",
        "\nDeeper: x^2-y\nSee The language, gradcli-language(7) and elsewhere (https://",
    ):
        assert part in text, text


@pytest.mark.parametrize("name", TOPICS)
def test_transcripts_and_headings_are_whole(name):
    topic = read(name)
    lines = {" ".join(line.split()) for line in shown(topic_page(topic)).splitlines()}
    block = False
    for line in topic.text.splitlines():
        if line.startswith("```"):
            block = not block
        elif block:
            assert " ".join(line.split()) in lines, line
        elif line.startswith("## "):
            assert line.removeprefix("## ").upper() in lines


@pytest.mark.parametrize("tool", [["groff", "-man", "-Tutf8", "-ww"], ["mandoc", "-T", "lint", "-W", "warning"]])
def test_tools_read_every_page_without_a_word(pages, tool):
    if not shutil.which(tool[0]):
        pytest.skip(f"{tool[0]} is not installed")
    for path in sorted(pages.rglob("*.[17]")):
        done = subprocess.run([*tool, path], capture_output=True, text=True, encoding="utf-8", timeout=60)
        complaints = done.stderr + (done.stdout if tool[0] == "mandoc" else "")
        assert (done.returncode, complaints) == (0, ""), path


def test_man_finds_them(pages):
    if not shutil.which("man"):
        pytest.skip("man is not installed")
    for name in ("gradcli", "gradcli-eval", "gradcli-language"):
        done = subprocess.run(["man", "-M", pages, name], capture_output=True, text=True, encoding="utf-8", timeout=60)
        assert done.returncode == 0 and name.upper() in done.stdout
