"""What the benchmarks share: contestants run in turn, tables of medians with their ratios, and figures beside their targets."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import Any


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def medians(contestants: Mapping[str, Callable[[], float]], rounds: int, warm: int = 1) -> dict[str, float]:
    """The median of what each contestant returns, measured in turn, so that a busy machine is busy for all of them.

    The first `warm` rounds do not count.
    """
    figures: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(warm + rounds):
        for name, contestant in contestants.items():
            figure = contestant()
            if number >= warm:
                figures[name].append(figure)
    return {name: median(several) for name, several in figures.items()}


def apart(script: str, task: str, *args: object) -> Any:
    """What `task` of a script returns in a process of its own: none collects the garbage of another in its time."""
    command = [sys.executable, script, task, json.dumps(args)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def child(tasks: Mapping[str, Callable[..., Any]], task: str, args: str) -> None:
    """The other end of `apart`: run the task on a thread with a stack that a peer's recursion fits in."""
    threading.stack_size(1 << 29)
    sys.setrecursionlimit(10**7)
    thread = threading.Thread(target=lambda: print(json.dumps(tasks[task](*json.loads(args)))))
    thread.start()
    thread.join()


def table(title: str, figures: Mapping[str, float], unit: str, scale: float = 1.0) -> None:
    """Print the figures, in `unit`s of which `scale` make one of theirs, and the ratio of each to the first."""
    print(f"\n{title}")
    first = next(iter(figures.values()))
    for name, figure in figures.items():
        print(f"  {name:<44} {figure * scale:>10.3f} {unit:<10} {figure / first:>8.2f}x")


def at_most(what: str, figure: float, target: float) -> None:
    print(f"  -> {what}: {figure:.2f}x, target at most {target:.2f}x: {'met' if figure <= target else 'NOT MET'}")


def at_least(what: str, figure: float, target: float) -> None:
    print(f"  -> {what}: {figure:.3g}x, target at least {target:g}x: {'met' if figure >= target else 'NOT MET'}")


def holds(what: str, works: bool) -> None:
    print(f"  -> {what}: {'works' if works else 'DOES NOT WORK'}")


def installed(module: str) -> bool:
    """Whether a peer can be imported; says so where it cannot."""
    found = find_spec(module) is not None
    if not found:
        print(f"  {module:<44} not installed")
    return found
