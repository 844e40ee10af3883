"""Functions that are defined by others, and are no rows of the table: what a call of one writes.

Imported where a call is none of the table's, and not before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gradcli.autodiff.ops import FUNCTIONS, INFIX, Op
from gradcli.autodiff.tape import Line, Span
from gradcli.errors import ParseError, Source, propose

from .scope import Scope
from .unparse import formulas

if TYPE_CHECKING:
    from lark import Token

_log = FUNCTIONS["log"]
LOGARITHMS = {2.0: FUNCTIONS["log2"], 10.0: FUNCTIONS["log10"]}
INVERSES = {
    **{name: f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "sec", "csc", "cot")},
    "exp": "log",
    "log": "exp",
    "ln": "exp",
    "exp2": "log2",
    "log1p": "expm1",
    "expm1": "log1p",
}


def _logarithm(scope: Scope, x: int, base: int) -> None:
    """log(x, base): log2 or log10 where the base is the number 2 or 10, else log(x)/log(base)."""
    lines = scope.lines
    row = LOGARITHMS.get(lines[base].value or 0.0) if base == len(lines) - 1 and not lines[base].name else None
    if row is not None:
        lines.pop()  # the base is no number of the computation
        scope.add(Line(row, (x,)))
        return
    scope.add(Line(INFIX["/"], (scope.add(Line(_log, (x,))), scope.add(Line(_log, (base,))))))


def _factorial(scope: Scope, n: int) -> None:
    """factorial(n): gamma(n + 1)."""
    scope.add(Line(FUNCTIONS["gamma"], (scope.add(Line(INFIX["+"], (n, scope.add(Line(None, value=1.0))))),)))


# The definition of each name, and the row of it: what there is to say of it. What is computed is the definition.
DEFINITIONS: dict[str, tuple[Op, Callable[..., None]]] = {
    "log": (
        Op(
            "log(x, base)",
            lambda x, base: _log(x) / _log(base),
            lambda x, base, y: 1 / (x * _log(base)),
            lambda x, base, y: -y / (base * _log(base)),
            doc="logarithm to a base: log(x)/log(base)",
            group="Powers and logarithms",
            domain="x > 0, base > 0 and not 1",
        ),
        _logarithm,
    ),
    "factorial": (
        Op(
            "factorial(n)",
            lambda n: FUNCTIONS["gamma"](n + 1),
            lambda n, y: y * FUNCTIONS["digamma"](n + 1),
            doc="n!, also between the integers: gamma(n + 1)",
            group="Special",
            domain="n not a negative integer",
        ),
        _factorial,
    ),
}


def defined(scope: Scope, name: str, args: Sequence[int], span: Span, source: Source) -> int | None:
    """Write the call of a definition: its line, None where there is none of this name for so many arguments."""
    row, write = DEFINITIONS.get(name, (None, None))
    if row is None or write is None or row.arity != len(args):
        return None
    typed = len(scope.lines)
    write(scope, *args)
    typed = min(typed, len(scope.lines) - 1)
    call, texts = source.text[slice(*span)], formulas(scope.lines, typed)
    for index in range(typed, len(scope.lines) - 1):
        scope.lines[index] = scope.lines[index]._replace(span=span, call=call, formula=texts[index])
    scope.lines[-1] = scope.lines[-1]._replace(span=span)
    return len(scope.lines) - 1


def refuse_inverse(name: str, power: Token, source: Source) -> None:
    """Raise ParseError for sin⁻¹(x): half the world means asin(x) by it, and half 1/sin(x)."""
    if power != "⁻¹":
        return
    start, end = power.start_pos or 0, power.end_pos or 0
    argument = re.compile(r"\s*(\([^()]*\))").match(source.text, end)
    inside = argument[1] if argument else "(x)"
    what = f"{name}{power} is the inverse function to some, and 1/{name} to others"
    plain = f"{name}{inside}^-1"
    inverse = INVERSES.get(name)
    hint = propose("write {} or {}", f"{inverse}{inside}", plain) if inverse else propose("write {}", plain)
    raise ParseError(what, source, (start - len(name), end), hint)
