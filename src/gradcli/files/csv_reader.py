"""CSV and TSV, read: by Arrow where it is installed and a block of lines is plain, and record by record where it is not.

Both ways read the same; the careful one is slower, and knows what is wrong with a row.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gradcli.extras import load
from gradcli.text import counted

from .csv_records import Block, Layout, lines_of, read_cell, records
from .streams import decoded
from .table import Bad, Rows


class Record(NamedTuple):
    """A row as it was: its text without the line end, the line end, and its cells."""

    text: str
    ending: str
    cells: list[str]


def rows(layout: Layout, block: Block, used: Mapping[str, str]) -> Rows:
    """The rows of a block; `used` are the columns to read by the variables that stand for them."""
    if not block.data.isascii():
        decoded(layout.path, block.data, block.line)
    return _plain_rows()(layout, block, used) or careful_rows(layout, block, used)


@cache
def _plain_rows() -> Callable[[Layout, Block, Mapping[str, str]], Rows | None]:
    """The quick way; without Arrow no block is plain."""
    try:
        from .csv_plain import plain_rows
    except ImportError:
        return lambda layout, block, used: None
    return plain_rows


def careful_rows(layout: Layout, block: Block, used: Mapping[str, str]) -> Rows:
    """The rows of any block, record by record."""
    lines = lines_of(block.data.decode())
    kept: list[Record] = []
    starts: list[int] = []
    for start, end, cells in records(layout, lines, block.line):
        if cells:
            text = "".join(lines[start:end])
            body = text[:-2] if text.endswith("\r\n") else text[:-1]
            kept.append(Record(body, text[len(body) :], cells))
            starts.append(block.line + start)
    numbers = {name: np.full(len(kept), np.nan) for name in used}
    bad: dict[int, Bad] = {}
    for row, record in enumerate(kept):
        if amiss := _amiss(layout, record):
            bad[row] = Bad("", amiss)
            continue
        for name, title in used.items():
            read_cell(record.cells[layout.names.index(title)], row, name, numbers[name], bad, title)
    return Rows(len(kept), numbers, bad, starts, kept, len(block.data), lambda: _as_batch(layout, kept))


def _amiss(layout: Layout, record: Record) -> str:
    """The fault of a row as a whole, or ""."""
    count, wanted = len(record.cells), len(layout.names)
    if count != wanted:
        return f"{counted(count, 'cell')}, where the header has {wanted}"
    if '"' in record.text:
        try:
            list(csv.reader(lines_of(record.text + "\n"), delimiter=layout.delimiter, strict=True))
        except csv.Error:
            return "text after a closing quote"
    return ""


def _as_batch(layout: Layout, kept: Sequence[Record]) -> Any:
    pa = load("pyarrow")
    columns = [
        pa.array([record.cells[i] if i < len(record.cells) else None for record in kept], pa.string())
        for i in range(len(layout.names))
    ]
    return pa.RecordBatch.from_arrays(columns, names=list(layout.names))
