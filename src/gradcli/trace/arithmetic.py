"""Arithmetic for people: an operation with its numbers, and a sign before its result that is true as printed.

    3 * 4 = 12
    3 * 0.333333 ≈ 1

The sign is `=` if the numbers that are shown on the left give what is shown on the right, to the digits shown (an
integer exactly); it is `≈` if they do not, because they are rounded or the result is. What decimals cannot compute,
with an infinity or a nan in it, keeps its `=`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from functools import reduce

from gradcli.autodiff.ops import Op, add, mul
from gradcli.text import enclosed, given, rounded

from .trace import Node, Trace

TIMES = " × "
_EXACT = (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg)  # on decimals too
_DIGITS = 700  # more than the sum of the largest and the smallest number has


def data(node: Node, precision: int) -> str:
    """The value of a node; the user's own -0 keeps its sign."""
    return (rounded if node.kind == "op" else given)(node.data, precision)


def operation(row: Op, operands: Sequence[str], gap: str = " ") -> str:
    """An operation with the numbers it met, or with names: `(-2) ^ 2`, `-3`, `max(1, 2)`; a gap beside the sign."""
    if row.form == "infix":
        return f"{gap}{row.name}{gap}".join(map(enclosed, operands))
    if row.form == "prefix":
        return f"{row.name}{' ' if row.name.isalpha() else ''}{enclosed(operands[0])}"
    return f"{row.name}({', '.join(operands)})"


def computed(trace: Trace, node: Node, precision: int) -> str:
    """The computation of a node: the operation with the numbers it met."""
    row = trace.rows[node.id]
    if row is None:
        return "given" if node.kind == "input" else "constant"
    return operation(row, [data(trace.nodes[index], precision) for index in node.operands])


def computed_value(trace: Trace, node: Node, precision: int) -> tuple[str, str]:
    """The sign and the value after what `computed` says of an operation: " = " and "12"."""
    row, value = trace.rows[node.id], data(node, precision)
    assert row is not None
    return sign(row, [data(trace.nodes[index], precision) for index in node.operands], value, precision), value


def product(factors: Sequence[float], result: float, precision: int) -> tuple[str, str, str]:
    """A product of numbers, the sign after it and its result: "4 × 7", " = ", "28"."""
    texts, part = [rounded(number, precision) for number in factors], rounded(result, precision)
    return TIMES.join(map(enclosed, texts)), sign(mul, texts, part, precision), part


def sum_(before: float, part: float, total: float, precision: int) -> tuple[str, str, str]:
    """A sum of two numbers, the sign after it and its result: "28 + (-12)", " = ", "16"."""
    texts, result = [rounded(before, precision), rounded(part, precision)], rounded(total, precision)
    return f"{texts[0]} + {enclosed(texts[1])}", sign(add, texts, result, precision), result


def sign(row: Op, operands: Sequence[str], result: str, precision: int) -> str:
    """The sign between an operation on these printed numbers and its printed result: " = " or " ≈ "."""
    if row.primal in _EXACT:
        return " = " if _agrees(row, operands, result, precision) else " ≈ "
    return " = " if rounded(row(*map(float, operands)), precision) == result else " ≈ "


def _agrees(row: Op, operands: Sequence[str], result: str, precision: int) -> bool:
    try:
        with localcontext(Context(prec=_DIGITS)):
            numbers = list(map(Decimal, operands))
            left = reduce(row.primal, numbers) if len(numbers) > 1 or row.form == "infix" else row.primal(*numbers)
    except ArithmeticError:
        return True
    return not left.is_finite() or _within(left, result, precision)


def _within(left: Decimal, result: str, precision: int) -> bool:
    """True if the printed result is that of the left side, to half a unit of its last digit; an integer is exact."""
    right = Decimal(result)
    if not right.is_finite() or result.lstrip("-").isdigit():
        return left == right
    unit = right.adjusted() - max(precision, len(right.as_tuple().digits)) + 1
    with localcontext(Context(prec=_DIGITS)):
        return 2 * abs(left - right) <= Decimal((0, (1,), unit))
