"""Rows in columns: names to the left, numbers to the right."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import escape

from .style import ACCENT, QUIET

GAP = 2


def aligned(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None,
    styles: Sequence[str],
    *,
    left: Container[int] = (0,),
    accented: Container[str] = (),
) -> Iterator[Text]:
    """The rows below their header; the columns in `left` to the left, and the cells in `accented` stand out.

    Columns for which the width has no room are left out, and a … says so; so are those whose cells are all empty.
    """
    cells = [[escape(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    filled = [i for i, size in enumerate(widths) if size]
    shown = _fitting([widths[i] for i in filled], width)
    for number, row in enumerate(cells):
        line = Text()
        for i in filled[:shown]:
            pad = " " * (widths[i] - cell_len(row[i]))
            line.append(" " * GAP if i != filled[0] else "")
            style = (ACCENT if row[i] in accented else styles[i]) if number else QUIET
            line.append(row[i] + pad if i in left else pad + row[i], style=style)
        yield line.append("  …", style=QUIET) if shown < len(filled) else line


def line(*parts: tuple[str, str]) -> Text:
    """A line of texts in their styles."""
    return Text.assemble(*parts)


def _fitting(widths: Sequence[int], width: int | None) -> int:
    """The number of columns, from the left, that have room."""
    count, used = len(widths), sum(widths) + GAP * (len(widths) - 1)
    while width is not None and used > width and count > 1:
        count -= 1
        used = sum(widths[:count]) + GAP * count + 1
    return count
