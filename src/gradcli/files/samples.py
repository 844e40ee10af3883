"""Samples to learn from: a table of comma or tab separated values, read with the place of every mistake.

A cell is a number as the language has it: no `1_000`, no `1,5`, and no digits but 0 to 9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gradcli.errors import FileError, UsageError
from gradcli.text import did_you_mean

from .cells import NUMBER, Row, quoted, rows_of

MARK = '"'  # around a cell in a message


class Table(NamedTuple):
    """A file of records with the names of their columns. `name` is what messages call it."""

    name: str
    delimiter: str
    header: Row
    rows: list[Row]


def read_table(text: str, name: str) -> Table:
    """The table in a text. Tabs separate the cells if the name ends in .tsv, or the header has tabs and no comma.

    Raises FileError for a text without a header, a broken quotation, or two columns of one name.
    """
    first = text.partition("\n")[0]
    tabs = name.lower().endswith(".tsv") or ("\t" in first and "," not in first)
    delimiter = "\t" if tabs else ","
    rows = list(rows_of(text, delimiter, lambda line: f"{name} line {line}"))
    if not rows:
        raise FileError(f"{name} is empty: the first line must name the columns")
    header = rows[0]._replace(cells=[cell.strip() for cell in rows[0].cells])
    for cell in header.cells:
        if header.cells.count(cell) > 1:
            raise FileError(f"{name} line {header.line}: two columns are called {quoted(cell, MARK)}")
    return Table(name, delimiter, header, rows[1:])


def number(cell: str) -> float | None:
    """The number in a cell, blanks around it ignored; None if it is no finite number."""
    cell = cell.strip(" \t")
    value = float(cell) if NUMBER.fullmatch(cell) else math.inf
    return value if math.isfinite(value) else None


def place(table: Table, name: str) -> int:
    """The number of the column of that name, from 0. Raises UsageError with a hint if there is none."""
    if name not in table.header.cells:
        columns = ", ".join(table.header.cells)
        hint = did_you_mean(name, table.header.cells) or f"the columns are {columns}"
        raise UsageError(f"{table.name} has no column {quoted(name, MARK)}", hint=hint)
    return table.header.cells.index(name)


def numbers(table: Table, row: Row, places: Sequence[int]) -> list[float] | str:
    """The numbers of a row in some columns; or what is wrong with it, with file, line and column."""
    where = f"{table.name} line {row.line}"
    if len(row.cells) != len(table.header.cells):
        return f"{where}: {len(row.cells)} cells, where the header has {len(table.header.cells)}"
    found: list[float] = []
    for index in places:
        value = number(row.cells[index])
        if value is None:
            cell = row.cells[index].strip()
            what = "is empty" if not cell else f"{quoted(cell, MARK)} is not a number"
            return f"{where}, column {table.header.cells[index]}: {what}"
        found.append(value)
    return found


def columns(table: Table, names: Sequence[str]) -> list[list[float]]:
    """Columns of numbers, in the order of `names`. Raises FileError for the first row that has none."""
    places = [place(table, name) for name in names]
    found = []
    for row in table.rows:
        cells = numbers(table, row, places)
        if isinstance(cells, str):
            raise FileError(cells)
        found.append(cells)
    return [list(column) for column in zip(*found, strict=True)] if found else [[] for _ in names]


def labels(table: Table, name: str) -> list[str]:
    """The cells of a column as they are, without blanks around them. Raises FileError for an empty one."""
    index = place(table, name)
    found = []
    for row in table.rows:
        problem = numbers(table, row, ())
        if isinstance(problem, str):
            raise FileError(problem)
        cell = row.cells[index].strip()
        if not cell:
            raise FileError(f"{table.name} line {row.line}, column {name}: is empty")
        found.append(cell)
    return found
