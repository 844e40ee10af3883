"""The predictions of a network, in every format: the answers of `predict`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.nn.predict import Predictions, Regions
from gradcli.text import json_number

from .view import Look

if TYPE_CHECKING:
    from rich.text import Text


class PredictionsView(NamedTuple):
    """The columns that a network adds to a table, alone."""

    predictions: Predictions

    def json(self) -> dict[str, Any]:
        columns = {
            name: [json_number(cell) if isinstance(cell, float) else cell for cell in cells]
            for name, cells in self.predictions.columns.items()
        }
        return {"columns": columns}


class BoundaryView(NamedTuple):
    """The plane of two inputs, with the class that the network decides for at each point."""

    regions: Regions

    def pretty(self, look: Look) -> Iterator[Text]:
        from .boundary import boundary

        return boundary(self.regions, look.width)

    def svg(self, look: Look) -> str:
        from .boundary import boundary_svg

        return boundary_svg(self.regions)
