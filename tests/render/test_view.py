"""One view for each result: a method for each format, one table of formats, and what every format promises."""

import importlib
import pkgutil

import pytest

import gradcli.render
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
    assert format_of(".JSON", Both) == "json" and format_of(".svg", Both) is None


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
    finally:
        monkeypatch.undo()
        importlib.reload(command)
