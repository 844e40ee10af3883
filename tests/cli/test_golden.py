"""Plain and JSON are interfaces: what scripts read is kept in tests/golden, byte for byte.

GRADCLI_UPDATE_GOLDEN=1 writes the files anew.
"""

import json
import os
import re

import pytest
from helpers import GOLDEN

INPUTS = {
    "walkthrough": ("(a+b)*(a*b)", "a=3", "b=4"),
    "program": ("c = a+b; d = a*b; e = c*d", "a=3", "b=4"),
    "lines": ("c = a+b # the sum\nd = (a\n  *b)\nc*d\n", "a=3", "b=4"),
    "kink": ("1 + abs(x)", "x=0"),
    "tie": ("max(x, y, 2)", "x=2", "y=2"),
    "pole": ("1/x", "x=0"),
    "overflow": ("exp(x)", "x=1000"),
    "nan_gradient": ("x^y", "x=-2", "y=3"),
    "if": ("if(x > 0, sqrt(x), -x)", "x=-4"),
    "user_function": ("f(u, v) = u^2*v; f(a, b) + f(b, a)", "a=2", "b=-1/2"),
    "unused": ("2*x", "x=0.1", "z=1"),
    "unused_name": ("c = 9007199254740993*x; x", "x=1e-300"),
    "constant": ("2*pi",),
    "unicode": ("−θ² × π", "θ=0.1"),
    "negative_zero": ("x*0", "x=-1"),
}
VIEWS = {"plain": [], "json": ["--json"], "trace.plain": ["--trace"], "trace.json": ["--trace", "--json"], "stderr": []}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", INPUTS)
def test_golden(quick, name, view):
    done = quick("eval", *INPUTS[name], *VIEWS[view])
    assert done.code == 0
    text = done.stderr if view == "stderr" else done.stdout
    path = GOLDEN / f"{name}.{view}.txt"
    if os.environ.get("GRADCLI_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_bytes().decode("utf-8")


MORE = {
    "hessian": ("x^2*y + if(x > 0, sin(y), 0)", "x=1", "y=2", "--hessian"),
    "order": ("tanh(x)", "x=20", "--order", "3"),
    "along": ("(a+b)*(a*b)", "a=3", "b=4", "--along", "a=1,b=-2"),
    "out": ("u = a*b; v = a + u; v/u", "a=3", "b=4", "--out", "u,v"),
    "views": ("u = x^3; u", "x=2", "--hessian", "--order", "2", "--along", "x=max(1,2)", "--out", "u"),
    "undefined": ("x^y", "x=0", "y=0.5", "--hessian"),
}
FORMATS = {"plain": [], "json": ["--json"], "pretty": ["--format", "pretty"]}


@pytest.mark.parametrize("view", FORMATS)
@pytest.mark.parametrize("name", MORE)
def test_golden_views(quick, name, view):
    done = quick("eval", *MORE[name], *FORMATS[view], env={"COLUMNS": "80"})
    assert done.code == 0
    path = GOLDEN / f"{name}.{view}.txt"
    if os.environ.get("GRADCLI_UPDATE_GOLDEN") == "1":
        path.write_text(done.stdout, encoding="utf-8", newline="\n")
    assert done.stdout == path.read_bytes().decode("utf-8")


@pytest.mark.parametrize("name", INPUTS)
def test_plain_and_json_agree(quick, name):
    """Two formats, one result: every number reads back as the same double."""
    rows = [line.split("\t") for line in quick("eval", *INPUTS[name]).stdout.splitlines()]
    found = json.loads(quick("eval", *INPUTS[name], "--json").stdout, parse_constant=lambda word: 1 / 0)
    assert [repr(float(rows[0][1])), rows[0][2]] == [repr(float(found["value"])), "1"]
    assert {row[0]: repr(float(row[1])) for row in rows[1:]} == {
        k: repr(float(v)) for k, v in found["bindings"].items()
    }
    assert {row[0]: repr(float(row[2])) for row in rows[1:]} == {
        k: repr(float(v)) for k, v in found["gradient"].items()
    }
    assert [row[0] for row in rows[1:]] == list(found["gradient"])


def test_golden_files_are_all_in_use():
    used = {f"{name}.{view}.txt" for name in INPUTS for view in VIEWS}
    used |= {f"{name}.{view}.txt" for name in MORE for view in FORMATS} | {"derivatives.txt"}
    assert {path.name for path in GOLDEN.iterdir() if not path.name.startswith("walkthrough_")} == used


def test_golden_files_hold_no_escape_sequence():
    for path in GOLDEN.iterdir():
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", path.read_text(encoding="utf-8")), path.name
