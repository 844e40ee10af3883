"""Markdown as GitHub reads it: tables, and formulas in LaTeX between dollar signs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gradcli.text import cells, escape

_SPECIAL = {ord(char): f"\\{char}" for char in "\\`*_[]<>#|$~"}


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,)) -> str:
    """A table with its columns aligned in the source too; those in `left` to the left, the others to the right.

    Cells are taken as they are: what a user typed goes through `code`, a formula through `math`.
    """
    lines = [list(header), *map(list, rows)]
    widths = [max(3, *(cells(line[i]) for line in lines)) for i in range(len(header))]
    rule = [":" + "-" * (size - 1) if i in left else "-" * (size - 1) + ":" for i, size in enumerate(widths)]
    return "\n".join(_line(line, widths, left) for line in [lines[0], rule, *lines[1:]])


def _line(line: Sequence[str], widths: Sequence[int], left: Collection[int]) -> str:
    padded = []
    for i, (cell, size) in enumerate(zip(line, widths, strict=True)):
        pad = " " * (size - cells(cell))
        padded.append(cell + pad if i in left else pad + cell)
    return f"| {' | '.join(padded)} |"


def code(text: str) -> str:
    """A text in the language, on one line, as code; a bar would end the cell of a table."""
    text = escape(" ".join(text.split())).replace("|", "\\|")
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}" if text else ""


def math(latex: str) -> str:
    """A formula in LaTeX within a line; a bar would end the cell of a table."""
    return f"${latex.replace('|', chr(92) + 'vert ')}$"


def display(latex: str) -> str:
    """A formula in LaTeX on lines of its own."""
    return f"$${latex}$$"


def plain(text: str) -> str:
    """A text in which nothing is Markdown."""
    return escape(text).translate(_SPECIAL)
