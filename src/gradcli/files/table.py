"""What the formats have in common: a table is read in blocks of rows, and rows give numbers, or say why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gradcli.extras import load
from gradcli.text import shortest

from .arrow import arrow_columns
from .rows import Bad, Found


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
    """The new cells as Arrow arrays of text, which joined are what follows in each row: every cell after a delimiter.

    Cells are empty in a row that has no result. orjson writes numbers in a third of Arrow's time, all those of a row at
    once, where it writes them as `shortest` does; the others are written one by one, or by Arrow where they are many.
    """
    np, _ = load("numpy"), load("orjson")  # which is missed before the first row, not at the first that needs it
    bad = np.fromiter(found.bad, np.intp, len(found.bad))
    written: list[Any] = []
    together: list[Any] = []
    odd = np.zeros(count, bool)  # in one of them
    for column in found.columns:
        here = _odd(column, bad)
        if np.count_nonzero(odd | here) > count // 8:
            written += _rows_of_text(together, odd, bad, delimiter)
            together, odd = [], np.zeros(count, bool)
        if np.count_nonzero(here) > count // 8:
            written.append(_column_of_text(column, bad, delimiter))
        else:
            together.append(column)
            odd |= here
    return written + _rows_of_text(together, odd, bad, delimiter)


def _odd(numbers: Any, bad: Any) -> Any:
    """Where orjson writes a number not as `shortest` does, or there is none to write."""
    np = load("numpy")
    with np.errstate(invalid="ignore"):
        size = np.abs(numbers)
        odd = ~((size >= 1e-4) & (size < 1e16) & (numbers != np.rint(numbers)))
    odd[bad] = True
    return odd


def _column_of_text(numbers: Any, bad: Any, delimiter: str) -> Any:
    pc = load("pyarrow.compute")
    (column,) = arrow_columns(Found((numbers,), dict.fromkeys(bad.tolist())), len(numbers))  # type: ignore[arg-type]
    return pc.binary_join_element_wise("", number_texts(column).fill_null(""), delimiter)


def _rows_of_text(columns: Sequence[Any], odd: Any, bad: Any, delimiter: str) -> list[Any]:
    """Neighbouring columns, which are `odd` in some rows, as one array of text; none if there are no columns."""
    if not columns:
        return []
    pa, pc, np, orjson = load("pyarrow"), load("pyarrow.compute"), load("numpy"), load("orjson")
    numbers = np.column_stack(columns)
    codes = np.array(np.frombuffer(orjson.dumps(numbers.ravel(), option=orjson.OPT_SERIALIZE_NUMPY), np.uint8))
    codes[0] = ord(",")  # was a bracket, as is the last
    commas = np.flatnonzero(codes[:-1] == ord(","))
    if delimiter != ",":
        codes[commas] = ord(delimiter)
    offsets = np.append(commas[:: len(columns)], len(codes) - 1).astype(np.int32)
    written = pa.Array.from_buffers(pa.string(), len(numbers), [None, pa.py_buffer(offsets), pa.py_buffer(codes)])
    if odd.any():
        without = set(bad.tolist())
        rows = zip(np.flatnonzero(odd).tolist(), numbers[odd].tolist(), strict=True)
        others = [
            "".join([delimiter + ("" if row in without else shortest(number)) for number in cells])
            for row, cells in rows
        ]
        written = pc.replace_with_mask(written, odd, pa.array(others, pa.string()))
    return [written]


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
