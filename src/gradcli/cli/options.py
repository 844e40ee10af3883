"""The options that commands share, alone and together; a command may word the help of one for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeVar

import click

from gradcli.language.bindings import Name, placed, read_names
from gradcli.render.view import FORMATS, endings_of, formats_of

from .endings import OutputOption
from .output import choose_colour

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
FORMAT = "How to write the result; default: pretty on a terminal, plain elsewhere."
OUTPUT = "Write to FILE, whole or not at all; its ending sets the format."
PRECISION = "Significant digits for people; default 6."
FLAGS = {"json": "The same as --format json.", "latex": "The same as --format latex: equations in LaTeX."}


def together(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    """Several options as one decorator, in the order in which the help lists them."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


def result_options(*views: Any, output: str = OUTPUT, precision: str = PRECISION) -> Callable[[Decorated], Decorated]:
    """The options that nearly every command ends with: the formats that its views have, where to write, and `-f`."""
    return together(
        option_format(*views), option_output(output, *views), option_file, option_precision(precision), option_color()
    )


def option_format(*views: Any, text: str = FORMAT) -> Callable[[Decorated], Decorated]:
    """The option `--format` with every format that one of the views has, and a flag for each that has one."""
    formats = [name for name in FORMATS if any(name in formats_of(view) for view in views)]
    by_name = click.option("--format", "form", type=click.Choice(formats), help=text)
    flags = [click.option(f"--{form}", "form", flag_value=form, help=FLAGS[form]) for form in formats if form in FLAGS]
    return together(by_name, *flags)


def _files(_: click.Context, __: click.Parameter, incomplete: str) -> list[click.shell_completion.CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]  # the shell knows them


def option_output(text: str = OUTPUT, *views: Any) -> Callable[[Decorated], Decorated]:
    """The option `-o` of a command that writes one of the views."""
    endings = [ending for view in views for ending in endings_of(view)]
    return click.option(
        "-o", "output", cls=OutputOption, endings=endings, metavar="FILE", shell_complete=_files, help=text
    )


option_file = click.option("-f", "file", metavar="FILE", shell_complete=_files, help="Read the expression from FILE.")


def option_precision(text: str = PRECISION, default: int | None = 6) -> Callable[[Decorated], Decorated]:
    """The option `--precision`."""
    return click.option("--precision", type=click.IntRange(1, 17), default=default, metavar="N", help=text)


def option_color(text: str = "When to use colour.") -> Callable[[Decorated], Decorated]:
    """The option `--color`, which holds for every message from here on."""
    return click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        is_eager=True,
        expose_value=False,
        callback=lambda _, __, wanted: choose_colour(wanted),
        help=text,
    )


def names(_: click.Context, option: click.Parameter, value: str | None) -> list[Name] | None:
    """The names in a comma-separated option such as `--wrt a,b`, which know their places."""
    if value is None:
        return None
    listed = read_names(value)
    if not all(listed):
        example = f"{option.opts[0]} {str(option.metavar).lower()}"
        raise click.BadParameter(f"give names with commas between them, as in {example}")
    return list(dict.fromkeys(listed))


def one_name(_: click.Context, option: click.Parameter, value: str | None) -> Name | None:
    """The name in an option such as `--grad a`."""
    if value is not None and not value.strip():
        raise click.BadParameter(f"give a name, as in {option.opts[0]} a")
    return None if value is None else placed(value, 0, len(value))


def once(_: click.Context, option: click.Parameter, values: Sequence[str]) -> str | None:
    """The value of an option that is given once. Raises BadParameter where it is repeated: none should win in silence."""
    if len(values) > 1:
        raise click.BadParameter(f"it is given twice: {values[0]} and {values[1]}")
    return values[0] if values else None


descent_options = together(
    click.option("--bound", "bounds", multiple=True, metavar='"X>=0"', help="Keep within a bound; may be repeated."),
    click.option("--steps", type=click.IntRange(1), metavar="N", help="Give up after so many steps."),
)
