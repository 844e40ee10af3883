"""The functions of the language, in every format: what each is, its derivatives from the rules, where it is defined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.autodiff.ops import ALIASES, CONSTANTS, Op
from gradcli.text import rounded
from gradcli.trace.local_formulas import partial_formulas

from . import markdown
from .style import GRAD, HEADING, INPUT, QUIET
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text

LONGEST_DOC = 38  # a longer description has the derivatives on lines of their own


class FunctionsView(NamedTuple):
    """Rows of the table, by group; those of one name, `alone`, are shown with everything that is known of it."""

    rows: Sequence[Op]
    alone: bool = False

    def plain(self) -> Iterator[Row]:
        """Signature, parameter, derivative by it; one row without these for a function that has no gradient."""
        for row in self.rows:
            for parameter, formula in partial_formulas(row).items() or [("", "")]:
                yield row.signature, parameter, formula

    def json(self) -> dict[str, Any]:
        return {"functions": [_record(row) for row in self.rows]}

    def pretty(self, look: Look) -> Iterator[Text]:
        if not self.alone:
            return _list(self.rows, look)
        return chain.from_iterable(_detail(row, look.width) for row in self.rows)

    def markdown(self, look: Look) -> Iterator[str]:
        for group in dict.fromkeys(row.group for row in self.rows):
            yield f"## {group}"
            rows = [_markdown_row(row) for row in self.rows if row.group == group]
            header = ["function", "", "derivatives", "domain", "where not differentiable"]
            yield markdown.table(header, rows, left=range(5))


def _markdown_row(row: Op) -> list[str]:
    texts = [markdown.plain(text) for text in (row.doc, row.domain, row.convention)]
    return [markdown.code(row.signature), texts[0], _slopes(row), *texts[1:]]


def _slopes(row: Op) -> str:
    formulas = partial_formulas(row)
    return ", ".join(markdown.code(f if len(formulas) == 1 else f"d/d{name}: {f}") for name, f in formulas.items())


def _spellings(row: Op) -> list[str]:
    return [alias for alias, name in ALIASES.items() if name == row.name]


def _record(row: Op) -> dict[str, Any]:
    return {
        "signature": row.signature,
        "group": row.group,
        "doc": row.doc,
        "derivatives": partial_formulas(row),
        "domain": row.domain,
        "convention": row.convention,
        "spellings": _spellings(row),
    }


def _list(rows: Sequence[Op], look: Look) -> Iterator[Text]:
    from .columns import line
    from .folding import hanging

    group, left = "", max(len(row.signature) for row in rows)
    for row in rows:
        if row.group != group:
            yield from [line()] if group else []
            group = row.group
            yield line((group, HEADING))
        yield from _entry(row, left, look.width)
    constants = ", ".join(f"{name} = {rounded(value)}" for name, value in CONSTANTS.items() if name.isascii())
    spellings = ", ".join(f"{alias} is {name}" for alias, name in ALIASES.items())
    yield line()
    notes = [
        "Derivatives: diff(expr, x) by the name x, diff(expr, x, n) the n-th; anywhere in an expression",
        f"Constants: {constants}",
        f"Other spellings: {spellings}",
    ]
    for note in notes:
        yield from hanging(line(), note, "", look.width, 2)


def _entry(row: Op, left: int, width: int | None) -> Iterator[Text]:
    """A function on one line, or with its derivatives on lines of their own where they have no room."""
    from .columns import line
    from .folding import hanging

    formulas = partial_formulas(row)
    slopes = [
        formula if len(formulas) == 1 else f"d/d{parameter}: {formula}" for parameter, formula in formulas.items()
    ]
    parts = [("  ", ""), (row.signature.ljust(left), INPUT), ("  ", ""), (row.doc, QUIET)]
    slopes = slopes or ["no gradient"]
    beside = ", ".join(slopes)
    start = left + 4 + LONGEST_DOC
    gap = start - sum(len(text) for text, _ in parts)
    if gap > 1 and (width is None or start + len(beside) <= width):
        yield line(*parts, (" " * gap, ""), (beside, GRAD))
    else:
        yield from hanging(line(*parts[:3]), row.doc, QUIET, width)
        for slope in slopes:
            yield from hanging(line((" " * (left + 4), "")), slope, GRAD, width, 2)


def _detail(row: Op, width: int | None) -> Iterator[Text]:
    from .columns import line
    from .folding import hanging

    facts = [("is", row.doc)] + [(f"d/d{parameter}", formula) for parameter, formula in partial_formulas(row).items()]
    facts += [
        ("domain", row.domain or "every number"),
        ("where not differentiable", row.convention),
        ("also written", ", ".join(_spellings(row))),
    ]
    left = max(len(name) for name, text in facts if text)
    yield line((row.signature, HEADING))
    for name, text in facts:
        if text:
            style = GRAD if name.startswith("d/d") else ""
            yield from hanging(line(("  ", ""), (name.ljust(left), QUIET), ("  ", "")), text, style, width)
