"""Arrow record batches in, record batches with the new columns out: for Parquet, for clusters, for Spark.

df.mapInArrow(map_in_arrow("a*b"), "a double, b double, value double, d_a double, d_b double")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gradcli.extras import load


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

    The arguments are those of `rows.plan`. The function can be pickled: what travels is the text of the formula. In
    a row without a result the new columns are null. The function raises UsageError, when it meets the first batch,
    for a column that is not there or holds no numbers.
    """
    options = {"wrt": wrt, "outputs": tuple(outputs), "value": value, "prefix": prefix}
    return partial(_map, formula, bound or {}, options)


def _map(formula: str, bound: Mapping[str, float], options: Mapping[str, Any], batches: Iterator[Any]) -> Iterator[Any]:
    load("numpy"), load("pyarrow")  # which are missed here, where rows are computed, and not where the function is made
    from .record_batches import check_types, read_columns, with_columns
    from .rows import PREFIX, compute, plan
    from .table import check_new

    batch = None
    for records in batches:
        if batch is None:
            batch = plan(formula, records.schema.names, bound, **options)
            check_new(batch.new, records.schema.names, PREFIX)
            check_types(records.schema, batch.columns)
        numbers, bad = read_columns(records, {name: name for name in batch.columns})
        yield with_columns(records, dict.fromkeys(batch.new, float), compute(batch, numbers, records.num_rows, bad))
