"""Numbers, names and texts as they are shown: every digit for programs, a few for people; a place with carets below it.

Plain output and JSON read back as the same double. (Python's repr is the shortest such text; its form does not
depend on the locale.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

Json = float | str


def shortest(number: float) -> str:
    """The shortest text that reads back as `number`; whole numbers below 1e16 without a point."""
    text = repr(float(number))
    return text[:-2] if text.endswith(".0") else text


def rounded(number: float, precision: int = 6) -> str:
    """`number` for people: never falsely exact. Every number that people see is written here.

    An integer below 1e15 is whole, and 0 has no sign. Another number that has at most `precision` significant digits
    has those; else it is rounded to `precision` digits, of which none is left out, and has an exponent where it would
    look like an integer: 670592745, 0.1, 0.300000 (for 0.1 + 0.2), 1.23457e+06 (for 1234567.8).
    """
    if not math.isfinite(number):
        return str(float(number))
    if abs(number) < 1e15 and number == int(number):
        return str(int(number))
    digits = len(repr(abs(float(number))).partition("e")[0].replace(".", "").strip("0"))
    if digits <= precision:
        return f"{number:.{digits}g}"
    text = f"{number:#.{precision}g}".replace(".e", "e")
    return f"{number:.{precision - 1}e}" if text.endswith(".") else text


def given(number: float, precision: int = 6) -> str:
    """A number that the user gave, for people: a zero keeps its sign."""
    return "-0" if number == 0 and math.copysign(1.0, number) < 0 else rounded(number, precision)


def json_number(number: float) -> Json:
    """`number` for JSON, which has no infinities and no nan: they are the strings that JavaScript prints."""
    if math.isfinite(number):
        return float(number)
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"


def json_numbers(numbers: Mapping[str, float | None]) -> dict[str, Json | None]:
    """Numbers by name for JSON; None, for a number that is missing, becomes null."""
    return {name: None if number is None else json_number(number) for name, number in numbers.items()}


def enclosed(number: str) -> str:
    """A number as an operand after a sign: in parentheses if it has one of its own."""
    return f"({number})" if number.startswith("-") else number


def raised(order: int) -> str:
    """The order of a derivative as the superscript of a d; "" for 1."""
    return "" if order == 1 else str(order).translate(_SUPERSCRIPTS)


def derivative_name(by: str, order: int) -> str:
    """The name of a derivative of an order by a name, or by several in turn ("x,y"): d/dx, d²/dx², d²/dx dy."""
    names = by.split(",")
    total = order if order > 1 else len(names)
    return f"d{raised(total)}/" + " ".join(f"d{name}{raised(order)}" for name in names)


_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def counted(count: int, noun: str) -> str:
    """A count with its noun, in the plural unless it is 1: "1 row", "3 rows"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(parts: Sequence[str], word: str = "and") -> str:
    """The parts with commas between them, and a word before the last: "a, b and c"."""
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}" if len(parts) > 1 else "".join(parts)


def digits(number: int) -> str:
    """All decimal digits of a count: Python refuses to print more than 4300 at once."""
    parts: list[str] = []
    while number >= 10**4000:
        number, low = divmod(number, 10**4000)
        parts.append(f"{low:04000d}")
    return "".join([str(number), *reversed(parts)])


# --------------------------------------------------------------------------------------- names and texts


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question after the nearest known names, or ""."""
    from difflib import get_close_matches  # for mistakes alone

    near = get_close_matches(name, list(known), n=2, cutoff=0.7) or [
        other for other in known if other.lower() == name.lower()
    ]
    return f"did you mean {' or '.join(near)}?" if near else ""


def excerpt(text: str, start: int, end: int, width: int = 76) -> list[str]:
    """Two lines: that of the text which holds `start`, cut to `width` around it, and carets below it up to `end`."""
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
    """`text` with control characters and undecoded bytes written as codes, so that a terminal obeys none of it."""
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
