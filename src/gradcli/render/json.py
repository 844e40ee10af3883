"""For programs: one JSON object, strict (non-finite numbers are strings) and ASCII."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..doctor import Diagnostic
from ..numbers import json_number
from ..trace import Node, Step, Trace


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
        "bindings": _numbers(trace.bindings),
        "gradient": _numbers(trace.gradient),
        **(more or {}),
        "diagnostics": [_diagnostic(one, trace) for one in diagnostics],
    }
    if with_steps:
        found["nodes"] = [_node(node) for node in trace.nodes]
        found["steps"] = [_step(step) for step in trace.steps]
    return json.dumps(found) + "\n"


def _diagnostic(one: Diagnostic, trace: Trace) -> dict[str, Any]:
    fields: dict[str, Any] = {"kind": one.kind, "span": list(one.span), "text": one.text, "message": one.message}
    return fields | ({"binding": one.source.text} if one.source != trace.source else {})


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


def _numbers(numbers: dict[str, float]) -> dict[str, Any]:
    return {name: json_number(number) for name, number in numbers.items()}
