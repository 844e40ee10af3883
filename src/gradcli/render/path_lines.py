"""A gradient as its sum over paths, drawn in the terminal.

a → a+b → (a+b)*(a*b)   1 × a*b     1 × 12 = 12
a → a*b → (a+b)*(a*b)   b × (a+b)   4 × 7  = 28
                                      d/da = 40
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import escape, rounded, shortened
from gradcli.trace.local_formulas import formulas
from gradcli.trace.paths import Path, PathSum
from gradcli.trace.trace import Step, Trace

from .path_texts import ARROW, LONGEST_LABEL, TIMES, factor, heading, joined, label, others
from .style import ACCENT, GRAD, HEADING, INPUT, QUIET

Formula = Callable[[Step], str]
Closing = list[tuple[str, str]]  # the lines below the paths: a label and a number each


class Written(NamedTuple):
    """A path for people: the nodes it passes through, its local derivatives as formulas and as numbers, the product."""

    way: str
    formulas: str
    numbers: str
    product: str


def table(trace: Trace, sums: Sequence[PathSum], *, width: int | None, precision: int) -> Iterator[Text]:
    """The lines for each variable: a heading, the contribution of each path, and the sum."""
    formula = formulas(trace)
    for index, sum_ in enumerate(sums):
        if index:
            yield Text()
        yield Text(heading(trace, sum_), style=HEADING)
        closing = [] if sum_.complete else [(others(sum_), rounded(sum_.rest, precision))]
        closing.append((f"d/d{sum_.wrt}", rounded(sum_.total, precision)))
        written = [_written(trace, path, formula, precision, width) for path in sum_.shown]
        columns = [max(map(cell_len, column), default=0) for column in zip(*written, strict=True)] or [0] * 4
        columns[2] = max(columns[2], cell_len(closing[-1][0]))
        columns[3] = max(columns[3], *(cell_len(number) for _, number in closing))
        if width is None or (sum(columns) + 9 <= width and not any(map(_elided, written))):
            yield from _aligned(written, closing, columns)
        else:
            yield from _stacked(written, closing, width)


def _written(trace: Trace, path: Path, formula: Formula, precision: int, width: int | None) -> Written:
    nodes, arrows, locals_ = path.nodes, path.arrows, path.locals
    product = rounded(path.contribution, precision)
    longest = LONGEST_LABEL if width is None else min(LONGEST_LABEL, max(8, width // 3 - 4))
    room = None if width is None else max(8, width - cell_len(product) - 9)
    if not arrows:
        return Written(label(trace, nodes[0], longest), "", "1", product)
    return Written(
        joined(len(nodes), lambda i: label(trace, nodes[i], longest), ARROW, width),
        joined(len(arrows), lambda i: escape(factor(formula(arrows[i]))), TIMES, room),
        joined(len(arrows), lambda i: factor(rounded(locals_[i], precision)), TIMES, room),
        product,
    )


def _elided(written: Written) -> bool:
    return "…" in [*written.way.split(ARROW), *written.formulas.split(TIMES), *written.numbers.split(TIMES)]


def _aligned(written: list[Written], closing: Closing, columns: list[int]) -> Iterator[Text]:
    """Each path on one line, the products below one another."""
    formulas = columns[1] if any(path.formulas != path.numbers for path in written) else 0
    for way, formula, numbers, product in written:
        first, arrow, rest = way.partition(ARROW)
        yield Text.assemble(
            (first, INPUT),
            (arrow + rest, ""),
            " " * (columns[0] - cell_len(way) + 3),
            (formula + " " * (formulas - cell_len(formula) + 3) if formulas else "", QUIET),
            numbers + " " * (columns[2] - cell_len(numbers)),
            " = ",
            (product.rjust(columns[3]), GRAD),
        )
    left = columns[0] + 3 + (formulas + 3 if formulas else 0) + columns[2]
    for text, number in closing:
        last = (text, number) == closing[-1]
        yield Text.assemble(
            (text.rjust(left), INPUT if last else QUIET), " = ", (number.rjust(columns[3]), ACCENT if last else GRAD)
        )


def _stacked(written: list[Written], closing: Closing, width: int) -> Iterator[Text]:
    """Each path on lines of its own, where the columns have no room."""
    for way, formula, numbers, product in written:
        first, arrow, rest = way.partition(ARROW)
        yield Text.assemble((first, INPUT), arrow + rest)
        parts = [part for part in dict.fromkeys((formula, numbers)) if part]
        if cell_len("    " + " = ".join([*parts, product])) <= width:
            parts = [" = ".join(parts)]
        for index, part in enumerate(parts):
            lead = "    " if index == 0 else "    = "
            last = index == len(parts) - 1
            tail = f" = {product}" if last else ""
            shown = shortened(part, max(8, width - cell_len(lead + tail)))
            yield Text.assemble(lead, (shown, "" if last else QUIET), tail[:3], (tail[3:], GRAD))
    pad = max(cell_len(text) for text, _ in closing)
    for text, number in closing:
        last = (text, number) == closing[-1]
        yield Text.assemble((text.ljust(pad), INPUT if last else QUIET), " = ", (number, ACCENT if last else GRAD))
