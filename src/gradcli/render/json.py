"""For programs: one JSON object, strict (non-finite numbers are strings) and ASCII."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gradcli.errors import Source
from gradcli.text import json_number, json_numbers
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import Node, Step, Trace


def result(
    trace: Trace, diagnostics: Sequence[Diagnostic], *, with_steps: bool = False, more: Mapping[str, Any] | None = None
) -> str:
    """Expression, value, bindings, gradient, what there is `more`, and diagnostics.

    with_steps adds the nodes and steps of the trace.
    """
    found: dict[str, Any] = {
        "version": 1,
        "expression": trace.source.text,
        "value": json_number(trace.value),
        "bindings": json_numbers(trace.bindings),
        "gradient": json_numbers(trace.gradient),
        **(more or {}),
        "diagnostics": [diagnostic(one, trace.source) for one in diagnostics],
    }
    if with_steps:
        found["nodes"] = [_node(node) for node in trace.nodes]
        found["steps"] = [_step(step) for step in trace.steps]
    return json.dumps(found) + "\n"


def diagnostic(one: Diagnostic, expression: Source) -> dict[str, Any]:
    """A finding; with the text of the binding if its place is there, and not in the expression."""
    fields: dict[str, Any] = {"kind": one.kind, "span": list(one.span), "text": one.text, "message": one.message}
    return fields | ({"binding": one.source.text} if one.source != expression else {})


def _node(node: Node) -> dict[str, Any]:
    fields = _fields(node)
    return {"id": fields.pop("id"), "text": node.text} | {
        name: fields[name] for name in fields if name not in ("source", "formula")
    }


def _step(step: Step) -> dict[str, Any]:
    fields = _fields(step)
    del fields["position"]  # known from the order of a node's steps
    return fields


def _fields(record: Any) -> dict[str, Any]:
    return {name: json_number(cell) if isinstance(cell, float) else cell for name, cell in record._asdict().items()}
