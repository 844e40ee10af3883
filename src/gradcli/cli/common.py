"""What `minimize` and `fit` share: their options, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, TypeVar

import click

from ..errors import escape
from .arguments import option_format
from .output import choose_colour, colour_of

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

OPTIONS = (
    click.option("--bound", "bounds", multiple=True, metavar='"X>=0"', help="Keep within a bound; may be repeated."),
    click.option("--steps", type=click.IntRange(1), metavar="N", help="Give up after so many steps."),
    option_format("pretty", "plain", "json"),
    click.option("--json", "form", flag_value="json", help="The same as --format json."),
    click.option(
        "-o", "output", metavar="FILE", help="Write to FILE, whole or not at all; its ending sets the format."
    ),
    click.option("-f", "file", metavar="FILE", help="Read the expression from FILE."),
    click.option(
        "--precision",
        type=click.IntRange(1, 17),
        default=6,
        metavar="N",
        help="Significant digits for people; default 6.",
    ),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        is_eager=True,
        expose_value=False,
        callback=lambda _, __, wanted: choose_colour(wanted),
        help="When to use colour.",
    ),
)


def descent_options(function: Decorated) -> Decorated:
    """The options that both commands have, after their own."""
    return reduce(lambda decorated, option: option(decorated), reversed(OPTIONS), function)


def several(count: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def conclude(good: bool, verdict: str, notes: Iterable[str]) -> None:
    """Say on standard error how it ended; exit code 1 if that is not what was asked for."""
    word, colon, rest = verdict.partition(":")
    shown = (
        click.style(word + colon, fg="green" if good else "red", bold=True) if colour_of(sys.stderr) else word + colon
    )
    print(shown + escape(rest), file=sys.stderr)
    for note in notes:
        print(escape(note), file=sys.stderr)
    if not good:
        raise click.exceptions.Exit(1)
