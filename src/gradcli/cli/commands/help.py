"""gradcli help: the manual on the terminal, in a pipe, and as man pages."""

from __future__ import annotations

import os
import sys

import click

from gradcli.errors import UsageError
from gradcli.render.manual import TOPICS, ContentsView, TextView, TopicView, find, read, topics
from gradcli.render.view import written

from .. import COMMANDS
from ..options import option_color, option_format
from ..output import Place, place, write, write_content

HELP = """\b
$ gradcli help | head -2
getting-started	Differentiate a first formula, see each step, find a command.
language	Write formulas: numbers, names, operators, programs, values.

\b
$ gradcli help calculus | head -1
# Calculus

Show the manual: the list of topics, one topic, or the help of a command.

A topic is found by its name, by its title, or by the start of either. On a terminal it is shown in a pager (PAGER
says which), in a pipe as plain Markdown. --man writes the manual and the help of each command as man pages:
gradcli help --man ~/.local/share/man, and then man gradcli-language.
"""


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[click.shell_completion.CompletionItem]:
    from click.shell_completion import CompletionItem

    known = {topic.name: topic.about for topic in topics()} | COMMANDS
    return [CompletionItem(name, help=about) for name, about in known.items() if name.startswith(incomplete)]


@click.command(name="help", help=HELP)
@click.argument("words", nargs=-1, metavar="[TOPIC|COMMAND]", shell_complete=_complete)
@click.option("--man", "folder", metavar="DIRECTORY", help="Write man pages to DIRECTORY/man1 and DIRECTORY/man7.")
@option_format(ContentsView, TextView)
@option_color()
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], folder: str | None, form: str | None) -> None:
    if folder is not None and words:
        raise UsageError("--man writes all pages: give no topic with it")
    if folder is not None:
        _write_man_pages(ctx, folder)
    elif not words:
        write(ContentsView(topics()), place(None, form, ContentsView))
    elif (name := find(" ".join(words), COMMANDS)) in TOPICS:
        _show(TopicView(read(name)), place(None, form, TopicView))
    else:
        _show(TextView(_context(ctx, name).get_help()), place(None, form, TextView))


def _show(view: TopicView | TextView, where: Place) -> None:
    """Write a text, on a terminal through the pager of the user."""
    if where.format == "plain" or not sys.stdout.isatty():
        write(view, where)
        return
    os.environ.setdefault("LESS", "FR")  # what fits on the screen needs no pager; colours are shown
    click.echo_via_pager(str(written(view, where.format, where.look)), color=where.look.colour)


def _context(ctx: click.Context, name: str) -> click.Context:
    """A command as it knows itself when it is called: its name, its options, its place in the group."""
    root = ctx.find_root()
    assert isinstance(root.command, click.Group)
    found = root.command.get_command(root, name)
    assert found is not None
    return click.Context(found, info_name=name, parent=root)


def _write_man_pages(ctx: click.Context, folder: str) -> None:
    from gradcli.render.man import command_page, group_page, topic_page

    pages = {f"man7/gradcli-{topic.name}.7": topic_page(topic) for topic in topics()}
    pages["man1/gradcli.1"] = group_page(ctx.find_root(), COMMANDS)
    for name, about in COMMANDS.items():
        pages[f"man1/gradcli-{name}.1"] = command_page(_context(ctx, name), about)
    for path, text in sorted(pages.items()):
        path = os.path.join(os.path.expanduser(folder), path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_content(text, path)
        click.echo(path)
