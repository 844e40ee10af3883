"""From text to tape: `parse` reads a program, and the writer has its tape when it is done.

The parser keeps what was typed: `a*b + a*b` has two products. A variable is one line, however often it occurs.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterator
from functools import cache

from lark import Lark, Token
from lark.exceptions import UnexpectedInput

from gradcli.autodiff.tape import Tape, collection_paused
from gradcli.errors import Source

from .grammar import make_parser
from .scope import normal
from .writer import Writer

__all__ = ["normal", "parse"]


def parse(text: str | Source, bound: Collection[str] = ()) -> Tape:
    """The tape of a program: its lines, operands first, with their places in the text.

    >>> parse("(a+b)*(a*b)").inputs
    {'a': 0, 'b': 1}

    `bound` are the names that will be bound: they win over the constants, and cannot be assigned.
    Raises ParseError, with the place and, where there is an obvious repair, a hint.
    """
    source = text if isinstance(text, Source) else Source(text)
    with _lock:  # the one parser writes to the one writer
        parser = _parser()
        _writer.begin(source, bound)
        try:
            with collection_paused():  # the lines of a tape have no cycles either
                parser.parse(source.text)
        except UnexpectedInput as problem:
            from .mistakes import explain

            raise explain(problem, source, _lexed.history) from None
        return _writer.tape()


class _Lexed:
    """A stage between lexer and parser: the type of a token whose characters alone do not say it."""

    always_accept = ()
    history: tuple[Token | None, Token | None, Token | None] = (None, None, None)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        text, depth, first, last = _writer.source.text, 0, True, None
        before: Token | None = None
        self.history = (None, None, None)
        for token in stream:
            kind = token.type
            if kind == "NAME":
                if not token.isascii() or (last is not None and last.type == "NUMBER"):
                    self._check_name(token, last)
                if first and _HEADER.match(text, token.end_pos or 0):
                    token.type = "FUNCTION"
            elif kind == "LPAR":
                depth += 1
            elif kind == "RPAR":
                depth -= 1
            elif kind == "_SEPARATOR" and depth > 0 and token == "\n":
                continue  # a line may be broken inside parentheses
            first = kind == "_SEPARATOR"
            self.history = (before, last, token)
            before, last = last, token
            yield token
        self.history = (before, last, None)

    def _check_name(self, token: Token, last: Token | None) -> None:
        from .mistakes import check_name

        check_name(token, last, _writer.source)


_HEADER = re.compile(r"\s*\([^()]*\)\s*=(?!=)")
_writer, _lexed, _lock = Writer(), _Lexed(), threading.Lock()


@cache
def _parser() -> Lark:
    return make_parser(_writer, _lexed)
