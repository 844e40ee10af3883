"""Parts of a text around a place, as a hint repeats them: the operand before or after, the call, the clause."""

from __future__ import annotations

import re

NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
NAME = r"[^\W\d⁰¹²³⁴-⁹]\w*"
_AHEAD = re.compile(rf"\s*({NUMBER}|{NAME})")
_BEHIND = re.compile(rf"(?:(?<![\w.])(?:{NUMBER}|{NAME})|\b{NAME})[⁺⁻]?[⁰¹²³⁴-⁹]*$")
FAR = 200  # characters; a hint repeats no more


def operand_after(text: str, place: int) -> str:
    """The number, name, call or group that begins at a place, "" where there is none."""
    found = _AHEAD.match(text, place)
    start = place + len(text[place : place + FAR]) - len(text[place : place + FAR].lstrip())
    end = found.end() if found else start
    if (not found or not found[1][0].isdigit()) and (group := group_after(text, end)):
        end = text.index(group, end) + len(group)
    return text[start:end]


def group_after(text: str, place: int) -> str:
    """The parentheses that open at a place, spaces before them left out, "" where there are none or they stay open."""
    start = place + len(text[place : place + FAR]) - len(text[place : place + FAR].lstrip(" \t"))
    depth = 0
    for end, char in enumerate(text[start : start + FAR], start + 1):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return text[start:end] if char == ")" else ""
    return ""


def operand_before(text: str, place: int) -> str:
    """The number, name, call or group that ends before a place, "" where there is none."""
    end = len(text[:place].rstrip())
    low = max(0, end - FAR)
    start = end
    if text[end - 1 : end] == ")":
        start = _opening(text, end, low)
        if start < 0:
            return ""
    name = _BEHIND.search(text[low:start])
    if name and (start == end or not name[0][0].isdigit()):
        start = low + name.start()
    return text[start:end]


def power_before(text: str, place: int) -> str:
    """The operand that ends before a place, with what it is the exponent of: x^2 in x^2/2."""
    start = place - len(operand_before(text, place))
    while raised := re.search(r"\s*(?:\^|\*\*)\s*$", text[:start]):
        base = operand_before(text, raised.start())
        if not base:
            break
        start = raised.start() - len(base)
    return text[start:place].strip()


def _opening(text: str, end: int, low: int) -> int:
    """The place of the parenthesis that closes before `end`, where it opens; -1 where that is too far away."""
    depth = 0
    for place in range(end - 1, low - 1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if depth == 0:
            return place
    return -1


def clause(text: str, place: int, at: int | None = None) -> str:
    """The text around a place, from the parenthesis, the `;`, the comma or the sign of an assignment before it.

    With `at`, from there on.
    """
    start, end = _clause_start(text, place) if at is None else at, place
    depth = 0
    while end < min(len(text), place + FAR) and not (depth == 0 and (text[end] in "),;\n")):
        depth += (text[end] == "(") - (text[end] == ")")
        end += 1
    return text[start:end].strip()


def _clause_start(text: str, place: int) -> int:
    start = place
    depth = 0
    while start > max(0, place - FAR) and depth >= 0 and not (depth == 0 and _ends(text, start - 1)):
        start -= 1
        depth += (text[start] == ")") - (text[start] == "(")
    return start + (depth < 0)


def _ends(text: str, place: int) -> bool:
    """True if a character ends what comes before it: not the = of a comparison."""
    return text[place] in ",;\n" or (
        text[place] == "=" and text[place - 1 : place] not in (*"<>!=",) and text[place + 1 : place + 2] != "="
    )


def enclosing_call(text: str, place: int) -> str:
    """The call whose arguments a place stands between, "" where there is none."""
    depth = 0
    for start in range(place - 1, max(-1, place - FAR), -1):
        depth += (text[start] == ")") - (text[start] == "(")
        if depth < 0:
            name = re.search(rf"{NAME}[ \t]*$", text[max(0, start - FAR) : start])
            group = group_after(text, start)
            return name[0] + group if name and group else ""
    return ""


def product_of(name: str, known: object) -> str:
    """A name that is several known ones written together, as their product: x*y for xy; "" where it is none."""
    best: dict[int, list[str]] = {0: []}
    for end in range(1, min(len(name), 40) + 1):
        ways = [[*best[start], name[start:end]] for start in best if name[start:end] in known]  # type: ignore[operator]
        if ways:
            best[end] = min(ways, key=len)
    found = best.get(len(name), [])
    return "*".join(found) if found else ""
