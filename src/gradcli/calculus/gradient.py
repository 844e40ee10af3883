"""Derivatives of a formula at a point, as library calls.

Formulas are texts in the language of `gradcli functions` or tapes. The point is given by keywords, or as a mapping
where a variable has the name of a parameter. Numbers are IEEE 754: a nan is returned, not raised. All raise
ParseError for a text that is not in the language, and UsageError for a variable without a value, a value that is not
a number, or a name that is neither a variable nor given a value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gradcli.autodiff.adjoint import differentiate, successive
from gradcli.autodiff.dual import Dual, push
from gradcli.autodiff.engine import Value, reported
from gradcli.autodiff.tape import Tape, active, below, graph, replay
from gradcli.language.bindings import check_outputs, check_wrt, read_order, require, to_numbers
from gradcli.language.parser import parse

Point = Mapping[str, float] | None


class Gradient(NamedTuple):
    """A value, and its partial derivatives.

    value     the value of the formula, or of the output, at the point
    partials  the partial derivative by each variable, by name; 0.0 for one that the value does not depend on
    """

    value: float
    partials: dict[str, float]


def gradient(
    formula: str | Tape, point: Point = None, /, *, wrt: Sequence[str] | None = None, **bindings: float
) -> Gradient:
    """Value and partial derivatives of a formula at a point, from one forward and one reverse pass.

    >>> gradient("(a+b)*(a*b)", a=3, b=4)
    Gradient(value=84.0, partials={'a': 40.0, 'b': 33.0})

    `wrt` names the variables to differentiate by; default: all, in the order of their first appearance. A value or
    derivative that is not a number, as that of log at -1, is returned as nan, not raised.

    Raises ParseError for a text that is not in the language, and UsageError for a variable without a value, a value
    that is not a number, or a name in `wrt` that is neither a variable nor given a value.
    """
    tape, numbers = _read(formula, point, bindings)
    names = _wanted(tape, wrt, numbers)
    values = graph(tape, {name: numbers[name] for name in tape.inputs})
    return _backward(tape, values, tape.output, names)


def jacobian(
    formula: str | Tape,
    outputs: Sequence[str],
    point: Point = None,
    /,
    *,
    wrt: Sequence[str] | None = None,
    **bindings: float,
) -> dict[str, Gradient]:
    """Value and partial derivatives of several assigned names of a program, from one forward pass.

    >>> jacobian("u = a*b; v = a + b", ["u", "v"], a=3, b=4)["u"]
    Gradient(value=12.0, partials={'a': 4.0, 'b': 3.0})

    There is a Gradient for each name in `outputs`. Raises UsageError for one that the program does not assign, and
    what `gradient` raises.
    """
    tape, numbers = _read(formula, point, bindings)
    names = _wanted(tape, wrt, numbers)
    check_outputs(tape, outputs)
    values = graph(tape, {name: numbers[name] for name in tape.inputs})
    return {output: _backward(tape, values, tape.names[output], names) for output in outputs}


def _backward(tape: Tape, values: list[Value], output: int, names: Sequence[str]) -> Gradient:
    inputs = tape.inputs
    for index in inputs.values():
        values[index].grad = 0.0
    values[output].backward()
    value = values[output].data
    return Gradient(value, {n: reported(value, values[inputs[n]].grad if n in inputs else 0.0) for n in names})


def hessian(
    formula: str | Tape, point: Point = None, /, *, wrt: Sequence[str] | None = None, **bindings: float
) -> dict[str, dict[str, float]]:
    """The second derivatives at a point, by each pair of variables: the gradient's lines, differentiated backwards.

    >>> hessian("x^2*y", x=3, y=5)
    {'x': {'x': 10.0, 'y': 6.0}, 'y': {'x': 6.0, 'y': 0.0}}

    The matrix is given by rows, and symmetric; `wrt` names its rows and columns. Where the gradient follows a
    convention, as at the corner of abs(x), there is no second derivative: it is nan. Raises what `gradient` raises.
    """
    tape, numbers = _read(formula, point, bindings)
    names = _wanted(tape, wrt, numbers)
    first, lines = differentiate(tape, names)
    values = graph(first, {name: numbers[name] for name in first.inputs})
    at_point = [value.data for value in values]
    corners, value = _corners(first, at_point), at_point[first.output]
    matrix: dict[str, dict[str, float]] = {name: {} for name in names}
    for position, row in enumerate(names):
        for column, second in _backward(first, values, lines[row], names[position:]).partials.items():
            smooth = not any({row, column} <= corner for corner in corners)
            matrix[row][column] = matrix[column][row] = reported(value, second) if smooth else math.nan
    return {row: {column: matrix[row][column] for column in names} for row in names}


def _corners(tape: Tape, numbers: Sequence[float]) -> list[set[str]]:
    """The variables of each line with a corner at the point, of those that the derivative of the output goes through."""
    rows, operands = [line.op for line in tape.lines], [line.args if line.op else () for line in tape.lines]
    through, found, inputs = {tape.output}, [], set(tape.inputs.values())
    for index in reversed(active(rows, operands, numbers, tape.output)):
        row, args = rows[index], operands[index]
        if row is None or index not in through:
            continue
        through.update(arg for arg, rule in zip(args, row.partials_for(len(args)), strict=True) if rule is not None)
        if "kink" in row.flags and row.flags["kink"](*[numbers[arg] for arg in args], numbers[index]):
            found.append({tape.lines[i].name for i in below(tape.lines, index) if i in inputs})
    return found


def derivatives(
    formula: str | Tape, order: int, point: Point = None, /, *, wrt: Sequence[str] | None = None, **bindings: float
) -> dict[str, list[float]]:
    """The first to the `order`-th derivative at a point, by each variable.

    >>> derivatives("x^3", 4, x=2)
    {'x': [12.0, 12.0, 6.0, 0.0]}

    Where the first follows a convention, as at the corner of abs(x), the others are nan. Raises UsageError for an
    order that is not 1, 2, ..., or that takes more than a million operations, and what `gradient` raises.
    """
    order = read_order(order)
    tape, numbers = _read(formula, point, bindings)
    by_name: dict[str, list[float]] = {}
    for name in _wanted(tape, wrt, numbers):
        derived, (value, *lines) = successive(tape, name, order)
        at_point = replay(derived, numbers)
        first, *higher = [reported(at_point[value], float(at_point[line])) for line in lines]
        corner = any(name in corner for corner in _corners(derived, at_point)) if higher else False
        by_name[name] = [first, *([math.nan] * len(higher) if corner else higher)]
    return by_name


def jvp(formula: str | Tape, along: Mapping[str, float], point: Point = None, /, **bindings: float) -> Dual:
    """Value and derivative in a direction (`along`: the speed of each variable), from one forward pass.

    >>> jvp("(a+b)*(a*b)", {"a": 1, "b": -2}, a=3, b=4)
    Dual(primal=84.0, tangent=-26.0)

    `tangent` is the derivative along the line that the variables move on; a variable that is not in `along` stands
    still. Raises UsageError for a name in `along` that is not a variable, and what `gradient` raises.
    """
    tape, numbers = _read(formula, point, bindings)
    check_wrt(tape, along, numbers)
    value, tangent = push(tape, {name: numbers[name] for name in tape.inputs}, to_numbers(along))
    return Dual(value, reported(value, tangent))


def _read(formula: str | Tape, point: Point, keywords: Mapping[str, float]) -> tuple[Tape, dict[str, float]]:
    bindings = {**(point or {}), **keywords}
    tape = formula if isinstance(formula, Tape) else parse(formula, bindings)
    require(tape, bindings)
    return tape, to_numbers(bindings)


def _wanted(tape: Tape, wrt: Sequence[str] | None, bindings: Mapping[str, float]) -> list[str]:
    names = list(tape.inputs) if wrt is None else list(wrt)
    check_wrt(tape, names, bindings)
    return names
