"""A formula over files: from tables to pieces of output, in order, on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gradcli.errors import FileError, Source, UsageError
from gradcli.text import escape

from .formats import open_table
from .rows import PREFIX, Batch, compute, explain, plan, rounded, warm_up
from .streams import in_order, name_of
from .table import NOT_A_NUMBER, Encode, Results, Rows, Table, check_new, check_titles, line


class Wanted(NamedTuple):
    """A request: a formula, the numbers of names that are not columns, and what to add to a row.

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
    """Some rows of a table, their new columns, and the piece of the output they make."""

    table: Table
    rows: Rows
    results: Results
    piece: Any


class Reason(NamedTuple):
    """The place of a row without a result, the column to blame or "", and the reason."""

    line: str
    column: str
    reason: str


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
    check_new(batch.new, table.names, PREFIX)
    used = {name: titles[name] for name in batch.columns}
    table.format.check(table, list(used.values()))
    return batch, used


def _titles(aliases: Mapping[str, str], table: Table) -> dict[str, str]:
    """The columns of a table by the names that the formula has for them."""
    check_titles(table, list(aliases))
    for title, alias in aliases.items():
        if alias in table.names and alias not in aliases:
            raise UsageError(f"--rename {escape(title)}={alias}: there is a column {alias} already")
    return {aliases.get(title, title): title for title in table.names if title}


def tables(paths: Sequence[str], form: str | None) -> Iterator[Table]:
    """The table of each path, all in one format and with the same columns, which is looked at before the first row."""
    first = open_table(paths[0], form)
    yield first
    for path in paths[1:]:
        table = open_table(path, form or (first.format.name if path == "-" else None))
        if table.format is not first.format:
            several = f"{path} is {table.format.name} and {paths[0]} {first.format.name}"
            raise UsageError(f"{several}: give files of one format")
        if table.names != first.names and not table.format.loose:
            raise FileError(f"{name_of(path)} has other columns than {name_of(paths[0])}")
        yield table if path == "-" else _closed(table, form)


def _closed(table: Table, form: str | None) -> Table:
    """The table without its file, which is opened again when its turn comes: of many not all are open at once."""
    return table._replace(head=None, blocks=_blocks_of(table.path, form))


def _blocks_of(path: str, form: str | None) -> Iterator[Any]:
    yield from open_table(path, form).blocks


def results(wanted: Wanted, batch: Batch, rows: Rows) -> Results:
    """The new columns of some rows."""
    exact = compute(batch, rows.numbers, rows.length, rows.bad)
    return exact if wanted.precision is None else rounded(exact, wanted.precision)


def mapped(
    wanted: Wanted, several: Iterator[Table], batch: Batch, used: Mapping[str, str], encode: Encode, *, until_bad: bool
) -> Iterator[Part]:
    """The parts of all tables in their order; with `until_bad` they end before the first row without a result."""

    def work(pair: tuple[Table, Any]) -> Part:
        table, block = pair
        rows = table.rows(block, used)
        added = results(wanted, batch, rows)
        if until_bad and added.bad:
            return Part(table, rows, added, encode(table, *_first(rows, added, min(added.bad))))
        return Part(table, rows, added, encode(table, rows, added))

    warm_up(batch)  # once, not by all threads at the same time
    for part in in_order(((table, block) for table in several for block in table.blocks), work):
        yield part
        if until_bad and part.results.bad:
            return


def _first(rows: Rows, results: Results, count: int) -> tuple[Rows, Results]:
    """The first rows, which all have a result."""
    cells = rows.cells
    kept = rows.kept.slice(0, count) if hasattr(rows.kept, "slice") else rows.kept[:count]
    shorter = rows._replace(length=count, kept=kept, cells=cells and (lambda: cells().slice(0, count)))
    return shorter, Results(tuple([column[:count] for column in results.columns]), {})


def reasons(batch: Batch, part: Part, explained: int) -> Iterator[Reason]:
    """Why the rows without a result have none; for the first `explained` it is found out where a nan came from."""
    for number, (row, bad) in enumerate(part.results.bad.items()):
        reason = explain(batch, bad) if number < explained else bad.reason or NOT_A_NUMBER
        yield Reason(line(part.table, part.rows, row), bad.column, reason)
