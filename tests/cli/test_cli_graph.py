"""gradcli graph: DOT that Graphviz reads, Mermaid that Mermaid draws, SVG whose texts fit; the same on every run."""

import html
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from helpers import EXAMPLES, PICTURES, fails

from gradcli.language.parser import parse
from gradcli.render.graph.dot import dot
from gradcli.render.graph.mermaid import mermaid
from gradcli.render.graph.picture import picture
from gradcli.render.graph.sentence import atom, computation, forward, product, rule, total
from gradcli.render.graph.shapes import shapes
from gradcli.render.graph.svg import svg
from gradcli.trace.trace import trace, without_values

WALK = ("(a+b)*(a*b)", "a=3", "b=4")
SCHOLES = EXAMPLES / "black_scholes.expr"
POINT = ("S=100", "K=95", "r=0.05", "sigma=0.2", "T=0.5")
HOSTILE = 'x*(2 # <script>alert(1)</script> "&lt;" {a|b} \\ `*_#35;\n)'
FORMATS = ("dot", "mermaid", "svg", "html")
WALK_DOT = """\
digraph {
  graph [rankdir=LR]
  node [fontname="monospace"]
  n0 [label="{ a | data 3 | grad 40 }" shape=record]
  n1 [label="{ b | data 4 | grad 33 }" shape=record]
  n2 [label="{ a+b | data 7 | grad 12 }" shape=record]
  n3 [label="{ a*b | data 12 | grad 7 }" shape=record]
  n4 [label="{ (a+b)*(a*b) | data 84 | grad 1 }" shape=record]
  op2 [label="+"]
  op3 [label="*"]
  op4 [label="*"]
  op2 -> n2
  op3 -> n3
  op4 -> n4
  n0 -> op2
  n1 -> op2
  n0 -> op3
  n1 -> op3
  n2 -> op4
  n3 -> op4
}
"""
WALK_MERMAID = """\
flowchart LR
  n0["a<br/>data 3<br/>grad 40"]
  n1["b<br/>data 4<br/>grad 33"]
  n2["a#43;b<br/>data 7<br/>grad 12"]
  n3["a#42;b<br/>data 12<br/>grad 7"]
  n4["#40;a#43;b#41;#42;#40;a#42;b#41;<br/>data 84<br/>grad 1"]
  op2(["#43;"]) --> n2
  op3(["#42;"]) --> n3
  op4(["#42;"]) --> n4
  n0 --> op2
  n1 --> op2
  n0 --> op3
  n1 --> op3
  n2 --> op4
  n3 --> op4
"""


def at(text, **values):
    return trace(parse(text), values)


# ------------------------------------------------------------------------------------------------ the command


def test_dot_is_the_default(run):
    assert run("graph", *WALK) == (0, WALK_DOT, "")


def test_mermaid(run):
    assert run("graph", *WALK, "--format", "mermaid") == (0, WALK_MERMAID, "")


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("x.dot", "digraph {"),
        ("x.gv", "digraph {"),
        ("x.mmd", "flowchart LR"),
        ("x.svg", "<svg "),
        ("X.SVG", "<svg "),
        ("x.html", "<!doctype html>"),
        ("graph", "digraph {"),
    ],
)
def test_the_ending_sets_the_format(run, tmp_path, name, start):
    assert run("graph", *WALK, "-o", name, cwd=tmp_path) == (0, "", "")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_a_format_that_is_asked_for_wins_over_the_ending(quick, tmp_path):
    assert quick("graph", *WALK, "--format", "dot", "-o", "x.txt", cwd=tmp_path).code == 0
    assert (tmp_path / "x.txt").read_text() == WALK_DOT


def test_an_ending_that_is_none_of_ours(quick, tmp_path):
    fails(quick("graph", *WALK, "-o", "x.md", cwd=tmp_path), 2, "graph writes no .md", ".dot, .gv", "gradcli eval")
    assert list(tmp_path.iterdir()) == []


def test_from_a_file_and_from_standard_input(run):
    assert run("graph", "-f", str(SCHOLES)).stdout == run("graph", "-", stdin=SCHOLES.read_bytes()).stdout != ""


