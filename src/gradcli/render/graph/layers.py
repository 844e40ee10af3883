"""The layers of a graph, for drawing it: the nodes of each and their order, with few crossings (the method of Sugiyama).

    order = arrange(operands)

Nodes are numbered, operands first. All edges that leave a node share one line as far as they go the same way; the
line bends in each layer that it passes, and a bend takes a position there as a node does.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

SWEEPS, PATIENCE = 12, 2  # sorts of all layers, at most, and those in a row that bring nothing


class Order(NamedTuple):
    """Layers from first to last, each an ordered list of nodes and bends; bends are numbered after the nodes.

    ways[node]   the bends of the node's line, one for each layer after its own
    below[item]  the items of the layer before that lead to the item, in the order of the operands
    above[item]  the items of the layer after it that the item leads to
    """

    operands: tuple[tuple[int, ...], ...]
    layers: list[list[int]]
    ranks: list[int]
    ways: list[list[int]]
    below: list[list[int]]
    above: list[list[int]]


def rank(operands: Sequence[Sequence[int]]) -> list[int]:
    """The layer of each node: right before its first user, so that only a node that is used twice has a long line."""
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
        count, since = crossings(order), since + 1
        if count < fewest:
            best, fewest, since = [list(layer) for layer in order.layers], count, 0
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
    for item, sources in enumerate(below):
        for source in dict.fromkeys(sources):
            above[source].append(item)
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
    """Sort each layer by the mean position of the neighbours in the layer that was sorted before it."""
    neighbours = order.below if forward else order.above
    layers = order.layers if forward else order.layers[::-1]
    for fixed, layer in pairwise(layers):
        position = {item: index for index, item in enumerate(fixed)}
        key = {
            item: _mean([position[neighbour] for neighbour in neighbours[item]], index)
            for index, item in enumerate(layer)
        }
        layer.sort(key=key.__getitem__)


def _mean(numbers: list[int], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


def _exchange(order: Order) -> None:
    """Swap neighbours in a layer where that undoes a crossing, layer after layer."""
    position = {item: index for layer in order.layers for index, item in enumerate(layer)}
    for layer in order.layers:
        ends = {
            item: [sorted(position[near] for near in side[item]) for side in (order.below, order.above)]
            for item in layer
        }
        for index in range(len(layer) - 1):
            left, right = layer[index], layer[index + 1]
            sides = list(zip(ends[left], ends[right], strict=True))
            if sum(_pairs(a, b) - _pairs(b, a) for a, b in sides) > 0:
                layer[index : index + 2] = right, left
        position.update({item: index for index, item in enumerate(layer)})


def _pairs(left: list[int], right: list[int]) -> int:
    """The number of pairs, an edge of the left item and one of the right, that cross: the left ends after the right.

    Both lists are sorted.
    """
    return sum(len(left) - bisect_right(left, end) for end in right)


def crossings(order: Order) -> int:
    """The number of pairs of edges that cross."""
    total = 0
    for fixed, layer in pairwise(order.layers):
        position = {item: index for index, item in enumerate(fixed)}
        ends: list[int] = []
        for item in layer:
            new = sorted(position[neighbour] for neighbour in order.below[item])
            total += sum(len(ends) - bisect_right(ends, end) for end in new)
            for end in new:
                insort(ends, end)
    return total
