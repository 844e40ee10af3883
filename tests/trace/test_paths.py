"""The sum over paths: every path of a small graph against the gradient, and graphs too large to enumerate."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.language.parser import parse
from gradcli.trace.ablation import MOST_FIRINGS, without_accumulation, without_order
from gradcli.trace.local_formulas import formulas
from gradcli.trace.paths import arrows_of, paths, product
from gradcli.trace.trace import trace

ORDER = "c=a+b; d=a*b; e=c+d; f=c*d; y=e+f"


def traced(text, **point):
    return trace(parse(text, point), point, formulas=False)


def doublings(number):
    return "t0 = x; " + "; ".join(f"t{i} = t{i - 1} + t{i - 1}" for i in range(1, number + 1))


def all_ways(result, name):
    """Every way from the output down to a variable, by plain enumeration."""
    down, _ = arrows_of(result)
    variable = next((node.id for node in result.nodes if node.name == name), None)
    stack, found = [(result.output, [])], []
    while stack:
        node, way = stack.pop()
        if node == variable:
            found.append(way)
        stack += [(arrow.operand, [*way, arrow]) for arrow in down.get(node, ())]
    return found


@st.composite
def programs(draw):
    """A small program of sums, differences and products, with much sharing; exact in binary64."""
    names = ["a", "b"]
    statements = []
    for number in range(draw(st.integers(1, 6))):
        left, right = (draw(st.sampled_from([*names, "2", "-1"] if side else names)) for side in (0, 1))
        statements.append(f"t{number} = {left} {draw(st.sampled_from('+-*'))} {right}")
        names.append(f"t{number}")
    return "; ".join(statements)


@given(programs(), st.integers(-3, 3), st.integers(-3, 3))
def test_the_sum_over_all_paths_is_the_gradient(text, a, b):
    point = {"a": float(a), "b": float(b)}
    tape = parse(text, point)
    result = trace(tape, point, ["a", "b"], formulas=False)
    for name in "ab":
        ways = all_ways(result, name)
        exact = [math.prod(Fraction(arrow.local) for arrow in way) for way in ways]
        found = paths(result, name, 10**6)
        assert found.number == len(ways) == len(found.shown) and found.complete
        assert sum(exact) == found.total == result.gradient[name]
        assert [path.contribution for path in found.shown] == [
            product(result, way) for way in sorted(ways, key=lambda way: [arrow.step for arrow in way])
        ]
        assert found.rest == 0


@given(programs(), st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 7))
def test_the_largest_and_the_rest(text, a, b, limit):
    point = {"a": float(a), "b": float(b)}
    result = trace(parse(text, point), point, ["a", "b"], formulas=False)
    for name in "ab":
        sizes = sorted((abs(product(result, way)) for way in all_ways(result, name)), reverse=True)
        found = paths(result, name, limit)
        assert found.number == len(sizes)
        assert sorted((abs(path.contribution) for path in found.shown), reverse=True) == sizes[:limit]
        assert len({path.arrows for path in found.shown}) == len(found.shown)
        assert sum(path.contribution for path in found.shown) + found.rest == found.total


def test_the_walkthrough():
    result = traced("(a+b)*(a*b)", a=3, b=4)
    found = paths(result, "a")
    locals_ = [[arrow.local for arrow in path.arrows] for path in found.shown]
    assert (found.number, locals_, found.rest, found.total) == (2, [[1.0, 12.0], [4.0, 7.0]], 0.0, 40.0)
    (largest,) = paths(result, "a", 1).shown
    assert (largest.contribution, paths(result, "a", 1).rest) == (28.0, 12.0)


def test_two_to_the_sixty_paths():
    result = traced(doublings(60), x=1)
    found = paths(result, "x", 20)
    assert found.number == 2**60 and len({path.arrows for path in found.shown}) == 20
    assert [path.contribution for path in found.shown] == [1.0] * 20
    assert (found.total, found.rest) == (2.0**60, float(2**60 - 20))


def test_more_paths_than_python_prints():
    found = paths(traced(doublings(15_000), x=0), "x", 2)
    assert found.number == 2**15_000 and found.total == math.inf and len(found.shown) == 2


def test_products_beyond_binary64_are_ranked():
    text = "u = x*1e-200; v = x*1e-180; w = (u*1e-200 + v*1e-190)*1e200; w*1e200"
    found = paths(traced(text, x=1), "x", 1)
    assert [arrow.local for arrow in found.shown[0].arrows] == [1e-180, 1e-190, 1.0, 1e200, 1e200]


def test_the_rest_does_not_cancel():
    found = paths(traced("x*1e20 + x*1e-20 + x*3e-20", x=1), "x", 1)
    assert found.shown[0].contribution == 1e20 and found.rest == pytest.approx(4e-20, rel=1e-12)


def test_wide_and_deep():
    wide = paths(traced("+".join(["x*x"] * 2_000), x=3), "x", 5)
    assert (wide.number, wide.total, wide.rest) == (4_000, 12_000.0, 12_000.0 - 5 * 3)
    deep = paths(traced("sin(" * 5_000 + "x" + ")" * 5_000, x=0.5), "x")
    assert (deep.number, len(deep.shown[0].arrows)) == (1, 5_000)
    assert deep.shown[0].contribution == pytest.approx(deep.total)


@pytest.mark.parametrize(
    ("text", "point", "name", "number", "contributions", "total"),
    [
        ("x", {"x": 3}, "x", 1, [1.0], 1.0),
        ("x*x", {"x": 3}, "x", 2, [3.0, 3.0], 6.0),
        ("x > 1", {"x": 3}, "x", 0, [], 0.0),
        ("c = 2*x; y", {"x": 3, "y": 1}, "x", 0, [], 0.0),
        ("if(x > 0, x, 1/(x-x))", {"x": 3}, "x", 3, [1.0, 0.0, 0.0], 1.0),  # the strong zero
        ("floor(x)*sqrt(x-3)", {"x": 3}, "x", 2, [0.0, math.inf], math.inf),
        ("max(x, 1/y)", {"x": 3, "y": 0.0}, "x", 1, [0.0], 0.0),  # what was not chosen
    ],
)
def test_conventions(text, point, name, number, contributions, total):
    found = paths(traced(text, **point), name)
    assert (found.number, [path.contribution for path in found.shown]) == (number, contributions)
    assert found.total == total


def test_no_contribution_is_hidden_by_a_limit_of_zero():
    found = paths(traced("x*y", x=2, y=5), "x", 0)
    assert (found.number, found.shown, found.rest) == (1, (), 5.0)


def test_formulas_on_request_are_those_of_the_trace():
    text, point = "if(x > 0, x^y, y) + x*x*2 + max(x, y, 2) + exp(x*y)", {"x": 1.5, "y": 2.5}
    result = trace(parse(text), point)
    formula = formulas(trace(parse(text), point, formulas=False))
    backward = [step for step in result.steps if step.operand is not None]
    bare = [step._replace(formula="") for step in backward]
    assert [step.formula for step in backward] == [formula(step) for step in bare]
    positions = {(step.node, step.position) for step in backward}
    assert len(positions) == len(backward)
    assert all(result.nodes[step.node].operands[step.position] == step.operand for step in backward)


# ------------------------------------------------------------------------------------------ wrong engines


def by_set(result):
    """What a backward pass with = computes, written as one writes it first."""
    grads = {result.output: 1.0}
    for step in result.steps:
        if step.operand is not None:
            grads[step.operand] = step.local * grads[step.node]
    return grads


def by_recursion(result):
    """What naive recursion computes: fire, then call the operands."""
    down, _ = arrows_of(result)
    grads = dict.fromkeys(range(len(result.nodes)), 0.0) | {result.output: 1.0}

    def backward(node):
        for arrow in down.get(node, ()):
            grads[arrow.operand] += arrow.local * grads[node]
        for arrow in down.get(node, ()):
            backward(arrow.operand)

    backward(result.output)
    return grads


def test_without_accumulation_on_the_walkthrough():
    result = traced("(a+b)*(a*b)", a=3, b=4)
    wrong = without_accumulation(result)
    assert wrong.gradient == {"a": 12.0, "b": 12.0} and result.nodes[wrong.first].name == "a"
    assert wrong.reason == "a receives 28 from a*b and 12 from a+b: with = in place of += each replaces the one before."


def test_without_order():
    assert without_order(traced("(a+b)*(a*b)", a=3, b=4)).first is None
    result = traced(ORDER, a=2, b=3)
    wrong = without_order(result)
    assert result.gradient == {"a": 25.0, "b": 19.0} and wrong.gradient == {"a": 29.0, "b": 22.0}
    assert (result.nodes[wrong.first].name, wrong.firings) == ("a", 7)
    assert "fires twice, with the gradients 1 and 6, where once with 6 is right" in wrong.reason
    assert wrong.reason.endswith("a receives 3 and 18 from it, in place of 18.")


@given(programs(), st.integers(-3, 3), st.integers(-3, 3))
def test_wrong_engines_compute_what_the_wrong_code_does(text, a, b):
    point = {"a": float(a), "b": float(b)}
    result = trace(parse(text, point), point, ["a", "b"], formulas=False)
    for wrong, expected in (
        (without_accumulation(result), by_set(result)),
        (without_order(result), by_recursion(result)),
    ):
        right = {node.id: node.grad for node in result.nodes if node.grad is not None}
        assert all(wrong.grads.get(node, 0.0) == expected.get(node, 0.0) for node in right)
        differing = [node for node in right if expected.get(node, 0.0) != right[node]]
        assert (wrong.first in differing) if differing else (wrong.first is None), wrong.reason
        assert wrong.reason.endswith(".")
        assert wrong.first is not None or wrong.reason.startswith("It makes no difference here: ")


def test_a_recursion_that_would_not_end_is_described():
    wrong = without_order(traced(doublings(60), x=1))
    assert wrong.grads is wrong.gradient is None
    assert wrong.firings == 2**60 - 1 > MOST_FIRINGS and f"{2**60 - 1} firings" in wrong.reason
    assert "about 10^301 firings" in without_order(traced(doublings(1_000), x=0)).reason


def test_no_difference_is_said():
    result = traced("sin(x)", x=1)
    assert "no node receives more than one contribution" in without_accumulation(result).reason
    assert "no node that passes a gradient on is reached twice" in without_order(result).reason
    assert "the last contribution is the sum of all" in without_accumulation(traced("1*x + 0*x", x=1)).reason
    assert "what is passed on again adds nothing" in without_order(traced("t = x*1; 0*t + 0*t", x=1)).reason
    assert without_accumulation(traced("2*3")).first is without_order(traced("2*3")).first is None


def test_rounding_alone_is_not_called_wrong():
    result = traced("u = 0.1*x; v = 0.7*x; w = 0.3*x; u*0.1 + v*0.3 + w*1.1", x=1)
    assert without_order(result).first is None


@pytest.mark.parametrize("ablate", [without_accumulation, without_order])
def test_an_output_that_takes_no_gradient(ablate):
    tape = parse("x^2 > 2")
    assert ablate(trace(tape, {"x": 3.0})).first is None
