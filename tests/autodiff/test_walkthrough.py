"""The main job, end to end: the walkthrough's example through engine, library and the real command."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import gradcli
from gradcli.autodiff import ops
from gradcli.autodiff.engine import Value, local_derivative
from gradcli.autodiff.tape import graph, record, replay
from gradcli.errors import EvaluationError, GradcliError
from gradcli.language.parser import parse
from gradcli.language.unparse import unparse
from gradcli.trace.diagnostics import diagnose
from gradcli.trace.trace import trace

COMMAND = str(Path(sys.executable).parent / "gradcli")


def run(*arguments, **options):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60, **options)


def test_engine_accumulates_over_paths():
    a, b = Value(3.0), Value(4.0)
    out = (a + b) * (a * b)
    out.backward()
    assert (out.data, a.grad, b.grad) == (84.0, 40.0, 33.0)


def test_plain_and_json():
    assert run("eval", "(a+b)*(a*b)", "a=3", "b=4").stdout == "=\t84\t1\na\t3\t40\nb\t4\t33\n"
    found = json.loads(run("eval", "(a+b)*(a*b)", "a=3", "b=4", "--json").stdout)
    assert (found["value"], found["gradient"]) == (84.0, {"a": 40.0, "b": 33.0})


def test_second_order_is_a_value_of_values():
    inner = Value(2.0)
    x = Value(inner)
    (x * x * x).backward()
    x.grad.backward()
    assert inner.grad == 12.0


@pytest.mark.parametrize(
    "text", ["(a+b)*(a*b)", "-a^2", "a-(b-a)", "a/(b/a)", "(-2)^a", "2^-a*b", "if(a<b, sin(a), max(a,b,1))"]
)
def test_unparse_reads_back_as_itself(text):
    tape = parse(text)
    point = {"a": 3.0, "b": 4.0}
    point = {name: point[name] for name in tape.inputs}
    again = parse(unparse(tape))
    assert unparse(again) == unparse(tape)
    assert replay(again, point)[again.output] == replay(tape, point)[tape.output]
    values = graph(tape, point)
    names = {values[line]: name for name, line in tape.inputs.items()}
    recorded = record(values[tape.output], names)
    assert replay(recorded, point)[recorded.output] == values[tape.output].data


@pytest.mark.parametrize("depth", [100_000])
def test_any_depth(depth):
    assert gradcli.gradient("(" * depth + "x" + ")" * depth, x=7).partials == {"x": 1.0}
    x = total = Value(1.0)
    for _ in range(depth):
        total = total + x
    total.backward()
    assert x.grad == depth + 1


@pytest.mark.parametrize(
    "row", [row for row in ops.TABLE if row.arity is not None and not row.internal], ids=lambda row: row.signature
)
def test_no_row_raises_and_values_agree_with_floats(row):
    hostile = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan]
    for first in hostile:
        args = [first, 2.0, -1.0][: row.arity]
        y = row(*args)
        assert isinstance(y, float)
        for partial in filter(None, row.partials):
            on_floats = float(local_derivative(partial, tuple(args), y))
            on_values = partial(*map(Value, args), Value(y))
            on_values = on_values.data if isinstance(on_values, Value) else float(on_values)
            assert on_floats == on_values or (math.isnan(on_floats) and math.isnan(on_values)), (args, row)


@pytest.mark.parametrize(
    ("text", "point", "kind", "place"),
    [
        ("1+abs(x)", 0.0, "kink", "abs(x)"),
        ("max(x,2)", 2.0, "tie", "max(x,2)"),
        ("floor(x)", 2.0, "jump", "floor(x)"),
        ("sqrt(x)", 0.0, "pole", "sqrt(x)"),
        ("exp(x)", 1000.0, "overflow", "exp(x)"),
        ("1+exp(x)", -1000.0, "underflow", "exp(x)"),
        ("x^x*0+(x-3)^x", 0.0, "undefined", "x^x"),
        ("x+9007199254740993", 0.0, "rounded", "9007199254740993"),
        ("c=x; x", 0.0, "unused", "c"),
        ("if(sqrt(x)>1,1,2)*x", -1.0, "domain", "sqrt(x)"),
    ],
)
def test_each_kind_of_finding_has_its_place(text, point, kind, place):
    tape = parse(text)
    found = diagnose(tape, trace(tape, {"x": point}))
    assert (kind, place) in [(one.kind, one.text) for one in found]
    assert all(text[slice(*one.span)] == one.text for one in found)


def test_a_value_that_is_no_number_is_an_error_at_the_first_node_that_made_it():
    tape = parse("1 + 2*log(x-3)")
    with pytest.raises(EvaluationError) as caught:
        diagnose(tape, trace(tape, {"x": 1.0}))
    assert caught.value.message.startswith("log of -2")
    assert "1 + 2*log(x-3)"[slice(*caught.value.span)] == "log(x-3)"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("1+", 3),
        ("(x", 3),
        ("x)", 2),
        ("1e", 2),
        ("1.2.3", 4),
        ("1<x<2", 4),
        ("1/2x", 4),
        ("2^3x", 4),
        ("(a)(b)", 4),
        ("1,5*x", 2),
        ("x½", 2),
        ("1_000", 2),
        ("[x]", 1),
        ("1e400", 1),
        ("sin(1,2)", 1),
        ("a=1;a=2;a", 5),
        ("f(x)=f(x);f(1)", 6),
    ],
)
def test_a_mistake_has_its_place(text, column):
    with pytest.raises(GradcliError) as caught:
        parse(text)
    assert caught.value.span[0] + 1 == column


def test_errors_of_the_command():
    for arguments, code in [
        (["x", "x=abc"], 2),
        (["x+y", "x=1"], 2),
        (["log(x)", "x=-1"], 1),
        (["x", "x=1", "x=2"], 2),
        (["-f", "/nonexistent"], 1),
    ]:
        done = run("eval", *arguments)
        assert done.returncode == code
        assert done.stdout == ""
        assert done.stderr.startswith("error: ") and "Traceback" not in done.stderr
