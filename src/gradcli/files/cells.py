"""Tables in texts: their records with the lines they stand on, what a number in a cell is, and more cells after a row."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from typing import NamedTuple

from gradcli.errors import FileError
from gradcli.text import escape

# As the language has it, with a sign: no 1_000, no 1,5, no inf, and no digits but 0 to 9.
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
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


def quoted(text: str, mark: str = "'") -> str:
    """A cell as a message shows it: in quotes, shortened, with nothing in it that a terminal obeys."""
    shown = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f"{mark}{escape(shown)}{mark}"
