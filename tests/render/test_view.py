"""One view for each result: a method for each format, one table of formats, and what every format promises."""

import importlib
import json
import pkgutil

import pytest
from markdown_it import MarkdownIt

import gradcli.render
from gradcli.render import markdown
from gradcli.render.view import FORMATS, Look, format_of, formats_of, tsv, written


def views():
    """Every class of views there is."""
    for module in pkgutil.walk_packages(gradcli.render.__path__, "gradcli.render."):
        for name, thing in vars(importlib.import_module(module.name)).items():
            if name.endswith("View") and thing.__module__ == module.name:
                yield thing


@pytest.mark.parametrize("view", list(views()), ids=lambda view: view.__name__)
def test_a_view_is_a_frozen_record_with_a_method_for_each_of_its_formats(view):
    assert issubclass(view, tuple) and view.__doc__
    assert formats_of(view) and all(callable(getattr(view, name)) for name in formats_of(view))


def test_an_ending_asks_for_one_format():
    endings = [ending for form in FORMATS.values() for ending in form.endings]
    assert len(endings) == len(set(endings)) and all(ending.startswith(".") for ending in endings)


class Both:
    def plain(self):
        yield "x", 0.5, None, -0.0
        yield "1e16", 1e16, float("inf")

    def json(self):
        return {"x": "é"}


def test_the_writers():
    assert written(Both(), "plain", Look()) == "x\t0.5\t\t-0\n1e16\t1e+16\tinf\n"
    assert written(Both(), "json", Look()) == '{"version": 1, "x": "\\u00e9"}\n'
    assert tsv([]) == ""


def test_a_view_has_the_endings_of_its_formats_alone():
    assert format_of(".JSON", Both) == "json" and format_of(".md", Both) is None


def test_a_new_format_is_an_entry_and_a_method(monkeypatch, quick):
    """YAML, say: the option, the ending and the file follow from one entry and one method."""
    from gradcli.render.eval import EvalView
    from gradcli.render.view import Format

    entry = Format((".yaml",), lambda view, look: "".join(f"{key}: {value}\n" for key, value in view.yaml().items()))
    monkeypatch.setitem(FORMATS, "yaml", entry)
    monkeypatch.setattr(EvalView, "yaml", lambda self: {"value": self.trace.value}, raising=False)
    import gradcli.cli.commands.eval as command

    importlib.reload(command)
    try:
        assert quick("eval", "x^2", "x=3", "--format", "yaml") == (0, "value: 9.0\n", "")
        for more in (["--value"], ["x=1,2,3"]):  # these are other views
            done = quick("eval", "x^2", *(more if more[0] != "--value" else ["x=3", *more]), "--format", "yaml")
            assert done.code == 2 and "this result has no format yaml\nhint: it has pretty, plain" in done.stderr
    finally:
        monkeypatch.undo()
        importlib.reload(command)


# -------------------------------------------------------------------------------------------------------- Markdown

READER = MarkdownIt("commonmark").enable("table")
WALK = ("(a+b)*(a*b)", "a=3", "b=4")
COMMANDS = [
    ("eval", *WALK),
    ("eval", *WALK, "--trace"),
    ("eval", *WALK, "--hessian", "--along", "a=1"),
    ("eval", "u = x^3; u", "x=2", "--order", "2", "--out", "u"),
    ("eval", "x^2", "x=1,2,3"),
    ("eval", "a_1*b_2 # a | b", "a_1=3", "b_2=4"),
    ("diff", "abs(x_1)*y", "x_1", "y"),
    ("diff", "max(x, y)", "x=1", "y=2"),
    ("check", "sin(x)*exp(y)", "x=1", "y=2"),
    ("check", "x^2", "x=3", "--expect", "x=2*x"),
    ("explain", *WALK),
    ("explain", *WALK, "--limit", "1", "--wrt", "a"),
    ("explain", *WALK, "--without", "order"),
    ("minimize", "(x-3)^2", "x=0"),
    ("functions",),
    ("functions", "sqrt"),
]


def tables(text):
    """The cells of each table, as a reader of Markdown understands it."""
    rows, found = None, []
    for token in READER.parse(text):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            rows = []
            found[-1].append(rows)
        elif token.type == "inline" and rows is not None:
            rows.append(token.content)
        elif token.type == "table_close":
            rows = None
    return found


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_tables_are_tables(quick, words):
    done = quick(*words, "--format", "markdown")
    assert done.code == 0 and done.stdout.endswith("\n")
    found = tables(done.stdout)
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert found and sum(len(table) + 1 for table in found) == len(lines)  # the rule below each header is no row
    for table in found:
        assert len({len(row) for row in table}) == 1


def test_the_walkthrough(quick, tmp_path):
    path = tmp_path / "walk.md"
    assert quick("eval", *WALK, "-o", str(path)) == (0, "", "")
    assert path.read_text(encoding="utf-8") == (
        "| `(a+b)*(a*b)` |  at | value, derivative |\n"
        "| :------------ | --: | ----------------: |\n"
        "| value         |     |                84 |\n"
        "| `a`           |   3 |                40 |\n"
        "| `b`           |   4 |                33 |\n"
    )


def test_formulas_are_set_in_latex(quick):
    done = quick("diff", "sin(x)/x", "--format", "markdown")
    formula = r"$\frac{\cos\left(x\right)}{x} - \frac{\sin\left(x\right)}{x^{2}}$"
    assert tables(done.stdout)[0][1] == [r"$\frac{\partial f}{\partial x}$", formula]


def test_large_formulas_are_equations_of_their_own(quick):
    done = quick("diff", "exp(x*y)*sin(x*y)", "--let", "--format", "markdown")
    assert tables(done.stdout) == [] and done.stdout.count("$$") == 10  # t1, t2, t3, and both derivatives


def test_a_fit(quick, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("x,y\n0,1\n1,3\n2,5.1\n3,7\n", encoding="utf-8")
    out = tmp_path / "fit.md"
    assert quick("fit", "y ~ a + b*x", str(data), "a=0", "b=0", "-o", str(out)).code == 0
    parameters, facts = tables(out.read_text(encoding="utf-8"))
    assert [row[0] for row in parameters] == ["", "`a`", "`b`"] and facts[1][0] == "RSS"


@pytest.mark.parametrize("text", ["a|b", "`x`", "a\\b", "1 | 2 | 3", ""])
def test_nothing_ends_a_cell(text):
    found = tables(markdown.table(["x", "y"], [[markdown.code(text), markdown.plain(text)]]))
    assert len(found) == 1 and len(found[0][1]) == 2


def test_json_of_the_same_command_is_untouched(quick):
    assert json.loads(quick("eval", *WALK, "--json").stdout)["gradient"] == {"a": 40.0, "b": 33.0}
