"""A progress bar on standard error, for people: on a terminal, and when the work takes longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import Any

PATIENCE = 1.0  # seconds


@contextmanager
def progress(sizes: Sequence[int | None], *, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """What is told how many rows, and how much of the input, are done. `sizes` are those of the inputs, if known."""
    if not shown or not sys.stderr.isatty():
        yield lambda rows, size: None
        return
    start, rows, size = monotonic(), 0, 0
    total = None if None in sizes else sum(filter(None, sizes))
    bar: list[Any] = []
    with ExitStack() as stack:

        def advance(more_rows: int, more_size: int) -> None:
            nonlocal rows, size
            rows, size = rows + more_rows, size + more_size
            if not bar and monotonic() - start > PATIENCE:
                bar.append(stack.enter_context(_bar()))
                bar[0].add_task("", total=total, rows="", speed="")
            if bar:
                speed = rows / (monotonic() - start)
                bar[0].update(0, completed=size, rows=f"{rows:,}", speed=f"{speed:,.0f}")

        yield advance


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = [BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rows]} rows, {task.fields[speed]} rows/s")]
    return Progress(*columns, console=Console(stderr=True), transient=True)
