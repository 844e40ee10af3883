"""The page of `gradcli graph -o walk.html`, driven in a real Chromium: steps, keys, play, text, sizes, themes."""

import re
import time

import pytest
from helpers import EXAMPLES

from gradcli.language.parser import parse
from gradcli.render.graph.html import html
from gradcli.render.graph.picture import picture
from gradcli.text import rounded
from gradcli.trace.trace import trace, without_values

SCHOLES = (EXAMPLES / "black_scholes.expr").read_text(encoding="utf-8")
PAGES = {
    "walk": ("(a+b)*(a*b)", {"a": 3.0, "b": 4.0}),
    "scholes": (SCHOLES, {"S": 100.0, "K": 95.0, "r": 0.05, "sigma": 0.2, "T": 0.5}),
    "choices": ("α = max(x, y, 2x); if(x > y, α^x, x*x) - clamp(y, -1, α) + 3pi", {"x": 1.5, "y": -0.25}),
}
HOSTILE = """\
# <img src=x onerror="window.hacked=1"> </script><script>window.hacked=1</script>
ΔT = x*(2 # </script><script>window.hacked=1</script> <b>bold</b> "&lt;" ${x} {{HASH}}
) ; ΔT + 名前
"""
LOOK = {"phone": (360, 740), "laptop": (1280, 800), "projector": (1920, 1080)}


@pytest.fixture
def pages(browser, tmp_path):
    """pages(text, values, **window) opens the page of an expression."""

    def opened(text, values, rankdir=None, **window):
        result = trace(parse(text), values) if values else without_values(parse(text))
        path = tmp_path / "walk.html"
        path.write_text(html(result, rankdir), encoding="utf-8")
        return browser.open(path.as_uri(), **window), result

    return opened


@pytest.fixture
def walk(pages):
    return pages(*PAGES["walk"])[0]


def step(page):
    return page.run("at")


def numbers(page, index):
    """What stands in the box of a node."""
    rows = page.run(
        f"[...document.querySelectorAll('[data-node=\"{index}\"] .row')].map(row => [...row.children].map(one => one.textContent))"
    )
    return {row[0]: (row[1:] or [""])[0] for row in rows}


def complaints(page):
    """What the page had to say on its console, and what it asked of the network beside itself."""
    said = page.events("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
    asked = [event["request"]["url"] for event in page.events("Network.requestWillBeSent")]
    return said, asked[1:]


# ------------------------------------------------------------------------------------------------ what is shown


@pytest.mark.parametrize("name", PAGES)
def test_every_step_shows_the_numbers_of_the_trace(pages, name):
    page, result = pages(*PAGES[name])
    nodes = picture(result).nodes
    data, grad = {}, {}
    forward = sum(one.direction == "forward" for one in result.steps)
    for one in [None, *result.steps]:
        if one is not None:
            page.press("ArrowRight")
            if one.direction == "forward":
                data[one.node] = rounded(one.value)
            else:
                grad[one.operand] = rounded(one.total)
        if one is not None and one.step == forward:
            grad = {node.id: "0" for node in nodes if node.grad is not None} | {result.output: "1"}
        assert step(page) == (one.step if one else 0)
        for index, node in enumerate(nodes):
            shown = numbers(page, index)
            if node.kind != "constant":
                assert shown["data"] == data.get(node.id, ""), (one, node)
                assert shown.get("grad", "") == grad.get(node.id, ""), (one, node)
    assert {node.name: grad[node.id] for node in nodes if node.kind == "input"} == {
        variable: rounded(partial) for variable, partial in result.gradient.items()
    }
    assert complaints(page) == ([], [])


def test_a_step_says_the_chain_rule_and_lights_its_nodes_and_its_edge(walk):
    walk.run("show(8)")
    assert walk.run("$('sentence').textContent") == "a.grad += b.data · (a*b).grad = 4 × 7 = 28"
    assert walk.run("$('mathematics').textContent") == "∂out∂a+=∂(a*b)∂a·∂out∂(a*b)"
    assert walk.run("document.querySelector('.firing .label').textContent") == "a*b"
    assert walk.run("document.querySelector('.receiving .label').textContent") == "a"
    assert walk.run("document.querySelectorAll('.lit').length") == 1
    assert walk.run("document.querySelector('.brought').textContent") == "+28"
    walk.press("ArrowRight"), walk.press("ArrowRight")
    assert walk.run("$('added').textContent") == "a is reached again, and its contributions add up: 28 + 12 = 40"
    walk.run("show(3)")
    assert walk.run("$('sentence').textContent") == "(a+b).data = 3 + 4 = 7"
    assert walk.run("document.querySelectorAll('.lit').length") == 2


def test_a_square_lights_its_two_edges_one_after_the_other(pages):
    page, _ = pages("x*x", {"x": 3.0})
    lit = []
    for number in (3, 4):
        page.run(f"show({number})")
        lit.append(page.run("document.querySelector('.lit').getAttribute('d')"))
        assert page.run("document.querySelectorAll('.lit').length") == 1
    assert lit[0] != lit[1]


def test_without_values_it_steps_through_names_and_formulas(pages):
    page, result = pages("c = a+b; c*sin(a)", {})
    for one in result.steps:
        page.press("ArrowRight")
        assert step(page) == one.step
    assert page.run("$('sentence').textContent") == "b.grad += 1 · c.grad"
    assert "NaN" not in page.run("document.body.innerText") and "nan" not in page.run("document.body.innerText")
    assert complaints(page) == ([], [])


def test_hovering_and_focus_show_the_five_fields(walk):
    walk.press("End")
    walk.hover('[data-node="3"] .box')
    shown = walk.run("$('fields').innerText")
    for line in ("a*b", "data\n12", "grad\n7", "_prev\n(a, b)", "_op\n'*'"):
        assert line in shown
    assert "a.grad += b.data · (a*b).grad" in shown and "b.grad += a.data · (a*b).grad" in shown
    walk.run("document.querySelector('[data-node=\"0\"]').focus()")
    assert "nothing to do: a leaf" in walk.run("$('fields').innerText")
    walk.press("ArrowDown")
    assert walk.run("document.activeElement.dataset.node") == "1"


# ------------------------------------------------------------------------------------------------ getting about


def test_keys(walk):
    for key, expected in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("ArrowLeft", 0),
        ("ArrowLeft", 0),
        ("End", 11),
        ("ArrowRight", 11),
        ("Home", 0),
    ]:
        walk.press(key)
        assert step(walk) == expected
    assert numbers(walk, 0) == {"data": "", "grad": ""}


