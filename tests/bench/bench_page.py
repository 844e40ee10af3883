"""The page: how long it takes to write beside `eval --json`, and to take a step in Chromium.

Prints the time of `gradcli graph --format html` for an expression of 200 nodes beside that of `gradcli eval --json`
of the same (target: less than 3 times as long), both as commands from start to end. Then, one step a frame over both
passes, the median time from a call of the page's own step to the end of the layout that it caused (target: 16 ms),
and what the main thread worked for a step with everything after it, painting in software included.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import at_most, medians, seconds, table

sys.path.insert(0, str(Path(__file__).parents[1]))
import chromium

from gradcli import parse

VARIABLES = [f"x{i}" for i in range(8)]
BINDINGS = [f"{name}={0.5 + i / 10}" for i, name in enumerate(VARIABLES)]
FORMS = ("{a}*{b}", "{a}/{b}", "sin({a})", "exp(-{a})", "log({a}*{b})", "{a}*({b}-{n})", "tanh({a}+{b})")
STEPS = """
(async () => {
  const times = [];
  while (at < Math.min(%d, steps.length)) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    moves.step();
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
})()
"""


def expression(nodes: int) -> str:
    """A sum of random terms, with `nodes` nodes or one or two more."""
    rng = random.Random(3)
    text = "x0"
    while len(parse(text).lines) < nodes:
        a, b, n = rng.choice(VARIABLES), rng.choice(VARIABLES), rng.randint(101, 999) / 100
        text += rng.choice("+-") + rng.choice(FORMS).format(a=a, b=b, n=n)
    return text


def command(*args: str) -> float:
    gradcli = shutil.which("gradcli", path=str(Path(sys.executable).parent))
    assert gradcli
    return seconds(lambda: subprocess.run([gradcli, *args], stdout=subprocess.DEVNULL, check=True))


def writing(text: str) -> None:
    contestants = {
        "eval --json": lambda: command("eval", text, *BINDINGS, "--json"),
        "graph --format html": lambda: command("graph", text, *BINDINGS, "--format", "html"),
        "graph --format svg": lambda: command("graph", text, *BINDINGS, "--format", "svg"),
    }
    found = medians(contestants, 9)
    table(f"a graph of {len(parse(text).lines)} nodes, the whole command", found, "ms", 1e3)
    at_most("graph --format html / eval --json", found["graph --format html"] / found["eval --json"], 3)


def stepping(text: str) -> None:
    path = chromium.find()
    if path is None:
        print("  Chromium is not installed")
        return
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium(path) as browser:
        command("graph", text, *BINDINGS, "-o", f"{folder}/walk.html")
        page = browser.open(Path(folder, "walk.html").as_uri())
        page.call("Performance.enable", timeDomain="threadTicks")
        before, times = busy(page), []
        for end in range(25, page.run("steps.length") + 25, 25):
            times += page.run(STEPS % end)
        frame = (busy(page) - before) / len(times)
    times.sort()
    figures = {
        "a step: script, style and layout, median": times[len(times) // 2],
        "one in a hundred is slower than": times[len(times) * 99 // 100],
        "time of the main thread with painting, mean": frame * 1e3,
    }
    table(f"one of {len(times)} steps in the page", figures, "ms")
    print(f"  -> median step: {figures['a step: script, style and layout, median']:.1f} ms, target at most 16 ms")


def busy(page: chromium.Page) -> float:
    """Seconds that the page's main thread has worked, by its own clock."""
    return next(one["value"] for one in page.call("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")


def main() -> None:
    text = expression(200)
    writing(text)
    stepping(text)


if __name__ == "__main__":
    main()
