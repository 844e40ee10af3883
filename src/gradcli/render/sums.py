"""A gradient as its sum over paths, for programs: plain records and JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.text import digits, json_number, shortened, shortest
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.local_formulas import formulas
from gradcli.trace.paths import PathSum
from gradcli.trace.trace import Step, Trace

from . import json
from .paths import ARROW, LONGEST_LABEL, TIMES, factor


def plain(trace: Trace, sums: Sequence[PathSum]) -> str:
    """For each variable its paths, then `rest` and `sum`.

    A path is variable, "path", contribution, nodes, local derivatives, their formulas; the other two are variable,
    word, number, and how many paths it is of.
    """
    formula = formulas(trace)
    lines: list[str] = []
    for found in sums:
        for path in found.shown:
            numbers = TIMES.join(shortest(local) for local in path.locals)
            texts = TIMES.join(factor(formula(arrow)) for arrow in path.arrows)
            way = ARROW.join(shortened(trace.nodes[node].label, LONGEST_LABEL) for node in path.nodes)
            lines.append("\t".join([found.wrt, "path", shortest(path.contribution), way, numbers, texts]))
        others = found.number - len(found.shown)
        lines.append("\t".join([found.wrt, "rest", shortest(found.rest), digits(others)]))
        lines.append("\t".join([found.wrt, "sum", shortest(found.total), digits(found.number)]))
    return "\n".join([*lines, ""])


def record(trace: Trace, sums: Sequence[PathSum], diagnostics: Sequence[Diagnostic]) -> str:
    """One object: the result, the nodes that the paths pass, and for each variable its count, paths, rest and sum.

    A node has its place in the expression in full and its text shortened: together the texts of a long sum are its
    square. A count above 2^53, which not every reader of JSON holds, is a string of digits.
    """
    formula = formulas(trace)
    used = sorted({node for found in sums for path in found.shown for node in path.nodes})
    nodes = [trace.nodes[index] for index in used]
    shown = [
        {"id": node.id, "name": node.name, "text": shortened(node.text, LONGEST_LABEL), "span": node.span}
        for node in nodes
    ]
    more = {"nodes": shown, "paths": {one.wrt: _sum(trace, one, formula) for one in sums}}
    return json.result(trace, diagnostics, more=more)


def _sum(trace: Trace, found: PathSum, formula: Callable[[Step], str]) -> dict[str, Any]:
    shown = [
        {
            "nodes": path.nodes,
            "formulas": [formula(arrow) for arrow in path.arrows],
            "locals": [json_number(local) for local in path.locals],
            "contribution": json_number(path.contribution),
        }
        for path in found.shown
    ]
    count = found.number if found.number <= 2**53 else digits(found.number)
    return {"count": count, "shown": shown, "rest": json_number(found.rest), "sum": json_number(found.total)}
