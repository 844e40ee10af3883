"""Many values for a name: `x=1,2,5` a list, `x=1,5,` a list of two, `x=0:10:0.5` start:stop:step, `x=0:10:#200` so many points, `x=0:10`.

Each number is a constant expression of the language, as in a binding.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from gradcli.autodiff.tape import evaluate
from gradcli.errors import EvaluationError, GradcliError, Source, UsageError

from .bindings import Binding, place_of, placed, read_bindings
from .parser import parse
from .scope import normal

if TYPE_CHECKING:
    from fractions import Fraction

MOST = 10_000_000  # points that a range may have
_DECIMAL_COMMA = re.compile(r"\s*[-+−–]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+\s*")
EPSILON = 2.0**-52
LARGEST = 1e300  # so that the distance of two does not overflow


class Range(NamedTuple):
    """The values of a name: from `low` to `high`; `points` None where only these two were given."""

    low: float
    high: float
    points: list[float] | None
    source: Source

    def spread(self, count: int) -> list[float]:
        """The points that were asked for, else `count` of them, evenly."""
        return evenly(self.low, self.high, count) if self.points is None else self.points


def evenly(low: float, high: float, count: int) -> list[float]:
    """`count` numbers from low to high, both included: 0, 0.1, 0.2, 0.3, ... and not 0.30000000000000004."""
    first, last, unit = _whole(low, high)
    parts = max(1, count - 1)
    return [(first * (parts - i) + last * i) / (unit * parts) for i in range(count)]


def _whole(*numbers: float) -> list[int]:
    """Numbers as they are written, as multiples of one unit, and the number of units that make 1.

    The quotient of two ints is the double that is nearest to it.
    """
    exact = [_exact(number) for number in numbers]
    unit = math.lcm(*[number.denominator for number in exact])
    return [*[int(number * unit) for number in exact], unit]


def _exact(number: float) -> Fraction:
    """The number that is meant: 0.1, as it is written; but what needs all digits, as pi/4 does, is the double itself."""
    from fractions import Fraction

    text = repr(number)
    return Fraction(text) if sum(map(str.isdigit, text.partition("e")[0])) < 16 else Fraction(number)


def read_ranges(arguments: Iterable[str]) -> tuple[dict[str, Range], dict[str, Binding]]:
    """The arguments that give many values, and those that give one, by name.

    Raises UsageError, with the place, for an argument that is neither, and for a name that is given twice.
    """
    ranges: dict[str, Range] = {}
    single: list[str] = []
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        pieces = list(parts(argument, len(name) + 1)) if equals and not _is_ambiguous(argument) else []
        if len(pieces) < 2:
            single.append(argument)
            continue
        name = normal(name.strip())
        if name in ranges:
            raise UsageError(f"{name} is given twice", Source(argument), (0, len(argument)))
        ranges[name] = _range(name, Source(argument), pieces)
    bindings = read_bindings(single)
    for name in bindings:
        if name in ranges:
            raise UsageError(f"{name} is given twice", ranges[name].source, (0, len(ranges[name].source.text)))
    return ranges, bindings


def is_range(argument: str) -> bool:
    """True if an argument gives many values. `x=1,5` does not: it was typed for 1.5."""
    name, equals, value = argument.partition("=")
    if not equals or (":" not in value and "," not in value) or _is_ambiguous(argument):
        return False
    return len(list(parts(argument, len(name) + 1))) > 1


def _is_ambiguous(argument: str) -> bool:
    return _DECIMAL_COMMA.fullmatch(argument.partition("=")[2]) is not None


def parts(text: str, start: int, signs: str = ",:") -> Iterator[tuple[int, int, str]]:
    """The pieces of a value between `signs`, those in parentheses left alone; each with the sign before it."""
    depth, sign = 0, ""
    for index in range(start, len(text)):
        char = text[index]
        depth += (char == "(") - (char == ")")
        if depth == 0 and char in signs:
            yield start, index, sign
            start, sign = index + 1, char
    yield start, len(text), sign


def read_direction(text: str) -> dict[str, float]:
    """The speed of each variable in "a=1,b=-2". Raises UsageError, with the place, for anything else, or a name twice."""
    direction: dict[str, float] = {}
    for start, end, _ in parts(text, 0, ","):
        length = text[start:end].find("=")
        if length < 0:
            raise UsageError("a direction is NAME=NUMBER", Source(text), (start, end), "as in --along x=1,y=-2")
        name = placed(text, start, start + length)
        if name in direction:
            raise UsageError(f"{name} is given twice", *place_of(name))
        (binding,) = read_bindings([text[start:end].strip()]).values()
        direction[name] = binding.value
    return direction


def _range(name: str, source: Source, pieces: list[tuple[int, int, str]]) -> Range:
    signs = {sign for _, _, sign in pieces[1:]}
    whole = pieces[0][0], len(source.text)
    if len(signs) > 1 or (":" in signs and len(pieces) > 3):
        raise UsageError("a range is LOW:HIGH, LOW:HIGH:STEP or LOW:HIGH:#POINTS, and a list is 1,2,5", source, whole)
    if signs == {","}:
        if len(pieces) > 1 and not source.text[pieces[-1][0] :].strip():
            pieces = pieces[:-1]  # a comma at the end makes a list of what would be read otherwise
        found = [_number(source, part) for part in pieces]
        return Range(min(found), max(found), found, source)
    low, high = (_number(source, part) for part in pieces[:2])
    if len(pieces) == 2:
        if not low < high:
            raise UsageError(f"{name} has to go from the lower number to the higher", source, whole)
        return Range(low, high, None, source)
    start, end, _ = pieces[2]
    text = source.text[start:end].strip()
    if text.startswith("#"):
        count = int(text[1:9]) if text[1:].isascii() and text[1:].isdigit() else 0
        if not 2 <= count <= MOST:
            raise UsageError(f"after # comes a number of points, from 2 to {MOST}", source, (start, end))
        return Range(min(low, high), max(low, high), evenly(low, high, count), source)
    points = _stepped(low, high, _number(source, pieces[2]), source, (start, end))
    return Range(min(low, high), max(low, high), points, source)


def _stepped(low: float, high: float, step: float, source: Source, span: tuple[int, int]) -> list[float]:
    """From low by steps, high included where a step meets it, to the rounding of the three numbers.

    Then the points share the way evenly, so that the end is the end and a middle of -pi:pi is 0.
    """
    first, last, stride, unit = _whole(low, high, step)
    count, rest = divmod(last - first, stride) if stride else (-1, 0)
    if not 0 <= count < MOST:
        raise UsageError("with this step there is no end, or none in sight", source, span)
    rounding = 2 * EPSILON * (abs(low) + abs(high) + abs(high - low))
    beyond = abs(stride - rest)
    if min(abs(rest), beyond) <= rounding * unit:
        found = evenly(low, high, count + 1 + (beyond <= rounding * unit))
    else:
        found = [(first + i * stride) / unit for i in range(count + 1)]
    return [found[0], *(0.0 if abs(point) <= rounding else point for point in found[1:-1]), *found[1:][-1:]]


def _number(source: Source, part: tuple[int, int, str]) -> float:
    """The value of a piece. A mistake in it is shown in the whole argument."""
    start, end, _ = part
    try:
        tape = parse(Source(" " * start + source.text[start:end]))  # blanks keep the places
    except GradcliError as problem:
        raise type(problem)(problem.message, source, problem.span, problem.hint) from None
    if tape.inputs or tape.names:
        raise UsageError("a number or a constant expression goes here", source, (start, end))
    value = evaluate(tape, {})
    if not abs(value) <= LARGEST:
        raise EvaluationError(
            f"a range needs finite numbers up to {LARGEST:g}, and this is {value:g}", source, (start, end)
        )
    return value
