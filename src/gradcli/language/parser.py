"""From text to tape: `parse` reads a program, and the writer has its tape when it is done.

The parser keeps what was typed: `a*b + a*b` has two products. A variable is one line, however often it occurs.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

from lark import Lark, Token
from lark.exceptions import UnexpectedInput

from gradcli.autodiff.ops import find
from gradcli.autodiff.tape import Tape, collection_paused
from gradcli.errors import Hint, ParseError, Source

from .grammar import make_parser
from .writer import Writer


def parse(text: str | Source, bound: Collection[str] = (), apart: Collection[str] = ()) -> Tape:
    """The tape of a program.

    `bound` are the names that will be bound: they win over the constants, and cannot be assigned. The assigned names
    in `apart` have a line of their own, also where they are another name for what has one.
    Raises ParseError, with the place and, where there is an obvious repair, a hint.
    """
    source = text if isinstance(text, Source) else Source(text)
    with _lock:  # the one parser writes to the one writer
        try:
            return _read(source, bound, apart)
        except ParseError as problem:
            error = problem
        except UnexpectedInput as problem:
            from .mistakes import explain

            error = explain(problem, source, _lexed.last, _writer.known())
        if isinstance(error.hint, Hint) and not _all_parse(error.hint.proposals, bound, _writer.functions):
            error.hint = ""
    raise error


def _read(source: Source, bound: Collection[str], apart: Collection[str], functions: Mapping[str, Tape] = {}) -> Tape:
    parser = _parser()
    _writer.begin(source, bound, apart, functions)
    with collection_paused():  # the lines of a tape have no cycles either
        parser.parse(source.text)
    return _writer.tape()


def _all_parse(texts: Iterable[str], bound: Collection[str], functions: Mapping[str, Tape]) -> bool:
    """True if what a hint proposes is in the language, where these functions are defined."""
    try:
        for text in texts:
            _read(Source(text), bound, (), functions)
    except (ParseError, UnexpectedInput):
        return False
    return True


# A line that ends in one of these goes on, and one that begins with one of those goes on with the line before.
# (What is never right there, as ), is a mistake in that line.)
_OPEN = {"PLUS", "MINUS", "TIMES", "DIVIDE", "PERCENT", "POWER", "COMPARE", "AND", "OR", "NOT", "ROOT", "ASSIGN"}
_GOES_ON = {"PLUS", "MINUS", "TIMES", "DIVIDE", "PERCENT", "POWER", "COMPARE", "AND", "OR", "ASSIGN", "RPAR", "COMMA"}


class _Lexed:
    """A stage between lexer and parser: the type of a token whose characters alone do not say it."""

    always_accept = ()
    last: Token | None = None  # before the one that the parser has, or was refused

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        text, depth, kind = _writer.source.text, 0, "_SEPARATOR"
        last: Token | None = None
        line_end: Token | None = None  # of a statement, unless the next line goes on with it
        self.last = None
        for token in stream:
            last_kind, kind = kind, token.type
            if kind == "_SEPARATOR" and token == "\n":
                if depth <= 0 and last_kind != "_SEPARATOR" and last_kind not in _OPEN:
                    line_end = token
                kind = last_kind
                continue
            if line_end is not None:
                if kind not in _GOES_ON and kind != "_SEPARATOR":
                    self.last, last, last_kind = last, line_end, "_SEPARATOR"
                    yield line_end
                line_end = None
            if kind == "NAME":
                if not token.isascii() or last_kind == "NUMBER":
                    self._check_name(token, last)
                if last_kind == "_SEPARATOR" and _HEADER.match(text, token.end_pos or 0):
                    token.type = "FUNCTION"
            elif kind == "LPAR":
                depth += 1
            elif kind == "RPAR":
                depth -= 1
            elif kind == "SUPERSCRIPT" and last_kind == "NAME" and _OPENS.match(text, token.end_pos or 0):
                token.type = self._powered(str(last), token)
            self.last, last = last, token
            yield token
        self.last = last

    def _check_name(self, token: Token, last: Token | None) -> None:
        from .mistakes import check_name

        check_name(token, last, _writer.source, _writer.known())

    def _powered(self, name: str, power: Token) -> str:
        """The kind of a superscript between a name and a parenthesis: an EXPONENT where the name is a function."""
        from .definitions import DEFINITIONS, refuse_inverse

        if name not in _writer.functions and find(name) is None and name not in DEFINITIONS:
            return "SUPERSCRIPT"
        refuse_inverse(name, power, _writer.source)
        return "EXPONENT"


_HEADER = re.compile(r"\s*\([^()]*\)\s*=(?!=)")
_OPENS = re.compile(r"[ \t]*\(")
_writer, _lexed, _lock = Writer(), _Lexed(), threading.Lock()


@cache
def _parser() -> Lark:
    return make_parser(_writer, _lexed)
