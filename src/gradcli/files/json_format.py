"""JSON Lines as a file format: an object a line, whose keys are the columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import IO, Any

from . import json_columns, json_writer
from .csv_records import Layout
from .json_reader import blocks, kinds_in, rows
from .record_batches import schema_of
from .streams import pieces, size_of, writer_of
from .table import Encode, Format, New, Results, Rows, Table, check_named, line, unchecked
from .text_spans import spans, within


def _open(path: str, sure: bool) -> Table:
    """The table in a file of JSON Lines; its columns, and their kinds for Parquet, are those of the first rows.

    These are as many as come at once; of a file also a last row without a line end.
    """
    size, layout = size_of(path), Layout(path, "")
    several = blocks(layout, pieces(path))
    first = list(islice(several, 1 if path == "-" else 2))
    kinds = kinds_in(layout, first)
    return Table(path, JSONL, tuple(kinds), kinds, chain(first, several), partial(rows, layout), size)


def _places(table: Table, rows: Rows) -> Callable[[int], str]:
    return lambda row: line(table, rows, row)


def _cells(table: Table, rows: Rows, titles: Sequence[str]) -> Any:
    return json_columns.as_texts(rows, titles, _places(table, rows))


def _typed(table: Table, rows: Rows, first: Table, used: Mapping[str, str]) -> Any:
    read = {title: rows.numbers[name] for name, title in used.items()}
    return json_columns.as_typed(rows, first.head, read, _places(table, rows))


def _schema(first: Table, used: Mapping[str, str]) -> Any:
    return schema_of(first.head | dict.fromkeys(used.values(), float))


def _append(first: Table, new: New, _: Mapping[str, str]) -> Encode:
    check_named(first, JSONL)

    def encode(table: Table, rows: Rows, results: Results) -> list[bytes]:
        return [json_writer.appended(rows, results, list(new), _places(table, rows))]

    return encode


def _convert(first: Table, new: New, used: Mapping[str, str]) -> Encode:
    check_named(first, JSONL)
    numeric = set(used.values()) if first.format.untyped else set()

    def encode(table: Table, rows: Rows, results: Results) -> list[bytes]:
        cells = table.format.cells(table, rows, first.names)
        return [json_writer.from_cells(cells, results, list(new), numeric)]

    return encode


@contextmanager
def _writer(
    file: IO[bytes], path: str, first: Table, new: New, used: Mapping[str, str]
) -> Iterator[Callable[[Any], None]]:
    yield writer_of(file)


JSONL = Format(
    "jsonl",
    open=_open,
    check=unchecked,
    column=lambda table, rows, title: json_columns.column(rows, title),
    cells=_cells,
    typed=_typed,
    schema=_schema,
    spans=spans,
    within=within,
    append=_append,
    convert=_convert,
    writer=_writer,
    loose=True,
)
