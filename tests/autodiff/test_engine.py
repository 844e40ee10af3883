"""The engine: values that remember where they came from, and the backward pass over them."""

import gc
import math
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.autodiff import ops
from gradcli.autodiff.engine import Value, constant, topological

numbers = st.floats(-1e6, 1e6)


def grads(function, *numbers):
    """The value and the partial derivatives of a Python function."""
    values = [Value(number) for number in numbers]
    out = function(*values)
    out.backward()
    return out.data, [value.grad for value in values]


MICROGRAD = """
    def readme(a, b):
        c = a + b
        d = a * b + b**3
        c += c + 1
        c += 1 + c + (-a)
        d += d * 2 + (b + a).relu()
        d += 3 * d + (b - a).relu()
        e = c - d
        f = e**2
        g = f / 2.0
        g += 10.0 / f
        return g
"""
exec(textwrap.dedent(MICROGRAD))


def test_walkthrough():
    assert grads(lambda a, b: (a + b) * (a * b), 3.0, 4.0) == (84.0, [40.0, 33.0])


def test_micrograd_readme():
    g, (a, b) = grads(readme, -4.0, 2.0)  # noqa: F821
    assert (f"{g:.4f}", f"{a:.4f}", f"{b:.4f}") == ("24.7041", "138.8338", "645.5773")


def test_engine_runs_where_nothing_else_is_installed():
    program = """
    import sys
    for name in ("lark", "click", "rich", "numpy"):
        sys.modules[name] = None
    from gradcli.autodiff.engine import Value
    from gradcli import tanh
    {readme}
    a, b = Value(-4.0), Value(2.0)
    g = readme(a, b)
    g.backward()
    print(f"{{g.data:.4f}} {{a.grad:.4f}} {{b.grad:.4f}} {{tanh(0.0):.1f}}")
    """
    program = textwrap.dedent(program).format(readme=textwrap.dedent(MICROGRAD))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("24.7041 138.8338 645.5773 0.0\n", "")


@pytest.mark.parametrize(
    ("function", "point", "value", "slopes"),
    [
        (lambda x: x * x, [3.0], 9.0, [6.0]),
        (lambda x: x + x, [3.0], 6.0, [2.0]),
        (lambda x: x / x, [3.0], 1.0, [0.0]),
        (lambda a, b: a - b, [5.0, 3.0], 2.0, [1.0, -1.0]),
        (lambda a, b: a / b, [6.0, 3.0], 2.0, [1 / 3, -2 / 3]),
        (lambda a, b: a % b, [7.0, 3.0], 1.0, [1.0, -2.0]),
        (lambda a, b: a**b, [2.0, 3.0], 8.0, [12.0, 8 * math.log(2)]),
        (lambda x: -x, [3.0], -3.0, [-1.0]),
        (lambda x: abs(x), [-3.0], 3.0, [-1.0]),
        (lambda x: 10 + x, [3.0], 13.0, [1.0]),
        (lambda x: 10 - x, [3.0], 7.0, [-1.0]),
        (lambda x: 10 * x, [3.0], 30.0, [10.0]),
        (lambda x: 10 / x, [5.0], 2.0, [-0.4]),
        (lambda x: 10 % x, [4.0], 2.0, [-2.0]),
        (lambda x: 2**x, [3.0], 8.0, [8 * math.log(2)]),
        (lambda x: x**2, [-3.0], 9.0, [-6.0]),
        (lambda x: (x > 2) * x, [3.0], 3.0, [1.0]),
        (lambda x: x.floor() >= 2, [3.0], 1.0, [0.0]),
        (lambda x: x == 3, [3.0], 1.0, [0.0]),
        (lambda x: x != 3, [3.0], 0.0, [0.0]),
        (lambda x: x.tanh().ln(), [1.0], math.log(math.tanh(1)), [1 / math.sinh(1) / math.cosh(1)]),
        (lambda x, y: x.max(y, 4.0), [3.0, 5.0], 5.0, [0.0, 1.0]),
        (lambda x, y: ops.if_(x > y, x, y), [3.0, 5.0], 5.0, [0.0, 1.0]),
    ],
)
def test_operators(function, point, value, slopes):
    found, partials = grads(function, *point)
    assert found == pytest.approx(value, rel=1e-15)
    assert partials == pytest.approx(slopes, rel=1e-15)


@given(numbers, numbers)
def test_order_of_operands(a, b):
    x, y = Value(a), Value(b)
    assert (x - y).data == a - b and (x - b).data == a - b and (a - y).data == a - b
    assert (x - y)._prev == (x, y)
    assert (x < y).data == float(a < b) and (x <= b).data == float(a <= b) and (a > y).data == float(a > b)


