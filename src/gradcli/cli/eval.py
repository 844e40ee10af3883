"""gradcli eval: the value and every partial derivative, from one forward and one reverse pass."""

from __future__ import annotations

import sys

import click

from ..bindings import Binding, check_wrt, read_bindings, require
from ..doctor import Diagnostic, diagnose, literals, unused_binding
from ..errors import UsageError, excerpt
from ..numbers import shortest
from ..ranges import is_range
from ..render import plain
from ..syntax import parse
from ..trace import Trace, trace
from .arguments import Command, names, option_format, read_expression
from .output import Place, choose_colour, colour_of, place, write_lines, write_text

HELP = """\b
$ gradcli eval "(a+b)*(a*b)" a=3 b=4 --format plain
=	84	1
a	3	40
b	4	33

\b
$ gradcli eval "c = a+b; d = a*b; c*d" a=3 b=4 --grad a
40

Evaluate an expression and differentiate it by every variable.

EXPR is an expression or a program in the language of `gradcli functions`; `-` reads it from standard input. A value
is a number or a constant expression, as in t=pi/4. On a terminal the graph is shown as a tree; in a pipe each line
is a name, a value and a derivative, with tabs between.
"""


def _complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[click.shell_completion.CompletionItem]:
    from .completion import bindings_of

    return bindings_of(ctx.params.get("operands") or (), incomplete)


@click.command(cls=Command, name="eval", help=HELP)
@click.argument("operands", nargs=-1, metavar="EXPR [NAME=VALUE]...", type=click.UNPROCESSED, shell_complete=_complete)
@click.option(
    "--tree", "view", flag_value="tree", default=None, help="Show the graph as a tree (the default on a terminal)."
)
@click.option("--trace", "view", flag_value="trace", help="Show each step of both passes.")
@click.option("--value", "view", flag_value="value", help="Print the value alone.")
@click.option("--grad", metavar="NAME", help="Print the derivative by NAME alone.")
@click.option("--wrt", metavar="A,B", callback=names, help="Differentiate by these variables only.")
@option_format("pretty", "plain", "json")
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option("-o", "output", metavar="FILE", help="Write to FILE, whole or not at all; its ending sets the format.")
@click.option("-f", "file", metavar="FILE", help="Read the expression from FILE.")
@click.option(
    "--precision", type=click.IntRange(1, 17), default=6, metavar="N", help="Significant digits for people; default 6."
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    is_eager=True,
    expose_value=False,
    callback=lambda _, __, wanted: choose_colour(wanted),
    help="When to use colour.",
)
def command(
    operands: tuple[str, ...],
    view: str | None,
    grad: str | None,
    wrt: list[str] | None,
    form: str | None,
    output: str | None,
    file: str | None,
    precision: int,
) -> None:
    source, arguments = read_expression(operands, file)
    where = place(output, form, view=view == "tree")
    if any(map(is_range, arguments)):
        from .points import write_points

        write_points(source, arguments, [grad] if grad is not None else wrt, view, where, precision)
        return
    bindings = read_bindings(arguments)
    tape = parse(source, bindings)
    require(tape, bindings)
    wanted = [grad] if grad is not None else wrt
    check_wrt(tape, wanted or (), bindings)
    values = {name: binding.value for name, binding in bindings.items()}
    result = trace(tape, values, wanted, formulas=view == "trace")
    found = [*diagnose(tape, result), *_of_bindings(bindings, tape.inputs)]
    _write(result, found, where, view, grad, precision)
    _report(found)


def _of_bindings(bindings: dict[str, Binding], used: dict[str, int]) -> list[Diagnostic]:
    found = [one for binding in bindings.values() if binding.tape is not None for one in literals(binding.tape)]
    return found + [unused_binding(name, binding.source) for name, binding in bindings.items() if name not in used]


def _write(
    result: Trace, found: list[Diagnostic], where: Place, view: str | None, grad: str | None, precision: int
) -> None:
    if grad is not None and view is not None:
        raise UsageError(f"--grad prints one number: leave out --{view}")
    if where.format == "json":
        from ..render import json

        write_text(json.result(result, found, with_steps=view == "trace"), where)
    elif grad is not None:
        write_text(shortest(result.gradient[grad]) + "\n", where)
    elif view == "value":
        write_text(shortest(result.value) + "\n", where)
    elif where.format == "plain":
        write_text(plain.steps(result) if view == "trace" else plain.result(result), where)
    elif view == "trace":
        from ..render.table import table

        write_lines(table(result, width=where.width, precision=precision), where)
    else:
        from ..render.tree import tree

        write_lines(tree(result, width=where.width, precision=precision), where)


MOST_NOTES = 8


def _report(found: list[Diagnostic]) -> None:
    """The diagnostics, on standard error, each with its place."""
    coloured = colour_of(sys.stderr)
    for one in found[:MOST_NOTES]:
        kind = click.style(f"{one.kind}:", fg="yellow", bold=True) if coloured else f"{one.kind}:"
        lines = [f"{kind} {one.message}", *excerpt(one.source.text, *one.span)]
        print("\n".join(lines), file=sys.stderr)
    if len(found) > MOST_NOTES:
        print(f"and {len(found) - MOST_NOTES} more; --json lists all", file=sys.stderr)
