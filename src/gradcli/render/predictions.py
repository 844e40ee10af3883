"""The predictions of a network, in every format: the answers of `predict`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.text import json_number

from .view import Look

if TYPE_CHECKING:
    from rich.text import Text

    from gradcli.files.columns import Part
    from gradcli.nn.predict import Regions


class PredictionsView(NamedTuple):
    """The new columns alone, by name: a part for each block of rows."""

    names: Sequence[str]
    parts: Sequence[Part]

    def json(self) -> dict[str, Any]:
        columns: dict[str, list[str | float | None]] = {name: [] for name in self.names}
        for part in self.parts:
            for name, cells in zip(self.names, part.results.columns, strict=True):
                columns[name] += [_cell(cell, row in part.results.bad) for row, cell in enumerate(cells.tolist())]
        return {"columns": columns}


def _cell(cell: str | float, bad: bool) -> str | float | None:
    return None if bad else json_number(cell) if isinstance(cell, float) else cell


class BoundaryView(NamedTuple):
    """The plane of two inputs, with the class that the network decides for at each point."""

    regions: Regions

    def pretty(self, look: Look) -> Iterator[Text]:
        from .boundary import boundary

        return boundary(self.regions, look.width)

    def svg(self, look: Look) -> str:
        from .boundary import boundary_svg

        return boundary_svg(self.regions)
