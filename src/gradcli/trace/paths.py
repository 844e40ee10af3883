"""The sum over paths: the chain rule of several variables, taken apart.

    sum_ = paths(trace, "a")
    sum_.number, [path.contribution for path in sum_.shown], sum_.total     # 2, [12.0, 28.0], 40.0

The derivative of the output by a variable is a sum over all paths from the variable to the output, and each path
brings the product of the local derivatives along it. Shared nodes make the paths many (sixty doublings make 2^60
of them), so nothing here enumerates them: they are counted node by node, the largest are found by turning off
from the best one, and the sum of the others takes one more backward pass, without the arrows that were shown.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from heapq import heappop, heappush, nlargest
from itertools import accumulate
from itertools import count as tickets
from operator import itemgetter
from typing import NamedTuple

from .trace import Step, Trace

Arrows = Mapping[int, list[Step]]


class Path(NamedTuple):
    """A way from a variable to the output: its nodes and arrows in this order, and its contribution.

    That is the product of the local derivatives of the arrows.
    """

    nodes: tuple[int, ...]
    arrows: tuple[Step, ...]
    contribution: float

    @property
    def locals(self) -> list[float]:
        """The local derivatives."""
        return [arrow.local for arrow in self.arrows if arrow.local is not None]


class PathSum(NamedTuple):
    """A partial derivative as a sum over paths.

    number  the number of all paths
    shown   the largest of them; in the order of the graph if these are all
    rest    the sum of the contributions of the others
    total   the derivative as the engine computes it
    """

    wrt: str
    number: int
    shown: tuple[Path, ...]
    rest: float
    total: float

    @property
    def complete(self) -> bool:
        """True if all paths are shown."""
        return self.number == len(self.shown)


def paths(trace: Trace, name: str, limit: int = 20) -> PathSum:
    """The paths from variable `name` to the output, at most `limit` of them one by one, the others summed."""
    total = trace.gradient[name]
    variable = next((node.id for node in trace.nodes if node.kind == "input" and node.name == name), None)
    down, up = arrows_of(trace)
    counts = {} if variable is None else path_counts(down, variable)
    if variable is None or trace.output not in counts:
        return PathSum(name, 0, (), 0.0, total)
    leading = {node: [arrow for arrow in down[node] if arrow.operand in counts] for node in counts if node in down}
    ways = _largest(leading, trace.output, variable, limit)
    if counts[trace.output] <= limit:
        ways.sort(key=lambda way: [arrow.step for arrow in way])
    rest = _rest(trace, up, ways, variable) if ways else total
    shown = [_path(trace, way) for way in ways]
    if counts[trace.output] > limit:
        shown.sort(key=lambda path: -_magnitude(path.contribution))
    return PathSum(name, counts[trace.output], tuple(shown), rest, total)


def arrows_of(trace: Trace) -> tuple[Arrows, Arrows]:
    """The arrows of the backward pass: those that leave each node for its operands, and those that reach it."""
    down: dict[int, list[Step]] = defaultdict(list)
    up: dict[int, list[Step]] = defaultdict(list)
    for step in trace.steps:
        if step.operand is not None:
            down[step.node].append(step)
            up[step.operand].append(step)
    return down, up


def path_counts(down: Arrows, variable: int) -> dict[int, int]:
    """The number of paths from `variable` to each node that it reaches."""
    counts = {variable: 1}
    for node in sorted(down):  # operands come before their users on the tape
        number = sum(counts.get(end(arrow), 0) for arrow in down[node])
        if number:
            counts[node] = number
    return counts


def _path(trace: Trace, way: list[Step]) -> Path:
    nodes = [trace.output, *map(end, way)]
    return Path(tuple(reversed(nodes)), tuple(reversed(way)), product(trace, way))


def product(trace: Trace, way: list[Step]) -> float:
    """The product of the local derivatives along a way down from the output, as the engine multiplies."""
    upstream = 1.0
    for arrow in way:
        upstream = passed(trace, arrow, upstream)
    return upstream


def passed(trace: Trace, arrow: Step, upstream: float) -> float:
    """The contribution that goes down an arrow from a node with the gradient `upstream`."""
    row, local = trace.rows[arrow.node], arrow.local
    assert row is not None and local is not None and arrow.upstream is not None
    nothing_moves = local == 0 and (row.choice or (arrow.contribution == 0 and not math.isfinite(arrow.upstream)))
    return 0.0 if upstream == 0 or nothing_moves else local * upstream + 0.0


def _magnitude(number: float) -> float:
    return math.inf if math.isnan(number) else abs(number)


# Logarithms, as products of hundreds of derivatives overflow. The two ends are beyond every sum of logarithms of
# finite numbers, and an infinite derivative outweighs a zero: inf times 0 is not a number, and worth seeing.
_ZERO, _INFINITE = -1e12, 1e15


def _size(arrow: Step) -> float:
    """The logarithm of the local derivative's magnitude."""
    assert arrow.local is not None
    magnitude = _magnitude(arrow.local)
    return _ZERO if magnitude == 0 else _INFINITE if math.isinf(magnitude) else math.log(magnitude)


