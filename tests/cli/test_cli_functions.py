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


@pytest.mark.parametrize(("name", "call"), [("log", "log(x, base)"), ("factorial", "factorial(n)")])
def test_a_definition_is_found_with_its_derivatives(quick, name, call):
    record = json.loads(quick("functions", name, "--json").stdout)["functions"][-1]
    assert record["signature"] == call and call in quick("functions", name, "--format", "pretty").stdout
    point = {"x": 3.0, "base": 7.0, "n": 2.5}
    for variable, formula in record["derivatives"].items():
        given = [f"{one}={point[one]}" for one in record["derivatives"]]
        wanted = float(quick("eval", call, *given, "--grad", variable).stdout)
        assert float(quick("eval", formula, *given, "--value").stdout) == pytest.approx(wanted, rel=1e-14)


def test_lists_hold_the_rows_of_the_table_and_the_definitions(quick):
    signatures = [one["signature"] for one in json.loads(quick("functions", "--json").stdout)["functions"]]
    assert [one for one in signatures if one not in ("log(x, base)", "factorial(n)")] == [
        row.signature for row in TABLE if not row.internal
    ]
    assert len(signatures) == len([row for row in TABLE if not row.internal]) + 2
    plain = [line.split("\t")[0] for line in quick("functions").stdout.splitlines()]
    assert list(dict.fromkeys(plain)) == signatures
    pretty = quick("functions", "--format", "pretty").stdout
    assert all(signature in pretty for signature in signatures) and "diff(expr, x, n)" in pretty


def test_unknown_functions(quick):
    fails(quick("functions", "dif"), 2, "no function dif", "did you mean diff")
    fails(quick("functions", "snh"), 2, "no function snh", "did you mean sinh")
    fails(quick("functions", "qqqq"), 2, "gradcli functions lists them all")
