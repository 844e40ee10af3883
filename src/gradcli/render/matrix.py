"""What is asked for beyond value and gradient: second derivatives, higher orders, directions, several outputs."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from ..numbers import raised, rounded
from .style import ACCENT, GRAD, HEADING, INPUT, QUIET

Rows = Mapping[str, Mapping[str, float]]


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
        labels = [f"d{raised(order)}/d{name}{raised(order)}" for order in range(1, len(numbers) + 1)]
        pad = max(map(cell_len, labels))
        for label, number in zip(labels, numbers, strict=True):
            gap = " " * (pad - cell_len(label) + 2)
            yield Text.assemble((label, INPUT), gap, (rounded(number, precision), GRAD))


def along(direction: Mapping[str, float], derivative: float, precision: int) -> Iterator[Text]:
    """The derivative in a direction."""
    where = ", ".join(f"{name} {rounded(number, precision)}" for name, number in direction.items())
    yield Text.assemble(("along ", QUIET), (where, INPUT), "  ", (rounded(derivative, precision), GRAD))


def _matrix(columns: list[str], rows: Rows, precision: int) -> Iterator[Text]:
    cells = [[rounded(row[column], precision) for column in columns] for row in rows.values()]
    left = max(map(cell_len, rows))
    widths = [
        max(cell_len(name), *map(len, column)) for name, column in zip(columns, zip(*cells, strict=True), strict=True)
    ]
    header = Text(" " * left)
    for name, width in zip(columns, widths, strict=True):
        header.append("  " + " " * (width - cell_len(name)) + name, style=INPUT)
    yield header
    for name, numbers in zip(rows, cells, strict=True):
        line = Text.assemble((name, INPUT), " " * (left - cell_len(name)))
        for number, width in zip(numbers, widths, strict=True):
            line.append("  " + number.rjust(width), style=GRAD)
        yield line


def aligned(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, text: Container[int] = (0, 6, 7)
) -> Iterator[Text]:
    """Rows in columns: those in `text` to the left, numbers to the right. `fail` and `wrong` stand out."""
    widths = [max(map(cell_len, column)) for column in zip(header, *rows, strict=True)]
    shown = [i for i, width in enumerate(widths) if width]
    for row in (header, *rows):
        line = Text(style=QUIET if row is header else "")
        for i in shown:
            pad = " " * (widths[i] - cell_len(row[i]))
            style = ACCENT if row[i] in ("fail", "wrong", "kink") else INPUT if i == 0 else ""
            line.append("  " if i != shown[0] else "")
            line.append_text(Text.assemble((row[i], style), pad) if i in text else Text.assemble(pad, (row[i], style)))
        yield line
