"""JSON Lines as columns: of texts, each as it was written, or of kinds that hold every value exactly."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from gradcli.errors import FileError
from gradcli.extras import load
from gradcli.text import escape

from .cells import quoted
from .json_objects import Line, encodable, read_object
from .json_writer import Literal, strict
from .table import Rows


def kinds_of(lines: Iterable[Line]) -> dict[str, str]:
    """The keys, each with the kind of a column that holds its values exactly: "number", "truth" or "text"."""
    found: dict[str, set[str]] = {}
    for line in lines:
        for key, value in line.fields.items():
            found.setdefault(key, set()).update(() if value is None else (_kind(value),))
    return {key: next(iter(kinds)) if len(kinds) == 1 else "text" for key, kinds in found.items()}


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, Literal):
        number = float(value)
        whole = value.lstrip("-").isdigit()
        return "number" if math.isfinite(number) and (not whole or int(number) == int(value)) else "text"
    return "number" if isinstance(value, float | int) and float(value) == value else "text"


def as_texts(rows: Rows, names: Collection[str], place: Callable[[int], str]) -> Any:
    """The fields of some rows as a record batch of texts, each as it was written: JSON for lists and objects, null for
    null and what is missing. Raises FileError for a field that is in none of the columns.
    """
    _check_keys(rows, names, place)
    fields = _as_written(rows)
    return load("pyarrow").RecordBatch.from_arrays(
        [_texts([one.get(name) for one in fields]) for name in names], names=list(names)
    )


_SEVERAL = {"number": "numbers", "truth": "truth values"}


def as_typed(rows: Rows, kinds: Mapping[str, str], numbers: Mapping[str, Any], place: Callable[[int], str]) -> Any:
    """The same in columns of these kinds; those in `numbers` are these arrays, with null for nan.

    Raises FileError for a value that its column cannot hold exactly.
    """
    pa, np = load("pyarrow"), load("numpy")
    _check_keys(rows, kinds, place)
    written = functools.cache(lambda: _as_written(rows))

    def column(name: str, kind: str) -> Any:
        if name in numbers:
            return pa.array(numbers[name], pa.float64(), mask=np.isnan(numbers[name]))
        if kind == "text":
            return _texts([fields.get(name) for fields in written()])
        values = [line.fields.get(name) for line in rows.kept]
        for row, value in enumerate(values):
            if value is not None and _kind(value) != kind:
                what = (
                    f"{place(row)}: {escape(name)} is {quoted(strict(value))}, and {_SEVERAL[kind]} in the rows before"
                )
                raise FileError(what, hint="a column of Parquet holds one kind; --to jsonl keeps every cell as it is")
        if kind == "truth":
            return pa.array(values, pa.bool_())
        return pa.array([None if value is None else float(value) for value in values], pa.float64())

    return pa.RecordBatch.from_arrays([column(*item) for item in kinds.items()], names=list(kinds))


def schema_of(kinds: Mapping[str, str]) -> Any:
    """The types of columns of these kinds."""
    pa = load("pyarrow")
    types = {"number": pa.float64(), "truth": pa.bool_(), "text": pa.string()}
    return pa.schema([(name, types[kind]) for name, kind in kinds.items()])


def _check_keys(rows: Rows, names: Collection[str], place: Callable[[int], str]) -> None:
    known = set(names)
    for row, line in enumerate(rows.kept):
        if not known.issuperset(line.fields):
            name = next(key for key in line.fields if key not in known)
            raise FileError(f"{place(row)}: {escape(name)} is no column", hint="the first rows set the columns")


def _as_written(rows: Rows) -> list[Mapping[str, Any]]:
    """The fields with every digit of their numbers."""
    found = [read_object(line.text, "") if line.plain else line.fields for line in rows.kept]
    return [fields for fields in found if not isinstance(fields, str)]  # that is, all


def _texts(values: Sequence[Any]) -> Any:
    """Each value as text; a number digit for digit."""
    pa = load("pyarrow")
    texts = [v if v is None else str(v) if isinstance(v, str) else strict(v) for v in values]
    return pa.array([text if text is None else encodable(text) for text in texts], pa.string())
