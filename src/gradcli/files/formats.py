"""CSV, TSV, JSON Lines and Parquet by name: which a file is in, how to open it, and how rows are written in another."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any

from gradcli.errors import UsageError
from gradcli.extras import load

from . import csv_reader, csv_writer, json_columns, json_reader, json_writer, parquet
from .arrow import new_schema, with_columns
from .atomic import whole
from .csv_reader import DELIMITERS
from .rows import Batch, Found
from .streams import codec_of, file_trouble, name_of, uninterrupted
from .table import Rows, Table

FORMATS = ("csv", "tsv", "jsonl", "parquet")
ENDINGS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
ENDINGS |= {".pq": "parquet"}

Encode = Callable[[Table, Rows, Found], Any]


def format_of(path: str) -> str | None:
    """The format that a file's ending stands for, under that of a compression."""
    stem = os.path.splitext(path)[0] if codec_of(path) else path
    return ENDINGS.get(os.path.splitext(stem)[1].lower())


def open_table(path: str, form: str | None) -> Table:
    """The table in a file, `-` for standard input; without `form` its ending says what it is, and a pipe is CSV.

    Raises FileError for a file that cannot be read or is not in its format, UsageError for an ending nobody knows.
    """
    form = form or ("csv" if path == "-" else format_of(path))
    if form is None:
        raise UsageError(f"{path} may be in any format", hint="say which with --from csv, tsv, jsonl or parquet")
    if form == "parquet":
        return parquet.table(path)
    with file_trouble(path):
        size = os.stat(path).st_size if path != "-" and os.path.isfile(path) and not codec_of(path) else None
    return json_reader.table(path, size) if form == "jsonl" else csv_reader.table(path, form, size)


def place(table: Table, rows: Rows, row: int) -> str:
    """Where a row is: file and line, or the number of the row in a file that has no lines."""
    what = "row " if table.format == "parquet" else ""
    return f"{name_of(table.path)}:{what}{rows.lines[row]}"


# -------------------------------------------------------------------------------------------------------- written


def first_lines(table: Table, form: str, new: tuple[str, ...]) -> bytes:
    """What a file of this format begins with: the header of CSV and TSV, as it was where the format is the same."""
    if form not in DELIMITERS:
        return b""
    delimiter = DELIMITERS[form]
    added = csv_writer.header(new, delimiter)
    if table.format != form:
        return delimiter.encode().join(filter(None, [csv_writer.header(table.names, delimiter), added])) + b"\n"
    head, ending = table.head
    return bytes(delimiter.encode().join(filter(None, [head.rstrip(b"\r\n"), added])) + ending)


def encoder(form: str, first: Table, batch: Batch, used: Mapping[str, str]) -> Encode:
    """What makes pieces of bytes of rows and their new columns; for Parquet it makes a record batch.

    The columns of the other tables have to fit those of the `first`. Raises UsageError if several of them have no name
    and the format needs one.
    """
    names = first.names
    if names.count("") > 1 and form not in DELIMITERS:
        raise UsageError(f"{names.count('')} columns have no name, which {form} cannot hold")

    def cells(table: Table, rows: Rows) -> Any:
        if table.format == "jsonl":
            return json_columns.as_texts(rows, names, lambda row: place(table, rows, row))
        return rows.kept if rows.cells is None else rows.cells()

    def to_delimited(table: Table, rows: Rows, found: Found) -> list[Any]:
        if table.format == form:
            return csv_writer.appended(rows, found, DELIMITERS[form], len(names))
        return csv_writer.delimited(cells(table, rows), found, DELIMITERS[form])

    def to_jsonl(table: Table, rows: Rows, found: Found) -> list[Any]:
        if table.format == "jsonl":
            return [json_writer.appended(rows, found, batch.new, lambda row: place(table, rows, row))]
        numeric = set(used.values()) if table.format in DELIMITERS else ()
        return [json_writer.from_cells(cells(table, rows), found, batch.new, numeric)]

    def to_parquet(table: Table, rows: Rows, found: Found) -> Any:
        if table.format != "jsonl":
            return with_columns(cells(table, rows), batch.new, found)
        read = {title: rows.numbers[name] for name, title in used.items()}
        typed = json_columns.as_typed(rows, first.head, read, lambda row: place(table, rows, row))
        return with_columns(typed, batch.new, found)

    return {"jsonl": to_jsonl, "parquet": to_parquet}.get(form, to_delimited)


@contextmanager
def destination(path: str | None) -> Iterator[IO[bytes]]:
    """Where bytes go: standard output, or a file that appears whole or not at all, compressed as its ending says."""
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


@contextmanager
def sink(
    path: str | None, form: str, table: Table, batch: Batch, used: Mapping[str, str]
) -> Iterator[Callable[[Any], None]]:
    """What writes the pieces that the encoder makes, each of them whole even when Ctrl-C is pressed meanwhile."""
    with destination(path) as file:
        if form == "parquet":
            with parquet.writing(
                file, path or "standard output", empty(table, batch, used), parquet.codec_of(table)
            ) as add:
                yield add
            return

        def write(several: Sequence[Any]) -> None:
            with uninterrupted():
                for data in several:
                    file.write(data)
                file.flush()

        write([first_lines(table, form, batch.new)])
        yield write


def empty(table: Table, batch: Batch, used: Mapping[str, str]) -> Any:
    """The types of the columns where no row sets them."""
    if table.format == "parquet":
        return new_schema(table.head.schema_arrow, batch.new)
    kinds = dict.fromkeys(table.names, "text")
    if table.format == "jsonl":
        kinds |= table.head | dict.fromkeys(used.values(), "number")
    return new_schema(json_columns.schema_of(kinds), batch.new)
