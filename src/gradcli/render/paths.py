"""A gradient as its sum over paths, for people.

a → a+b → (a+b)*(a*b)   1 × a*b     1 × 12 = 12
a → a*b → (a+b)*(a*b)   b × (a+b)   4 × 7  = 28
                                      d/da = 40
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import digits, escape, rounded, shortened
from gradcli.trace.local_formulas import formulas
from gradcli.trace.paths import Path, PathSum
from gradcli.trace.trace import Step, Trace

from .style import ACCENT, GRAD, HEADING, INPUT, QUIET

LONGEST_LABEL = 40
ARROW, TIMES = " → ", " × "
Formula = Callable[[Step], str]
Closing = list[tuple[str, str]]  # what stands below the paths: a label and a number


class Written(NamedTuple):
    """A path for people: what it passes through, its local derivatives as formulas and as numbers, the product."""

    way: str
    formulas: str
    numbers: str
    product: str


def table(trace: Trace, sums: Sequence[PathSum], *, width: int | None, precision: int) -> Iterator[Text]:
    """For each variable a heading, what each path brings, and the sum."""
    formula = formulas(trace)
    for place, found in enumerate(sums):
        if place:
            yield Text()
        yield Text(_heading(trace, found), style=HEADING)
        closing = [] if found.complete else [(_others(found), rounded(found.rest, precision))]
        closing.append((f"d/d{found.wrt}", rounded(found.total, precision)))
        written = [_written(trace, path, formula, precision, width) for path in found.shown]
        columns = [max(map(cell_len, column), default=0) for column in zip(*written, strict=True)] or [0] * 4
        columns[2] = max(columns[2], cell_len(closing[-1][0]))
        columns[3] = max(columns[3], *(cell_len(number) for _, number in closing))
        if width is None or (sum(columns) + 9 <= width and not any(map(_elided, written))):
            yield from _aligned(written, closing, columns)
        else:
            yield from _stacked(written, closing, width)


def _heading(trace: Trace, found: PathSum) -> str:
    target = label(trace, trace.output)
    if not found.number:
        return f"no path from {found.wrt} to {target}"
    number = f"{count_for_people(found.number)} path{'s' if found.number > 1 else ''}"
    several = len(found.shown) > 1
    shown = f", the {len(found.shown)} largest contributions" if several else ", the largest contribution"
    shown = "" if found.complete or not found.shown else shown
    return f"{number} from {found.wrt} to {target}{shown}"


def _others(found: PathSum) -> str:
    others = found.number - len(found.shown)
    word = "other" if found.shown else "path"
    return f"{count_for_people(others)} {word}s together" if others > 1 else f"1 {word}"


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


def label(trace: Trace, node: int, longest: int = LONGEST_LABEL) -> str:
    """The name of a node or its text, not longer than `longest`."""
    return escape(shortened(trace.nodes[node].label, longest))


def joined(count: int, item: Callable[[int], str], separator: str, room: int | None) -> str:
    """Items with a separator between. What has no room is left out in the middle, and not asked for."""
    if room is None:
        return separator.join(map(item, range(count)))
    front: list[str] = []
    back: list[str] = []
    used = 0
    for turn in range(count):
        text = item(count - 1 - len(back) if turn % 2 else len(front))
        used += cell_len(text) + len(separator)
        if used - (len(separator) if turn == count - 1 else -1) > room:
            return separator.join([*front, "…", *reversed(back)])
        (back if turn % 2 else front).append(text)
    return separator.join([*front, *reversed(back)])


def factor(text: str) -> str:
    """A formula or number as one factor of a product: a sum, a sign or a comparison gets parentheses."""
    depth = 0
    for place, char in enumerate(text):
        depth += (char in "(") - (char in ")")
        exponent = char in "+-" and place and text[place - 1] in "eE" and text[: place - 1].replace(".", "").isdigit()
        if depth == 0 and char in "+-−<>=! %" and not exponent:
            return f"({text})"
    return text


def _aligned(written: list[Written], closing: Closing, columns: list[int]) -> Iterator[Text]:
    """Each path on one line, the products below one another."""
    formulas = columns[1] if any(one.formulas != one.numbers for one in written) else 0
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
        for place, part in enumerate(parts):
            lead = "    " if place == 0 else "    = "
            last = place == len(parts) - 1
            tail = f" = {product}" if last else ""
            shown = shortened(part, max(8, width - cell_len(lead + tail)))
            yield Text.assemble(lead, (shown, "" if last else QUIET), tail[:3], (tail[3:], GRAD))
    pad = max(cell_len(text) for text, _ in closing)
    for text, number in closing:
        last = (text, number) == closing[-1]
        yield Text.assemble((text.ljust(pad), INPUT if last else QUIET), " = ", (number, ACCENT if last else GRAD))


def count_for_people(number: int) -> str:
    """A count: all digits up to thirty of them, else rounded."""
    text = digits(number)
    return text if len(text) <= 30 else f"about {text[0]}.{text[1:6]}e+{len(text) - 1}"
