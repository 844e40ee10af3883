"""The inputs of a kernel, and the columns that it fills: numbers beside columns of float64 of one length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gradcli.errors import UsageError


def read_inputs(names: Iterable[str], given: Mapping[str, Any]) -> tuple[dict[str, float], dict[str, Any], int | None]:
    """Which of the names are numbers, which are columns, and how many rows these have (None without columns).

    Raises UsageError for what is not a column of numbers, and for columns of different lengths.
    """
    numbers: dict[str, float] = {}
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(names):
        array = _array(name, given[name])
        if array.ndim > 1:
            raise UsageError(f"{name} has {array.ndim} dimensions: a column has one")
        if array.ndim:
            columns[name] = np.ascontiguousarray(array)
        else:
            numbers[name] = float(array)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise UsageError(f"the columns differ in length: {listed}")
    return numbers, columns, next(iter(lengths.values()), None)


def _array(name: str, numbers: Any) -> Any:
    array = np.asarray(numbers)
    if array.dtype.kind not in "fiub":
        raise UsageError(f"{name} is not a column of numbers")
    return array.astype(float, copy=False)


def uninitialised(count: int, rows: int) -> list[Any]:
    """Uninitialised columns: small ones of one piece of memory, as several would take longer to get than to fill.

    The C library hands pieces at the end of its heap back to the system each time, which clears them page by page,
    and by huge pages from 4 MiB on. In one piece the columns start a cache line apart from powers of two.
    """
    if 8 * rows >= 1 << 22:
        return [np.empty(rows) for _ in range(count)]
    return [row[:rows] for row in np.empty((count, (rows + 15) // 8 * 8))]
