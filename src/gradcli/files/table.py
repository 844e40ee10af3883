"""The records that the formats have in common: a table is read in blocks of rows, rows give numbers, or say why not, and get new
columns; and what a format is, a record of how to do this.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import IO, Any, NamedTuple

from gradcli.errors import UsageError
from gradcli.text import did_you_mean, escape

from .streams import name_of

NOT_A_NUMBER = "the value is not a number"
New = Mapping[str, type]  # the names of new columns, and whether their cells are float or str


class Bad(NamedTuple):
    """Why a row has no result: the column to blame, and the reason; or the point at which the value is not a number."""

    column: str
    reason: str
    point: Mapping[str, float] | None = None


class Results(NamedTuple):
    """New columns, in order, and the rows that have no result.

    columns    float64 arrays, or arrays of objects: texts, numbers, and None for an empty cell
    undefined  how many other rows have a partial derivative that is not a number
    """

    columns: tuple[Any, ...]
    bad: Mapping[int, Bad]
    undefined: int = 0


class Rows(NamedTuple):
    """Some rows.

    numbers  the columns that were asked for as float64 arrays, nan where a cell is none
    bad      the rows in which a cell is not a number, and why
    lines    the line of the file that each row begins in
    kept     the rows as they were, for a writer of the same format
    size     how much of the input they took, in the unit of `Table.size`
    cells    makes an Arrow record batch of the rows, where `kept` is none and the format has cells
    """

    length: int
    numbers: Mapping[str, Any]
    bad: Mapping[int, Bad]
    lines: Sequence[int]
    kept: Any
    size: int
    cells: Callable[[], Any] | None = None


class Table(NamedTuple):
    """A file of rows.

    names   its columns, as they are called in messages and in the output
    head    what comes before the rows in a file of the same format
    blocks  pieces of the file with whole rows in them; to be read once, in order
    rows    reads a block; `used` are the columns by the names of the variables that stand for them
    size    how large the input is, in bytes or rows, or None where it is not known
    start   where in the file the blocks begin, if they are bytes
    """

    path: str
    format: Format
    names: tuple[str, ...]
    head: Any
    blocks: Iterator[Any]
    rows: Callable[[Any, Mapping[str, str]], Rows]
    size: int | None
    start: int = 0


Encode = Callable[[Table, Rows, Results], Any]
Span = tuple[int, int | None, int]


class Format(NamedTuple):
    """A file format.

    name      as --from and --to have it
    open      (path, sure): the table in a file; a format that the user did not name is not `sure`

    Of a table in this format:

    check     (table, titles) raises UsageError if one of these columns holds anything but numbers
    column    (table, rows, title): the cells of a column as texts, None where there is none
    cells     (table, rows, titles): a record batch with every cell as it was written
    typed     (table, rows, first, used): a record batch with the types of the first table's columns
    schema    (first, used): these types
    spans     (table): the parts that a cluster computes, as begin, end, and the number of the first row
    within    (table, span): the blocks of such a part

    Of what is written in this format, where `first` is the first of the tables and `new` the new columns:

    append    (first, new, used): makes pieces of output of rows in the same format
    convert   (first, new, used): makes pieces of output of rows in another format
    writer    (file, path, first, new, used): what writes the pieces

    unit      comes before the number of a row in a message, where that is not the line
    untyped   all cells are text, and columns may have no name
    loose     every row names its columns
    binary    is not for a terminal
    """

    name: str
    open: Callable[[str, bool], Table]
    check: Callable[[Table, Sequence[str]], None]
    column: Callable[[Table, Rows, str], Sequence[str | None]]
    cells: Callable[[Table, Rows, Sequence[str]], Any]
    typed: Callable[[Table, Rows, Table, Mapping[str, str]], Any]
    schema: Callable[[Table, Mapping[str, str]], Any]
    spans: Callable[[Table], Iterator[Span]]
    within: Callable[[Table, Span], Iterator[Any]]
    append: Callable[[Table, New, Mapping[str, str]], Encode]
    convert: Callable[[Table, New, Mapping[str, str]], Encode]
    writer: Callable[[IO[bytes], str, Table, New, Mapping[str, str]], AbstractContextManager[Callable[[Any], None]]]
    unit: str = ""
    untyped: bool = False
    loose: bool = False
    binary: bool = False


EXPLAINED = 1000  # rows for which it is found out where a nan came from; that takes longer than all else about a row


def line(table: Table, rows: Rows, row: int) -> str:
    """The name of a row in a message: file and line, or the number of the row in a file that has no lines."""
    return f"{name_of(table.path)}:{table.format.unit}{rows.lines[row]}"


def complaint(line: str, column: str, reason: str) -> str:
    """The sentence about a row without a result."""
    return f"{line}: {f'column {column}: ' if column else ''}{reason}"


def check_names(path: str, names: Sequence[str]) -> None:
    """Raise UsageError if two columns have the same name; columns without one do not count."""
    seen: set[str] = set()
    for name in filter(None, names):
        if name in seen:
            raise UsageError(f"{name_of(path)}: two columns are called {escape(name)}")
        seen.add(name)


def check_named(first: Table, form: Format) -> None:
    """Raise UsageError if several columns have no name, and the format needs one."""
    if first.names.count("") > 1:
        raise UsageError(f"{first.names.count('')} columns have no name, which {form.name} cannot hold")


def check_titles(table: Table, titles: Sequence[str]) -> None:
    """Raise UsageError for a column that the table does not have."""
    for title in titles:
        if title not in table.names:
            listed = ", ".join(escape(name) for name in table.names)
            hint = did_you_mean(title, table.names) or f"its columns are {listed}"
            raise UsageError(f"{name_of(table.path)} has no column {escape(title)}", hint=hint)


def check_new(new: Sequence[str], taken: Collection[str], hint: str) -> None:
    """Raise UsageError if a new column would have the name of one that is there, or of another new one."""
    for position, name in enumerate(new):
        if name in taken or name in new[:position]:
            what = f"there is a column {name} already" if name in taken else f"two new columns would be called {name}"
            raise UsageError(what, hint=hint)


def unchecked(table: Table, titles: Sequence[str]) -> None:
    """Nothing to check: in this format a column is not of numbers or of texts, but a cell is."""
