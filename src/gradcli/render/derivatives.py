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

    def latex(self, look: Look) -> Iterator[str]:
        """An equation for each name that they share, then one for each of them: \\frac{\\partial f}{\\partial x} = ...

        Where there is a point, the number stands at the end.
        """
        for line, label in self.formulas.labels.items():
            yield f"{self._spelled()[label]} = {self._formula(line)}"
        for by, line in self.formulas.places.items():
            formula = self._formula(line)
            value = latex.equals(formula, self.numbers[by], look.precision) if by in self.numbers else ""
            yield f"{self._fraction(by)} = {formula}{value}"

    def _spelled(self) -> dict[str, str]:
        """The LaTeX of every name that may stand in the answer."""
        tape, names = self.formulas.tape, [name for by in self.formulas.places for name in by.split(",")]
        return latex.spellings([*tape.inputs, *self.formulas.labels.values(), *names, tape.title or "f"])

    def _formula(self, line: int) -> str:
        labels = {index: label for index, label in self.formulas.labels.items() if index != line}
        return latex.latex(self.formulas.tape._replace(output=line), labels, self._spelled())

    def _fraction(self, by: str) -> str:
        names, spelled = by.split(","), self._spelled()
        total = self.order if self.order > 1 else len(names)
        power = f"^{{{total}}}" if total > 1 else ""
        each = f"^{{{self.order}}}" if self.order > 1 else ""
        below = " ".join(f"\\partial {spelled[name]}{each}" for name in names)
        return f"\\frac{{\\partial{power} {spelled[self.formulas.tape.title or 'f']}}}{{{below}}}"

    def markdown(self, look: Look) -> Iterator[str]:
        """A table of formulas in LaTeX; where shared parts have names, an equation for each instead."""
        if self.formulas.labels:
            yield from map(markdown.display, self.latex(look))
            return
        header = ["derivative", "formula", "value"]
        rows = [
            [
                markdown.math(self._fraction(by)),
                markdown.math(self._formula(line)),
                rounded(self.numbers[by], look.precision) if by in self.numbers else "",
            ]
            for by, line in self.formulas.places.items()
        ]
        shown = 3 if self.numbers else 2
        yield markdown.table(header[:shown], [row[:shown] for row in rows], left=(0, 1))

    def pretty(self, look: Look) -> Iterator[Text]:
        from .equation import equations

        labels = {by: derivative_name(by, self.order) for by in self.formulas.places}
        numbers = {by: rounded(number, look.precision) for by, number in self.numbers.items()}
        return equations(self.formulas, labels, numbers, look.width)
