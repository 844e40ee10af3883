"""JSON Lines, read: an object a line. A row is kept as its text, beside its fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import orjson

from .csv_records import BOM, Block, Layout, lines_of
from .json_columns import kinds_of
from .json_objects import Line, field_number, plain_object, read_object
from .streams import decoded, name_of
from .table import Bad, Rows


def kinds_in(layout: Layout, first: Iterable[Block]) -> dict[str, type]:
    """The keys in some blocks, each with the kind of a column that holds its values."""
    return kinds_of([line for block in first for line in _lines(layout, block)[0]])


def blocks(layout: Layout, source: Iterable[bytes]) -> Iterator[Block]:
    """Cut pieces of a file into blocks of whole lines."""
    rest, line = b"", 1
    for piece in source:
        end = piece.rfind(b"\n") + 1
        end += len(rest) if end else 0
        rest += piece
        if end:
            yield Block(rest[:end], line)
            line += rest.count(b"\n", 0, end)
            rest = rest[end:]
    if rest.strip():
        yield Block(rest + b"\n", line)


def rows(layout: Layout, block: Block, used: Mapping[str, str]) -> Rows:
    """The rows of a block; `used` are the keys to read by the variables that stand for them."""
    kept, starts, bad = _lines(layout, block)
    numbers = {name: np.full(len(kept), np.nan) for name in used}
    for name, key in used.items():
        values = [line.fields.get(key) for line in kept]
        if set(map(type, values)) <= {float, int}:
            numbers[name] = np.array(values, float)
            continue
        for row, line in enumerate(kept):
            number = field_number(line.fields, key)
            if isinstance(number, str):
                bad.setdefault(row, Bad(key, number))
            else:
                numbers[name][row] = number
    return Rows(len(kept), numbers, bad, starts, kept, len(block.data))


def _lines(layout: Layout, block: Block) -> tuple[list[Line], list[int], dict[int, Bad]]:
    """The rows of a block, the number of the line of each, and those that hold no object."""
    kept: list[Line] = []
    starts: list[int] = []
    bad: dict[int, Bad] = {}
    data = block.data.removeprefix(BOM) if block.line == 1 else block.data
    for number, text in enumerate(lines_of(decoded(layout.path, data, block.line)), block.line):
        text = text.strip(" \t\r\n")
        if not text:
            continue
        plain = plain_object(text, orjson.loads)
        if plain is not None:
            kept.append(Line(text, plain, plain=True))
            starts.append(number)
            continue
        fields = read_object(text, f"{name_of(layout.path)}:{number}")
        if isinstance(fields, str):
            bad[len(kept)] = Bad("", fields)
        kept.append(Line("", {}) if isinstance(fields, str) else Line(text, fields))
        starts.append(number)
    return kept, starts, bad
