"""What `minimize` and `fit` share: their options, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from gradcli.text import escape

from .options import result_options, together
from .output import colour_of

descent_options = together(
    click.option("--bound", "bounds", multiple=True, metavar='"X>=0"', help="Keep within a bound; may be repeated."),
    click.option("--steps", type=click.IntRange(1), metavar="N", help="Give up after so many steps."),
    result_options("pretty", "plain", "json"),
)


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
