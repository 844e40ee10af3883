"""The right gradient beside that of a wrong engine, and the node where the two part."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import escape, json_number, json_numbers, rounded, shortened, shortest
from gradcli.trace.ablation import Ablation
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import Trace

from . import json
from .style import ACCENT, GRAD, HEADING, INPUT, QUIET

SAYING = {
    "accumulation": "without accumulation: grad = local × upstream, where grad += is right",
    "order": "without order: each node calls its operands, where topological order is right",
}


def table(trace: Trace, wrong: Ablation, *, width: int | None, precision: int) -> Iterator[Text]:
    """A line for each variable with the right and the wrong derivative, then the first wrong node and the reason."""
    yield Text(SAYING[wrong.without], style=HEADING)
    rows = [
        (f"d/d{name}", rounded(right, precision), _wrong(wrong, name, precision))
        for name, right in trace.gradient.items()
    ]
    pad, first, second = (max(map(cell_len, column)) for column in zip(("", "right", "wrong"), *rows, strict=True))
    yield Text(f"{' ' * pad}  {'right'.rjust(first)}  {'wrong'.rjust(second)}", style=QUIET)
    for name, right, other in rows:
        style = QUIET if right == other else ACCENT
        yield Text.assemble(
            (name + " " * (pad - cell_len(name)), INPUT),
            "  ",
            (right.rjust(first), GRAD),
            "  ",
            (other.rjust(second), style),
        )
    if wrong.first is not None:
        yield Text.assemble("first wrong: ", (_label(trace, wrong.first), HEADING), _numbers(trace, wrong, precision))
    for line in textwrap.wrap(escape(wrong.reason), width or 10**6, break_on_hyphens=False):
        yield Text(line)


def _wrong(wrong: Ablation, name: str, precision: int) -> str:
    return "never" if wrong.gradient is None else rounded(wrong.gradient[name], precision)


def _numbers(trace: Trace, wrong: Ablation, precision: int) -> str:
    if wrong.first is None or wrong.grads is None:
        return ""
    return f", {rounded(_got(wrong), precision)} in place of {rounded(_right(trace, wrong), precision)}"


def _label(trace: Trace, node: int) -> str:
    return escape(shortened(trace.nodes[node].label, 40))


def _got(wrong: Ablation) -> float:
    return 0.0 if wrong.grads is None or wrong.first is None else wrong.grads.get(wrong.first, 0.0)


def _right(trace: Trace, wrong: Ablation) -> float:
    return 0.0 if wrong.first is None else trace.nodes[wrong.first].grad or 0.0


def plain(trace: Trace, wrong: Ablation) -> str:
    """Name, right and wrong derivative of each variable; then `!`, the first wrong node, both its gradients, the reason.

    The wrong number is empty where the engine would not end; the last line is missing where nothing is wrong.
    """
    lines = [
        [name, shortest(right), "" if wrong.gradient is None else shortest(wrong.gradient[name])]
        for name, right in trace.gradient.items()
    ]
    if wrong.first is not None:
        got = "" if wrong.grads is None else shortest(_got(wrong))
        lines.append(["!", _label(trace, wrong.first), shortest(_right(trace, wrong)), got, wrong.reason])
    return "".join("\t".join(line) + "\n" for line in lines)


def record(trace: Trace, wrong: Ablation, diagnostics: Sequence[Diagnostic]) -> str:
    """One object: the result, the wrong gradient (null where the engine would not end), the first wrong node."""
    gradient = wrong.gradient
    more = {
        "without": wrong.without,
        "wrong": None if gradient is None else json_numbers(gradient),
        "first": None if wrong.first is None else _first(trace, wrong, wrong.first),
        "reason": wrong.reason,
    }
    return json.result(trace, diagnostics, more=more)


def _first(trace: Trace, wrong: Ablation, first: int) -> dict[str, Any]:
    node = trace.nodes[first]
    got = None if wrong.grads is None else json_number(_got(wrong))
    return {"id": first, "name": node.name, "text": node.text, "right": json_number(_right(trace, wrong)), "wrong": got}
