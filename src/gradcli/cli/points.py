"""eval at many points: a line for each, with the variables that change, the value and the partial derivatives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from gradcli.calculus.gradient import Gradient, gradient
from gradcli.errors import EvaluationError, Source
from gradcli.language.bindings import check_wrt, require
from gradcli.language.parser import parse
from gradcli.language.ranges import read_ranges
from gradcli.text import json_number, json_numbers, rounded, shortest

from .arguments import numbers_of
from .output import Place, write_lines, write_text

EVENLY = 11  # points of a range that does not say how many


class At(NamedTuple):
    """A point: the variables that change, and what was found there."""

    changing: dict[str, float]
    found: Gradient


def write_points(source: Source, arguments: Sequence[str], wrt: Sequence[str] | None, where: Place, precision: int, *, alone: bool) -> None:  # fmt: skip
    """Evaluate at every point of the ranges among the arguments (several: every combination) and write the lines.

    `alone`: the values without the derivatives.
    """
    ranges, bindings = read_ranges(arguments)
    tape = parse(source, {*ranges, *bindings})
    require(tape, {**ranges, **bindings})
    names = list(tape.inputs) if wrt is None else list(wrt)
    check_wrt(tape, names, {**ranges, **bindings})
    fixed = numbers_of(bindings)

    points = []
    for numbers in product(*[one.spread(EVENLY) for one in ranges.values()]):
        changing = dict(zip(ranges, numbers, strict=True))
        found = gradient(tape, wrt=[] if alone else names, **{**fixed, **changing})
        points.append(At(changing, found))
    _write(points, source, [tape.title or "value", *([] if alone else names)], where, precision)
    _complain(points, source)


def _write(points: list[At], source: Source, names: list[str], where: Place, precision: int) -> None:
    if where.format == "json":
        write_text(_json(points, source), where)
    elif where.format == "plain":
        write_text("".join("\t".join(map(shortest, _cells(point))) + "\n" for point in points), where)
    else:
        from gradcli.render.columns import aligned

        partials = [f"d/d{name}" for name in names[1:]]
        rows = [[rounded(cell, precision) for cell in _cells(point)] for point in points]
        header = [*points[0].changing, names[0], *partials]
        write_lines(aligned(header, rows, None, [""] * len(header), left=()), where)


def _complain(points: list[At], source: Source) -> None:
    """Raise EvaluationError, after the lines, if there are points without a value."""
    without = [point.changing for point in points if point.found.value != point.found.value]
    if without:
        first = ", ".join(f"{name}={shortest(number)}" for name, number in without[0].items())
        what = "is not a number" if len(without) == 1 else f"are not numbers, the first at {first}"
        raise EvaluationError(
            f"{len(without)} of {len(points)} values {what}", hint=f"gradcli eval with {first} says why"
        )


def _cells(point: At) -> list[float]:
    return [*point.changing.values(), point.found.value, *point.found.partials.values()]


def _json(points: Sequence[At], source: Source) -> str:
    records = [
        {
            "bindings": json_numbers(point.changing),
            "value": json_number(point.found.value),
            "gradient": json_numbers(point.found.partials),
        }
        for point in points
    ]
    return json.dumps({"version": 1, "expression": source.text, "points": records}) + "\n"
