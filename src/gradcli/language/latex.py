"""Formulas in LaTeX, for documents: fractions, roots and Greek letters. How a function is set, its row says."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from gradcli.autodiff.ops import FUNCTIONS, INFIX, Op
from gradcli.autodiff.tape import Line, Tape, below
from gradcli.text import shortest

from .unparse import ATOM, COMPARISON, FAMILIAR, LEVELS, NAMES, NOT, OR, POWER, PRODUCT, SIGN, SUM, meaning

GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Pi",
    "Sigma",
    "Upsilon",
    "Phi",
    "Psi",
    "Omega",
]
LETTERS = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", GREEK, strict=True))
SIGNS = {
    "<=": r"\le",
    ">=": r"\ge",
    "==": "=",
    "!=": r"\ne",
    "<": "<",
    ">": ">",
    "and": r"\land",
    "or": r"\lor",
    "%": r"\bmod",
}
MODULO = SUM + 0.5  # \bmod is read as looser than a sum: only a comparison is looser still


class Piece(NamedTuple):
    """A part of a formula: its LaTeX, how tightly it binds, and for a quotient what is above and below the bar."""

    text: str
    level: float = ATOM
    above: str = ""
    below: tuple[Piece, ...] = ()


def latex(tape: Tape, labels: Mapping[int, str] | None = None) -> str:
    """The formula of the tape's output in LaTeX, to be set in math mode. A line in `labels` is written as that name."""
    names = labels or {}
    pieces: dict[int, Piece] = {}
    for index in below(tape.lines, tape.output, names):
        line = tape.lines[index]
        if index in names:
            pieces[index] = Piece(name(names[index]))
        elif line.op is not None:
            pieces[index] = _operation(line.op, line, [pieces[operand] for operand in line.args], tape.lines)
        else:
            pieces[index] = Piece(name(line.name)) if line.value is None else number(line.value)
    return pieces[tape.output].text


def name(text: str) -> str:
    """A variable: Greek letters by name, digits at the end as an index, several letters upright."""
    stem, _, index = text.partition("_")
    if not index and (parts := re.fullmatch(r"(\D+)(\d+)", stem)):
        stem, index = parts[1], parts[2]
    index = index.replace("_", r"\_")
    return _word(stem) + (f"_{{{index if index.isdigit() or len(index) < 2 else _upright(index)}}}" if index else "")


def _word(stem: str) -> str:
    letter = LETTERS.get(stem, stem)
    if letter in GREEK:
        return f"\\{letter}"
    return stem if len(stem) == 1 else _upright(stem or r"\_")


def _upright(text: str) -> str:
    return f"\\mathrm{{{text}}}"


def number(value: float) -> Piece:
    """A literal, or the constant that it is."""
    if value != value:
        return Piece(r"\mathrm{nan}")
    if value < 0 or math.copysign(1, value) < 0:
        return Piece(f"-{number(-value).text}", SIGN)
    if math.isinf(value):
        return Piece(r"\infty")
    if value in NAMES:
        return Piece(name(NAMES[value]))
    if value in _FAMILIAR:
        return _FAMILIAR[value]
    digits, _, exponent = shortest(value).partition("e")
    if not exponent:
        return Piece(digits)
    power = f"10^{{{int(exponent)}}}"
    return Piece(power, POWER) if digits == "1" else Piece(f"{digits} \\cdot {power}", PRODUCT)


def _operation(op: Op, line: Line, operands: list[Piece], lines: Sequence[Line]) -> Piece:
    if op.internal:
        return _internal(op, operands, lines[line.args[0]])
    if op.name == "/":
        return _quotient(*operands)
    if op.name == "*":
        return Piece(_product(*operands), PRODUCT)
    if op.name == "^":
        return _power(lines[line.args[0]], *operands)
    if op.form == "prefix":
        return _prefixed(op, operands[0])
    if op.form == "infix":
        return _infix(op, *operands)
    return _call(op, [operand.text for operand in operands])


def _internal(op: Op, operands: list[Piece], first: Line) -> Piece:
    """A row that cannot be typed, set as `unparse` writes it."""
    if op.spelled is not None:
        return _meaning(op, operands)
    if op.name == "*":
        return Piece(_product(operands[1], operands[0]), PRODUCT)
    if op.name == "/":
        return _quotient(*operands)
    if op.name == "ties":
        equal = [Piece(_inside(_infix(INFIX["=="], other, operands[0]), ATOM)) for other in operands[1:]]
        return Piece(" + ".join(piece.text for piece in equal), SUM if len(equal) > 1 else ATOM)
    if op.signature == "a ^ b * log(a)":
        return Piece(_product(_power(first, *operands), _call(FUNCTIONS["log"], [operands[0].text])), PRODUCT)
    return Piece(f"e^{{-{_power(first, operands[0], Piece('2')).text}}}", POWER)  # exp(-x^2)


