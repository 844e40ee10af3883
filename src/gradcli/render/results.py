"""What a minimum and a fit look like for programs: plain records, and JSON objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from gradcli.errors import Source
from gradcli.optimize.fit import Fit
from gradcli.optimize.minimize import Minimum
from gradcli.text import json_number, json_numbers, shortest
from gradcli.trace.diagnostics import Diagnostic

from .json import diagnostic


def minimum_plain(found: Minimum, title: str) -> str:
    """`=` (or the output's name), value, 1; then name, value and derivative of each variable."""
    rows = [(name, x, found.gradient[name]) for name, x in found.point.items()]
    return _records([(title or "=", found.value, 1.0), *rows])


def descent_plain(found: Minimum) -> str:
    """A header line, then for each step its number, the value, each variable, and the length of the gradient."""
    header = "\t".join(["step", "value", *found.point, "gradient"]) + "\n"
    return header + _records([(str(i), at.value, *at.point.tolist(), at.steepness) for i, at in enumerate(found.path)])


def minimum_json(found: Minimum, expression: Source, diagnostics: Sequence[Diagnostic], *, with_trace: bool) -> str:
    """The minimum as one object; with_trace adds the steps."""
    record: dict[str, Any] = {
        "version": 1,
        "expression": expression.text,
        "value": json_number(found.value),
        "point": json_numbers(found.point),
        "gradient": json_numbers(found.gradient),
        "verdict": found.verdict,
        "converged": found.verdict != "not converged",
        "criterion": found.criterion,
        "bounds": json_numbers(found.bounds),
        "eigenvalues": [json_number(x) for x in found.eigenvalues],
        "steps": len(found.path) - 1,
        "evaluations": found.evaluations,
        "diagnostics": [diagnostic(one, expression) for one in diagnostics],
    }
    if with_trace:
        record["trace"] = [
            {
                "step": number,
                "value": json_number(at.value),
                "point": json_numbers(dict(zip(found.point, at.point.tolist(), strict=True))),
                "gradient": json_number(at.steepness),
            }
            for number, at in enumerate(found.path)
        ]
    return json.dumps(record) + "\n"


def fit_plain(found: Fit) -> str:
    """`=`, sum of squares, degrees of freedom, R²; then name, value, standard error, interval of each parameter.

    What there is not is an empty cell.
    """
    rows = [(name, p.value, p.stderr, p.low, p.high) for name, p in found.params.items()]
    return _records([("=", found.rss, float(found.dof), found.r2), *rows])


def fit_json(found: Fit) -> str:
    """The fit as one object."""
    return (
        json.dumps(
            {
                "version": 1,
                "model": found.model.source.text,
                "params": {name: json_numbers(parameter._asdict()) for name, parameter in found.params.items()},
                "rss": json_number(found.rss),
                "dof": found.dof,
                "r2": None if found.r2 is None else json_number(found.r2),
                "correlations": {name: json_numbers(row) for name, row in found.correlations.items()},
                "converged": found.converged,
                "iterations": found.iterations,
                "bounds": json_numbers(found.bounds),
                "starts": {"tried": found.starts[0], "alike": found.starts[1]},
            }
        )
        + "\n"
    )


def _records(rows: Iterable[Sequence[str | float | None]]) -> str:
    return "".join("\t".join(map(_cell, row)) + "\n" for row in rows)


def _cell(cell: str | float | None) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else shortest(cell)
