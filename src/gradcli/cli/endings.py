"""The endings of files that commands write: an output file is what its name says, or an error that names who makes it."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from gradcli.errors import UsageError
from gradcli.text import listed


def check_ending(path: str, endings: Sequence[str]) -> None:
    """Raise UsageError for a file whose name has an ending that is none of these: it would not be what its name says."""
    ending = os.path.splitext(path)[1].lower()
    if not ending or ending in endings:
        return
    context = click.get_current_context()
    parts = [f"its files end in {listed(endings, 'or')}", _others(path, context)]
    parts += ["--format takes any name"] if "form" in context.params else []
    raise UsageError(f"{context.info_name} writes no {_whole(path)}", hint="; ".join(parts))


def _whole(path: str) -> str:
    """The ending of a file, with that under the ending of a compression: ".csv.gz"."""
    from gradcli.files.streams import codec_of

    stem, ending = os.path.splitext(path)
    return ((os.path.splitext(stem)[1] if codec_of(path) else "") + ending).lower()


def _others(path: str, context: click.Context) -> str:
    """The commands that write files of such a name, in a sentence."""
    group = context.find_root().command
    commands = (
        [group.get_command(context, name) for name in group.list_commands(context)]
        if isinstance(group, click.Group)
        else []
    )
    found = [
        str(command.name) for command in commands if command and any(_writes(option, path) for option in command.params)
    ]
    if not found:
        return f"no command writes {_whole(path)}"
    return f"gradcli {listed(found)} {'writes' if len(found) == 1 else 'write'} {_whole(path)}"


def _writes(option: click.Parameter, path: str) -> bool:
    """True if it is the `-o` of a command that writes files of such a name, or the `--to` of one that writes tables."""
    from gradcli.files.formats import format_of

    if (endings := getattr(option, "endings", None)) is not None:
        return os.path.splitext(path)[1].lower() in endings
    return (
        option.name == "target_format"
        and isinstance(option.type, click.Choice)
        and format_of(path) in option.type.choices
    )
