"""Messages about a text that is not in the language: what was expected, in words, and the likely repair.

Imported when there is something to explain, and not before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from gradcli.autodiff.tape import Span
from gradcli.errors import ParseError, Source, propose
from gradcli.text import listed

from .fragments import NUMBER, clause, operand_after, operand_before, power_before
from .repairs import repair
from .scope import Known, belongs

OPERAND, VALUE_ENDS = {"NUMBER", "NAME", "LPAR", "FUNCTION", "ROOT"}, {"NUMBER", "NAME", "RPAR", "SUPERSCRIPT"}
OPERATORS = {"PLUS", "MINUS", "TIMES", "DIVIDE", "PERCENT", "POWER", "COMPARE", "AND", "OR", "SUPERSCRIPT"}
WORDS = {"RPAR": "')'", "COMMA": "','", "$END": "the end"}
CHARACTER_HINTS = {
    "[": "only ( ) group", "]": "only ( ) group", "{": "only ( ) group", "}": "only ( ) group", ":": "a name is given its value with =",
    "'": "there are no strings here", '"': "there are no strings here", "\u00a0": "type a plain space", "$": "names have no $",
    ".": "a point belongs inside a number",
}  # fmt: skip


def explain(problem: UnexpectedInput, source: Source, last: Token | None, known: Known) -> ParseError:
    """The error for what Lark refused; `last` is the token before it."""
    if isinstance(problem, UnexpectedCharacters):
        return foreign(source, problem.pos_in_stream or 0, known)
    assert isinstance(problem, UnexpectedToken)
    token, accepted = problem.token, set(problem.accepts or problem.expected)
    if last is not None and last.type == "PERCENT":
        return _percent(source, last)
    if last is not None and last.type in VALUE_ENDS:
        accepted |= OPERATORS
    expected = f"expected {_in_words(accepted)}"
    if token.type == "$END":
        return _too_early(source, "there is no expression" if last is None else f"the text ends too early: {expected}")
    start, end = token.start_pos or 0, token.end_pos or 0
    hint = repair(source.text, start, known) or _hint(token, last, accepted, source.text)
    shown = "a line break" if token == "\n" else f"'{token}'"
    return ParseError(f"unexpected {shown}: {expected}", source, (start, end), hint)


def _too_early(source: Source, what: str) -> ParseError:
    end = len(source.text.rstrip())
    opened = _unclosed(source.text) if "')'" in what else None
    hint = f"the '(' in column {opened + 1} is never closed" if opened is not None and "\n" not in source.text else ""
    return ParseError(what, source, (end, end), hint)


def _percent(source: Source, sign: Token) -> ParseError:
    """The error for a % without an operand right after it."""
    start, end = sign.start_pos or 0, sign.end_pos or 0
    left = operand_before(source.text, start) or "10"
    signed = re.compile(r"\s*[-+−–]\s*").match(source.text, end)
    right = operand_after(source.text, signed.end()) if signed else ""
    divisor = f"{signed[0].strip()}{right}" if signed and right else "b"
    hint = propose("for percent write {}, for a remainder {}", f"{left}/100", f"mod({left}, {divisor})")
    return ParseError("% is a remainder, and has its operand right after it", source, (start, end), hint)


def _in_words(accepted: set[str]) -> str:
    if "NUMBER" in accepted and not accepted & OPERATORS - {"PLUS", "MINUS"}:
        return "a number, a name or '('"
    words = ["an operator"] if accepted & OPERATORS else []
    words += [word for kind, word in WORDS.items() if kind in accepted]
    return listed(words, "or")


def _hint(token: Token, last: Token | None, accepted: set[str], text: str) -> str:
    kind, last_kind, start = token.type, last.type if last else "", token.start_pos or 0
    if kind in OPERAND and last_kind in VALUE_ENDS:
        return _missing(text, start)
    if kind == "COMPARE" and "AND" in accepted:
        return _chain(text, start)
    if kind == "ASSIGN":
        compared = "COMPARE" in accepted or last_kind in VALUE_ENDS
        return (
            propose("to compare write {}", "a == b") if compared else propose("a name is assigned as in {}", "c = a+b")
        )
    if kind == "RPAR" and "NUMBER" not in accepted:
        return "there is no '(' that it closes"
    if kind == "POWER" and last_kind == "SUPERSCRIPT":
        return propose("write both powers with ^: {}", "x^2^3")
    return ""


_DIVIDED = re.compile(rf"(\*\*|[/÷%^√∛])\s*([-+−–]*)\s*({NUMBER})\s*$")


def _missing(text: str, place: int) -> str:
    """The hint where two operands stand side by side: what their product may be."""
    right = operand_after(text, place)
    line = text[max(text.rfind("\n", 0, place) + 1, place - 200) : place]
    if right and (found := _DIVIDED.search(line)):
        sign, minus, number = found.groups()
        left = power_before(line, found.start())
        readings = f"{left}{sign}({minus}{number}*{right})", f"{left}{sign}{minus}{number}*{right}"
        return propose("write {} or {}, whichever is meant", *readings)
    left = operand_before(text, place)
    if not (left and right):
        return "an operator is missing"
    return propose("an operator is missing: for a product write {}", f"{left}*{right}")


def _chain(text: str, place: int) -> str:
    """The hint for 1 < x < 2."""
    parts = re.split(r"(<=|>=|==|!=|[<>≤≥≠])", clause(text, place))
    if len(parts) == 5 and all(part.strip() for part in parts):
        left, first, middle, second, right = (part.strip() for part in parts)
        return propose("a chain is written with and: {}", f"{left} {first} {middle} and {middle} {second} {right}")
    return propose("a chain is written with and: {}", "1 < x and x < 2")


def _unclosed(text: str) -> int | None:
    opened = []
    for position, char in enumerate(text):
        if char == "(":
            opened.append(position)
        elif char == ")" and opened:
            opened.pop()
    return opened[-1] if opened else None


def foreign(source: Source, position: int, known: Known) -> ParseError:
    """The error for a character that the language does not have."""
    char = source.text[position]
    if 0xDC80 <= ord(char) <= 0xDCFF:
        what = f"the byte 0x{ord(char) - 0xDC00:02X} is not UTF-8"
    else:
        shown = f"'{char}' " if char.isprintable() and not unicodedata.combining(char) else ""
        what = f"the character {shown}(U+{ord(char):04X}) is not part of the language"
    hint = repair(source.text, position, known) or CHARACTER_HINTS.get(char, "")
    return ParseError(what, source, (position, position + 1), hint)


def check_name(token: Token, last: Token | None, source: Source, known: Known) -> None:
    """Refuse what looks like a name and is not: 1e, 1_000, 0x1F, x½."""
    start, end = token.start_pos or 0, token.end_pos or 0
    if (
        last is not None
        and last.type == "NUMBER"
        and last.end_pos == start
        and (what := _of_number(token, last, known))
    ):
        raise ParseError(what[0], source, (start, end), what[1])
    for offset, char in enumerate(token):
        if not belongs(char):
            raise foreign(source, start + offset, known)


def _of_number(token: Token, last: Token, known: Known) -> tuple[str, str] | None:
    """Message and hint for what follows a number and looks like a part of it."""
    if token in ("e", "E") and last != "∞":
        return f"the exponent of {last}{token} has no digits", propose("for a product write {}", f"{last}*{token}")
    if token.startswith("_"):
        digits = f"{last}{token.replace('_', '')}"
        return "a number has no _ in it", propose("write {}", digits) if digits.isalnum() else ""
    if (
        last == "0"
        and re.fullmatch(r"[xX][0-9a-fA-F]*[0-9][0-9a-fA-F]*|[bB][01]+|[oO][0-7]+", token, re.ASCII)
        and token not in known.names
    ):
        number, kind = int(f"0{token}", 0), {"x": "hexadecimal", "b": "binary", "o": "octal"}[token[0].lower()]
        return f"numbers are decimal: 0{token} looks {kind}", propose(
            "write {}, or for a product {}", str(number), f"0*{token}"
        )
    return None


def nothing(source: Source, functions: Collection[str]) -> ParseError:
    """The error for a text that computes nothing."""
    end = len(source.text)
    what = (
        "the last statement defines a function: there is nothing to compute" if functions else "there is no expression"
    )
    return ParseError(what, source, (end, end), propose("write one, as in {}", "(a+b)*(a*b)"))


def not_assignable(name: str, bound: bool, again: bool, written: str, span: Span) -> tuple[str, Span, str]:
    """Message, place and hint for a name that cannot be assigned: it is bound, or has a value, or was used before."""
    if bound:
        return (
            f"{name} is assigned here, and bound to a value as well",
            span,
            f"leave out {name}=... or this assignment",
        )
    if again:
        return f"{name} is assigned twice", span, "a name stands for one value: choose another for the second"
    hint = "assign a name before its first use, and only once"
    if "\n" in written:
        hint = "a line that begins with a sign goes on with the one before: end that one with ;"
    return f"{name} is used before it is assigned", span, hint
