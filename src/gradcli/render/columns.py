"""Rows in columns: names to the left, numbers to the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from ..errors import escape
from .style import QUIET

GAP = 2


def aligned(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None, styles: Sequence[str]
) -> Iterator[Text]:
    """The rows below their header. Columns for which the width has no room are left out, and a … says so."""
    cells = [[escape(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    shown = _fitting(widths, width)
    for number, row in enumerate(cells):
        line = Text()
        for i, (cell, size, style) in enumerate(zip(row[:shown], widths, styles, strict=False)):
            pad = " " * (size - cell_len(cell))
            line.append(" " * GAP if i else "")
            line.append(cell + pad if i == 0 else pad + cell, style=style if number else QUIET)
        yield line.append("  …", style=QUIET) if shown < len(row) else line


def _fitting(widths: Sequence[int], width: int | None) -> int:
    """How many columns have room."""
    count, used = len(widths), sum(widths) + GAP * (len(widths) - 1)
    while width is not None and used > width and count > 1:
        count -= 1
        used = sum(widths[:count]) + GAP * count + 1
    return count
