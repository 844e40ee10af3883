"""A progress bar of rows on standard error, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn


@contextmanager
def bar(sizes: Sequence[int | None]) -> Iterator[Callable[[int, int, float], None]]:
    """A function that is told the size and the rows that are done, and in how many seconds.

    `sizes` are those of the inputs, None where one is not known.
    """
    total = None if None in sizes else sum(filter(None, sizes))
    columns = [BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}")]
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        drawn.add_task("", total=total, rate="")

        def tell(size: int, rows: int, seconds: float) -> None:
            drawn.update(drawn.task_ids[0], completed=size, rate=f"{rows:,} rows, {rows / seconds:,.0f} rows/s")

        yield tell
