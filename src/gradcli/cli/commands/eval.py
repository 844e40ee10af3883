"""gradcli eval: the value and every partial derivative, from one forward and one reverse pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from gradcli.autodiff.tape import Tape
from gradcli.errors import UsageError
from gradcli.language.bindings import Binding
from gradcli.render.eval import EvalView, NumberView
from gradcli.trace.trace import trace

from ..arguments import (
    Request,
    diagnostics_of,
    diagnostics_of_bindings,
    diagnostics_of_text,
    formula_command,
    numbers_of,
    read_point,
)
from ..options import names, once, one_name
from ..output import Place, report, write

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
SHOWN: dict[str | None, str] = {"trace": "trace", "step": "summary"}  # what is drawn for a view: else the tree


@formula_command("eval", EvalView, help=HELP)
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
def command(
    request: Request,
    view: str | None,
    grad: str | None,
    hessian: bool,
    order: int | None,
    along: str | None,
    out: list[str] | None,
    wrt: list[str] | None,
) -> None:
    destination = request.place.for_people() if view == "tree" else request.place
    wrt = [grad] if grad is not None else wrt
    options = {"hessian": hessian or None, "order": order, "along": along, "out": out}
    added, many = [name for name, given in options.items() if given is not None], _many(request.arguments)
    _check(view, grad, added, many=many)
    if many:
        _write_points(request, destination, wrt, alone=view == "value")
        return
    tape, bindings = read_point(request.source, request.arguments, wrt)
    if not added:
        result = trace(tape, numbers_of(bindings), wrt, formulas=view == "trace")
        answer = EvalView(result, diagnostics_of(tape, result, bindings), SHOWN.get(view, "tree"))
    else:
        answer = _with_additions(tape, bindings, wrt, view, hessian=hessian, order=order, along=along, outputs=out)
    _write(answer, destination, view, grad)
    report(answer.diagnostics)


def _with_additions(
    tape: Tape,
    bindings: Mapping[str, Binding],
    wrt: Sequence[str] | None,
    view: str | None,
    *,
    along: str | None,
    outputs: Sequence[str] | None,
    hessian: bool,
    order: int | None,
) -> EvalView:
    """The answer with second derivatives, orders, a direction or outputs, whose modules are loaded here."""
    from gradcli.calculus.additions import Wanted, additions, diagnose_additions, with_outputs
    from gradcli.language.ranges import read_direction

    tape, point = with_outputs(tape, outputs or ()), numbers_of(bindings)
    wanted = Wanted(hessian, order, None if along is None else read_direction(along), outputs)
    result = trace(tape, point, wrt, formulas=view == "trace")
    diagnostics = diagnostics_of(tape, result, bindings)
    added = additions(tape, result, wanted, point)
    diagnostics = list(dict.fromkeys([*diagnostics, *diagnose_additions(added, tape, result, point)]))
    return EvalView(result, diagnostics, SHOWN.get(view, "tree"), added)


def _many(arguments: Sequence[str]) -> bool:
    """True if one of the arguments gives many values. The module that reads ranges is loaded where one may be."""
    if not any(":" in argument or "," in argument for argument in arguments):
        return False
    from gradcli.language.ranges import is_range

    return any(map(is_range, arguments))


def _check(view: str | None, grad: str | None, added: Sequence[str], *, many: bool) -> None:
    """Raise UsageError for views that do not go together, and for those of one point where there are many."""
    if grad is not None and (view is not None or added):
        raise UsageError(f"--grad prints one number: leave out {f'--{view}' if view else 'the other views'}")
    if view == "value" and added:
        raise UsageError("--value prints one number: leave out the other views")
    single = [name for name in (view, *added) if name not in (None, "value")]
    if many and single:
        raise UsageError(f"--{single[0]} shows one point, and these are many")


def _write_points(request: Request, destination: Place, wrt: Sequence[str] | None, *, alone: bool) -> None:
    """Write a line for each point, the values without the derivatives where they are wanted `alone`."""
    from gradcli.calculus.points import check_values, points
    from gradcli.render.points import PointsView

    tape, answers, bindings = points(request.source, request.arguments, wrt, alone=alone)
    write(PointsView(request.source, tape.title or "value", answers), destination)
    report([*diagnostics_of_text(tape), *diagnostics_of_bindings(bindings, {*tape.inputs, *(wrt or ())})])
    check_values(answers)


def _write(answer: EvalView, destination: Place, view: str | None, grad: str | None) -> None:
    if view == "step":
        from ..stepper import step_through

        step_through(answer.trace, destination)
    if view == "value" or grad is not None:
        result = answer.trace
        write(NumberView(result.value if grad is None else result.gradient[grad], answer), destination)
    else:
        write(answer, destination)
