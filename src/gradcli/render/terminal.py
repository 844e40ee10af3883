"""Lines of text with styles, as a terminal takes them: the last step, which alone knows colour and width."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from rich.console import Console
from rich.text import Text


def printed(lines: Iterable[Text], *, colour: bool, width: int | None) -> str:
    """The lines as they are: no markup, no highlighting, no folding. Without a width nothing is cut."""
    buffer = StringIO()
    console = Console(
        file=buffer,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        width=width or 100_000,
        markup=False,
        highlight=False,
        emoji=False,
        _environ={},  # the width and the colours are decided before, once
        legacy_windows=False,
    )
    for line in lines:
        line.rstrip()
        console.print(
            line,
            no_wrap=True,
            overflow="ellipsis" if width else "ignore",
            crop=width is not None,
            soft_wrap=width is None,
        )
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n"))
