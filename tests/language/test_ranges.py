"""Many values for a name: lists, ranges, and the place of what is wrong with one."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import GradcliError
from gradcli.language.ranges import evenly, is_range, read_ranges


def points(text, count=3):
    return read_ranges([f"x={text}"])[0]["x"].spread(count)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2,5", [1, 2, 5]),
        ("5,1,", [5, 1]),
        ("1,5 ,", [1, 5]),
        ("1.000,5,", [1, 5]),
        ("3,", [3]),
        ("0:pi:pi/4", [0, math.pi / 4, math.pi / 2, 3 * math.pi / 4, math.pi]),
        ("-pi:pi:pi/2", [-math.pi, -math.pi / 2, 0, math.pi / 2, math.pi]),
        ("pi:-pi:-pi/2", [math.pi, math.pi / 2, 0, -math.pi / 2, -math.pi]),
        ("-pi:3:pi/2", [-math.pi, -math.pi / 2, 0, math.pi / 2]),
        ("0:1:1/3", [0, 1 / 3, 2 / 3, 1]),
        ("-1:1:1/3", [-1, -2 / 3, -1 / 3, 0, 1 / 3, 2 / 3, 1]),
        ("1:0:-1/3", [1, 2 / 3, 1 / 3, 0]),
        ("0:sqrt(2):sqrt(2)/4", [i * math.sqrt(2) / 4 for i in range(5)]),
        ("0:3:pi/4", [i * (math.pi / 4) for i in range(4)]),
        ("0:1:2", [0]),
        ("0:1", [0, 0.5, 1]),
        ("0:1:0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("0:0.5:0.1", [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        ("0:1:0.4", [0, 0.4, 0.8]),
        ("1:0:-0.5", [1, 0.5, 0]),
        ("0:1:#5", [0, 0.25, 0.5, 0.75, 1]),
        ("-pi:pi:#3", [-math.pi, 0, math.pi]),
        ("max(1,2):2^2:1", [2, 3, 4]),
        (" 0 : 1 : #2 ", [0, 1]),
        ("-1e300:1e300", [-1e300, 0, 1e300]),
    ],
)
def test_what_they_mean(text, expected):
    assert points(text) == expected


@given(low=st.floats(-1e300, 1e300), high=st.floats(-1e300, 1e300), count=st.integers(2, 40))
def test_both_ends_are_in_and_the_order_is_kept(low, high, count):
    found = evenly(low, high, count)
    assert (found[0], found[-1], len(found)) == (low, high, count)
    assert found == sorted(found, reverse=low > high)


@given(st.integers(-1000, 1000), st.integers(1, 200), st.integers(0, 3))
def test_steps_are_the_numbers_that_one_writes(start, count, places):
    step = 10**places
    text = f"{start / step}:{(start + count) / step}:{1 / step}"
    assert points(text) == [(start + i) / step for i in range(count + 1)]


@given(st.integers(1, 300), st.sampled_from(["pi", "sqrt(2)", "e", "1/3", "2/7", "tau", "0.1"]), st.integers(1, 40))
def test_a_step_that_meets_the_end_has_both_ends_and_a_zero_in_the_middle(parts, length, many):
    found = points(f"-{many}*({length}):{many}*({length}):{many}*({length})/{parts}")
    assert len(found) == 2 * parts + 1 and found[parts] == 0
    assert (found[0], found[-1]) == (-found[-1], points(f"0:{many}*({length})")[-1])
    assert found == sorted(found)


def test_ranges_and_single_values():
    ranges, bindings = read_ranges(["x=0:1", "a=3", "y=1,2,", "t=pi/4"])
    assert list(ranges) == ["x", "y"] and list(bindings) == ["a", "t"] and bindings["t"].value == math.pi / 4


@pytest.mark.parametrize(
    ("arguments", "code", "message", "place"),
    [
        (["x=5:1"], 2, "lower number to the higher", "5:1"),
        (["x=1:1"], 2, "lower number to the higher", "1:1"),
        (["x=1:"], 2, "no expression", ""),
        (["x=:1"], 2, "no expression", ""),
        (["x=1,,2"], 2, "no expression", ""),
        (["x=0:1:0"], 2, "no end", "0"),
        (["x=0:1:-1"], 2, "no end", "-1"),
        (["x=0:1e9:1e-9"], 2, "no end", "1e-9"),
        (["x=0:1:#1"], 2, "number of points", "#1"),
        (["x=0:1:#1e3"], 2, "number of points", "#1e3"),
        (["x=0:1:#99999999999"], 2, "number of points", "#99999999999"),
        (["x=0:1:#٣"], 2, "number of points", "#٣"),
        (["x=1:2:3:4"], 2, "LOW:HIGH:STEP", "1:2:3:4"),
        (["x=1,2:3"], 2, "LOW:HIGH:STEP", "1,2:3"),
        (["x=a:2"], 2, "constant expression", "a"),
        (["x=0:1/0"], 1, "finite", "1/0"),
        (["x=log(-1):1"], 1, "finite", "log(-1)"),
        (["x=1_0:20"], 2, "", None),
        (["x=0:1", "x=2"], 2, "given twice", "x=0:1"),
        (["x=0:1", "x=1,2,"], 2, "given twice", "x=1,2,"),
        (["x=1,2"], 2, "more than one reading", "1,2"),
        (["x=1,,"], 2, "no expression", ""),
        (["x=,"], 2, "no expression", ""),
        (["x=(0:1"], 2, "", None),
        (["0:1"], 2, "NAME=VALUE", "0:1"),
    ],
)
def test_mistakes(arguments, code, message, place):
    with pytest.raises(GradcliError) as caught:
        read_ranges(arguments)
    found = caught.value
    assert found.exit_code == code and message in found.message
    if place is not None:
        assert found.source.text[slice(*found.span)] == place


@pytest.mark.parametrize(
    ("argument", "many"),
    [
        *[(one, False) for one in ("x=1", "x=1,5", "x=-1,5", "x=1.000,5", "x=max(1,2)", "x:1")],
        *[(one, True) for one in ("x=1,2,5", "x=1,5,", "x=3,", "x=0:1", "x=1.0,2", "x=max(1,2),3")],
    ],
)
def test_what_is_taken_for_many_values(argument, many):
    assert is_range(argument) is many


# -------------------------------------------------------------------------------- eval at many points


def test_eval_at_many_points(run):
    assert run("eval", "a*x^2", "x=0:1:#3", "a=2") == (0, "0\t0\t0\t0\n0.5\t0.5\t0.25\t2\n1\t2\t1\t4\n", "")
    assert run("eval", "a*x^2", "x=0:1:#2", "a=1,2,5", "--value").stdout.splitlines()[-1] == "1\t5\t5"
    assert run("eval", "a*x", "x=0:1:#2", "a=3", "--grad", "x").stdout == "0\t0\t3\n1\t3\t3\n"
    assert len(run("eval", "x", "x=0:1").stdout.splitlines()) == 11
    code, stdout, stderr = run("eval", "log(x)", "x=-1:1:1")
    assert (code, stdout) == (1, "-1\tnan\tnan\n0\t-inf\tinf\n1\t0\t1\n")
    assert stderr == "error: 1 of 3 values is not a number\nhint: gradcli eval with x=-1 says why\n"


def test_eval_at_many_points_for_people_and_programs(run):
    assert run("eval", "x^2", "x=0:1:#3", "--format", "pretty").stdout.splitlines() == [
        "  x  value  d/dx",
        "  0      0     0",
        "0.5   0.25     1",
        "  1      1     2",
    ]
    found = json.loads(run("eval", "1/x", "x=0:1:1", "--json").stdout)
    assert found["points"][0] == {"bindings": {"x": 0.0}, "value": "Infinity", "gradient": {"x": "-Infinity"}}


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["x*y", "x=0:1"], "no value for y"),
        (["x", "x=0:1", "--trace"], "--trace shows one point"),
        (["x", "x=0:1", "--tree", "--json"], "--tree shows one point, and these are many"),
        (["x^2", "x=1:3:1", "--hessian"], "--hessian shows one point, and these are many"),
        (["x^2", "x=1:3:1", "--hessian", "--json"], "--hessian shows one point"),
        (["x^2", "x=1:3:1", "--order", "2"], "--order shows one point"),
        (["x^2", "x=1,3,5", "--along", "x=1"], "--along shows one point"),
        (["u=x^2; u", "x=1,3,5", "--value", "--out", "u"], "leave out the other views"),
        (["u=x^2; u", "x=1,3,5", "--out", "u"], "--out shows one point"),
        (["x^2", "x=1,3,5", "--grad", "x", "--value"], "--grad prints one number: leave out --value"),
        (["x", "x=1:0"], "lower"),
    ],
)
def test_mistakes_of_eval_at_many_points(run, args, part):
    done = run("eval", *args)
    assert (done.code, done.stdout) == (2, "") and part in done.stderr