@pytest.mark.parametrize(
    ("args", "code", "parts"),
    [
        (("a*b", "a=3"), 2, ("no value for b",)),
        (("log(x)", "x=-1"), 1, ("log of -1 is not a number",)),
        (("a +", "a=3"), 2, ("^",)),
        ((), 2, ("there is no expression",)),
        (("a", "a=1", "--rankdir", "RL"), 2, ("RL",)),
        (("a", "a=1", "--format", "jpg"), 2, ("jpg",)),
    ],
)
def test_what_cannot_be_drawn(quick, args, code, parts):
    for form in () if "--format" in args else FORMATS:
        fails(quick("graph", *args, "--format", form), code, *parts)
    fails(quick("graph", *args), code, *parts)


def test_diagnostics_go_to_standard_error(quick):
    done = quick("graph", "abs(x)", "x=0")
    assert done.code == 0 and done.stderr.startswith("kink: ") and "kink" not in done.stdout
    assert quick("graph", "x", "x=1", "y=2").stderr.startswith("unused: ")
    assert quick("graph", "abs(x)").stderr == ""


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_on_every_run(run, form):
    args = ("graph", "-f", str(SCHOLES), *POINT, "--format", form)
    first, second = (run(*args, env={"PYTHONHASHSEED": seed}) for seed in ("1", "2"))
    assert first == second and first.code == 0


@pytest.mark.parametrize("form", ["svg", "html", "png", "pdf"])
def test_a_graph_that_is_too_large_to_lay_out(quick, form):
    text = "+".join(f"x^{n}" for n in range(600))
    fails(quick("graph", text, "x=1", "--format", form), 1, "1800 nodes", "-o graph.dot")
    assert quick("graph", text, "x=1").code == 0
    assert (
        "Mermaid draws more than 500 only where maxEdges is raised"
        in quick("graph", text, "--format", "mermaid").stderr
    )


def test_a_long_sum_is_written_as_dot_at_once(run):
    done = run("graph", "-", "x=1", stdin="+".join(["x"] * 20_000))
    assert done.code == 0 and done.stdout.count(" -> ") == 3 * 19_999


# ------------------------------------------------------------------------------------------------ what is drawn


def test_a_value_that_is_used_twice_is_drawn_once_and_a_square_has_two_edges():
    text = dot(at("x*x", x=3.0))
    assert text.count("n0 [") == 1 and text.count("n0 -> op1") == 2
    assert mermaid(at("x*x", x=3.0)).count("n0 --> op1") == 2
    assert svg(at("x*x", x=3.0)).count('class="tip"') == 2


def test_constants_are_marked_and_take_no_gradient():
    text = dot(at("2*pi*x", x=3.0))
    assert '[label="{ 2 | constant }" shape=record style=dashed]' in text
    assert '[label="{ pi | constant 3.14159 }" shape=record style=dashed]' in text
    assert 'class="constant"' in svg(at("2*x", x=3.0))
    assert mermaid(at("2*x", x=3.0)).endswith("  class n0 constant\n")


def test_without_bindings_there_are_names_and_formulas_alone():
    result = without_values(parse("c = a+b; c*pi"))
    assert '"{ c = a+b }"' in dot(result) and '"{ c*pi }"' in dot(result)
    for text in (dot(result), mermaid(result), svg(result)):
        assert "nan" not in text and "grad 0" not in text and "data " not in text


def test_top_to_bottom():
    assert "rankdir=TB" in dot(at("a", a=1.0), "TB") and '[label="a | data 1 | grad 1"' in dot(at("a", a=1.0), "TB")
    assert mermaid(at("a", a=1.0), "TB").startswith("flowchart TB\n")
    wide, tall = (shapes(picture(at("exp(exp(exp(x)))", x=0.1)), [way])[0] for way in ("LR", "TB"))
    assert wide.width > wide.height and tall.height > tall.width


def test_what_the_output_does_not_need_is_not_drawn():
    assert "unneeded" not in dot(at("unneeded = a*b; a+b", a=1.0, b=2.0))


