"""Errors that a user can cause: a message, a place in what was typed, a repair, and an exit code.

Every error that a user can cause is a GradcliError and is translated once, in the command group. The classes
differ in the exit code alone; what they have in common is here.
"""

from __future__ import annotations

from typing import NamedTuple

from .text import excerpt


class Source(NamedTuple):
    """A text that was typed, and its name: "model.expr" for a file, "" for an argument."""

    text: str
    name: str = ""


class Hint(str):
    """A hint that knows what it proposes to type, so that it can be tried: no hint leads astray."""

    proposals: tuple[str, ...] = ()


def propose(sentence: str, *proposals: str) -> Hint:
    """The hint of a sentence whose {} are filled with what it proposes."""
    hint = Hint(sentence.format(*proposals))
    hint.proposals = proposals
    return hint


class GradcliError(Exception):
    """An error that a user can cause; as a text it is the message with the place in what was typed.

    message    the sentence that says what is wrong
    source     the text that was typed, and its name; None where the error is not in a text
    span       the place in `source.text`: its start, and its end, which is not part of it; None for no place
    hint       the likely repair, or ""
    exit_code  of the command: 2 for errors of usage, else 1
    """

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
    """A request that makes no sense: an option, a name, a binding."""

    exit_code = 2


class ParseError(UsageError):
    """A text that is not in the language."""


class EvaluationError(GradcliError):
    """An expression that has no value at a point."""


class FileError(GradcliError):
    """A file that cannot be read or written."""


def _where(source: Source | None, span: tuple[int, int] | None) -> str:
    """The name of the file and the line number, where there are more lines than one, in parentheses; else ""."""
    if source is None or span is None:
        return ""
    parts = [source.name] if source.name else []
    if "\n" in source.text.strip("\n"):
        parts.append(f"line {source.text.count(chr(10), 0, span[0]) + 1}")
    return f" ({', '.join(parts)})" if parts else ""
