"""The manual: its topics, found by name, and their text as it was written. Rich stays out: a pipe gets plain Markdown."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradcli.errors import UsageError
from gradcli.text import did_you_mean

from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "manual")
TOPICS = (  # in the order in which a reader would want them; the names of the files
    "getting-started",
    "language",
    "scripts",
    "calculus",
    "pictures",
    "files",
    "fitting",
    "learning",
    "python",
    "numbers",
    "design",
)


class Topic(NamedTuple):
    """A file of the manual: its heading, the sentence below it, and the whole text."""

    name: str
    title: str
    about: str
    text: str


def read(name: str) -> Topic:
    """The topic of this name."""
    with open(os.path.join(FOLDER, f"{name}.md"), encoding="utf-8") as file:
        text = file.read()
    title, about, _ = text.split("\n\n", 2)
    return Topic(name, title.removeprefix("# "), " ".join(about.split()), text)


def topics() -> list[Topic]:
    """All topics, in order."""
    return [read(name) for name in TOPICS]


def linked(address: str) -> str | None:
    """The topic that a link of the manual leads to; None for other addresses."""
    name, _, ending = address.partition("#")[0].rpartition(".")
    return name if ending == "md" and name in TOPICS else None


def find(asked: str, commands: Collection[str]) -> str:
    """The name of the topic or command that is meant: by name, by title, or by the start of one of them.

    Raises UsageError where there is none, and where there are several.
    """
    known = {topic.title.lower(): topic.name for topic in topics()}
    known |= {name: name for name in (*TOPICS, *commands)}
    wanted = " ".join(asked.lower().split())
    if wanted in known:
        return known[wanted]
    near = list(dict.fromkeys(name for text, name in known.items() if wanted and text.startswith(wanted)))
    if len(near) == 1:
        return near[0]
    if near:
        raise UsageError(f"{asked} is the start of several topics and commands", hint=", ".join(near))
    hint = did_you_mean(wanted, [*TOPICS, *commands]) or "gradcli help lists the topics, gradcli --help the commands"
    raise UsageError(f"no topic or command {asked!r}", hint=hint)


class ContentsView(NamedTuple):
    """The list of topics."""

    topics: Sequence[Topic]

    def plain(self) -> Iterator[Row]:
        """Name, and what the topic is about."""
        return ((topic.name, topic.about) for topic in self.topics)

    def pretty(self, look: Look) -> Iterator[Text]:
        from .manual_lines import listed

        return listed([(topic.name, topic.about) for topic in self.topics])


class TopicView(NamedTuple):
    """A topic: in a pipe its Markdown as it was written."""

    topic: Topic

    def plain(self) -> Iterator[Row]:
        return TextView(self.topic.text.removesuffix("\n")).plain()

    def pretty(self, look: Look) -> Iterator[Text]:
        from .manual_lines import rendered

        return rendered(self.topic.text, linked, colour=look.colour, width=look.width)


class TextView(NamedTuple):
    """A text that is the same everywhere."""

    text: str

    def plain(self) -> Iterator[Row]:
        return ((line,) for line in self.text.split("\n"))

    def pretty(self, look: Look) -> Iterator[Text]:
        from .columns import line

        return (line((text, "")) for text in self.text.split("\n"))
