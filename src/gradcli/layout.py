"""A drawing of a graph in layers: every edge runs forward, and none runs through a box (the method of Sugiyama).

    order = arrange(operands)            # who stands beside whom: the same for both directions
    drawing = place(order, sizes)        # where: `along` the edges, and `across` them

Knows no text and no axis. Nodes are numbered, operands first. All edges that leave a node share one line as far as
they go the same way: the line bends in each layer that it passes, and a bend takes room there as a box does.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

Size = tuple[float, float]  # along, across
Stretch = tuple[float, float, float]  # a straight part of an edge: from and to (along), where (across)

BOX_GAP, BEND_GAP = 26.0, 15.0  # across, between boxes and beside a bend
LAYER_GAP, STEEPEST_GAP = 46.0, 150.0  # along, for edges that run straight on and for steep ones
PORT = 11.0  # across, between two edges that end at the same box
SWEEPS, PATIENCE = 12, 4


class Order(NamedTuple):
    """Layers from first to last, each an ordered list of nodes and bends; bends are numbered after the nodes.

    ways[node]   the bends of the node's line, one for each layer after its own
    below[item]  what stands in the layer before and leads to the item, in the order of the operands
    above[item]  what the item leads to in the layer after it
    """

    operands: tuple[tuple[int, ...], ...]
    layers: list[list[int]]
    ranks: list[int]
    ways: list[list[int]]
    below: list[list[int]]
    above: list[list[int]]


class Drawing(NamedTuple):
    """The size, the centre of each node, and the stretches of the edge from each operand of each node."""

    size: Size
    centres: list[Size]
    routes: list[list[list[Stretch]]]


def rank(operands: Sequence[Sequence[int]]) -> list[int]:
    """The layer of each node: right before its first user, so that only what is used twice has a long line."""
    levels = [0] * len(operands)  # counted from the output
    for node in reversed(range(len(operands))):
        for operand in operands[node]:
            levels[operand] = max(levels[operand], levels[node] + 1)
    return [max(levels) - level for level in levels]


def consumers(operands: Sequence[Sequence[int]]) -> list[list[int]]:
    """The nodes that use each node."""
    users: list[list[int]] = [[] for _ in operands]
    for node, before in enumerate(operands):
        for operand in dict.fromkeys(before):
            users[operand].append(node)
    return users


def arrange(operands: Sequence[Sequence[int]]) -> Order:
    """Layers with few crossings: depth first, which draws a tree without any, then sweeps by the mean of neighbours."""
    order = _skeleton(operands)
    order.layers[:] = _first_order(order)
    best, fewest, since = [list(layer) for layer in order.layers], crossings(order), 0
    for sweep in range(SWEEPS):
        if not fewest or since == PATIENCE:
            break
        _sweep(order, forward=sweep % 2 == 0)
        _exchange(order)
        found, since = crossings(order), since + 1
        if found < fewest:
            best, fewest, since = [list(layer) for layer in order.layers], found, 0
    order.layers[:] = best
    return order


def _skeleton(operands: Sequence[Sequence[int]]) -> Order:
    ranks = rank(operands)
    users = consumers(operands)
    ways: list[list[int]] = []
    below: list[list[int]] = [[] for _ in operands]
    for node in range(len(operands)):
        last = max((ranks[user] for user in users[node]), default=0)
        way = list(range(len(below), len(below) + max(0, last - ranks[node] - 1)))
        ways.append(way)
        below += [[before] for before in [node, *way][: len(way)]]
        ranks += range(ranks[node] + 1, ranks[node] + 1 + len(way))
    for node, before in enumerate(operands):
        below[node] = [[operand, *ways[operand]][ranks[node] - 1 - ranks[operand]] for operand in before]
    above: list[list[int]] = [[] for _ in below]
    for item, several in enumerate(below):
        for one in dict.fromkeys(several):
            above[one].append(item)
    layers: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
    return Order(tuple(map(tuple, operands)), layers, ranks, ways, below, above)


def _first_order(order: Order) -> list[list[int]]:
    layers: list[list[int]] = [[] for _ in order.layers]
    seen: set[int] = set()
    stack = [item for item in range(len(order.below)) if not order.above[item]]
    while stack:
        item = stack.pop()
        if item not in seen:
            seen.add(item)
            layers[order.ranks[item]].append(item)
            stack += reversed(order.below[item])
    return layers


def _sweep(order: Order, *, forward: bool) -> None:
    """Sort each layer by the mean place of the neighbours in the layer that was sorted before it."""
    neighbours = order.below if forward else order.above
    layers = order.layers if forward else order.layers[::-1]
    for fixed, layer in pairwise(layers):
        place = {item: index for index, item in enumerate(fixed)}
        key = {item: _mean([place[one] for one in neighbours[item]], index) for index, item in enumerate(layer)}
        layer.sort(key=key.__getitem__)


def _mean(numbers: list[int], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


def _exchange(order: Order) -> None:
    """Swap neighbours in a layer where that undoes a crossing, layer after layer."""
    place = {item: index for layer in order.layers for index, item in enumerate(layer)}
    for layer in order.layers:
        ends = {
            item: [sorted(place[one] for one in side[item]) for side in (order.below, order.above)] for item in layer
        }
        for index in range(len(layer) - 1):
            left, right = layer[index], layer[index + 1]
            sides = list(zip(ends[left], ends[right], strict=True))
            if sum(_pairs(a, b) - _pairs(b, a) for a, b in sides) > 0:
                layer[index : index + 2] = right, left
        place.update({item: index for index, item in enumerate(layer)})


def _pairs(left: list[int], right: list[int]) -> int:
    """How many edges of the left item cross one of the right: those that end after it. Both are sorted."""
    return sum(len(left) - bisect_right(left, end) for end in right)


def crossings(order: Order) -> int:
    """How many pairs of edges cross."""
    total = 0
    for fixed, layer in pairwise(order.layers):
        place = {item: index for index, item in enumerate(fixed)}
        ends: list[int] = []
        for item in layer:
            new = sorted(place[one] for one in order.below[item])
            total += sum(len(ends) - bisect_right(ends, end) for end in new)
            for end in new:
                insort(ends, end)
    return total


def place(order: Order, sizes: Sequence[Size]) -> Drawing:
    """Where the nodes and the edges go. `sizes` holds a node's length along the edges, and its breadth across."""
    breadths = [size[1] for size in sizes] + [0.0] * (len(order.below) - len(sizes))
    across = _across(order, breadths)
    low = min((across[item] - breadths[item] / 2 for item in range(len(across))), default=0.0)
    across = [one - low for one in across]
    starts, ends = _along(order, sizes, across)
    middles = [(starts[order.ranks[node]] + ends[order.ranks[node]]) / 2 for node in range(len(sizes))]
    centres = [(middle, across[node]) for node, middle in enumerate(middles)]
    breadth = max((across[item] + breadths[item] / 2 for item in range(len(across))), default=0.0)
    routes = [_routes(order, node, sizes, centres, across, starts, ends) for node in range(len(sizes))]
    return Drawing((ends[-1] if ends else 0.0, breadth), centres, routes)


