"""An equation, name = formula, on as many rows as the terminal's width asks for: nothing of a formula is ever cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from rich.text import Text

from gradcli.symbolic.formulas import Formulas
from gradcli.text import cells

from .style import GRAD, HEADING, INPUT, QUIET


def equations(
    formulas: Formulas, labels: Mapping[str, str], numbers: Mapping[str, str], width: int | None
) -> Iterator[Text]:
    """The definitions of what the formulas share, then each formula under its label, with its number below it."""
    definitions = dict(formulas.definitions())
    pad = padding(definitions, width)
    for name, text in definitions.items():
        yield from rows(name, pad, text, HEADING, width)
    if definitions:
        yield Text()
    pad = padding(labels.values(), width)
    for by, label in labels.items():
        yield from rows(label, pad, formulas.brief(by), INPUT, width)
        if by in numbers:
            yield Text.assemble(" " * pad, (" = ", QUIET), (numbers[by], GRAD))


def padding(labels: Iterable[str], width: int | None) -> int:
    """The cells that labels take, so that the formulas begin below each other; a long one gets no more than a third."""
    longest = max(map(cells, labels), default=0)
    return longest if width is None else min(longest, width // 3)


def rows(label: str, pad: int, formula: str, style: str, width: int | None) -> Iterator[Text]:
    """label = formula, on as many rows as the width asks for."""
    label += " " * (pad - cells(label))
    text = f"{label} = {formula}"
    start = len(label) + 3
    for number, row in enumerate([text] if width is None else folded(text, start, width, pad + 3)):
        line = Text(row)
        if number == 0:
            line.stylize(style, 0, len(label))
            line.stylize(QUIET, len(label), start)
        yield line


def folded(text: str, start: int, width: int, indent: int) -> Iterator[str]:
    """The rows of a formula that begins at `start` of `text`, none wider than `width` cells, and nothing lost.

    All but the first are set in by `indent`. A row ends before a + or -, else after a factor or operand, else anywhere.
    """
    position, margin = 0, ""
    while position < len(text):
        room = width - len(margin)
        end = position + _fitting(text[position : position + room], room)
        if end < len(text):
            end = _break(text, max(start, position), end)
        yield margin + text[position:end]
        position = end + (text[end : end + 1] == " ")
        margin = " " * indent


def _fitting(text: str, room: int) -> int:
    """The number of characters at the beginning that fit into `room` cells."""
    if text.isascii():
        return min(len(text), room)
    return bisect_right(list(accumulate(map(cells, text))), room)


def _break(text: str, start: int, end: int) -> int:
    """The best end of a row that may go up to `end`."""
    sums = max(text.rfind(sign, start, end + 3) for sign in (" + ", " - "))
    if sums > start:
        return sums
    operands = max(text.rfind(sign, start, end) + 1 for sign in "*/,")
    return operands if operands > start else end
