"""Formulas in LaTeX, for documents: fractions, roots and Greek letters. How a function is set, its row says."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, NamedTuple

from gradcli.autodiff.ops import ATOM, COMPARISON, OR, POWER, PRODUCT, SIGN, SUM, Op, div, mod, mul, neg, pow
from gradcli.autodiff.tape import Tape, below, recorded_rule, replay
from gradcli.text import shortest

from .unparse import FAMILIAR, NAMES

GREEK = re.findall(
    r"\w+",
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega",
)
LETTERS = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", GREEK, strict=True))
LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))  # Greek letters that LaTeX has as upright Latin ones
MODULO = SUM + 0.5  # \bmod is read as looser than a sum: only a comparison is looser still


class Piece(NamedTuple):
    """A part of a formula: its LaTeX, how tightly it binds, and for a quotient what is above and below the bar.

    `command` is that of the function that it is a call of: its powers stand there, as in sin^2(x).
    """

    text: str
    level: float = ATOM
    above: str = ""
    below: tuple[Piece, ...] = ()
    command: str = ""

    @staticmethod
    def _apply(op: Op, args: tuple[Any, ...]) -> Piece:
        """The operation, set: by the rule that its row has in its place, or by the row's form."""
        rule = op.meaning if isinstance(op.latex, str) else op.latex
        if rule is not None:
            tape = recorded_rule(rule, len(args))
            found: Piece = replay(tape, {str(i): arg for i, arg in enumerate(args)}, number)[tape.output]
            return found
        return NOTATION[op](*args) if op in NOTATION else FORMS.get(op.form, _call)(op, *args)


def latex(tape: Tape, labels: Mapping[int, str] | None = None, spelled: Mapping[str, str] | None = None) -> str:
    """The formula of the tape's output in LaTeX, to be set in math mode. A line in `labels` is written as that name.

    `spelled` has the LaTeX of every name, where there are others beside those of the formula (`spellings`).
    """
    names = labels or {}
    spelled = spelled or spellings([*tape.inputs, *names.values()])
    pieces: dict[int, Piece] = {}
    for index in below(tape.lines, tape.output, names):
        line = tape.lines[index]
        if index in names:
            pieces[index] = Piece(spelled[names[index]])
        elif line.op is not None:
            pieces[index] = Piece._apply(line.op, tuple([pieces[operand] for operand in line.args]))
        else:
            pieces[index] = Piece(spelled[line.name]) if line.value is None else number(line.value)
    return pieces[tape.output].text


def spellings(names: Iterable[str]) -> dict[str, str]:
    """The LaTeX of each of the names that stand beside each other, no two alike.

    Where x_1 and x1, or α and alpha, occur together, one of them is set as `name` has it and the other as it was typed.
    """
    found: dict[str, str] = {}
    for one in sorted(set(names), key=lambda text: (text.isascii(), "_" not in text, text)):
        usual = name(one)
        found[one] = _upright(one.replace("_", r"\_")) if usual in found.values() else usual
    return found


def name(text: str) -> str:
    """A variable: Greek letters by name, digits at the end as an index, several letters upright."""
    stem, underscore, index = text.partition("_")
    if not underscore:
        stem, index = _indexed(stem)
    if underscore and stem and not index:  # x_ is not x
        stem += r"\_"
    index = index.replace("_", r"\_")
    return _word(stem) + (f"_{{{index if index.isdigit() or len(index) < 2 else _upright(index)}}}" if index else "")


def _indexed(stem: str) -> tuple[str, str]:
    """A name without an underscore, and its index: the digits at its end, or what stands below the line, as in x₁."""
    if stem.isascii():
        parts = re.fullmatch(r"(\D+)(\d+)", stem)
        return (parts[1], parts[2]) if parts else (stem, "")
    from unicodedata import decomposition, normalize

    letters = stem.rstrip("".join(char for char in stem if decomposition(char).startswith("<sub>")))
    if letters and letters != stem:
        return letters, normalize("NFKC", stem[len(letters) :])
    parts = re.fullmatch(r"(\D+)(\d+)", stem)
    return (parts[1], parts[2]) if parts else (stem, "")


