"""CSV and TSV, written: new cells after a row as it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from .cells import delimited_cell, new_cells
from .table import Results, Rows


def header(names: Sequence[str], delimiter: str) -> bytes:
    """The first line of a CSV or TSV file, without its end."""
    return delimiter.join(delimited_cell(name, delimiter) for name in names).encode()


def appended(rows: Rows, results: Results, delimiter: str, width: int) -> list[Any]:
    """Rows of CSV or TSV as they were, with the new cells after their own: bytes to write one after the other.

    `width` is the number of cells in the header: in a row with fewer the missing ones are empty; in one with more the
    new ones come after so many, so that they stand below their names.
    """
    if isinstance(rows.kept, list):
        return [_appended_to_records(rows, results, delimiter, width)]
    from .arrow_texts import appended_to_lines

    return appended_to_lines(rows, results, delimiter) if rows.length else []


@cache
def _texts() -> Callable[[Results, int, str], list[list[str]]]:
    """The function that makes texts of new columns: Arrow's, which is faster, where it is installed."""
    try:
        from .arrow_texts import texts
    except ImportError:
        return plain_texts
    return lambda results, count, delimiter: [column.to_pylist() for column in texts(results, count, delimiter)]


def plain_texts(results: Results, _: int, delimiter: str) -> list[list[str]]:
    """The new columns as texts, without Arrow."""
    return [new_cells(column, results.bad, delimiter) for column in results.columns]


def _appended_to_records(rows: Rows, results: Results, delimiter: str, width: int) -> bytes:
    cells = _texts()(results, rows.length, delimiter)
    written = []
    for row, record in enumerate(rows.kept):
        body, surplus = record.text, ""
        if len(record.cells) > width:
            body, surplus = _split(record.text, width, delimiter)
        padding = [""] * (width - len(record.cells))
        more = "".join([column[row] for column in cells])
        written.append(delimiter.join([body, *padding]) + more + surplus + record.ending)
    return "".join(written).encode()


def _split(text: str, width: int, delimiter: str) -> tuple[str, str]:
    """The text of the first `width` cells, and the rest from its delimiter on."""
    cell = re.compile(rf'(?:"(?:[^"]|"")*")?[^{delimiter}]*')
    end = 0
    for number in range(width):
        match = cell.match(text, end + (number > 0))
        assert match is not None  # the pattern matches the empty text
        end = match.end()
    return text[:end], text[end:]
