"""Sentences on the rows of a table: how many there were, and how many have no result."""

from __future__ import annotations

from typing import NamedTuple


class Count(NamedTuple):
    """The number of rows, of those in which a derivative is not a number, and of those without a result."""

    rows: int = 0
    undefined: int = 0
    bad: int = 0


def without(count: Count, result: str) -> str:
    """The sentence on the rows that have no result, or no prediction."""
    return f"{count.bad:,} of {count.rows:,} rows {'has' if count.bad == 1 else 'have'} no {result}"


def undefined(count: Count) -> str:
    """The note on derivatives that are not numbers."""
    rows = "row has" if count.undefined == 1 else "rows have"
    return f"note: {count.undefined:,} {rows} a derivative that is not a number"
