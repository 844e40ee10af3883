"""gradcli map: value and partial derivatives for every row of a file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from itertools import islice
from typing import Any

import click

from gradcli.errors import GradcliError, Source, UsageError
from gradcli.extras import require_extra
from gradcli.files.formats import NAMES, encoder, sink, target
from gradcli.files.table import EXPLAINED, complaint
from gradcli.language.bindings import read_bindings
from gradcli.render.rows import Count, undefined, without
from gradcli.text import escape

from ..arguments import Command, numbers_of, read_expression
from ..options import names, option_file, option_output, option_precision
from ..output import report, write_content

HELP = """\b
$ gradcli map "(a+b)*(a*b)" - <<< $'a,b\\n3,4\\n5,6'
a,b,value,d_a,d_b
3,4,84,40,33
5,6,330,96,85

\b
$ gradcli map "r*x^2" - r=3 --wrt x --to jsonl <<< $'id,x\\n007,2\\n008,'
{"id": "007", "x": 2, "value": 12.0, "d_x": 12.0}
{"id": "008", "x": "", "value": null, "d_x": null}
standard input:3: column x: the cell is empty
error: 1 of 2 rows has no result

Value and partial derivatives for every row of CSV, TSV, JSON Lines or Parquet files.

The variables of EXPR are columns, or are given as NAME=VALUE. Each row comes out as it went in, with the new cells
after its own: `value`, and `d_NAME` for each variable. A row without a result stays where it is, with the new cells
empty, and is reported on standard error; then the exit code is 1. `-` reads standard input; .gz and .zst are
decompressed. A column whose name is not one of the language gets one: --rename "my value=v".
"""

_BINDING = re.compile(r"\s*[^\W\d](?:\w|[^\x00-\x7f])*\s*=(?!=)")


def _aliases(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    from gradcli.language.scope import normal

    pairs = [text.rpartition("=") for text in value]
    aliases = {normal(title.strip()): normal(alias.strip()) for title, _, alias in pairs}
    if not all(title and alias.isidentifier() for title, alias in aliases.items()):
        raise click.BadParameter('give a column and a name for it, as in --rename "my value=v"')
    if len(set(aliases.values())) < len(pairs):
        raise click.BadParameter("a column or a name is there twice")
    return aliases


@click.command(cls=Command, name="map", help=HELP)
@click.argument("operands", nargs=-1, metavar="EXPR [FILE]... [NAME=VALUE]...", type=click.UNPROCESSED)
@click.option(
    "--from",
    "source_format",
    type=click.Choice(NAMES),
    help="The format of the input; default: by the file's ending, CSV for standard input.",
)
@click.option(
    "--to",
    "target_format",
    type=click.Choice(NAMES),
    help="The format of the output; default: by the ending of -o, else that of the input.",
)
@option_output("Write to FILE, whole or not at all.")
@option_file
@click.option("--wrt", metavar="A,B", callback=names, help="Differentiate by these variables only.")
@click.option(
    "--out", "outputs", metavar="U,V", callback=names, help="Value and derivatives of these names of a program."
)
@click.option("--no-value", is_flag=True, help="Add the derivatives alone.")
@click.option("--prefix", default="", metavar="TEXT", help="Put TEXT before the names of the new columns.")
@click.option(
    "--rename", "aliases", multiple=True, metavar="COLUMN=NAME", callback=_aliases, help="Call COLUMN by NAME in EXPR."
)
@option_precision("Significant digits of the new cells; default: as many as read back.", default=None)
@click.option("--strict", is_flag=True, help="Stop at the first row without a result.")
@click.option("--show-kernel", is_flag=True, help="Show the code that is run, and run nothing.")
@click.option(
    "--engine",
    type=click.Choice(["local", "dask"]),
    default="local",
    help="Where to compute: here, or on a Dask cluster.",
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="The scheduler of the Dask cluster; default: a cluster on this machine."
)
def command(operands: tuple[str, ...], file: str | None, **options: Any) -> None:
    source, rest = read_expression(operands, file)
    paths, arguments = _apart(rest)
    bindings = read_bindings(arguments)
    bound = numbers_of(bindings)
    if options["show_kernel"]:
        _show_kernel(source, bound, options)
        return
    _check(source, paths, options)
    _say_unused(source, bindings, options)
    require_extra("batch", "numpy", "pyarrow", "orjson")
    from gradcli.files.map import Wanted

    wanted = Wanted(
        source,
        bound,
        options["wrt"],
        tuple(options["outputs"] or ()),
        not options["no_value"],
        options["prefix"],
        options["aliases"],
        options["precision"],
    )
    if options["engine"] == "dask":
        _on_cluster(wanted, paths, options)
    else:
        _here(wanted, paths, options)


def _apart(operands: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The files and the bindings among the operands."""
    bindings = [one for one in operands if _BINDING.match(one) and not os.path.exists(one)]
    return [one for one in operands if one not in bindings], bindings


