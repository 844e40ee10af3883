"""The writer of the parser: it writes a line of a tape for each operation that is read, with its place in the text.

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
from gradcli.errors import ParseError, Source, propose
from gradcli.text import counted

from .scope import Known, Scope, Term, arity, normal, write_out

SPELLINGS = dict(zip(("**", *"−–×·⋅•÷≤≥≠"), ("^", *"--****/", "<=", ">=", "!="), strict=True))
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
            from .mistakes import nothing

            raise nothing(self.source, self.functions)
        name, (line, _, _) = self.last
        self.unused.pop(name, None)
        return Tape(tuple(self.program.lines), line, name, self.source, self.names, tuple(self.unused.items()))

    def known(self) -> Known:
        """The names that the text has had so far, for what is said of a mistake."""
        given = {*self.bound, *self.names, *self.scope.parameters}
        return Known({*given, *self.program.inputs, *self.scope.inputs}, given, self.functions)

    # ------------------------------------------------------------------------------------------ statements

    def output(self, children: list[Any]) -> None:
        self._finish("", children[0])

    def assignment(self, children: list[Any]) -> None:
        token, _, (line, start, end) = children
        name = normal(token)
        span = token.start_pos, token.end_pos
        if name in self.bound or name in self.names or name in self.program.inputs:
            from .mistakes import not_assignable

            why = name, name in self.bound, name in self.names, self.source.text[start:end], span
            raise self._error(*not_assignable(*why))
        taken = self.program.lines[line].name or line < self.begun
        if taken and (name in self.apart or _DIFF.search(self.source.text)):
            from .diff_call import own_line

            line = own_line(self.program, line, name, (start, end))
        self.names[name] = line
        self.unused[name] = span
        written = self.program.lines[line]
        if not written.name:
            self.program.lines[line] = written._replace(name=name)
        self._finish(name, (line, start, end))

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
            hint = propose("the largest is about 1.8e308; infinity is written {}", "inf")
            raise self._error("this number is too large for binary64", (start, end), hint)
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
        power, _, _ = self.raised([(line, start, end), exponent])
        self.scope.lines[power] = self.scope.lines[power]._replace(span=(start, end))
        return power, start, end

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
            raise self._error(what, (span[0], span[0] + len(token)), hint)
        return line

    def _inline(self, name: str, args: tuple[int, ...], span: Span) -> int:
        """The line of a call of a function that the program defines."""
        self.unused.pop(f"{name}()", None)
        function = self.functions[name]
        if len(args) != arity(function):
            raise self._error(f"{name} takes {counted(arity(function), 'argument')}, not {len(args)}", span)
        if len(self.scope.lines) + len(function.lines) > MAX_LINES:
            raise self._error(f"written out, this call makes more than {MAX_LINES} operations", span)
        return write_out(self.scope, function, args, self._outside, span, self.source.text[slice(*span)])

    def _error(self, message: str, span: Span, hint: str = "") -> ParseError:
        return ParseError(message, self.source, span, hint)
