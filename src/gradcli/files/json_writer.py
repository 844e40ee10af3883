"""JSON Lines, written: new fields before the last brace of a row as it was, or every field of rows from elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from gradcli.errors import FileError
from gradcli.text import escape, json_number

from .table import Results, Rows

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)


class Literal(str):
    """A number of JSON as it was written."""


def strict(value: Any) -> str:
    """A value as strict JSON: numbers as they were written, non-finite ones and what JSON does not know as texts."""
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join([f"{strict(str(key))}: {strict(field)}" for key, field in value.items()]) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(strict, value)) + "]"
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    elif isinstance(value, float):
        value = json_number(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def appended(rows: Rows, results: Results, new: Sequence[str], line: Callable[[int], str]) -> bytes:
    """Rows of JSON Lines as they were, with the new fields after their own.

    `line` names the line of a row, for the FileError where it has a field of such a name already.
    """
    taken = set(new)
    written = []
    for row, (old, more) in enumerate(zip(rows.kept, _new_fields(results, rows.length, new), strict=True)):
        if not taken.isdisjoint(old.fields):
            (name, *_) = taken & set(old.fields)
            raise FileError(f"{line(row)}: there is a key {escape(name)} already", hint="--prefix renames the new ones")
        start = old.text[:-1].rstrip() + (", " if old.fields and more else "") if old.text else "{"
        written.append(f"{start}{more}}}\n")
    return "".join(written).encode()


def from_cells(cells: Any, results: Results, new: Sequence[str], numeric: Collection[str]) -> bytes:
    """A record batch and its new columns as JSON Lines.

    The text in a `numeric` column is written as a number, digit for digit, where it is a number of JSON.
    """
    keys = [strict(name) for name in cells.schema.names]
    columns = [
        [cell if name in numeric and _NUMBER.fullmatch(cell or "") else strict(cell) for cell in column.to_pylist()]
        for name, column in zip(cells.schema.names, cells.columns, strict=True)
    ]
    written = []
    for more, *row in zip(_new_fields(results, cells.num_rows, new), *columns, strict=True):
        fields = [f"{key}: {cell}" for key, cell in zip(keys, row, strict=True)]
        written.append("{" + ", ".join([*fields, more] if more else fields) + "}\n")
    return "".join(written).encode()


def _new_fields(results: Results, count: int, new: Sequence[str]) -> Iterable[str]:
    """The new fields of each row, without braces: numbers as json.dumps has them, null where there is no result."""
    if not new:
        return [""] * count
    fields = ", ".join([f"{strict(name)}: ".replace("%", "%%") + "%s" for name in new])
    columns = [_cells(column, results.bad) for column in results.columns]
    return [fields % cells for cells in zip(*columns, strict=True)]


def _cells(column: Any, bad: Collection[int]) -> list[str]:
    """The cells of a new column. orjson writes most numbers as json.dumps does, in a tenth of the time; the others are written one by one."""
    if not len(column):
        return []
    if column.dtype == object:
        cells = [None if row in bad else cell for row, cell in enumerate(column.tolist())]
        return [strict(cell) for cell in cells]
    written: list[str] = orjson.dumps(column.tolist())[1:-1].decode().split(",")
    with np.errstate(invalid="ignore"):
        size = np.abs(column)
        odd = np.flatnonzero(~((size >= 1e-4) & (size < 1e16)))
    for row in odd.tolist():
        written[row] = json.dumps(json_number(float(column[row])))
    for row in bad:
        written[row] = "null"
    return written
