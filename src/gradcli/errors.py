"""What can go wrong for a user: a message, a place in what was typed, a repair, and an exit code.

Every error that a user can cause is a GradcliError and is translated once, in the command group. The classes
differ in the exit code alone; what they have in common is here.
"""

from __future__ import annotations

from typing import NamedTuple


class Source(NamedTuple):
    """A text that was typed, and what to call it: "model.expr" for a file, "" for an argument."""

    text: str
    name: str = ""


class GradcliError(Exception):
    """An error with a place: `span` are the first and last-plus-one character in `source.text`."""

    exit_code = 1

    def __init__(
        self, message: str, source: Source | None = None, span: tuple[int, int] | None = None, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.message, self.source, self.span, self.hint = message, source, span, hint

    def __str__(self) -> str:
        """The message with the line of the text, a caret below the place, and the hint."""
        lines = [f"{self.message}{_where(self.source, self.span)}"]
        if self.source is not None and self.span is not None:
            lines += excerpt(self.source.text, *self.span)
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


class UsageError(GradcliError):
    """What was asked for makes no sense: an option, a name, a binding."""

    exit_code = 2


class ParseError(UsageError):
    """The text is not in the language."""


class EvaluationError(GradcliError):
    """The text is fine and has no value at this point."""


class FileError(GradcliError):
    """A file that cannot be read or written."""


def _where(source: Source | None, span: tuple[int, int] | None) -> str:
    """The line number, where there is more than one line, and the name of the file."""
    if source is None or span is None:
        return ""
    parts = [source.name] if source.name else []
    if "\n" in source.text.strip("\n"):
        parts.append(f"line {source.text.count(chr(10), 0, span[0]) + 1}")
    return f" ({', '.join(parts)})" if parts else ""


def excerpt(text: str, start: int, end: int, width: int = 76) -> list[str]:
    """The line that holds `start` and carets below it up to `end`, cut around the place if it is long."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    line = text[first:] if last < 0 else text[first:last]
    head, marked = start - first, max(1, min(end, first + len(line)) - start)
    shift = max(0, min(head - width // 2, len(line) - width)) if len(line) > width else 0
    shown, before = line[shift : shift + width], line[shift:head]
    dots = "…" if shift else ""
    tail = "…" if shift + width < len(line) else ""
    carets = cells(escape(line[head : min(head + marked, shift + width)])) or 1
    return [f"  {dots}{escape(shown)}{tail}", f"  {' ' * cells(dots + escape(before))}{'^' * carets}"]


def escape(text: str) -> str:
    """`text` with nothing left that a terminal would obey: control characters and undecoded bytes by their codes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " if char == "\t" else _code(char) for char in text)


def _code(char: str) -> str:
    if 0xDC80 <= ord(char) <= 0xDCFF:  # a byte that was not UTF-8, as Python hands it over
        return f"\\x{ord(char) - 0xDC00:02x}"
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


def cells(text: str) -> int:
    """The width of `text` in terminal cells."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def shortened(text: str, length: int) -> str:
    """`text` on one line, the middle left out if it takes more than `length` cells of a terminal."""
    text = " ".join(text.split())
    if cells(text) <= length:
        return text
    for size in range(max(length, 1), 0, -1):  # a wide character takes two cells
        tail = (size - 1) // 2
        start, end = text[: size - 1 - tail], text[len(text) - tail :]
        if cells(start) + 1 + cells(end) <= length:
            break
    return f"{start}…{end}"
