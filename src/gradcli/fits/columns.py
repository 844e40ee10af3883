"""Columns of numbers from the text of a CSV or TSV file: strict, and every complaint has its line and its column."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from ..errors import FileError, escape
from ..numbers import shortest
from ..syntax import normal

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Rows(NamedTuple):
    """A file: its name, the names of its columns, its cells as they are, the line on which each row begins."""

    file: str
    names: list[str]
    cells: list[list[str]]
    lines: list[int]
    delimiter: str

    def where(self, row: int) -> str:
        """A row, in words."""
        return f"{self.file}, line {self.lines[row]}"


def read_rows(text: str, file: str) -> Rows:
    """The rows of a file whose first line names the columns; empty lines are no rows.

    Cells are separated by tabs if the first line has one, and by commas otherwise. Raises FileError for a file without rows, for a row with another number of cells than there are columns, and for
    quotes that do not close.
    """
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    records = list(_records(text, file, delimiter))
    if not records:
        raise FileError(f"{file} is empty", hint="its first line has to name the columns")
    names = [normal(cell.strip()) for cell in records[0][1]]
    if len(records) == 1:
        raise FileError(f"{file} has no rows, only the names of the columns")
    for line, cells in records[1:]:
        if len(cells) != len(names):
            raise FileError(f"{file}, line {line}: {len(cells)} cells where {len(names)} columns are named")
    return Rows(file, names, [cells for _, cells in records[1:]], [line for line, _ in records[1:]], delimiter)


def _records(text: str, file: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    before = 0
    try:
        for cells in reader:
            if cells:
                yield before + 1, cells
            before = reader.line_num
    except csv.Error as problem:
        raise FileError(f"{file}, line {before + 1}: {problem}") from None


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
    texts = [cells[place].strip() for cells in rows.cells]
    bad = [row for row, text in enumerate(texts) if not _NUMBER.fullmatch(text)]
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
    """The text of the file with more columns; what is not a number becomes an empty cell, and so does all of a None.

    Raises FileError if the file has a column of such a name already.
    """
    for name in more:
        if name in rows.names:
            raise FileError(f"{rows.file} has a column {name} already: rename it")
    blank = [""] * len(rows.cells)
    cells = [blank if column is None else [_cell(x) for x in column.tolist()] for column in more.values()]
    out = StringIO()
    writer = csv.writer(out, delimiter=rows.delimiter, lineterminator="\n")
    writer.writerow([*rows.names, *more])
    writer.writerows([*row, *new] for row, new in zip(rows.cells, zip(*cells, strict=True), strict=True))
    return out.getvalue()


def _cell(number: float) -> str:
    return shortest(number) if number == number else ""
