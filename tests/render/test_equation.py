"""Equations on as many rows as they need."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.render.equation import folded, padding, rows
from gradcli.text import cells

SUM = "sin(x)*cos(x) + 2*x - 3*tanh(x)/x + exp(x*y)"


@pytest.mark.parametrize(
    ("text", "width", "wanted"),
    [
        ("f = a + b", 9, ["f = a + b"]),
        ("f = a + b", 8, ["f = a", "    + b"]),
        ("f = a - b + c - d", 13, ["f = a - b + c", "    - d"]),
        ("f = abc*defgh*ijk", 12, ["f = abc*", "    defgh*", "    ijk"]),
        ("f = max(x, y1)", 12, ["f = max(x,", "    y1)"]),
        ("f = abcdefghijklmnopq", 12, ["f = abcdefgh", "    ijklmnop", "    q"]),
        ("f = a*b - -c", 10, ["f = a*b", "    - -c"]),
        ("f = 変数 + 変数", 10, ["f = 変数", "    + 変数"]),
        ("f = 変数変数", 10, ["f = 変数変", "    数"]),
    ],
)
def test_where_a_row_ends(text, width, wanted):
    assert list(folded(text, 4, width, 4)) == wanted


@given(st.text("ab変()*/,+-^ 12", min_size=1, max_size=120), st.integers(20, 60))
def test_nothing_is_lost_and_nothing_sticks_out(formula, width):
    found = list(folded(f"d/dx = {formula}", 7, width, 7))
    assert all(cells(row) <= width for row in found)
    assert all(row.startswith(" " * 7) for row in found[1:])
    assert "".join(found).replace(" ", "") == f"d/dx={formula}".replace(" ", "")


def test_a_label_that_is_wider_than_the_screen():
    label = "a_very_long_name" * 4
    pad = padding([label, "x"], 30)
    assert pad == 10
    found = [row.plain for row in rows(label, pad, SUM, "", 30)]
    assert all(len(row) <= 30 for row in found) and "".join(found).replace(" ", "") == f"{label}={SUM}".replace(" ", "")
    assert [row.plain for row in rows("x", pad, "1", "", 30)] == ["x          = 1"]


def test_without_a_width_it_is_one_row():
    assert padding(["x" * 90], None) == 90
    assert [row.plain for row in rows("f", 1, SUM * 9, "", None)] == [f"f = {SUM * 9}"]
