"""Kernels: value and gradient for columns, the same as the engine's at every special number, by every back end."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_unparse import programs

from gradcli import kernel, ops, parse
from gradcli.lowering import differentiated, linear_to, lower
from gradcli.ops import TABLE
from gradcli.plan import make_plan
from gradcli.tape import Line, Tape

BACK_ENDS = ["numpy"]
HOSTILE = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -2.5, 0.1, 25.0, -40.0, 710.0, -745.5, 1e-3, 5e-324, -5e-324,
           1e-310, 2.2250738585072014e-308, 1e200, -1e200, 1.7976931348623157e308, -1.7976931348623157e308,
           math.inf, -math.inf, float("nan"), 1e16, 123456.789, math.pi, -math.pi / 2]  # fmt: skip
numbers = st.one_of(st.sampled_from(HOSTILE), st.floats(), st.floats(-10, 10))


def build(name):
    return kernel._back_end(name)


def ulps(a, b):
    """How many floats lie between two numbers; 0 for equal ones and for two nan, and nan is far from all others."""
    if a == b or (a != a and b != b):
        return 0
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    return abs(position(a) - position(b))


def position(number):
    bits = int(np.float64(number).view(np.int64))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def check_lines(lines, rows, back_end, limit=4):
    """Every line of a tape, computed by a kernel, is within 4 ulp of its row's answer for the operands as computed.

    So a difference is never made larger by what follows, and no tolerance is needed where a function is steep.
    """
    everything = [index for index, line in enumerate(lines) if line.op is not None]
    if not everything:
        return
    lowered, kept = lower(lines, everything, [])
    free = linear_to(lowered, kept, [])
    names = list(Tape(tuple(lines), 0).inputs)
    columns = {name: np.array([row[name] for row in rows]) for name in names}
    plan = make_plan(lowered, names, free, kept, [])
    _, run = build(back_end)(plan)
    found = [np.empty(len(rows)) for _ in plan.arrays]
    run([columns[lowered[index].name] for index in plan.columns], [], found, len(rows), 1)
    computed = dict(zip(plan.arrays, found, strict=True))
    for row, point in enumerate(rows):
        at = [line.value if line.value is not None else point.get(line.name) for line in lines]
        for index, place in zip(everything, kept, strict=True):
            line = lines[index]
            exact = line.op(*[at[operand] for operand in line.args])
            at[index] = float(computed[place][row]) if place in computed else exact
            assert ulps(at[index], exact) <= limit, (line, [at[operand] for operand in line.args], at[index], exact)
            assert exact or math.copysign(1, at[index]) == math.copysign(1, exact), (line, [at[o] for o in line.args])


@pytest.fixture(params=BACK_ENDS)
def back_end(request):
    return request.param


def arguments(row, count):
    """Rows of operands: all hostile ones for few operands, many for more."""
    if row is ops.sincn:  # its order is a small number that rules write
        return [(order, a) for order in (1.0, 2.0, 3.0) for a in HOSTILE]
    if count == 1:
        return [(a,) for a in HOSTILE] + [(a,) for a in np.linspace(-30, 30, 4001).tolist()]
    if count == 2:
        return [(a, b) for a in HOSTILE for b in HOSTILE]
    rng = np.random.default_rng(count)
    return [tuple(row) for row in rng.choice(HOSTILE, (2000, count)).tolist()]


@pytest.mark.parametrize("row", TABLE, ids=repr)
def test_every_row_at_every_special_number(row, back_end):
    if row.form == "variadic":
        counts = [2, 3, 4] if row.internal else [1, 2, 3, 4]
    else:
        counts = [len(row.partials)]
    for count in counts:
        names = [f"v{i}" for i in range(count)]
        lines = [*(Line(None, name=name) for name in names), Line(row, tuple(range(count)))]
        check_lines(lines, [dict(zip(names, point, strict=True)) for point in arguments(row, count)], back_end)


@settings(max_examples=300)
@given(programs(), st.lists(st.tuples(*[numbers] * 6), min_size=1, max_size=5))
def test_random_programs_line_by_line(text, points):
    tape = parse(text)
    rows = [dict(zip("abcxyz", point, strict=True)) for point in points]
    for back_end in BACK_ENDS:
        check_lines(tape.lines, rows, back_end)
        check_lines(differentiated(tape, [tape.output], list(tape.inputs))[0], rows, back_end)
