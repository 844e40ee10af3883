"""What the views for people share: the colours by role, and printing with Rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from rich.console import Console
from rich.text import Text

# Named colours of the terminal's own palette: readable on dark and on light backgrounds alike.
INPUT, CONSTANT, OPERATION, GRAD, QUIET, ACCENT, HEADING = "bold cyan", "dim", "", "green", "dim", "bold yellow", "bold"


def console(file: IO[str], *, colour: bool, width: int | None) -> Console:
    """A console that prints what it is given: no markup, no highlighting, no folding of lines."""
    return Console(
        file=file,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
        _environ={},  # the width and the colours are decided before, once
        legacy_windows=False,
    )


def print_lines(lines: Iterable[Text], file: IO[str], *, colour: bool, width: int | None) -> None:
    """Print lines as they are. Without a width nothing is cut."""
    out = console(file, colour=colour, width=width or 100_000)
    for line in lines:
        line.rstrip()
        out.print(
            line,
            no_wrap=True,
            overflow="ellipsis" if width else "ignore",
            crop=width is not None,
            soft_wrap=width is None,
        )
