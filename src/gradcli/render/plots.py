"""A curve, and a function of two variables, in every format: the answers of `plot`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.autodiff.tape import Tape
from gradcli.calculus.curve import Curve, function, sample
from gradcli.calculus.field import Field, field
from gradcli.errors import EvaluationError
from gradcli.language.ranges import Range, evenly
from gradcli.text import json_number

from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text


class CurveView(NamedTuple):
    """An expression of one variable over a range, with its derivatives up to `order`."""

    text: str
    tape: Tape
    name: str
    range: Range
    bindings: Mapping[str, float]
    order: int

    def _curve(self) -> Curve:
        count = 400 if self.range.points is None else max(2, len(self.range.points))
        curve = sample(self.tape, self.name, self.range.low, self.range.high, self.bindings, count)
        if not curve.pieces:
            raise EvaluationError(
                f"there is no value anywhere from {self.name}={self.range.low:g} to {self.range.high:g}"
            )
        return curve

    def plain(self) -> Iterator[Row]:
        """x, value, derivatives at the points that were asked for, or 200."""
        self._curve()
        at = function(self.tape, self.name, self.bindings, self.order)
        return iter([(x, *at(x).y) for x in self.range.spread(200)])

    def json(self) -> dict[str, Any]:
        curve = self._curve()
        return {
            "expression": self.text,
            "variable": self.name,
            "pieces": [
                [[json_number(number) for number in (point.x, *point.y[: self.order + 1])] for point in piece]
                for piece in curve.pieces
            ],
            "zeros": curve.zeros,
            "extrema": [extremum._asdict() for extremum in curve.extrema],
            "poles": curve.poles,
            "jumps": curve.jumps,
            "overflows": curve.overflows,
            "fast": curve.fast,
        }

    def pretty(self, look: Look) -> Iterator[Text]:
        from .plot import curve_picture

        low, high = self.range.low, self.range.high
        return curve_picture(self._curve(), low, high, self.order, self.name, look.width, look.precision)

    def svg(self, look: Look) -> bytes:
        return self._figure("svg")

    def png(self, look: Look) -> bytes:
        return self._figure("png")

    def jpg(self, look: Look) -> bytes:
        return self._figure("jpg")

    def pdf(self, look: Look) -> bytes:
        return self._figure("pdf")

    def _figure(self, form: str) -> bytes:
        from .figure import curve_figure

        return curve_figure(self._curve(), self.range.low, self.range.high, self.order, self.name, self.text, form)


class FieldView(NamedTuple):
    """An expression of two variables over two ranges, with its gradient."""

    text: str
    tape: Tape
    ranges: Mapping[str, Range]
    bindings: Mapping[str, float]

    @property
    def names(self) -> tuple[str, str]:
        """The variables: across, and up."""
        across, up = self.ranges
        return across, up

    def _field(self, columns: int, rows: int) -> Field:
        """Values and gradients on a grid of so many points, or of those that were asked for."""
        xs, ys = (
            evenly(range_.low, range_.high, count) if range_.points is None else sorted(range_.points)
            for range_, count in zip(self.ranges.values(), (columns, rows), strict=True)
        )
        found = field(self.tape, self.names, xs, ys, self.bindings)
        if not any(math.isfinite(value) for row in found.values for value in row):
            raise EvaluationError("there is no value anywhere in these ranges")
        return found

    def plain(self) -> Iterator[Row]:
        """x, y, value and both partial derivatives at each point of a grid."""
        grid = self._field(21, 21)
        for j, y in enumerate(grid.ys):
            for i, x in enumerate(grid.xs):
                yield x, y, grid.values[j][i], *grid.gradients[j][i]

    def json(self) -> dict[str, Any]:
        points = [[json_number(number) for number in row if isinstance(number, float)] for row in self.plain()]
        return {"expression": self.text, "variables": list(self.names), "points": points}

    def pretty(self, look: Look) -> Iterator[Text]:
        from .plot import field_picture

        return field_picture(self._field(101, 67), self.names, look.width, look.precision)

    def svg(self, look: Look) -> bytes:
        return self._figure("svg")

    def png(self, look: Look) -> bytes:
        return self._figure("png")

    def jpg(self, look: Look) -> bytes:
        return self._figure("jpg")

    def pdf(self, look: Look) -> bytes:
        return self._figure("pdf")

    def _figure(self, form: str) -> bytes:
        from .figure import field_figure

        return field_figure(self._field(121, 97), self.names, self.text, form)
