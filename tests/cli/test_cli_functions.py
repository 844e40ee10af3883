"""gradcli functions: one function by name, and the lists, which have their rows from the table alone."""

import json

import pytest
from helpers import fails

from gradcli.autodiff.ops import TABLE


def test_diff_is_found_by_name(quick):
    assert quick("functions", "diff") == (0, "diff(expr, x, n)\tx\tdiff(expr, x, n + 1)\n", "")
    (record,) = json.loads(quick("functions", "diff", "--json").stdout)["functions"]
    assert (record["signature"], record["derivatives"]) == ("diff(expr, x, n)", {"x": "diff(expr, x, n + 1)"})
    (other,) = json.loads(quick("functions", "sin", "--json").stdout)["functions"]
    assert list(record) == list(other)
    shown = quick("functions", "diff", "--format", "pretty").stdout
    assert "the n-th derivative of expr by the name x" in shown and "from 1 to 100" in shown


@pytest.mark.parametrize("n", [1, 2])
def test_the_derivative_of_diff_is_the_next_one(quick, n):
    by_grad = quick("eval", f"diff(sin(x)^2, x, {n})", "x=0.5", "--grad", "x")
    assert float(by_grad.stdout) == pytest.approx(
        float(quick("eval", f"diff(sin(x)^2, x, {n + 1})", "x=0.5", "--value").stdout), rel=1e-14
    )


def test_lists_hold_the_rows_of_the_table(quick):
    signatures = [row.signature for row in TABLE if not row.internal]
    assert [one["signature"] for one in json.loads(quick("functions", "--json").stdout)["functions"]] == signatures
    plain = [line.split("\t")[0] for line in quick("functions").stdout.splitlines()]
    assert list(dict.fromkeys(plain)) == signatures
    pretty = quick("functions", "--format", "pretty").stdout
    assert all(signature in pretty for signature in signatures) and "diff(expr, x, n)" in pretty


def test_unknown_functions(quick):
    fails(quick("functions", "dif"), 2, "no function dif", "did you mean diff")
    fails(quick("functions", "snh"), 2, "no function snh", "did you mean sinh")
    fails(quick("functions", "qqqq"), 2, "gradcli functions lists them all")
