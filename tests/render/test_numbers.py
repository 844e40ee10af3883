"""Numbers for people: never falsely exact, true in equations, in columns, and not cut at any width."""

import math
import re
from decimal import Context, Decimal, localcontext

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from gradcli.autodiff.ops import TABLE, add, div, mul, sub
from gradcli.language.parser import parse
from gradcli.render import path_lines, steps, tree
from gradcli.render.screen import board, screen
from gradcli.text import given as as_given
from gradcli.text import rounded
from gradcli.trace.arithmetic import computed, computed_value, operation, product, sign, sum_
from gradcli.trace.names import marked
from gradcli.trace.paths import paths as path_sum
from gradcli.trace.trace import trace

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
ROUND = st.integers(-(10**16), 10**16).map(float) | st.integers(-9999, 9999).map(lambda n: n / 16)
NUMBERS = FLOATS | ROUND | st.floats(-1e6, 1e6) | st.sampled_from([0.1 + 0.2, 1 / 3, 1e15 - 1, 1e15, 999999.5, 1e-5])
PRECISIONS = st.integers(1, 17)


def traced(text, **point):
    return trace(parse(text, point), point)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (12345.0 * 54321, "670592745"),
        (1000001.0, "1000001"),
        (999999999999999.0, "999999999999999"),
        (1e15, "1e+15"),
        (1234567.8, "1.23457e+06"),
        (123456.4, "1.23456e+05"),
        (12345.5, "12345.5"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.300000"),
        (2 + 1e-10, "2.00000"),
        (1 / 3, "0.333333"),
        (1e-5, "1e-05"),
        (-0.0, "0"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
    ],
)
def test_a_number(number, text):
    assert rounded(number) == text


def test_a_zero_keeps_the_sign_that_the_user_gave():
    assert (as_given(-0.0), as_given(0.0), as_given(-2.5)) == ("-0", "0", "-2.5")
    shown = "\n".join(line.plain for line in tree.tree(traced("x*-1", x=-0.0), width=80, precision=6))
    assert re.search(r"── x +-0 ", shown)


def digits(text):
    """The unit of the last digit of a number's text."""
    return Decimal((0, (1,), Decimal(text).as_tuple().exponent))


@given(NUMBERS, PRECISIONS)
@example(9.5, 1)
@example(999999.7, 6)
def test_a_text_is_the_number_to_its_last_digit(number, precision):
    text = rounded(number, precision)
    with localcontext(Context(prec=1200)):
        away = abs(Decimal(text) - Decimal(number))
        assert 2 * away <= digits(text) or float(text) == number
    if re.fullmatch(r"-?\d+", text):
        assert Decimal(text) == Decimal(number)  # what looks like an integer is one
    elif len(re.sub(r"e.*|[-.]|^-?0\.0*", "", text)) < precision:
        assert float(text) == number  # and what has fewer digits is exact


@given(NUMBERS, NUMBERS, PRECISIONS, st.sampled_from([add, sub, mul, div]))
@example(3.0, 1 / 3, 6, mul)
@example(1234567.8, 3.0, 6, mul)
@example(1e14, 1e-300, 6, add)
@example(0.1, 3.0, 6, mul)
def test_an_equation_is_true_as_printed(left, right, precision, row):
    texts, result = [rounded(left, precision), rounded(right, precision)], row(left, right)
    shown = rounded(result, precision)
    mark = sign(row, texts, shown, precision)
    with localcontext(Context(prec=1200)):
        if row is div and not Decimal(texts[1]):
            return
        found = row.primal(*map(Decimal, texts))
        whole = re.fullmatch(r"-?\d+", shown) is not None
        true = math.isfinite(result) and (
            found == Decimal(shown) if whole else 2 * abs(found - Decimal(shown)) <= digits(shown)
        )
    assert mark in (" = ", " ≈ ")
    if mark == " = ":
        assert true
    elif row is not div:  # of a quotient, decimals have as many digits as there is room for
        assert not true or float(shown) == result


