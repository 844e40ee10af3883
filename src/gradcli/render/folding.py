"""Lines that are too long for a terminal, folded between words: no number is cut."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from gradcli.text import cells

INDENT = 2  # of a line that goes on
SIGNS = {
    "=",
    "≈",
    "×",
    "+",
    "-",
    "*",
    "/",
    "==",
    ">",
    "<",
    ">=",
    "<=",
    "!=",
}  # each stands at the start of a line, not at its end


def folded(text: str, width: int) -> list[str]:
    """The lines of a text of at most `width` cells, as far as its words allow."""
    lines: list[str] = []
    for piece in _pieces(text):
        if lines and cells(f"{lines[-1]} {piece}") <= width:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return lines


def _pieces(text: str) -> list[str]:
    """The words, each with the sign before it."""
    pieces: list[str] = []
    for word in text.split(" "):
        if pieces and pieces[-1] in SIGNS:
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    return pieces


def folded_line(line: Text, width: int | None) -> Iterator[Text]:
    """The line with its styles, on as many as it needs."""
    if width is None or cells(line.plain) <= width:
        yield line
        return
    start = 0
    for piece in folded(line.plain, width - INDENT):
        shown = Text.assemble(" " * INDENT if start else "", line[start : start + len(piece)])
        shown.truncate(width, overflow="ellipsis")  # a name may be longer than the line; a number is not
        yield shown
        start += len(piece) + 1


def _parts(text: str, room: int) -> list[str]:
    """A text in parts of `room` characters: for a formula without a space."""
    return [text[start : start + room] for start in range(0, max(1, len(text)), room)]


def hanging(lead: Text, text: str, style: str, width: int | None, indent: int = 0) -> Iterator[Text]:
    """A text after a lead, on as many lines as it needs, those after the first `indent` cells further to the right."""
    start = cells(lead.plain)
    room = max(8, (width or 10**6) - start - indent)
    lines = [part for line in folded(text, room) for part in _parts(line, room)]
    yield lead.append(lines[0], style=style)
    yield from (Text.assemble(" " * (start + indent), (line, style)) for line in lines[1:])
