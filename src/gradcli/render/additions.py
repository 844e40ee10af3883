"""Additions to value and gradient, in every format: second derivatives, orders, directions, outputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gradcli.calculus.additions import Additions
from gradcli.text import derivative_name, json_number, json_numbers, rounded, shortest

from . import markdown
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text


def rows(added: Additions) -> Iterator[Row]:
    """Name, name, second derivative; name, order, derivative; `along`, direction, derivative; a block for each output."""
    for row, columns in (added.hessian or {}).items():
        yield from ((row, column, second) for column, second in columns.items())
    for name, numbers in (added.derivatives or {}).items():
        yield from ((name, str(order), number) for order, number in enumerate(numbers, 1))
    if added.direction is not None:
        yield "along", ",".join(f"{name}={shortest(x)}" for name, x in added.direction.items()), added.slope
    for output, (value, partials) in (added.outputs or {}).items():
        yield output, value
        yield from ((output, name, partial) for name, partial in partials.items())


def fields(added: Additions) -> dict[str, Any]:
    """The fields that are added to the object of `eval`."""
    content: dict[str, Any] = {}
    if added.hessian is not None:
        content["hessian"] = {row: json_numbers(columns) for row, columns in added.hessian.items()}
    if added.derivatives is not None:
        content["derivatives"] = {name: [json_number(x) for x in xs] for name, xs in added.derivatives.items()}
    if added.direction is not None:
        content["along"] = {"direction": json_numbers(added.direction), "derivative": json_number(added.slope)}
    if added.outputs is not None:
        content["outputs"] = {
            name: {"value": json_number(value), "gradient": json_numbers(partials)}
            for name, (value, partials) in added.outputs.items()
        }
    return content


def lines(added: Additions, look: Look) -> Iterator[Text]:
    """The lines below the tree."""
    from . import matrix

    parts = [
        () if added.hessian is None else matrix.hessian(added.hessian, look.precision),
        () if added.derivatives is None else matrix.orders(added.derivatives, look.precision),
        () if added.direction is None else matrix.along(added.direction, added.slope, look.precision),
        () if added.outputs is None else matrix.jacobian(_by_output(added), look.precision),
    ]
    for part in parts:
        for index, line in enumerate(part):
            if index == 0:
                yield matrix.EMPTY
            yield line


def blocks(added: Additions, look: Look) -> Iterator[str]:
    """The tables below that of value and gradient."""
    if added.hessian:
        yield _table(list(added.hessian), added.hessian, look)
    for name, numbers in (added.derivatives or {}).items():
        orders = [
            [markdown.code(derivative_name(name, n)), rounded(x, look.precision)] for n, x in enumerate(numbers, 1)
        ]
        yield markdown.table(["derivative", "value"], orders)
    if added.direction is not None:
        direction = ", ".join(f"{name} = {rounded(x, look.precision)}" for name, x in added.direction.items())
        yield markdown.table(
            ["direction", "derivative"], [[markdown.code(direction), rounded(added.slope, look.precision)]]
        )
    if added.outputs:
        rows = _by_output(added)
        yield _table(list(next(iter(rows.values()))), rows, look)


def _by_output(added: Additions) -> dict[str, dict[str, float]]:
    """The value and the partials of each output, by the headings of their columns."""
    return {
        name: {"value": value} | {f"d/d{by}": x for by, x in partials.items()}
        for name, (value, partials) in (added.outputs or {}).items()
    }


def _table(columns: list[str], rows: dict[str, dict[str, float]], look: Look) -> str:
    cells = [
        [markdown.code(name), *(rounded(row[key], look.precision) for key in columns)] for name, row in rows.items()
    ]
    return markdown.table(["", *map(markdown.code, columns)], cells)
