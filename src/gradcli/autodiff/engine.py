"""The engine: numbers that remember where they came from, and a backward pass over them.

    a, b = Value(3.0), Value(4.0)
    out = (a + b) * (a * b)
    out.backward()
    a.grad, b.grad            # 40.0, 33.0

Every Value knows the operation and the operands that made it. `backward()` puts the graph in topological
order, walks it from the output to the leaves, and lets each node push local derivative × upstream gradient to
its operands, where the contributions of several paths add up.

`data` may be a float or another kind of number: again a Value, or a symbol. Then the backward pass itself is
recorded, and can be differentiated: that is all there is to higher order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from . import ops
from .ops import COMPARISONS, OPERATORS, Op, Rule, to_float


class Value:
    """A number in a graph of computations.

    data    the primal: a float, or another kind of number
    grad    the derivative of the output by this number, after `backward()`; 0 for a constant
    _prev   the operands, in order (a set would lose a - b and x * x)
    _op     the name of the operation that computed it; "" for a leaf

    Within the engine `_row` is the operation's row of the table, None for a leaf, and `_grad` is None for a constant.

    It has no truth value, and `==` builds a comparison: a rule that branched on it would lose a branch. Operators,
    and a method for each function of the table (`x.tanh()`), come from the table, below the class.
    """

    __slots__ = ("_first", "_grad", "_row", "_second", "data")
    __array_ufunc__ = None  # array * Value is ours to compute, not NumPy's

    data: Any
    _grad: Any  # None for a constant
    _row: Op | None
    # Two operands, as most nodes have, are kept in the node itself: with a tuple for each the garbage collector
    # would walk twice as many objects. Any other number of them is a tuple in `_first`.
    _first: Any
    _second: Value | None

    def __init__(self, data: Any) -> None:
        self.data = to_float(data) if isinstance(data, int) else data
        self._grad = 0.0
        self._row = None
        self._first = ()
        self._second = None

    @property
    def _prev(self) -> tuple[Value, ...]:
        return self._first if self._second is None else (self._first, self._second)

    @property
    def _op(self) -> str:
        return "" if self._row is None else self._row.name

    @property
    def grad(self) -> Any:
        """The derivative of the output by this number, after `backward()`; 0 for a constant, which takes none."""
        return 0.0 if self._grad is None else self._grad

    @grad.setter
    def grad(self, number: Any) -> None:
        self._grad = number

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"

    def __bool__(self) -> bool:
        raise TypeError("a Value has no truth value: compare its data, or choose with where(condition, a, b)")

    def _backward(self) -> None:
        """Push this node's gradient to its operands: the chain rule for one operation.

        The contribution is added in front: the last one comes from the node that was typed first, so that a
        recorded derivative reads in the order of the text.
        """
        op, upstream, y = self._row, self._grad, self.data
        if op is None:
            return
        if self._second is not None:  # most nodes; the loop below, unrolled, takes half the time
            a, b = self._first, self._second
            by_a, by_b = op.partials
            args = (a.data, b.data)
            if by_a is not None and a._grad is not None:
                a._grad = contribution(self, 0, local_derivative(by_a, args, y), upstream) + a._grad
            if by_b is not None and b._grad is not None:
                b._grad = contribution(self, 1, local_derivative(by_b, args, y), upstream) + b._grad
            return
        args = tuple([operand.data for operand in self._prev])
        for i, (operand, partial) in enumerate(zip(self._prev, op.partials_for(len(args)), strict=True)):
            if partial is not None and operand._grad is not None:
                operand._grad = contribution(self, i, local_derivative(partial, args, y), upstream) + operand._grad

    def backward(self) -> None:
        """Fill in `grad` of every node that this one was computed from.

        Gradients of leaves accumulate over calls (set `grad = 0.0` between the steps of a descent); those of
        the nodes between are computed anew. A constant has nothing to fill in.
        """
        if self._grad is None:
            return
        order = topological(self)
        for node in order:
            if node._row is not None and node._grad is not None:
                node._grad = 0.0
        self._grad = self._grad + 1.0
        for node in reversed(order):
            if node._grad is not None:
                node._backward()

    @staticmethod
    def _apply(op: Op, args: tuple[Any, ...]) -> Value:
        """Record `op` applied to Values and numbers."""
        operands = tuple([arg if arg.__class__ is Value else constant(arg) for arg in args])
        return recorded(op, operands, op(*[v.data for v in operands]))

    if TYPE_CHECKING:  # what the table adds below, for type checkers

        def __neg__(self) -> Value: ...
        def __add__(self, other: Any) -> Value: ...
        def __radd__(self, other: Any) -> Value: ...
        def __sub__(self, other: Any) -> Value: ...
        def __rsub__(self, other: Any) -> Value: ...
        def __mul__(self, other: Any) -> Value: ...
        def __rmul__(self, other: Any) -> Value: ...
        def __truediv__(self, other: Any) -> Value: ...
        def __rtruediv__(self, other: Any) -> Value: ...
        def __mod__(self, other: Any) -> Value: ...
        def __rmod__(self, other: Any) -> Value: ...
        def __pow__(self, other: Any) -> Value: ...
        def __rpow__(self, other: Any) -> Value: ...
        def __lt__(self, other: Any) -> Value: ...
        def __le__(self, other: Any) -> Value: ...
        def __gt__(self, other: Any) -> Value: ...
        def __ge__(self, other: Any) -> Value: ...
        def __abs__(self) -> Value: ...
        def __getattr__(self, name: str) -> Callable[..., Value]: ...  # a real one would make every attribute slow


def constant(number: Any) -> Value:
    """`number` as a node that takes no gradient; a Value comes back as it is."""
    if isinstance(number, Value):
        return number
    if not isinstance(number, int | float):
        raise TypeError(f"a Value computes with numbers and Values, not with {type(number).__name__}")
    return _node(to_float(number), None, (), None, None)


def recorded(op: Op, operands: tuple[Value, ...], data: Any) -> Value:
    """The node of an operation whose result is `data`; it takes a gradient if one of its operands would get it."""
    partials = op.partials_for(len(operands))
    follows = any(p is not None and v._grad is not None for p, v in zip(partials, operands, strict=True))
    first, second = operands if op.arity == 2 else (operands, None)
    return _node(data, op, first, second, 0.0 if follows else None)


def _node(data: Any, op: Op | None, first: Any, second: Value | None, grad: float | None) -> Value:
    node: Value = object.__new__(Value)
    node.data = data
    node._grad = grad
    node._row = op
    node._first = first
    node._second = second
    return node


def topological(output: Value) -> list[Value]:
    """The nodes that `output` was computed from, operands before users and first operands first."""
    order: list[Value] = []
    seen: set[Value] = set()
    stack: list[Value | None] = [output]
    while stack:
        node = stack.pop()
        if node is None:  # the mark above a node whose operands are all in place
            done = stack.pop()
            assert done is not None
            order.append(done)
        elif node not in seen:
            seen.add(node)
            if node._second is not None:
                stack += (node, None, node._second, node._first)
            elif node._first:
                stack += (node, None)
                stack += node._first[::-1]
            else:
                order.append(node)
    return order


def local_derivative(partial: Rule, args: tuple[Any, ...], y: Any) -> Any:
    """The local derivative at `args`, where the output is `y`.

    A rule is ordinary arithmetic, and Python's raises where IEEE has an answer. There, the same rule runs once
    more on constant Values, which never raise.
    """
    try:
        return partial(*args, y)
    except (ArithmeticError, ValueError):
        derivative = partial(*map(constant, args), constant(y))
        return derivative if isinstance(y, Value) else derivative.data


def contribution(node: Value, position: int, local: Any, upstream: Any) -> Any:
    """The contribution that one operand receives: local derivative × upstream gradient, with the strong zero.

    A zero wins over whatever it meets, be it inf or nan, where it says that nothing moves:

    * from above, upstream: a node that received 0 passes 0 on. So a branch not taken, or 0 * inf, never poisons a
      gradient. It may be a smooth function that happens to be 0 there, as in cbrt(x)^3, whose slope is 1: the pole
      that it meets is told.
    * from below, local: what an operation did not choose receives 0; and so does an operand beside a factor that is 0
      and computed from none of its variables, as a in sqrt(a*x) at x = 0: nothing moves when a does.

    Any other local derivative that is 0 meets inf as IEEE has it, in a nan: sqrt(x^2) has a corner there. A zero has no
    sign here: that of a gradient would say which rule was asked.
    """
    if upstream.__class__ is float and (local.__class__ is float or isinstance(local, int)):
        if upstream and local:
            return local * upstream
        if not upstream or math.isfinite(upstream) or node._row.choice or stays(node, position):  # type: ignore[union-attr]
            return 0.0
        return math.nan
    if local.__class__ is float and local == 1:
        return upstream
    op = node._row
    assert op is not None
    if op.choice:
        return ops.chosen(local, upstream)
    return (ops.still if getattr(upstream, "steep", False) and stays(node, position) else ops.strong)(local, upstream)


def reported(value: float, partial: float) -> float:
    """A partial derivative as it is told beside its value: nan where that is nan, and 0 without a sign.

    Of a -0 in a derivative the sign tells how it was computed, and nothing of the function.
    """
    return partial + 0.0 if value == value else math.nan


def stays(node: Value, position: int) -> bool:
    """True if only what shares no variable with an operand can make the local derivative by it 0."""
    op, operands = node._row, node._prev
    assert op is not None
    others = tuple([i for i in range(len(operands)) if i != position])
    if not absorbing(op, len(operands), position, others):
        return False
    moves = variables(operands[position])
    movers = [i == position or bool(moves & variables(operand)) for i, operand in enumerate(operands)]
    return absorbing(op, len(operands), position, tuple([i for i, moving in enumerate(movers) if not moving]))


def variables(node: Value) -> Any:
    """The variables that a node is computed from: a set, or the bits of a number that keeps count of them."""
    below = getattr(node.data, "below", None)
    if below is not None:
        return below
    if node._grad is None:
        return frozenset()
    return frozenset([leaf for leaf in topological(node) if leaf._row is None and leaf._grad is not None])


@cache
def absorbing(op: Op, count: int, position: int, fixed: tuple[int, ...]) -> bool:
    """True if the local derivative by an operand is 0 where the `fixed` operands are 0, and only there.

    Found out by trying: b of a * b absorbs a, and a of a / b absorbs b; nothing absorbs a term of a sum.
    """
    partial = op.partials_for(count)[position]
    if partial is None or not fixed or position in fixed:
        return False

    def local(moving: float, fast: float) -> float:
        args = tuple([fast if i in fixed else moving for i in range(count)])
        return float(local_derivative(partial, args, op(*args)))

    return local(0.75, 0.0) == local(1.75, 0.0) == 0 and all(local(x, 1.75) for x in (0.0, 0.75))


def _infix_method(op: Op, *, reflected: bool = False) -> Callable[[Value, Any], Value]:
    """The method behind an arithmetic operator: `_apply` for two operands, without its detours."""
    differentiable = op.partials[0] is not None  # comparisons have no gradient, the others one for either operand

    def method(self: Value, other: Any) -> Value:
        if other.__class__ is not Value:
            if not isinstance(other, Value | int | float):
                return NotImplemented  # type: ignore[no-any-return]
            other = constant(other)
        a, b = (other, self) if reflected else (self, other)
        follows = differentiable and (a._grad is not None or b._grad is not None)
        return _node(op(a.data, b.data), op, a, b, 0.0 if follows else None)

    return method


def _add_from_zero(self: Value, other: Any) -> Value:
    """`sum(values)` starts at the int 0, which is not a term."""
    return self if other.__class__ is int and other == 0 else _reflected_add(self, other)


def _function_method(op: Op) -> Callable[..., Value]:
    return lambda self, *args: Value._apply(op, (self, *args))


for _symbol, _name in (OPERATORS | COMPARISONS).items():
    setattr(Value, f"__{_name}__", _infix_method(ops.INFIX[_symbol]))
for _symbol, _name in OPERATORS.items():
    setattr(Value, f"__r{_name}__", _infix_method(ops.INFIX[_symbol], reflected=True))
_reflected_add = Value.__radd__
Value.__radd__ = _add_from_zero  # type: ignore[method-assign]
Value.__neg__ = _function_method(ops.PREFIX["-"])  # type: ignore[method-assign]
Value.__abs__ = _function_method(ops.FUNCTIONS["abs"])  # type: ignore[method-assign]
ops.with_methods(Value)
