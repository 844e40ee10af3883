"""Notations of other programs and of paper, each with what it is here: a pattern of the text, and its repair.

Imported when there is something to explain, and not before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from gradcli.errors import propose

from .definitions import INVERSES
from .fragments import NAME, NUMBER, clause, enclosing_call, group_after, operand_after, operand_before
from .scope import Known

Match = re.Match[str]
NEAR = 200  # characters around the place in which a pattern is looked for

LATEX = {
    "frac": "({})/({})", "dfrac": "({})/({})", "tfrac": "({})/({})", "sqrt": "sqrt({})", "sqrt[3]": "cbrt({})", "cdot": "*", "times": "*", "div": "/", "pi": "pi", "infty": "inf",
    "le": "<=", "leq": "<=", "ge": ">=", "geq": ">=", "ne": "!=", "neq": "!=", "left": "(", "right": ")",
}  # fmt: skip


def repair(text: str, place: int, known: Known) -> str:
    """The hint for what stands at a place, "" where it is no notation that is known."""
    low = max(text.rfind("\n", 0, place) + 1, place - NEAR)
    high = text.find("\n", place)
    high = min(len(text) if high < 0 else high, place + NEAR)
    for pattern, hint in REPAIRS:
        for match in pattern.finditer(text, low, high):
            if match.start() <= place <= match.end() and (found := hint(match, known)):
                return found
    return ""


def _absolute(match: Match, _: Known) -> str:
    factor = operand_before(match.string, match.start())
    if factor and (match[0].startswith("||") or match[1][0].isspace()):  # a || b
        return ""
    return propose("for the absolute value write {}", f"{factor}{'*' if factor else ''}abs({match[1].strip()})")


def _factorial(match: Match, _: Known) -> str:
    operand = operand_before(match.string, match.start())
    if not operand:
        other = operand_after(match.string, match.end())
        return propose("not is a word here: {}", f"not {other}") if other else ""
    inner = operand[1:-1] if operand.startswith("(") else operand
    return propose("a factorial is written {} or {}; 'not equal' is !=", f"factorial({inner})", f"gamma({inner}+1)")


def _argument(text: str, place: int) -> str:
    """The call of a function without parentheses, with its operand in parentheses."""
    sign = re.compile(rf"\s*([-+−–]?\s*(?:{NUMBER}\s*(?={NAME}|\())?)").match(text, place)
    start = sign.end() if sign else place
    operand = operand_after(text, start)
    before = sign[1].strip() if sign else ""
    return operand if not before and operand.startswith("(") else f"({before}{operand})" if operand else ""


def _powered(match: Match, known: Known) -> str:
    name, sign, power = match[1], match[2], match[3]
    argument = _argument(match.string, match.end())
    if not known.is_function(name) or not argument:
        return ""
    if sign and power == "1" and name in INVERSES:
        return propose("write {}, or {}", f"{INVERSES[name]}{argument}", f"{name}{argument}^-1")
    return propose("the power comes after the call: {}", f"{name}{argument}^{'-' if sign else ''}{power}")


def _raised(match: Match, known: Known) -> str:
    argument = _argument(match.string, match.end())
    if not known.is_function(match[1]) or not argument:
        return ""
    return propose("a function has its argument in parentheses: {}", f"{match[1]}{argument}{match[2]}")


def _bare(match: Match, known: Known) -> str:
    argument = _argument(match.string, match.end())
    if not known.is_function(match[1]) or match[1] in known.names or not argument:
        return ""
    return propose("a function has its argument in parentheses: {}", f"{match[1]}{argument}")


def _prime(match: Match, known: Known) -> str:
    name, order, group = (
        match[1],
        len(match[2].replace('"', "''").replace("″", "''")),
        group_after(match.string, match.end()),
    )
    times = "" if order == 1 else f", {order}"
    if not group and not known.is_function(name):
        return propose("a derivative has no prime here: {}", f"diff({name}, x{times})")
    if not known.is_function(name):
        return propose("a derivative has no prime here, as in {}", f"{name}(t) = t^2; diff({name}(x), x{times})")
    inner = group[1:-1].strip() or "x"
    if re.fullmatch(NAME, inner):
        return propose("a derivative has no prime here: {}", f"diff({name}({inner}), {inner}{times})")
    prime = f"d{name}(t) = diff({name}(t), t{times}); d{name}({inner})"
    return propose("a derivative has no prime here: {}", prime)


def _leibniz(match: Match, known: Known) -> str:
    name, text, place = match[2], match.string, match.end()
    if f"d{name}" in known.given:
        return ""
    inner = group_after(text, place)[1:-1] or clause(text, place, at=place) or "x^2"
    order = {"²": "2", "³": "3"}.get(match[1] or "", (match[1] or "").lstrip("^ "))
    return propose("a derivative is written {}", f"diff({inner}, {name}{f', {order}' if order else ''})")


def _latex(match: Match, _: Known) -> str:
    command, parts = match[1] + match[2], re.findall(r"\{([^{}]*)\}", match[3])
    known = LATEX.get(command, "")
    if parts and known.count("{}") == len(parts):
        return propose("this is LaTeX: here it is {}", known.format(*parts))
    if "{}" in known:
        return propose("this is LaTeX: here one writes, for example, {}", known.format("a", "b"))
    return f"this is LaTeX: here it is {known or command}" if command else "names have no \\"


def _if_else(match: Match, _: Known) -> str:
    piece = clause(match.string, match.start())
    if found := re.fullmatch(r"(.+?)\bif\b(.+?)\belse\b(.+)", piece, re.DOTALL):
        yes, condition, no = (part.strip() for part in found.groups())
    elif found := re.fullmatch(r"if\b(.+?)\bthen\b(.+?)\belse\b(.+)", piece, re.DOTALL):
        condition, yes, no = (part.strip() for part in found.groups())
    else:
        return ""
    return propose("a choice is written {}", f"if({condition}, {yes}, {no})")


def _question(match: Match, _: Known) -> str:
    found = re.fullmatch(r"(.+?)\?(.+?):(.+)", clause(match.string, match.start()), re.DOTALL)
    parts = [part.strip() for part in found.groups()] if found else ["c", "a", "b"]
    return propose("a choice is written {}", f"if({', '.join(parts)})")


def _semicolon(match: Match, _: Known) -> str:
    call = enclosing_call(match.string, match.start())
    return propose("arguments are separated by commas: {}", call.replace(";", ",")) if call else ""


def _thousands(match: Match, _: Known) -> str:
    whole = match[1].replace(".", "")
    return propose("a number has one point and no comma: {}", f"{whole}.{match[2]}")


def _comma(match: Match, _: Known) -> str:
    number = f"{match[1]}.{match[2]}"
    if len(match[2]) == 3 and len(match[1]) <= 3:
        return propose(
            "a number has no comma: write {}, or {} if the comma is the decimal mark", match[1] + match[2], number
        )
    return propose("the decimal mark is a point: {}", number)


def _degrees(match: Match, _: Known) -> str:
    operand = operand_before(match.string, match.start())
    return propose("an angle in degrees is written {}", f"rad({operand})") if operand else ""


def _fraction(match: Match, _: Known) -> str:
    parts = unicodedata.normalize("NFKC", match[0]).split("\u2044")
    return propose("write {}", f"({'/'.join(parts)})") if all(parts) else ""


def _wide(match: Match, _: Known) -> str:
    plain = unicodedata.normalize("NFKC", match[0])
    return propose("type plain characters: {}", plain) if plain.isalnum() else f"type plain characters: {plain}"


def _plus_minus(match: Match, _: Known) -> str:
    return "a value has no uncertainty here: x=5.01 gives the value alone"


def _braces(match: Match, _: Known) -> str:
    operand = operand_before(match.string, match.start())
    return propose("only ( ) group: {}", f"{operand}^({match[1]})") if operand else ""


def _said(sentence: str, *proposals: str) -> Callable[[Match, Known], str]:
    return lambda match, known: propose(sentence, *proposals)


_POWER = r"\s*(?:\^|\*\*)\s*"
REPAIRS: list[tuple[re.Pattern[str], Callable[[Match, Known], str]]] = [
    (re.compile(r"\bif\b\s*"), _if_else),
    (re.compile(r"\|*\|([^|;]+)\|"), _absolute),
    (re.compile(r"!(?!=)"), _factorial),
    (re.compile(rf"({NAME}){_POWER}([-−–]?)(\d+)\s*"), _powered),
    (re.compile(r"([^\W\d⁰¹²³⁴-⁹][^\W⁰¹²³⁴-⁹]*)([⁺⁻]?[⁰¹²³⁴-⁹]+)\s*"), _raised),
    (re.compile(r"(?:\bd|∂)(\^\s*\d|[²³])?\s*/\s*[d∂]([^\W\d⁰¹²³⁴-⁹]\w*?)(?:\^\s*\d|[²³])?(?!\w)\s*"), _leibniz),
    (re.compile(rf"({NAME})(['’′\"″]+)\s*"), _prime),
    (re.compile(rf"({NAME})[ \t]+(?!\()"), _bare),
    (re.compile(r"\\([A-Za-z]*)((?:\[3\])?)\s*((?:\{[^{}]*\}\s*)*)"), _latex),
    (re.compile(r"\?"), _question),
    (re.compile(r";"), _semicolon),
    (re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d{3})+),(\d+)(?![\d,])"), _thousands),
    (re.compile(r"(?<![\w.,])(\d+),(\d+)(?![\d,.(])"), _comma),
    (re.compile(r"°"), _degrees),
    (re.compile(r"[¼-¾⅐-⅞]"), _fraction),
    (re.compile(r"[\uff01-\uff5e]+"), _wide),
    (re.compile(r"±|\+/[-−–]"), _plus_minus),
    (re.compile(r"\^\s*\{([^{}]*)\}"), _braces),
    (re.compile(r"<>"), _said("'not equal' is written {}", "a != b")),
    (re.compile(r"=<"), _said("write {}", "a <= b")),
    (re.compile(r"=>"), _said("write {}", "a >= b")),
    (re.compile(r"&&?"), _said("and is a word here: {}", "a and b")),
    (re.compile(r"\|\|?"), _said("or is a word here: {}; for the absolute value write {}", "a or b", "abs(x)")),
    (re.compile(r"∑"), _said("a sum is written {}", "sum(a, b, c)")),
    (re.compile(r"//"), _said("whole division is written {}", "floor(a/b)")),
    (re.compile(r":="), _said("a name is assigned with = alone: {}", "c = 2; c")),
]  # fmt: skip