def test_products_and_sums():
    assert "".join(product([3.0, -4.0], -12.0, 6)) == "3 × (-4) = -12"
    assert "".join(product([3.0, 1 / 3], 1.0, 6)) == "3 × 0.333333 ≈ 1"
    assert "".join(product([2.0, 1 / 3], 2 / 3, 6)) == "2 × 0.333333 ≈ 0.666667"
    assert "".join(sum_(28.0, -12.0, 16.0, 6)) == "28 + (-12) = 16"
    assert "".join(product([0.0, math.inf], 0.0, 6)) == "0 × inf = 0"
    assert "".join(product([1e300, 1e300], math.inf, 6)) == "1e+300 × 1e+300 ≈ inf"


@pytest.mark.parametrize(
    ("key", "operands", "text"),
    [
        ("a ^ b", ["-2", "2"], "(-2) ^ 2"),
        ("a - b", ["-2", "-3"], "(-2) - (-3)"),
        ("-a", ["3"], "-3"),
        ("-a", ["-3"], "-(-3)"),
        ("not a", ["0"], "not 0"),
        ("max(*xs)", ["-1", "2", "3"], "max(-1, 2, 3)"),
    ],
)
def test_an_operation_with_its_numbers(key, operands, text):
    row = next(row for row in TABLE if row.signature == key)
    assert operation(row, operands) == text


def test_a_power_of_a_negative_number_is_written_in_one_way(quick):
    result = traced("a^2", a=-2.0)
    node = result.nodes[result.output]
    assert computed(result, node, 6) == "(-2) ^ 2" and computed_value(result, node, 6) == (" = ", "4")
    assert "(-2) ^ 2" in quick("eval", "a^2", "a=-2", "--trace", "--format", "pretty").stdout
    assert "(-2) ^ 2" in quick("eval", "a^2", "a=-2", "--trace", "--format", "markdown").stdout
    texts = [line.plain for line in screen(board(result, 79, 6), 3, 24, 0)[0]]
    assert "a^2 = (-2) ^ 2 = 4" in texts
    assert "(-2)^0.5 is not a number" in quick("eval", "a^0.5", "a=-2").stderr
    assert "(a^2).data = (-2) ^ 2 = 4" in quick("graph", "a^2", "a=-2", "--format", "html").stdout


# ------------------------------------------------------------------------------------------- short names

TWICE = ("f(u, w) = tanh(u*w); f(a, b) + f(b, a)", {"a": 0.5, "b": 2.0})


def test_a_node_has_the_same_number_everywhere(quick):
    text, point = TWICE
    words = (text, *(f"{name}={number}" for name, number in point.items()))
    rows = [line.split("\t") for line in quick("eval", *words, "--trace").stdout.splitlines()[1:]]
    numbers = {row[2] for row in rows if row[3] == "u*w"}
    assert len(numbers) == 2
    pretty = ("--format", "pretty")
    for shown in (
        quick("eval", *words, "--tree", *pretty).stdout,
        quick("explain", *words, *pretty).stdout,
        quick("explain", *words, "--format", "markdown").stdout,
        *[quick("graph", *words, "--format", form).stdout for form in ("dot", "svg", "html")],
        quick("graph", *words, "--format", "mermaid").stdout.replace("#42;", "*").replace("#35;", "#"),
    ):
        assert set(re.findall(r"u\*w #(\d+)", shown)) == numbers
    trace_shown = quick("eval", *words, "--trace", *pretty).stdout
    assert set(re.findall(r"#(\d+) u\*w ", trace_shown)) == numbers
    texts = {line.plain for line in screen(board(traced(text, **point), 79, 6), 0, 30, 0)[0]}
    assert {found for line in texts for found in re.findall(r"u\*w #(\d+)", line)} == numbers


def test_only_what_is_not_told_apart_has_a_mark():
    result = marked(traced("w1*x1 + (w1*x1)^2 + 2*w1 - 2", w1=1.0, x1=2.0))
    assert {node.label for node in result.nodes if node.mark} == {"w1*x1"}
    assert [node.mark for node in result.nodes if node.mark] == [" #2", " #3"]


