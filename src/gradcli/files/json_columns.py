"""JSON Lines as columns: of texts, each as it was written, or of kinds that hold every value exactly."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from gradcli.errors import FileError
from gradcli.text import escape

from .cells import quoted
from .json_objects import Line, encodable, read_object
from .json_writer import Literal, strict
from .table import Rows


def kinds_of(lines: Iterable[Line]) -> dict[str, type]:
    """The keys, each with the kind of a column that holds its values exactly: float, bool or str."""
    seen: dict[str, set[type]] = {}
    for line in lines:
        for key, value in line.fields.items():
            seen.setdefault(key, set()).update(() if value is None else (_kind(value),))
    return {key: next(iter(kinds)) if len(kinds) == 1 else str for key, kinds in seen.items()}


def _kind(value: Any) -> type:
    if isinstance(value, bool):
        return bool
    if isinstance(value, Literal):
        number = float(value)
        whole = value.lstrip("-").isdigit()
        return float if math.isfinite(number) and (not whole or int(number) == int(value)) else str
    return float if isinstance(value, float | int) and float(value) == value else str


def as_texts(rows: Rows, names: Collection[str], line: Callable[[int], str]) -> Any:
    """The fields of some rows as a record batch of texts, each as it was written: JSON for lists and objects, null for
    null and what is missing. Raises FileError for a field that is in none of the columns.
    """
    _check_keys(rows, names, line)
    fields = _as_written(rows)
    return pa.RecordBatch.from_arrays([_texts([row.get(name) for row in fields]) for name in names], names=list(names))


_SEVERAL: dict[type, str] = {float: "numbers", bool: "truth values"}


def as_typed(rows: Rows, kinds: Mapping[str, type], numbers: Mapping[str, Any], line: Callable[[int], str]) -> Any:
    """The same in columns of these kinds; those in `numbers` are these arrays, with null for nan.

    Raises FileError for a value that its column cannot hold exactly.
    """
    _check_keys(rows, kinds, line)
    written = functools.cache(lambda: _as_written(rows))

    def column(name: str, kind: type) -> Any:
        if name in numbers:
            return pa.array(numbers[name], pa.float64(), mask=np.isnan(numbers[name]))
        if kind is str:
            return _texts([fields.get(name) for fields in written()])
        values = [old.fields.get(name) for old in rows.kept]
        for row, value in enumerate(values):
            if value is not None and _kind(value) is not kind:
                what = (
                    f"{line(row)}: {escape(name)} is {quoted(strict(value))}, and {_SEVERAL[kind]} in the rows before"
                )
                raise FileError(what, hint="a column of Parquet holds one kind; --to jsonl keeps every cell as it is")
        if kind is bool:
            return pa.array(values, pa.bool_())
        return pa.array([None if value is None else float(value) for value in values], pa.float64())

    return pa.RecordBatch.from_arrays([column(*item) for item in kinds.items()], names=list(kinds))


def _check_keys(rows: Rows, names: Collection[str], line: Callable[[int], str]) -> None:
    known = set(names)
    for row, old in enumerate(rows.kept):
        if not known.issuperset(old.fields):
            name = next(key for key in old.fields if key not in known)
            raise FileError(f"{line(row)}: {escape(name)} is not a column", hint="the first rows set the columns")


def _as_written(rows: Rows) -> list[Mapping[str, Any]]:
    """The fields with every digit of their numbers."""
    several = [read_object(line.text, "") if line.plain else line.fields for line in rows.kept]
    return [fields for fields in several if not isinstance(fields, str)]  # that is, all


def column(rows: Rows, name: str) -> list[str | None]:
    """The fields of a key in some rows, each as it was written."""
    return [_text(fields.get(name)) for fields in _as_written(rows)]


def _texts(values: Sequence[Any]) -> Any:
    return pa.array([_text(value) for value in values], pa.string())


def _text(value: Any) -> str | None:
    """A value as text; a number digit for digit."""
    if value is None:
        return None
    return encodable(str(value) if isinstance(value, str) else strict(value))
