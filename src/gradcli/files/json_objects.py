"""A line of JSON Lines: the object in it, read quickly where it is plain and carefully elsewhere, and its numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gradcli.errors import FileError
from gradcli.language.scope import normal
from gradcli.text import escape

from .cells import quoted
from .json_writer import Literal, strict

HUGE = 2.0**63


class Line(NamedTuple):
    """A row as it was: the text of its object ("" where the line holds none) and its fields.

    The numbers among these are Literals, or those of a `plain` line floats and ints.
    """

    text: str
    fields: Mapping[str, Any]
    plain: bool = False


def plain_object(text: str, loads: Callable[[str], Any]) -> dict[str, Any] | None:
    """The fields of an object without lists, objects and escapes in it, as orjson reads them, ten times as fast as
    `read_object`; None for any other text, for a key that is there twice, and for the number -0.
    """
    if "\\" in text:
        return None
    try:
        fields = loads(text)
    except ValueError:
        return None
    if fields.__class__ is not dict or not (text.isascii() or all(map(str.isascii, fields))):
        return None
    strings = len(fields)
    for value in fields.values():
        kind = value.__class__
        if kind is str:
            strings += 1
        elif kind is float:
            if not -HUGE < value < HUGE:  # orjson makes a float of an integer too, where it is so large
                return None
        elif kind is dict or kind is list or (kind is int and not value and "-0" in text):
            return None
    return fields if text.count('"') == 2 * strings else None


def read_object(text: str, line: str) -> Mapping[str, Any] | str:
    """The fields of an object, or why the line holds none. Raises FileError for a key that is there twice."""

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [encodable(normal(key)) for key, _ in pairs]
        unique = dict(zip(keys, [value for _, value in pairs], strict=True))
        if len(unique) < len(pairs):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise FileError(f"{line}: the key {escape(twice)} is there twice")
        return unique

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is not JSON")

    try:
        value = json.loads(
            text, object_pairs_hook=fields, parse_float=Literal, parse_int=Literal, parse_constant=refuse
        )
    except json.JSONDecodeError as problem:
        return f"not JSON: {problem.msg.lower()} at column {problem.colno}"
    except RecursionError:
        return "JSON that is nested too deep"
    except ValueError as problem:
        return str(problem)
    return value if isinstance(value, dict) else f"{quoted(text)} is not an object"


def field_number(fields: Mapping[str, Any], key: str) -> float | str:
    """The number in a field, or why there is none. The texts that stand for inf in strict JSON are numbers too."""
    if key not in fields:
        return "the key is missing"
    value = fields[key]
    if isinstance(value, float | int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, Literal):
        number = float(value)
        return number if number - number == 0 else f"{quoted(value)} is too large for binary64"
    if value in ("Infinity", "-Infinity"):
        return float(value)
    if isinstance(value, str):
        return f"the text {quoted(value)} is not a number"
    return f"{quoted(strict(value))} is not a number"


def encodable(text: str) -> str:
    """A text without halves of a character: JSON may write one alone, as an escape, and UTF-8 cannot."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
