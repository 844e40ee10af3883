"""Small tables, read as a whole: columns of numbers and of labels, and new columns written after every row.

A cell is what `map` says it is, and every complaint has the file, the line and the column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradcli.errors import FileError
from gradcli.language.scope import normal
from gradcli.text import shortest

from .formats import encoder, open_table, sink, target
from .streams import name_of
from .table import EXPLAINED, NOT_A_NUMBER, Bad, New, Results, Rows, Table, check_titles, complaint, line

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray


NOT_FINITE = "is not a finite number"


class Sheet(NamedTuple):
    """A table of which all blocks are in memory, so that its columns can be read one after the other."""

    table: Table
    blocks: Sequence[Any]


def open_small(path: str) -> Table:
    """The table in a file, `-` for standard input. A file whose ending says nothing is CSV, or TSV by its header."""
    return open_table(path, otherwise="csv")


def read_sheet(path: str) -> Sheet:
    """The whole table in a file. Raises what `open_table` raises."""
    table = open_small(path)
    return Sheet(table, list(table.blocks))


def rows_of(sheet: Sheet, titles: Sequence[str] = ()) -> Rows:
    """All rows, with the numbers in some columns. Raises UsageError for a column that is not there."""
    return _joined(_parts(sheet, titles), titles)


def _parts(sheet: Sheet, titles: Sequence[str] = ()) -> list[Rows]:
    used = used_of(sheet.table, titles)
    return [sheet.table.rows(block, used) for block in sheet.blocks]


def _joined(parts: Sequence[Rows], titles: Sequence[str] = ()) -> Rows:
    bad: dict[int, Bad] = {}
    count = 0
    for part in parts:
        bad |= {count + row: reason for row, reason in part.bad.items()}
        count += part.length
    numbers = {title: np.concatenate([np.empty(0), *[part.numbers[title] for part in parts]]) for title in titles}
    lines = list(chain.from_iterable(part.lines for part in parts))
    return Rows(count, numbers, bad, lines, None, sum(part.size for part in parts))


def used_of(table: Table, titles: Sequence[str]) -> dict[str, str]:
    """The columns to read, by the names that were given.

    Raises UsageError for one that is not there, or of which the format says that it holds no numbers.
    """
    used = {title: normal(title) for title in titles}
    check_titles(table, list(used.values()))
    table.format.check(table, list(used.values()))
    return used


def numbers_of(sheet: Sheet, titles: Sequence[str]) -> list[NDArray[float64]]:
    """Some columns, each an array with a number for each row.

    Raises FileError, with the line and the column, for a cell that holds no finite number.
    """
    rows = rows_of(sheet, titles)
    bad = dict(rows.bad)
    for title, column in rows.numbers.items():
        for row in np.flatnonzero(~np.isfinite(column)).tolist():
            bad.setdefault(row, Bad(title, f"{shortest(column[row])} {NOT_FINITE}"))
    _refuse(sheet, rows, bad)
    return [rows.numbers[title] for title in titles]


def labels_of(sheet: Sheet, title: str) -> list[str]:
    """The cells of a column as texts, without blanks around them.

    Raises FileError, with the line, for an empty one and for a row with too many or too few cells.
    """
    check_titles(sheet.table, [title])
    parts = _parts(sheet)
    rows, labels = _joined(parts), _texts(sheet, parts, title)
    empty = {row: Bad(title, "the cell is empty") for row, label in enumerate(labels) if not label}
    _refuse(sheet, rows, {**empty, **rows.bad})
    return labels


def texts_of(sheet: Sheet, title: str) -> list[str]:
    """The cells of a column as texts, without blanks around them; "" where there is none."""
    return _texts(sheet, _parts(sheet), title)


def _texts(sheet: Sheet, parts: Sequence[Rows], title: str) -> list[str]:
    column = sheet.table.format.column
    return [(cell or "").strip() for part in parts for cell in column(sheet.table, part, title)]


def _refuse(sheet: Sheet, rows: Rows, bad: Mapping[int, Bad]) -> None:
    """Raise FileError for the first of the bad rows, and say how many there are."""
    if bad:
        row = min(bad)
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        raise FileError(complaint(line(sheet.table, rows, row), bad[row].column, bad[row].reason) + more)


class Columns(Mapping[str, "NDArray[float64]"]):
    """The columns of a table by name, each read when it is asked for, with what `numbers_of` raises."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    def __getitem__(self, name: str) -> NDArray[float64]:
        (column,) = numbers_of(self.sheet, [name])
        if not len(column):
            raise FileError(f"{name_of(self.sheet.table.path)} has no rows, only the names of the columns")
        return column

    def __contains__(self, name: object) -> bool:
        return name in self.sheet.table.names

    def __iter__(self) -> Iterator[str]:
        return filter(None, self.sheet.table.names)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def line(self, row: int) -> str:
        """The name of a row in a message."""
        return line(self.sheet.table, rows_of(self.sheet), row)


class Part(NamedTuple):
    """Some rows, their new columns, and the complaints about those without a result."""

    rows: Rows
    results: Results
    complaints: list[str]


def computed(
    table: Table, titles: Sequence[str], compute: Callable[[Rows], Results], explain: Callable[[Bad], str] | None = None
) -> Iterator[Part]:
    """The new columns that `compute` makes of rows with the numbers in `titles`; `explain` finds out why one is nan."""
    used = used_of(table, titles)
    explained = 0
    for block in table.blocks:
        rows = table.rows(block, used)
        results = compute(rows)
        complaints = []
        for row, bad in results.bad.items():
            explained += not bad.reason
            reason = explain(bad) if explain and not bad.reason and explained <= EXPLAINED else bad.reason
            complaints.append(complaint(line(table, rows, row), bad.column, reason or NOT_A_NUMBER))
        yield Part(rows, results, complaints)


def append(
    table: Table,
    new: New,
    titles: Sequence[str],
    compute: Callable[[Rows], Results],
    path: str | None,
    explain: Callable[[Bad], str] | None = None,
) -> Iterator[Part]:
    """Write every row of a table as it was, and what is `computed` after it, to `path` or to standard output."""
    used = used_of(table, titles)
    form = target(None, path, table)
    encode = encoder(form, table, new, used)
    with sink(path, form, table, new, used) as write:
        for part in computed(table, titles, compute, explain):
            write(encode(table, part.rows, part.results))
            yield part


def with_gaps(rows: Rows, values: Any, *others: Any) -> Results:
    """New columns in which a row without a value has no result; in the others a nan is an empty cell, None a column of these."""
    bad = dict(rows.bad)
    for row in np.flatnonzero(np.isnan(values)).tolist():
        bad.setdefault(row, Bad("", "", {name: float(column[row]) for name, column in rows.numbers.items()}))
    empty = np.full(rows.length, None, dtype=object)
    more = [empty if column is None else np.where(np.isnan(column), None, column) for column in others]
    return Results((np.asarray(values), *more), dict(sorted(bad.items())))
