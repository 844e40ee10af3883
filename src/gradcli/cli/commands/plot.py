"""gradcli plot: a curve with its derivative, or contours with the gradient, in the terminal or as a picture."""

from __future__ import annotations

import click

from gradcli.errors import UsageError
from gradcli.language.bindings import require
from gradcli.language.parser import parse
from gradcli.language.ranges import read_ranges
from gradcli.render.plots import CurveView, FieldView

from ..arguments import Request, diagnostics_of_bindings, diagnostics_of_text, formula_command, numbers_of
from ..output import report, write

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

A range is LOW:HIGH; LOW:HIGH:#N asks for so many points. On a terminal the picture is drawn with dots; -o FILE.png,
.jpg, .svg or .pdf needs matplotlib. In a pipe each line is a point: x, value, derivative (two variables: x, y, value
and both partial derivatives). Poles and gaps are not joined. Zeros (○) and extrema (●) are found by Newton's method.
"""


@formula_command(
    "plot",
    CurveView,
    FieldView,
    help=HELP,
    operands="EXPR NAME=LOW:HIGH [NAME=VALUE]...",
    output="Write to FILE: .png, .jpg, .svg and .pdf are pictures, .json, .tsv and .txt text.",
    precision="Significant digits for people.",
)
@click.option(
    "--order", type=click.IntRange(0, 2), default=1, metavar="N", help="Derivatives to draw: 0, 1 (the default) or 2."
)
def command(request: Request, order: int) -> None:
    ranges, bindings = read_ranges(request.arguments)
    if not 1 <= len(ranges) <= 2:
        raise UsageError(f"a picture has one or two ranges, not {len(ranges)}", hint="give one as in x=-2:2")
    tape = parse(request.source, {*ranges, *bindings})
    require(tape, {**ranges, **bindings})
    text, point = " ".join(request.source.text.split()), numbers_of(bindings)
    if len(ranges) == 1:
        ((name, range_),) = ranges.items()
        write(CurveView(text, tape, name, range_, point, order), request.place)
    else:
        write(FieldView(text, tape, ranges, point), request.place)
    report([*diagnostics_of_text(tape), *diagnostics_of_bindings(bindings, tape.inputs)])
