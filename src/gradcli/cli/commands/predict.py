"""gradcli predict: what a trained network says of every row."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from gradcli.errors import FileError, UsageError
from gradcli.files.cells import appended
from gradcli.files.samples import Table, read_table
from gradcli.language.source import read_file
from gradcli.nn.model_file import Model, read_model
from gradcli.nn.predict import Predictions, predict, regions
from gradcli.render.predictions import BoundaryView, PredictionsView
from gradcli.render.view import format_of
from gradcli.text import escape, shortest

from ..arguments import Command
from ..options import option_color, option_output
from ..output import place, write, write_content

HELP = """\b
$ gradcli predict tests/examples/xor.json tests/examples/xor.csv
a,b,out,prediction,score
0,0,0,0,-1
0,1,1,1,1
1,0,1,1,1
1,1,0,0,-1

\b
$ gradcli predict model.json moons.csv --boundary -o boundary.svg
(the plane with what is decided where, and the samples on it)

Append to every row of FILE what the network in MODEL says of it.

MODEL is a file that gradcli train -o has written, and FILE has the columns that it was trained on, in any order. Every
row stays as it is. The new columns are prediction, and with it score (hinge), probability (logistic: of the second
class) or p_CLASS for each class (softmax). A bad row keeps its place, with the new cells empty, and is reported.
"""


@click.command(cls=Command, name="predict", help=HELP)
@click.argument("model", metavar="MODEL")
@click.argument("file", metavar="FILE")
@click.option("--boundary", is_flag=True, help="Draw what is decided where, for a network of two inputs.")
@click.option("--prefix", default="", metavar="TEXT", help="Put TEXT before the names of the new columns.")
@click.option("--json", "as_json", is_flag=True, help="The new columns alone, as one object of lists.")
@option_output("Write to FILE; with --boundary .svg makes it a picture.")
@option_color()
def command(model: str, file: str, boundary: bool, prefix: str, as_json: bool, output: str | None) -> None:
    network = read_model(read_file(model), model)
    table = read_table(read_file(file), "standard input" if file == "-" else file)
    if boundary:
        _draw(network, table, output)
        return
    found = predict(network, table, prefix)
    if as_json:
        write(PredictionsView(found), place(output, "json", PredictionsView))
    else:
        write_content(_rows(table, found), output)
    _report(found.problems)


def _draw(network: Model, table: Table, output: str | None) -> None:
    if output and format_of(os.path.splitext(output)[1], BoundaryView) is None:
        raise UsageError(f"what kind of picture is {output}?", hint="--boundary writes .svg and .txt")
    where = place(output, None, BoundaryView)
    write(BoundaryView(regions(network, table)), where if output else where.for_people())


def _rows(table: Table, found: Predictions) -> str:
    """Every row as it was, and the new cells."""
    cells = zip(*found.columns.values(), strict=True)
    lines = [appended(table.header.text, list(found.columns), table.delimiter)]
    for row, new in zip(table.rows, cells, strict=True):
        lines.append(appended(row.text, [_cell(cell) for cell in new], table.delimiter))
    return "\n".join(lines) + "\n"


def _cell(cell: str | float | None) -> str:
    return "" if cell is None else cell if isinstance(cell, str) else shortest(cell)


MOST_PROBLEMS = 8


def _report(problems: Sequence[str]) -> None:
    for problem in problems[:MOST_PROBLEMS]:
        print(escape(problem), file=sys.stderr)
    if problems:
        rows = "1 row is" if len(problems) == 1 else f"{len(problems)} rows are"
        raise FileError(f"{rows} without a prediction")
