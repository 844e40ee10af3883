"""Arrow record batches: the numbers in their columns, and new columns after them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from gradcli.errors import UsageError

from .table import Bad, New, Results


def check_types(schema: Any, names: Collection[str]) -> None:
    """Raise UsageError if one of these columns of an Arrow schema holds anything but numbers."""
    for name in names:
        kind = schema.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if not any(is_kind(kind) for is_kind in (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)):
            raise UsageError(f"the column {name} holds {kind}, not numbers")


def read_columns(records: Any, used: Mapping[str, str]) -> tuple[dict[str, Any], dict[int, Bad]]:
    """The numbers in some columns of a record batch as float64 arrays, and the rows in which one is missing.

    `used` are the columns by the names of the variables that stand for them.
    """
    numbers: dict[str, Any] = {}
    bad: dict[int, Bad] = {}
    for name, title in used.items():
        column = records.column(title)
        numbers[name] = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        if column.null_count:
            for row in np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False)).tolist():
                bad.setdefault(row, Bad(title, "the cell is empty"))
    return numbers, bad


def with_columns(records: Any, new: New, results: Results) -> Any:
    """The record batch with the new columns after its own, null where a row has no result."""
    schema = new_schema(records.schema, new)
    mask = np.zeros(records.num_rows, bool)
    mask[list(results.bad)] = True
    more = [_array(column, mask, kind) for column, kind in zip(results.columns, new.values(), strict=True)]
    return pa.RecordBatch.from_arrays([*records.columns, *more], schema=schema)


def _array(column: Any, mask: Any, kind: type) -> Any:
    if column.dtype == object:
        column = np.where(mask, None, column)
        return pa.array(column.tolist(), _TYPES[kind])
    return pa.array(column, mask=mask) if mask.any() else pa.array(column)


def new_schema(schema: Any, new: New) -> Any:
    """The schema with the new columns after its own."""
    return pa.schema([*schema, *schema_of(new)], metadata=schema.metadata)


_TYPES = {float: pa.float64(), bool: pa.bool_(), str: pa.string()}


def schema_of(kinds: New) -> Any:
    """The types of columns of these kinds."""
    return pa.schema([(name, _TYPES[kind]) for name, kind in kinds.items()])
