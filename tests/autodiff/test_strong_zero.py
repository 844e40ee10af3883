"""The strong zero: what was not chosen, and what does not move, is heard of in no derivative, by no interpreter."""

import math

import numpy as np
import pytest

from gradcli import gradient, hessian, jvp, parse
from gradcli.autodiff import ops
from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.tape import replay
from gradcli.calculus.gradient import derivatives
from gradcli.kernel import kernel
from gradcli.symbolic.formulas import formulas

try:
    from gradcli.kernel import llvm_backend
except ImportError:
    llvm_backend = None
BACK_ENDS = ["numpy", "llvm"] if llvm_backend and llvm_backend.machine() else ["numpy"]
inf, nan = math.inf, math.nan

FUNCTIONS = [row for row in ops.TABLE if row.form == "call" and not row.internal and row.name != "if"]
GUARDS = [
    "if(x > 10, {}, x^4)",
    "if(x <= 10, x^4, {})",
    "if(x > 10 and x > 11, {}, x^4)",
    "if(x < 9, if(x > 8, {}, x^4), 0)",
]
CONTEXTS = ["{}", "x*{}", "{}^2", "sin({})", "{}/(1 + x^2)", "3 - {}", "{}*{}"]
ORDERS = 5


def call(row, inner):
    first = ["1"] if row.name in ("polygamma", "sincn") else []
    return f"{row.name}({', '.join([*first, inner, *['2.5', '3'][: len(row.partials) - 1 - len(first)]])})"


@pytest.mark.parametrize("row", FUNCTIONS, ids=repr)
def test_a_branch_that_was_not_taken_is_heard_of_in_no_derivative(row):
    for guard in GUARDS:
        for context in CONTEXTS:
            text = guard.format(context.replace("{}", call(row, "x")))
            for x in (-3.0, -0.5, 0.0, 7.0):
                wanted = [4 * x**3, 12 * x**2, 24 * x, 24.0, 0.0]
                assert derivatives(text, ORDERS, x=x)["x"] == wanted, (text, x)


def test_a_hessian_of_the_branch_that_was_taken():
    assert hessian("if(x > 0, x*sqrt(x), x^4)", x=-3) == {"x": {"x": 108.0}}
    assert hessian("if(x > 0, y*sqrt(x), x^4*y)", x=-3, y=2)["x"] == {"x": 216.0, "y": -108.0}
    assert gradient("diff(if(x > 0, x*sqrt(x), x^4), x, 2)", x=-3) == (108.0, {"x": -72.0})


def test_formulas_do_not_fill_with_guards():
    for order, words in ((1, 60), (2, 100)):
        tape, lines = differentiate(parse("if(x > 0, x*sqrt(x), x^4)"), ["x"], order)
        text = formulas(tape, lines).text("x")
        assert len(text) < words and "holds" not in text and "kept" not in text, text


@pytest.mark.parametrize(
    ("text", "point", "partials"),
    [
        ("sqrt(a*x)", {"a": 2.0, "x": 0.0}, {"a": 0.0, "x": inf}),
        ("sqrt(x*a)", {"a": 2.0, "x": 0.0}, {"a": 0.0, "x": inf}),
        ("sqrt(2*h/g)", {"h": 0.0, "g": 9.81}, {"h": inf, "g": 0.0}),
        ("(x/l)^k", {"x": 0.0, "l": 2.0, "k": 0.5}, {"x": inf, "l": 0.0, "k": 0.0}),
        ("exp(-(t/u)^b)", {"t": 0.0, "u": 3.0, "b": 0.7}, {"t": -inf, "u": 0.0, "b": 0.0}),
        ("sqrt(x^k)", {"x": 0.0, "k": 2.0}, {"x": nan, "k": 0.0}),
        ("sqrt(prod(a, b, x))", {"a": 2.0, "b": 3.0, "x": 0.0}, {"a": 0.0, "b": 0.0, "x": inf}),
        ("sqrt(x^2)", {"x": 0.0}, {"x": nan}),
        ("sqrt(x*x)", {"x": 0.0}, {"x": nan}),
        ("sqrt(x*sin(x))", {"x": 0.0}, {"x": nan}),
        ("sqrt(relu(x)) + x", {"x": -1.0}, {"x": 1.0}),
        ("sqrt(max(x, 0))", {"x": -3.0}, {"x": 0.0}),
        ("acos(min(1, x))", {"x": 2.0}, {"x": 0.0}),
        ("0*sqrt(x)", {"x": 0.0}, {"x": 0.0}),
        ("if(x > 0, sqrt(x), x)", {"x": 0.0}, {"x": 1.0}),
        ("cos(x)", {"x": 0.0}, {"x": 0.0}),
        ("-x^2", {"x": 0.0}, {"x": 0.0}),
    ],
)
def test_every_interpreter_has_the_same_zero(text, point, partials):
    """Floats, forward mode, the recorded derivative, and kernels: of all their columns, and of parameters beside one."""

    def same(found):
        assert {name: repr(float(number)) for name, number in found.items()} == {
            name: repr(number) for name, number in partials.items()
        }

    tape = parse(text)
    same(gradient(text, point).partials)
    same({name: jvp(text, {name: 1.0}, point).tangent + 0.0 for name in point})
    same({name: derivatives(text, 1, point)[name][0] for name in point})
    derived, lines = differentiate(tape, list(point))
    same({name: replay(derived, point)[line] + 0.0 for name, line in lines.items()})
    columns = {name: np.array([number, 0.7, number]) for name, number in point.items()}
    for back_end in BACK_ENDS:
        made = kernel.compile(text, back_end=back_end)
        same({name: column[2] for name, column in made.rows(columns).partials.items()})
        for name, number in point.items() if len(point) > 1 else ():
            beside = made.rows(columns | {name: number}).partials
            assert repr(float(beside[name][0])) == repr(partials[name]), (back_end, name)


def test_data_under_a_root_does_not_stop_a_sum():
    x = np.array([0.0, 1.0, 4.0])
    for back_end in BACK_ENDS:
        found = kernel.compile("sqrt(a*x)", wrt=["a"], back_end=back_end)(a=4.0, x=x)
        assert found.partials["a"] == 0.25 + 0.5
