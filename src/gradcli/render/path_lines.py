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
from gradcli.trace.arithmetic import TIMES
from gradcli.trace.local_formulas import formulas
from gradcli.trace.names import marked
from gradcli.trace.paths import Path, PathSum
from gradcli.trace.trace import Step, Trace

from .folding import folded, folded_line
from .path_texts import ARROW, LONGEST_LABEL, factor, heading, joined, label, others, path_product
from .style import ACCENT, GRAD, HEADING, INPUT, QUIET

FEW = 6  # factors that are all shown, on several lines if need be
Formula = Callable[[Step], str]
Closing = list[tuple[str, str]]  # the lines below the paths: a label and a number each


class Written(NamedTuple):
    """A path for people: the nodes it passes through, its local derivatives as formulas and as numbers, the sign before
    their product ("=" or "≈"), the product."""

    way: str
    formulas: str
    numbers: str
    sign: str
    product: str


def table(trace: Trace, sums: Sequence[PathSum], *, width: int | None, precision: int) -> Iterator[Text]:
    """The lines for each variable: a heading, the contribution of each path, and the sum."""
    formula, trace = formulas(trace), marked(trace)
    for index, sum_ in enumerate(sums):
        if index:
            yield Text()
        yield from folded_line(Text(heading(trace, sum_), style=HEADING), width)
        closing = [] if sum_.complete else [(others(sum_), rounded(sum_.rest, precision))]
        closing.append((f"d/d{sum_.wrt}", rounded(sum_.total, precision)))
        written = [_written(trace, path, formula, precision, width) for path in sum_.shown]
        columns = [max(map(cell_len, column), default=0) for column in zip(*written, strict=True)] or [0] * 5
        columns[2] = max(columns[2], cell_len(closing[-1][0]))
        columns[4] = max(columns[4], *(cell_len(number) for _, number in closing))
        if width is None or (sum(columns) + 8 <= width and not any(map(_elided, written))):
            yield from _aligned(written, closing, columns)
        else:
            yield from _stacked(written, closing, width)


def _written(trace: Trace, path: Path, formula: Formula, precision: int, width: int | None) -> Written:
    nodes, arrows = path.nodes, path.arrows
    longest = LONGEST_LABEL if width is None else min(LONGEST_LABEL, max(8, width // 3 - 4))
    room = _room(path, None if width is None else max(8, width - 6), precision)
    if not arrows:
        return Written(label(trace, nodes[0], longest), "", "1", "=", rounded(path.contribution, precision))
    return Written(
        joined(len(nodes), lambda i: label(trace, nodes[i], longest), ARROW, width),
        joined(len(arrows), lambda i: escape(factor(formula(arrows[i]))), TIMES, room),
        *path_product(path, precision, room),
    )


def _room(path: Path, room: int | None, precision: int) -> int | None:
    """The cells for the factors of a path: three lines for a few, and for many, of which some are left out, one."""
    if room is None or len(path.arrows) <= FEW:
        return room and 3 * room
    return max(8, room - 3 - len(rounded(path.contribution, precision)))


def _elided(written: Written) -> bool:
    return "…" in [*written.way.split(ARROW), *written.formulas.split(TIMES), *written.numbers.split(TIMES)]


def _aligned(written: list[Written], closing: Closing, columns: list[int]) -> Iterator[Text]:
    """Each path on one line, the products below one another."""
    formulas = columns[1] if any(path.formulas != path.numbers for path in written) else 0
    for way, formula, numbers, sign, product in written:
        first, arrow, rest = way.partition(ARROW)
        yield Text.assemble(
            (first, INPUT),
            (arrow + rest, ""),
            " " * (columns[0] - cell_len(way) + 3),
            (formula + " " * (formulas - cell_len(formula) + 3) if formulas else "", QUIET),
            numbers + " " * (columns[2] - cell_len(numbers)),
            f" {sign} ",
            (product.rjust(columns[4]), GRAD),
        )
    left = columns[0] + 3 + (formulas + 3 if formulas else 0) + columns[2]
    for text, number in closing:
        last = (text, number) == closing[-1]
        yield Text.assemble(
            (text.rjust(left), INPUT if last else QUIET), " = ", (number.rjust(columns[4]), ACCENT if last else GRAD)
        )


def _stacked(written: list[Written], closing: Closing, width: int) -> Iterator[Text]:
    """Each path on lines of its own, where the columns have no room."""
    for way, formula, numbers, sign, product in written:
        first, arrow, rest = way.partition(ARROW)
        yield Text.assemble((first, INPUT), arrow + rest)
        yield from _equation([part for part in dict.fromkeys((formula, numbers)) if part], sign, product, width)
    pad = max(cell_len(text) for text, _ in closing)
    for text, number in closing:
        last = (text, number) == closing[-1]
        style = ACCENT if last else GRAD
        if pad + 3 + len(number) <= width:
            yield Text.assemble((text.ljust(pad), INPUT if last else QUIET), " = ", (number, style))
        else:
            yield from (Text(line, style=style) for line in folded(f"{text} = {number}", width))


def _equation(parts: list[str], sign: str, product: str, width: int) -> Iterator[Text]:
    """The product as formulas, as numbers, and its value, on one line or one below the other, without cutting a number."""
    if cell_len("    " + " = ".join([*parts, product])) <= width:
        yield Text.assemble("    ", " = ".join(parts), f" {sign} ", (product, GRAD))
        return
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        shown = part if last else shortened(part, max(8, width - 6))
        lines = folded(f"{'= ' if index else ''}{shown}{f' {sign} {product}' if last else ''}", width - 6)
        yield from (Text(f"    {line}", style="" if last else QUIET) for line in lines[:-1])
        head, tail = lines[-1].removesuffix(product), product if last else ""
        yield Text.assemble("    ", (head if last else lines[-1], "" if last else QUIET), (tail, GRAD))
