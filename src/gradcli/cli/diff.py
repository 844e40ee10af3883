"""gradcli diff: the partial derivatives as formulas, with numbers where everything is bound."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..adjoint import differentiate, differentiate_in_turn
from ..bindings import read_name
from ..doctor import Diagnostic, literals, unused_binding
from ..errors import Source, UsageError
from ..formulas import Page, formulas
from ..latex import name as set_name
from ..numbers import json_number, raised, rounded, shortest
from ..ops import CONSTANTS
from ..tape import Tape, replay
from .arguments import Command, complete, numbers_of, read_expression, read_tape
from .options import result_options
from .output import ENDINGS, Place, place, report, write_lines, write_text

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


class Answer(NamedTuple):
    """A derivative: by what, the formula with its definitions, in LaTeX, and the number at the point if there is one."""

    by: str
    text: str
    latex: str
    value: float | None


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
    found = [*literals(tape), *_unused(tape, asked, bindings)]
    _write(source, page, numbers, found, where, order, precision)
    report(found)


def _numbers(tape: Tape, lines: Mapping[str, int], bound: Mapping[str, float]) -> dict[str, float]:
    """The derivatives at the point; none where a variable has no value."""
    if not set(tape.inputs) <= set(bound):
        return {}
    numbers = replay(tape, {name: bound[name] for name in tape.inputs})
    return {by: float(numbers[line]) for by, line in lines.items()} if bound or not tape.inputs else {}


def _unused(tape: Tape, asked: list[str], bindings: Mapping[str, Any]) -> Iterator[Diagnostic]:
    for name in dict.fromkeys([*asked, *bindings]):
        if name not in tape.inputs and name not in tape.names:
            yield unused_binding(name, bindings[name].source if name in bindings else Source(name))


def _write(
    source: Source,
    page: Page,
    numbers: dict[str, float],
    found: list[Diagnostic],
    where: Place,
    order: int,
    precision: int,
) -> None:
    if where.format == "pretty":
        write_lines(_pretty(page, numbers, order, precision, where.width), where)
        return
    answers = [Answer(by, page.text(by), page.latex(by), numbers.get(by)) for by in page.places]
    if where.format == "json":
        write_text(json.dumps(_record(source, answers, found)) + "\n", where)
    elif where.format == "latex":
        write_text("".join(f"{_equation(answer, page.tape.title, order)}\n" for answer in answers), where)
    else:
        write_text("".join("\t".join(_cells(answer)) + "\n" for answer in answers), where)


def _cells(answer: Answer) -> list[str]:
    return [answer.by, answer.text, *([] if answer.value is None else [shortest(answer.value)])]


def _record(source: Source, answers: list[Answer], found: list[Diagnostic]) -> dict[str, Any]:
    derivatives = {
        answer.by: {
            "formula": answer.text,
            "latex": answer.latex,
            "value": None if answer.value is None else json_number(answer.value),
        }
        for answer in answers
    }
    from ..render.json import diagnostic

    return {
        "version": 1,
        "expression": source.text,
        "derivatives": derivatives,
        "diagnostics": [diagnostic(one, source) for one in found],
    }


def _equation(answer: Answer, title: str, order: int) -> str:
    """The derivative as an equation: \\frac{\\partial f}{\\partial x} = ..."""
    names = answer.by.split(",")
    total = order if order > 1 else len(names)
    power = f"^{{{total}}}" if total > 1 else ""
    below = " ".join(f"\\partial {set_name(name)}" + (f"^{{{order}}}" if order > 1 else "") for name in names)
    return f"\\frac{{\\partial{power} {set_name(title or 'f')}}}{{{below}}} = {answer.latex}"


def _pretty(page: Page, numbers: dict[str, float], order: int, precision: int, width: int | None) -> Iterator[Text]:
    from rich.text import Text

    from ..render import equation
    from ..render.style import GRAD, HEADING, INPUT, QUIET

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
