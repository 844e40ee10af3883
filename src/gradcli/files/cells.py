"""Cells of text: the numbers in them, and how messages, CSV and TSV show them."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from gradcli.text import escape, shortest

# As the language has it, with a sign: no 1_000, no 1,5, and no digits but 0 to 9.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_INFINITE = re.compile(r"[ \t]*[+-]?inf(?:inity)?[ \t]*", re.ASCII | re.IGNORECASE)
_LONGEST = 40


def cell_number(text: str) -> float | str:
    """The number in a cell, or why there is none: digits of the language, with a sign, or inf; spaces around."""
    if _NUMBER.fullmatch(text.strip(" \t")):
        number = float(text)
        return number if number - number == 0 else f"{quoted(text.strip())} is too large for binary64"
    if _INFINITE.fullmatch(text):
        return float(text)
    if not text.strip():
        return "the cell is empty"
    return f"{quoted(text)} is not a number"


def quoted(text: str) -> str:
    """A cell as a message shows it: in quotes, shortened, with nothing in it that a terminal obeys."""
    shown = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f"'{escape(shown)}'"


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
