"""A formula over files: from tables to pieces of output, in order, on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gradcli.errors import FileError, Source, UsageError
from gradcli.text import escape

from .arrow import check_types
from .formats import Encode, open_table, place
from .rows import Batch, Found, check_new, compute, explain, plan, rounded, warm_up
from .streams import in_order, name_of
from .table import Rows, Table


class Wanted(NamedTuple):
    """What is asked for: a formula, the numbers of names that are no column, and what to add to a row.

    `aliases` are what the formula calls a column whose name is not one of the language; `precision` are the significant
    digits of the new cells, if not all.
    """

    formula: Source
    bound: Mapping[str, float] = {}
    wrt: Sequence[str] | None = None
    outputs: tuple[str, ...] = ()
    value: bool = True
    prefix: str = ""
    aliases: Mapping[str, str] = {}
    precision: int | None = None


class Part(NamedTuple):
    """Some rows of a table, what was found for them, and the piece of the output they make."""

    table: Table
    rows: Rows
    found: Found
    piece: Any


class Reason(NamedTuple):
    """Where a row without a result is, the column to blame or "", and the reason."""

    place: str
    column: str
    reason: str


EXPLAINED = 1000  # rows for which it is found out where a nan came from; that takes longer than all else about a row


def prepare(wanted: Wanted, table: Table) -> tuple[Batch, dict[str, str]]:
    """Compile the formula for a table: the batch, and the columns it reads by the variables that stand for them.

    Raises UsageError for what cannot be right in any row.
    """
    titles = _titles(wanted.aliases, table)
    batch = plan(
        wanted.formula,
        list(titles),
        wanted.bound,
        wrt=wanted.wrt,
        outputs=wanted.outputs,
        value=wanted.value,
        prefix=wanted.prefix,
    )
    check_new(batch, table.names)
    used = {name: titles[name] for name in batch.columns}
    if table.format == "parquet":
        check_types(table.head.schema_arrow, list(used.values()))
    return batch, used


def _titles(aliases: Mapping[str, str], table: Table) -> dict[str, str]:
    """The columns of a table by the names that the formula has for them."""
    for title, alias in aliases.items():
        if title not in table.names:
            listed = ", ".join(escape(name) for name in table.names)
            raise UsageError(f"{name_of(table.path)} has no column {escape(title)}", hint=f"its columns are {listed}")
        if alias in table.names and alias not in aliases:
            raise UsageError(f"--rename {escape(title)}={alias}: there is a column {alias} already")
    return {aliases.get(title, title): title for title in table.names if title}


def tables(paths: Sequence[str], form: str | None) -> Iterator[Table]:
    """The table of each path, all in one format and with the same columns, which is looked at before the first row."""
    first = open_table(paths[0], form)
    yield first
    for path in paths[1:]:
        table = open_table(path, form or (first.format if path == "-" else None))
        if table.format != first.format:
            raise UsageError(f"{path} is {table.format} and {paths[0]} {first.format}: give files of one format")
        if table.names != first.names and table.format != "jsonl":
            raise FileError(f"{name_of(path)} has other columns than {name_of(paths[0])}")
        yield table if path == "-" else _closed(table, form)


def _closed(table: Table, form: str | None) -> Table:
    """The table without its file, which is opened again when its turn comes: of many not all are open at once."""
    return table._replace(head=None, blocks=_blocks_of(table.path, form))


def _blocks_of(path: str, form: str | None) -> Iterator[Any]:
    yield from open_table(path, form).blocks


def results(wanted: Wanted, batch: Batch, rows: Rows) -> Found:
    """What is to be added to some rows."""
    found = compute(batch, rows.numbers, rows.length, rows.bad)
    return found if wanted.precision is None else rounded(found, wanted.precision)


def mapped(
    wanted: Wanted, several: Iterator[Table], batch: Batch, used: Mapping[str, str], encode: Encode, *, until_bad: bool
) -> Iterator[Part]:
    """The parts of all tables in their order; with `until_bad` they end before the first row without a result."""

    def work(pair: tuple[Table, Any]) -> Part:
        table, block = pair
        rows = table.rows(block, used)
        found = results(wanted, batch, rows)
        if until_bad and found.bad:
            return Part(table, rows, found, encode(table, *_first(rows, found, min(found.bad))))
        return Part(table, rows, found, encode(table, rows, found))

    warm_up(batch)  # once, not by all threads at the same time
    for part in in_order(((table, block) for table in several for block in table.blocks), work):
        yield part
        if until_bad and part.found.bad:
            return


def _first(rows: Rows, found: Found, count: int) -> tuple[Rows, Found]:
    """The first rows, which all have a result."""
    cells = rows.cells
    kept = rows.kept.slice(0, count) if hasattr(rows.kept, "slice") else rows.kept[:count]
    shorter = rows._replace(length=count, kept=kept, cells=cells and (lambda: cells().slice(0, count)))
    return shorter, Found(tuple([column[:count] for column in found.columns]), {})


def reasons(batch: Batch, part: Part, explained: int) -> Iterator[Reason]:
    """Why the rows without a result have none; for the first `explained` it is found out where a nan came from."""
    for number, (row, bad) in enumerate(part.found.bad.items()):
        reason = explain(batch, bad) if number < explained else bad.reason or "the value is not a number"
        yield Reason(place(part.table, part.rows, row), bad.column, reason)
