"""Arrow record batches in, record batches with the new columns out: for Parquet, for clusters, for Spark.

df.mapInArrow(map_in_arrow("a*b"), "a double, b double, value double, d_a double, d_b double")
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gradcli.errors import UsageError
from gradcli.extras import load

from .rows import Bad, Batch, Found, check_new, compute, plan


def map_in_arrow(
    formula: str,
    bound: Mapping[str, float] | None = None,
    *,
    wrt: Sequence[str] | None = None,
    outputs: Sequence[str] = (),
    value: bool = True,
    prefix: str = "",
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function from an iterator of record batches to one of record batches with the new columns, as Spark wants it.

    The arguments are those of `batch.plan`. The function can be pickled: what travels is the text of the formula. In
    a row without a result the new columns are null. The function raises UsageError, when it meets the first batch,
    for a column that is not there or holds no numbers.
    """
    options = {"wrt": wrt, "outputs": tuple(outputs), "value": value, "prefix": prefix}
    return partial(_map, formula, bound or {}, options)


def _map(formula: str, bound: Mapping[str, float], options: Mapping[str, Any], batches: Iterator[Any]) -> Iterator[Any]:
    batch: Batch | None = None
    for records in batches:
        if batch is None:
            batch = plan(formula, records.schema.names, bound, **options)
            check_new(batch, records.schema.names)
            check_types(records.schema, batch.columns)
        yield append(batch, records)


def check_types(schema: Any, names: Collection[str]) -> None:
    """Raise UsageError if one of these columns of an Arrow schema holds anything but numbers."""
    types = load("pyarrow").types
    for name in names:
        kind = schema.field(name).type
        kind = kind.value_type if types.is_dictionary(kind) else kind
        if not any(is_kind(kind) for is_kind in (types.is_integer, types.is_floating, types.is_decimal)):
            raise UsageError(f"the column {name} holds {kind}, not numbers")


def read_columns(records: Any, used: Mapping[str, str]) -> tuple[dict[str, Any], dict[int, Bad]]:
    """The numbers in some columns of a record batch as float64 arrays, and the rows in which one is missing.

    `used` are the columns by the names of the variables that stand for them.
    """
    pa, np = load("pyarrow"), load("numpy")
    numbers: dict[str, Any] = {}
    bad: dict[int, Bad] = {}
    for name, title in used.items():
        column = records.column(title)
        numbers[name] = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        if column.null_count:
            for row in np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False)).tolist():
                bad.setdefault(row, Bad(title, "the cell is empty"))
    return numbers, bad


def append(batch: Batch, records: Any) -> Any:
    """A record batch with the new columns after its own, null where a row has no result.

    The columns have the names of the variables, and hold numbers (`check_types`).
    """
    numbers, bad = read_columns(records, {name: name for name in batch.columns})
    return with_columns(records, batch.new, compute(batch, numbers, records.num_rows, bad))


def with_columns(records: Any, new: Sequence[str], found: Found) -> Any:
    """The record batch with the new columns after its own, null where a row has no result."""
    pa = load("pyarrow")
    arrays = [*records.columns, *arrow_columns(found, records.num_rows)]
    return pa.RecordBatch.from_arrays(arrays, schema=new_schema(records.schema, new))


def new_schema(schema: Any, new: Sequence[str]) -> Any:
    """The schema with the new columns after its own."""
    pa = load("pyarrow")
    return pa.schema([*schema, *(pa.field(name, pa.float64()) for name in new)], metadata=schema.metadata)


def arrow_columns(found: Found, count: int) -> list[Any]:
    """The new columns as Arrow arrays, null where a row has no result."""
    pa, np = load("pyarrow"), load("numpy")
    if not found.bad:
        return [pa.array(column) for column in found.columns]
    mask = np.zeros(count, dtype=bool)
    mask[list(found.bad)] = True
    return [pa.array(column, mask=mask) for column in found.columns]
