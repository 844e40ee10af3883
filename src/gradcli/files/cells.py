"""Cells of text: the numbers in them, and how messages, CSV and TSV show them."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from io import StringIO
from typing import Any, NamedTuple

from gradcli.errors import FileError
from gradcli.text import escape, shortest

# As the language has it, with a sign: no 1_000, no 1,5, and no digits but 0 to 9.
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_INFINITE = re.compile(r"[ \t]*[+-]?inf(?:inity)?[ \t]*", re.ASCII | re.IGNORECASE)
_LONGEST = 40


class Row(NamedTuple):
    """A record: the line that it starts on, its cells, and the text that they were cut from."""

    line: int
    cells: list[str]
    text: str


def rows_of(text: str, delimiter: str, where: Callable[[int], str]) -> Iterator[Row]:
    """The records of a text of separated cells; empty lines are none.

    Raises FileError for quotes that do not close, in the words that `where` has for a line.
    """
    taken: list[str] = []

    def feed() -> Iterator[str]:
        for line in StringIO(text, newline=""):
            taken.append(line)
            yield line

    reader = csv.reader(feed(), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield Row(line, cells, "".join(taken).rstrip("\r\n"))
            taken.clear()
            line = reader.line_num + 1
    except csv.Error as problem:
        raise FileError(f"{where(line)}: {problem}") from None


def appended(text: str, cells: Sequence[str], delimiter: str) -> str:
    """The text of a row with more cells after its own."""
    more = StringIO()
    csv.writer(more, delimiter=delimiter, lineterminator="").writerow(["", *cells])
    return text + more.getvalue()


def cell_number(text: str) -> float | str:
    """The number in a cell, or why there is none: digits of the language, with a sign, or inf; spaces around."""
    if NUMBER.fullmatch(text.strip(" \t")):
        number = float(text)
        return number if number - number == 0 else f"{quoted(text.strip())} is too large for binary64"
    if _INFINITE.fullmatch(text):
        return float(text)
    if not text.strip():
        return "the cell is empty"
    return f"{quoted(text)} is not a number"


def quoted(text: str, mark: str = "'") -> str:
    """A cell as a message shows it: in quotes, shortened, with nothing in it that a terminal obeys."""
    shown = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f"{mark}{escape(shown)}{mark}"


def delimited_cell(cell: str, delimiter: str) -> str:
    """A cell of CSV or TSV, in quotes where it needs them."""
    if any(char in cell for char in (delimiter, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def new_cells(column: Any, bad: Collection[int], delimiter: str) -> list[str]:
    """New cells as texts, each after a delimiter, and empty in a row that has no result."""
    texts = [delimiter + _cell(cell, delimiter) for cell in column.tolist()]
    for row in bad:
        texts[row] = delimiter
    return texts


def _cell(cell: str | float | None, delimiter: str) -> str:
    if cell is None:
        return ""
    return delimited_cell(cell, delimiter) if isinstance(cell, str) else shortest(cell)
