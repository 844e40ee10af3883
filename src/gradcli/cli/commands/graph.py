"""gradcli graph: the computation graph as DOT, Mermaid, SVG, PNG, PDF, or a page to step through."""

from __future__ import annotations

import sys

import click

from gradcli.autodiff.tape import Tape
from gradcli.language.bindings import Binding, require
from gradcli.render.graph.view import GraphView
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import Trace, trace, without_values

from ..arguments import Command, complete, diagnostics_of, diagnostics_of_text, numbers_of, read_expression, read_tape
from ..options import OUTPUT, option_color, option_file, option_format, option_output, option_precision
from ..output import place, report, write

HELP = """\b
$ gradcli graph "a*b" a=3 b=4
digraph {
  graph [rankdir=LR]
  node [fontname="monospace"]
  n0 [label="{ a | data 3 | grad 4 }" shape=record]
  n1 [label="{ b | data 4 | grad 3 }" shape=record]
  n2 [label="{ a*b | data 12 | grad 1 }" shape=record]
  op2 [label="*"]
  op2 -> n2
  n0 -> op2
  n1 -> op2
}

\b
$ gradcli graph "(a+b)*(a*b)" a=3 b=4 -o walk.html > walk.txt

Draw the graph of an expression: each value with its name, data and gradient, and the operations between them.

The ending of FILE sets the format: .svg for a drawing, .png or .pdf for the same (with matplotlib), .html for a page
that steps through both passes, .mmd for Mermaid, .dot or .gv for Graphviz. Without FILE the graph is written as DOT.
Without values the graph shows names and formulas.
"""


@click.command(cls=Command, name="graph", help=HELP)
@click.argument("operands", nargs=-1, metavar="EXPR [NAME=VALUE]...", type=click.UNPROCESSED, shell_complete=complete)
@option_format(GraphView, text="How to draw it; default: by the ending of FILE, else dot.")
@option_output(OUTPUT, GraphView)
@option_file
@click.option(
    "--rankdir",
    type=click.Choice(["LR", "TB"]),
    help="From left to right, or from top to bottom; default: LR, and in a page what fits the window.",
)
@option_precision("Significant digits; default 6.")
@option_color("When to use colour in messages.")
def command(
    operands: tuple[str, ...],
    form: str | None,
    output: str | None,
    file: str | None,
    rankdir: str | None,
    precision: int,
) -> None:
    source, arguments = read_expression(operands, file)
    destination = place(output, form, GraphView, precision)
    tape, bindings = read_tape(source, arguments)
    result, diagnostics = _passes(tape, bindings, formulas=destination.format == "html")
    view = GraphView(result, rankdir)
    if note := view.note(destination.format):
        print(note, file=sys.stderr)
    write(view, destination)
    report(diagnostics)


def _passes(tape: Tape, bindings: dict[str, Binding], *, formulas: bool) -> tuple[Trace, list[Diagnostic]]:
    """Both passes and their diagnostics; where nothing is bound, the passes without numbers."""
    if tape.inputs and not bindings:
        return without_values(tape, formulas=formulas), diagnostics_of_text(tape)
    require(tape, bindings)
    result = trace(tape, numbers_of(bindings), formulas=formulas)
    return result, diagnostics_of(tape, result, bindings)
