"""What the parser writes while it reads: lines of a tape, one for each operation, with their places in the text.

Lark calls the method of a rule when it has read one. A method gets the results of the rule's parts and returns its
own: a Term. Calls of functions that the program defines are written out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from typing import Any

from lark import Token, Transformer

from gradcli.autodiff import ops
from gradcli.autodiff.tape import MAX_LINES, Line, Span, Tape
from gradcli.errors import ParseError, Source
from gradcli.text import several

from .scope import Known, Scope, Term, arity, normal, write_out

SPELLINGS = {
    "**": "^",
    "−": "-",
    "–": "-",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "•": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
}
ROOTS = {"√": ops.FUNCTIONS["sqrt"], "∛": ops.FUNCTIONS["cbrt"]}
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_DIFF = re.compile(r"\bdiff\s*\(")


class Writer(Transformer[Token, Any]):
    """Lark calls the method of a rule when it has read one; each writes its line and returns a Term."""

    def begin(
        self, source: Source, bound: Collection[str], apart: Collection[str], functions: Mapping[str, Tape]
    ) -> None:
        self.source, self.bound, self.apart = source, frozenset(bound), apart
        self.program = self.scope = Scope()
        self.names: dict[str, int] = {}
        self.functions: dict[str, Tape] = dict(functions)
        self.begun = 0  # the first line of the statement
        self.unused: dict[str, Span] = {}
        self.last: tuple[str, Term] | None = None  # name and term of the statement before

    def tape(self) -> Tape:
        if self.last is None:
            end = len(self.source.text)
            what = (
                "the last statement defines a function: there is nothing to compute"
                if self.functions
                else "there is no expression"
            )
            raise ParseError(what, self.source, (end, end), 'write one, as in "(a+b)*(a*b)"')
        name, (line, _, _) = self.last
        self.unused.pop(name, None)
        return Tape(tuple(self.program.lines), line, name, self.source, self.names, tuple(self.unused.items()))

    def known(self) -> Known:
        """What the text has named so far, for what is said of a mistake."""
        names = {*self.bound, *self.names, *self.program.inputs, *self.scope.inputs, *self.scope.parameters}
        return Known(names, self.functions)

    # ------------------------------------------------------------------------------------------ statements

    def output(self, children: list[Any]) -> None:
        self._finish("", children[0])

    def assignment(self, children: list[Any]) -> None:
        token, _, (line, start, end) = children
        name = normal(token)
        span = token.start_pos, token.end_pos
        if name in self.bound:
            raise self._error(
                f"{name} is assigned here, and bound to a value as well",
                span,
                f"leave out {name}=... or this assignment",
            )
        if name in self.names:
            raise self._error(
                f"{name} is assigned twice", span, "a name stands for one value: choose another for the second"
            )
        if name in self.program.inputs:
            raise self._error(f"{name} is used before it is assigned", span, self._why_early(start, end))
        line = self._own_line(name, line, (start, end))
        self.names[name] = line
        self.unused[name] = span
        written = self.program.lines[line]
        if not written.name:
            self.program.lines[line] = written._replace(name=name)
        self._finish(name, (line, start, end))

    def _why_early(self, start: int, end: int) -> str:
        if "\n" in self.source.text[start:end]:
            return "a line that begins with a sign goes on with the one before: end that one with ;"
        return "assign a name before its first use, and only once"

    def _own_line(self, name: str, line: int, span: Span) -> int:
        """The line of an assigned name: where the program asks for a derivative by one, no line that has a name yet.

        So diff(x*u, u) is x, be u = x or u = 1*x. Elsewhere another name for a line is no step of the computation.
        """
        lines = self.program.lines
        written = lines[line]
        if not (written.name or line < self.begun) or not (name in self.apart or _DIFF.search(self.source.text)):
            return line
        if written.value is not None:
            return self.program.add(written._replace(name=name, span=span))
        one = self.program.add(Line(None, value=1.0, span=span, formula="1"))
        return self.program.add(Line(ops.INFIX["*"], (one, line), span=span))

    def _finish(self, name: str, term: Term) -> None:
        self._drop_last()
        self.last = name, term
        self.begun = len(self.program.lines)

    def _drop_last(self) -> None:
        if self.last is not None and not self.last[0]:
            span = self.last[1][1:]
            self.unused[self.source.text[slice(*span)]] = span
        self.last = None

    def header(self, children: list[Any]) -> None:
        token, *rest = children
        parameters = tuple(normal(t) for t in rest if t.type == "NAME")
        span = token.start_pos, token.end_pos
        name = normal(token)
        if name in self.functions:
            raise self._error(f"the function {name} is defined twice", span)
        for position, parameter in enumerate(parameters):
            if parameter in parameters[:position]:
                raise self._error(f"the parameter {parameter} occurs twice", span)
        self.unused[f"{name}()"] = span
        self.scope = Scope(name, parameters)

    def definition(self, children: list[Any]) -> None:
        _, (line, _, _) = children
        self.functions[self.scope.function] = Tape(tuple(self.scope.lines), line)
        self.scope = self.program
        self._drop_last()

    # ----------------------------------------------------------------------------------------- expressions

    def number(self, children: list[Token]) -> Term:
        (token,) = children
        return self._constant(token, token.start_pos or 0, token.end_pos or 0)

    def _constant(self, digits: str, start: int, end: int) -> Term:
        value = math.inf if digits == "∞" else float(digits)
        if math.isinf(value) and digits != "∞":
            raise self._error(
                "this number is too large for binary64",
                (start, end),
                "the largest is about 1.8e308; inf is written inf",
            )
        return self.scope.add(Line(None, value=value, span=(start, end))), start, end

    def name(self, children: list[Any]) -> Term:
        (token,) = children
        start, end = token.start_pos, token.end_pos
        return self._lookup(normal(token), (start, end)), start, end

    def _lookup(self, name: str, span: Span) -> int:
        """The line that a name stands for: parameter, assigned name, variable or constant, in this order."""
        if name in self.scope.parameters:
            return self.scope.parameters[name]
        return self._outside(name, span)

    def _outside(self, name: str, span: Span) -> int:
        scope = self.scope
        if scope is self.program and name in self.names:
            self.unused.pop(name, None)
            return self.names[name]
        if name not in scope.inputs:
            is_constant = scope is self.program and name in ops.CONSTANTS and name not in self.bound
            value = ops.CONSTANTS[name] if is_constant else None
            scope.inputs[name] = scope.add(Line(None, value=value, name=name, span=span))
        return scope.inputs[name]

    def group(self, children: list[Any]) -> Term:
        left, (line, _, _), right = children
        return line, left.start_pos, right.end_pos

    def binary(self, children: list[Any]) -> Term:
        (left, start, _), sign, (right, _, end) = children
        op = ops.INFIX[SPELLINGS.get(sign, sign)]
        return self.scope.add(Line(op, (left, right), span=(start, end))), start, end

    def prefix(self, children: list[Any]) -> Term:
        sign, (line, _, end) = children
        start = sign.start_pos
        lines = self.scope.lines
        written = lines[line]
        if sign.type == "MINUS" and line == len(lines) - 1 and written.value is not None and not written.name:
            lines[line] = written._replace(value=-written.value, span=(start, end))  # -2 is a number
            return line, start, end
        op = ops.PREFIX[SPELLINGS.get(sign, sign)]
        return self.scope.add(Line(op, (line,), span=(start, end))), start, end

    def positive(self, children: list[Any]) -> Term:
        sign, (line, _, end) = children
        return line, sign.start_pos, end

    def implicit(self, children: list[Any]) -> Term:
        left, start, _ = self.number(children[:1])
        right, _, end = children[1]
        return self.scope.add(Line(ops.INFIX["*"], (left, right), span=(start, end))), start, end

    def raised(self, children: list[Any]) -> Term:
        (base, start, _), token = children
        power, _, end = self._constant(token.translate(SUPERSCRIPTS), token.start_pos, token.end_pos)
        return self.scope.add(Line(ops.INFIX["^"], (base, power), span=(start, end))), start, end

    def root(self, children: list[Any]) -> Term:
        sign, (line, _, end) = children
        start = sign.start_pos
        return self.scope.add(Line(ROOTS[sign], (line,), span=(start, end))), start, end

    def powered(self, children: list[Any]) -> Term:
        """A power between a function and its arguments: sin²(x) is sin(x)^2."""
        name, exponent, *rest = children
        line, start, end = self.call([name, *rest])
        written = self.scope.lines[line]
        if written.op is not None and written.span == (start, end):
            text = f"{name}{self.source.text[exponent.end_pos : end].lstrip()}"
            self.scope.lines[line] = written._replace(formula=text)
        return self.raised([(line, start, end), exponent])[0], start, end

    def call(self, children: list[Any]) -> Term:
        token, *arguments, closing = children
        name, span = normal(token), (token.start_pos, closing.end_pos)
        terms: list[Term] = [argument for argument in arguments if argument.__class__ is tuple]
        args = tuple([line for line, _, _ in terms])
        if name in self.functions and name != self.scope.function:
            return self._inline(name, args, span), *span
        if name == "diff":
            from .diff_call import derivative

            return derivative(self.scope, self.names, terms, span, self.source), *span
        op = ops.find(name)
        if op is None or (len(args) != op.arity if op.arity is not None else not args):
            return self._defined(token, args, span), *span
        return self.scope.add(Line(op, args, span=span)), *span

    def _defined(self, token: Token, args: tuple[int, ...], span: Span) -> int:
        """The line of a call that is no row's: of a function that is defined by others."""
        from .definitions import defined

        name = normal(token)
        line = defined(self.scope, name, args, span, self.source)
        if line is None:
            from .unknown import no_such_function

            what, hint = no_such_function(self.source, name, span, len(args), self.known(), self.scope.function)
            raise self._error(what, (token.start_pos or 0, token.end_pos or 0), hint)
        return line

    def _inline(self, name: str, args: tuple[int, ...], span: Span) -> int:
        """The line of a call of a function that the program defines."""
        self.unused.pop(f"{name}()", None)
        function = self.functions[name]
        if len(args) != arity(function):
            raise self._error(f"{name} takes {several(arity(function), 'argument')}, not {len(args)}", span)
        if len(self.scope.lines) + len(function.lines) > MAX_LINES:
            raise self._error(f"written out, this call makes more than {MAX_LINES} operations", span)
        return write_out(self.scope, function, args, self._outside, span, self.source.text[slice(*span)])

    def _error(self, message: str, span: Span, hint: str = "") -> ParseError:
        return ParseError(message, self.source, span, hint)
