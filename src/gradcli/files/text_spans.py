"""Parts of text files that a cluster computes: whole lines, as many bytes as make a task."""

from __future__ import annotations

from collections.abc import Iterator

from .csv_records import Block
from .streams import codec_of, file_trouble
from .table import Span, Table

SIZE = 1 << 26  # bytes in a part


def spans(table: Table) -> Iterator[Span]:
    """The parts as bytes from `begin` to `end`, which is None for a compressed file, and the number of the first line."""
    if codec_of(table.path):
        yield 0, None, 1
        return
    begin = end = table.start
    number = 0
    for block in table.blocks:
        number = number or block.line
        end += len(block.data)
        if end - begin >= SIZE:
            yield begin, end, number
            begin, number = end, 0
    if end > begin or end == table.start:  # of a table without rows there is a part too, which says its columns
        yield begin, end, number


def within(table: Table, span: Span) -> Iterator[Block]:
    """The blocks of a part."""
    begin, end, number = span
    if end is None:
        yield from table.blocks
        return
    with file_trouble(table.path), open(table.path, "rb") as file:
        file.seek(begin)
        data = file.read(end - begin)
    yield Block(data if data.endswith(b"\n") else data + b"\n", number)
