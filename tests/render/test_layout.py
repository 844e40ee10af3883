"""The layered drawing: edges run forward, boxes keep apart, no edge meets a box, and few edges cross."""

from itertools import combinations, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.render.graph.layers import arrange, crossings, rank
from gradcli.render.graph.layout import BOX_GAP, _settle, place

WALK = [(), (), (0, 1), (0, 1), (2, 3)]


@st.composite
def graphs(draw, most=24):
    """Operands of each node: the last node is reached from every other, as the output of an expression is."""
    count = draw(st.integers(1, most))
    operands = [tuple(draw(st.lists(st.integers(0, node - 1), max_size=3))) if node else () for node in range(count)]
    used = {operand for before in operands for operand in before}
    spare = [node for node in range(count - 1) if node not in used]
    return [*operands[:-1], (*operands[-1], *spare)]


def sizes_of(operands):
    return [(40.0 + 13 * (node % 5), 30.0 + 17 * (node % 3)) for node in range(len(operands))]


def box(drawing, sizes, node):
    (along, across), (length, breadth) = drawing.centres[node], sizes[node]
    return along - length / 2, along + length / 2, across - breadth / 2, across + breadth / 2


@given(graphs())
def test_operands_stand_before_their_users_and_one_user_right_behind(operands):
    ranks = rank(operands)
    assert min(ranks) == 0
    for node, before in enumerate(operands):
        assert all(ranks[operand] < ranks[node] for operand in before)
    for operand in range(len(operands) - 1):
        assert ranks[operand] + 1 == min(ranks[node] for node, before in enumerate(operands) if operand in before)


@given(graphs())
def test_every_item_has_one_place(operands):
    order = arrange(operands)
    assert sorted(item for layer in order.layers for item in layer) == list(range(len(order.below)))
    for layer, items in enumerate(order.layers):
        assert all(order.ranks[item] == layer for item in items)


@given(graphs())
def test_crossings_are_counted_as_by_hand(operands):
    order = arrange(operands)
    found = 0
    for before, after in pairwise(order.layers):
        edges = [(before.index(one), after.index(item)) for item in after for one in order.below[item]]
        found += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(edges, 2))
    assert crossings(order) == found


@given(st.recursive(st.just(None), lambda parts: st.lists(parts, min_size=1, max_size=3), max_leaves=30))
def test_a_tree_has_no_crossing(tree):
    operands = []

    def add(part):
        before = tuple(add(one) for one in part or ())
        operands.append(before)
        return len(operands) - 1

    add(tree)
    assert crossings(arrange(operands)) == 0


def test_the_walkthrough_crosses_once():
    assert crossings(arrange(WALK)) == 1  # two variables in two operations: there is no drawing with fewer


@settings(max_examples=60)
@given(graphs())
def test_boxes_keep_apart(operands):
    sizes = sizes_of(operands)
    drawing = place(arrange(operands), sizes)
    for a, b in combinations(range(len(operands)), 2):
        left, right, low, high = box(drawing, sizes, a)
        start, end, bottom, top = box(drawing, sizes, b)
        assert right <= start or end <= left or high + BOX_GAP <= bottom + 1e-6 or top + BOX_GAP <= low + 1e-6
    for node in range(len(operands)):
        start, end, bottom, top = box(drawing, sizes, node)
        assert start >= -1e-6 and bottom >= -1e-6
        assert end <= drawing.size[0] + 1e-6 and top <= drawing.size[1] + 1e-6


@settings(max_examples=60)
@given(graphs())
def test_edges_run_forward_and_meet_no_box(operands):
    order, sizes = arrange(operands), sizes_of(operands)
    drawing = place(order, sizes)
    boxes = [box(drawing, sizes, node) for node in range(len(operands))]
    for node, routes in enumerate(drawing.routes):
        for operand, route in zip(operands[node], routes, strict=True):
            assert route[0][0] == pytest.approx(boxes[operand][1]) and route[-1][1] == pytest.approx(boxes[node][0])
            for (start, end, _), (begin, _, _) in pairwise(route):
                assert start <= end + 1e-6 and end < begin
                # the curve between two stretches: no box reaches into the gap between the layers
                assert not any(left < begin - 1e-6 and right > end + 1e-6 for left, right, _, _ in boxes)
            for start, end, across in route:
                for other, (left, right, low, high) in enumerate(boxes):
                    if other not in (node, operand):
                        assert right <= start or left >= end or not low < across < high


def test_edges_to_the_same_box_end_side_by_side():
    drawing = place(arrange([(), (0, 0)]), [(40.0, 30.0)] * 2)
    first, second = drawing.routes[1]
    assert first[-1][2] < second[-1][2]


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.1, 10)), min_size=1, max_size=8), st.data())
def test_settled_places_keep_the_gaps_and_are_best(wishes, data):
    gaps = data.draw(st.lists(st.floats(0, 20), min_size=len(wishes) - 1, max_size=len(wishes) - 1))
    settled = _settle(wishes, gaps)
    assert all(b - a >= gap - 1e-6 for (a, b), gap in zip(pairwise(settled), gaps, strict=True))

    def cost(places):
        return sum(weight * (where - wish) ** 2 for where, (wish, weight) in zip(places, wishes, strict=True))

    for index, step in product(range(len(wishes)), (-0.01, 0.01)):  # convex: no better neighbour, no better place
        moved = [where + step * (other >= index) for other, where in enumerate(settled)]
        if all(b - a >= gap - 1e-9 for (a, b), gap in zip(pairwise(moved), gaps, strict=True)):
            assert cost(moved) >= cost(settled) - 1e-6


def test_the_same_graph_gives_the_same_drawing():
    operands = [(), (), (), (0, 1), (1, 2), (3, 4, 0), (5, 2), (6, 3)]
    first, second = (place(arrange(operands), sizes_of(operands)) for _ in range(2))
    assert first == second


def test_a_deep_chain_is_no_problem():
    drawing = place(arrange([(), *[(node,) for node in range(3000)]]), [(40.0, 30.0)] * 3001)
    assert len({across for _, across in drawing.centres}) == 1
