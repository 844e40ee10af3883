"""Bounds such as x>=0, read from text, and the box that they make."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradcli.autodiff.ops import INFIX
from gradcli.autodiff.tape import replay
from gradcli.errors import Source, UsageError
from gradcli.language.parser import parse

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.typing import NDArray

    from .vectors import Vector

ROUNDING = 2.0**-50
BOUND = "a bound is a name, >= or <=, and a number"
EXAMPLES = 'as in --bound "x>=0" or --bound "0<=x<=1"'
AT_LEAST, AT_MOST = INFIX[">="], INFIX["<="]


class Box(NamedTuple):
    """The lowest and the highest allowed value of each variable, (n,) both."""

    low: Vector
    high: Vector

    def clip(self, point: Vector) -> Vector:
        """The nearest point (n,) in the box; a variable that is on a bound but for rounding is put on it."""
        with np.errstate(invalid="ignore"):  # inf - inf
            for bound in (self.low, self.high):
                point = np.where(abs(point - bound) < ROUNDING * abs(bound), bound, point)
        return np.clip(point, self.low, self.high)

    def free(self, point: Vector, slope: Vector) -> NDArray[bool_]:
        """A mask (n,) of the variables that may move against the slope: those on a bound must not leave the box."""
        stuck: Any = (
            ((point <= self.low) & (slope > 0)) | ((point >= self.high) & (slope < 0)) | (self.low == self.high)
        )
        return ~stuck  # type: ignore[no-any-return]

    def outside(self, point: Vector) -> NDArray[bool_]:
        """A mask (n,) of the variables beyond a bound."""
        return (point < self.low) | (point > self.high)

    @property
    def fixed(self) -> int:
        """The number of variables that two equal bounds fix."""
        return int((self.low == self.high).sum())

    def touched(self, point: Vector) -> NDArray[bool_]:
        """A mask (n,) of the variables on a bound."""
        return ((point <= self.low) | (point >= self.high)) & np.isfinite(point)


def box(bounds: Iterable[str], names: Sequence[str]) -> Box:
    """The box of bounds such as "x>=0", "0 <= x <= 1" and "y <= pi/2".

    Raises UsageError for a text that is not a bound, and for bounds that leave no room; two equal ones fix a variable.
    """
    low, high = np.full(len(names), -math.inf), np.full(len(names), math.inf)
    for text in bounds:
        for part in _parts(Source(text)):
            name, least, most = _read(part, names)
            index = names.index(name)
            low[index], high[index] = max(low[index], least), min(high[index], most)
            if not low[index] <= high[index]:
                raise UsageError(f"the bounds of {name} leave no room for it", Source(text), (0, len(text)))
    return Box(low, high)


def _parts(source: Source) -> Iterator[Source]:
    """The bound, or both halves of one such as 0 <= x <= 1; the other half is blank, so that places stay.

    Raises UsageError for more than one statement: the first would be lost.
    """
    text = source.text
    if found := re.search("[;\n]", text):
        raise UsageError("this is more than one bound", source, found.span(), "give --bound for each of them")
    signs = [found.span() for found in re.finditer("<=|>=", text)]
    if len(signs) < 2:
        yield source
        return
    if len(signs) > 2 or text[slice(*signs[0])] != text[slice(*signs[1])]:
        raise UsageError(BOUND, source, (0, len(text)), EXAMPLES)
    (_, middle), (end, _) = signs
    yield source._replace(text=text[:end] + " " * (len(text) - end))
    yield source._replace(text=" " * middle + text[middle:])


def _read(source: Source, names: Sequence[str]) -> tuple[str, float, float]:
    """The name, and the interval that it is to lie in."""
    tape = parse(source)
    whole = (0, len(source.text))
    line = tape.lines[tape.output]
    if line.op not in (AT_LEAST, AT_MOST) or len(tape.inputs) != 1 or tape.names:
        raise UsageError(BOUND, source, whole, EXAMPLES)
    name, variable = next(iter(tape.inputs.items()))
    numbers = replay(tape, {name: math.nan})
    limits = [numbers[index] for index in line.args if index != variable]
    if len(limits) != 1 or math.isnan(limits[0]):
        raise UsageError(BOUND, source, whole, EXAMPLES)
    if name not in names:
        raise UsageError(
            f"there is no {name} to bound", source, tape.lines[variable].span, f"there is {', '.join(names)}"
        )
    at_least = (line.op is AT_LEAST) == (line.args[0] == variable)
    return (name, limits[0], math.inf) if at_least else (name, -math.inf, limits[0])
