"""The gradients of a wrong engine, and the first node that it gets wrong.

The two mistakes that everybody who writes a backward pass makes:

    without_accumulation(trace)     grad = contribution, where grad += contribution is right
    without_order(trace)            each node fires, then calls its operands, instead of in topological order

Both are run on the graph of a trace, with its local derivatives.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

from gradcli.text import listed, rounded, shortened

from .paths import Arrows, arrows_of, end, passed
from .trace import Step, Trace

MOST_FIRINGS = 200_000  # a recursion beyond this is described and not run


class Ablation(NamedTuple):
    """The answer of a wrong engine.

    without     the part that it lacks: "accumulation" or "order"
    grads       the gradient that each node would have received, by its id; None if the engine would not have ended
    gradient    the same for the variables, by name
    first       the first node of the backward pass with a wrong gradient; None if there is none
    firings     the number of times that a node passes its gradient on
    reason      a sentence on why `first` is wrong, or why nothing is
    """

    without: str
    grads: dict[int, float] | None
    gradient: dict[str, float] | None
    first: int | None
    firings: int
    reason: str


def without_accumulation(trace: Trace) -> Ablation:
    """Each `+=` of the backward pass as `=`: the last contribution is kept, the others are lost."""
    grads = {trace.output: 1.0}
    steps = [step for step in trace.steps if step.operand is not None]
    for step in steps:
        grads[end(step)] = passed(trace, step, grads.get(step.node, 0.0))
    first = _first_wrong(trace, grads)
    if first is None:
        shared = len({step.operand for step in steps}) < len(steps)
        reason = "the last contribution is the sum of all" if shared else "no node receives more than one contribution"
        reason = f"It makes no difference here: {reason}."
    else:
        arrivals = [step for step in steps if step.operand == first]
        parts = [f"{_number(step.contribution)} from {_label(trace, step.node)}" for step in arrivals]
        reason = (
            f"{_label(trace, first)} receives {_listed(parts)}: with = in place of += each replaces the one before."
        )
    return Ablation("accumulation", grads, _by_name(trace, grads), first, len({step.node for step in steps}), reason)


def without_order(trace: Trace) -> Ablation:
    """Naive recursion from the output: a node passes on what it has so far each time that it is reached."""
    down, _ = arrows_of(trace)
    times = _times_reached(trace, down)
    firings = sum(times.values())
    if firings > MOST_FIRINGS:
        return Ablation("order", None, None, *_endless(trace, times, firings))
    grads, fired = _recursion(trace, down)
    first = _first_wrong(trace, grads)
    if first is None:
        again = any(number > 1 for number in times.values())
        reason = (
            "what is passed on again adds nothing" if again else "no node that passes a gradient on is reached twice"
        )
        reason = f"It makes no difference here: {reason}."
    else:
        reason = _fires_again(trace, down, first, fired)
    return Ablation("order", grads, _by_name(trace, grads), first, firings, reason)


def _times_reached(trace: Trace, down: Arrows) -> dict[int, int]:
    """The number of times that the recursion reaches each node that fires: once for each path from the output."""
    times = dict.fromkeys(down, 0) | {trace.output: 1}
    for node in sorted(down, reverse=True):
        for arrow in down[node]:
            if end(arrow) in down:
                times[end(arrow)] += times[node]
    return times


def _endless(trace: Trace, times: dict[int, int], firings: int) -> tuple[int, int, str]:
    first = next(node for node in _completed(trace) if times.get(node, 0) > 1)
    reason = (
        f"The recursion reaches {_label(trace, first)} {times[first]} times, what is below it more often still, and "
        f"fires a node each time: {_many(firings)} firings in all. It would be wrong, and it would not end."
    )
    return first, firings, reason


def _many(number: int) -> str:
    return str(number) if number < 10**21 else f"about 10^{math.floor(math.log10(number))}"


def _recursion(trace: Trace, down: Arrows) -> tuple[dict[int, float], dict[int, list[float]]]:
    """The gradients that naive recursion leaves, and what each node had each time it fired (with a stack for depth)."""
    grads: dict[int, float] = defaultdict(float, {trace.output: 1.0})
    fired: dict[int, list[float]] = defaultdict(list)
    stack = [trace.output]
    while stack:
        node = stack.pop()
        arrows = down.get(node, ())
        fired[node].append(grads[node])
        for arrow in arrows:
            grads[end(arrow)] += passed(trace, arrow, grads[node])
        stack += [end(arrow) for arrow in reversed(arrows) if end(arrow) in down]
    return grads, fired


def _first_wrong(trace: Trace, grads: dict[int, float]) -> int | None:
    """The first node, in the order of the backward pass, whose gradient is not the right one.

    The order of a sum may move its last digits: that alone is not called wrong.
    """
    moved: dict[int, float] = defaultdict(float)
    for step in trace.steps:
        if step.operand is not None:
            moved[step.operand] += abs(step.contribution or 0.0)
    for node in _completed(trace):
        if _differ(grads.get(node, 0.0), trace.nodes[node].grad or 0.0, moved[node]):
            return node
    return None


def _completed(trace: Trace) -> list[int]:
    """The nodes in the order in which their gradients are complete: after their last contribution."""
    last = {step.operand: step.step for step in trace.steps if step.operand is not None}
    return sorted(last, key=last.__getitem__)


def _differ(wrong: float, right: float, moved: float) -> bool:
    if not (math.isfinite(wrong) and math.isfinite(right)):
        return not (wrong == right or (math.isnan(wrong) and math.isnan(right)))
    return abs(wrong - right) > 1e-11 * moved


def _fires_again(trace: Trace, down: Arrows, first: int, fired: dict[int, list[float]]) -> str:
    """The sentence on the node that made `first` wrong: it fired before its gradient was complete, or again afterwards."""
    users = [node for node, arrows in down.items() if any(end(arrow) == first for arrow in arrows)]
    again = [node for node in users if len(fired[node]) > 1]
    node = next((node for node in again if fired[node][0] != trace.nodes[node].grad), again[0])
    right = trace.nodes[node].grad or 0.0
    parts = [_number(_brought(trace, down[node], first, had)) for had in fired[node]]
    times = "twice" if len(parts) == 2 else f"{len(parts)} times"
    return (
        f"{_label(trace, node)} fires {times}, with the gradients {_listed([*map(_number, fired[node])])}, where once "
        f"with {_number(right)} is right: {_label(trace, first)} receives {_listed(parts)} from it, "
        f"in place of {_number(_brought(trace, down[node], first, right))}."
    )


def _brought(trace: Trace, arrows: list[Step], operand: int, upstream: float) -> float:
    """The contribution of a node with the gradient `upstream` to one of its operands, over all arrows between them."""
    return sum(passed(trace, arrow, upstream) for arrow in arrows if end(arrow) == operand)


def _by_name(trace: Trace, grads: dict[int, float]) -> dict[str, float]:
    by_name = {node.name: node.id for node in trace.nodes if node.kind == "input"}
    return {name: grads.get(by_name.get(name, -1), 0.0) for name in trace.wrt}


def _label(trace: Trace, node: int) -> str:
    return shortened(trace.nodes[node].label, 30)


def _number(number: float | None) -> str:
    return rounded(number or 0.0)


def _listed(parts: list[str], most: int = 4) -> str:
    if len(parts) > most:
        parts = [*parts[: most - 2], "…", parts[-1]]
    return listed(parts)
