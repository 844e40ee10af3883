"""The layout of a drawing of a graph: edges run forward, and none runs through a box.

    drawing = place(arrange(operands), sizes)

Knows no text and no axis: `along` is the direction of the edges, `across` the other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .layers import Order

Size = tuple[float, float]  # along, across
Stretch = tuple[float, float, float]  # a straight part of an edge: from and to (along), at what height (across)

BOX_GAP, BEND_GAP = 26.0, 15.0  # across, between boxes and beside a bend
LAYER_GAP, STEEPEST_GAP = 46.0, 150.0  # along, for edges that run straight on and for steep ones
PORT = 11.0  # across, between two edges that end at the same box
SWEEPS = 6  # the first half looks at one side, the second at both


class Drawing(NamedTuple):
    """The size, the centre of each node, and the stretches of the edge from each operand of each node."""

    size: Size
    centres: list[Size]
    routes: list[list[list[Stretch]]]


class Grid(NamedTuple):
    """The position of each node and bend across, and the start and end of each layer along."""

    across: list[float]
    starts: list[float]
    ends: list[float]


def place(order: Order, sizes: Sequence[Size]) -> Drawing:
    """The drawing of the layers. `sizes` holds the length of each node along the edges, and its breadth across."""
    breadths = [size[1] for size in sizes] + [0.0] * (len(order.below) - len(sizes))
    across = _across(order, breadths)
    low = min(centre - size / 2 for centre, size in zip(across, breadths, strict=True))
    across = [position - low for position in across]
    grid = Grid(across, *_along(order, sizes, across))
    breadth = max(centre + size / 2 for centre, size in zip(across, breadths, strict=True))
    routes = [_routes(order, grid, sizes, node) for node in range(len(sizes))]
    return Drawing((grid.ends[-1], breadth), [_centre(order, grid, node) for node in range(len(sizes))], routes)


def _across(order: Order, breadths: list[float]) -> list[float]:
    """Each item as near to its neighbours as the order and the gaps allow; bends rather straight than boxes."""
    across = [0.0] * len(order.below)
    gaps = [[_gap(order, breadths, a, b) for a, b in pairwise(layer)] for layer in order.layers]
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        sides = (order.below, order.above) if sweep >= SWEEPS // 2 else (order.below if forward else order.above,)
        for index in range(len(order.layers)) if forward else reversed(range(len(order.layers))):
            layer = order.layers[index]
            wishes = [_wish(order, item, sides, across) for item in layer]
            for item, position in zip(layer, _settle(wishes, gaps[index]), strict=True):
                across[item] = position
    _straighten(order, gaps, across)
    return across


def _straighten(order: Order, gaps: list[list[float]], across: list[float]) -> None:
    """Let each line run on at the height it has, and turn once rather than climb in every layer."""
    boxes = len(order.operands)
    for layer, apart in zip(order.layers[1:], gaps[1:], strict=True):
        wishes = [(across[order.below[item][0]], 50.0) if item >= boxes else (across[item], 1.0) for item in layer]
        for item, position in zip(layer, _settle(wishes, apart), strict=True):
            across[item] = position


def _gap(order: Order, breadths: list[float], left: int, right: int) -> float:
    boxes = max(left, right) < len(order.operands)
    return (breadths[left] + breadths[right]) / 2 + (BOX_GAP if boxes else BEND_GAP)


def _wish(order: Order, item: int, sides: Sequence[list[list[int]]], across: list[float]) -> tuple[float, float]:
    """The position across to which its neighbours pull an item, and the weight of that wish."""
    boxes = len(order.operands)
    total = weight = 0.0
    for side in sides:
        for neighbour in side[item]:
            pull = 8.0 if item >= boxes and neighbour >= boxes else 2.0 if item >= boxes or neighbour >= boxes else 1.0
            total, weight = total + pull * across[neighbour], weight + pull
    return (total / weight, weight) if weight else (across[item], 0.01)


def _settle(wishes: list[tuple[float, float]], gaps: list[float]) -> list[float]:
    """The positions in order, at least `gaps` apart, with the least weighted squares of the distances to the wishes.

    `gaps` has one number less than `wishes`. With the gaps taken off this is isotonic regression: items that want to pass each other are pooled.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    pools: list[tuple[float, float, int]] = []  # position, weight, number of items
    for (wish, weight), offset in zip(wishes, offsets, strict=True):
        position, count = wish - offset, 1
        while pools and pools[-1][0] > position:
            pooled, mass, number = pools.pop()
            position = (position * weight + pooled * mass) / (weight + mass)
            weight, count = weight + mass, count + number
        pools.append((position, weight, count))
    settled = [position for position, _, count in pools for _ in range(count)]
    return [position + offset for position, offset in zip(settled, offsets, strict=True)]


def _along(order: Order, sizes: Sequence[Size], across: list[float]) -> tuple[list[float], list[float]]:
    """The start and the end of each layer. Layers with steep edges between them stand further apart."""
    starts, ends = [], []
    at = 0.0
    for index, layer in enumerate(order.layers):
        if index:
            climb = max(
                (abs(across[source] - across[item]) for item in layer for source in order.below[item]),
                default=0.0,
            )
            at += min(STEEPEST_GAP, max(LAYER_GAP, 0.25 * climb))
        starts.append(at)
        at += max((sizes[item][0] for item in layer if item < len(sizes)), default=0.0)
        ends.append(at)
    return starts, ends


def _centre(order: Order, grid: Grid, node: int) -> Size:
    rank = order.ranks[node]
    return (grid.starts[rank] + grid.ends[rank]) / 2, grid.across[node]


def _routes(order: Order, grid: Grid, sizes: Sequence[Size], node: int) -> list[list[Stretch]]:
    """One route for each operand. Those that end at the same box do so side by side, in the order they come from."""
    before, (middle, across) = order.below[node], _centre(order, grid, node)
    ports = sorted(range(len(before)), key=lambda position: (grid.across[before[position]], position))
    apart = min(PORT, sizes[node][1] * 0.7 / max(1, len(before) - 1))
    routes = []
    for position, operand in enumerate(order.operands[node]):
        port = across + (ports.index(position) - (len(before) - 1) / 2) * apart
        own, last = order.ranks[operand], order.ranks[node]
        far = _centre(order, grid, operand)[0] + sizes[operand][0] / 2
        route = [(far, grid.ends[own], grid.across[operand])]
        for bend in order.ways[operand][: last - own - 1]:
            route.append((grid.starts[order.ranks[bend]], grid.ends[order.ranks[bend]], grid.across[bend]))
        routes.append([*route, (grid.starts[last], middle - sizes[node][0] / 2, port)])
    return routes
