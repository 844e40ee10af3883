"""gradcli eval: the value and every partial derivative, from one forward and one reverse pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import UsageError
from gradcli.render import plain
from gradcli.text import shortest
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import Trace, trace

from ..arguments import Command, complete, findings, numbers_of, read_expression, read_point
from ..options import names, once, one_name, result_options
from ..output import Place, place, report, write_lines, write_text

if TYPE_CHECKING:
    from ..views import Views

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


@click.command(cls=Command, name="eval", help=HELP)
@click.argument("operands", nargs=-1, metavar="EXPR [NAME=VALUE]...", type=click.UNPROCESSED, shell_complete=complete)
@click.option(
    "--tree", "view", flag_value="tree", default=None, help="Show the graph as a tree (the default on a terminal)."
)
@click.option("--trace", "view", flag_value="trace", help="Show each step of both passes.")
@click.option("--step", "view", flag_value="step", help="Go through both passes on the terminal, key by key.")
@click.option("--value", "view", flag_value="value", help="Print the value alone.")
@click.option("--grad", metavar="NAME", callback=one_name, help="Print the derivative by NAME alone.")
@click.option("--hessian", is_flag=True, help="Add the second derivatives.")
@click.option("--order", type=click.IntRange(min=1), metavar="N", help="Add the first N derivatives, by one variable.")
@click.option(
    "--along",
    metavar="A=1,B=-2",
    multiple=True,
    callback=once,
    help="Add the derivative in this direction (forward mode).",
)
@click.option("--out", metavar="U,V", callback=names, help="Add value and derivatives of these names of the program.")
@click.option("--wrt", metavar="A,B", callback=names, help="Differentiate by these variables only.")
@result_options("pretty", "plain", "json")
def command(
    operands: tuple[str, ...],
    view: str | None,
    grad: str | None,
    hessian: bool,
    order: int | None,
    along: str | None,
    out: list[str] | None,
    wrt: list[str] | None,
    form: str | None,
    output: str | None,
    file: str | None,
    precision: int,
) -> None:
    source, arguments = read_expression(operands, file)
    where = place(output, form, view=view == "tree")
    wanted = [grad] if grad is not None else wrt
    options = {"hessian": hessian or None, "order": order, "along": along, "out": out}
    more, many = [one for one, given in options.items() if given is not None], _many(arguments)
    _check(view, grad, more, many=many)
    if many:
        from ..points import write_points

        write_points(source, arguments, wanted, where, precision, alone=view == "value")
        return
    tape, bindings = read_point(source, arguments, wanted)
    if more:
        from ..views import Asked, answer, with_outputs

        tape = with_outputs(tape, out or ())
    point = numbers_of(bindings)
    result = trace(tape, point, wanted, formulas=view == "trace")
    found = findings(tape, result, bindings)
    views = None
    if more:
        views = answer(tape, result, Asked(hessian, order, along, out), point)
        found = list(dict.fromkeys([*found, *views.findings(tape, result, point)]))
    _write(result, found, views, where, view, grad, precision)
    report(found)


def _many(arguments: Sequence[str]) -> bool:
    """Whether one of the arguments gives many values. What reads ranges is loaded where one may be."""
    if not any(":" in argument or "," in argument for argument in arguments):
        return False
    from gradcli.language.ranges import is_range

    return any(map(is_range, arguments))


def _check(view: str | None, grad: str | None, more: Sequence[str], *, many: bool) -> None:
    """Raise UsageError for views that do not go together, and for those of one point where there are many."""
    if grad is not None and (view is not None or more):
        raise UsageError(f"--grad prints one number: leave out {f'--{view}' if view else 'the other views'}")
    if view == "value" and more:
        raise UsageError("--value prints one number: leave out the other views")
    single = [one for one in (view, *more) if one not in (None, "value")]
    if many and single:
        raise UsageError(f"--{single[0]} shows one point, and these are many")


def _write(
    result: Trace,
    found: list[Diagnostic],
    views: Views | None,
    where: Place,
    view: str | None,
    grad: str | None,
    precision: int,
) -> None:
    if view == "step":
        from ..stepper import step_through

        step_through(result, where, precision)
        write_lines(views.pretty(precision) if views else (), where)
    elif where.format == "json":
        from gradcli.render import json

        write_text(
            json.result(result, found, with_steps=view == "trace", more=views.json_fields() if views else {}), where
        )
    elif grad is not None:
        write_text(shortest(result.gradient[grad]) + "\n", where)
    elif view == "value":
        write_text(shortest(result.value) + "\n", where)
    elif where.format == "plain":
        shown = plain.steps(result) if view == "trace" else "" if views else plain.result(result)
        write_text(shown + (views.plain() if views else ""), where)
    else:
        below = views.pretty(precision) if views else ()
        write_lines([*_picture(result, where, view, precision), *below], where)


def _picture(result: Trace, where: Place, view: str | None, precision: int) -> Iterator[Any]:
    if view == "trace":
        from gradcli.render.steps import table

        return table(result, width=where.width, precision=precision)
    from gradcli.render.tree import tree

    return tree(result, width=where.width, precision=precision)