def _check(source: Source, paths: list[str], options: dict[str, Any]) -> None:
    if not paths:
        raise UsageError("there is no file", hint="give files of rows, or - for standard input")
    if paths.count("-") + (source.name == "standard input") > 1:
        raise UsageError("standard input can be read once only")
    if options["scheduler"] and options["engine"] != "dask":
        raise UsageError("--scheduler goes with --engine dask")


def _say_unused(source: Source, bindings: dict[str, Any], options: dict[str, Any]) -> None:
    from gradcli.language.parser import parse
    from gradcli.trace.diagnostics import unused, unused_binding

    tape = parse(source, bindings)
    used = {*tape.inputs, *(options["wrt"] or [])}
    tape = tape._replace(unused=tuple(one for one in tape.unused if one[0] not in (options["outputs"] or [])))
    found = [*unused(tape), *(unused_binding(name, one.source) for name, one in bindings.items() if name not in used)]
    report(found, most=len(found))  # there is no --json that lists all


def _show_kernel(source: Source, bound: dict[str, float], options: dict[str, Any]) -> None:
    require_extra("batch", "numpy")
    from gradcli.files.rows import plan
    from gradcli.language.parser import parse

    columns = [name for name in parse(source, bound).inputs if name not in bound]
    batch = plan(source, columns, bound, wrt=options["wrt"], outputs=tuple(options["outputs"] or ()))
    write_content(batch.kernel.source, options["output"])


def _here(wanted: Any, paths: list[str], options: dict[str, Any]) -> None:
    from ..process import keep_memory, spare_pandas

    keep_memory()
    spare_pandas()
    from gradcli.files.map import mapped, prepare, reasons, tables

    from ..progress import progress

    output, strict = options["output"], options["strict"]
    every = list(tables(paths, options["source_format"]))
    first = every[0]
    batch, used = prepare(wanted, first)
    new = dict.fromkeys(batch.new, float)
    form = target(options["target_format"], output, first)
    count = Count()
    encode = encoder(form, first, new, used)
    shown = output is not None or not sys.stdout.isatty()
    with (
        sink(output, form, first, new, used) as write,
        progress([table.size for table in every], shown=shown) as advance,
    ):
        for part in mapped(wanted, iter(every), batch, used, encode, until_bad=strict):
            write(part.piece)
            why = reasons(batch, part, EXPLAINED - count.bad)
            count = _report(count, part.rows.length, part.results.undefined, islice(why, 1) if strict else why)
            if strict and count.bad:
                raise GradcliError("stopped at the first row without a result")
            advance(part.rows.length, part.rows.size)
    _conclude(count)


def _on_cluster(wanted: Any, paths: list[str], options: dict[str, Any]) -> None:
    from gradcli.files.cluster import run

    from ..progress import progress

    if options["output"] is None:
        raise UsageError("a cluster writes a folder of Parquet files", hint="say which with -o FOLDER")
    if options["target_format"] not in (None, "parquet") or options["strict"]:
        raise UsageError(f"--engine dask knows no {'--strict' if options['strict'] else '--to but parquet'}")
    count = Count()
    with progress([None], shown=True) as advance:
        for outcome in run(wanted, paths, options["source_format"], options["output"], options["scheduler"]):
            count = _report(count, outcome.rows, outcome.undefined, outcome.bad)
            advance(outcome.rows, 0)
    _conclude(count)


def _report(before: Count, rows: int, unclear: int, bad: Iterable[Any]) -> Count:
    """Say on standard error which rows have no result and why, and count on."""
    lines = []
    for line, column, reason in bad:
        lines.append(escape(complaint(line, column, reason)) + "\n")
    sys.stderr.write("".join(lines))
    return Count(before.rows + rows, before.undefined + unclear, before.bad + len(lines))


def _conclude(count: Count) -> None:
    """Say what was counted. Raises GradcliError if there were rows without a result."""
    if count.undefined:
        print(undefined(count), file=sys.stderr)
    if count.bad:
        raise GradcliError(without(count, "result"))
