"""Markdown on a terminal: headings, tables and lists by Rich; transcripts as they are, in the terminal's own colours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO

from markdown_it.token import Token
from rich import markdown
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text
from rich.theme import Theme

from .style import DATA, HEADING, INPUT, QUIET
from .terminal import console_on

TopicOf = Callable[[str], str | None]  # the topic that an address leads to
WIDEST = 100  # longer lines of prose are hard to read
# Rich's own styles have black backgrounds, which a light terminal shows as boxes.
THEME = Theme(
    {
        "markdown.h1": "bold",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.code": DATA,
        "markdown.item.bullet": QUIET,
        "markdown.link_url": DATA,
        "markdown.table.header": "bold",
        "markdown.table.border": QUIET,
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
    """The style of a line of a transcript: what was typed stands out."""
    return INPUT if line.startswith(("$ ", ">>> ", "... ")) else ""


class _Page(markdown.Markdown):
    elements = markdown.Markdown.elements | {"heading_open": _Heading, "fence": _Code, "code_block": _Code}


def rendered(text: str, topic_of: TopicOf, *, colour: bool, width: int | None) -> Iterator[Text]:
    """The lines of a text for a terminal of this width, where a link to a topic is the command that shows it."""
    page = _Page(text, hyperlinks=False)
    _rename_links(page.parsed, topic_of)
    buffer = StringIO()
    console = console_on(buffer, colour=colour, width=min(width or WIDEST, WIDEST))
    with console.use_theme(THEME):
        console.print(page, crop=False)
    for line in buffer.getvalue().removesuffix("\n").split("\n"):
        yield Text.from_ansi(line, overflow="ignore")  # a transcript stays whole, however long it is


def _rename_links(tokens: Iterable[Token], topic_of: TopicOf) -> None:
    for token in tokens:
        _rename_links(token.children or (), topic_of)
        if (name := topic_of(str(token.attrs.get("href", "")))) is not None:
            token.attrs["href"] = f"gradcli help {name}"


def listed(topics: Sequence[tuple[str, str]]) -> Iterator[Text]:
    """The topics by name with what they are about, one below the other."""
    left = max(len(name) for name, _ in topics)
    yield Text("The manual", style=HEADING)
    for name, about in topics:
        yield Text.assemble("  ", (name.ljust(left), INPUT), "  ", about)
    yield Text()
    yield Text("gradcli help TOPIC shows one; gradcli help COMMAND the help of a command", style=QUIET)
