"""Reading the arguments of a command: expressions that begin with a sign, files, standard input."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from gradcli.autodiff.tape import Tape
from gradcli.errors import GradcliError, Source, UsageError
from gradcli.language.bindings import Binding, check_wrt, is_value, read_bindings, require
from gradcli.language.parser import parse
from gradcli.language.source import read_file
from gradcli.trace.diagnostics import Diagnostic, diagnose, literals, unused, unused_binding
from gradcli.trace.trace import Trace, trace

from .options import result_options
from .output import Place, place

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_OPTION = re.compile(r"--[a-z][a-z-]*(=|$)")


class Command(click.Command):
    """A command whose operands may begin with `-`: `eval -x^2 x=3` just works.

    A token is an option only if it is `--` and a word, or exactly a declared short option. Options may stand
    anywhere; `--` ends them.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes_value: dict[str, bool] = {"-h": False, "--help": False}
        for parameter in self.params:
            if isinstance(parameter, click.Option):
                takes_value |= dict.fromkeys([*parameter.opts, *parameter.secondary_opts], not parameter.is_flag)
        options: list[str] = []
        operands: list[str] = []
        rest = iter(args)
        for token in rest:
            if token == "--":
                operands += rest
            elif token in takes_value or _OPTION.match(token):
                options.append(token)
                if takes_value.get(token):
                    value = next(rest, None)
                    if value is None:
                        return super().parse_args(ctx, options)  # which says what is missing
                    options.append(value)
            else:
                operands.append(token)
        return super().parse_args(ctx, [*options, "--", *operands])


class Request(NamedTuple):
    """A request to a command: the expression, the arguments after it, and the destination of the answer."""

    source: Source
    arguments: tuple[str, ...]
    place: Place


def formula_command(
    name: str, *views: Any, help: str, operands: str = "EXPR [NAME=VALUE]...", rows: str = "", **texts: str
) -> Callable[[Callable[..., None]], click.Command]:
    """The decorator of a command that takes a formula and answers with one of the views: it is handed a Request.

    The options that such commands share are added after its own. `texts` word the help of some (`result_options`).
    With the option named by `rows` the answer is rows of a file, whose name may end as it likes.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        @wraps(function)
        def call(
            operands: tuple[str, ...],
            file: str | None,
            form: str | None,
            output: str | None,
            precision: int,
            **options: Any,
        ) -> None:
            source, arguments = read_expression(operands, file)
            other = bool(rows) and options[rows] is not None
            function(Request(source, arguments, place(output, form, views[0], precision, other=other)), **options)

        argument = click.argument(
            "operands", nargs=-1, metavar=operands, type=click.UNPROCESSED, shell_complete=complete
        )
        return click.command(cls=Command, name=name, help=help)(argument(_after(call, result_options(*views, **texts))))

    return decorate


def _after(function: Any, options: Callable[[Any], Any]) -> Any:
    """The function with more options, which the help lists after its own."""
    own = getattr(function, "__click_params__", [])
    function.__click_params__ = []
    function = options(function)
    function.__click_params__ += own  # click lists them from the last to the first
    return function


def read_expression(operands: tuple[str, ...], file: str | None) -> tuple[Source, tuple[str, ...]]:
    """The expression and the operands after it: from `-f FILE`, from standard input for `-`, else the first operand."""
    if file is not None:
        return Source(read_file(file), "standard input" if file == "-" else file), operands
    if not operands:
        raise UsageError("there is no expression", hint='give one, as in: gradcli eval "(a+b)*(a*b)" a=3 b=4')
    first, *rest = operands
    if _ASSIGNED.match(first) and is_value(first):
        hint = 'the expression comes first, as in: gradcli eval "x^2" x=3; from standard input: gradcli eval - x=3'
        raise UsageError(f"there is no expression; {first} looks like a value", hint=hint)
    return (Source(read_file("-"), "standard input") if first == "-" else Source(first)), tuple(rest)


_ASSIGNED = re.compile(r"\s*[^\W\d][^\s=;(]*\s*=(?!=)")


def read_tape(
    source: Source, arguments: Iterable[str], also: Iterable[str] = (), apart: Collection[str] = ()
) -> tuple[Tape, dict[str, Binding]]:
    """The tape of an expression, and the values given with it; the names in `also` win over constants as well.

    The assigned names in `apart` are told from other names for the same (`parse`).
    """
    bindings = read_bindings(arguments)
    return parse(source, {*bindings, *also}, apart), bindings


def read_point(
    source: Source, arguments: Iterable[str], wrt: Iterable[str] | None = None
) -> tuple[Tape, dict[str, Binding]]:
    """The tape and the values of an expression at a point: as `read_tape`, with a value for every variable.

    Raises UsageError, with the place, for a variable without one, and for a name in `wrt` that is not a variable.
    """
    tape, bindings = read_tape(source, arguments)
    require(tape, bindings)
    check_wrt(tape, wrt or (), bindings)
    return tape, bindings


def numbers_of(bindings: Mapping[str, Binding]) -> dict[str, float]:
    """The numbers alone, by name."""
    return {name: binding.value for name, binding in bindings.items()}


def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The words that the shell may complete: NAME= for each variable of the expression that has no value yet."""
    from click.shell_completion import CompletionItem

    operands = ctx.params.get("operands") or ()
    try:
        variables = parse(operands[0]).inputs if operands else {}
    except GradcliError:  # half an expression completes to nothing
        return []
    # bash takes a=3 apart at the =, so that the name may stand alone
    given = {operand.partition("=")[0] for operand in operands[1:]}
    return [
        CompletionItem(f"{name}=", type="binding")
        for name in variables
        if name not in given and name.startswith(incomplete)
    ]


def diagnostics_of_text(tape: Tape) -> list[Diagnostic]:
    """The diagnostics of the text alone: literals that were rounded, what is computed and thrown away."""
    return [*literals(tape), *unused(tape)]


def diagnostics_of_bindings(bindings: Mapping[str, Binding], used: Container[str]) -> list[Diagnostic]:
    """The diagnostics of the values: literals that were rounded, names that do not occur."""
    found = [one for binding in bindings.values() if binding.tape is not None for one in literals(binding.tape)]
    return found + [unused_binding(name, binding.source) for name, binding in bindings.items() if name not in used]


def diagnostics_of(tape: Tape, result: Trace, bindings: Mapping[str, Binding]) -> list[Diagnostic]:
    """The diagnostics of both passes and of the values given."""
    return [*diagnose(tape, result), *diagnostics_of_bindings(bindings, tape.inputs)]


def diagnostics_or_literals(tape: Tape, bindings: Mapping[str, Binding]) -> list[Diagnostic]:
    """The diagnostics of both passes where every variable has a value; else those of literals and values alone.

    Raises EvaluationError, with the place, where the expression has no value at the point.
    """
    point = numbers_of(bindings)
    if set(tape.inputs) <= set(point):
        return diagnostics_of(tape, trace(tape, point, formulas=False), bindings)
    return [*diagnostics_of_text(tape), *diagnostics_of_bindings(bindings, tape.inputs)]


def unknown_names(tape: Tape, bindings: Mapping[str, Binding], asked: Iterable[str]) -> list[Diagnostic]:
    """The diagnostics of names to differentiate by that do not occur."""
    known = {*tape.inputs, *tape.names, *bindings}
    return [unused_binding(name, Source(name)) for name in dict.fromkeys(asked) if name not in known]
