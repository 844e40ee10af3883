"""A function is one row: with the row alone, every part of the tool has it."""

import math

import numpy as np
import pytest

import gradcli
from gradcli import parse
from gradcli.autodiff import ops
from gradcli.autodiff.engine import Value
from gradcli.calculus.check import check
from gradcli.calculus.gradient import derivatives, hessian
from gradcli.kernel import kernel
from gradcli.kernel.backends import HOMES, find
from gradcli.language.latex import latex
from gradcli.language.unparse import unparse
from gradcli.symbolic.formulas import derivative


def soft(x):
    return x / (1 + abs(x))


def slope(x, y):
    return 1 / ops.pow(1 + abs(x), 2.0)


@pytest.fixture
def add():
    """A function that adds a row; afterwards the table is as before."""
    added = []

    def one(*row, **more):
        added.append(ops.rows_of("Machine learning")(*row, **{"doc": "x/(1 + abs(x))", **more}))
        return added[-1]

    before = list(ops.TABLE), dict(ops.FUNCTIONS)
    yield one
    for row in added:
        ops.remove(row)
        assert not hasattr(Value, row.name)
    assert before == (ops.TABLE, ops.FUNCTIONS)


@pytest.fixture
def softsign(add):
    return add("softsign(x)", soft, slope, expands=soft)


def test_it_can_be_typed_and_called(softsign):
    assert softsign(3.0) == gradcli.softsign(3.0) == 0.75 and math.isnan(softsign(-math.inf))
    x = Value(3.0)
    y = gradcli.softsign(x) * x.softsign()
    y.backward()
    assert (y.data, x.grad, Value(-3).softsign().data) == (0.5625, 2 * 0.75 / 16, -0.75)
    assert unparse(parse("2softsign(x + 1)")) == "2*softsign(x + 1)"


def test_its_numbers(softsign, quick):
    assert quick("eval", "softsign(x)", "x=3") == (0, "=\t0.75\t1\nx\t3\t0.0625\n", "")
    assert derivatives("softsign(x)", 3, x=1)["x"] == pytest.approx([0.25, -0.25, 0.375])
    assert hessian("softsign(x)*y", x=1, y=2)["x"] == pytest.approx({"x": -0.5, "y": 0.25})


def test_its_trace(softsign, quick):
    lines = quick("eval", "softsign(x)", "x=3", "--trace", "--format", "plain").stdout.splitlines()
    assert lines[2].split("\t")[:5] == ["2", "forward", "1", "softsign(x)", "softsign"]
    assert lines[3].split("\t")[5:8] == ["x", "0.0625", "1"]
    pretty = quick("eval", "softsign(x)", "x=3", "--trace", "--format", "pretty").stdout
    assert "softsign(3)" in pretty and "1/(1 + abs(x))^2" in pretty


def test_its_derivative_is_a_formula(softsign, quick):
    shown = quick("diff", "softsign(x)", "x").stdout
    assert "1/(1 + abs(x))^2" in shown
    for order in (1, 2):
        text = derivative("x*softsign(x)", "x", order)
        wanted = derivatives("x*softsign(x)", order, x=0.7)["x"][order - 1]
        assert gradcli.gradient(str(text), x=0.7).value == pytest.approx(wanted, rel=1e-14)
    assert unparse(parse("diff(softsign(x), x)")) == "1/(1 + abs(x))^2"


def test_its_latex(softsign):
    assert latex(parse("softsign(x)^2")) == r"\operatorname{softsign}\left(x\right)^{2}"


def test_a_latex_command_of_its_own(add):
    add("softsign(x)", soft, slope, expands=soft, latex=r"\zeta")
    assert latex(parse("softsign(x)^2")) == r"\zeta^{2}\left(x\right)"


@pytest.mark.parametrize("x", [3.0, -0.25, 1e-9, 1e8])
def test_all_methods_agree(softsign, quick, x):
    result = check("softsign(x)", x=x)
    (verdict,) = result.verdicts
    assert (result.status, result.no_reference, verdict.digits) == ("pass", (), pytest.approx(16, abs=1))
    assert verdict.precise.value == pytest.approx(verdict.reverse, rel=1e-15)
    assert quick("check", "softsign(x)", f"x={x}", "--format", "plain").stdout.count("\t") == 5


@pytest.mark.parametrize("name", HOMES)
def test_its_kernels(softsign, name):
    try:
        problem = find(name).lacks([])
    except gradcli.GradcliError as missing:
        problem = missing
    if problem:
        pytest.skip(str(problem))
    compiled = kernel.compile("softsign(x)*x", back_end=name)
    assert compiled.back_end == name and "each(" not in compiled.source
    x = np.array([3.0, -0.25, 0.0, -0.0, 1e300, -math.inf])
    value, partials = compiled(x=x)
    for i, point in enumerate(x.tolist()):
        at = gradcli.gradient("softsign(x)*x", x=point)
        assert [value[i], partials["x"][i]] == pytest.approx([at.value, at.partials["x"]], rel=1e-15, nan_ok=True)


def test_its_help_and_its_completion(softsign, quick):
    assert quick("functions", "softsign").stdout == "softsign(x)\tx\t1/(1 + abs(x))^2\n"
    assert "softsign(x)" in quick("functions").stdout
    words = {"_GRADCLI_COMPLETE": "bash_complete", "COMP_WORDS": "gradcli functions so", "COMP_CWORD": "2"}
    assert quick(env=words).stdout.split() == ["plain,softplus", "plain,softsign"]


def test_a_mistyped_name_finds_it(softsign, quick):
    assert "did you mean softsign" in quick("eval", "softsing(x)", "x=1").stderr


# ------------------------------------------------------------------------------------------ less than a whole row


def test_without_a_reference_check_says_so(add, quick):
    add("softsign(x)", soft, slope)
    result = check("2*softsign(x)", x=3)
    assert (result.status, result.no_reference) == ("pass", ("softsign",))
    assert result.verdicts[0].precise is None
    pretty = quick("check", "softsign(x)*x", "x=3", "--format", "pretty").stdout
    assert pretty.endswith("pass: all methods agree\nno independent reference for softsign\n")
    assert '"no_reference": ["softsign"]' in quick("check", "softsign(x)", "x=3", "--json").stdout
    assert "no_reference" not in quick("check", "tanh(x)", "x=3", "--json").stdout
    assert quick("check", "softsign(x)", "x=3", "--format", "plain").stdout.count("\t") == 4
    assert check("c = softsign(x); x^2", x=3).no_reference == ()


def test_without_an_expansion_it_is_called_row_by_row(add):
    add("softsign(x)", soft, slope)
    compiled = kernel.compile("softsign(x)")
    assert compiled.back_end == "numpy" and "each(" in compiled.source
    assert compiled(x=np.array([3.0, -1.0])).value.tolist() == [0.75, -0.5]


def test_a_wrong_expansion_disagrees(add):
    """The table's own test finds it (test_table.py), and so does the check of a formula."""
    add("softsign(x)", soft, slope, expands=lambda x: x / (2 + abs(x)))
    assert check("softsign(x)", x=3).status == "fail"


def test_an_operator_too(add):
    row = add("a <> b", lambda a, b: (a - b) * (a + b), lambda a, b, y: 2 * a, lambda a, b, y: -2 * b, level=ops.SUM)
    assert ops.INFIX["<>"] is row and row.written([("a + b", ops.SUM), ("c", ops.ATOM)]) == ("a + b <> c", ops.SUM)
