"""The trace: every step of both passes, exact and in step with the engine."""

import math
import tracemalloc

import pytest
from helpers import POINTS, programs
from hypothesis import given

from gradcli import gradient, parse
from gradcli.autodiff.ops import FUNCTIONS, INFIX, PREFIX
from gradcli.autodiff.tape import graph
from gradcli.language.unparse import ATOM
from gradcli.text import shortened
from gradcli.trace.trace import Step, local_formula, trace


def traced(text, **point):
    return trace(parse(text, point), {name: float(number) for name, number in point.items()})


def backward(result):
    return [step for step in result.steps if step.direction == "backward"]


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def test_steps_of_the_walkthrough():
    result = traced("(a+b)*(a*b)", a=3, b=4)
    assert [(step.step, step.direction, step.node, step.value) for step in result.steps[:5]] == [
        (1, "forward", 0, 3.0),
        (2, "forward", 1, 4.0),
        (3, "forward", 2, 7.0),
        (4, "forward", 3, 12.0),
        (5, "forward", 4, 84.0),
    ]
    assert result.steps[5:] == (
        Step(6, "backward", 4, 2, "a*b", 12.0, 1.0, 12.0, 0.0, 12.0, position=0),
        Step(7, "backward", 4, 3, "a+b", 7.0, 1.0, 7.0, 0.0, 7.0, position=1),
        Step(8, "backward", 3, 0, "b", 4.0, 7.0, 28.0, 0.0, 28.0, position=0),
        Step(9, "backward", 3, 1, "a", 3.0, 7.0, 21.0, 0.0, 21.0, position=1),
        Step(10, "backward", 2, 0, "1", 1.0, 12.0, 12.0, 28.0, 40.0, position=0),
        Step(11, "backward", 2, 1, "1", 1.0, 12.0, 12.0, 21.0, 33.0, position=1),
    )


def test_nodes_of_the_walkthrough():
    result = traced("(a+b)*(a*b)", a=3, b=4)
    assert [(node.label, node.kind, node.op, node.operands, node.data, node.grad) for node in result.nodes] == [
        ("a", "input", "", (), 3.0, 40.0),
        ("b", "input", "", (), 4.0, 33.0),
        ("a+b", "op", "+", (0, 1), 7.0, 12.0),
        ("a*b", "op", "*", (0, 1), 12.0, 7.0),
        ("(a+b)*(a*b)", "op", "*", (2, 3), 84.0, 1.0),
    ]
    assert (result.value, result.gradient, result.wrt) == (84.0, {"a": 40.0, "b": 33.0}, ("a", "b"))
    assert result.bindings == {"a": 3.0, "b": 4.0}
    assert result.varies == (True,) * 5


def test_names_constants_and_what_is_not_reached():
    result = traced("c = 2*x; d = y; c + 1", x=3, y=5)
    by_label = {node.label: node for node in result.nodes}
    assert by_label["c"].text == "2*x" and by_label["c"].grad == 1.0
    assert by_label["2"].kind == "constant" and by_label["2"].grad is None
    assert by_label["y"].grad == 0.0
    assert result.gradient == {"x": 2.0, "y": 0.0}


def test_only_the_names_that_are_asked_for():
    tape = parse("a*b")
    assert trace(tape, {"a": 3.0, "b": 4.0}, ["b"]).gradient == {"b": 3.0}
    assert trace(tape, {"a": 3.0, "b": 4.0}, ["b", "k"]).gradient == {"b": 3.0, "k": 0.0}


def test_calls_keep_their_text():
    result = traced("f(u) = u^2 + 1; f(x) * 3", x=2)
    assert [(node.text, node.call) for node in result.nodes if node.kind == "op"] == [
        ("u^2", "f(x)"),
        ("f(x)", ""),
        ("f(x) * 3", ""),
    ]


def test_an_operand_used_twice_has_two_steps():
    steps = backward(traced("x*x", x=3))
    assert [(step.operand, step.contribution, step.total_before, step.total) for step in steps] == [
        (0, 3.0, 0.0, 3.0),
        (0, 3.0, 3.0, 6.0),
    ]


@pytest.mark.parametrize(
    ("text", "point", "contributions"),
    [
        ("if(x > 0, x, y)", {"x": 1, "y": 2}, [1.0, 0.0]),
        ("0*sqrt(x)", {"x": 0}, [0.0, 0.0]),
        ("max(x, y)", {"x": 1, "y": 1}, [0.5, 0.5]),
        ("2*3", {}, []),
        ("x > 2", {"x": 1}, []),
        ("x", {"x": 1}, []),
    ],
)
def test_contributions(text, point, contributions):
    assert [step.contribution for step in backward(traced(text, **point))] == contributions


