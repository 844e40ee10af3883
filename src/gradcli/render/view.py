"""One view for each result, and one table of the formats in which results are written.

    class CheckView(NamedTuple):
        result: Check

        def plain(self) -> Iterator[Row]: ...               # rows of cells
        def json(self) -> dict[str, Any]: ...               # the fields of an object
        def pretty(self, look: Look) -> Iterator[Text]: ... # lines for a terminal

    written(CheckView(result), "json", Look())

A view is the record of a result, with a method for each format that it can take, with the name of the format. `FORMATS`
says how the answer of that method is written, and which endings of a file ask for it. A new format is an entry here and
a method of each view that has it; options, endings and messages of the commands follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from gradcli.errors import UsageError
from gradcli.text import listed, shortest

Cell = str | float | None  # a number with every digit; None is an empty cell
Row = Sequence[Cell]


class Look(NamedTuple):
    """The look of a result for people: cells across (None: as many as it takes), significant digits, colour."""

    width: int | None = None
    precision: int = 6
    colour: bool = False


class Format(NamedTuple):
    """A format: the endings of files that ask for it, and a function that makes a text or bytes of a view."""

    endings: tuple[str, ...]
    write: Callable[[Any, Look], str | bytes]


def _pretty(view: Any, look: Look) -> str:
    from .terminal import printed

    return printed(view.pretty(look), colour=look.colour, width=look.width)


def _json(view: Any, _: Look) -> str:
    """One object on one line, strict (numbers that are not finite are strings) and ASCII."""
    from json import dumps

    return dumps({"version": 1} | view.json()) + "\n"


def _markdown(view: Any, look: Look) -> str:
    return "\n\n".join(view.markdown(look)) + "\n"


def tsv(rows: Iterable[Row]) -> str:
    """Tab-separated records, one a line, with every digit."""
    return "".join("\t".join(map(_cell, row)) + "\n" for row in rows)


def _cell(cell: Cell) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else shortest(cell)


FORMATS = {
    "pretty": Format((".txt",), _pretty),
    "plain": Format((".tsv",), lambda view, _: tsv(view.plain())),
    "json": Format((".json",), _json),
    "markdown": Format((".md", ".markdown"), _markdown),
    "latex": Format((".tex",), lambda view, look: "".join(f"{line}\n" for line in view.latex(look))),
    "dot": Format((".dot", ".gv"), lambda view, look: view.dot(look)),
    "mermaid": Format((".mmd", ".mermaid"), lambda view, look: view.mermaid(look)),
    "svg": Format((".svg",), lambda view, look: view.svg(look)),
    "html": Format((".html", ".htm"), lambda view, look: view.html(look)),
    "png": Format((".png",), lambda view, look: view.png(look)),
    "jpg": Format((".jpg", ".jpeg"), lambda view, look: view.jpg(look)),
    "pdf": Format((".pdf",), lambda view, look: view.pdf(look)),
}


def formats_of(view: Any) -> list[str]:
    """The formats that a view, or a class of views, has."""
    return [name for name in FORMATS if hasattr(view, name)]


def endings_of(view: Any) -> list[str]:
    """The endings of the files that a view, or a class of views, can become."""
    return [ending for name in formats_of(view) for ending in FORMATS[name].endings]


def format_of(ending: str, view: Any) -> str | None:
    """The format of a view that an ending (".json") asks for, None where there is none."""
    return next((name for name in formats_of(view) if ending.lower() in FORMATS[name].endings), None)


def written(view: Any, name: str, look: Look) -> str | bytes:
    """The view in one of its formats, ready for a terminal, a pipe or a file.

    Raises UsageError for a format that another result of the same command has, and this one has not.
    """
    if not hasattr(view, name):
        raise UsageError(f"this result has no format {name}", hint=f"it has {listed(formats_of(view))}")
    return FORMATS[name].write(view, look)
