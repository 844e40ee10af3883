"""A formula over files on a Dask cluster: a task for each row group or block, a folder of Parquet files as the result.

The text of the formula and the span of a file that has its rows travel to a worker. A worker writes its part beside
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
from .formats import encoder, open_table
from .map import Part, Reason, Wanted, prepare, reasons, results, tables
from .parquet import PARQUET
from .table import EXPLAINED, Span

PATIENCE = 10.0  # seconds to find the scheduler


class Task(NamedTuple):
    """A part of a file, and the file to write.

    kinds   of the columns of all files, where each row names its own
    """

    path: str
    format: str
    span: Span
    output: str
    kinds: Mapping[str, type] | None = None


class Outcome(NamedTuple):
    """The outcome of a task: how many rows, in how many a derivative is nan, and which have no result and why."""

    rows: int
    undefined: int
    bad: tuple[Reason, ...]


def run(
    wanted: Wanted, paths: Sequence[str], form: str | None, folder: str, scheduler: str | None = None
) -> Iterator[Outcome]:
    """Compute on the cluster of a scheduler, or on one that is started here; the outcomes in the order of the rows.

    `folder` appears when all is done, or not at all. Raises GradcliError where the scheduler cannot be reached or a
    task kills every worker that tries it, and what `prepare` raises.
    """
    if "-" in paths:
        raise UsageError("a cluster cannot read standard input")
    every = list(tables(paths, form))
    prepare(wanted, every[0])  # what is wrong with the formula is said here, not by a worker
    with _folder(folder) as beside, _client(scheduler) as client:
        first = every[0]
        kinds = first.head if first.format.loose else None
        spans = [(os.path.abspath(table.path), span) for table in every for span in table.format.spans(table)]
        tasks = [
            Task(path, first.format.name, span, os.path.join(beside, f"part-{i:05}.parquet"), kinds)
            for i, (path, span) in enumerate(spans)
        ]
        futures = [client.submit(compute_part, wanted, task, pure=False) for task in tasks]
        for future in futures:
            yield _result(future)


def compute_part(wanted: Wanted, task: Task) -> Outcome:
    """Compute the rows of a task, and write them with their new columns: what a worker does."""
    table = open_table(task.path, task.format)
    if task.kinds is not None:
        table = table._replace(names=tuple(task.kinds), head=task.kinds)
    batch, used = prepare(wanted, table)
    new = dict.fromkeys(batch.new, float)
    encode = encoder(PARQUET, table, new, used)
    count, undefined = 0, 0
    bad: list[Reason] = []
    with whole(task.output) as file, PARQUET.writer(file, task.output, table, new, used) as write:
        for block in table.format.within(table, task.span):
            rows = table.rows(block, used)
            added = results(wanted, batch, rows)
            part = Part(table, rows, added, encode(table, rows, added))
            write(part.piece)
            count, undefined = count + rows.length, undefined + added.undefined
            bad += reasons(batch, part, EXPLAINED - len(bad))
    return Outcome(count, undefined, tuple(bad))


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