def test_buttons_and_the_slider(walk):
    for button, expected in [("step", 1), ("step", 2), ("back", 1), ("end", 11), ("reset", 0)]:
        walk.click(f"#{button}")
        assert step(walk) == expected
    assert walk.run("[$('back').disabled, $('reset').disabled, $('step').disabled]") == [True, True, False]
    walk.run("$('slider').focus()")
    walk.press("ArrowRight")
    assert step(walk) == 1


def test_play_and_pause(walk):
    walk.run("$('speed').value = 250")
    walk.press(" ")
    walk.wait("at >= 2")
    assert walk.run("$('play').getAttribute('aria-label')") == "Pause"
    walk.press(" ")
    stopped = step(walk)
    time.sleep(0.6)
    assert step(walk) == stopped < 11
    walk.click("#play")
    walk.wait("at == 11")
    assert walk.run("$('play').getAttribute('aria-label')") == "Play"
    walk.press(" ")  # from the end it plays from the start
    walk.wait("at >= 1 && at < 5")


def test_the_table_is_clickable_and_goes_by_keys(walk):
    walk.click('tr[data-step="10"] td:nth-child(2)')
    assert step(walk) == 10 and numbers(walk, 0)["grad"] == "40"
    assert walk.run("document.querySelectorAll('tr[aria-current]').length") == 1
    walk.run("document.querySelector('tr[aria-current] button').focus()")
    walk.press("ArrowUp")
    assert step(walk) == 9
    assert walk.run("document.activeElement.closest('tr').dataset.step") == "9"


def test_the_size_of_the_graph(walk):
    width = walk.run("shapes.root.getBoundingClientRect().width")
    walk.click("#larger")
    assert walk.run("shapes.root.getBoundingClientRect().width") > width
    walk.click("#fit")
    assert walk.run("shapes.root.getBoundingClientRect().width <= $('view').clientWidth")


def test_what_happens_stays_in_view(pages):
    text = "+".join(f"sin(x*{n})" for n in range(1, 50))
    page, result = pages(text, {"x": 0.5})
    for number in (1, 60, 150, len(result.steps)):
        page.run(f"show({number})")
        page.wait(
            "(r => (v => r.left >= v.left && r.right <= v.right && r.top >= v.top && r.bottom <= v.bottom)"
            "($('view').getBoundingClientRect()))(document.querySelector('.receiving .box, .firing .box').getBoundingClientRect())"
        )