@pytest.mark.parametrize("text", ["if(x > 0, x, 1)", "if(x, x, 1)", "max(x, x, 2)", "x^x", "floor(x) + sigmoid(x)*x"])
def test_each_backward_step_goes_along_one_arrow(text):
    for result in (at(text, x=2.0), without_values(parse(text))):
        chart = picture(result)
        going = {arrow.step: arrow for arrow in chart.arrows if arrow.step is not None}
        backward = [step for step in result.steps if step.direction == "backward"]
        assert [step.step for step in backward] == sorted(going)
        for step in backward:
            arrow = going[step.step]
            assert (arrow.node, arrow.operand) == (step.node, step.operand)
            partials = result.rows[step.node].partials_for(len(result.nodes[step.node].operands))
            assert partials[arrow.position] is not None


@pytest.mark.parametrize(
    "text", ["(a+b)*(a*b)", "a^b", "max(a, b, 2a)", "if(a > b, a*b, b)", "2*3 + a*b", "-a/b", "c = a; c*c + b"]
)
def test_a_sketch_has_the_steps_of_a_trace(text):
    full, drawn = at(text, a=3.0, b=4.0), without_values(parse(text))
    kept = ("step", "direction", "node", "operand", "formula")
    assert [[getattr(s, k) for k in kept] for s in drawn.steps] == [[getattr(s, k) for k in kept] for s in full.steps]


# ------------------------------------------------------------------------------------------------ sentences


def sentences(text, **values):
    result = at(text, **values)
    chart = picture(result)
    nodes = {node.id: node for node in chart.nodes}
    for step in result.steps:
        if step.operand is None:
            yield forward(chart, nodes[step.node], nodes)
        else:
            yield f"{rule(step, nodes)} = {product(step, 6)}"


def test_the_walkthrough_in_sentences():
    assert list(sentences("(a+b)*(a*b)", a=3.0, b=4.0)) == [
        "a.data = 3, as given",
        "b.data = 4, as given",
        "(a+b).data = 3 + 4 = 7",
        "(a*b).data = 3 * 4 = 12",
        "((a+b)*(a*b)).data = 7 * 12 = 84",
        "(a+b).grad += (a*b).data · ((a+b)*(a*b)).grad = 12 × 1 = 12",
        "(a*b).grad += (a+b).data · ((a+b)*(a*b)).grad = 7 × 1 = 7",
        "a.grad += b.data · (a*b).grad = 4 × 7 = 28",
        "b.grad += a.data · (a*b).grad = 3 × 7 = 21",
        "a.grad += 1 · (a+b).grad = 1 × 12 = 12",
        "b.grad += 1 · (a+b).grad = 1 × 12 = 12",
    ]
    result = at("(a+b)*(a*b)", a=3.0, b=4.0)
    assert [total(step, 6) for step in result.steps[-2:]] == ["28 + 12 = 40", "21 + 12 = 33"]


def test_signs_stand_in_parentheses():
    assert list(sentences("c = -x; c - -2", x=3.0))[1:] == [
        "c.data = -3",
        "-2: a constant",
        "(c - -2).data = (-3) - (-2) = -1",
        "c.grad += 1 · (c - -2).grad = 1 × 1 = 1",
        "x.grad += (-1) · c.grad = (-1) × 1 = -1",
    ]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("a", "a"),
        ("sin(a)", "sin(a)"),
        ("a+b", "(a+b)"),
        ("sin(a)*cos(b)", "(sin(a)*cos(b))"),
        ("(a)", "((a))"),
        ("2", "(2)"),
    ],
)
def test_what_grad_may_follow(text, called):
    assert atom(text) == called


def test_operations_are_written_as_one_writes_them():
    result = at("if(not a, 1, max(a, b, 2)) + (a and b)", a=3.0, b=4.0)
    chart = picture(result)
    nodes = {node.id: node for node in chart.nodes}
    assert [computation(chart, node, nodes) for node in chart.nodes if node.kind == "op"] == [
        "not 3",
        "max(3, 4, 2)",
        "if(0, 1, 4)",
        "3 and 4",
        "4 + 1",
    ]


