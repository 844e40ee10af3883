"""A tape in fewer words: what a column of numbers is computed with, whatever then computes it.

A processor has no `sigmoid`. Here it becomes exponentials, quotients and choices; constants are computed, and what
remains is what every back end must know: arithmetic, comparisons, choices and the functions of a C library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from typing import Any

from gradcli.autodiff import ops
from gradcli.autodiff.adjoint import backward
from gradcli.autodiff.engine import Value, constant
from gradcli.autodiff.ops import Op
from gradcli.autodiff.simplify import TapeBuilder, without_dead_lines
from gradcli.autodiff.symbols import spelled
from gradcli.autodiff.tape import Line, Tape, record

ADD, SUB, MUL, DIV, POW, MOD = (ops.INFIX[symbol] for symbol in "+-*/^%")
NEG, ABS, MIN, MAX = ops.PREFIX["-"], ops.FUNCTIONS["abs"], ops.FUNCTIONS["min"], ops.FUNCTIONS["max"]
IF, STRONG = ops.if_, ops.strong
EQ, GT, GE, LE = ops.eq, ops.gt, ops.ge, ops.le
LINEAR = {ADD, SUB, NEG, MUL, STRONG, IF}

Rule = Callable[..., Any]


def _softplus(x: Any) -> Any:
    return MAX(x, 0.0) + ops.log1p(ops.exp(-abs(x)))


def _sigmoid(x: Any) -> Any:
    small = ops.exp(-abs(x))
    return IF(GE(x, 0.0), 1.0, small) / (1 + small)


def _gaussian(x: Any, scale: float = 1.0) -> Any:
    """exp(-scale x²): the square in two parts, the larger of them exact, and what their sum rounds off put back."""
    head = ops.floor(x * 32) / 32
    large, small = -scale * head * head, -scale * (x - head) * (x + head)
    exponent = large + small
    rough = ops.exp(exponent)
    return IF(GT(abs(x), 40.0), 0.0, rough + rough * ((large - exponent) + small))


def _norm_cdf(x: Any) -> Any:
    return ops.erfc(-x / math.sqrt(2)) / 2


def _powlog(a: Any, b: Any) -> Any:
    at_zero = IF(GT(b, 0.0), 0.0, IF(EQ(b, 0.0), math.nan, -math.inf))
    return IF(EQ(a, 0.0), at_zero, POW(a, b) * ops.log(a))


def _logaddexp(a: Any, b: Any) -> Any:
    return IF(EQ(a, b), a + math.log(2), MAX(a, b) + ops.log1p(ops.exp(-abs(a - b))))


def _square_root(x: Any) -> Any:
    """x^0.5, which is not sqrt(x) at -0 and -inf."""
    return IF(EQ(x, -math.inf), math.inf, ops.sqrt(x) + 0.0)


EXPANSIONS: dict[Op, Rule] = {
    ops.sum_: lambda *xs: reduce(ADD, xs),
    ops.mean: lambda *xs: reduce(ADD, xs) / len(xs),
    ops.prod: lambda *xs: reduce(MUL, xs),
    ops.ties: lambda first, *others: reduce(ADD, [EQ(other, first) for other in others]),
    ops.clamp: lambda x, low, high: MIN(MAX(x, low), high),
    ops.sign: lambda x: IF(GT(x, 0.0), 1.0, IF(GT(0.0, x), -1.0, x)),
    ops.deg: lambda x: x * (180 / math.pi),
    ops.rad: lambda x: x * (math.pi / 180),
    ops.relu: lambda x: IF(LE(x, 0.0), 0.0, x),
    ops.leaky_relu: lambda x: IF(GT(x, 0.0), x, 0.01 * x),
    ops.elu: lambda x: IF(GT(x, 0.0), x, ops.expm1(x)),
    ops.step: lambda x: IF(EQ(x, x), GT(x, 0.0), x),
    ops.sigmoid: _sigmoid,
    ops.softplus: _softplus,
    ops.logsigmoid: lambda x: -_softplus(-x),
    ops.silu: lambda x: x * _sigmoid(x),
    ops.gelu: lambda x: x * _norm_cdf(x),
    ops.norm_cdf: _norm_cdf,
    ops.norm_pdf: lambda x: _gaussian(x, 0.5) / math.sqrt(math.tau),
    ops.gaussian: _gaussian,
    ops.logaddexp: _logaddexp,
    ops.sinc: lambda x: IF(EQ(x, 0.0), 1.0, IF(EQ(abs(x), math.inf), 0.0, ops.sin(x) / x)),
    ops.over: lambda f, g: IF(EQ(f, 0.0), 0.0, f / g),
    ops.powlog: _powlog,
}
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
    lines: Sequence[Line], values: Sequence[int], partials: Sequence[int], *, masked: bool = False
) -> tuple[tuple[Line, ...], list[int]]:
    """The same computation in primitive operations, without dead lines; and where values and partials are in it.

    `masked` says that the back end computes `tanh_beside`, which is for one that calls a function on some rows alone.
    """
    lines, place = spelled(lines, signed_zeros=True, but=EXPANSIONS)
    values, partials = ([place[index] for index in group] for group in (values, partials))
    free = linear_to(lines, values, partials)
    if masked:
        lines = _beside_tanh(lines)
    lowered, place = TapeBuilder(signed_zeros=True), []
    for index, line in enumerate(lines):
        args = [place[operand] for operand in line.args]
        if line.op is None:
            place.append(lowered.add(Line(None, value=line.value, name=line.name if line.value is None else "")))
        elif index in free and line.op is ADD and lines[line.args[1]].value == 0:
            place.append(args[0])  # of a gradient the sign of a zero does not matter
        elif index in free and line.op is STRONG and _finite(lines[line.args[0]].value):
            place.append(_put(lowered, MUL, args))
        else:
            place.append(_put(lowered, line.op, args))
    wanted = [place[index] for index in (*values, *partials)]
    tape, kept = without_dead_lines(Tape(tuple(lowered.lines), wanted[0]), wanted)
    return tape.lines, kept


def linear_to(lines: Sequence[Line], values: Iterable[int], partials: Iterable[int]) -> set[int]:
    """The lines that nothing but sums, products and choices lead from to partials, and nothing to values.

    There a nan stays a nan, and the sign of a zero is nobody's business.
    """
    strict, seen = set(values), set(partials)
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line.op is None or not (index in strict or index in seen):
            continue
        seen.update(line.args)
        if index in strict or line.op not in LINEAR:
            strict.update(line.args)
        elif line.op is IF:
            strict.add(line.args[0])
    return seen - strict


def _beside_tanh(lines: Sequence[Line]) -> Sequence[Line]:
    """Marks tanh(x) where its derivative is there too, to take both from one exponential."""
    both = {line.args for line in lines if line.op is ops.sech2}
    return [line._replace(op=_TANH) if line.op is ops.tanh and line.args in both else line for line in lines]


def _sech2(x: Any) -> Any:
    small = ops.exp(-2.0 * abs(x))
    return 4 * small / ((1 + small) * (1 + small))


def _tanh(x: Any) -> Any:
    small = ops.exp(-2.0 * abs(x))
    return tanh_beside(x, small, 1 + small)


_TANH = Op("tanh(x)", math.tanh, None, internal=True)
# (1 - e)/s with the sign of x, where e = exp(-2|x|) is below 1/2 and s = 1 + e, and tanh(x) elsewhere
tanh_beside = Op("tanh_beside(x, e, s)", lambda x, e, s: math.tanh(x), None, None, None, internal=True)
EXPANSIONS |= {ops.sech2: _sech2, _TANH: _tanh}


def _finite(number: float | None) -> bool:
    return number is not None and math.isfinite(number)


def _put(lines: TapeBuilder, op: Op, args: Sequence[int]) -> int:
    """Write one operation, or what it expands to."""
    values = [lines.lines[index].value for index in args]
    if None not in values:
        return lines.add(Line(None, value=op(*values)))
    if op is STRONG and values[1]:
        op = MUL
    if op is ADD and values[1] == 0 and _never_minus_zero(lines.lines, lines.lines[args[0]]):
        return args[0]
    template = _template(op, len(args), values[1] if op is POW and values[1] in POWERS else None)
    if template is None:
        return lines.add(Line(op, tuple(args)))
    place: list[int] = []
    for line in template.lines:
        if line.op is not None:
            place.append(_put(lines, line.op, [place[index] for index in line.args]))
        else:
            place.append(args[int(line.name)] if line.value is None else lines.add(Line(None, value=line.value)))
    return place[template.output]


def _never_minus_zero(lines: Sequence[Line], line: Line) -> bool:
    """Whether `line + 0` is certainly the same as `line`: a sum is -0 only if both its terms are."""
    if line.op is ADD:
        return any(math.copysign(1, lines[index].value or -0.0) == 1 for index in line.args)
    return line.op in (ABS, ops.exp) or (line.op is MUL and line.args[0] == line.args[1])


@cache
def _template(op: Op, count: int, exponent: float | None) -> Tape | None:
    """The expansion of an operation as a tape of its own; its inputs are named by their positions."""
    rule = EXPANSIONS.get(op, op.spelled)
    if op in (MIN, MAX) and count != 2:
        rule = lambda *xs: reduce(op, xs)  # noqa: E731
    if exponent is not None:
        power, rule = POWERS[exponent], lambda x, _: power(x)
    if rule is None:
        return None
    operands = [Value(0.5) for _ in range(count)]
    return record(constant(rule(*operands)), {operand: str(index) for index, operand in enumerate(operands)})
