"""CSV and TSV, written: new cells after a row as it was, or every cell of rows that come from another format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gradcli.extras import load

from .json_writer import strict
from .rows import Found
from .table import Rows, number_texts, texts


def header(names: Sequence[str], delimiter: str) -> bytes:
    """The first line of a CSV or TSV file, without its end."""
    return delimiter.join(quoted(name, delimiter) for name in names).encode()


def quoted(cell: str, delimiter: str) -> str:
    """A cell of CSV, in quotes where it needs them."""
    if any(char in cell for char in (delimiter, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def appended(rows: Rows, found: Found, delimiter: str, width: int) -> list[Any]:
    """Rows of CSV or TSV as they were, with the new cells after their own: bytes to write one after the other.

    `width` is the number of cells in the header: in a row with fewer the missing ones are empty; in one with more the
    new ones come after so many, so that they stand below their names.
    """
    new = texts(found, rows.length, delimiter)
    if isinstance(rows.kept, list):
        return [_appended_to_records(rows, new, delimiter, width)]
    if not rows.length:
        return []
    pc = load("pyarrow.compute")
    joined = pc.binary_join_element_wise(rows.kept, *new, "")
    data = _bytes(joined)
    ending = b"\r\n" if data[0] == 13 else b"\n"  # it stands before each line
    return [data[len(ending) :], ending]


def _bytes(strings: Any) -> memoryview:
    """The bytes of an Arrow array of strings, one after the other."""
    np = load("numpy")
    offsets = np.frombuffer(strings.buffers()[1], np.int32)
    start, end = offsets[strings.offset], offsets[strings.offset + len(strings)]
    return memoryview(strings.buffers()[2])[start:end]


def _appended_to_records(rows: Rows, new: Sequence[Any], delimiter: str, width: int) -> bytes:
    cells = [column.to_pylist() for column in new]
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
    place = 0
    for number in range(width):
        match = cell.match(text, place + (number > 0))
        assert match is not None  # the pattern matches the empty text
        place = match.end()
    return text[:place], text[place:]


def delimited(cells: Any, found: Found, delimiter: str) -> list[Any]:
    """A record batch and its new columns as CSV or TSV."""
    pc = load("pyarrow.compute")
    if not cells.num_rows:
        return []
    columns = [_quoted_texts(cell_texts(column), delimiter) for column in cells.columns]
    new = texts(found, cells.num_rows, delimiter)
    before = pc.binary_join_element_wise(*columns, delimiter, null_handling="replace", null_replacement="")
    return [_bytes(pc.binary_join_element_wise(before, *new, "\n", ""))]


def cell_texts(column: Any) -> Any:
    """An Arrow array of any type as text: numbers in their shortest digits, lists and structures as JSON."""
    pa, pc = load("pyarrow"), load("pyarrow.compute")
    kind = column.type
    if pa.types.is_dictionary(kind):
        return cell_texts(column.dictionary_decode())
    if pa.types.is_floating(kind):
        return number_texts(column.cast(pa.float64()))
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return pa.array([None if cell is None else strict(cell) for cell in column.to_pylist()], pa.string())
    return pc.cast(column, pa.string())


def _quoted_texts(column: Any, delimiter: str) -> Any:
    pc = load("pyarrow.compute")
    odd = pc.match_substring_regex(column, f'[{delimiter}"\r\n]')
    if not pc.any(odd).as_py():
        return column
    doubled = pc.replace_substring(column, '"', '""')
    return pc.if_else(odd, pc.binary_join_element_wise('"', doubled, '"', ""), column)
