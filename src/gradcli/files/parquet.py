"""Parquet: read a batch of rows at a time, and written so, every column as it was with the new ones after them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

from gradcli.errors import FileError
from gradcli.extras import load

from .arrow import read_columns
from .csv_reader import check_names
from .streams import file_trouble, name_of, reading
from .table import Rows, Table

ROWS = 1 << 16  # in a batch


class Block(NamedTuple):
    """A record batch, and the number of its first row, counted from 1."""

    records: Any
    row: int


def table(path: str) -> Table:
    """The table in a Parquet file. Raises FileError where it is none."""
    pa, pq = load("pyarrow"), load("pyarrow.parquet")
    with file_trouble(path):
        source = _spooled(path) if path == "-" else path
        try:
            file = pq.ParquetFile(source)
        except pa.ArrowInvalid:
            raise FileError(f"{name_of(path)} is not a Parquet file") from None
    schema = file.schema_arrow
    check_names(path, schema.names)
    return Table(path, "parquet", tuple(schema.names), file, _blocks(path, file), read, file.metadata.num_rows)


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


def read(block: Block, used: Mapping[str, str]) -> Rows:
    """The rows of a block; `used` are the columns to read by the variables that stand for them."""
    count = block.records.num_rows
    numbers, bad = read_columns(block.records, used)
    lines = range(block.row, block.row + count)
    return Rows(count, numbers, bad, lines, block.records, count)


@contextmanager
def writing(file: IO[bytes], path: str, empty: Any, codec: str) -> Iterator[Callable[[Any], None]]:
    """What writes record batches to a Parquet file. The first sets the types of the columns; `empty` does if none comes.

    Raises FileError for a batch that cannot take these types.
    """
    pa, pq = load("pyarrow"), load("pyarrow.parquet")
    writers: list[Any] = []

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
        if not writers and empty is not None:
            start(empty)
    finally:
        for writer in writers:
            writer.close()


def _repeating(schema: Any) -> list[str]:
    """The columns for which a dictionary may pay: a float seldom comes twice."""
    types = load("pyarrow").types
    return [field.name for field in schema if not types.is_floating(field.type) and not types.is_nested(field.type)]


def codec_of(table: Table) -> str:
    """The compression of a Parquet file's first column; snappy for what comes from another format."""
    if table.format != "parquet" or not table.head.metadata.num_row_groups or not table.names:
        return "snappy"
    return str(table.head.metadata.row_group(0).column(0).compression).replace("UNCOMPRESSED", "none").lower()
