"""The lines that are written while a text is read: those of the program, or of a function that it defines.

A function's lines are written out at each call: its parameters are the arguments, its other names those outside.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from gradcli.autodiff.ops import find
from gradcli.autodiff.tape import Line, Span, Tape

Term = tuple[int, int, int]  # a line, and where its text starts and ends: wider than the line's own in parentheses


def normal(name: str) -> str:
    """A name in the form in which names are compared: é is é, whether typed as one character or as two."""
    return str(name) if name.isascii() else str(unicodedata.normalize("NFC", name))


def belongs(char: str) -> bool:
    """True for a character that may stand in a name: letters, digits, _, subscripts, accents and vowel signs."""
    return char.isalpha() or char.isdecimal() or char == "_" or "₀" <= char <= "₉" or _is_mark(char)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Mc")


def is_name(text: str) -> bool:
    """True if a text is a name, and nothing before or after it."""
    first = text[:1]
    return (first.isalpha() or first == "_") and all(map(belongs, text)) and text not in ("and", "or", "not")


class Known(NamedTuple):
    """The names that have a value, or have occurred, those of them that were given, and the program's functions."""

    names: Collection[str] = ()
    given: Collection[str] = ()
    functions: Collection[str] = ()

    def is_function(self, name: str) -> bool:
        """True if a name is that of a function, of the program's or of the table's."""
        return name in self.functions or find(name) is not None


class Scope:
    """The lines of the program, or of the function `function` that is being defined."""

    def __init__(self, function: str = "", parameters: Sequence[str] = ()) -> None:
        self.function = function
        self.lines: list[Line] = []
        self.inputs: dict[str, int] = {}
        # a parameter is an input with its position in `args`
        self.parameters = {name: self.add(Line(None, (i,), name=name)) for i, name in enumerate(parameters)}

    def add(self, line: Line) -> int:
        """Write a line and return its number."""
        self.lines.append(line)
        return len(self.lines) - 1


def arity(function: Tape) -> int:
    """The number of parameters of a function that the program defines."""
    return sum(1 for line in function.lines if line.op is None and line.args)


def write_out(
    scope: Scope, function: Tape, args: Sequence[int], outside: Callable[[str, Span], int], span: Span, call: str
) -> int:
    """Write the body of a function for a call and return the line of its result.

    `outside` gives the lines of names that are not parameters; `span` and `call` are the place and text of the call.
    """
    copies: list[int] = []  # of the lines of the function, or the arguments that stand for them
    before = len(scope.lines)
    for line in function.lines:
        if line.op is None and line.value is None:
            copies.append(args[line.args[0]] if line.args else outside(line.name, line.span))
        else:
            operands = tuple([copies[index] for index in line.args])
            copies.append(scope.add(line._replace(args=operands, call=line.call or call)))
    result = copies[function.output]
    if result >= before and scope.lines[result].op is not None:
        scope.lines[result] = scope.lines[result]._replace(span=span, call="", formula="")
    return result
