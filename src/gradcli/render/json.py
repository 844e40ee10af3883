"""The parts that the objects of several results have in common: the expression with its value, and diagnostics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradcli.errors import Source
from gradcli.text import json_number, json_numbers
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import Node, Step, Trace


def result(trace: Trace, diagnostics: Sequence[Diagnostic], added: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The object of a result: expression, value, bindings, gradient, the `added` fields, and diagnostics."""
    return {
        "expression": trace.source.text,
        "value": json_number(trace.value),
        "bindings": json_numbers(trace.bindings),
        "gradient": json_numbers(trace.gradient),
        **(added or {}),
        "diagnostics": [diagnostic_record(diagnostic, trace.source) for diagnostic in diagnostics],
    }


def diagnostic_record(diagnostic: Diagnostic, expression: Source) -> dict[str, Any]:
    """A diagnostic; with the text of the binding if its place is there, and not in the expression."""
    fields: dict[str, Any] = {
        "kind": diagnostic.kind,
        "span": list(diagnostic.span),
        "text": diagnostic.text,
        "message": diagnostic.message,
    }
    return fields | ({"binding": diagnostic.source.text} if diagnostic.source != expression else {})


def node_record(node: Node) -> dict[str, Any]:
    """A node of the trace, with its text and without its source."""
    fields = _fields(node)
    return {"id": fields.pop("id"), "text": node.text} | {
        name: fields[name] for name in fields if name not in ("source", "formula", "mark")
    }


def step_record(step: Step) -> dict[str, Any]:
    """A step of the trace."""
    fields = _fields(step)
    del fields["position"]  # known from the order of a node's steps
    return fields


def _fields(record: Any) -> dict[str, Any]:
    return {name: json_number(cell) if isinstance(cell, float) else cell for name, cell in record._asdict().items()}
