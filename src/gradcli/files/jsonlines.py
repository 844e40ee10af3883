"""JSON Lines, read: an object a line. A row is kept as its text, beside its fields."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

from ..batch import Bad
from ..errors import FileError, escape
from ..extras import load
from ..syntax import normal
from ..tables import quoted
from .delimited import decoded
from .json_written import Literal, strict
from .records import BOM, Block, Layout, lines_of
from .streams import name_of, pieces
from .table import Rows, Table

HUGE = 2.0**63


class Line(NamedTuple):
    """A row as it was: the text of its object ("" where the line holds none) and its fields.

    The numbers among these are Literals, or those of a `plain` line floats and ints.
    """

    text: str
    fields: Mapping[str, Any]
    plain: bool = False


def table(path: str, size: int | None) -> Table:
    """The table in a file of JSON Lines; its columns, and their kinds for Parquet, are those of the first rows.

    These are as many as come at once; of a file also a last row without a line end.
    """
    layout = Layout(path, "")
    found = blocks(layout, pieces(path))
    first = list(islice(found, 1 if path == "-" else 2))
    kinds = kinds_of([line for block in first for line in _lines(layout, block)[0]])
    return Table(path, "jsonl", tuple(kinds), kinds, chain(first, found), partial(rows, layout), size)


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
    np = load("numpy")
    kept, starts, bad = _lines(layout, block)
    numbers = {name: np.full(len(kept), np.nan) for name in used}
    for name, key in used.items():
        found = [line.fields.get(key) for line in kept]
        if set(map(type, found)) <= {float, int}:
            numbers[name] = np.array(found, float)
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
    loads = load("orjson").loads
    for number, text in enumerate(lines_of(decoded(layout.path, data, block.line)), block.line):
        text = text.strip(" \t\r\n")
        if not text:
            continue
        plain = _plain_object(text, loads)
        if plain is not None:
            kept.append(Line(text, plain, plain=True))
            starts.append(number)
            continue
        found = _object(text, f"{name_of(layout.path)}:{number}")
        if isinstance(found, str):
            bad[len(kept)] = Bad("", found)
        kept.append(Line("", {}) if isinstance(found, str) else Line(text, found))
        starts.append(number)
    return kept, starts, bad


def _plain_object(text: str, loads: Callable[[str], Any]) -> dict[str, Any] | None:
    """The fields of an object without lists, objects and escapes in it, as orjson reads them, ten times as fast as
    `_object`; None for any other text, for a key that is there twice, and for the number -0.
    """
    if "\\" in text:
        return None
    try:
        found = loads(text)
    except ValueError:
        return None
    if found.__class__ is not dict or not (text.isascii() or all(map(str.isascii, found))):
        return None
    strings = len(found)
    for value in found.values():
        kind = value.__class__
        if kind is str:
            strings += 1
        elif kind is float:
            if not -HUGE < value < HUGE:  # orjson makes a float of an integer too, where it is so large
                return None
        elif kind is dict or kind is list or (kind is int and not value and "-0" in text):
            return None
    return found if text.count('"') == 2 * strings else None


def _object(text: str, place: str) -> Mapping[str, Any] | str:
    """The fields of an object, or why the line holds none. Raises FileError for a key that is there twice."""

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [_encodable(normal(key)) for key, _ in pairs]
        found = dict(zip(keys, [value for _, value in pairs], strict=True))
        if len(found) < len(pairs):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise FileError(f"{place}: the key {escape(twice)} is there twice")
        return found

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is not JSON")

    try:
        found = json.loads(
            text, object_pairs_hook=fields, parse_float=Literal, parse_int=Literal, parse_constant=refuse
        )
    except json.JSONDecodeError as problem:
        return f"not JSON: {problem.msg.lower()} at column {problem.colno}"
    except RecursionError:
        return "JSON that is nested too deep"
    except ValueError as problem:
        return str(problem)
    return found if isinstance(found, dict) else f"{quoted(text)} is not an object"


def field_number(fields: Mapping[str, Any], key: str) -> float | str:
    """The number in a field, or why there is none. The texts that stand for inf in strict JSON are numbers too."""
    if key not in fields:
        return "the key is missing"
    found = fields[key]
    if isinstance(found, float | int) and not isinstance(found, bool):
        return float(found)
    if isinstance(found, Literal):
        number = float(found)
        return number if number - number == 0 else f"{quoted(found)} is too large for binary64"
    if found in ("Infinity", "-Infinity"):
        return float(found)
    if isinstance(found, str):
        return f"the text {quoted(found)} is not a number"
    return f"{quoted(strict(found))} is not a number"


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
    found = [_object(line.text, "") if line.plain else line.fields for line in rows.kept]
    return [fields for fields in found if not isinstance(fields, str)]  # that is, all


def _texts(values: Sequence[Any]) -> Any:
    """Each value as text; a number digit for digit."""
    pa = load("pyarrow")
    texts = [v if v is None else str(v) if isinstance(v, str) else strict(v) for v in values]
    return pa.array([text if text is None else _encodable(text) for text in texts], pa.string())


def _encodable(text: str) -> str:
    """A text without halves of a character: JSON may write one alone, as an escape, and UTF-8 cannot."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
