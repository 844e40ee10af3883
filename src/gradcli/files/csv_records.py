"""The records of CSV and TSV, where they begin and end: a cell in quotes may hold delimiters and line ends."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from gradcli.errors import FileError

from .cells import cell_number
from .streams import name_of
from .table import Bad

BOM = b"\xef\xbb\xbf"
SHORT = 1 << 14  # bytes in which a header is looked for first
LONGEST = 1 << 28  # bytes of a record that is kept waiting for its end
_END = "\0 end of block"


class Layout(NamedTuple):
    """The way a file is written: its path for messages, its delimiter, its columns, and the end of its first line."""

    path: str
    delimiter: str
    names: tuple[str, ...] = ()
    ending: bytes = b"\n"


class Block(NamedTuple):
    """Whole records as bytes, each with its line end, and the line that the first of them begins in."""

    data: bytes
    line: int


def lines_of(text: str) -> list[str]:
    """The lines of a text that ends in a line end, each with its own. Only LF ends a line."""
    return [line + "\n" for line in text.split("\n")[:-1]]


def records(layout: Layout, lines: Sequence[str], first: int) -> Iterator[tuple[int, int, list[str]]]:
    """First line, line after the last, and cells of each record; no cells for a blank line.

    `first` is the number of the first line in the file. A last record whose quote is still open is left out.
    """
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(chain(lines, [_END]), delimiter=layout.delimiter)
    start = 0
    try:
        for cells in reader:
            if reader.line_num > len(lines):
                return
            yield start, reader.line_num, cells
            start = reader.line_num
    except csv.Error:
        line = f"{name_of(layout.path)}:{first + reader.line_num - 1}"
        raise FileError(f"{line}: a carriage return that no line feed follows, outside of quotes") from None


def header(layout: Layout, source: Iterator[bytes]) -> tuple[bytes, Block, int]:
    """The bytes of the first record, what was read after it and its line, and where in the file that begins.

    A byte order mark stays in front; blank lines before it are left out. Raises FileError where there is none.
    """
    data = b""
    for piece in chain(source, [layout.ending]):
        data += piece
        for length in (SHORT, len(data)):  # a whole piece has many lines, and the header is most often in the first
            text = data[:length].removeprefix(BOM).decode("latin-1")  # one character a byte: delimiters are ASCII
            lines = lines_of(text)
            for start, end, cells in records(layout, lines, 1):
                if cells:
                    mark = len(data[:length]) - len(text)
                    begin = mark + sum(map(len, lines[:start]))
                    after = begin + sum(map(len, lines[start:end]))
                    return data[:mark] + data[begin:after], Block(data[after:], end + 1), after
    raise FileError(f"{name_of(layout.path)} has no header", hint="the first line names the columns")


def blocks(layout: Layout, source: Iterable[bytes], line: int) -> Iterator[Block]:
    """Cut pieces of a file into blocks of whole records; a last line without an end gets one.

    Raises FileError for a quote that is never closed.
    """
    rest, wanted = b"", 0
    for piece in source:
        if (end := piece.rfind(b"\n") + 1) and b'"' not in piece and b'"' not in rest:
            block, rest = Block(b"".join([rest, memoryview(piece)[:end]]), line), piece[end:]
            yield block
            line += _newlines(block.data)
            continue
        rest += piece
        if len(rest) < wanted:
            continue
        end = record_end(layout, rest, line)
        if end:
            block, rest = Block(rest[:end], line), rest[end:]
            yield block
            line += _newlines(block.data)
        if len(rest) > LONGEST:
            raise FileError(f"{name_of(layout.path)}:{line}: a row of more than {LONGEST >> 20} MiB: is a quote open?")
        wanted = 2 * len(rest) if len(rest) > 1 << 20 else 0  # a long record is not looked through at every piece
    if rest and not rest.endswith(b"\n"):
        rest += layout.ending
    if rest:
        end = record_end(layout, rest, line)
        if end < len(rest):
            line += rest.count(b"\n", 0, end)
            raise FileError(f"{name_of(layout.path)}:{line}: a quote that is opened here is never closed")
        yield Block(rest, line)


def _newlines(data: bytes) -> int:
    """The number of line feeds; counted by bytes.count it takes seven times as long."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == 10))


def record_end(layout: Layout, data: bytes, line: int) -> int:
    """The end of the last whole record in `data`, 0 if there is none."""
    end = data.rfind(b"\n") + 1
    if data.find(b'"', 0, end) < 0:
        return end
    quotes = quotes_of(data[:end], layout.delimiter)
    if quotes is None:
        return _careful_end(layout, data[:end], line)
    newlines = np.flatnonzero(np.frombuffer(data[:end], np.uint8) == 10)
    outside = newlines[np.searchsorted(quotes, newlines) % 2 == 0]
    return int(outside[-1]) + 1 if len(outside) else 0


def quotes_of(data: bytes, delimiter: str) -> Any:
    """The positions of the quotes, if each opens or closes a cell or is one of a pair inside a cell; None elsewhere.

    Where this holds, a place with an even number of quotes before it is outside of quotes, and all readers agree.
    """
    codes = np.frombuffer(data, np.uint8)
    positions = np.flatnonzero(codes == 34)
    opening, closing = positions[::2], positions[1::2]
    before = codes[opening[opening > 0] - 1]
    after = codes[closing[closing < len(codes) - 1] + 1]
    opens = (before == ord(delimiter)) | (before == 10) | (before == 34)
    closes = (after == ord(delimiter)) | (after == 10) | (after == 13) | (after == 34)
    return positions if opens.all() and closes.all() else None


def _careful_end(layout: Layout, data: bytes, line: int) -> int:
    lines = lines_of(data.decode("latin-1"))
    end = max((after for _, after, _ in records(layout, lines, line)), default=0)
    return sum(map(len, lines[:end]))


def read_cell(text: str, row: int, name: str, column: Any, bad: dict[int, Bad], title: str) -> None:
    """Put the number in a cell into its place, or what is wrong with it among the bad rows."""
    number = cell_number(text)
    column[row] = "nan" if isinstance(number, str) else number
    if isinstance(number, str):
        bad.setdefault(row, Bad(title, number))
