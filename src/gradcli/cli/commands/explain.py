"""gradcli explain: which paths a gradient came by, and what an engine that lacks something would have made of it."""

from __future__ import annotations

import click

from gradcli.render.ablation import AblationView
from gradcli.render.paths import PathsView
from gradcli.trace.ablation import without_accumulation, without_order
from gradcli.trace.paths import paths
from gradcli.trace.trace import trace

from ..arguments import Request, diagnostics_of, formula_command, numbers_of, read_point
from ..options import names
from ..output import report, write

HELP = """\b
$ gradcli explain "(a+b)*(a*b)" a=3 b=4 --wrt a --format pretty
2 paths from a to (a+b)*(a*b)
a → a+b → (a+b)*(a*b)   1 × a*b     1 × 12 = 12
a → a*b → (a+b)*(a*b)   b × (a+b)   4 × 7  = 28
                                      d/da = 40

\b
$ gradcli explain "c=a+b; d=a*b; e=c+d; f=c*d; y=e+f" a=2 b=3 --without order --format pretty
without order: each node calls its operands, where topological order is right
      right  wrong
d/da     25     29
d/db     19     22
first wrong: a, 29 in place of 25
d fires twice, with the gradients 1 and 6, where once with 6 is right: a receives 3 and 18 from it, in place of 18.

The sum over paths: each path from a variable to the output brings the product of the local derivatives along it.

All paths are counted; above --limit the largest contributions are shown, and the others are summed. --without shows
what an engine would have computed that sets gradients where it should add, or that calls itself from node to node
instead of taking them in topological order, and the first node that it gets wrong.
"""

ENGINES = {"accumulation": without_accumulation, "order": without_order}


@formula_command("explain", PathsView, AblationView, help=HELP, operands="EXPR NAME=VALUE...")
@click.option("--wrt", metavar="A,B", callback=names, help="Explain the derivatives by these variables; default: all.")
@click.option(
    "--limit",
    type=click.IntRange(0, 100_000),
    default=20,
    metavar="N",
    help="Show at most N paths one by one; default 20.",
)
@click.option(
    "--without",
    type=click.Choice(list(ENGINES)),
    help="Show the answer of an engine that lacks it, and why it is wrong.",
)
def command(request: Request, wrt: list[str] | None, limit: int, without: str | None) -> None:
    tape, bindings = read_point(request.source, request.arguments, wrt)
    result = trace(tape, numbers_of(bindings), wrt, formulas=False)
    diagnostics = diagnostics_of(tape, result, bindings)
    if without is None:
        sums = [paths(result, name, limit) for name in result.gradient]
        write(PathsView(result, sums, diagnostics), request.place)
    else:
        write(AblationView(result, ENGINES[without](result), diagnostics), request.place)
    report(diagnostics)
