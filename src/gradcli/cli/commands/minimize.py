"""gradcli minimize: a local minimum, by the descent that the user picks."""

from __future__ import annotations

import click

from gradcli.errors import UsageError
from gradcli.optimize.minimize import minimize
from gradcli.optimize.minimum import METHODS, RATED
from gradcli.render.minimum import MinimumView, remarks, verdict
from gradcli.trace.trace import trace

from ..arguments import Request, diagnostics_of, formula_command, numbers_of, read_tape
from ..options import descent_options
from ..output import conclude, report, write

HELP = """\b
$ gradcli minimize "(1-x)^2 + 100(y-x^2)^2" x=-1.2 y=1 --format plain
=	0	1
x	1	0
y	1	0
minimum: the last step moved no variable by more than the tolerance (24 steps, 31 evaluations)

\b
$ gradcli minimize "(x-3)^2" x=0 --bound "x<=2" --format plain
=	1	1
x	2	-2
minimum: no step makes the value smaller (2 steps, 3 evaluations)
x ends on its bound 2

Walk downhill to a local minimum, and say what is there.

The values are where to start. In plain output the first line holds the value, the others the name, value and
derivative of each variable. The verdict goes to standard error: minimum; flat, where the Hessian is singular and
no value around is lower; saddle; maximum; or not converged. The exit code is 0 for the first two.
"""


@formula_command("minimize", MinimumView, help=HELP, operands="EXPR NAME=START...")
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    help="How to walk; default: newton, with the exact Hessian, and lbfgs for more than 5 variables.",
)
@click.option(
    "--rate", type=click.FloatRange(0, min_open=True), metavar="R", help="Of gd, momentum (0.01), adam (0.1)."
)
@click.option("--tol", type=click.FloatRange(0, 0.1), default=1e-8, metavar="T", help="Relative; default 1e-8.")
@click.option("--trace", "with_trace", is_flag=True, help="Show each step of the descent.")
@descent_options
def command(
    request: Request,
    method: str | None,
    rate: float | None,
    tol: float,
    with_trace: bool,
    bounds: tuple[str, ...],
    steps: int | None,
) -> None:
    tape, bindings = read_tape(request.source, request.arguments)
    if rate is not None and method not in RATED:
        raise UsageError("--rate is that of gd, momentum and adam", hint="choose one of them, as in --method gd")
    minimum = minimize(tape, numbers_of(bindings), method=method, bounds=bounds, steps=steps, tol=tol, rate=rate)
    diagnostics = diagnostics_of(tape, trace(tape, minimum.point), bindings)
    write(MinimumView(request.source, minimum, tape.title, diagnostics, with_trace), request.place)
    report(diagnostics)
    notes = remarks(minimum, request.place.look.precision, minimum.too_fast)
    conclude(minimum.found, verdict(minimum), notes)
