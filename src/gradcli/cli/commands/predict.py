"""gradcli predict: what a trained network says of every row."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import click

from gradcli.errors import FileError, UsageError
from gradcli.extras import load
from gradcli.nn.model_file import Model, read_model
from gradcli.text import escape, json_number

from ..arguments import Command, read_file
from ..options import option_color, option_output
from ..output import Place, place, write_lines, write_text

if TYPE_CHECKING:
    from gradcli.files.columns import Part, Sheet

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

MODEL is a file that gradcli train -o has written, and FILE (CSV, TSV, JSON Lines or Parquet; `-` is standard input) has
the columns that it was trained on, in any order. Every row stays as it is. The new columns are prediction, and with it score (hinge), probability (logistic: of the second
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
        write_text(_json(list(new), parts), Place(output, "plain", False, None))
        _report(parts)
    else:
        _report(append(table, new, titles, compute, output))


def _draw(network: Model, sheet: Sheet, output: str | None) -> None:
    from gradcli.nn.predict import regions
    from gradcli.render.boundary import boundary, boundary_svg

    decisions = regions(network, sheet)
    if output and output.lower().endswith(".svg"):
        write_text(boundary_svg(decisions), place(output, "plain"))
    elif output and not output.lower().endswith(".txt"):
        raise UsageError(f"what kind of picture is {output}?", hint="--boundary writes .svg and .txt")
    else:
        where = place(output, "pretty")
        write_lines(boundary(decisions, where.width), where)


def _json(names: list[str], parts: list[Part]) -> str:
    columns: dict[str, list[str | float | None]] = {name: [] for name in names}
    for part in parts:
        for name, cells in zip(names, part.results.columns, strict=True):
            columns[name] += [_cell(cell, row in part.results.bad) for row, cell in enumerate(cells.tolist())]
    return json.dumps({"version": 1, "columns": columns}) + "\n"


def _cell(cell: str | float, bad: bool) -> str | float | None:
    return None if bad else json_number(cell) if isinstance(cell, float) else cell


def _report(parts: Iterable[Part]) -> None:
    """Say on standard error which rows have no prediction and why. Raises FileError if there are any."""
    count, bad = 0, 0
    for part in parts:
        sys.stderr.write("".join([escape(line) + "\n" for line in part.complaints]))
        count, bad = count + part.rows.length, bad + len(part.complaints)
    if bad:
        raise FileError(f"{bad:,} of {count:,} rows {'has' if bad == 1 else 'have'} no prediction")
