"""CSV and TSV, read: Arrow finds the cells where a block of lines is plain, Python record by record where it is not.

A row is kept as the bytes of its lines, so that every cell comes out as it went in, with its quotes and zeros.
Both ways read the same; the careful one is slower, and knows what is wrong with a row.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from gradcli.errors import FileError, UsageError
from gradcli.extras import load
from gradcli.language.parser import normal
from gradcli.text import escape

from .csv_records import BOM, Block, Layout, blocks, header, lines_of, quotes_of, records
from .rows import Bad, cell_number
from .streams import name_of, pieces
from .table import Rows, Table

DELIMITERS = {"csv": ",", "tsv": "\t"}
MISSING = ["", "NA", "N/A", "n/a", "null", "NULL", "None", "NaN", "nan", "-"]  # looked at again, one by one


class Record(NamedTuple):
    """A row as it was: its text without the line end, the line end, and its cells."""

    text: str
    ending: str
    cells: list[str]


def table(path: str, form: str, size: int | None) -> Table:
    """The table in a CSV or TSV file. Raises FileError where there is no header, UsageError for a column twice."""
    source = pieces(path)
    layout = Layout(path, DELIMITERS[form])
    head, rest, start = header(layout, source)
    (cells,) = csv.reader(lines_of(decoded(path, head.removeprefix(BOM), 1)), delimiter=layout.delimiter)
    names = tuple([normal(cell.strip()) for cell in cells])
    check_names(path, names)
    layout = layout._replace(names=names, ending=b"\r\n" if head.endswith(b"\r\n") else b"\n")
    found = blocks(layout, chain([rest.data], source), rest.line)
    return Table(path, form, names, (head, layout.ending), found, partial(rows, layout), size, start)


def check_names(path: str, names: Sequence[str]) -> None:
    """Raise UsageError if two columns have the same name; columns without one do not count."""
    seen: set[str] = set()
    for name in filter(None, names):
        if name in seen:
            raise UsageError(f"{name_of(path)}: two columns are called {escape(name)}")
        seen.add(name)


def decoded(path: str, data: bytes, line: int) -> str:
    """The text of some lines of a file, the first of which is `line`. Raises FileError where it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        line += data.count(b"\n", 0, problem.start)
        raise FileError(f"{name_of(path)} is not UTF-8: byte 0x{data[problem.start]:02X} in line {line}") from None


def rows(layout: Layout, block: Block, used: Mapping[str, str]) -> Rows:
    """The rows of a block; `used` are the columns to read by the variables that stand for them."""
    if not block.data.isascii():
        decoded(layout.path, block.data, block.line)
    return plain_rows(layout, block, used) or careful_rows(layout, block, used)


def plain_rows(layout: Layout, block: Block, used: Mapping[str, str]) -> Rows | None:
    """The rows of a block in which every line is a row with the right number of cells; None for any other block."""
    np = load("numpy")
    codes = np.frombuffer(block.data, np.uint8)
    newlines = np.flatnonzero(codes == 10)
    ending = _ending(block.data, codes, newlines)
    quoted = b'"' in block.data
    if ending is None or (quoted and quotes_of(block.data, layout.delimiter) is None) or block.data.startswith(BOM):
        return None  # of a byte order mark, which is one at the start of a file alone, Arrow would make nothing
    places = {name: layout.names.index(column) for name, column in used.items()}
    parsed = _parsed(layout, block.data, dict.fromkeys(places.values(), "double") or {0: "string"}, quoted)
    if parsed is None or parsed.num_rows != len(newlines):
        return None  # a blank line, or a cell with a line end in it
    numbers = {name: parsed.column(f"c{place}").to_numpy() for name, place in places.items()}
    kept = _with_line_ends_before(block.data, newlines, ending)
    bad = _looked_at_again(layout, kept, numbers, places)
    everything = dict.fromkeys(range(len(layout.names)), "string")
    return Rows(
        len(newlines),
        numbers,
        bad,
        range(block.line, block.line + len(newlines)),
        kept,
        len(block.data),
        lambda: _renamed(_parsed(layout, block.data, everything, quoted), layout.names),
    )


def _ending(data: bytes, codes: Any, newlines: Any) -> bytes | None:
    """The line end of all lines; None where they differ, or a carriage return is anywhere else."""
    if b"\r" not in data:
        return b"\n"
    before = codes[newlines - 1]  # of a newline at 0 the last byte, which is one
    return b"\r\n" if (before == 13).all() and data.count(b"\r") == len(newlines) else None


def _parsed(layout: Layout, data: bytes, kinds: Mapping[int, str], quoted: bool) -> Any:
    """The columns at some places, called c0, c1, ..., as Arrow reads them; None if it finds a cell or row amiss."""
    pa, reader = load("pyarrow"), load("pyarrow.csv")
    types = {f"c{place}": pa.float64() if kind == "double" else pa.string() for place, kind in kinds.items()}
    try:
        return reader.read_csv(
            pa.py_buffer(data),
            reader.ReadOptions(
                column_names=[f"c{i}" for i in range(len(layout.names))], use_threads=False, block_size=len(data) + 1
            ),
            reader.ParseOptions(delimiter=layout.delimiter, quote_char='"' if quoted else False),
            reader.ConvertOptions(
                column_types=types, include_columns=list(types), null_values=MISSING, check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def _renamed(parsed: Any, names: Sequence[str]) -> Any:
    """A table of one chunk as a record batch with these names."""
    pa = load("pyarrow")
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in parsed.columns], names=list(names))


def _with_line_ends_before(data: bytes, newlines: Any, ending: bytes) -> Any:
    """The lines as an Arrow array of strings, each with the line end that comes before it.

    So neighbours touch, and the bytes of the file are the bytes of the array.
    """
    pa, np = load("pyarrow"), load("numpy")
    offsets = np.empty(len(newlines) + 1, np.int32)
    offsets[0] = 0
    offsets[1:] = newlines + 1
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(ending + data)]
    return pa.Array.from_buffers(pa.string(), len(newlines), buffers)


def _looked_at_again(layout: Layout, kept: Any, numbers: dict[str, Any], places: Mapping[str, int]) -> dict[int, Bad]:
    """What is wrong with the rows in which Arrow found no finite number; `numbers` gets what is a number after all."""
    np = load("numpy")
    odd: set[int] = set()
    for column in numbers.values():
        odd.update(np.flatnonzero(~np.isfinite(column)).tolist())
    if odd:
        numbers |= {name: column.copy() for name, column in numbers.items()}  # Arrow's are not to be written to
    bad: dict[int, Bad] = {}
    for row in sorted(odd):
        (cells,) = csv.reader([kept[row].as_py().strip("\r\n")], delimiter=layout.delimiter)
        for name, place in places.items():
            read_cell(cells[place], row, name, numbers[name], bad, layout.names[place])
    return bad


def read_cell(text: str, row: int, name: str, column: Any, bad: dict[int, Bad], title: str) -> None:
    """Put the number in a cell into its place, or what is wrong with it among the bad rows."""
    number = cell_number(text)
    column[row] = "nan" if isinstance(number, str) else number
    if isinstance(number, str):
        bad.setdefault(row, Bad(title, number))


def careful_rows(layout: Layout, block: Block, used: Mapping[str, str]) -> Rows:
    """The rows of any block, record by record."""
    np = load("numpy")
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
    """What is wrong with a row as a whole, or ""."""
    found, wanted = len(record.cells), len(layout.names)
    if found != wanted:
        return f"{found} {'cell' if found == 1 else 'cells'}, where the header has {wanted}"
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
