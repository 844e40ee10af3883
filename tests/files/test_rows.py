"""Formulas for rows: what a cell of text is worth, what is added to a row, and why a row has no result."""

import math
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli import GradcliError, gradient
from gradcli.errors import UsageError
from gradcli.extras import load
from gradcli.files.arrow import map_in_arrow
from gradcli.files.cells import cell_number
from gradcli.files.record_batches import check_types, new_schema, read_columns
from gradcli.files.rows import compute, explain, plan
from gradcli.files.table import Bad, check_new


def columns(**numbers):
    return {name: np.array(column, dtype=float) for name, column in numbers.items()}


# ---------------------------------------------------------------------------------------------- cells of text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3), (" 3 ", 3), ("\t3", 3), ("+3", 3), ("-.5", -0.5), ("5.", 5), ("1e3", 1000), ("1E-3", 0.001), ("007", 7),
        ("-0", -0.0), ("inf", math.inf), ("-Infinity", -math.inf), ("1e-400", 0), ("0.1", 0.1), ("9007199254740993", 2.0**53),
    ],
)  # fmt: skip
def test_a_cell_that_is_a_number(text, number):
    found = cell_number(text)
    assert found == number and math.copysign(1, found) == math.copysign(1, number)


@pytest.mark.parametrize(
    "text",
    ["abc", "1_000", "0x10", "1,5", "１２", "−3", "nan", "NaN", "true", "1e", "e3", ".", "+", "- 3", "3 4", "1\x002", "٣", "NA", "infin", "1d3"],
)  # fmt: skip
def test_a_cell_that_is_none(text):
    assert "is not a number" in cell_number(text)


@pytest.mark.parametrize("text", ["", " ", "\t ", "\u00a0"])
def test_an_empty_cell(text):
    assert cell_number(text) == "the cell is empty"


def test_a_number_that_is_too_large():
    assert cell_number("1e400") == "'1e400' is too large for binary64"


def test_a_long_or_hostile_cell_is_shown_short_and_harmless():
    assert len(cell_number("a" * 200_000)) < 80
    assert cell_number("\x1b[2J") == "'\\x1b[2J' is not a number"


@given(st.floats(allow_nan=False))
def test_every_number_is_read_back(number):
    assert cell_number(repr(number)) == number


@given(st.text(max_size=8))
def test_no_text_raises(text):
    found = cell_number(text)
    assert isinstance(found, str) or found == float(text)


# ------------------------------------------------------------------------------------------------------ plans


def test_value_and_partials():
    batch = plan("a*b^2", ["a", "b", "c"])
    assert (batch.columns, batch.new) == (("a", "b"), ("value", "d_a", "d_b"))
    found = compute(batch, columns(a=[3, 5], b=[4, 6]), 2, {})
    assert [column.tolist() for column in found.columns] == [[48, 180], [16, 36], [24, 60]] and found.bad == {}


def test_names_of_the_new_columns():
    assert plan("a*b", ["a", "b"], wrt=["b"]).new == ("value", "d_b")
    assert plan("a*b", ["a", "b"], value=False).new == ("d_a", "d_b")
    assert plan("a*b", ["a", "b"], prefix="g_").new == ("g_value", "g_d_a", "g_d_b")
    assert plan("c = a+b; d = a*b; c*d", ["a", "b"], outputs=["c", "d"]).new == (
        "c", "dc_da", "dc_db", "d", "dd_da", "dd_db",
    )  # fmt: skip


def test_outputs_of_a_program():
    batch = plan("c = a+b; d = a*b; c*d", ["a", "b"], outputs=["c", "d"])
    found = compute(batch, columns(a=[3], b=[4]), 1, {})
    assert [column.tolist() for column in found.columns] == [[7], [1], [1], [12], [4], [3]]


def test_a_bound_name_has_a_derivative_for_every_row():
    batch = plan("r*x", ["x"], {"r": 2.0})
    found = compute(batch, columns(x=[3, 4]), 2, {})
    assert batch.columns == ("x",) and [column.tolist() for column in found.columns] == [[6, 8], [3, 4], [2, 2]]


def test_a_formula_without_columns():
    batch = plan("2*r", ["x"], {"r": 2.0})
    assert [column.tolist() for column in compute(batch, {}, 3, {}).columns] == [[4, 4, 4], [2, 2, 2]]


@pytest.mark.parametrize(
    ("formula", "names", "options", "message"),
    [
        ("x*y", ["x"], {}, "no value for y"),
        ("x*y", ["x", "y"], {"bound": {"y": 1.0}}, "y is given as y=1, and is a column as well"),
        ("x = 2; x*y", ["x", "y"], {}, "x is assigned here"),
        ("x*y", ["x", "y"], {"wrt": ["z"]}, "z is not a variable"),
        ("c = x; c^2", ["x"], {"outputs": ["d"]}, "d is not assigned"),
    ],
)
def test_what_cannot_be_right_in_any_row(formula, names, options, message):
    with pytest.raises(UsageError, match=message):
        plan(formula, names, **options)


def test_a_column_wins_over_a_constant():
    assert plan("e*x", ["e", "x"]).columns == ("e", "x")
    assert plan("e*x", ["x"]).columns == ("x",)


def test_new_columns_overwrite_nothing():
    with pytest.raises(UsageError, match="there is a column d_x already"):
        check_new(plan("x", ["x"]).new, ["x", "d_x"], "")
    with pytest.raises(UsageError, match="two new columns would be called value"):
        check_new(plan("value = x; u = 2*x; u", ["x"], outputs=["value", "value"]).new, ["x"], "")
    check_new(plan("x", ["x"], prefix="g_").new, ["x", "d_x"], "")