# ------------------------------------------------------------------------------------------------ in real tools


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
@pytest.mark.parametrize("rankdir", ["LR", "TB"])
@pytest.mark.parametrize(("text", "values"), [(HOSTILE, {"x": 2.0}), ("α²*β + if(α < β, α, β)", {"α": 1.0, "β": 2.0})])
def test_graphviz_reads_it_and_finds_every_text(text, values, rankdir):
    written = dot(at(text, **values), rankdir)
    done = subprocess.run(["dot", "-Tsvg"], input=written.encode(), capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    drawn = "".join(ElementTree.fromstring(done.stdout).itertext())
    for node in picture(at(text, **values)).nodes:
        for part in (node.op, *(piece for piece in re.split(r"\s+|…", node.name or node.text)[:1])):
            assert part in drawn.replace("\xa0", " "), (part, drawn)


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
def test_graphviz_finds_the_graph():
    done = subprocess.run(["dot", "-Tjson"], input=WALK_DOT.encode(), capture_output=True, timeout=60, check=True)
    found = json.loads(done.stdout)
    names = [one["name"] for one in found["objects"]]
    edges = [(names[edge["tail"]], names[edge["head"]]) for edge in found["edges"]]
    assert sorted(edges) == sorted(re.findall(r"(\w+) -> (\w+)", WALK_DOT)) and len(names) == 8


@pytest.mark.parametrize("rankdir", ["LR", "TB"])
def test_svg_is_xml_with_both_themes(rankdir):
    for result in (at(HOSTILE, x=2.0), without_values(parse(HOSTILE)), at("a*b", a=1.0, b=2.0)):
        text = svg(result, rankdir)
        root = ElementTree.fromstring(text)
        assert root.tag.endswith("svg") and "prefers-color-scheme:dark" in text
        assert not re.search(r"<script|https?://(?!www\.w3\.org/2000/svg)|\bon\w+=", html.unescape("") + text)
        assert [one.tag for one in root.iter() if one.tag.endswith(("script", "image", "foreignObject"))] == []
        ids = [one.get("id") for one in root.iter() if one.get("id")]
        assert len(ids) == len(set(ids)) == len(picture(result).nodes)


def mermaid_script():
    return os.environ.get("GRADCLI_MERMAID", "")


@pytest.mark.skipif(not os.path.exists(mermaid_script()), reason="GRADCLI_MERMAID does not name a mermaid.min.js")
@pytest.mark.parametrize(
    "result", [at(HOSTILE, x=2.0), at("(a+b)*(a*b)", a=3.0, b=4.0), without_values(parse("π*x² + min(x, 1)"))]
)
def test_mermaid_draws_it(browser, tmp_path, result):
    page = tmp_path / "page.html"
    text = json.dumps(mermaid(result)).replace("<", "\\u003c")
    page.write_text(
        f'<meta charset="utf-8"><script src="{Path(mermaid_script()).resolve().as_uri()}"></script><script>const text = {text}</script>'
    )
    window = browser.open(page.as_uri())
    drawn = window.run(
        "mermaid.render('g', text).then(found => { document.body.innerHTML = found.svg; return document.body.textContent })"
    )
    chart = picture(result)
    assert window.run("document.querySelectorAll('.node').length") == len(chart.nodes) + sum(
        n.kind == "op" for n in chart.nodes
    )
    for node in chart.nodes:
        assert node.op in drawn and (node.name or node.text.split(" # ")[0]) in drawn


def test_the_picture_of_the_readme_is_what_the_command_draws(run, tmp_path):
    """A graph lives in a document: drawn again, it is the same byte for byte."""
    assert run("graph", *WALK, "-o", "walk.svg", cwd=tmp_path) == (0, "", "")
    picture = PICTURES / "walkthrough.svg"
    assert (tmp_path / "walk.svg").read_bytes() == picture.read_bytes()


@pytest.mark.parametrize("form", ["dot", "mermaid", "svg"])
def test_a_derivative_is_drawn_as_what_it_became(run, form):
    done = run("graph", "diff(x^3, x)", "x=2", "--format", form)
    assert "2*x" not in done.stdout and "x^2" in done.stdout.replace("#94;", "^") and "diff" not in done.stdout
