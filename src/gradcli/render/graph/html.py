"""The page: one file, offline, that steps through both passes on the graph.

What the user typed is data in it: JSON in a script element, with no `<` in it, which the page's own script writes as
text. The page allows that script by its hash, and no other.
"""

from __future__ import annotations

import json
import os
from typing import Any

from gradcli.text import escape, rounded
from gradcli.trace.arithmetic import data as data_of
from gradcli.trace.trace import Node, Step, Trace

from .picture import LONGEST_TEXT, Picture, brief, label, picture, reference, rows
from .sentence import Nodes, atom, computation, forward, product, rule, total
from .shapes import FONT, Rect, Shapes, shapes, text_width


def html(trace: Trace, rankdir: str | None = None, precision: int = 6) -> str:
    """The page. Without `rankdir` it holds both drawings, and shows the one that fits the window better."""
    import hashlib
    from base64 import b64encode

    chart = picture(trace, precision)
    script, style = _part("page.js"), _part("page.css")
    parts = {
        "HASH": b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "STYLE": style,
        "DATA": data(chart, trace.source.text, shapes(chart, [rankdir] if rankdir else ["LR", "TB"])),
        "SCRIPT": script,
    }
    head, *pieces = _part("page.html").split("{{")
    filled = [parts[name] + rest for name, _, rest in (piece.partition("}}") for piece in pieces)]
    return head + "".join(filled)


def _part(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def data(chart: Picture, expression: str, drawings: list[Shapes]) -> str:
    """The content of the page, as JSON for a script element. Numbers are texts, rounded as everywhere else."""
    number = {node.id: index for index, node in enumerate(chart.nodes)}
    nodes = {node.id: node for node in chart.nodes}
    name = reference(chart.output) if chart.output.name else "output" if "out" in _names(chart) else "out"
    content = {
        "expression": "\n".join(escape(line) for line in expression.strip().split("\n")),
        "name": name,
        "bound": chart.bound,
        "output": number[chart.output.id],
        "turn": f"The forward pass is done. The backward pass starts at {name}, with the gradient 1.",
        "nodes": [_node(chart, node, nodes, number) for node in chart.nodes],
        "arrows": [[number[arrow.node], number[arrow.operand]] for arrow in chart.arrows],
        "steps": _steps(chart, nodes, number),
        "drawings": [_drawing(drawn) for drawn in drawings],
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _names(chart: Picture) -> set[str]:
    return {node.name for node in chart.nodes}


def _node(chart: Picture, node: Node, nodes: Nodes, number: dict[int, int]) -> dict[str, Any]:
    shown = label(node)
    text = brief(node, LONGEST_TEXT)
    known = chart.bound or node.kind == "constant"
    fields = {
        "label": shown,
        "name": reference(node),
        "atom": atom(reference(node)),
        "text": f"{node.name} = {text}" if node.name and node.kind == "op" else text,
        "kind": node.kind,
        "op": node.op,
        "operands": [number[operand] for operand in node.operands],
        "data": data_of(node, chart.precision) if known else "",
        "rows": rows(node, chart.bound, chart.precision),
        "rules": [rule(step, nodes) for step in chart.backward[node.id]],
    }
    fields |= {} if node.grad is None else {"grad": rounded(node.grad, chart.precision)}
    return fields | ({} if shown.isascii() else {"fit": round(text_width(shown, FONT), 1)})


def _steps(chart: Picture, nodes: Nodes, number: dict[int, int]) -> list[dict[str, Any]]:
    arrows = {arrow.step: index for index, arrow in enumerate(chart.arrows)}
    reached: set[int] = set()
    records: list[dict[str, Any]] = []
    for step in chart.steps:
        node = nodes[step.node]
        if step.operand is None:
            how = computation(chart, node, nodes) if node.kind == "op" else ""
            records.append({"node": number[node.id], "says": forward(chart, node, nodes), "how": how})
        else:
            again = step.operand in reached
            reached.add(step.operand)
            ends = {"node": number[node.id], "to": number[step.operand], "arrow": arrows[step.step]}
            records.append({**ends, **_backward(chart, step, nodes, again)})
    return records


def _backward(chart: Picture, step: Step, nodes: Nodes, again: bool) -> dict[str, str]:
    assert step.operand is not None
    letters, numbers = rule(step, nodes), product(step, chart.precision)
    if not numbers:
        return {"says": letters, "brief": letters, "total": "", "part": ""}
    assert step.total is not None and step.contribution is not None
    fields = {
        "says": f"{letters} = {numbers}",
        "brief": numbers,
        "part": rounded(step.contribution, chart.precision),
        "total": rounded(step.total, chart.precision),
    }
    if not again:
        return fields
    added = total(step, chart.precision)
    return fields | {
        "brief": f"{numbers}, added: {added}",
        "added": f"{reference(nodes[step.operand])} is reached again, and its contributions add up: {added}",
    }


def _drawing(drawn: Shapes) -> dict[str, Any]:
    return {
        "width": round(drawn.width, 1),
        "height": round(drawn.height, 1),
        "boxes": [[*_rect(shape.box), *([_rect(shape.pill)] if shape.pill else [])] for shape in drawn.nodes],
        "lines": drawn.lines,
        "curves": drawn.curves,
    }


def _rect(rect: Rect) -> list[float]:
    return [round(number, 1) for number in rect]
