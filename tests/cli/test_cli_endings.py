"""Output files: each is what its name says, or an error names the command that makes it."""

import pytest
from helpers import fails

from gradcli.cli import COMMANDS, command
from gradcli.cli.options import OutputOption
from gradcli.render.view import FORMATS

REQUESTS = {
    "eval": ("x^2", "x=3"),
    "diff": ("x^2",),
    "check": ("x^2", "x=3"),
    "graph": ("x^2", "x=3"),
    "explain": ("x^2", "x=3"),
    "plot": ("x^2", "x=0:1"),
    "minimize": ("x^2", "x=3"),
    "functions": (),
}


def endings(name):
    (option,) = [one for one in command.get_command(None, name).params if isinstance(one, OutputOption)]
    return option.endings


@pytest.mark.parametrize("name", REQUESTS)
def test_every_ending_is_written_or_refused(quick, tmp_path, name):
    """For each ending that any command writes: the file is there, or the error names who makes it, and no file is."""
    for form in FORMATS.values():
        for ending in form.endings:
            path = tmp_path / f"x{ending}"
            done = quick(name, *REQUESTS[name], "-o", str(path))
            if ending in endings(name):
                assert (done.code, path.exists()) == (0, True), done.stderr
            else:
                makers = [other for other in COMMANDS if other != "help" and ending in _of(other)]
                fails(done, 2, f"{name} writes no {ending}", *makers, *endings(name))
                assert not path.exists() and makers


def _of(name):
    options = [one for one in command.get_command(None, name).params if isinstance(one, OutputOption)]
    return options[0].endings if options else ()


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("x.html", "gradcli graph writes .html"),
        ("x.dot", "gradcli graph writes .dot"),
        ("x.HTM", "gradcli graph writes .htm"),
        ("x.png", "gradcli graph and plot write .png"),
        ("x.jpg", "gradcli plot writes .jpg"),
        ("x.csv", "gradcli map writes .csv"),
        ("x.csv.gz", "gradcli map writes .csv.gz"),
        ("x.parquet", "gradcli map writes .parquet"),
        ("x.xlsx", "no command writes .xlsx"),
    ],
)
def test_who_makes_it(quick, tmp_path, name, maker):
    done = quick("eval", "x^2", "x=3", "-o", str(tmp_path / name))
    fails(done, 2, maker, "its files end in .txt, .tsv, .json, .md or .markdown; ", "--format takes any name")
    assert list(tmp_path.iterdir()) == []


def test_a_name_without_an_ending_is_plain_and_a_format_takes_any_name(quick, tmp_path):
    for name, words in (("x", ()), (".hidden", ()), ("x.dat", ("--format", "plain"))):
        assert quick("eval", "x^2", "x=3", "-o", str(tmp_path / name), *words) == (0, "", "")
        assert (tmp_path / name).read_text() == "=\t9\t1\nx\t3\t6\n"


def test_a_fit_and_its_rows(quick, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("x,y\n0,1\n1,3\n2,5.1\n3,7\n", encoding="utf-8")
    words = ("fit", "y ~ a + b*x", str(data), "a=0", "b=0")
    fails(quick(*words, "-o", str(tmp_path / "f.png")), 2, "fit writes no .png", "gradcli graph and plot write .png")
    assert quick(*words, "--predict", str(data), "-o", str(tmp_path / "rows.csv")).code == 0
    assert (tmp_path / "rows.csv").read_text().startswith("x,y,predicted,stderr\n")


def test_a_picture_is_not_for_a_terminal(monkeypatch):
    import sys

    from gradcli.cli.output import write_content
    from gradcli.errors import UsageError

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with pytest.raises(UsageError, match="not for a terminal"):
        write_content(b"\x89PNG", None)