# ------------------------------------------------------------------------------------------------ widths

LONG = [
    ("(a+b)*(a*b)/(c-a*b)", {"a": -1.23456789e-100, "b": -9.87654321e-123, "c": -1.3456789e-5}),
    ("tanh(w1*x1 + w2*x2) + (w1*x1)^2/3 - exp(-(x1*w2)/7)", {"w1": 0.333333, "x1": -1.7, "w2": 1 / 7, "x2": 1e3 / 7}),
    ("(((((a*b+1)*a+b)*b+a)*a+b)*b+a)*12345.678", {"a": 1.2345678, "b": -12345.678}),
]
WIDTHS = [40, 60, 80, 120, 200]


def words(lines):
    return {word.strip("()|:,.") for line in lines for word in re.split(r"[\s]", line)}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("text", "point"), LONG)
def test_no_number_is_cut(text, point, width):
    result = traced(text, **point)
    lines = [line.plain for line in steps.table(result, width=width, precision=6)]
    numbers = [number for step in result.steps for number in (step.local, step.upstream, step.contribution, step.total)]
    assert {rounded(number) for number in numbers if number is not None} <= words(lines)
    trees = [line.plain for line in tree.tree(result, width=width, precision=6)]
    shown = [node.data for node in result.nodes] + [node.grad for node in result.nodes if node.grad is not None]
    assert {rounded(number) for number in shown} <= words(trees)
    sums = [path_sum(result, name, 10) for name in point]
    paths = [line.plain for line in path_lines.table(result, sums, width=width, precision=6)]
    assert {rounded(path.contribution) for sum_ in sums for path in sum_.shown} <= words(paths)
    assert max(cell_len(line.rstrip()) for line in [*lines, *trees, *paths]) <= width


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("text", "point"), LONG)
def test_no_number_is_cut_step_by_step(text, point, width):
    result = traced(text, **point)
    shown, top = board(result, width - 1, 6), 0
    for done, step in enumerate(result.steps, 1):
        lines, top = screen(shown, done, 40, top)
        numbers = (step.value, step.local, step.upstream, step.contribution, step.total)
        assert {rounded(number) for number in numbers if number is not None} <= words(line.plain for line in lines)
        assert max(cell_len(line.plain.rstrip()) for line in lines) < width


def test_a_wide_terminal_is_used():
    name = "a_name_that_is_" + "quite_" * 12 + "long"
    lines = [line.plain for line in tree.tree(traced(f"{name}*2 + {name}", **{name: 1.5}), width=200, precision=6)]
    assert any(line.startswith(f"{name}*2 + {name[:3]}") for line in lines) and "…" not in lines[2]


@pytest.mark.parametrize("width", WIDTHS)
def test_functions_are_whole(quick, width):
    shown = quick("functions", "--format", "pretty", env={"COLUMNS": str(width)}).stdout
    assert "…" not in shown and max(map(cell_len, shown.splitlines())) <= width
    wide = quick("functions", "--format", "pretty").stdout
    assert re.sub(r"[\s,]", "", shown) == re.sub(r"[\s,]", "", wide)  # side by side there are commas between


@given(st.lists(NUMBERS, min_size=2, max_size=5))
@settings(max_examples=30)
def test_numbers_stand_in_columns(numbers):
    """Value and gradient end in the same columns in each row of the tree."""
    names = "abcde"[: len(numbers)]
    result = traced(" + ".join(names), **dict(zip(names, numbers, strict=True)))
    lines = [line.plain for line in tree.tree(result, width=100, precision=6)]
    table = lines[: lines.index("")]
    ends = [[found.end() for found in re.finditer(r"(?<= )\S+", line)][-2:] for line in table if line[-1] != " "]
    assert len({tuple(pair) for pair in ends}) == 1 and len({len(line) for line in table}) == 1
