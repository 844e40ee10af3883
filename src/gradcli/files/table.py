"""What the formats have in common: a table is read in blocks of rows, and rows give numbers, or say why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..arrow import arrow_columns
from ..batch import Bad, Found
from ..extras import load
from ..numbers import shortest


class Rows(NamedTuple):
    """Some rows.

    numbers  the columns that were asked for as float64 arrays, nan where a cell is none
    bad      the rows in which a cell is no number, and why
    lines    the line of the file that each row begins in
    kept     the rows as they were, for a writer of the same format
    size     how much of the input they took, in the unit of `Table.size`
    cells    makes an Arrow record batch of the rows, where `kept` is none and the format has cells
    """

    length: int
    numbers: Mapping[str, Any]
    bad: Mapping[int, Bad]
    lines: Sequence[int]
    kept: Any
    size: int
    cells: Callable[[], Any] | None = None


class Table(NamedTuple):
    """A file of rows.

    names   its columns, as they are called in messages and in the output
    head    what comes before the rows in a file of the same format
    blocks  pieces of the file with whole rows in them; to be read once, in order
    rows    reads a block; `used` are the columns by the names of the variables that stand for them
    size    how large the input is, in bytes or rows, or None where nobody knows
    start   where in the file the blocks begin, if they are bytes
    """

    path: str
    format: str
    names: tuple[str, ...]
    head: Any
    blocks: Iterator[Any]
    rows: Callable[[Any, Mapping[str, str]], Rows]
    size: int | None
    start: int = 0


def texts(found: Found, count: int, delimiter: str) -> list[Any]:
    """The new columns as Arrow arrays of text, each cell after a delimiter, empty where a row has no result."""
    np = load("numpy")
    bad = np.fromiter(found.bad, np.intp, len(found.bad))
    return [_after_delimiters(np.ascontiguousarray(column), bad, delimiter) for column in found.columns]


def _after_delimiters(numbers: Any, bad: Any, delimiter: str) -> Any:
    """The numbers as text after delimiters: written by orjson, which takes a third of Arrow's time, where it writes a
    number as `shortest` does; the others one by one, or all by Arrow where they are many."""
    pa, pc, np, orjson = load("pyarrow"), load("pyarrow.compute"), load("numpy"), load("orjson")
    with np.errstate(invalid="ignore"):
        size = np.abs(numbers)
        alike = (size >= 1e-4) & (size < 1e16) & (numbers != np.rint(numbers))
    alike[bad] = False
    odd = np.flatnonzero(~alike)
    if len(odd) > len(numbers) // 8:
        (column,) = arrow_columns(Found((numbers,), dict.fromkeys(bad.tolist())), len(numbers))  # type: ignore[arg-type]
        return pc.binary_join_element_wise("", number_texts(column).fill_null(""), delimiter)
    codes = np.frombuffer(b"," + orjson.dumps(numbers, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1], np.uint8)
    offsets = np.append(np.flatnonzero(codes == ord(",")), len(codes)).astype(np.int32)
    if delimiter != ",":
        codes = codes.copy()
        codes[offsets[:-1]] = ord(delimiter)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(codes)]
    written = pa.Array.from_buffers(pa.string(), len(numbers), buffers)
    if not len(odd):
        return written
    without = set(bad.tolist())
    others = [delimiter + ("" if row in without else shortest(numbers[row])) for row in odd.tolist()]
    return pc.replace_with_mask(written, ~alike, pa.array(others))


def number_texts(column: Any) -> Any:
    """An Arrow array of float64 as text, digit for digit as `shortest` prints it."""
    pa, pc, np = load("pyarrow"), load("pyarrow.compute"), load("numpy")
    written = pc.cast(column, pa.string())
    numbers = column.to_numpy(zero_copy_only=False)
    size = np.abs(numbers)
    # Arrow sets exponents from 1e10 and 1e-7 on, and writes them with as few digits as will do
    unlike = ((size < 1e-4) & (size > 0)) | ((size >= 1e10) & (size < np.inf))
    if not unlike.any():
        return written
    return pc.replace_with_mask(written, unlike, pa.array([shortest(number) for number in numbers[unlike].tolist()]))
