"""gradcli plot: a curve with its derivative, or contours with the gradient, in the terminal or as a picture."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from gradcli.autodiff.tape import Tape
from gradcli.calculus.curve import Curve, sample
from gradcli.calculus.field import Field, field
from gradcli.errors import UsageError
from gradcli.extras import load
from gradcli.language.bindings import require
from gradcli.language.parser import parse
from gradcli.language.ranges import Range, evenly, read_ranges
from gradcli.text import json_number, shortest

from ..arguments import Command, complete, numbers_of, read_expression
from ..options import result_options
from ..output import Place, place, write_bytes, write_lines, write_text

HELP = """\b
$ gradcli plot "x^3 - x" x=-1:1:#3
-1	0	2
0	0	-1
1	0	2

\b
$ gradcli plot "a*sin(x)/x" x=-20:20 a=3 --order 2 -o wave.svg
(the curve with its first and second derivative as SVG)

\b
$ gradcli plot "x^2 + 3y^2" x=-2:2 y=-1:1
(contours, with arrows along the gradient)

Draw an expression of one variable and its derivative, or the contours of one of two with the gradient field.

A range is LOW:HIGH; LOW:HIGH:#N asks for so many points. On a terminal the picture is drawn with dots; -o FILE.png or
FILE.svg needs matplotlib. In a pipe each line is a point: x, value, derivative (two variables: x, y, value and both
partial derivatives). Poles and gaps are not joined. Zeros (○) and extrema (●) are found by Newton's method.
"""
PICTURES = {".png": "png", ".svg": "svg"}


@click.command(cls=Command, name="plot", help=HELP)
@click.argument(
    "operands",
    nargs=-1,
    metavar="EXPR NAME=LOW:HIGH [NAME=VALUE]...",
    type=click.UNPROCESSED,
    shell_complete=complete,
)
@click.option(
    "--order", type=click.IntRange(0, 2), default=1, metavar="N", help="Derivatives to draw: 0, 1 (the default) or 2."
)
@result_options(
    "pretty",
    "plain",
    "json",
    output="Write to FILE: .png and .svg are pictures, .json, .tsv and .txt text.",
    precision="Significant digits for people.",
)
def command(
    operands: tuple[str, ...], order: int, form: str | None, output: str | None, file: str | None, precision: int
) -> None:
    source, arguments = read_expression(operands, file)
    where = place(output, form)
    ranges, bindings = read_ranges(arguments)
    if not 1 <= len(ranges) <= 2:
        raise UsageError(f"a picture has one or two ranges, not {len(ranges)}", hint="give one as in x=-2:2")
    tape = parse(source, {*ranges, *bindings})
    require(tape, {**ranges, **bindings})
    point = numbers_of(bindings)
    text = " ".join(source.text.split())
    if len(ranges) == 1:
        ((name, only),) = ranges.items()
        _draw_curve(tape, name, only, point, order, where, precision, text)
    else:
        _draw_field(tape, ranges, point, where, precision, text)


def _figures() -> Any:
    """What draws with matplotlib. Raises GradcliError where that is not installed."""
    problem = "a picture as PNG or SVG needs matplotlib, which is not installed"
    load("matplotlib", "plot", problem, "without it, the picture in the terminal")
    from gradcli.render import figure

    return figure


def _picture(where: Place) -> str | None:
    """The form of picture that the ending of a file asks for."""
    return PICTURES.get(os.path.splitext(where.path)[1].lower()) if where.path else None


# ------------------------------------------------------------------------------------- one variable


def _draw_curve(
    tape: Tape, name: str, asked: Range, values: dict[str, float], order: int, where: Place, precision: int, text: str
) -> None:
    picture = _picture(where)
    if where.format == "plain" and not picture:
        write_text(_points(tape, name, asked, values, order), where)
        return
    count = 400 if asked.points is None else max(2, len(asked.points))
    curve = sample(tape, name, asked.low, asked.high, values, count)
    if picture:
        write_bytes(_figures().curve_figure(curve, asked.low, asked.high, order, name, text, picture), where)
    elif where.format == "json":
        write_text(_curve_json(curve, name, order, text), where)
    else:
        from gradcli.render.plot import curve_picture

        write_lines(curve_picture(curve, asked.low, asked.high, order, name, where.width, precision), where)


def _points(tape: Tape, name: str, asked: Range, values: dict[str, float], order: int) -> str:
    from gradcli.calculus.curve import function

    at = function(tape, name, values, order)
    rows = [(x, *at(x).y) for x in asked.spread(200)]
    return "".join("\t".join(map(shortest, row)) + "\n" for row in rows)


def _curve_json(curve: Curve, name: str, order: int, text: str) -> str:
    content: dict[str, Any] = {
        "version": 1,
        "expression": text,
        "variable": name,
        "pieces": [
            [[json_number(n) for n in (point.x, *point.y[: order + 1])] for point in piece] for piece in curve.pieces
        ],
        "zeros": curve.zeros,
        "extrema": [one._asdict() for one in curve.extrema],
        "poles": curve.poles,
    }
    return json.dumps(content) + "\n"


# ----------------------------------------------------------------------------------- two variables


def _draw_field(
    tape: Tape, ranges: dict[str, Range], values: dict[str, float], where: Place, precision: int, text: str
) -> None:
    across, up = ranges
    picture = _picture(where)
    fine = (121, 97) if picture else (101, 67) if where.format == "pretty" else (21, 21)
    xs, ys = (
        evenly(one.low, one.high, count) if one.points is None else sorted(one.points)
        for one, count in zip(ranges.values(), fine, strict=True)
    )
    found = field(tape, (across, up), xs, ys, values)
    if picture:
        write_bytes(_figures().field_figure(found, (across, up), text, picture), where)
    elif where.format == "json":
        write_text(_field_json(found, (across, up), text), where)
    elif where.format == "plain":
        write_text("".join("\t".join(map(shortest, row)) + "\n" for row in _rows(found)), where)
    else:
        from gradcli.render.plot import field_picture

        write_lines(field_picture(found, (across, up), where.width, precision), where)


def _rows(found: Field) -> list[tuple[float, ...]]:
    return [
        (x, y, found.values[j][i], *found.gradients[j][i])
        for j, y in enumerate(found.ys)
        for i, x in enumerate(found.xs)
    ]


def _field_json(found: Field, names: tuple[str, str], text: str) -> str:
    points = [[json_number(number) for number in row] for row in _rows(found)]
    return json.dumps({"version": 1, "expression": text, "variables": list(names), "points": points}) + "\n"
