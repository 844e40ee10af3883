"""How numbers are printed: every digit for programs, a few for people.

Plain output and JSON read back as the same double. (Python's repr is the shortest such text; its form does not
depend on the locale.)
"""

from __future__ import annotations

import math

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


def digits(number: int) -> str:
    """All decimal digits of a count: Python refuses to print more than 4300 at once."""
    parts: list[str] = []
    while number >= 10**4000:
        number, low = divmod(number, 10**4000)
        parts.append(f"{low:04000d}")
    return "".join([str(number), *reversed(parts)])
