"""Faults of other tools as small inputs with the right answer, and the formulas of the Feynman set, with gradients."""

import json
import math

import pytest
from helpers import DATA

from gradcli.autodiff import ops
from gradcli.errors import GradcliError
from gradcli.language.bindings import read_bindings, require
from gradcli.language.parser import parse
from gradcli.trace.diagnostics import diagnose, literals, unused_binding
from gradcli.trace.trace import trace

KINDS = set(ops.KINDS)


def rows(name):
    return [pytest.param(row, id=row["id"]) for row in json.loads((DATA / name).read_text(encoding="utf-8"))]


def number(x):
    return float({"Infinity": "inf", "-Infinity": "-inf", "NaN": "nan"}.get(x, x)) if isinstance(x, str) else float(x)


def close(got, want, tol):
    want = number(want)
    if math.isnan(want) or math.isinf(want) or want == 0:
        return got == want or (math.isnan(got) and math.isnan(want))
    return abs(got - want) <= tol * abs(want)


def flagged(kinds, flag):
    return flag in kinds if flag in KINDS else bool(kinds - {"unused", "rounded"})


def answer(row):
    # expr_gen is a Python expression of our own data that writes a long formula
    text = row["expr"] if "expr" in row else eval(row["expr_gen"])
    bindings = read_bindings(f"{name}={value}" for name, value in row["bindings"].items())
    tape = parse(text, bindings)
    require(tape, bindings)
    found = trace(tape, {name: binding.value for name, binding in bindings.items()})
    kinds = {one.kind for one in diagnose(tape, found)}
    kinds |= {one.kind for binding in bindings.values() if binding.tape for one in literals(binding.tape)}
    kinds |= {unused_binding(name, b.source).kind for name, b in bindings.items() if name not in tape.inputs}
    return found, kinds


def partial_right(got, want, kinds, tol):
    if not isinstance(want, dict):
        return close(got, want, tol)
    if "about" in want:
        return abs(got - want["about"]) <= want["abs_tol"]
    hit = any(close(got, one, tol) for one in want["any_of"])
    if "or_flag" in want:
        return hit or flagged(kinds, want["or_flag"])
    return hit and ("flag" not in want or flagged(kinds, want["flag"]))


def right(found, kinds, want, tol):
    return (
        ("value" not in want or close(found.value, want["value"], tol))
        and all(partial_right(found.gradient[name], one, kinds, tol) for name, one in want.get("grad", {}).items())
        and ("flag" not in want or flagged(kinds, want["flag"]))
    )


@pytest.mark.parametrize("row", [*rows("cases.json"), *rows("feynman.json")])
def test_case(row):
    want = row["expect"]
    if "error" in want:
        with pytest.raises(GradcliError) as caught:
            answer(row)
        assert str(caught.value).strip()
        if "column" in want:
            assert caught.value.span[0] + 1 == want["column"]
        return
    found, kinds = answer(row)
    assert any(right(found, kinds, choice, row["tol"]) for choice in want.get("any_of", [want])), (
        found.value,
        found.gradient,
        kinds,
    )


@pytest.mark.parametrize("row", rows("feynman.json")[:3])
def test_the_tester_sees_a_wrong_partial(row):
    found, kinds = answer(row)
    name, partial = next(iter(row["expect"]["grad"].items()))
    wrong = {**row["expect"], "grad": {name: partial * 1.001}}
    assert not right(found, kinds, wrong, row["tol"])
