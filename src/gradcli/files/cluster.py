"""A formula over files on a Dask cluster: a task for each row group or block, a folder of Parquet files as the result.

What travels to a worker is the text of the formula and where in a file its rows are. A worker writes its part beside
the others, whole or not at all, under a name that depends on the task alone: a task that is run again, because a
worker died, writes the same file again.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from gradcli.errors import FileError, GradcliError, UsageError
from gradcli.extras import load
from gradcli.kernel.plan import cores

from .atomic import umask, whole
from .csv_records import Block
from .formats import empty, encoder, open_table
from .map import EXPLAINED, Part, Reason, Wanted, prepare, reasons, results, tables
from .parquet import Block as RowBlock
from .parquet import codec_of, writing
from .streams import codec_of as compression_of
from .streams import file_trouble
from .table import Table

SIZE = 1 << 26  # bytes of a text file in a task
PATIENCE = 10.0  # seconds to find the scheduler


class Task(NamedTuple):
    """Some rows of a file: a row group, or the bytes from `begin` to `end`, which is None for a compressed file.

    number  of the first line, or of the first row
    output  the file to write
    kinds   of the columns of all files, of JSON Lines
    """

    path: str
    format: str
    begin: int
    end: int | None
    number: int
    output: str
    kinds: Mapping[str, str] | None = None


class Outcome(NamedTuple):
    """What a task found: how many rows, in how many a derivative is nan, and which have no result and why."""

    rows: int
    unsure: int
    bad: tuple[Reason, ...]


def run(
    wanted: Wanted, paths: Sequence[str], form: str | None, folder: str, scheduler: str | None = None
) -> Iterator[Outcome]:
    """Compute on the cluster of a scheduler, or on one that is started here; the outcomes in the order of the rows.

    `folder` appears when all is done, or not at all. Raises GradcliError where the scheduler cannot be reached or a
    task kills every worker that tries it, and what `files.mapping` raises.
    """
    if "-" in paths:
        raise UsageError("a cluster cannot read standard input")
    every = list(tables(paths, form))
    prepare(wanted, every[0])  # what is wrong with the formula is said here, not by a worker
    with _folder(folder) as beside, _client(scheduler) as client:
        tasks = [task for table in every for task in _tasks(table)]
        kinds = every[0].head if every[0].format == "jsonl" else None
        named = [
            task._replace(output=os.path.join(beside, f"part-{i:05}.parquet"), kinds=kinds)
            for i, task in enumerate(tasks)
        ]
        futures = [client.submit(compute_part, wanted, task, pure=False) for task in named]
        for future in futures:
            yield _result(future)


def _tasks(table: Table) -> Iterator[Task]:
    path = os.path.abspath(table.path)
    if table.format == "parquet":
        row, metadata = 1, (table.head or open_table(path, "parquet").head).metadata
        for group in range(metadata.num_row_groups):
            yield Task(path, table.format, group, group + 1, row, "")
            row += metadata.row_group(group).num_rows
        if not metadata.num_row_groups:
            yield Task(path, table.format, 0, 0, 1, "")
        return
    if compression_of(path):
        yield Task(path, table.format, 0, None, 1, "")
        return
    begin = end = table.start
    number = 0
    for block in table.blocks:
        number = number or block.line
        end += len(block.data)
        if end - begin >= SIZE:
            yield Task(path, table.format, begin, end, number, "")
            begin, number = end, 0
    if end > begin or end == table.start:  # of a table without rows there is a part too, which says its columns
        yield Task(path, table.format, begin, end, number, "")


def compute_part(wanted: Wanted, task: Task) -> Outcome:
    """Compute the rows of a task, and write them with their new columns: what a worker does."""
    table = open_table(task.path, task.format)
    if task.kinds is not None:
        table = table._replace(names=tuple(task.kinds), head=task.kinds)
    batch, used = prepare(wanted, table)
    encode, schema = encoder("parquet", table, batch, used), empty(table, batch, used)
    count, unsure = 0, 0
    bad: list[Reason] = []
    with whole(task.output) as file, writing(file, task.output, schema, codec_of(table)) as write:
        for block in _blocks(table, task):
            rows = table.rows(block, used)
            found = results(wanted, batch, rows)
            part = Part(table, rows, found, encode(table, rows, found))
            write(part.piece)
            count, unsure = count + rows.length, unsure + found.unsure
            bad += reasons(batch, part, EXPLAINED - len(bad))
    return Outcome(count, unsure, tuple(bad))


def _blocks(table: Table, task: Task) -> Iterator[Any]:
    if task.format == "parquet":
        row = task.number
        for records in table.head.iter_batches(row_groups=list(range(task.begin, task.end or 0))):
            yield RowBlock(records, row)
            row += records.num_rows
    elif task.end is None:
        yield from table.blocks
    else:
        with file_trouble(task.path), open(task.path, "rb") as file:
            file.seek(task.begin)
            data = file.read(task.end - task.begin)
        yield Block(data if data.endswith(b"\n") else data + b"\n", task.number)


@contextmanager
def _folder(path: str) -> Iterator[str]:
    """A folder beside `path` that takes its place when all is done. Raises FileError for disk trouble."""
    path = os.path.abspath(path)
    if os.path.exists(path):
        raise FileError(f"{path} exists already", hint="give the name of a folder that is to be made")
    try:
        beside = tempfile.mkdtemp(prefix=".gradcli-", dir=os.path.dirname(path))
        try:
            yield beside
            for name in os.listdir(beside):
                if not name.startswith("part-"):  # begun by a worker that died
                    os.unlink(os.path.join(beside, name))
            os.chmod(beside, 0o777 & ~umask())
            os.rename(beside, path)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
    except OSError as problem:
        raise FileError(f"cannot write {path}: {problem.strerror or problem}") from None


@contextmanager
def _client(scheduler: str | None) -> Iterator[Any]:
    """A client of the scheduler at an address, or of a cluster on this machine that ends with it."""
    distributed = load("distributed", "dask")
    if scheduler is None:
        options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": "ERROR"}
        with distributed.LocalCluster(n_workers=cores(), **options) as local, distributed.Client(local) as client:
            yield client
        return
    try:
        client = distributed.Client(scheduler, timeout=PATIENCE)
    except (OSError, ValueError) as problem:
        raise GradcliError(f"there is no scheduler at {scheduler}: {problem}") from None
    with client:
        yield client


def _result(future: Any) -> Outcome:
    """The outcome of a task. Raises GradcliError if workers die of it."""
    killed = load("distributed", "dask").KilledWorker
    try:
        outcome: Outcome = future.result()
    except killed:
        raise GradcliError("a task ended every worker that tried it: is there enough memory?") from None
    return outcome
