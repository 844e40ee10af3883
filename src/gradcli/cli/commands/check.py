"""gradcli check: is the gradient right? And, with --expect: is mine?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from gradcli.autodiff.tape import Tape
from gradcli.calculus.check import check
from gradcli.calculus.expected import expect
from gradcli.errors import Source, UsageError
from gradcli.language.bindings import read_name
from gradcli.language.parser import parse
from gradcli.render.check import CheckView, ExpectedView
from gradcli.text import did_you_mean

from ..arguments import Request, diagnostics_of_bindings, diagnostics_of_text, formula_command, numbers_of, read_point
from ..options import names
from ..output import report, write

HELP = """\b
$ gradcli check "x^2" x=3 --format plain
x	pass	6	6	6	6

\b
$ gradcli check "(a+b)*(a*b)" a=3 b=4 --expect "a=b*(2*a+b)" --expect b=32 --format plain
a	right	40	40
b	wrong	32	33

Check the gradient of an expression: reverse mode against forward mode, against difference quotients with an error
estimate, and, where mpmath is installed, against numbers of fifty digits.

Status `pass`, `fail`, `rounding` (the rule is right, and fewer than six digits of the number are) or `kink` (the
one-sided slopes disagree: there is no derivative, or a corner nearer than the step). With --expect your own derivatives are checked instead: a formula at the point and at random points around it,
a number at the point. A number typed with a decimal point and at least three significant digits is right if ours
rounds to it: 0.333 for 1/3. Exit code 1 for `fail`, `rounding` or a wrong derivative. Plain output: name, status, reverse,
forward, differences, fifty digits; with --expect name, right or wrong, yours, ours, and, where they differ at a
random point alone, that point as fields NAME=VALUE.
"""


@formula_command("check", CheckView, ExpectedView, help=HELP, operands="EXPR NAME=VALUE...")
@click.option(
    "--expect", "expected", multiple=True, metavar="NAME=FORMULA", help="Your derivative by NAME; repeatable."
)
@click.option("--wrt", metavar="A,B", callback=names, help="Check these variables only.")
@click.pass_context
def command(ctx: click.Context, request: Request, expected: tuple[str, ...], wrt: list[str] | None) -> None:
    tape, bindings = read_point(request.source, request.arguments, wrt)
    point = numbers_of(bindings)
    if expected:
        answers = [expect(tape, point, name, theirs) for name, theirs in _expectations(tape, expected, point)]
        write(ExpectedView(request.source, point, answers), request.place)
        good = all(answer.right for answer in answers)
    else:
        result = check(tape, point, wrt=wrt)
        write(CheckView(request.source, result), request.place)
        good = result.status not in ("fail", "rounding")
    report([*diagnostics_of_text(tape), *diagnostics_of_bindings(bindings, tape.inputs)])
    ctx.exit(0 if good else 1)


def _expectations(tape: Tape, expected: Sequence[str], point: dict[str, float]) -> Iterator[tuple[str, Tape]]:
    for text in expected:
        name, equals, formula = text.partition("=")
        if not equals:
            raise UsageError("a derivative is given as NAME=FORMULA", Source(text), (0, len(text)))
        name = read_name(name.strip())
        if name not in tape.inputs:
            hint = did_you_mean(name, tape.inputs)
            raise UsageError(f"{name} is not a variable of the expression", Source(text), (0, len(name)), hint)
        yield name, parse(Source(formula), point)
