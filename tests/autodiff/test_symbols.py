"""Symbols: what a rule of the table writes down is what it computes."""

import math

import pytest

from gradcli.autodiff import ops
from gradcli.autodiff.engine import local_derivative
from gradcli.autodiff.ops import TABLE
from gradcli.autodiff.simplify import TapeBuilder
from gradcli.autodiff.symbols import Symbol, line_of, spelled
from gradcli.autodiff.tape import Line, Tape, replay

POINTS = [(0.3, 0.7, 0.9), (-0.6, 0.25, 0.5), (2.0, 2.0, 2.0), (1.5, -1.5, 3.0)]


def symbols(names, **how):
    lines = TapeBuilder(**how)
    return lines, [Symbol(lines, lines.add(Line(None, name=name))) for name in names]


def value(lines, found, **numbers):
    output = line_of(lines, found)
    return replay(Tape(tuple(lines.lines), output), numbers)[output]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.signature)
def test_every_rule_writes_what_it_computes(row):
    count = len(row.partials) if row.arity else 3
    names = [f"v{i}" for i in range(count)]
    for point in POINTS:
        args = (1.0, *point[1:count]) if row in (ops.polygamma, ops.sincn) else point[:count]
        y = row(*args)
        for partial in filter(None, row.partials_for(count)):
            lines, operands = symbols([*names, "y"])
            wanted = float(local_derivative(partial, args, y))
            found = value(lines, partial(*operands), **dict(zip(names, args, strict=True)), y=y)
            assert found == pytest.approx(wanted, rel=1e-15, nan_ok=True), (args, lines.lines)


def test_operators_on_either_side():
    lines, (a, b) = symbols("ab")
    made = [
        a + 2,
        2 + a,
        a - 2,
        2 - a,
        a * 3,
        3 * a,
        a / 4,
        4 / a,
        a % 3,
        7 % a,
        a**2,
        2**a,
        -a,
        abs(-a),
        a < b,
        a == 5,
    ]
    numbers = [value(lines, one, a=5.0, b=6.0) for one in made]
    assert numbers == [7, 7, 3, -3, 15, 15, 1.25, 0.8, 2, 2, 25, 32, -5, 5, 1, 1]


def test_nothing_is_written_twice():
    lines, (a, b) = symbols("ab")
    before = len(lines.lines)
    assert (a * b + 0.0).index == (a * b).index and len(lines.lines) == before + 1


def test_where_the_sign_of_a_zero_matters_a_zero_is_added():
    lines, (a,) = symbols("a", signed_zeros=True)
    assert math.copysign(1, value(lines, a + 0.0, a=-0.0)) == 1
    lines, (a,) = symbols("a")
    assert (a + 0.0) is a


def test_it_has_no_truth_value():
    _, (a,) = symbols("a")
    with pytest.raises(TypeError, match="where"):
        bool(a > 0)


def test_rows_are_spelled_out():
    inputs = [Line(None, name=name) for name in ("x", "lo", "hi", "g")]
    lines = [
        *inputs,
        Line(ops.within, (0, 1, 2)),
        Line(ops.chosen, (4, 3)),
        Line(ops.max_, (0, 1)),
        Line(ops.share, (0, 6, 0, 1)),
    ]
    written, place = spelled(lines)
    assert all(line.op is None or not line.op.internal or line.op in (ops.strong, ops.ties) for line in written)
    for point in [(0.0, 0.0, 0.0), (1.0, 0.0, 2.0), (1.0, 1.0, 2.0), (3.0, 1.0, 2.0)]:
        numbers = dict(zip(("x", "lo", "hi", "g"), (*point, 2.0), strict=True))
        before, after = (replay(Tape(tuple(one), 0), numbers) for one in (lines, written))
        assert before == [after[index] for index in place]


def test_what_needs_no_spelling_stays():
    lines = [Line(None, name="x"), Line(ops.sin, (0,))]
    assert spelled(lines) == (lines, range(2))


def test_many_signs_of_a_condition_are_taken_off_without_recursion():
    lines = TapeBuilder()
    x, a, b = (lines.add(Line(None, name=name)) for name in "xab")
    condition = lines.add(Line(ops.gt, (x, a)))
    for _ in range(100_001):
        condition = lines.add(Line(ops.not_, (condition,)))
    assert lines.lines[lines.add(Line(ops.if_, (condition, a, b)))].args == (3, b, a)
