"""Parts of texts about paths: a path on one line, a factor of its product, the number of paths."""

from __future__ import annotations

from collections.abc import Callable

from gradcli.text import cells, digits, enclosed, escape, rounded, shortened
from gradcli.trace.arithmetic import TIMES, product
from gradcli.trace.paths import Path, PathSum
from gradcli.trace.trace import Trace

LONGEST_LABEL = 40
ARROW = " → "


def heading(trace: Trace, sum_: PathSum) -> str:
    """The number of paths, from where to where, and which are shown."""
    target = label(trace, trace.output)
    if not sum_.number:
        return f"no path from {sum_.wrt} to {target}"
    number = f"{count_for_people(sum_.number)} path{'s' if sum_.number > 1 else ''}"
    plural = len(sum_.shown) > 1
    shown = f", the {len(sum_.shown)} largest contributions" if plural else ", the largest contribution"
    shown = "" if sum_.complete or not sum_.shown else shown
    return f"{number} from {sum_.wrt} to {target}{shown}"


def others(sum_: PathSum) -> str:
    """The paths that are not shown, counted."""
    count = sum_.number - len(sum_.shown)
    word = "other" if sum_.shown else "path"
    return f"{count_for_people(count)} {word}s together" if count > 1 else f"1 {word}"


def label(trace: Trace, node: int, longest: int = LONGEST_LABEL) -> str:
    """The name of a node or its text, not longer than `longest`, and its mark."""
    mark = trace.nodes[node].mark
    return escape(shortened(trace.nodes[node].label, longest - len(mark))) + mark


def joined(count: int, item: Callable[[int], str], separator: str, room: int | None) -> str:
    """Items with a separator between. Items that have no room are left out in the middle, and not made."""
    if room is None:
        return separator.join(map(item, range(count)))
    front: list[str] = []
    back: list[str] = []
    used = 0
    for turn in range(count):
        text = item(count - 1 - len(back) if turn % 2 else len(front))
        used += cells(text) + len(separator)
        if used - (len(separator) if turn == count - 1 else -1) > room:
            return separator.join([*front, "…", *reversed(back)])
        (back if turn % 2 else front).append(text)
    return separator.join([*front, *reversed(back)])


def factor(text: str) -> str:
    """A formula or number as one factor of a product: a sum, a sign or a comparison gets parentheses."""
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        exponent = char in "+-" and index and text[index - 1] in "eE" and text[: index - 1].replace(".", "").isdigit()
        if depth == 0 and char in "+-−<>=! %" and not exponent:
            return f"({text})"
    return text


def path_product(path: Path, precision: int, room: int | None) -> tuple[str, str, str]:
    """The local derivatives of a path as factors, the sign after them ("=" or "≈"), and their product.

    Where factors are left out, because they have no room, the sign is "=".
    """
    shown = rounded(path.contribution, precision)
    factors = joined(len(path.locals), lambda i: enclosed(rounded(path.locals[i], precision)), TIMES, room)
    if "…" in factors or len(path.locals) < 2:
        return (factors if len(path.locals) != 1 else shown), "=", shown
    return factors, product(path.locals, path.contribution, precision)[1].strip(), shown


def count_for_people(number: int) -> str:
    """A count: all digits up to thirty of them, else rounded."""
    text = digits(number)
    return text if len(text) <= 30 else f"about {text[0]}.{text[1:6]}e+{len(text) - 1}"
