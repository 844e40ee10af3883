"""Lines of text with styles, as a terminal takes them: the last step, which alone knows colour and width."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import IO

from rich.console import Console
from rich.text import Text


def printed(lines: Iterable[Text], *, colour: bool, width: int | None) -> str:
    """The lines as they are: no markup, no highlighting, no folding. Without a width nothing is cut,
    and with one no line whose overflow is "ignore".
    """
    buffer = StringIO()
    console = console_on(buffer, colour=colour, width=width or 100_000)
    for line in lines:
        line.rstrip()
        whole = width is None or line.overflow == "ignore"
        console.print(line, no_wrap=True, overflow="ignore" if whole else "ellipsis", crop=not whole, soft_wrap=whole)
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n"))


def console_on(file: IO[str], *, colour: bool, width: int) -> Console:
    """A console that writes to a file what it is given."""
    return Console(
        file=file,
        force_terminal=colour,
        color_system="256" if colour else None,
        no_color=not colour,
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
        _environ={},  # the width and the colours are decided before, once
        legacy_windows=False,
    )
