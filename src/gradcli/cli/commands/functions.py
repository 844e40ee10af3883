"""gradcli functions: what may be typed, with the derivative of each function as the engine has it."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from gradcli.autodiff import ops
from gradcli.autodiff.ops import ALIASES, FUNCTIONS, TABLE, Op
from gradcli.errors import UsageError
from gradcli.language.diff_call import MAX_ORDER
from gradcli.language.unparse import ATOM, infix
from gradcli.text import did_you_mean, rounded
from gradcli.trace.trace import local_formula

from ..arguments import Command
from ..options import option_format
from ..output import place, write_lines

HELP = """\b
$ gradcli functions tanh --format plain
tanh(x)	x	(1/cosh(x))^2

\b
$ gradcli functions
(every operator and function, by group)

List what may be typed, with each derivative printed from the rule that the engine uses.

With NAME, one function in detail: its derivatives, where it is defined, and which derivative is used where there is
none.
"""


DIFF = Op(  # the parser writes the derivative out, so there is nothing to call and no row in the table
    "diff(expr, x, n)",
    lambda *_: ops.nan,
    doc="the n-th derivative of expr by the name x; diff(expr, x) is the first",
    slope="diff(expr, x, n + 1)",
    group="derivatives",
    domain=f"x is a variable, a parameter or an assigned name; n is a whole number from 1 to {MAX_ORDER}",
)
NAMES = [*FUNCTIONS, *ALIASES, DIFF.name]


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in NAMES if name.startswith(incomplete)]


@click.command(cls=Command, name="functions", help=HELP)
@click.argument("name", required=False, shell_complete=_complete)
@option_format("pretty", "plain", "json")
def command(name: str | None, form: str | None) -> None:
    rows = [row for row in TABLE if not row.internal] if name is None else [_find(name)]
    form = form or ("pretty" if sys.stdout.isatty() else "plain")
    if form == "json":
        click.echo(json.dumps({"version": 1, "functions": [_record(row) for row in rows]}))
    elif form == "plain":
        for row in rows:
            for parameter, formula in derivatives(row).items() or [("", "")]:
                click.echo(f"{row.signature}\t{parameter}\t{formula}")
    elif name is None:
        _list(rows)
    else:
        _detail(rows[0])


def _find(name: str) -> Op:
    row = DIFF if name == DIFF.name else ops.find(name) or ops.PREFIX.get(name)
    if row is None:
        raise UsageError(f"no function {name}", hint=did_you_mean(name, NAMES) or "gradcli functions lists them all")
    return row


def derivatives(row: Op) -> dict[str, str]:
    """The local derivative by each parameter as a formula; empty where there is no gradient."""
    if row is DIFF:
        return {"x": row.slope}
    if row.form == "variadic":
        return {"each x": row.slope}
    operands = tuple([(parameter, ATOM) for parameter in row.parameters])
    output = infix(row.name, *operands) if row.form == "infix" else (row.signature, ATOM)
    return {
        parameter: local_formula(row, i, operands, output)
        for i, (parameter, partial) in enumerate(zip(row.parameters, row.partials, strict=True))
        if partial
    }


def _spellings(row: Op) -> list[str]:
    return [alias for alias, name in ALIASES.items() if name == row.name]


def _record(row: Op) -> dict[str, Any]:
    spellings = _spellings(row)
    return {
        "signature": row.signature,
        "group": row.group,
        "doc": row.doc,
        "derivatives": derivatives(row),
        "domain": row.domain,
        "convention": row.convention,
        "spellings": spellings,
    }


LONGEST_DOC = 38  # what a function does and its derivative stand side by side if the first is shorter


def _list(rows: list[Op]) -> None:
    from rich.text import Text

    from gradcli.render.style import GRAD, HEADING, INPUT, QUIET

    lines: list[Text] = []
    where, group = place(None, "pretty"), ""
    left = max(len(row.signature) for row in rows)
    for row in rows:
        if row.group != group:
            group = row.group
            lines += [Text(), Text(group, style=HEADING)] if lines else [Text(group, style=HEADING)]
        found = derivatives(row)
        slopes = [formula if len(found) == 1 else f"d/d{parameter}: {formula}" for parameter, formula in found.items()]
        head = Text.assemble("  ", (row.signature.ljust(left), INPUT), "  ", (row.doc, QUIET))
        beside = ", ".join(slopes) or "no gradient"
        gap = left + 4 + LONGEST_DOC - len(head.plain)
        if gap > 1 and (where.width is None or left + 4 + LONGEST_DOC + len(beside) <= where.width):
            lines.append(Text.assemble(head, " " * gap, (beside, GRAD)))
        else:
            lines += [head, *[Text.assemble(" " * (left + 4), (slope, GRAD)) for slope in slopes]]
    constants = ", ".join(f"{name} = {rounded(value)}" for name, value in ops.CONSTANTS.items() if name.isascii())
    spellings = ", ".join(f"{alias} is {name}" for alias, name in ALIASES.items())
    lines += [
        Text(),
        Text("Derivatives: diff(expr, x) by the name x, diff(expr, x, n) the n-th; anywhere in an expression"),
    ]
    lines += [Text(f"Constants: {constants}"), Text(f"Other spellings: {spellings}")]
    write_lines(lines, where)


def _detail(row: Op) -> None:
    from rich.text import Text

    from gradcli.render.style import GRAD, HEADING, QUIET

    facts = [("is", row.doc)] + [(f"d/d{parameter}", formula) for parameter, formula in derivatives(row).items()]
    facts += [
        ("domain", row.domain or "every number"),
        ("where not differentiable", row.convention),
        ("also written", ", ".join(_spellings(row))),
    ]
    left = max(len(name) for name, text in facts if text)
    lines = [Text(row.signature, style=HEADING)]
    for name, text in facts:
        if text:
            lines.append(
                Text.assemble("  ", (name.ljust(left), QUIET), "  ", (text, GRAD if name.startswith("d/d") else ""))
            )
    write_lines(lines, place(None, "pretty"))
