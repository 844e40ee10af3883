"""Symbols: numbers that are not computed but written down.

A symbol stands for a line; arithmetic on symbols, and every function of the table, writes the lines of what is to be
computed. So a rule of the table, or the backward pass itself, becomes a formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .ops import INFIX, Lifted, Op, Rule, strong, ties
from .simplify import TapeBuilder, moved
from .tape import Line


class Symbol(Lifted):
    """The number of a line of `lines`. It has no truth value: a rule that branched on it would lose a branch."""

    __slots__ = ("below", "index", "lines")

    def __init__(self, lines: TapeBuilder, index: int, below: int = 0) -> None:
        self.lines = lines
        self.index = index
        self.below = below  # a bit for each variable that the line is computed from, where that is asked for

    @property
    def steep(self) -> bool:
        """True if the line may be infinite because a pole led to it."""
        return self.index in self.lines.steep

    def __add__(self, other: Any) -> Symbol:
        """A sum; the 0 that a gradient starts from is left out, here at a tenth of the time."""
        if other.__class__ is float and other == 0 and not self.lines.signed_zeros:
            return self
        return Symbol._apply(INFIX["+"], (self, other))

    @staticmethod
    def _apply(op: Op, args: tuple[Any, ...]) -> Symbol:
        lines: TapeBuilder = next(arg for arg in args if arg.__class__ is Symbol).lines
        return Symbol(lines, lines.add(Line(op, tuple([line_of(lines, arg) for arg in args]))))


def line_of(lines: TapeBuilder, number: Any) -> int:
    """The line of a symbol, or of a number."""
    return number.index if number.__class__ is Symbol else lines.number(float(number))


def spelled(lines: Sequence[Line]) -> tuple[Sequence[Line], Sequence[int]]:
    """The lines in rows that can be typed, and where each of them is now.

    Two internal rows stay, as whoever puts formulas in order has to see them: the strong product, whose formula does
    not tell of its zero, and the count of ties.
    """
    if not any(_meaning(line.op) for line in lines):
        return lines, range(len(lines))
    written, place = TapeBuilder(), list[int]()
    for line in lines:
        meaning = _meaning(line.op)
        if meaning is None:
            place.append(written.add(moved(line, place)))
        else:
            place.append(line_of(written, meaning(*[Symbol(written, place[index]) for index in line.args])))
    return written.lines, place


def _meaning(op: Op | None) -> Rule | None:
    return None if op is None or op is strong or op is ties else op.meaning
