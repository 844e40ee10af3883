"""Messages about a text that is not in the language: what was expected, in words, and the likely repair.

Imported when there is something to explain, and not before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from gradcli.autodiff.ops import Op
from gradcli.errors import ParseError, Source
from gradcli.text import counted, did_you_mean, listed

History = tuple[Token | None, Token | None, Token | None]  # the last three tokens; the third is the one in question

OPERAND, VALUE_ENDS = {"NUMBER", "NAME", "LPAR", "FUNCTION"}, {"NUMBER", "NAME", "RPAR", "SUPERSCRIPT"}
OPERATORS = {"PLUS", "MINUS", "TIMES", "DIVIDE", "PERCENT", "POWER", "COMPARE", "AND", "OR", "SUPERSCRIPT"}
WORDS = {"RPAR": "')'", "COMMA": "','", "$END": "the end"}
CHARACTER_HINTS = {
    "[": "only ( ) group", "]": "only ( ) group", "{": "only ( ) group", "}": "only ( ) group",
    "≤": "write <=", "≥": "write >=", "≠": "write !=", "√": "write sqrt(x)", "∞": "write inf", "∑": "write sum(a, b, ...)",
    "!": "for a factorial write gamma(n+1); 'not equal' is !=, 'not' is written not", "&": "write and", "|": "for abs write abs(x); 'or' is written or",
    ":": "a name is given its value with =", "'": "there are no strings here", '"': "there are no strings here", "\u00a0": "type a plain space",
    "’": "a derivative has no prime here", "$": "names have no $", ".": "a point belongs inside a number", "?": "to choose write if(c, a, b)",
}  # fmt: skip


def explain(problem: UnexpectedInput, source: Source, history: History) -> ParseError:
    """The error that explains why Lark refused a text: `problem` is Lark's, `history` holds the last tokens."""
    if isinstance(problem, UnexpectedCharacters):
        position = problem.pos_in_stream or 0
        return foreign(source, position)
    assert isinstance(problem, UnexpectedToken)
    token, accepted = problem.token, set(problem.accepts or problem.expected)
    before, last, _ = history
    if last is not None and last.type in VALUE_ENDS:
        accepted |= OPERATORS
    expected = f"expected {_in_words(accepted)}"
    if token.type == "$END":
        end = len(source.text.rstrip())
        opened = _unclosed(source.text) if "RPAR" in accepted else None
        hint = (
            f"the '(' in column {opened + 1} is never closed" if opened is not None and "\n" not in source.text else ""
        )
        what = "there is no expression" if last is None else f"the text ends too early: {expected}"
        return ParseError(what, source, (end, end), hint)
    start, end = token.start_pos or 0, token.end_pos or 0
    shown = "a line break" if token == "\n" else f"'{token}'"
    return ParseError(
        f"unexpected {shown}: {expected}", source, (start, end), _hint(token, last, before, accepted, source.text)
    )


def _in_words(accepted: set[str]) -> str:
    if "NUMBER" in accepted and not accepted & OPERATORS - {"PLUS", "MINUS"}:
        return "a number, a name or '('"
    words = ["an operator"] if accepted & OPERATORS else []
    words += [word for kind, word in WORDS.items() if kind in accepted]
    return listed(words, "or")


def _hint(token: Token, last: Token | None, before: Token | None, accepted: set[str], text: str) -> str:
    kind, last_kind = token.type, last.type if last else ""
    if kind in OPERAND and last_kind in VALUE_ENDS:
        assert last is not None
        if last_kind == "NUMBER" and before is not None and before.type in ("DIVIDE", "PERCENT", "POWER"):
            return f"write {before}({last}*{_head(token)}) or {before}{last}*{_head(token)}, whichever is meant"
        if last_kind == "SUPERSCRIPT" and kind == "LPAR":
            return "write the power after the call: sin(x)^2"
        return f"an operator is missing: for a product write {_tail(last)}*{_head(token)}"
    if kind == "COMPARE" and "AND" in accepted:
        return "a chain is written with and: 1 < x and x < 2"
    if kind == "ASSIGN":
        return (
            "to compare write =="
            if "COMPARE" in accepted or last_kind in VALUE_ENDS
            else "a name is assigned as in c = a+b"
        )
    if kind == "COMMA" and last_kind == "NUMBER" and (digits := re.match(r"\d+", text[token.end_pos or 0 :])):
        return f"the decimal mark is a point: {last}.{digits[0]}"
    if kind == "RPAR" and "NUMBER" not in accepted:
        return "there is no '(' that it closes"
    if kind == "DIVIDE" and last_kind == "DIVIDE":
        return "whole division is written floor(a/b)"
    if kind == "POWER" and last_kind == "SUPERSCRIPT":
        return "write both powers with ^"
    return ""


def _tail(token: Token) -> str:
    return "(...)" if token.type == "RPAR" else str(token)


def _head(token: Token) -> str:
    return "(...)" if token.type == "LPAR" else str(token)


def _unclosed(text: str) -> int | None:
    opened = []
    for position, char in enumerate(text):
        if char == "(":
            opened.append(position)
        elif char == ")" and opened:
            opened.pop()
    return opened[-1] if opened else None


def foreign(source: Source, position: int) -> ParseError:
    """The error for a character that the language does not have."""
    char = source.text[position]
    if 0xDC80 <= ord(char) <= 0xDCFF:
        what = f"the byte 0x{ord(char) - 0xDC00:02X} is not UTF-8"
    else:
        shown = f"'{char}' " if char.isprintable() and not unicodedata.combining(char) else ""
        what = f"the character {shown}(U+{ord(char):04X}) is not part of the language"
    return ParseError(what, source, (position, position + 1), CHARACTER_HINTS.get(char, ""))


def check_name(token: Token, last: Token | None, source: Source) -> None:
    """Raise ParseError for a token that looks like a name and is not one: 1e, 1_000, x½."""
    start, end = token.start_pos or 0, token.end_pos or 0
    if last is not None and last.type == "NUMBER" and last.end_pos == start:
        if token in ("e", "E"):
            raise ParseError(
                f"the exponent of {last}{token} has no digits",
                source,
                (start, end),
                f"for a product write {last}*{token}",
            )
        if token.startswith("_"):
            raise ParseError("a number has no _ in it", source, (start, end), f"write {last}{token.replace('_', '')}")
    for offset, char in enumerate(token):
        if not (
            char.isalpha() or char.isdecimal() or char == "_" or "₀" <= char <= "₉" or "\u0300" <= char <= "\u036f"
        ):
            raise foreign(source, start + offset)


def no_such_function(
    name: str, arguments: int, op: Op | None, known: Iterable[str], *, itself: bool, text: str
) -> tuple[str, str]:
    """Message and hint for a call that names no function, or one with other arguments."""
    what = f"no function {name} with {counted(arguments, 'argument')}"
    if itself:
        return f"the function {name} cannot use itself", ""
    if op is not None:
        return (
            what,
            f"it is written {name}({', '.join(op.parameters)})"
            if op.arity is not None
            else f"{name} takes at least one argument",
        )
    product = f"for a product write {name}*{text[len(name) :].strip()}" if arguments == 1 and len(text) < 40 else ""
    return what, did_you_mean(name, known) or product
