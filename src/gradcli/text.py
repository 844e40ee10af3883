"""How numbers are printed: every digit for programs, a few for people.

Plain output and JSON read back as the same double. (Python's repr is the shortest such text; its form does not
depend on the locale.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping

Json = float | str


def shortest(number: float) -> str:
    """The shortest text that reads back as `number`; whole numbers below 1e16 without a point."""
    text = repr(float(number))
    return text[:-2] if text.endswith(".0") else text


def rounded(number: float, precision: int = 6) -> str:
    """`number` for people, to `precision` significant digits."""
    text = f"{number:.{precision}g}"
    return shortest(float(text)) if math.isfinite(number) else text


def json_number(number: float) -> Json:
    """`number` for JSON, which has no infinities and no nan: they are the strings that JavaScript prints."""
    if math.isfinite(number):
        return float(number)
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"


def json_numbers(numbers: Mapping[str, float | None]) -> dict[str, Json | None]:
    """Numbers by name for JSON; what there is not is null."""
    return {name: None if number is None else json_number(number) for name, number in numbers.items()}


def enclosed(number: str) -> str:
    """A number as an operand after a sign: in parentheses if it has one of its own."""
    return f"({number})" if number.startswith("-") else number


def raised(order: int) -> str:
    """The order of a derivative as it stands above a d: nothing for 1."""
    return "" if order == 1 else str(order).translate(_SUPERSCRIPTS)


_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def several(count: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def digits(number: int) -> str:
    """All decimal digits of a count: Python refuses to print more than 4300 at once."""
    parts: list[str] = []
    while number >= 10**4000:
        number, low = divmod(number, 10**4000)
        parts.append(f"{low:04000d}")
    return "".join([str(number), *reversed(parts)])
