r"""Man pages: a topic of the manual as a page of section 7, the help of a command as one of section 1.

What stands in a page is roff as groff and mandoc read it without a warning: tables are lists of definitions, as both
would need a preprocessor for them, and every character that roff sees differently has its escape.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode as Node

from gradcli import __version__

from .manual import TOPICS, Topic, linked

if TYPE_CHECKING:
    import click

# A plain - is a hyphen in roff, which nobody can paste into a shell; ' ` ^ ~ turn into other signs, too.
ESCAPES = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", '"': r"\(dq"})


def escaped(text: str) -> str:
    """`text` in ASCII that roff prints as it is."""
    text = text.expandtabs().translate(ESCAPES)
    return "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in text)


# ------------------------------------------------------------------------------------------------- pages


def topic_page(topic: Topic) -> str:
    """A topic as a page of section 7."""
    name = f"gradcli-{topic.name}"
    _, *body = Node(MarkdownIt().enable("table").parse(topic.text)).children
    return _page(name, 7, topic.about.rstrip("."), [_heading("Description"), *_blocks(body)])


def command_page(ctx: click.Context, about: str) -> str:
    """The help of a command as a page of section 1."""
    name = ctx.command_path.replace(" ", "-")
    return _page(
        name,
        1,
        about,
        [*_synopsis(ctx), *_help(ctx), *_options(ctx), *_see_also([("gradcli", 1), ("gradcli-scripts", 7)])],
    )


def group_page(ctx: click.Context, commands: Mapping[str, str]) -> str:
    """The page of the program itself: its commands, and the topics of the manual."""
    listed = [_heading("Commands")]
    for name, about in commands.items():
        listed += [".TP", rf".BR gradcli\-{escaped(name)} (1)", _filled(escaped(about))]
    pages = [(f"gradcli-{name}", 7) for name in TOPICS]
    about = "formulas and their exact derivatives"
    return _page("gradcli", 1, about, [*_synopsis(ctx), *_help(ctx), *listed, *_options(ctx), *_see_also(pages)])


def _page(name: str, section: int, about: str, lines: Iterable[str]) -> str:
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    title = f'.TH {escaped(name.upper())} {section} {date} "gradcli {__version__}" "gradcli"'
    page = "\n".join([title, _heading("Name"), f"{escaped(name)} \\- {escaped(about)}", *lines, ""])
    return re.sub(r"^(\.S[HS] .*\n)\.PP\n", r"\1", page, flags=re.M)  # a heading begins a paragraph of its own


def _heading(text: str, macro: str = ".SH") -> str:
    return f'{macro} "{escaped(text.upper() if macro == ".SH" else text)}"'


# -------------------------------------------------------------------------------------- from Click's help


def _synopsis(ctx: click.Context) -> list[str]:
    pieces = " ".join(ctx.command.collect_usage_pieces(ctx))
    return [_heading("Synopsis"), f".B {escaped(ctx.command_path)}", _line(escaped(pieces))]


def _help(ctx: click.Context) -> Iterator[str]:
    """Description and examples; a paragraph that begins with \b is shown as it is."""
    paragraphs = (ctx.command.help or "").strip("\n").split("\n\n")
    examples = [part for part in paragraphs if part.startswith("\b\n$ ")]
    yield _heading("Description")
    for part in paragraphs:
        if part not in examples:
            yield from _verbatim(part[2:]) if part.startswith("\b") else [".PP", _filled(_quoted(part.strip()))]
    yield _heading("Examples")
    for part in examples:
        yield from _verbatim(part[2:])


def _quoted(text: str) -> str:
    """Text whose `code` is bold."""
    parts = text.split("`")
    return "".join(rf"\fB{escaped(part)}\fR" if i % 2 else escaped(part) for i, part in enumerate(parts))


def _options(ctx: click.Context) -> Iterator[str]:
    records = [parameter.get_help_record(ctx) for parameter in ctx.command.get_params(ctx)]
    yield _heading("Options")
    for name, text in (record for record in records if record and record[1]):
        yield from (".TP", f".B {escaped(name)}", _filled(escaped(text)))


def _see_also(pages: Iterable[tuple[str, int]]) -> list[str]:
    listed = [rf".BR \%{escaped(name)} ({section})" for name, section in pages]
    return [_heading("See also"), *[f"{line} ," for line in listed[:-1]], listed[-1]]


# --------------------------------------------------------------------------------------- from Markdown


def _blocks(nodes: Iterable[Node]) -> Iterator[str]:
    """The lines of roff for some blocks of a text."""
    for node in nodes:
        yield from BLOCKS[node.type](node)


def _section(node: Node) -> Iterator[str]:
    text = "".join(child.content for child in node.children[0].children)
    yield _heading(text, ".SH" if node.tag == "h2" else ".SS")


def _paragraph(node: Node, macro: str = ".PP") -> Iterator[str]:
    yield from (macro, _filled(_inline(node)))


def _list(node: Node) -> Iterator[str]:
    for item in node.children:
        first, *rest = item.children
        yield from _paragraph(first, f".IP {item.info + item.markup if item.info else '*'} 4")
        yield from _blocks(rest)


def _table(node: Node) -> Iterator[str]:
    """Each row as a definition: its first cell, then the others, with their headings where there are several."""
    head, *rows = [[_inline(cell) for cell in row.children] for part in node.children for row in part.children]
    for first, *others in rows:
        named = [f"{title}: {cell}" for title, cell in zip(head[1:], others, strict=True) if cell]
        yield from (".TP", _line(first), _filled("; ".join(named) if len(others) > 1 else others[0]))


def _verbatim(text: str) -> list[str]:
    lines = [_line(escaped(line)) for line in text.rstrip("\n").split("\n")]
    return [".PP", ".RS 4", ".nf", *lines, ".fi", ".RE"]


def _inline(node: Node) -> str:
    """Text with its fonts."""
    return "".join([INLINE[child.type](child) for child in node.children])


def _link(node: Node) -> str:
    name, address = linked(str(node.attrs["href"])), node.attrs["href"]
    return rf"\fI{_inline(node)}\fR" + escaped(f", gradcli-{name}(7)" if name else f" ({address})")


BLOCKS: dict[str, Callable[[Node], Iterable[str]]] = {  # what our Markdown is made of
    "heading": _section,
    "paragraph": _paragraph,
    "bullet_list": _list,
    "ordered_list": _list,
    "table": _table,
    "fence": lambda node: _verbatim(node.content),
    "code_block": lambda node: _verbatim(node.content),
}
INLINE: dict[str, Callable[[Node], str]] = {
    "inline": _inline,
    "text": lambda node: escaped(node.content),
    "softbreak": lambda _: " ",
    "code_inline": lambda node: rf"\fB{escaped(node.content)}\fR",
    "strong": lambda node: rf"\fB{_inline(node)}\fR",
    "em": lambda node: rf"\fI{_inline(node)}\fR",
    "image": lambda node: rf"\fI{escaped(node.content)}\fR",
    "link": _link,
}


def _filled(text: str) -> str:
    """A paragraph, in short lines."""
    return "\n".join(map(_line, wrap(text, 78, break_long_words=False, break_on_hyphens=False)))


def _line(text: str) -> str:
    """A line of text: one that begins like a request is told from one."""
    text = text.rstrip()
    return rf"\&{text}" if text.startswith((".", "'")) or not text else text
