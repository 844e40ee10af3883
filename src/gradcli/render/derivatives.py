"""Derivatives as formulas, in every format: the answer of `diff`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.errors import Source
from gradcli.language import latex
from gradcli.symbolic.formulas import Formulas
from gradcli.text import derivative_name, json_number, rounded
from gradcli.trace.diagnostics import Diagnostic

from . import markdown
from .json import diagnostic_record
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text


class DerivativesView(NamedTuple):
    """Derivatives of an order by each name ("x,y" for a mixed one), and their numbers where there is a point."""

    source: Source
    formulas: Formulas
    numbers: Mapping[str, float]
    order: int = 1
    diagnostics: Sequence[Diagnostic] = ()

    def plain(self) -> Iterator[Row]:
        """Name and formula, and the number where there is one."""
        for by in self.formulas.places:
            yield by, self.formulas.text(by), *([self.numbers[by]] if by in self.numbers else [])

    def json(self) -> dict[str, Any]:
        derivatives = {
            by: {
                "formula": self.formulas.text(by),
                "latex": self.formulas.latex(by),
                "value": json_number(self.numbers[by]) if by in self.numbers else None,
            }
            for by in self.formulas.places
        }
        return {
            "expression": self.source.text,
            "derivatives": derivatives,
            "diagnostics": [diagnostic_record(diagnostic, self.source) for diagnostic in self.diagnostics],
        }

    def latex(self) -> Iterator[str]:
        """An equation for each: \\frac{\\partial f}{\\partial x} = ..."""
        for by in self.formulas.places:
            yield f"{self._fraction(by)} = {self.formulas.latex(by)}"

    def _fraction(self, by: str) -> str:
        names = by.split(",")
        total = self.order if self.order > 1 else len(names)
        power = f"^{{{total}}}" if total > 1 else ""
        each = f"^{{{self.order}}}" if self.order > 1 else ""
        below = " ".join(f"\\partial {latex.name(name)}{each}" for name in names)
        return f"\\frac{{\\partial{power} {latex.name(self.formulas.tape.title or 'f')}}}{{{below}}}"

    def markdown(self, look: Look) -> Iterator[str]:
        """A table of formulas in LaTeX; where shared parts have names, an equation for each instead."""
        if self.formulas.labels:
            yield from map(markdown.display, self.latex())
            return
        header = ["derivative", "formula", "value"]
        rows = [
            [
                markdown.math(self._fraction(by)),
                markdown.math(self.formulas.latex(by)),
                rounded(self.numbers[by], look.precision) if by in self.numbers else "",
            ]
            for by in self.formulas.places
        ]
        shown = 3 if self.numbers else 2
        yield markdown.table(header[:shown], [row[:shown] for row in rows], left=(0, 1))

    def pretty(self, look: Look) -> Iterator[Text]:
        from .equation import equations

        labels = {by: derivative_name(by, self.order) for by in self.formulas.places}
        numbers = {by: rounded(number, look.precision) for by, number in self.numbers.items()}
        return equations(self.formulas, labels, numbers, look.width)