def _meaning(op: Op, operands: list[Piece]) -> Piece:
    lines = [*[Line(None, name="") for _ in operands], *meaning(op, len(operands))]
    pieces = list(operands)
    for line in lines[len(operands) :]:
        parts = [pieces[index] for index in line.args]
        pieces.append(_operation(line.op, line, parts, lines) if line.op is not None else number(line.value or 0.0))
    return pieces[-1]


def _call(op: Op, texts: list[str]) -> Piece:
    if "{" in op.latex:
        return Piece(op.latex.format(*texts), POWER if "^{{{0}" in op.latex else ATOM)
    command = op.latex or f"\\operatorname{{{op.name.replace('_', chr(92) + '_')}}}"
    return Piece(f"{command}\\left({', '.join(texts)}\\right)")


def _inside(piece: Piece, allowed: float) -> str:
    return piece.text if piece.level <= allowed else f"\\left({piece.text}\\right)"


def _quotient(left: Piece, right: Piece) -> Piece:
    """a/b/c is one fraction, and a/b/b has b squared."""
    above, divisors = (left.above, (*left.below, right)) if left.below else (left.text, (right,))
    sign = ""
    if above.startswith("-") and left.level <= PRODUCT:
        sign, above = "-", above[1:]
    factors = []
    for divisor in dict.fromkeys(divisors):
        times = divisors.count(divisor)
        single = len(divisors) == 1
        factors.append(
            f"{_inside(divisor, ATOM)}^{{{times}}}" if times > 1 else _inside(divisor, OR if single else PRODUCT)
        )
    below = reduce(lambda a, b: Piece(_product(a, b)), map(Piece, factors)).text
    text = f"{sign}\\frac{{{above}}}{{{below}}}"
    return Piece(text, PRODUCT, f"{sign}{above}", divisors)


def _product(left: Piece, right: Piece) -> str:
    """Factors side by side, a dot only between numbers; a number at the end comes to the front, as in 2 x."""
    a, b = _inside(left, PRODUCT), _inside(right, POWER if not right.below else PRODUCT)
    if _NUMBER.fullmatch(b) and not left.below and not a.startswith("-") and not a[:1].isdigit():
        return f"{b} {a}"
    mixed = a[-1:].isdigit() and b.removeprefix("\\frac{")[:1].isdigit()  # 2 \cdot \frac{1}{3}, which is not 2 1/3
    return f"{a} \\cdot {b}" if b[:1].isdigit() or mixed else f"{a} {b}"


_NUMBER = re.compile(r"[0-9.]+")
_SET = [  # the numbers that `unparse` writes as what they are, in its order
    _quotient(Piece("2"), Piece(r"\sqrt{\pi}")),
    Piece(r"\log\left(2\right)"),
    Piece(r"\log_{2}\left(e\right)"),
    Piece(r"\log_{10}\left(e\right)"),
    _quotient(Piece("180"), Piece(r"\pi")),
    _quotient(Piece(r"\pi"), Piece("180")),
]
_FAMILIAR = dict(zip(FAMILIAR, _SET, strict=True))


def _power(base: Line, left: Piece, right: Piece) -> Piece:
    function = base.op.latex if base.op else ""
    if function.startswith("\\") and "{" not in function and right.text.isdigit():  # sin^2(x)
        return Piece(left.text.replace(function, f"{function}^{{{right.text}}}", 1), POWER)
    return Piece(f"{_inside(left, ATOM)}^{{{right.text}}}", POWER)


def _prefixed(op: Op, operand: Piece) -> Piece:
    if op.name == "not":
        return Piece(f"\\lnot {_inside(operand, ATOM)}", NOT)
    return Piece(f"-{_inside(operand, PRODUCT if operand.below else POWER)}", SIGN)


def _infix(op: Op, left: Piece, right: Piece) -> Piece:
    if op.name == "%":
        return Piece(f"{_modulo_of(left)} {SIGNS[op.name]} {_inside(right, POWER)}", MODULO)
    level = LEVELS.get(op.name, COMPARISON)
    before, after = (MODULO, MODULO) if level == COMPARISON else (level, level - 1)  # comparisons do not chain
    return Piece(f"{_inside(left, before)} {SIGNS.get(op.name, op.name)} {_inside(right, after)}", level)


def _modulo_of(left: Piece) -> str:
    r"""-x \bmod y may be read as the negative of a remainder: the sign takes parentheses."""
    return _inside(left, ATOM if left.text.startswith("-") and left.level > ATOM else PRODUCT)