def _word(stem: str) -> str:
    letter = LETTERS.get(stem, stem)
    if letter in GREEK:
        return f"\\{letter}"
    return stem if len(stem) == 1 and stem not in LATIN else _upright(LATIN.get(stem, stem) or r"\_")


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


def equals(formula: str, value: float, precision: int) -> str:
    r"""The end of a formula that has a value: " = 3", or " \approx 0.333333" where digits are left out."""
    whole = value.is_integer() and abs(value) < 1e15
    shown = value if whole else float(f"{value:.{precision}g}")
    sign = "=" if shown == value or value != value else r"\approx"
    return "" if formula == number(shown).text else f" {sign} {number(shown).text}"


def _call(op: Op, *operands: Piece) -> Piece:
    texts = [operand.text for operand in operands]
    template = str(op.latex)
    if "{" in template:
        level = OR if "{cases}" in template else POWER if "^{{{0}" in template else ATOM
        return Piece(template.format(*texts), level)
    command = template or f"\\operatorname{{{op.name.replace('_', chr(92) + '_')}}}"
    return Piece(f"{command}\\left({', '.join(texts)}\\right)", command=template)


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
    below = reduce(lambda a, b: Piece(_product(a, b).text), map(Piece, factors)).text
    text = f"{sign}\\frac{{{above}}}{{{below}}}"
    return Piece(text, PRODUCT, f"{sign}{above}", divisors)


def _product(left: Piece, right: Piece) -> Piece:
    """Factors side by side, a dot only between numbers; a number at the end comes to the front, as in 2 x."""
    a, b = _inside(left, PRODUCT), _inside(right, POWER if not right.below else PRODUCT)
    if _NUMBER.fullmatch(b) and not left.below and not a.startswith("-") and not a[:1].isdigit():
        return Piece(_beside(b, a), PRODUCT)
    mixed = a[-1:].isdigit() and b.removeprefix("\\frac{")[:1].isdigit()  # 2 \cdot \frac{1}{3}, which is not 2 1/3
    return Piece(f"{a} \\cdot {b}" if b[:1].isdigit() or mixed else _beside(a, b), PRODUCT)


def _beside(a: str, b: str) -> str:
    """Two factors, which are not to look like one name, nor like a call of a function by a name of several letters."""
    word = _WORD.search(a)
    if word and b.startswith(r"\left("):
        return rf"{a} \cdot {b}"
    return rf"{a} \, {b}" if word or b.startswith(r"\mathrm{") else f"{a} {b}"


_WORD = re.compile(r"\\mathrm\{[^{}]*\}(_\{([^{}]|\\mathrm\{[^{}]*\})*\})?$")
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


def _power(left: Piece, right: Piece) -> Piece:
    if left.command and right.text.isdigit():  # sin^2(x)
        return Piece(left.text.replace(left.command, f"{left.command}^{{{right.text}}}", 1), POWER)
    return Piece(f"{_inside(left, ATOM)}^{{{right.text}}}", POWER)


def _negative(operand: Piece) -> Piece:
    return Piece(f"-{_inside(operand, PRODUCT if operand.below else POWER)}", SIGN)


def _remainder(left: Piece, right: Piece) -> Piece:
    r"""A remainder; -x \bmod y may be read as the negative of one: there the sign takes parentheses."""
    allowed = ATOM if left.text.startswith("-") and left.level > ATOM else PRODUCT
    return Piece(f"{_inside(left, allowed)} {mod.latex} {_inside(right, POWER)}", MODULO)


def _prefixed(op: Op, operand: Piece) -> Piece:
    return Piece(f"{op.latex} {_inside(operand, ATOM)}", op.level)


def _infix(op: Op, left: Piece, right: Piece) -> Piece:
    before, after = (MODULO, MODULO) if op.level == COMPARISON else op.fits
    signed = op.level == SUM and right.text.startswith("-")  # x + (-y), which is not x + -y
    last = f"\\left({right.text}\\right)" if signed else _inside(right, after)
    return Piece(f"{_inside(left, before)} {op.latex or op.name} {last}", op.level)


FORMS: dict[str, Callable[..., Piece]] = {"infix": _infix, "prefix": _prefixed}
NOTATION: dict[Op, Callable[..., Piece]] = {  # LaTeX's own, for arithmetic
    mul: _product,
    div: _quotient,
    pow: _power,
    neg: _negative,
    mod: _remainder,
}
