"""For scripts: tab-separated records, no header for the result, every digit, nothing wrapped or cut."""

from __future__ import annotations

from gradcli.text import shortest
from gradcli.trace.trace import Trace

COLUMNS = ["step", "pass", "node", "text", "op", "operand", "local", "upstream", "contribution", "total", "value"]


def result(trace: Trace) -> str:
    """`=` (or the output's name), value, 1; then name, value and gradient of each variable."""
    rows = [(trace.title or "=", shortest(trace.value), "1")]
    for name, partial in trace.gradient.items():
        rows.append((name, shortest(trace.bindings[name]), shortest(partial)))
    return "".join("\t".join(row) + "\n" for row in rows)


def steps(trace: Trace) -> str:
    """A header line, then a line for each step of both passes; a column that does not apply is empty."""
    lines = ["\t".join(COLUMNS)]
    for step in trace.steps:
        node = trace.nodes[step.node]
        operand = "" if step.operand is None else _one_line(trace.nodes[step.operand].label)
        numbers = (step.local, step.upstream, step.contribution, step.total, step.value)
        cells = [str(step.step), step.direction, str(node.id), _one_line(node.label), node.op, operand]
        lines.append("\t".join([*cells, *("" if number is None else shortest(number) for number in numbers)]))
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())