def _across(order: Order, breadths: list[float]) -> list[float]:
    """Each item as near to its neighbours as the order and the gaps allow; bends rather straight than boxes."""
    across = [0.0] * len(order.below)
    gaps = [[_gap(order, breadths, a, b) for a, b in pairwise(layer)] for layer in order.layers]
    for sweep in range(SWEEPS + 2):
        forward = sweep % 2 == 0
        sides = (order.below, order.above) if sweep >= SWEEPS // 2 else (order.below if forward else order.above,)
        for index in range(len(order.layers)) if forward else reversed(range(len(order.layers))):
            layer = order.layers[index]
            wishes = [_wish(order, item, sides, across) for item in layer]
            for item, where in zip(layer, _settle(wishes, gaps[index]), strict=True):
                across[item] = where
    _straighten(order, gaps, across)
    return across


def _straighten(order: Order, gaps: list[list[float]], across: list[float]) -> None:
    """Let each line run on at the height it has, and turn once rather than climb in every layer."""
    boxes = len(order.operands)
    for layer, apart in zip(order.layers[1:], gaps[1:], strict=True):
        wishes = [(across[order.below[item][0]], 50.0) if item >= boxes else (across[item], 1.0) for item in layer]
        for item, where in zip(layer, _settle(wishes, apart), strict=True):
            across[item] = where


