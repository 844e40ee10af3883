"""gradcli functions: what may be typed, with the derivative of each function as the engine has it."""

from __future__ import annotations

import click

from gradcli.autodiff import ops
from gradcli.autodiff.ops import ALIASES, FUNCTIONS, TABLE, Op
from gradcli.errors import UsageError
from gradcli.language.definitions import DEFINITIONS
from gradcli.language.diff_call import DIFF
from gradcli.render.functions import FunctionsView
from gradcli.text import did_you_mean

from ..arguments import Command
from ..options import OUTPUT, option_color, option_format, option_output
from ..output import place, write

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


def _names() -> list[str]:
    return list(dict.fromkeys([*FUNCTIONS, *ALIASES, *DEFINITIONS, DIFF.name]))


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in _names() if name.startswith(incomplete)]


@click.command(cls=Command, name="functions", help=HELP)
@click.argument("name", required=False, shell_complete=_complete)
@option_format(FunctionsView)
@option_output(OUTPUT, FunctionsView)
@option_color()
def command(name: str | None, form: str | None, output: str | None) -> None:
    rows = _every_row() if name is None else _find(name)
    write(FunctionsView(rows, alone=name is not None), place(output, form, FunctionsView))


def _every_row() -> list[Op]:
    """The rows that can be typed, and those of definitions, group by group."""
    rows = [*(row for row in TABLE if not row.internal), *(row for row, _ in DEFINITIONS.values())]
    groups = list(dict.fromkeys(row.group for row in rows))
    return sorted(rows, key=lambda row: groups.index(row.group))


def _find(name: str) -> list[Op]:
    """The rows of a name: of log there are two, by the number of operands."""
    row = DIFF if name == DIFF.name else ops.find(name) or ops.PREFIX.get(name)
    rows = [*([] if row is None else [row]), *([DEFINITIONS[name][0]] if name in DEFINITIONS else [])]
    if not rows:
        hint = did_you_mean(name, _names()) or "gradcli functions lists them all"
        raise UsageError(f"no function {name}", hint=hint)
    return rows
