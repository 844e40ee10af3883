"""gradcli graph: the computation graph as DOT, Mermaid, SVG, or a page to step through."""

from __future__ import annotations

import os
import sys

import click

from gradcli.autodiff.tape import Tape
from gradcli.errors import GradcliError, UsageError
from gradcli.language.bindings import Binding, require
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import Trace, trace

from ..arguments import Command, complete, findings, numbers_of, read_expression, read_tape
from ..options import option_color, option_file, option_format, option_output, option_precision
from ..output import Place, report, write_text

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

The ending of FILE sets the format: .dot or .gv for Graphviz, .mmd for Mermaid, .svg for a drawing, .html for a page
that steps through both passes. Without FILE the graph is written as DOT, for `| dot -Tpng`. Without values the graph
shows names and formulas.
"""
ENDINGS = {
    ".dot": "dot",
    ".gv": "dot",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
}
MOST_NODES = 1000  # that we lay out


@click.command(cls=Command, name="graph", help=HELP)
@click.argument("operands", nargs=-1, metavar="EXPR [NAME=VALUE]...", type=click.UNPROCESSED, shell_complete=complete)
@option_format("dot", "mermaid", "svg", "html", text="How to draw it; default: by the ending of FILE, else dot.")
@option_output()
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
    form = form or _format_of(output)
    tape, bindings = read_tape(source, arguments)
    result, found = _passes(tape, bindings, formulas=form == "html")
    write_text(_drawn(result, form, rankdir, precision), Place(output, form, False, None))
    report(found)


def _passes(tape: Tape, bindings: dict[str, Binding], *, formulas: bool) -> tuple[Trace, list[Diagnostic]]:
    """Both passes and what to say of them; where nothing is bound, the passes without numbers."""
    if tape.inputs and not bindings:
        from gradcli.trace.trace import without_values

        return without_values(tape, formulas=formulas), []
    require(tape, bindings)
    result = trace(tape, numbers_of(bindings), formulas=formulas)
    return result, findings(tape, result, bindings)


def _format_of(output: str | None) -> str:
    if output is None or not os.path.splitext(output)[1]:
        return "dot"
    ending = os.path.splitext(output)[1].lower()
    if ending not in ENDINGS:
        raise UsageError(
            f"no picture format goes by the ending {ending}",
            hint=f"the endings are {', '.join(ENDINGS)}; for others: gradcli graph ... | dot -T{ending[1:]}",
        )
    return ENDINGS[ending]


def _drawn(result: Trace, form: str, rankdir: str | None, precision: int) -> str:
    from gradcli.render.graph import dot, mermaid

    if form == "dot":
        return dot.dot(result, rankdir or "LR", precision)
    if form == "mermaid":
        edges = mermaid.edges(result)
        if edges > mermaid.MOST_EDGES:
            note = f"note: {edges} edges; Mermaid draws more than {mermaid.MOST_EDGES} only where maxEdges is raised"
            print(note, file=sys.stderr)
        return mermaid.mermaid(result, rankdir or "LR", precision)
    return _laid_out(result, form, rankdir, precision)


def _laid_out(result: Trace, form: str, rankdir: str | None, precision: int) -> str:
    from gradcli.render.graph import html, svg

    nodes = len(result.nodes)
    if nodes > MOST_NODES:
        raise GradcliError(
            f"the graph has {nodes} nodes, and {form} is drawn up to {MOST_NODES}",
            hint="Graphviz draws larger ones: gradcli graph ... -o graph.dot",
        )
    return svg.svg(result, rankdir or "LR", precision) if form == "svg" else html.html(result, rankdir, precision)
