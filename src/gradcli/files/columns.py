"""Columns of numbers from the text of a CSV or TSV file: strict, and every complaint has its line and its column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradcli.errors import FileError
from gradcli.language.parser import normal
from gradcli.text import escape, shortest

from . import cells
from .cells import NUMBER, Row, rows_of

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray


class Rows(NamedTuple):
    """A file: its name, the names of its columns, its first line, and the rows below it."""

    file: str
    names: list[str]
    header: Row
    rows: list[Row]
    delimiter: str

    def where(self, row: int) -> str:
        """A row, in words."""
        return f"{self.file}, line {self.rows[row].line}"


def read_rows(text: str, file: str) -> Rows:
    """The rows of a file whose first line names the columns; empty lines are no rows.

    Cells are separated by tabs if the first line has one, and by commas otherwise. Raises FileError for a file without rows, for a row with another number of cells than there are columns, and for
    quotes that do not close.
    """
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    records = list(rows_of(text, delimiter, lambda line: f"{file}, line {line}"))
    if not records:
        raise FileError(f"{file} is empty", hint="its first line has to name the columns")
    header, *rows = records
    names = [normal(cell.strip()) for cell in header.cells]
    if not rows:
        raise FileError(f"{file} has no rows, only the names of the columns")
    found = Rows(file, names, header, rows, delimiter)
    for place, row in enumerate(rows):
        if len(row.cells) != len(names):
            raise FileError(f"{found.where(place)}: {len(row.cells)} cells where {len(names)} columns are named")
    return found


class Columns(Mapping[str, "NDArray[float64]"]):
    """The columns of a file by name, each an array with a number for each row; read when it is asked for.

    Asking raises FileError, with the line and the name of the column, for a cell that is not a number as the language
    has it.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def __getitem__(self, name: str) -> NDArray[float64]:
        return _column(self.rows, name)

    def __contains__(self, name: object) -> bool:
        return name in self.rows.names

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(self.rows.names))

    def __len__(self) -> int:
        return len(set(self.rows.names))


def _column(rows: Rows, name: str) -> NDArray[float64]:
    import numpy as np

    if rows.names.count(name) > 1:
        raise FileError(f"{rows.file} has {rows.names.count(name)} columns {name}")
    if name not in rows.names:
        hint = f"its columns are {', '.join(rows.names)}"
        raise FileError(f"{rows.file} has no column {name}", hint=hint)
    place = rows.names.index(name)
    texts = [row.cells[place].strip() for row in rows.rows]
    bad = [row for row, text in enumerate(texts) if not NUMBER.fullmatch(text)]
    if bad:
        raise FileError(_complaint(rows, name, texts[bad[0]], bad))
    column = np.array(texts, dtype=float)
    huge = np.flatnonzero(np.isinf(column))
    if len(huge):
        raise FileError(f"{rows.where(int(huge[0]))}, column {name}: {texts[huge[0]]} is too large for binary64")
    return column


def _complaint(rows: Rows, name: str, text: str, bad: Sequence[int]) -> str:
    what = f"{escape(text[:40])!r} is not a number" if text else "the cell is empty"
    more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
    return f"{rows.where(bad[0])}, column {name}: {what}{more}"


def appended(rows: Rows, more: Mapping[str, NDArray[float64] | None]) -> str:
    """The text of the file, every cell as it was, with more columns; what is not a number becomes an empty cell, and so does all of a None.

    Raises FileError if the file has a column of such a name already.
    """
    for name in more:
        if name in rows.names:
            raise FileError(f"{rows.file} has a column {name} already: rename it")
    blank = [""] * len(rows.rows)
    new_cells = [blank if column is None else [_cell(x) for x in column.tolist()] for column in more.values()]
    lines = [cells.appended(rows.header.text, list(more), rows.delimiter)]
    for row, new in zip(rows.rows, zip(*new_cells, strict=True), strict=True):
        lines.append(cells.appended(row.text, new, rows.delimiter))
    return "\n".join(lines) + "\n"


def _cell(number: float) -> str:
    return shortest(number) if number == number else ""
