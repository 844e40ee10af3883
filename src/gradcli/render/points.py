"""Value and gradient at many points, in every format: a line for each point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.calculus.points import At
from gradcli.errors import Source
from gradcli.text import json_number, json_numbers, rounded

from . import markdown
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text


class PointsView(NamedTuple):
    """The points in order; `title` is the name of the value."""

    source: Source
    title: str
    points: Sequence[At]

    def plain(self) -> Iterator[Row]:
        return (point.numbers for point in self.points)

    def json(self) -> dict[str, Any]:
        records = [
            {
                "bindings": json_numbers(point.changing),
                "value": json_number(point.gradient.value),
                "gradient": json_numbers(point.gradient.partials),
            }
            for point in self.points
        ]
        return {"expression": self.source.text, "points": records}

    def pretty(self, look: Look) -> Iterator[Text]:
        from .columns import aligned

        return aligned(self._header(), self._cells(look), None, [""] * len(self._header()), left=())

    def markdown(self, look: Look) -> Iterator[str]:
        yield markdown.table([markdown.code(name) for name in self._header()], self._cells(look), left=())

    def _header(self) -> list[str]:
        first = self.points[0]
        return [*first.changing, self.title, *(f"d/d{name}" for name in first.gradient.partials)]

    def _cells(self, look: Look) -> list[list[str]]:
        return [[rounded(number, look.precision) for number in point.numbers] for point in self.points]
