"""A minimum drawn in the terminal: the variables in a table, and the way there."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from gradcli.optimize.minimum import Minimum
from gradcli.text import rounded

from .columns import aligned
from .style import DATA, GRAD, INPUT

MOST = 40  # steps that are shown: the first and the last of them


def lines(minimum: Minimum, *, width: int | None, precision: int, with_trace: bool) -> Iterator[Text]:
    """Name, value and derivative of each variable, then the value; with_trace, the steps before."""
    if with_trace:
        yield from _path(minimum, width, precision)
        yield Text()
    rows = [
        [name, rounded(x, precision), rounded(minimum.gradient[name], precision)] for name, x in minimum.point.items()
    ]
    rows.append(["value", rounded(minimum.value, precision), ""])
    yield from aligned(["", "value", "gradient"], rows, width, [INPUT, DATA, GRAD])


def _path(minimum: Minimum, width: int | None, precision: int) -> Iterator[Text]:
    names = list(minimum.point)
    rows = [
        [str(number), rounded(iterate.value, precision), *(rounded(x, precision) for x in iterate.point.tolist()),
         rounded(iterate.steepness, precision)]
        for number, iterate in enumerate(minimum.path)
    ]  # fmt: skip
    if len(rows) > MOST:
        left_out = ["⋮"] + [""] * (len(rows[0]) - 1)
        rows = [*rows[: MOST // 2], left_out, *rows[-MOST // 2 :]]
    yield from aligned(["step", "value", *names, "gradient"], rows, width, ["", DATA, *([INPUT] * len(names)), GRAD])