@given(programs())
def test_totals_are_the_gradients_of_the_engine(text):
    tape = parse(text)
    for point in POINTS:
        result = trace(tape, point)
        values = graph(tape, {name: point[name] for name in tape.inputs})
        values[tape.output].backward()
        totals = {step.operand: step.total for step in backward(result)}
        for node, value in zip(result.nodes, values, strict=True):
            assert node.data == value.data or math.isnan(node.data)
            if node.grad is not None:
                assert same(node.grad, value.grad)
            if node.id in totals and node.id != result.output:
                assert same(totals[node.id], value.grad), (text, node)
        found = gradient(tape, **{name: point[name] for name in tape.inputs})
        assert math.isnan(found.value) or all(same(result.gradient[n], found.partials[n]) for n in tape.inputs)


@given(programs())
def test_every_step_follows_from_what_it_shows(text):
    for point in POINTS:
        result = trace(parse(text), point)
        total = {}
        assert [step.step for step in result.steps] == list(range(1, len(result.steps) + 1))
        for step in backward(result):
            nothing = step.upstream == 0 or (step.local == 0 and result.rows[step.node].choice)
            assert same(step.contribution, 0.0 if nothing else step.local * step.upstream)
            assert same(step.total_before, total.get(step.operand, 0.0))
            assert same(step.total, step.total_before + step.contribution)
            assert same(step.upstream, result.nodes[step.node].grad)
            assert step.operand in result.nodes[step.node].operands and step.formula
            total[step.operand] = step.total


@given(programs())
def test_a_node_fires_after_all_who_use_it(text):
    steps = backward(trace(parse(text), POINTS[0]))
    fired = [step.node for step in steps]
    for number, step in enumerate(steps):
        assert step.operand not in fired[: number + 1]


def test_a_shared_graph_is_small():
    text = ";".join(f"t{i} = t{i - 1} + t{i - 1}" for i in range(1, 31))
    result = traced(f"t0 = x; {text}", x=1)
    assert (result.value, result.gradient) == (2.0**30, {"x": 2.0**30})
    assert (len(result.nodes), len(result.steps)) == (31, 31 + 60)
    assert max(len(step.formula) for step in result.steps) <= 30


def test_a_long_chain_is_traced():
    result = traced("x" + "+x" * 5_000, x=1)
    assert result.gradient == {"x": 5001.0}
    assert max(len(step.formula) for step in result.steps) <= 30


NAMED = {**PREFIX, **INFIX, **FUNCTIONS}


@pytest.mark.parametrize(
    ("name", "position", "operands", "formula"),
    [
        ("+", 0, "ab", "1"),
        ("-", 1, "ab", "-1"),
        ("*", 0, "ab", "b"),
        ("/", 0, "ab", "1/b"),
        ("/", 1, "ab", "-(y/b)"),
        ("^", 0, ("x", 2.0), "2*x"),
        ("^", 0, ("x", 3.0), "3*x^2"),
        ("^", 1, ("x", "n"), "x^n*log(x)"),
        ("sin", 0, "x", "cos(x)"),
        ("exp", 0, "x", "y"),
        ("tanh", 0, "x", "(1/cosh(x))^2"),
        ("log", 0, "x", "1/x"),
        ("sqrt", 0, "x", "1/(2*y)"),
        ("erf", 0, "x", "2/sqrt(pi)*exp(-x^2)"),
        ("abs", 0, "x", "sign(x)"),
        ("floor", 0, "x", "0"),
        ("sum", 1, "abc", "1"),
        ("prod", 1, "abc", "prod(a, c)"),
    ],
)
def test_formulas_of_local_derivatives(name, position, operands, formula):
    terms = tuple((term, ATOM) if isinstance(term, str) else term for term in operands)
    assert local_formula(NAMED[name], position, terms, ("y", ATOM)) == formula


def test_formulas_show_the_output_and_the_operands():
    assert [step.formula for step in backward(traced("exp(a+b)*2", a=0, b=0))] == ["2", "exp(a+b)", "1", "1"]
    assert [step.formula for step in backward(traced("c = a+b; c^2", a=1, b=1))] == ["2*c", "1", "1"]
    assert [step.formula for step in backward(traced("(a+b)^3", a=1, b=1))] == ["3*(a+b)^2", "1", "1"]


@pytest.mark.parametrize(
    ("text", "length", "short"),
    [
        ("abc", 3, "abc"),
        ("abcdef", 5, "ab…ef"),
        ("abcdef", 4, "ab…f"),
        ("a\n  b", 9, "a b"),
        ("x" * 99, 9, "xxxx…xxxx"),
        ("日本語", 6, "日本語"),
        ("日本語の変数", 6, "日…数"),
        ("日本語の変数", 8, "日本…数"),
    ],
)
def test_shortened(text, length, short):
    assert shortened(text, length) == short


def test_a_deep_expression_does_not_hold_the_text_of_every_level():
    depth = 10_000
    tape = parse("sin(" * depth + "x" + ")" * depth)
    tracemalloc.start()
    trace(tape, {"x": 0.5}, formulas=False)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < depth * 5_000  # the texts together are depth squared