def _gap(order: Order, breadths: list[float], left: int, right: int) -> float:
    boxes = max(left, right) < len(order.operands)
    return (breadths[left] + breadths[right]) / 2 + (BOX_GAP if boxes else BEND_GAP)


def _wish(order: Order, item: int, sides: Sequence[list[list[int]]], across: list[float]) -> tuple[float, float]:
    """Where an item would like to be, and how much."""
    boxes = len(order.operands)
    total = weight = 0.0
    for side in sides:
        for one in side[item]:
            pull = 8.0 if item >= boxes and one >= boxes else 2.0 if item >= boxes or one >= boxes else 1.0
            total, weight = total + pull * across[one], weight + pull
    return (total / weight, weight) if weight else (across[item], 0.01)


def _settle(wishes: list[tuple[float, float]], gaps: list[float]) -> list[float]:
    """The places in order, at least `gaps` apart, with the least weighted squares of the distances to the wishes.

    With the gaps taken off this is isotonic regression: items that want to pass each other are pooled.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    pools: list[tuple[float, float, int]] = []  # place, weight, how many
    for (wish, weight), offset in zip(wishes, offsets, strict=False):
        where, count = wish - offset, 1
        while pools and pools[-1][0] > where:
            other, heavy, several = pools.pop()
            where = (where * weight + other * heavy) / (weight + heavy)
            weight, count = weight + heavy, count + several
        pools.append((where, weight, count))
    settled = [where for where, _, count in pools for _ in range(count)]
    return [where + offset for where, offset in zip(settled, offsets, strict=False)]


def _along(order: Order, sizes: Sequence[Size], across: list[float]) -> tuple[list[float], list[float]]:
    """Where each layer starts and ends. Layers with steep edges between them stand further apart."""
    starts, ends = [], []
    at = 0.0
    for index, layer in enumerate(order.layers):
        if index:
            climb = max((abs(across[one] - across[item]) for item in layer for one in order.below[item]), default=0.0)
            at += min(STEEPEST_GAP, max(LAYER_GAP, 0.25 * climb))
        starts.append(at)
        at += max((sizes[item][0] for item in layer if item < len(sizes)), default=0.0)
        ends.append(at)
    return starts, ends


def _routes(
    order: Order,
    node: int,
    sizes: Sequence[Size],
    centres: list[Size],
    across: list[float],
    starts: list[float],
    ends: list[float],
) -> list[list[Stretch]]:
    """One route for each operand. Those that end at the same box do so side by side, in the order they come from."""
    before = order.below[node]
    ports = sorted(range(len(before)), key=lambda position: (across[before[position]], position))
    apart = min(PORT, sizes[node][1] * 0.7 / max(1, len(before) - 1))
    near, middle = centres[node][0] - sizes[node][0] / 2, (len(before) - 1) / 2
    routes = []
    for position, operand in enumerate(order.operands[node]):
        port = centres[node][1] + (ports.index(position) - middle) * apart
        own, last = order.ranks[operand], order.ranks[node]
        route = [(centres[operand][0] + sizes[operand][0] / 2, ends[own], across[operand])]
        passed = order.ways[operand][: last - own - 1]
        route += [(starts[order.ranks[bend]], ends[order.ranks[bend]], across[bend]) for bend in passed]
        routes.append([*route, (starts[last], near, port)])
    return routes