# ------------------------------------------------------------------------------------------------ for everyone


def test_what_was_typed_stays_text(pages):
    page, _ = pages(HOSTILE, {"x": 2.0, "名前": 1.0})
    page.press("End")
    assert page.run("window.hacked") is None
    assert page.run("document.querySelectorAll('img, b, script:not(#data)').length") == 1  # its own script
    assert page.run("$('expression').textContent") == HOSTILE.strip()
    assert "名前" in page.run("$('view').textContent")
    assert complaints(page) == ([], [])


def test_no_other_script_may_run(walk):
    walk.run(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hacked = 1'}))"
    )
    assert walk.run("window.hacked") is None
    walk.run("fetch('http://127.0.0.1:1/').catch(() => 'refused')")
    assert walk.events("Network.requestWillBeSent")[1:] == []


def test_a_screen_reader_is_told_each_step(walk):
    walk.run("show(8)")
    walk.call("Accessibility.enable")
    tree = walk.call("Accessibility.getFullAXTree")["nodes"]
    found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node["ignored"]]
    roles = dict.fromkeys(role for role, _ in found)
    assert {"status", "toolbar", "table", "slider", "button"} <= set(roles)
    for name in ("Step", "Back", "Play", "Reset", "To the end"):
        assert any(one == ("button", name) for one in found), found
    labels = [name for _, name in found]
    assert "a, input, data 3, grad 28" in labels and "a+b, op, data 7, grad 12" in labels
    assert all(name for role, name in found if role == "button")


def test_every_control_is_reached_by_tab(walk):
    walk.press("ArrowRight")
    reached = set()
    for _ in range(20):
        walk.press("Tab")
        reached.add(walk.run("document.activeElement.id || document.activeElement.tagName"))
    assert {"reset", "back", "play", "step", "end", "slider", "speed", "smaller", "fit", "larger"} <= reached
    assert {"g", "BUTTON"} <= reached  # a node of the graph, the current row of the table


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("window", LOOK)
@pytest.mark.parametrize("name", PAGES)
def test_it_fits_the_window_in_both_themes(pages, name, window, dark):
    width, height = LOOK[window]
    page, _ = pages(*PAGES[name], width=width, height=height, dark=dark)
    page.press("End")
    assert page.run("document.documentElement.scrollWidth") <= width
    paper = page.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", paper))) < 200) == dark
    if window != "phone":
        assert page.run("document.documentElement.scrollHeight") <= height
    for button in ("step", "back", "play"):
        assert page.run(
            f"(r => r.top >= 0 && r.bottom <= innerHeight && r.height >= 32)($('{button}').getBoundingClientRect())"
        )


TEXTS_THAT_STICK_OUT = """
[...document.querySelectorAll('g.node, g.op, g.input, g.constant')].flatMap(node => {
  const box = node.querySelector('.box').getBBox(), pill = node.querySelector('.pill')?.getBBox();
  return [...node.querySelectorAll('text')].filter(text => {
    if (!text.textContent) return false;
    const inside = text.getBBox(), around = text.classList.contains('sign') ? pill : box;
    return inside.x < around.x + 1 || inside.x + inside.width > around.x + around.width - 1
      || inside.y < around.y - 1 || inside.y + inside.height > around.y + around.height + 1;
  }).map(text => text.textContent);
})
"""


@pytest.mark.parametrize("rankdir", ["LR", "TB"])
@pytest.mark.parametrize("name", PAGES)
def test_texts_fit_their_boxes(pages, browser, tmp_path, name, rankdir):
    from gradcli.render.graph.svg import svg

    page, result = pages(*PAGES[name], rankdir=rankdir)
    page.press("End")
    assert page.run(TEXTS_THAT_STICK_OUT) == []
    (tmp_path / "graph.svg").write_text(svg(result, rankdir), encoding="utf-8")
    assert browser.open((tmp_path / "graph.svg").as_uri()).run(TEXTS_THAT_STICK_OUT) == []


def test_motion_only_where_it_is_wanted(pages):
    running = "document.getAnimations().length"
    page, _ = pages(*PAGES["walk"], still=True)
    page.run("show(8)")
    assert page.run(running) == 0
    page, _ = pages(*PAGES["walk"], still=False)
    page.run("show(8)")
    page.wait(f"{running} > 0")


def test_size():
    text = html(trace(parse(PAGES["walk"][0]), PAGES["walk"][1]))
    assert len(text.encode()) < 150_000
    assert re.findall(r"https?://[^\"' ]*", text) == [
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1998/Math/MathML",
    ]
