"""A progress bar on standard error, for people: on a terminal, and when the work takes longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import monotonic

PATIENCE = 1.0  # seconds


@contextmanager
def progress(sizes: Sequence[int | None], *, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """A function to call with the rows and the bytes of input that are done since. `sizes` are those of the inputs."""
    if not shown or not sys.stderr.isatty():
        yield lambda rows, size: None
        return
    start, rows, size = monotonic(), 0, 0
    bars: list[Callable[[int, int, float], None]] = []
    with ExitStack() as stack:

        def advance(more_rows: int, more_size: int) -> None:
            nonlocal rows, size
            rows, size = rows + more_rows, size + more_size
            if not bars and monotonic() - start > PATIENCE:
                from gradcli.render.progress import bar

                bars.append(stack.enter_context(bar(sizes)))
            for tell in bars:
                tell(size, rows, monotonic() - start)

        yield advance
