"""Where the result goes and how it looks there: standard output or a file, a terminal or a pipe, colour or none."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from gradcli.text import excerpt

if TYPE_CHECKING:
    from gradcli.trace.diagnostics import Diagnostic

ENDINGS = {".json": "json", ".txt": "pretty", ".tsv": "plain"}
MOST_NOTES = 8


class Place(NamedTuple):
    """A destination: `path` None is standard output. `format` is pretty, plain or json."""

    path: str | None
    format: str
    colour: bool
    width: int | None


def place(path: str | None, form: str | None, *, view: bool = False, endings: Mapping[str, str] = ENDINGS) -> Place:
    """Decide on format, colour and width.

    Without `form` a file's ending decides (another ending: plain); a terminal gets pretty and a pipe plain. `view` says that a view
    for people was asked for by name.
    """
    if path is not None:
        ending = os.path.splitext(path)[1].lower()
        return Place(path, form or endings.get(ending, "plain"), False, None)
    terminal = sys.stdout.isatty()
    chosen = form or ("pretty" if terminal or view else "plain")
    return Place(None, chosen, chosen == "pretty" and colour_of(sys.stdout), _width() if terminal else _columns())


_chosen = "auto"


def choose_colour(wanted: str) -> None:
    """What `--color` says, for the result and for every message."""
    global _chosen
    _chosen = wanted


def colour_of(stream: IO[str]) -> bool:
    """Whether to colour what goes to `stream`: the option, then NO_COLOR, FORCE_COLOR, TERM, then a terminal or not."""
    if _chosen != "auto":
        return _chosen == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if forced := os.environ.get("FORCE_COLOR"):
        return forced != "0"
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _columns() -> int | None:
    columns = os.environ.get("COLUMNS", "")
    return max(20, int(columns)) if columns.isascii() and columns.isdigit() and len(columns) < 6 else None


def _width() -> int:
    """Of the terminal, in cells."""
    if asked := _columns():
        return asked
    with suppress(OSError, ValueError):
        return max(20, os.get_terminal_size(sys.stdout.fileno()).columns or 80)
    return 80


def write_text(text: str, where: Place) -> None:
    """Write `text`. A file appears whole or not at all."""
    if where.path is None:
        sys.stdout.write(text)
    else:
        _write_file(where.path, text.encode("utf-8", "backslashreplace"))


def write_bytes(data: bytes, where: Place) -> None:
    """Write a file that is no text, whole or not at all."""
    assert where.path is not None
    _write_file(where.path, data)


def write_lines(lines: Iterable[Any], where: Place) -> None:
    """Write lines of Rich text."""
    from io import StringIO

    from gradcli.render.style import print_lines

    buffer = StringIO()
    print_lines(lines, buffer, colour=where.colour, width=where.width)
    write_text("\n".join(line.rstrip() for line in buffer.getvalue().split("\n")), where)


def _write_file(path: str, data: bytes) -> None:
    from gradcli.files.atomic import whole

    with whole(path) as file:
        file.write(data)


def report(found: Sequence[Diagnostic], most: int = MOST_NOTES) -> None:
    """The diagnostics, on standard error, each with its place; no more than `most`."""
    coloured = colour_of(sys.stderr)
    for one in found[:most]:
        kind = click.style(f"{one.kind}:", fg="yellow", bold=True) if coloured else f"{one.kind}:"
        lines = [f"{kind} {one.message}", *excerpt(one.source.text, *one.span)]
        print("\n".join(lines), file=sys.stderr)
    if len(found) > most:
        print(f"and {len(found) - most} more; --json lists all", file=sys.stderr)
