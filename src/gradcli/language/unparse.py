"""From tape to text: a formula in our own language that parses again and means the same.

Precedence decides where parentheses are needed; how a function is written, its row's signature says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from gradcli.autodiff.ops import CONSTANTS, Op
from gradcli.autodiff.tape import Line, Tape, below
from gradcli.text import shortened, shortest

ATOM, POWER, SIGN, PRODUCT, SUM, COMPARISON, NOT, AND, OR = range(9)  # tightest first, as in the grammar
LEVELS = {"^": POWER, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT, "+": SUM, "-": SUM, "and": AND, "or": OR}
NAMES = {value: name for name, value in reversed(CONSTANTS.items()) if name.isascii()}

Text = tuple[str, int]  # a formula and the level of its outermost operation

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
        return _operation(line.op, operands)
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


def _operation(op: Op, operands: list[Text]) -> Text:
    if op.internal:
        return _internal(op, operands)
    if op.form == "prefix":
        ((text, level),) = operands
        if op.name == "not":
            return f"not {_inside(text, level, NOT)}", NOT
        return f"-{_inside(text, level, POWER)}", SIGN
    if op.form == "infix":
        return infix(op.name, *operands)
    return f"{op.name}({', '.join(text for text, _ in operands)})", ATOM


def infix(symbol: str, left: Text, right: Text) -> Text:
    """Two formulas joined by an operator, with the parentheses that the grammar asks for and no others."""
    level = LEVELS.get(symbol, COMPARISON)
    if symbol == "^":  # right-associative; a sign may follow it and not precede it
        return f"{_inside(*left, ATOM)}^{_inside(*right, SIGN)}", POWER
    spaced = symbol if level == PRODUCT else f" {symbol} "
    left_level = SUM if level == COMPARISON else level  # comparisons do not chain, the others group to the left
    right_level = POWER if symbol == "%" else level - 1  # after % comes no sign
    return f"{_inside(*left, left_level)}{spaced}{_inside(*right, right_level)}", level


def _inside(text: str, level: int, allowed: int) -> str:
    return text if level <= allowed else f"({text})"


def _internal(op: Op, operands: list[Text]) -> Text:
    """The formula of a row that cannot be typed: what it means, or its signature, with the operands put in."""
    if op.spelled is not None:
        return _meaning(op, operands)
    first = operands[0]
    if op.name == "*":  # with a strong zero on the right: n*x^(n - 1), as one writes it
        return infix("*", operands[1], operands[0])
    if op.name == "/":
        return infix("/", *operands)
    if op.signature == "a ^ b * log(a)":
        return infix("*", infix("^", *operands), (f"log({first[0]})", ATOM))
    if op.name == "ties":  # how many of the others equal the first
        equal = [infix("==", other, first)[0] for other in operands[1:]]
        return f"sum({', '.join(equal)})", ATOM
    if op.name == "exp":
        return f"exp(-{_inside(*infix('^', first, ('2', ATOM)), POWER)})", ATOM
    return f"{op.name}({', '.join(text for text, _ in operands)})", ATOM


def _meaning(op: Op, operands: list[Text]) -> Text:
    texts = list(operands)
    for line in meaning(op, len(operands)):
        texts.append(written(line, [texts[index] for index in line.args]))
    return texts[-1]


def meaning(op: Op, count: int) -> Sequence[Line]:
    """What a row that is spelled out computes from `count` operands: the lines that come after theirs."""
    from gradcli.autodiff.symbols import spelled

    inputs = [Line(None, name=str(position)) for position in range(count)]
    lines, _ = spelled([*inputs, Line(op, tuple(range(count)))])
    return lines[count:]
