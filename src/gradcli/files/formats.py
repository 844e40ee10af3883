"""The file formats by name and by ending; a table opened, and rows with new columns written.

A new format is a module with its record (`table.Format`), and its line in HOMES.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import IO, Any, NamedTuple

from gradcli.errors import UsageError
from gradcli.extras import load, require_extra
from gradcli.text import listed

from .atomic import whole
from .streams import codec_of
from .table import Encode, Format, New, Table


class Home(NamedTuple):
    """The module and the name of a format's record, the endings of its files, and the packages of the extra it needs."""

    module: str
    record: str
    endings: tuple[str, ...]
    needs: tuple[str, ...] = ()


HOMES = {
    "csv": Home("csv_format", "CSV", (".csv",)),
    "tsv": Home("csv_format", "TSV", (".tsv", ".tab")),
    "jsonl": Home("json_format", "JSONL", (".jsonl", ".ndjson"), ("pyarrow", "orjson")),
    "parquet": Home("parquet", "PARQUET", (".parquet", ".pq"), ("pyarrow", "orjson")),
}
NAMES = tuple(HOMES)


def named(name: str) -> Format:
    """The format of a name, whose module is loaded when it is needed."""
    home = HOMES[name]
    require_extra("batch", *home.needs)
    record: Format = getattr(import_module(f".{home.module}", __package__), home.record)
    return record


def format_of(path: str) -> str | None:
    """The name of the format that a file's ending stands for, under that of a compression."""
    stem = os.path.splitext(path)[0] if codec_of(path) else path
    ending = os.path.splitext(stem)[1].lower()
    return next((name for name, home in HOMES.items() if ending in home.endings), None)


def open_table(path: str, form: str | None = None, otherwise: str | None = None) -> Table:
    """The table in a file, `-` for standard input, in the format `form`, or the one that its ending stands for.

    A pipe is CSV, and a file with any other ending is in the format `otherwise`. Raises FileError for a file that
    cannot be read or is not in its format, UsageError for one whose format is not known.
    """
    name = form or ("csv" if path == "-" else format_of(path) or otherwise)
    if name is None:
        raise UsageError(f"{path} may be in any format", hint=f"say which with --from {listed(NAMES, 'or')}")
    return named(name).open(path, form is not None)


def target(form: str | None, path: str | None, first: Table) -> Format:
    """The format of the output: the one that was asked for, that of the ending, or that of the input."""
    name = form or (path and format_of(path))
    return named(name) if name else first.format


def encoder(form: Format, first: Table, new: New, used: Mapping[str, str]) -> Encode:
    """A function that makes pieces of output of rows and their new columns.

    The columns of the other tables have to fit those of the `first`. Raises UsageError if several of them have no name
    and the format needs one.
    """
    return (form.append if form is first.format else form.convert)(first, new, used)


@contextmanager
def sink(
    path: str | None, form: Format, first: Table, new: New, used: Mapping[str, str]
) -> Iterator[Callable[[Any], None]]:
    """A function that writes the pieces of the encoder, each of them whole even when Ctrl-C is pressed meanwhile.

    Raises UsageError for a terminal and a format that is not for one.
    """
    if form.binary and path is None and sys.stdout.isatty():
        raise UsageError(f"{form.name.capitalize()} is not for a terminal", hint="write it to a file with -o FILE")
    with destination(path) as file, form.writer(file, path or "standard output", first, new, used) as write:
        yield write


@contextmanager
def destination(path: str | None) -> Iterator[IO[bytes]]:
    """Standard output, or a file that appears whole or not at all, compressed as its ending says."""
    if path is None:
        yield sys.stdout.buffer
        return
    with whole(path) as file:
        codec = codec_of(path)
        if codec is None:
            yield file
            return
        with load("pyarrow").CompressedOutputStream(file, codec) as compressed:
            yield compressed
