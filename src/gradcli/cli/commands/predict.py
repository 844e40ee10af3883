"""gradcli predict: what a trained network says of every row."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import click

from gradcli.errors import FileError, UsageError
from gradcli.extras import load
from gradcli.language.source import read_file
from gradcli.nn.model_file import Model, read_model
from gradcli.render.predictions import BoundaryView, PredictionsView
from gradcli.render.rows import without
from gradcli.render.view import format_of

from ..arguments import Command
from ..options import option_color, option_output
from ..output import complain, place, write

if TYPE_CHECKING:
    from gradcli.files.columns import Sheet

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
    load("numpy", "batch", "a network needs NumPy, which is not installed")
    from gradcli.files.columns import append, computed, open_small, read_sheet
    from gradcli.files.table import check_new
    from gradcli.nn.predict import new_columns, predict

    if boundary:
        _draw(network, read_sheet(file), output)
        return
    table, new = open_small(file), new_columns(network, prefix)
    check_new(list(new), table.names, "--prefix net_ puts net_ before the names of all new columns")
    titles = [column.name for column in network.inputs]
    compute = partial(predict, network)
    if as_json:
        parts = list(computed(table, titles, compute))
        write(PredictionsView(list(new), parts), place(output, "json", PredictionsView))
        count = complain(parts)
    else:
        count = complain(append(table, new, titles, compute, output))
    if count.bad:
        raise FileError(without(count, "prediction"))


def _draw(network: Model, sheet: Sheet, output: str | None) -> None:
    from gradcli.nn.predict import regions

    if output and format_of(os.path.splitext(output)[1], BoundaryView) is None:
        raise UsageError(f"what kind of picture is {output}?", hint="--boundary writes .svg and .txt")
    destination = place(output, None, BoundaryView)
    write(BoundaryView(regions(network, sheet)), destination if output else destination.for_people())
