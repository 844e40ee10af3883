"""gradcli explain: which paths a gradient came by, and what a wrong engine would have made of it."""

from __future__ import annotations

import click

from gradcli.trace.ablation import Ablation, without_accumulation, without_order
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.paths import paths
from gradcli.trace.trace import Trace, trace

from ..arguments import Command, complete, findings, numbers_of, read_expression, read_point
from ..options import names, result_options
from ..output import Place, place, report, write_lines, write_text

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


@click.command(cls=Command, name="explain", help=HELP)
@click.argument("operands", nargs=-1, metavar="EXPR NAME=VALUE...", type=click.UNPROCESSED, shell_complete=complete)
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
    type=click.Choice(["accumulation", "order"]),
    help="Show the answer of an engine that lacks it, and why it is wrong.",
)
@result_options("pretty", "plain", "json")
def command(
    operands: tuple[str, ...],
    wrt: list[str] | None,
    limit: int,
    without: str | None,
    form: str | None,
    output: str | None,
    file: str | None,
    precision: int,
) -> None:
    tape, bindings = read_point(*read_expression(operands, file), wrt)
    where = place(output, form)
    result = trace(tape, numbers_of(bindings), wrt, formulas=False)
    found = findings(tape, result, bindings)
    if without is None:
        _write_paths(result, found, where, limit, precision)
    else:
        wrong = without_order(result) if without == "order" else without_accumulation(result)
        _write_wrong(result, wrong, found, where, precision)
    report(found)


def _write_paths(result: Trace, found: list[Diagnostic], where: Place, limit: int, precision: int) -> None:
    from gradcli.render import paths as drawn
    from gradcli.render import sums

    by_variable = [paths(result, name, limit) for name in result.gradient]
    if where.format == "json":
        write_text(sums.record(result, by_variable, found), where)
    elif where.format == "plain":
        write_text(sums.plain(result, by_variable), where)
    else:
        write_lines(drawn.table(result, by_variable, width=where.width, precision=precision), where)


def _write_wrong(result: Trace, answer: Ablation, found: list[Diagnostic], where: Place, precision: int) -> None:
    from gradcli.render import ablation

    if where.format == "json":
        write_text(ablation.record(result, answer, found), where)
    elif where.format == "plain":
        write_text(ablation.plain(result, answer), where)
    else:
        write_lines(ablation.table(result, answer, width=where.width, precision=precision), where)
