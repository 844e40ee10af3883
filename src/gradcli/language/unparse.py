"""From tape to text: a formula in our own language that parses again and means the same.

How an operation is written, and where its operands need parentheses, its row says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from gradcli.autodiff.ops import ATOM, CONSTANTS, PRODUCT, SIGN, Text
from gradcli.autodiff.tape import Line, Tape, below
from gradcli.text import shortened, shortest

NAMES = {value: name for name, value in reversed(CONSTANTS.items()) if name.isascii()}

# What the rules of the table compute once and a reader knows by another name.
FAMILIAR: dict[float, Text] = {
    2 / math.sqrt(math.pi): ("2/sqrt(pi)", PRODUCT),
    math.log(2): ("log(2)", ATOM),
    math.log2(math.e): ("log2(e)", ATOM),
    math.log10(math.e): ("log10(e)", ATOM),
    180 / math.pi: ("180/pi", PRODUCT),
    math.pi / 180: ("pi/180", PRODUCT),
}


def unparse(tape: Tape, labels: Mapping[int, Text] | None = None) -> str:
    """The formula of the tape's output. A line in `labels` is written as its label and not taken apart."""
    labels = labels or {}
    texts: dict[int, Text] = {}
    for index in below(tape.lines, tape.output, labels):
        line = tape.lines[index]
        texts[index] = labels.get(index) or written(line, [texts[operand] for operand in line.args])
    return texts[tape.output][0]


LONGEST = 200  # of a formula that only labels a line


def formulas(lines: Sequence[Line], start: int) -> dict[int, str]:
    """The formula of each line from `start` on, to label it with: names that the program gave stay, long ones are cut."""
    needed = set(range(start, len(lines)))
    for index in range(len(lines) - 1, -1, -1):
        if index in needed and lines[index].op is not None and not lines[index].name:
            needed.update(lines[index].args)
    texts: dict[int, Text] = {}
    for index in sorted(needed):
        line = lines[index]
        text, level = (line.name, ATOM) if line.name else written(line, [texts[operand] for operand in line.args])
        texts[index] = shortened(text, LONGEST), level
    return {index: text for index, (text, _) in texts.items() if index >= start}


def written(line: Line, operands: list[Text]) -> Text:
    """The formula of one line, from those of its operands."""
    if line.op is not None:
        return line.op.written(operands)
    if line.value is None:
        return line.name, ATOM
    return number(line.value)


def number(value: float) -> Text:
    """A literal, or the name of the constant it is; a negative one is a sign before a number."""
    if value in NAMES:
        return NAMES[value], ATOM
    if -value in NAMES:
        return f"-{NAMES[-value]}", SIGN
    if abs(value) in FAMILIAR:
        text, level = FAMILIAR[abs(value)]
        return (text, level) if value > 0 else (f"-{text}", max(level, SIGN))
    if value != value:
        return "(inf - inf)", ATOM  # the language has no literal for nan
    text = shortest(value) if abs(value) != float("inf") else "-inf"
    return (text, SIGN) if text.startswith("-") else (text, ATOM)
