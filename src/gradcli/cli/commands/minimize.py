"""gradcli minimize: a local minimum, by the descent that the user picks."""

from __future__ import annotations

from collections.abc import Iterator

import click

from gradcli.errors import Source, UsageError
from gradcli.optimize.descent import AWAY, METHODS
from gradcli.optimize.minimize import Minimum, minimize
from gradcli.render import results
from gradcli.text import rounded, several
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import trace

from ..arguments import Command, complete, findings, numbers_of, read_expression, read_tape
from ..common import conclude, descent_options
from ..output import Place, place, report, write_lines, write_text

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
cannot tell; saddle; maximum; or not converged. The exit code is 0 for the first two.
"""

RATED = ("gd", "momentum", "adam")


@click.command(cls=Command, name="minimize", help=HELP)
@click.argument("operands", nargs=-1, metavar="EXPR NAME=START...", type=click.UNPROCESSED, shell_complete=complete)
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
    operands: tuple[str, ...],
    method: str | None,
    rate: float | None,
    tol: float,
    with_trace: bool,
    bounds: tuple[str, ...],
    steps: int | None,
    form: str | None,
    output: str | None,
    file: str | None,
    precision: int,
) -> None:
    source, arguments = read_expression(operands, file)
    where = place(output, form)
    tape, bindings = read_tape(source, arguments)
    if rate is not None and method not in RATED:
        raise UsageError("--rate is that of gd, momentum and adam", hint="choose one of them, as in --method gd")
    found = minimize(tape, numbers_of(bindings), method=method, bounds=bounds, steps=steps, tol=tol, rate=rate)
    notes = findings(tape, trace(tape, found.point), bindings)
    _write(found, notes, source, tape.title, where, with_trace, precision)
    report(notes)
    count = f"({several(len(found.path) - 1, 'step')}, {several(found.evaluations, 'evaluation')})"
    conclude(found.found, f"{found.verdict}: {found.criterion} {count}", _remarks(found, method, precision))


def _write(
    found: Minimum, notes: list[Diagnostic], source: Source, title: str, where: Place, with_trace: bool, precision: int
) -> None:
    if where.format == "json":
        write_text(results.minimum_json(found, source, notes, with_trace=with_trace), where)
    elif where.format == "plain":
        write_text(results.descent_plain(found) if with_trace else results.minimum_plain(found, title), where)
    else:
        from gradcli.render.minimum import minimum

        write_lines(minimum(found, width=where.width, precision=precision, with_trace=with_trace), where)


def _remarks(found: Minimum, method: str | None, precision: int) -> Iterator[str]:
    for name, bound in found.bounds.items():
        yield f"{name} ends on its bound {rounded(bound, precision)}"
    if found.direction:
        along = ", ".join(f"{name} by {rounded(x, 3)}" for name, x in found.direction.items() if x)
        yield f"hint: the value falls on both sides along a line: move {along}, and start there"
    if method in RATED and (found.criterion == AWAY or not found.path[-1].finite):
        yield f"hint: try a smaller --rate than {rounded(METHODS[method].rate)}"
