"""Symbols: numbers that are not computed but written down.

A symbol stands for a line; arithmetic on symbols, and every function of the table, writes the lines of what is to be
computed. So a rule of the table, or the backward pass itself, becomes a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from .engine import COMPARISONS, OPERATORS
from .ops import FUNCTIONS, INFIX, PREFIX, Op
from .simplify import TapeBuilder, moved
from .tape import Line


class Symbol:
    """The number of a line of `lines`. It has no truth value: a rule that branched on it would lose a branch."""

    __slots__ = ("index", "lines")

    def __init__(self, lines: TapeBuilder, index: int) -> None:
        self.lines = lines
        self.index = index

    def __bool__(self) -> bool:
        raise TypeError("a symbol has no truth value: choose with where(condition, a, b)")

    @staticmethod
    def _apply(op: Op, args: tuple[Any, ...]) -> Symbol:
        lines: TapeBuilder = next(arg for arg in args if arg.__class__ is Symbol).lines
        return Symbol(lines, lines.add(Line(op, tuple([line_of(lines, arg) for arg in args]))))


def line_of(lines: TapeBuilder, number: Any) -> int:
    """The line of a symbol, or of a number."""
    return number.index if number.__class__ is Symbol else lines.number(float(number))


def _method(op: Op) -> Callable[..., Symbol]:
    return lambda *args: Symbol._apply(op, args)


def _reflected(op: Op) -> Callable[[Symbol, Any], Symbol]:
    return lambda self, other: Symbol._apply(op, (other, self))


def _add(self: Symbol, other: Any) -> Symbol:
    """A sum; the 0 that a gradient starts from is nobody's term, and found out here at a tenth of the time."""
    if other.__class__ is float and other == 0 and not self.lines.signed_zeros:
        return self
    return Symbol._apply(INFIX["+"], (self, other))


for _symbol, _name in (OPERATORS | COMPARISONS).items():
    setattr(Symbol, f"__{_name}__", _add if _name == "add" else _method(INFIX[_symbol]))
for _symbol, _name in OPERATORS.items():
    setattr(Symbol, f"__r{_name}__", _reflected(INFIX[_symbol]))
for _name, _row in (("neg", PREFIX["-"]), ("abs", FUNCTIONS["abs"])):
    setattr(Symbol, f"__{_name}__", _method(_row))


def spelled(
    lines: Sequence[Line], *, signed_zeros: bool = False, but: Container[Op] = ()
) -> tuple[Sequence[Line], Sequence[int]]:
    """The lines in rows that can be typed, as far as internal rows say what they mean; and where each of them is now.

    The rows in `but` stay.
    """
    if not any(line.op is not None and line.op.spelled and line.op not in but for line in lines):
        return lines, range(len(lines))
    written, place = TapeBuilder(signed_zeros=signed_zeros), list[int]()
    for line in lines:
        if line.op is None or line.op.spelled is None or line.op in but:
            place.append(written.add(moved(line, place)))
        else:
            place.append(line_of(written, line.op.spelled(*[Symbol(written, place[index]) for index in line.args])))
    return written.lines, place
