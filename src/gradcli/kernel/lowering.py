"""A tape in fewer words: what a column of numbers is computed with, whatever then computes it.

A processor has no `sigmoid`. Here it becomes what its row expands to: exponentials, quotients and choices. Constants
are computed, and what remains is what the back end has itself: arithmetic, comparisons, choices, a C library.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from functools import reduce
from typing import Any

from gradcli.autodiff import ops
from gradcli.autodiff.adjoint import backward
from gradcli.autodiff.ops import Op, Rule
from gradcli.autodiff.simplify import TapeBuilder, without_dead_lines
from gradcli.autodiff.tape import Line, Tape, expansion, recorded_rule

ADD, SUB, MUL, DIV, POW, MOD = (ops.INFIX[symbol] for symbol in "+-*/^%")
NEG, ABS, MIN, MAX = ops.PREFIX["-"], ops.FUNCTIONS["abs"], ops.FUNCTIONS["min"], ops.FUNCTIONS["max"]
IF, STRONG, CHOSEN, STILL = ops.if_, ops.strong, ops.chosen, ops.still
LINEAR = {ADD, SUB, NEG, MUL, STRONG, CHOSEN, STILL, IF}


def _square_root(x: Any) -> Any:
    """x^0.5, which is not sqrt(x) at -0 and -inf."""
    return IF(ops.eq(x, -math.inf), math.inf, ops.sqrt(x) + 0.0)


POWERS: dict[float, Rule] = {  # the exponents for which products are as accurate as pow, and much faster
    2.0: lambda x: x * x,
    3.0: lambda x: x * x * x,
    4.0: lambda x: (x * x) * (x * x),
    -1.0: lambda x: 1 / x,
    -2.0: lambda x: (1 / x) * (1 / x),
    0.5: _square_root,
}


def differentiated(tape: Tape, outputs: Sequence[int], by: Sequence[str]) -> tuple[list[Line], list[list[int]]]:
    """The lines of the tape and of its gradients: for each output the lines of its value and of its partials."""
    lines = TapeBuilder(tape.lines, signed_zeros=True)
    inputs = tape.inputs
    zero = lines.add(Line(None, value=0.0))
    present = [inputs[name] for name in by if name in inputs]
    found = []
    for output in outputs:
        partials = dict(zip(present, backward(lines, output, present), strict=True))
        found.append([output, *[partials[inputs[name]] if name in inputs else zero for name in by]])
    return lines.lines, found


def lower(
    lines: Sequence[Line], values: Sequence[int], partials: Sequence[int], native: Container[Op]
) -> tuple[tuple[Line, ...], list[int]]:
    """The same computation in the `native` rows of a back end, without dead lines; and where values and partials are.

    A row that is not among them and expands to nothing stays.
    """
    free = linear_to(lines, values, partials)
    if tanh_beside in native:
        lines = _beside_tanh(lines)
    lowered, place = TapeBuilder(signed_zeros=True), list[int]()
    for index, line in enumerate(lines):
        args = [place[operand] for operand in line.args]
        if line.op is None:
            place.append(lowered.add(Line(None, value=line.value, name=line.name if line.value is None else "")))
        elif index in free and line.op is ADD and lines[line.args[1]].value == 0:
            place.append(args[0])  # of a gradient the sign of a zero does not matter
        elif index in free and line.op is STRONG and _finite(lines[line.args[0]].value):
            place.append(_put(lowered, MUL, args, native))
        else:
            place.append(_put(lowered, line.op, args, native))
    wanted = [place[index] for index in (*values, *partials)]
    tape, kept = without_dead_lines(Tape(tuple(lowered.lines), wanted[0]), wanted)
    return tape.lines, kept


def linear_to(lines: Sequence[Line], values: Iterable[int], partials: Iterable[int]) -> set[int]:
    """The lines that nothing but sums, products and choices lead from to partials, and nothing to values.

    There a nan stays a nan, and the sign of a zero does not matter.
    """
    strict, seen = set(values), set(partials)
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line.op is None or not (index in strict or index in seen):
            continue
        seen.update(line.args)
        if index in strict or line.op not in LINEAR:
            strict.update(line.args)
        elif line.op in (IF, CHOSEN, STILL):
            strict.add(line.args[0])
    return seen - strict


def _beside_tanh(lines: Sequence[Line]) -> Sequence[Line]:
    """Marks tanh(x) where its derivative is there too, to take both from one exponential."""
    both = {line.args for line in lines if line.op is ops.sech2}
    return [line._replace(op=_TANH) if line.op is ops.tanh and line.args in both else line for line in lines]


def _tanh(x: Any) -> Any:
    small = ops.exp(-2.0 * abs(x))
    return tanh_beside(x, small, 1 + small)


_TANH = Op("tanh(x)", math.tanh, None, internal=True, expands=_tanh)
# (1 - e)/s with the sign of x, where e = exp(-2|x|) is below 1/2 and s = 1 + e, and tanh(x) elsewhere
tanh_beside = Op("tanh_beside(x, e, s)", lambda x, e, s: math.tanh(x), None, None, None, internal=True)


def _finite(number: float | None) -> bool:
    return number is not None and math.isfinite(number)


def _put(lines: TapeBuilder, op: Op, args: Sequence[int], native: Container[Op]) -> int:
    """Write one operation, or what it expands to."""
    values = [lines.lines[index].value for index in args]
    if None not in values:
        return lines.add(Line(None, value=op(*values)))
    if op is STRONG and values[1]:
        op = MUL
    if op is ADD and values[1] == 0 and _never_minus_zero(lines.lines, lines.lines[args[0]]):
        return args[0]
    tape = _expansion(op, values, native)
    if tape is None:
        return lines.add(Line(op, tuple(args)))
    place: list[int] = []
    for line in tape.lines:
        if line.op is not None:
            place.append(_put(lines, line.op, [place[index] for index in line.args], native))
        else:
            place.append(args[int(line.name)] if line.value is None else lines.add(Line(None, value=line.value)))
    return place[tape.output]


def _expansion(op: Op, values: Sequence[float | None], native: Container[Op]) -> Tape | None:
    """The tape that stands for an operation, `values` being its constants: two operands at a time, products, or its expansion."""
    if op in _PAIRS and len(values) != 2:
        return recorded_rule(_PAIRS[op], len(values))
    if op is POW and values[1] in POWERS:
        return recorded_rule(POWERS[values[1]], 1)
    return None if op in native else expansion(op, len(values))


def _hypot(first: Any, *others: Any) -> Any:
    """Two at a time; where that overflows, once more in smaller numbers, so that a nan is not lost behind an infinity."""
    if not others:
        return abs(first)
    size = 2.0 ** len(others)
    small = [x / size for x in (first, *others)]
    found = reduce(ops.hypot, others, first)
    return IF(ops.eq(found, math.inf), size * reduce(ops.hypot, small), found)


_PAIRS: dict[Op, Rule] = {ops.hypot: _hypot, MIN: lambda *xs: reduce(MIN, xs), MAX: lambda *xs: reduce(MAX, xs)}


def _never_minus_zero(lines: Sequence[Line], line: Line) -> bool:
    """True if `line + 0` is certainly the same as `line`: a sum is -0 only if both its terms are."""
    if line.op is ADD:
        return any(math.copysign(1, lines[index].value or -0.0) == 1 for index in line.args)
    return line.op in (ABS, ops.exp) or (line.op is MUL and line.args[0] == line.args[1])