def test_names_of_micrograd():
    a, b = Value(3.0), Value(4.0)
    c = a * b
    assert (c.data, c.grad, c._prev, c._op) == (12.0, 0.0, (a, b), "*")
    c.grad = 1.0
    c._backward()
    assert (a.grad, b.grad, a._op, a._prev) == (4.0, 3.0, "", ())
    assert repr(c) == "Value(data=12.0, grad=1.0)"


def test_every_function_is_a_method():
    for name in [*ops.FUNCTIONS, *ops.ALIASES]:
        row = ops.find(name)
        more = [0.5] * ((row.arity or 1) - 1)
        assert getattr(Value(0.75), name)(*more).data == pytest.approx(row(0.75, *more), nan_ok=True)


def test_sum_of_values_starts_at_zero():
    values = [Value(x) for x in (1.0, 2.0, 3.0)]
    total = sum(values)
    total.backward()
    assert total.data == 6.0 and len(topological(total)) == 5
    assert [value.grad for value in values] == [1.0] * 3
    assert sum([values[0]]) is values[0]


def test_leaves_accumulate_and_inner_nodes_do_not():
    a, b = Value(3.0), Value(4.0)
    c = a * b
    out = c + a
    for times in (1, 2, 3):
        out.backward()
        assert (a.grad, b.grad, c.grad, out.grad) == (5.0 * times, 3.0 * times, 1.0, 1.0)
    a.grad = b.grad = 0.0
    out.backward()
    assert (a.grad, b.grad) == (5.0, 3.0)


def test_shared_nodes_fire_once_and_after_their_users():
    a = Value(2.0)
    b = a * a
    c = b * b + b
    order = topological(c)
    assert order[-1] is c and len(set(order)) == len(order) == 4
    place = {node: index for index, node in enumerate(order)}
    assert all(place[operand] < place[node] for node in order for operand in node._prev)
    c.backward()
    assert a.grad == 4 * 2**3 + 2 * 2


def test_a_leaf_is_its_own_output():
    a = Value(3.0)
    a.backward()
    assert a.grad == 1.0


def test_constants_take_no_gradient():
    a = Value(2.0)
    out = a * 3.0 + constant(4.0) * 5.0
    out.backward()
    leaves = [node for node in topological(out) if not node._prev and node is not a]
    assert [leaf._grad for leaf in leaves] == [None] * 3 and [leaf.grad for leaf in leaves] == [0.0] * 3
    product = constant(4.0) * 5.0
    assert product._grad is None
    product.backward()
    assert product._grad is None and product.grad == 0.0


@pytest.mark.parametrize("condition", [lambda x: x < 1, lambda x: x == x, ops.not_])
def test_comparisons_take_no_gradient(condition):
    assert condition(Value(2.0))._grad is None


def test_no_truth_value():
    for wrong in (lambda v: bool(v), lambda v: v < 1 < v, lambda v: not v, lambda v: v in [Value(3.0)]):
        with pytest.raises(TypeError, match="truth value"):
            wrong(Value(2.0))


@pytest.mark.parametrize("stranger", ["1", None, [1.0], 1j], ids=repr)
def test_strangers_are_refused(stranger):
    for wrong in (
        lambda v: v + stranger,
        lambda v: stranger * v,
        lambda v: v.max(stranger),
        lambda v: constant(stranger),
    ):
        with pytest.raises(TypeError):
            wrong(Value(2.0))


def test_integers_become_floats():
    assert type(Value(3).data) is float and type((Value(3) * 2).data) is float
    assert (Value(3) / 2).data == 1.5
    assert Value(True).data == 1.0


@pytest.mark.parametrize("huge", [10**400, -(10**400)], ids=["positive", "negative"])
def test_huge_integers_are_infinite(huge):
    infinite = math.copysign(math.inf, 1 if huge > 0 else -1)
    assert Value(huge).data == infinite
    assert (Value(1.0) * huge).data == infinite


def test_values_are_keys_by_identity():
    a, b = Value(1.0), Value(1.0)
    assert len({a: 1, b: 2}) == 2


@pytest.mark.parametrize(
    ("function", "x", "second"),
    [
        (lambda x: x**3, 2.0, 12.0),
        (lambda x: x.exp(), 1.0, math.e),
        (lambda x: x.sin(), 1.0, -math.sin(1)),
        (lambda x: 1 / x, 2.0, 0.25),
        (lambda x: x * x * x, 3.0, 18.0),
        (lambda x: x**x, 2.0, 4 * ((math.log(2) + 1) ** 2 + 0.5)),
        (lambda x: x.tanh(), 20.0, -3.3986834042332731e-17),
        (lambda x: 3 * x + 1, 2.0, 0.0),
        (lambda x: ops.if_(x > 0, x * x, x), 2.0, 2.0),
        (lambda x: ops.if_(x > 9, x * x, x.log()), 2.0, -0.25),
        (lambda x: x.max(x * x), 2.0, 2.0),
    ],
)
def test_second_order(function, x, second):
    inner = Value(x)
    outer = Value(inner)
    function(outer).backward()
    if isinstance(outer.grad, Value):
        outer.grad.backward()
    assert inner.grad == pytest.approx(second, rel=1e-14)


