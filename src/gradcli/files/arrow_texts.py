"""Cells as texts, by Arrow: new ones after a row as it was, or every cell of rows that come from another format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from gradcli.text import shortest

from .cells import new_cells
from .json_writer import strict
from .table import Results, Rows


def appended_to_lines(rows: Rows, results: Results, delimiter: str) -> list[Any]:
    """Rows that are kept as lines, with the new cells after their own: bytes to write one after the other."""
    joined = pc.binary_join_element_wise(rows.kept, *texts(results, rows.length, delimiter), "")
    data = _bytes(joined)
    ending = b"\r\n" if data[0] == 13 else b"\n"  # it stands before each line
    return [data[len(ending) :], ending]


def _bytes(strings: Any) -> memoryview:
    """The bytes of an Arrow array of strings, one after the other."""
    offsets = np.frombuffer(strings.buffers()[1], np.int32)
    start, end = offsets[strings.offset], offsets[strings.offset + len(strings)]
    return memoryview(strings.buffers()[2])[start:end]


def texts(results: Results, count: int, delimiter: str) -> list[Any]:
    """The new cells as Arrow arrays of text, which joined are what follows in each row: every cell after a delimiter.

    Cells are empty in a row that has no result. orjson writes numbers in a third of Arrow's time, all those of a row at
    once, where it writes them as `shortest` does; the others are written one by one, or by Arrow where they are many.
    """
    bad = np.fromiter(results.bad, np.intp, len(results.bad))
    written: list[Any] = []
    together: list[Any] = []
    odd = np.zeros(count, bool)  # in one of them
    for column in results.columns:
        if column.dtype == object:
            written += _rows_of_text(together, odd, bad, delimiter)
            written.append(pa.array(new_cells(column, results.bad, delimiter), pa.string()))
            together, odd = [], np.zeros(count, bool)
            continue
        here = _odd(column, bad)
        if np.count_nonzero(odd | here) > count // 8:
            written += _rows_of_text(together, odd, bad, delimiter)
            together, odd = [], np.zeros(count, bool)
        if np.count_nonzero(here) > count // 8:
            written.append(_column_of_text(column, bad, delimiter))
        else:
            together.append(column)
            odd |= here
    return written + _rows_of_text(together, odd, bad, delimiter)


def _odd(numbers: Any, bad: Any) -> Any:
    """The rows in which orjson writes a number not as `shortest` does, or there is none to write."""
    with np.errstate(invalid="ignore"):
        size = np.abs(numbers)
        odd = ~((size >= 1e-4) & (size < 1e16) & (numbers != np.rint(numbers)))
    odd[bad] = True
    return odd


def _column_of_text(numbers: Any, bad: Any, delimiter: str) -> Any:
    mask = np.zeros(len(numbers), bool)
    mask[bad] = True
    column = pa.array(numbers, mask=mask)
    return pc.binary_join_element_wise("", number_texts(column).fill_null(""), delimiter)


def _rows_of_text(columns: Sequence[Any], odd: Any, bad: Any, delimiter: str) -> list[Any]:
    """Neighbouring columns, which are `odd` in some rows, as one array of text; none if there are no columns."""
    if not columns:
        return []
    numbers = np.column_stack(columns)
    codes = np.array(np.frombuffer(orjson.dumps(numbers.ravel(), option=orjson.OPT_SERIALIZE_NUMPY), np.uint8))
    codes[0] = ord(",")  # was a bracket, as is the last
    commas = np.flatnonzero(codes[:-1] == ord(","))
    if delimiter != ",":
        codes[commas] = ord(delimiter)
    offsets = np.append(commas[:: len(columns)], len(codes) - 1).astype(np.int32)
    written = pa.Array.from_buffers(pa.string(), len(numbers), [None, pa.py_buffer(offsets), pa.py_buffer(codes)])
    if odd.any():
        without = set(bad.tolist())
        rows = zip(np.flatnonzero(odd).tolist(), numbers[odd].tolist(), strict=True)
        others = [
            "".join([delimiter + ("" if row in without else shortest(number)) for number in cells])
            for row, cells in rows
        ]
        written = pc.replace_with_mask(written, odd, pa.array(others, pa.string()))
    return [written]


def number_texts(column: Any) -> Any:
    """An Arrow array of float64 as text, digit for digit as `shortest` prints it."""
    written = pc.cast(column, pa.string())
    numbers = column.to_numpy(zero_copy_only=False)
    size = np.abs(numbers)
    # Arrow sets exponents from 1e10 and 1e-7 on, and writes them with as few digits as will do
    unlike = ((size < 1e-4) & (size > 0)) | ((size >= 1e10) & (size < np.inf))
    if not unlike.any():
        return written
    return pc.replace_with_mask(written, unlike, pa.array([shortest(number) for number in numbers[unlike].tolist()]))


def delimited(cells: Any, results: Results, delimiter: str) -> list[Any]:
    """A record batch and its new columns as CSV or TSV."""
    if not cells.num_rows:
        return []
    columns = [_quoted_texts(cell_texts(column), delimiter) for column in cells.columns]
    new = texts(results, cells.num_rows, delimiter)
    before = pc.binary_join_element_wise(*columns, delimiter, null_handling="replace", null_replacement="")
    return [_bytes(pc.binary_join_element_wise(before, *new, "\n", ""))]


def cell_texts(column: Any) -> Any:
    """An Arrow array of any type as text: numbers in their shortest digits, lists and structures as JSON."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return cell_texts(column.dictionary_decode())
    if pa.types.is_floating(kind):
        return number_texts(column.cast(pa.float64()))
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return pa.array([None if cell is None else strict(cell) for cell in column.to_pylist()], pa.string())
    return pc.cast(column, pa.string())


def _quoted_texts(column: Any, delimiter: str) -> Any:
    odd = pc.match_substring_regex(column, f'[{delimiter}"\r\n]')
    if not pc.any(odd).as_py():
        return column
    doubled = pc.replace_substring(column, '"', '""')
    return pc.if_else(odd, pc.binary_join_element_wise('"', doubled, '"', ""), column)
