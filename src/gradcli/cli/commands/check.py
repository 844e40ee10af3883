"""gradcli check: is the gradient right? And, with --expect: is mine?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from gradcli.autodiff.tape import Tape
from gradcli.calculus.check import Check, Expected, Verdict, check, expect
from gradcli.calculus.precise import available
from gradcli.errors import Source, UsageError
from gradcli.language.bindings import read_name
from gradcli.language.parser import parse
from gradcli.text import did_you_mean, json_number, json_numbers, rounded, shortest
from gradcli.trace.diagnostics import literals

from ..arguments import Command, complete, numbers_of, of_bindings, read_expression, read_point
from ..options import names, result_options
from ..output import Place, place, report, write_lines, write_text

if TYPE_CHECKING:
    from rich.text import Text

HELP = """\b
$ gradcli check "x^2" x=3 --format plain
x	pass	6	6	6	6

\b
$ gradcli check "(a+b)*(a*b)" a=3 b=4 --expect "a=b*(2*a+b)" --expect b=32 --format plain
a	right	40	40
b	wrong	32	33

Check the gradient of an expression: reverse mode against forward mode, against difference quotients with an error
estimate, and, where mpmath is installed, against numbers of fifty digits.

Status `pass`, `fail` or `kink` (the one-sided slopes disagree: there is no derivative, or a corner nearer than the
step). With --expect your own derivatives are checked instead: a formula at the point and at random points around it,
a number at the point. A number typed with a decimal point and at least three significant digits is right if ours
rounds to it: 0.333 for 1/3. Exit code 1 for `fail` or a wrong derivative. Plain output: name, status, reverse,
forward, differences, fifty digits; with --expect name, right or wrong, yours, ours, and, where they differ at a
random point alone, that point as fields NAME=VALUE.
"""


@click.command(cls=Command, name="check", help=HELP)
@click.argument("operands", nargs=-1, metavar="EXPR NAME=VALUE...", type=click.UNPROCESSED, shell_complete=complete)
@click.option(
    "--expect", "expected", multiple=True, metavar="NAME=FORMULA", help="Your derivative by NAME; repeatable."
)
@click.option("--wrt", metavar="A,B", callback=names, help="Check these variables only.")
@result_options("pretty", "plain", "json")
@click.pass_context
def command(
    ctx: click.Context,
    operands: tuple[str, ...],
    expected: tuple[str, ...],
    wrt: list[str] | None,
    form: str | None,
    output: str | None,
    file: str | None,
    precision: int,
) -> None:
    source, arguments = read_expression(operands, file)
    where = place(output, form)
    tape, bindings = read_point(source, arguments, wrt)
    point = numbers_of(bindings)
    if expected:
        answers = [expect(tape, point, name, theirs) for name, theirs in _expectations(tape, expected, point)]
        _write_expected(source, point, answers, where, precision)
        good = all(answer.right for answer in answers)
    else:
        result = check(tape, point, wrt=wrt)
        _write_check(source, result, where, precision)
        good = result.status != "fail"
    report([*literals(tape), *of_bindings(bindings, tape.inputs)])
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


# ------------------------------------------------------------------------------------------------- the gradient


def _write_check(source: Source, result: Check, where: Place, precision: int) -> None:
    if where.format == "json":
        write_text(json.dumps(_record(source, result)) + "\n", where)
    elif where.format == "plain":
        write_text("".join("\t".join(_cells(verdict)) + "\n" for verdict in result.verdicts), where)
    else:
        write_lines(_table(result, precision, where.width), where)


def _cells(verdict: Verdict) -> list[str]:
    numbers = [verdict.reverse, verdict.forward, verdict.differences.value]
    numbers += [verdict.precise.value] if verdict.precise is not None else []
    return [verdict.name, verdict.status, *map(shortest, numbers)]


def _record(source: Source, result: Check) -> dict[str, Any]:
    methods = {
        "reverse": json_numbers({v.name: v.reverse for v in result.verdicts}),
        "forward": json_numbers({v.name: v.forward for v in result.verdicts}),
        "differences": json_numbers({v.name: v.differences.value for v in result.verdicts}),
        "differences_error": json_numbers({v.name: v.differences.error for v in result.verdicts}),
    }
    precise = json_numbers({v.name: v.precise.value for v in result.verdicts if v.precise is not None})
    variables = {v.name: {"status": v.status, "digits": v.digits} for v in result.verdicts}
    return {
        "version": 1,
        "expression": source.text,
        "status": result.status,
        "methods": methods | ({"precise": precise} if precise else {}),
        "variables": variables,
        **({"no_reference": list(result.no_reference)} if result.no_reference else {}),
    }


def _table(result: Check, precision: int, width: int | None) -> Iterator[Text]:
    from rich.text import Text

    from gradcli.render.columns import aligned
    from gradcli.render.style import HEADING, INPUT, QUIET

    header = ["", "", "reverse", "forward", "differences", "±", "50 digits", "digits"]
    rows = [_row(verdict, precision) for verdict in result.verdicts]
    yield from aligned(header, rows, width, [INPUT, *[""] * 7], left=(0, 1), loud=("fail", "kink"))
    yield Text()
    yield Text(f"{result.status}{_REASONS[result.status]}", style=HEADING)
    if result.no_reference:
        yield Text(f"no independent reference for {', '.join(result.no_reference)}", style=QUIET)
    if not available():
        yield Text("fifty-digit numbers too: pip install 'gradcli[check]'", style=QUIET)


_REASONS = {
    "pass": ": all methods agree",
    "fail": ": the methods disagree; a derivative is wrong",
    "kink": ": the slopes to the left and to the right differ, at the point or close by",
}


def _row(verdict: Verdict, precision: int) -> list[str]:
    precise = "" if verdict.precise is None else rounded(verdict.precise.value, precision)
    numbers = [rounded(number, precision) for number in (verdict.reverse, verdict.forward, verdict.differences.value)]
    error = verdict.differences.error
    about = f"{error:.0e}" if error else "0"
    agree = str(verdict.digits) if verdict.status != "kink" else ""
    return [verdict.name, verdict.status, *numbers, about, precise, agree]


# -------------------------------------------------------------------------------------- a user's own derivatives


def _write_expected(
    source: Source, point: dict[str, float], answers: list[Expected], where: Place, precision: int
) -> None:
    if where.format == "json":
        write_text(json.dumps(_expected_record(source, answers)) + "\n", where)
    elif where.format == "plain":
        rows = [[a.name, _verdict(a), shortest(a.theirs), shortest(a.ours), *_elsewhere(a, point)] for a in answers]
        write_text("".join("\t".join(row) + "\n" for row in rows), where)
    else:
        write_lines(_expected_table(answers, precision), where)


def _elsewhere(answer: Expected, point: dict[str, float]) -> list[str]:
    """The point as fields, where it is not the user's."""
    return [] if answer.point == point else [f"{name}={shortest(x)}" for name, x in answer.point.items()]


def _verdict(answer: Expected) -> str:
    return "right" if answer.right else "wrong"


def _expected_record(source: Source, answers: list[Expected]) -> dict[str, Any]:
    variables = {
        answer.name: {
            "right": answer.right,
            "yours": json_number(answer.theirs),
            "ours": json_number(answer.ours),
            "at": json_numbers(answer.point),
        }
        for answer in answers
    }
    status = "pass" if all(answer.right for answer in answers) else "fail"
    return {"version": 1, "expression": source.text, "status": status, "expected": variables}


def _expected_table(answers: list[Expected], precision: int) -> Iterator[Text]:
    from gradcli.render.columns import aligned
    from gradcli.render.style import INPUT

    rows = [
        [a.name, _verdict(a), rounded(a.theirs, precision), rounded(a.ours, precision), _at(a, precision)]
        for a in answers
    ]
    header = ["", "", "yours", "ours", "at"]
    yield from aligned(header, rows, None, [INPUT, *[""] * 4], left=(0, 1, 4), loud=("wrong",))


def _at(answer: Expected, precision: int) -> str:
    return ", ".join(f"{name} = {rounded(number, precision)}" for name, number in answer.point.items())
