"""gradcli diff: the partial derivatives as formulas, with numbers where everything is bound."""

from __future__ import annotations

import click

from gradcli.autodiff.adjoint import differentiate, differentiate_in_turn
from gradcli.autodiff.ops import CONSTANTS
from gradcli.errors import UsageError
from gradcli.language.bindings import read_name
from gradcli.render.derivatives import DerivativesView
from gradcli.symbolic.formulas import formulas, numbers_at
from gradcli.trace.diagnostics import undefined_derivatives

from ..arguments import Request, diagnostics_or_literals, formula_command, numbers_of, read_tape, unknown_names
from ..output import report, write

HELP = """\b
$ gradcli diff "x^2*sin(x)" --format plain
x	2*x*sin(x) + x^2*cos(x)

\b
$ gradcli diff "(a+b)*(a*b)" a=3 b=4 --format plain
a	a*b + b*(a + b)	40
b	a*b + a*(a + b)	33

\b
$ gradcli diff "x^3*y^2" x y --mixed --format plain
x,y	6*x^2*y

The partial derivatives of an expression as formulas, by every variable or by those named.

The formulas are in the language of `gradcli functions`: they parse again and mean the same. Where all variables have
a value, the derivative's value is given too. A derivative with large shared parts is written as a program that names
them (--let); --no-let writes everything out.
"""


@formula_command("diff", DerivativesView, help=HELP, operands="EXPR [NAME]... [NAME=VALUE]...")
@click.option(
    "--order", type=click.IntRange(min=1), default=1, metavar="N", help="The N-th derivative by each variable."
)
@click.option("--mixed", is_flag=True, help="One derivative, by all the names in turn: diff EXPR x y --mixed.")
@click.option("--let/--no-let", default=None, help="Name what is shared (default: in large formulas), or write it out.")
def command(request: Request, order: int, mixed: bool, let: bool | None) -> None:
    asked = [read_name(argument) for argument in request.arguments if "=" not in argument]
    given = [argument for argument in request.arguments if "=" in argument]
    tape, bindings = read_tape(request.source, given, also=CONSTANTS.keys() & set(asked), apart=asked)
    wanted = list(dict.fromkeys(asked)) or list(tape.inputs)
    if mixed and order > 1:
        raise UsageError("--mixed says the order by itself: name a variable twice for the second derivative by it")
    first, lines = differentiate_in_turn(tape, asked or wanted) if mixed else differentiate(tape, wanted, order)
    shown = formulas(first, lines, let=let)
    numbers = numbers_at(first, lines, numbers_of(bindings))
    diagnostics = [*diagnostics_or_literals(tape, bindings), *unknown_names(tape, bindings, asked)]
    if mixed or order > 1:
        diagnostics += undefined_derivatives(tape, numbers, order)
    write(DerivativesView(request.source, shown, numbers, order, diagnostics), request.place)
    report(diagnostics)