# -------------------------------------------------------------------------------------------------- bad rows


def test_nan_makes_a_row_bad():
    batch = plan("if(a > 0, b, 1/a)", ["a", "b"])
    found = compute(batch, columns(a=[1, math.nan, 2], b=[1, 1, math.nan]), 3, {})
    assert found.bad == {1: Bad("a", "nan is not a number"), 2: Bad("b", "nan is not a number")}


def test_a_value_that_is_no_number_is_explained():
    batch = plan("log(a)*b", ["a", "b"])
    found = compute(batch, columns(a=[1, -1], b=[1, 1]), 2, {})
    assert list(found.bad) == [1] and explain(batch, found.bad[1]) == "log of -1 is not a number"


def test_the_output_to_blame_is_explained():
    batch = plan("c = a+1; d = log(a); c*d", ["a"], outputs=["c", "d"])
    found = compute(batch, columns(a=[-2]), 1, {})
    assert explain(batch, found.bad[0]) == "log of -2 is not a number"


def test_known_bad_rows_stay_with_their_reason():
    found = compute(plan("a", ["a"]), columns(a=[math.nan, 1]), 2, {0: Bad("a", "the cell is empty")})
    assert found.bad == {0: Bad("a", "the cell is empty")}


def test_infinities_are_numbers_and_a_nan_derivative_is_counted():
    found = compute(plan("1/a", ["a"]), columns(a=[0]), 1, {})
    assert (found.columns[0].tolist(), found.bad, found.undefined) == ([math.inf], {}, 0)
    found = compute(plan("a*(b*inf) + 0*a", ["a", "b"]), columns(a=[math.inf, 1], b=[1, 1]), 2, {})
    assert len(found.bad) + found.undefined >= 1


def test_a_missing_extra_is_named():
    with pytest.raises(GradcliError) as problem:
        load("gradcli_has_no_such_module", "batch")
    assert problem.value.hint == "pip install 'gradcli[batch]'" and problem.value.exit_code == 1


@given(
    st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=1, max_size=20),
    st.sampled_from(["x*y", "sin(x)*exp(-y/1000)", "hypot(x, y)", "if(x < y, x^2, y)", "max(x, y)*2"]),
)
def test_rows_are_what_gradient_says_of_each(points, formula):
    batch = plan(formula, ["x", "y"])
    found = compute(batch, columns(x=[x for x, _ in points], y=[y for _, y in points]), len(points), {})
    for row, (x, y) in enumerate(points):
        value, partials = gradient(formula, x=x, y=y)
        expected = [value, *[partials[name] for name in batch.kernel.wrt]]
        assert [column[row] for column in found.columns] == pytest.approx(expected, rel=1e-12, abs=1e-300)


# -------------------------------------------------------------------------------------------- record batches


def test_record_batches_get_new_columns_with_nulls():
    records = pa.RecordBatch.from_pydict({"name": ["p", "q", "r"], "x": [9, None, -1], "y": [2.0, 1.0, 1.0]})
    (found,) = map_in_arrow("sqrt(x)*y")([records])
    assert found.schema.names == ["name", "x", "y", "value", "d_x", "d_y"]
    assert found.column("x").equals(records.column("x")) and found.column("name").equals(records.column("name"))
    assert found.column("value").to_pylist() == [6, None, None]


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.float32(), pa.decimal128(24, 2)])
def test_types_that_are_numbers(kind):
    records = pa.RecordBatch.from_arrays([pa.array([1, None, 3]).cast(kind)], names=["x"])
    check_types(records.schema, ["x"])
    numbers, bad = read_columns(records, {"x": "x"})
    assert numbers["x"][[0, 2]].tolist() == [1, 3] and bad == {1: Bad("x", "the cell is empty")}


@pytest.mark.parametrize("kind", [pa.string(), pa.bool_(), pa.date32(), pa.list_(pa.float64())])
def test_types_that_are_none(kind):
    with pytest.raises(UsageError, match="the column x holds"):
        check_types(pa.schema([("x", kind)]), ["x"])


def test_metadata_of_a_schema_stays():
    schema = pa.schema([("x", pa.float64())], metadata={"made": "by hand"})
    assert new_schema(schema, {"value": float}).metadata == {b"made": b"by hand"}


def test_map_in_arrow_from_batches_to_batches():
    function = pickle.loads(pickle.dumps(map_in_arrow("r*a*b", {"r": 2.0}, wrt=["a"], prefix="g_")))
    batches = [
        pa.RecordBatch.from_pydict({"a": [1.0, 2.0], "b": [3.0, None]}),
        pa.RecordBatch.from_pydict({"a": [5.0], "b": [7.0]}),
    ]
    assert [one.to_pydict() for one in function(iter(batches))] == [
        {"a": [1.0, 2.0], "b": [3.0, None], "g_value": [6.0, None], "g_d_a": [6.0, None]},
        {"a": [5.0], "b": [7.0], "g_value": [70.0], "g_d_a": [14.0]},
    ]
    assert list(function(iter([]))) == []


def test_map_in_arrow_refuses_text():
    with pytest.raises(UsageError, match="the column a holds string"):
        list(map_in_arrow("a")(iter([pa.RecordBatch.from_pydict({"a": ["1"]})])))


def test_the_names_of_map_in_arrow():
    import gradcli
    import gradcli.arrow

    assert gradcli.map_in_arrow is gradcli.arrow.map_in_arrow is map_in_arrow