def test_third_order():
    x = Value(2.0)
    y = Value(x)
    z = Value(y)
    (z**4).backward()
    z.grad.backward()
    y.grad.backward()
    assert (z.grad.data.data, y.grad.data, x.grad) == (32.0, 48.0, 48.0)


def test_mixed_second_derivatives():
    a, b = Value(3.0), Value(4.0)
    outer_a, outer_b = Value(a), Value(b)
    (outer_a * outer_a * outer_b).backward()
    outer_a.grad.backward()
    assert (a.grad, b.grad) == (8.0, 6.0)


@pytest.mark.parametrize(
    ("function", "x", "slope"),
    [
        (lambda x: ops.if_(x > 0, x.log(), 0.0), -1.0, 0.0),
        (lambda x: ops.if_(x == 0, 1.0, x.sin() / x), 0.0, 0.0),
        (lambda x: ops.if_(x > 0, x.sqrt(), x), 0.0, 1.0),
        (lambda x: 0 * x.sqrt(), 0.0, 0.0),
        (lambda x: 0 * x.log(), 0.0, 0.0),
        (lambda x: (x.sqrt()).floor(), 0.0, 0.0),
        (lambda x: x.relu().sqrt() * 0.0 + x, 0.0, 1.0),
        (lambda x: x.max(math.inf).min(1.0), 0.5, 0.0),
        (lambda x: x.max(x.log(), 1.0), 0.0, 0.0),
    ],
)
def test_strong_zero(function, x, slope):
    assert grads(function, x)[1] == [slope]
    inner = Value(x)
    outer = Value(inner)
    function(outer).backward()
    first = outer.grad.data if isinstance(outer.grad, Value) else outer.grad
    assert first == slope
    if isinstance(outer.grad, Value):
        outer.grad.backward()
        assert inner.grad == 0.0


def test_no_depth_is_too_deep():
    x = Value(1.0)
    total = x
    for _ in range(200_000):
        total = total + x
    total.backward()
    assert (total.data, x.grad) == (200_001.0, 200_001.0)
    del total
    assert x.data == 1.0


def test_a_dead_graph_leaves_no_cycles():
    gc.collect()
    a, b = Value(3.0), Value(4.0)
    out = (a * b).tanh().max(a, b) + a**b
    out.backward()
    nested = Value(Value(2.0))
    (nested**3).backward()
    del a, b, out, nested
    assert gc.collect() == 0


def test_numpy_leaves_the_operators_to_values():
    numpy = pytest.importorskip("numpy")
    assert (numpy.float64(2.0) * Value(3.0)).data == 6.0
    with pytest.raises(TypeError):
        numpy.ones(3) * Value(3.0)


@given(numbers.filter(lambda x: abs(x) > 1e-3), numbers.filter(lambda x: abs(x) > 1e-3))
def test_product_and_quotient_rules(a, b):
    _, (by_a, by_b) = grads(lambda x, y: x * y - x / y, a, b)
    assert by_a == pytest.approx(b - 1 / b)
    assert by_b == pytest.approx(a + a / b / b)


def nodes_and_arrows(root):
    """The graph below a Value by its five names alone, as one who draws it would walk it."""
    nodes, arrows, left = set(), set(), [root]
    while left:
        node = left.pop()
        if node not in nodes:
            nodes.add(node)
            arrows |= {(operand, node) for operand in node._prev}
            left += node._prev
    return nodes, arrows


def test_the_five_names_are_enough_to_draw_a_graph():
    """A box for each number, a circle for each operation, known by the number's identity and the operation's name."""
    a, b = Value(3.0), Value(-4.0)
    out = (a * b + 2.0).relu() - b**2
    out.backward()
    nodes, arrows = nodes_and_arrows(out)
    drawn = []
    for node in nodes:
        drawn.append(f"{id(node)} [data {node.data:.4f} | grad {node.grad:.4f}]")
        if node._op:
            drawn.append(str(id(node)) + node._op + f" -> {id(node)}")
    drawn += [f"{id(operand)} -> " + str(id(user)) + user._op for operand, user in arrows]
    assert sorted(node._op for node in nodes) == ["", "", "", "", "*", "+", "-", "^", "relu"]
    assert len(drawn) == 9 + 5 + len(arrows) == 9 + 5 + 9
    for node in nodes:
        node.grad = 0
    out._backward()
    assert all(node.grad == 0 for node in nodes)
