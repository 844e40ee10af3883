"""gradcli diff: the partial derivatives as formulas, with numbers where everything is bound."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from gradcli.autodiff.adjoint import differentiate, differentiate_in_turn
from gradcli.autodiff.ops import CONSTANTS
from gradcli.autodiff.tape import Tape, replay
from gradcli.errors import Source, UsageError
from gradcli.language.bindings import Binding, read_name
from gradcli.language.latex import name as set_name
from gradcli.symbolic.formulas import Formulas, formulas
from gradcli.text import json_number, raised, rounded, shortest
from gradcli.trace.diagnostics import Diagnostic, literals, unused_binding
from gradcli.trace.trace import trace

from ..arguments import Command, complete, findings, numbers_of, of_bindings, read_expression, read_tape
from ..options import result_options
from ..output import ENDINGS, Place, place, report, write_lines, write_text

if TYPE_CHECKING:
    from rich.text import Text

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


@click.command(cls=Command, name="diff", help=HELP)
@click.argument(
    "operands", nargs=-1, metavar="EXPR [NAME]... [NAME=VALUE]...", type=click.UNPROCESSED, shell_complete=complete
)
@click.option(
    "--order", type=click.IntRange(min=1), default=1, metavar="N", help="The N-th derivative by each variable."
)
@click.option("--mixed", is_flag=True, help="One derivative, by all the names in turn: diff EXPR x y --mixed.")
@click.option("--let/--no-let", default=None, help="Name what is shared (default: in large formulas), or write it out.")
@result_options("pretty", "plain", "json", "latex")
def command(
    operands: tuple[str, ...],
    order: int,
    mixed: bool,
    let: bool | None,
    form: str | None,
    output: str | None,
    file: str | None,
    precision: int,
) -> None:
    source, arguments = read_expression(operands, file)
    where = place(output, form, endings=ENDINGS | {".tex": "latex"})
    asked = [read_name(argument) for argument in arguments if "=" not in argument]
    given = [argument for argument in arguments if "=" in argument]
    tape, bindings = read_tape(source, given, also=CONSTANTS.keys() & set(asked))
    wanted = list(dict.fromkeys(asked)) or list(tape.inputs)
    if mixed and order > 1:
        raise UsageError("--mixed says the order by itself: name a variable twice for the second derivative by it")
    first, lines = differentiate_in_turn(tape, asked or wanted) if mixed else differentiate(tape, wanted, order)
    page = formulas(first, lines, let=let)
    numbers = _numbers(first, lines, numbers_of(bindings))
    found = _findings(tape, bindings, asked)
    if mixed or order > 1:
        found += _undefined(tape, numbers, order)
    _write(source, page, numbers, found, where, order, precision)
    report(found)


def _numbers(tape: Tape, lines: Mapping[str, int], bound: Mapping[str, float]) -> dict[str, float]:
    """The derivatives at the point; none where a variable has no value."""
    if not set(tape.inputs) <= set(bound):
        return {}
    numbers = replay(tape, {name: bound[name] for name in tape.inputs})
    return {by: float(numbers[line]) for by, line in lines.items()} if bound or not tape.inputs else {}


def _findings(tape: Tape, bindings: Mapping[str, Binding], asked: Iterable[str]) -> list[Diagnostic]:
    """What `eval` says of the point, where there is one, of the values, and of names that do not occur.

    Raises EvaluationError, with the place, where the expression has no value there.
    """
    point = numbers_of(bindings)
    if set(tape.inputs) <= set(point):
        found = findings(tape, trace(tape, point, formulas=False), bindings)
    else:
        found = [*literals(tape), *of_bindings(bindings, tape.inputs)]
    known = {*tape.inputs, *tape.names, *bindings}
    found += [unused_binding(name, Source(name)) for name in dict.fromkeys(asked) if name not in known]
    return found


def _undefined(tape: Tape, numbers: Mapping[str, float], order: int) -> Iterator[Diagnostic]:
    """Derivatives of higher order that are not numbers, of which the two passes of `eval` know nothing."""
    span, text = tape.lines[tape.output].span, tape.text(tape.output)
    for by, number in numbers.items():
        if math.isnan(number):
            yield Diagnostic("undefined", span, text, f"{_label(by, order)} is not defined here", tape.source)


def _write(
    source: Source,
    page: Formulas,
    numbers: dict[str, float],
    found: list[Diagnostic],
    where: Place,
    order: int,
    precision: int,
) -> None:
    if where.format == "pretty":
        write_lines(_pretty(page, numbers, order, precision, where.width), where)
        return
    if where.format == "json":
        write_text(json.dumps(_record(source, page, numbers, found)) + "\n", where)
    elif where.format == "latex":
        write_text("".join(f"{_equation(by, page, order)}\n" for by in page.places), where)
    else:
        write_text("".join("\t".join(_cells(by, page, numbers)) + "\n" for by in page.places), where)


def _cells(by: str, page: Formulas, numbers: Mapping[str, float]) -> list[str]:
    return [by, page.text(by), *([shortest(numbers[by])] if by in numbers else [])]


def _record(source: Source, page: Formulas, numbers: Mapping[str, float], found: list[Diagnostic]) -> dict[str, Any]:
    derivatives = {
        by: {
            "formula": page.text(by),
            "latex": page.latex(by),
            "value": json_number(numbers[by]) if by in numbers else None,
        }
        for by in page.places
    }
    from gradcli.render.json import diagnostic

    return {
        "version": 1,
        "expression": source.text,
        "derivatives": derivatives,
        "diagnostics": [diagnostic(one, source) for one in found],
    }


def _equation(by: str, page: Formulas, order: int) -> str:
    """The derivative as an equation: \\frac{\\partial f}{\\partial x} = ..."""
    names = by.split(",")
    total = order if order > 1 else len(names)
    power = f"^{{{total}}}" if total > 1 else ""
    below = " ".join(f"\\partial {set_name(name)}" + (f"^{{{order}}}" if order > 1 else "") for name in names)
    return f"\\frac{{\\partial{power} {set_name(page.tape.title or 'f')}}}{{{below}}} = {page.latex(by)}"


def _pretty(page: Formulas, numbers: dict[str, float], order: int, precision: int, width: int | None) -> Iterator[Text]:
    from rich.text import Text

    from gradcli.render import equation
    from gradcli.render.style import GRAD, HEADING, INPUT, QUIET

    definitions = dict(page.definitions())
    pad = equation.padding(definitions, width)
    for name, text in definitions.items():
        yield from equation.rows(name, pad, text, HEADING, width)
    if definitions:
        yield Text()
    labels = {by: _label(by, order) for by in page.places}
    pad = equation.padding(labels.values(), width)
    for by, label in labels.items():
        yield from equation.rows(label, pad, page.brief(by), INPUT, width)
        if by in numbers:
            yield Text.assemble(" " * pad, (" = ", QUIET), (rounded(numbers[by], precision), GRAD))


def _label(by: str, order: int) -> str:
    names = by.split(",")
    total = order if order > 1 else len(names)
    return f"d{raised(total)}/" + " ".join(f"d{name}{raised(order)}" for name in names)
