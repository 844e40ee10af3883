"""Formulas in LaTeX, for documents: fractions, roots and Greek letters. How a function is set, its row says."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from .numbers import shortest
from .ops import Op
from .tape import Line, Tape, below
from .unparse import ATOM, COMPARISON, LEVELS, NAMES, NOT, OR, POWER, PRODUCT, SIGN

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


class Piece(NamedTuple):
    """A part of a formula: its LaTeX, how tightly it binds, and for a quotient what is above and below the bar."""

    text: str
    level: int = ATOM
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
            pieces[index] = _operation(line.op, line, [pieces[operand] for operand in line.args], tape)
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
    digits, _, exponent = shortest(value).partition("e")
    if not exponent:
        return Piece(digits)
    power = f"10^{{{int(exponent)}}}"
    return Piece(power, POWER) if digits == "1" else Piece(f"{digits} \\cdot {power}", PRODUCT)


def _operation(op: Op, line: Line, operands: list[Piece], tape: Tape) -> Piece:
    if op.name == "/":
        return _quotient(*operands)
    if op.name == "*":
        return Piece(_product(*operands), PRODUCT)
    if op.name == "^":
        return _power(tape.lines[line.args[0]], *operands)
    if op.form == "prefix":
        return _prefixed(op, operands[0])
    if op.form == "infix":
        return _infix(op, *operands)
    return _call(op, [operand.text for operand in operands])


def _call(op: Op, texts: list[str]) -> Piece:
    if "{" in op.latex:
        return Piece(op.latex.format(*texts), POWER if "^{{{0}" in op.latex else ATOM)
    command = op.latex or f"\\operatorname{{{op.name.replace('_', chr(92) + '_')}}}"
    return Piece(f"{command}\\left({', '.join(texts)}\\right)")


def _inside(piece: Piece, allowed: int) -> str:
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
    text = f"{sign}\\frac{{{above}}}{{{' '.join(factors)}}}"
    return Piece(text, PRODUCT, f"{sign}{above}", divisors)


def _product(left: Piece, right: Piece) -> str:
    a, b = _inside(left, PRODUCT), _inside(right, POWER if not right.below else PRODUCT)
    return f"{a} \\cdot {b}" if b[:1].isdigit() else f"{a} {b}"


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
    level = LEVELS.get(op.name, COMPARISON)
    return Piece(f"{_inside(left, level)} {SIGNS.get(op.name, op.name)} {_inside(right, level - 1)}", level)