def _largest(down: Arrows, output: int, variable: int, limit: int) -> list[list[Step]]:
    """The ways down from the output to the variable with the largest products, at most `limit` of them.

    Each entry of the heap stands for all ways that begin alike, and is as good as the best of them. When that one
    is taken, the others are parted by where they turn off from it; so `limit` ways cost `limit` steps, however
    many ways there are and however equal they are.
    """
    best: dict[int, tuple[float, Step | None]] = {variable: (0.0, None)}
    for node in sorted(down):
        best[node] = max(((_size(arrow) + best[end(arrow)][0], arrow) for arrow in down[node]), key=itemgetter(0))
    ticket = tickets()
    start: list[Step] = []
    heap: list[tuple[float, int, list[Step], Step | None]] = [(-best[output][0], next(ticket), start, None)]
    ways: list[list[Step]] = []
    while heap and len(ways) < limit:
        _, _, prefix, turn = heappop(heap)
        way = prefix if turn is None else [*prefix, turn]
        fixed = len(way)
        way = way + list(_best_way(best, end(way[-1]) if way else output))
        ways.append(way)
        turns = _turns(way, fixed, down, best)
        for size, position, arrow in nlargest(limit - len(ways), turns, key=itemgetter(0)):
            heappush(heap, (-size, next(ticket), way[:position], arrow))
    return ways


def end(arrow: Step) -> int:
    """The node that an arrow of the backward pass leads to."""
    assert arrow.operand is not None
    return arrow.operand


def _best_way(best: Mapping[int, tuple[float, Step | None]], node: int) -> Iterator[Step]:
    while (arrow := best[node][1]) is not None:
        yield arrow
        node = end(arrow)


def _turns(
    way: list[Step], fixed: int, down: Arrows, best: Mapping[int, tuple[float, Step | None]]
) -> Iterator[tuple[float, int, Step]]:
    """Each way to leave `way` behind its first `fixed` arrows: the size of the best that begins so, its position and the arrow."""
    before = list(accumulate(map(_size, way), initial=0.0))
    for position in range(fixed, len(way)):
        for arrow in down[way[position].node]:
            if arrow is not way[position]:
                yield before[position] + _size(arrow) + best[end(arrow)][0], position, arrow


def _rest(trace: Trace, up: Arrows, shown: list[list[Step]], variable: int) -> float:
    """The contributions of the paths that are not shown: added up, so that nothing cancels, as in a difference.

    The shown paths, read from the variable up, form a tree. What goes down an arrow beside this tree came by other
    paths: the gradient of the node it leaves. It is passed on down the tree as the backward pass would.
    """
    tree: list[tuple[int, int, Step | None]] = [(-1, variable, None)]  # of vertices: that below, node, arrow down
    upward: list[dict[int, int]] = [{}]  # from each vertex, by the step of an arrow, the one that it leads up to
    for way in shown:
        vertex = 0
        for arrow in reversed(way):
            if arrow.step not in upward[vertex]:
                upward[vertex][arrow.step] = len(tree)
                tree.append((vertex, arrow.node, arrow))
                upward.append({})
            vertex = upward[vertex][arrow.step]
    gradients = [0.0] * len(tree)
    for vertex in range(len(tree) - 1, -1, -1):
        below, node, down = tree[vertex]
        for arrow in up.get(node, ()):
            if arrow.step not in upward[vertex]:
                gradients[vertex] += passed(trace, arrow, arrow.upstream)  # type: ignore[arg-type]
        if down is not None:
            gradients[below] += passed(trace, down, gradients[vertex])
    return gradients[0]
