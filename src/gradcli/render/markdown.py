"""Markdown on a terminal: headings, tables and lists by Rich; transcripts as they are, in the terminal's own colours."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from markdown_it.token import Token
from rich import markdown
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text
from rich.theme import Theme

from .manual import Topic, linked
from .style import HEADING, INPUT, QUIET, console

WIDEST = 100  # longer lines of prose are hard to read
# Rich's own styles have black backgrounds, which a light terminal shows as boxes.
THEME = Theme(
    {
        "markdown.h1": "bold",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.code": "cyan",
        "markdown.item.bullet": "dim",
        "markdown.link_url": "cyan",
        "markdown.table.header": "bold",
        "markdown.table.border": "dim",
    }
)


class _Heading(markdown.Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.justify = "left"
        yield Text(text.plain.upper(), style=HEADING) if self.tag == "h1" else text


class _Code(markdown.CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in str(self.text).rstrip().split("\n"):  # each in full, however long it is
            yield Text.assemble("  ", (line.expandtabs(), _style(line)), no_wrap=True, overflow="ignore")


def _style(line: str) -> str:
    """What was typed stands out; what the program answered is as it is on the screen."""
    return INPUT if line.startswith(("$ ", ">>> ", "... ")) else ""


class _Page(markdown.Markdown):
    elements = markdown.Markdown.elements | {"heading_open": _Heading, "fence": _Code, "code_block": _Code}


def rendered(topic: Topic, *, colour: bool, width: int | None) -> str:
    """The topic for a terminal of this width, where a link to a neighbour is the command that shows it."""
    page = _Page(topic.text, hyperlinks=False)
    _rename_links(page.parsed)
    buffer = StringIO()
    out = console(buffer, colour=colour, width=min(width or WIDEST, WIDEST))
    with out.use_theme(THEME):
        out.print(page, crop=False)
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n"))


def _rename_links(tokens: Iterable[Token]) -> None:
    for token in tokens:
        _rename_links(token.children or ())
        if (name := linked(str(token.attrs.get("href", "")))) is not None:
            token.attrs["href"] = f"gradcli help {name}"


def listed(topics: Iterable[Topic]) -> list[Text]:
    """The topics with what they are about, one below the other."""
    topics = list(topics)
    left = max(len(topic.name) for topic in topics)
    lines = [Text.assemble("  ", (topic.name.ljust(left), INPUT), "  ", topic.about) for topic in topics]
    more = Text("gradcli help TOPIC shows one; gradcli help COMMAND the help of a command", style=QUIET)
    return [Text("The manual", style=HEADING), *lines, Text(), more]
