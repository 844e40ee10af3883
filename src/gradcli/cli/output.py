"""The destination of a result: standard output or a file, with colour or none; and the messages on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from gradcli.errors import UsageError
from gradcli.render.style import BLUE, BRICK, GREEN, PURPLE
from gradcli.render.view import Look, endings_of, format_of, formats_of, written
from gradcli.text import escape

if TYPE_CHECKING:
    from gradcli.files.columns import Part
    from gradcli.render.rows import Count
    from gradcli.trace.diagnostics import Diagnostic

MOST_NOTES = 8


class Place(NamedTuple):
    """A destination: `path` None is standard output. `chosen` says that the user asked for the format."""

    path: str | None
    format: str
    look: Look
    chosen: bool = False

    def for_people(self) -> Place:
        """The destination for a view that the user asked for by name: pretty in a pipe too, unless a format was asked for."""
        if self.chosen or self.path is not None:
            return self
        return self._replace(format="pretty", look=self.look._replace(colour=colour_of(sys.stdout)))


def place(path: str | None, form: str | None, view: Any, precision: int = 6, *, other: bool = False) -> Place:
    """The destination, with format, colour and width decided for a view or a class of views.

    Without `form` a file's ending decides; where it has none, and in a pipe, the format is plain, on a terminal
    pretty, and of a view that has neither its first. Raises UsageError for an ending that the view has no format for,
    unless something `other` than the view is written.
    """
    if path is not None:
        ending = os.path.splitext(path)[1].lower()
        if form is None and not other and ending not in ("", *endings_of(view)):
            from .endings import check_ending  # it looks through all the commands

            check_ending(path, endings_of(view))
        name = form or format_of(os.path.splitext(path)[1], view) or _usual(view, "plain")
        return Place(path, name, Look(None, precision), form is not None)
    terminal = sys.stdout.isatty()
    name = form or _usual(view, "pretty" if terminal else "plain")
    colour = name == "pretty" and colour_of(sys.stdout)
    return Place(None, name, Look(_width() if terminal else _columns(), precision, colour), form is not None)


def _usual(view: Any, form: str) -> str:
    formats = formats_of(view)
    return form if form in formats else formats[0]


def write(view: Any, destination: Place) -> None:
    """Write a result in the format of its destination."""
    write_content(written(view, destination.format, destination.look), destination.path)


def write_content(content: str | bytes, path: str | None) -> None:
    """Write a text or a picture to standard output or to a file, which appears whole or not at all."""
    if path is not None:
        from gradcli.files.atomic import whole  # it needs tempfile, which takes as long to load as all of the engine

        with whole(path) as file:
            file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
    elif isinstance(content, str):
        sys.stdout.write(content)
    elif sys.stdout.isatty():
        raise UsageError("a picture is not for a terminal", hint="write it to a file with -o FILE")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)


# ----------------------------------------------------------------------------------------------- colour and width

_chosen = "auto"


def choose_colour(wanted: str) -> None:
    """Set the choice of `--color`, for the result and for every message."""
    global _chosen
    _chosen = wanted


def colour_of(stream: IO[str]) -> bool:
    """True if output to `stream` is coloured: by the option, else NO_COLOR, FORCE_COLOR, TERM, else on a terminal."""
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
    """The width of the terminal, in cells."""
    if asked := _columns():
        return asked
    with suppress(OSError, ValueError):
        return max(20, os.get_terminal_size(sys.stdout.fileno()).columns or 80)
    return 80


# --------------------------------------------------------------------------------------- beside it: standard error


def say(message: str, colour: int = PURPLE) -> None:
    """Print a message; its first word, up to a colon, is its kind and is coloured, and so are its carets and hints."""
    if colour_of(sys.stderr):
        first, *rest = message.split("\n")
        message = "\n".join([_headed(first, colour), *[_detail(line, colour) for line in rest]])
    print(message, file=sys.stderr)


def _headed(line: str, colour: int) -> str:
    word, colon, rest = line.partition(":")
    return click.style(word + colon, fg=colour, bold=True) + rest


def _detail(line: str, colour: int) -> str:
    if line.startswith("hint:"):
        return _headed(line, BLUE)
    return click.style(line, fg=colour, bold=True) if line.strip() and not line.strip("^ ") else line


def report(diagnostics: Sequence[Diagnostic], most: int = MOST_NOTES) -> None:
    """Print the diagnostics, each with its place; no more than `most`."""
    for diagnostic in diagnostics[:most]:
        say(str(diagnostic))
    if len(diagnostics) > most:
        print(f"and {len(diagnostics) - most} more; --json lists all", file=sys.stderr)


def conclude(good: bool, verdict: str, notes: Iterable[str]) -> None:
    """Print how a search ended, and notes; raise Exit with code 1 if the end is not `good`."""
    say(escape(verdict), GREEN if good else BRICK)
    for note in notes:
        print(escape(note), file=sys.stderr)
    if not good:
        raise click.exceptions.Exit(1)


def complain(parts: Iterable[Part]) -> Count:
    """Print why rows have no result, part by part as they come; how many rows there were, and how many have none."""
    from gradcli.render.rows import Count

    count = Count()
    for part in parts:
        sys.stderr.write("".join([escape(line) + "\n" for line in part.complaints]))
        count = Count(count.rows + part.rows.length, 0, count.bad + len(part.complaints))
    return count
