"""diff(expr, x, n) inside an expression: the backward pass of what was just written, written after it.

diff(expr, x, y) is the mixed derivative. An assigned name is a variable where one differentiates by it: what it was
computed from does not matter, and what else was computed from that does not change with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.autodiff.adjoint import backward
from gradcli.autodiff.ops import INFIX, Op, nan
from gradcli.autodiff.simplify import TapeBuilder
from gradcli.autodiff.tape import Line, Span
from gradcli.errors import ParseError, Source, propose

from .scope import Scope, Term, is_name, normal
from .unparse import formulas

MAX_ORDER = 100
DIFF = Op(  # the parser writes the derivative out, so there is nothing to call and no row in the table
    "diff(expr, x, n)",
    lambda *_: nan,
    doc="the n-th derivative of expr by the name x; diff(expr, x) is the first, diff(expr, x, y) mixed",
    slope="diff(expr, x, n + 1)",
    group="derivatives",
    domain=f"x is a variable, a parameter or an assigned name; n is a whole number from 1 to {MAX_ORDER}",
)


def derivative(scope: Scope, names: Mapping[str, int], terms: Sequence[Term], span: Span, source: Source) -> int:
    """Write the derivative that a call asks for, and return its line.

    `terms` are the arguments and `span` is the place of the call; `names` are those that the program assigned. Raises
    ParseError, with the place, for arguments that are not an expression, and a name and an order or more names.
    """
    if len(terms) < 2:
        hint = propose("as in {}, {} or {}", "diff(x^2, x)", "diff(x^2, x, 2)", "diff(x*y, x, y)")
        raise ParseError("diff takes an expression and a name", source, span, hint)
    order = _order(scope, terms, source)
    variables = [_variable(scope, names, term, source) for term in terms[1 : None if order is None else -1]]
    lines, output = TapeBuilder(scope.lines), terms[0][0]
    typed = len(lines.lines)
    for variable in variables * (order or 1):
        (output,) = backward(lines, output, [variable])
    call, texts = source.text[slice(*span)], formulas(lines.lines, typed)
    scope.lines[typed:] = [
        line._replace(span=span, call=call, formula=texts[index])
        for index, line in enumerate(lines.lines[typed:], typed)
    ]
    return output


def _order(scope: Scope, terms: Sequence[Term], source: Source) -> int | None:
    """The order of diff(expr, x, n), None where more names follow the first, or nothing."""
    index, start, end = terms[-1]
    order = scope.lines[index].value
    if len(terms) < 3 or is_name(source.text[start:end]):
        return None
    if len(terms) > 3:
        hint = propose("name a variable twice, as in {}", "diff(x^2*y, x, x, y)")
        raise ParseError("diff takes an order, or more names than one", source, (start, end), hint)
    if order is None or order != int(order) or not 1 <= order <= MAX_ORDER or index != len(scope.lines) - 1:
        what = f"the order of a derivative is a whole number from 1 to {MAX_ORDER}"
        raise ParseError(what, source, (start, end))
    scope.lines.pop()  # it is not a number of the computation
    return int(order)


def _variable(scope: Scope, names: Mapping[str, int], term: Term, source: Source) -> int:
    """The line to differentiate by: a variable, a parameter, or a name that the program assigned."""
    index, start, end = term
    span, name = (start, end), normal(source.text[start:end])
    if index not in (scope.parameters.get(name), scope.inputs.get(name), names.get(name)):
        raise ParseError("diff differentiates by a name", source, span, propose("as in {}", "diff(x^2, x)"))
    if scope.function and name not in scope.parameters:
        what, hint = f"{name} is not a parameter of {scope.function}", f"make it one: {scope.function}({name}, ...)"
        raise ParseError(what, source, span, hint)
    if scope.lines[index].value is not None and name not in names:
        raise ParseError(f"{name} is a constant", source, span)
    return index


def own_line(scope: Scope, line: int, name: str, span: Span) -> int:
    """A line of its own for an assigned name that is another name for `line`, so that one can differentiate by it.

    Then diff(x*u, u) is x, be u = x or u = 1*x. It is written where a program asks for a derivative; elsewhere such a
    name is no step of the computation.
    """
    written = scope.lines[line]
    if written.value is not None:
        return scope.add(written._replace(name=name, span=span))
    one = scope.add(Line(None, value=1.0, span=span, formula="1"))
    return scope.add(Line(INFIX["*"], (one, line), span=span))
