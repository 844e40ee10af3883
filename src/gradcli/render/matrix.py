"""Additions to value and gradient in the terminal: second derivatives, higher orders, directions, several outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import derivative_name, rounded

from .columns import aligned
from .style import GRAD, HEADING, INPUT, QUIET

Rows = Mapping[str, Mapping[str, float]]
EMPTY = Text()


def hessian(second: Rows, precision: int) -> Iterator[Text]:
    """The matrix of second derivatives."""
    yield Text("second derivatives", style=HEADING)
    yield from _matrix(list(second), second, precision)


def jacobian(rows: Rows, precision: int) -> Iterator[Text]:
    """A line for each output: its value and its partial derivatives."""
    yield Text("outputs", style=HEADING)
    yield from _matrix(list(next(iter(rows.values()))), rows, precision)


def orders(derivatives: Mapping[str, Sequence[float]], precision: int) -> Iterator[Text]:
    """A line for each order of the derivatives by one variable."""
    for name, numbers in derivatives.items():
        labels = [derivative_name(name, order) for order in range(1, len(numbers) + 1)]
        pad = max(map(cell_len, labels))
        for label, number in zip(labels, numbers, strict=True):
            gap = " " * (pad - cell_len(label) + 2)
            yield Text.assemble((label, INPUT), gap, (rounded(number, precision), GRAD))


def along(direction: Mapping[str, float], derivative: float, precision: int) -> Iterator[Text]:
    """The derivative in a direction."""
    variables = ", ".join(f"{name} {rounded(number, precision)}" for name, number in direction.items())
    yield Text.assemble(("along ", QUIET), (variables, INPUT), "  ", (rounded(derivative, precision), GRAD))


def _matrix(columns: list[str], rows: Rows, precision: int) -> Iterator[Text]:
    cells = [[name, *(rounded(row[column], precision) for column in columns)] for name, row in rows.items()]
    yield from aligned(["", *columns], cells, None, [INPUT, *[GRAD] * len(columns)])
