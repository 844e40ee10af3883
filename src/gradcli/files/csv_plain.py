"""CSV and TSV, read by Arrow: a block of lines in which every line is a row, without a surprise in it.

A row is kept as the bytes of its line, so that every cell comes out as it went in, with its quotes and zeros.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from .csv_records import BOM, Block, Layout, quotes_of, read_cell
from .table import Bad, Rows

MISSING = ["", "NA", "N/A", "n/a", "null", "NULL", "None", "NaN", "nan", "-"]  # looked at again, one by one


def plain_rows(layout: Layout, block: Block, used: Mapping[str, str]) -> Rows | None:
    """The rows of a block in which every line is a row with the right number of cells; None for any other block."""
    codes = np.frombuffer(block.data, np.uint8)
    newlines = np.flatnonzero(codes == 10)
    ending = _ending(block.data, codes, newlines)
    quoted = b'"' in block.data
    if ending is None or (quoted and quotes_of(block.data, layout.delimiter) is None) or block.data.startswith(BOM):
        return None  # of a byte order mark, which is one at the start of a file alone, Arrow would make nothing
    indices = {name: layout.names.index(column) for name, column in used.items()}
    parsed = _parsed(layout, block.data, dict.fromkeys(indices.values(), "double") or {0: "string"}, quoted)
    if parsed is None or parsed.num_rows != len(newlines):
        return None  # a blank line, or a cell with a line end in it
    numbers = {name: parsed.column(f"c{index}").to_numpy() for name, index in indices.items()}
    kept = _with_line_ends_before(block.data, newlines, ending)
    bad = _looked_at_again(layout, kept, numbers, indices)
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
    """The columns at some indices, called c0, c1, ..., as Arrow reads them; None if it finds a cell or row amiss."""
    types = {f"c{index}": pa.float64() if kind == "double" else pa.string() for index, kind in kinds.items()}
    try:
        return arrow_csv.read_csv(
            pa.py_buffer(data),
            arrow_csv.ReadOptions(
                column_names=[f"c{i}" for i in range(len(layout.names))], use_threads=False, block_size=len(data) + 1
            ),
            arrow_csv.ParseOptions(delimiter=layout.delimiter, quote_char='"' if quoted else False),
            arrow_csv.ConvertOptions(
                column_types=types, include_columns=list(types), null_values=MISSING, check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def _renamed(parsed: Any, names: Sequence[str]) -> Any:
    """A table of one chunk as a record batch with these names."""
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in parsed.columns], names=list(names))


def _with_line_ends_before(data: bytes, newlines: Any, ending: bytes) -> Any:
    """The lines as an Arrow array of strings, each with the line end that comes before it.

    So neighbours touch, and the bytes of the file are the bytes of the array.
    """
    offsets = np.empty(len(newlines) + 1, np.int32)
    offsets[0] = 0
    offsets[1:] = newlines + 1
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(ending + data)]
    return pa.Array.from_buffers(pa.string(), len(newlines), buffers)


def _looked_at_again(layout: Layout, kept: Any, numbers: dict[str, Any], indices: Mapping[str, int]) -> dict[int, Bad]:
    """The faults of the rows in which Arrow read no finite number; `numbers` gets what is a number after all."""
    odd: set[int] = set()
    for column in numbers.values():
        odd.update(np.flatnonzero(~np.isfinite(column)).tolist())
    if odd:
        numbers |= {name: column.copy() for name, column in numbers.items()}  # Arrow's are not to be written to
    bad: dict[int, Bad] = {}
    for row in sorted(odd):
        (cells,) = csv.reader([kept[row].as_py().strip("\r\n")], delimiter=layout.delimiter)
        for name, index in indices.items():
            read_cell(cells[index], row, name, numbers[name], bad, layout.names[index])
    return bad
