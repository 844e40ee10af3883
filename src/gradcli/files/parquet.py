"""Parquet as a file format: read a batch of rows at a time, and written so, with the new columns after the others."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from gradcli.errors import FileError

from .arrow_texts import cell_texts
from .record_batches import check_types, new_schema, read_columns, with_columns
from .streams import file_trouble, name_of, reading
from .table import Encode, Format, New, Rows, Span, Table, check_named, check_names

ROWS = 1 << 16  # in a batch


class Block(NamedTuple):
    """A record batch, and the number of its first row, counted from 1."""

    records: Any
    row: int


def _open(path: str, sure: bool) -> Table:
    """The table in a Parquet file. Raises FileError where it is none."""
    with file_trouble(path):
        source = _spooled(path) if path == "-" else path
        try:
            file = pq.ParquetFile(source)
        except pa.ArrowInvalid:
            raise FileError(f"{name_of(path)} is not a Parquet file") from None
    schema = file.schema_arrow
    check_names(path, schema.names)
    return Table(path, PARQUET, tuple(schema.names), file, _blocks(path, file), read, file.metadata.num_rows)


def _spooled(path: str) -> IO[bytes]:
    """Standard input as a file that can be read from its end, as Parquet has to be."""
    file = tempfile.TemporaryFile()  # noqa: SIM115
    with reading(path) as source:
        shutil.copyfileobj(source, file, 1 << 20)
    file.seek(0)
    return file


def _blocks(path: str, file: Any) -> Iterator[Block]:
    row = 1
    with file_trouble(path):
        for records in file.iter_batches(batch_size=ROWS):
            yield Block(records, row)
            row += records.num_rows


def _spans(table: Table) -> Iterator[Span]:
    """The row groups; of a table without any there is a part too, which says its columns."""
    row, metadata = 1, (table.head or _open(table.path, True).head).metadata
    for group in range(metadata.num_row_groups):
        yield group, group + 1, row
        row += metadata.row_group(group).num_rows
    if not metadata.num_row_groups:
        yield 0, 0, 1


def _within(table: Table, span: Span) -> Iterator[Block]:
    begin, end, row = span
    for records in table.head.iter_batches(row_groups=list(range(begin, end or 0))):
        yield Block(records, row)
        row += records.num_rows


def read(block: Block, used: Mapping[str, str]) -> Rows:
    """The rows of a block; `used` are the columns to read by the variables that stand for them."""
    count = block.records.num_rows
    numbers, bad = read_columns(block.records, used)
    lines = range(block.row, block.row + count)
    return Rows(count, numbers, bad, lines, block.records, count)


@contextmanager
def writing(
    file: IO[bytes], path: str, first: Table, new: New, used: Mapping[str, str]
) -> Iterator[Callable[[Any], None]]:
    """A writer of record batches. The first sets the types of the columns; if none comes, the first table does.

    Raises FileError for a batch that cannot take these types.
    """
    writers: list[Any] = []
    empty, codec = new_schema(first.format.schema(first, used), new), codec_of(first)

    def start(schema: Any) -> Any:
        writers.append(pq.ParquetWriter(file, schema, compression=codec, use_dictionary=_repeating(schema)))
        return writers[0]

    def write(records: Any) -> None:
        writer = writers[0] if writers else start(records.schema)
        if records.schema != writer.schema:
            try:
                records = records.cast(writer.schema)
            except (pa.ArrowInvalid, ValueError) as problem:
                raise FileError(f"cannot write {path}: the types of a column change: {problem}") from None
        writer.write_batch(records)

    try:
        yield write
        if not writers:
            start(empty)
    finally:
        for writer in writers:
            writer.close()


def _repeating(schema: Any) -> list[str]:
    """The columns for which a dictionary may pay: a float seldom comes twice."""
    return [
        field.name for field in schema if not pa.types.is_floating(field.type) and not pa.types.is_nested(field.type)
    ]


def codec_of(table: Table) -> str:
    """The compression of a Parquet file's first column; snappy for what comes from another format."""
    if table.format is not PARQUET or not table.head.metadata.num_row_groups or not table.names:
        return "snappy"
    return str(table.head.metadata.row_group(0).column(0).compression).replace("UNCOMPRESSED", "none").lower()


def _convert(first: Table, new: New, used: Mapping[str, str]) -> Encode:
    check_named(first, PARQUET)
    return lambda table, rows, results: with_columns(table.format.typed(table, rows, first, used), new, results)


PARQUET = Format(
    "parquet",
    open=_open,
    check=lambda table, titles: check_types(table.head.schema_arrow, titles),
    column=lambda table, rows, title: cell_texts(rows.kept.column(title)).to_pylist(),
    cells=lambda table, rows, titles: rows.kept,
    typed=lambda table, rows, first, used: rows.kept,
    schema=lambda first, used: first.head.schema_arrow,
    spans=_spans,
    within=_within,
    append=_convert,
    convert=_convert,
    writer=writing,
    unit="row ",
    binary=True,
)
