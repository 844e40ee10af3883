"""A fit drawn in the terminal: the parameters in a table, their correlations, and the residuals in a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from gradcli.optimize.fitted import Fit
from gradcli.text import rounded

from .columns import aligned
from .style import ACCENT, DATA, INPUT, QUIET

HEIGHT = 11  # rows of the picture, an odd number: the zero line is in the middle
WIDTH = 64
MOST_CORRELATED = 12  # parameters in the table of correlations


def lines(
    fit: Fit, facts: Mapping[str, str], *, width: int | None, precision: int, confidence: float
) -> Iterator[Text]:
    """The parameters, the figures of the fit, their correlations, and the residuals over the fitted values."""
    rows = [
        [name, *("" if x is None else rounded(x, precision) for x in parameter)]
        for name, parameter in fit.params.items()
    ]
    level = f"{rounded(100 * confidence, 4)}%"
    header = ["", "value", "std error", f"{level} from", "to"]
    yield from aligned(header, rows, width, [INPUT, DATA, "", QUIET, QUIET])
    yield Text()
    yield from _summary(facts)
    if 1 < len(fit.correlations) <= MOST_CORRELATED:
        yield Text()
        yield from _correlations(fit, width)
    if len(fit.measured) > 1:
        yield Text()
        yield from _residuals(fit, width)


def _summary(facts: Mapping[str, str]) -> Iterator[Text]:
    for name, fact in facts.items():
        yield Text.assemble((f"{name:<20}", QUIET), fact)


def _correlations(fit: Fit, width: int | None) -> Iterator[Text]:
    names = list(fit.correlations)
    rows = [
        [name, *(f"{fit.correlations[name][other]:.2f}" if j < i else "" for j, other in enumerate(names[:-1]))]
        for i, name in enumerate(names)
    ]
    yield from aligned(["correlation", *names[:-1]], rows[1:], width, [INPUT] + [""] * (len(names) - 1))


def _residuals(fit: Fit, width: int | None) -> Iterator[Text]:
    """A dot for each row: its weighted residual, measured - fitted, over the fitted value."""
    across = fit.fitted.tolist()
    up = (fit.weights**0.5 * (fit.measured - fit.fitted)).tolist()
    highest = max(map(abs, up))
    yield Text(f"residuals, within ±{rounded(highest, 3)}, over the fitted values", style=QUIET)
    size = min(WIDTH, max(10, (width or WIDTH) - 2))
    for number, line in enumerate(_dots(across, up, highest or 1.0, size)):
        middle = number == HEIGHT // 2
        drawn = Text(("┼" if middle else "│") + "".join(line).replace(" ", "─" if middle else " "))
        drawn.highlight_regex("[┼│─]+", QUIET)
        drawn.highlight_regex("[•●]+", ACCENT)
        yield drawn
    low, high = rounded(min(across), 3), rounded(max(across), 3)
    yield Text(f" {low}{high.rjust(size - len(low))}", style=QUIET)


def _dots(across: Sequence[float], up: Sequence[float], highest: float, size: int) -> list[list[str]]:
    """The cells of the picture; where several rows meet the dot is larger."""
    lowest, span = min(across), (max(across) - min(across)) or 1.0
    cells = [[" "] * size for _ in range(HEIGHT)]
    for x, y in zip(across, up, strict=True):
        if math.isfinite(x) and math.isfinite(y):
            column = round((x - lowest) / span * (size - 1))
            row = HEIGHT // 2 - round(y / highest * (HEIGHT // 2))
            cells[row][column] = "•" if cells[row][column] == " " else "●"
    return cells
