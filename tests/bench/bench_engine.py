"""The engine on large graphs, beside micrograd.

Prints the time per node of forward + backward on a random graph of 200,000 sums and products (target: at most
0.8 of micrograd's) and the memory per node that the graph holds (at most 1/3); whether a million nodes and a
chain 200,000 deep work; and the time per node at 1,000,000 nodes over that at 10,000, for operators and for the
replay of a tape (at most 1.5). Each measurement has a process of its own, with the default garbage collector.
"""

from __future__ import annotations

import gc
import math
import random
import sys
import tracemalloc
from importlib import import_module
from typing import Any

from measure import apart, at_most, child, holds, installed, medians, seconds, table

NODES, SMALL, LARGE, DEEP = 200_000, 10_000, 1_000_000, 200_000
LEAVES, WINDOW = 20, 1000
Plan = tuple[list[float], list[bool], list[int], list[int]]  # leaves; then for each node: a product? and its operands


def plan(nodes: int) -> Plan:
    """A random graph: the operands are among the last WINDOW nodes, and no number is far from 1 or from 0."""
    rng = random.Random(1)
    leaves = [rng.choice((-1, 1)) * rng.uniform(0.3, 0.7) for _ in range(LEAVES)]
    numbers, products, left, right = list(leaves), [], [], []
    while len(products) < nodes:
        count = len(numbers)
        window = min(count, WINDOW)
        i, j = count - 1 - int(rng.random() * window), count - 1 - int(rng.random() * window)
        product = rng.random() < 0.5
        number = numbers[i] * numbers[j] if product else numbers[i] + numbers[j]
        if 0.1 < abs(number) < 0.7:
            numbers.append(number)
            products.append(product)
            left.append(i)
            right.append(j)
    return leaves, products, left, right


def build(value: Any, planned: Plan) -> list[Any]:
    """The graph, made with Python's operators; the last node is the output."""
    leaves, products, left, right = planned
    nodes = [value(number) for number in leaves]
    for product, i, j in zip(products, left, right, strict=True):
        nodes.append(nodes[i] * nodes[j] if product else nodes[i] + nodes[j])
    return nodes


def forward_backward(value: Any, planned: Plan) -> list[Any]:
    nodes = build(value, planned)
    nodes[-1].backward()
    return nodes


def time_of(module: str, nodes: int) -> float:
    """Seconds for each node, of one graph; a small one is measured several times."""
    value, planned = import_module(module).Value, plan(nodes)
    return (
        medians(
            {module: lambda: seconds(lambda: forward_backward(value, planned))}, max(1, 5 * SMALL // nodes), warm=0
        )[module]
        / nodes
    )


def memory_of(module: str, nodes: int) -> float:
    """Bytes for each node that the graph holds after the backward pass."""
    value, planned = import_module(module).Value, plan(nodes)
    tracemalloc.start()
    kept = forward_backward(value, planned)
    gc.collect()
    return (tracemalloc.get_traced_memory()[0] - sys.getsizeof(kept)) / nodes


def gradients_of(module: str, nodes: int) -> list[float]:
    return [leaf.grad for leaf in forward_backward(import_module(module).Value, plan(nodes))[:LEAVES]]


def replay_of(module: str, nodes: int) -> float:
    """Seconds for each node of the replay of a tape on Values, and the backward pass."""
    from gradcli.autodiff.ops import INFIX
    from gradcli.autodiff.tape import Line, Tape, graph

    leaves, products, left, right = plan(nodes)
    inputs = {f"x{i}": number for i, number in enumerate(leaves)}
    lines = [Line(None, name=name) for name in inputs]
    lines += [Line(INFIX["*" if product else "+"], (i, j)) for product, i, j in zip(products, left, right, strict=True)]
    tape = Tape(tuple(lines), len(lines) - 1)
    rounds = max(1, 5 * SMALL // nodes)
    return (
        medians({module: lambda: seconds(lambda: graph(tape, inputs)[-1].backward())}, rounds, warm=0)[module] / nodes
    )


def chain_of(module: str, nodes: int) -> float:
    """The derivative of x + x + ... by x, each sum an operand of the next."""
    x = out = import_module(module).Value(0.5)
    for _ in range(nodes):
        out = out + x
    out.backward()
    return x.grad - 1.0


TASKS = {task.__name__: task for task in (time_of, memory_of, gradients_of, replay_of, chain_of)}


def beside_micrograd() -> None:
    peers = {"gradcli": "gradcli"}
    if installed("micrograd"):
        peers = {"micrograd": "micrograd.engine"} | peers
    time = medians(
        {name: lambda module=module: apart(__file__, "time_of", module, NODES) for name, module in peers.items()},
        5,
        warm=0,
    )
    memory = {name: apart(__file__, "memory_of", module, NODES) for name, module in peers.items()}
    table(f"forward + backward, {NODES:,} nodes, for each node", time, "us", 1e6)
    if "micrograd" in peers:
        at_most("time, gradcli / micrograd", time["gradcli"] / time["micrograd"], 0.8)
    table(f"memory held by {NODES:,} nodes, for each node", memory, "bytes")
    if "micrograd" in peers:
        at_most("memory, gradcli / micrograd", memory["gradcli"] / memory["micrograd"], 1 / 3)
        ours, theirs = (apart(__file__, "gradients_of", module, NODES) for module in peers.values())
        holds(
            "both find the same gradients", all(map(lambda a, b: a and math.isclose(a, b, rel_tol=1e-6), ours, theirs))
        )


def large() -> None:
    for task, what in (("time_of", "operators on Values"), ("replay_of", "replay of a tape")):
        sizes = {
            f"{nodes:,} nodes": lambda nodes=nodes, task=task: apart(__file__, task, "gradcli", nodes)
            for nodes in (SMALL, LARGE)
        }
        found = medians(sizes, 3, warm=0)
        table(f"gradcli, {what}, forward + backward, for each node", found, "us", 1e6)
        small, big = found.values()
        at_most(f"time for each node, {LARGE:,} / {SMALL:,}", big / small, 1.5)
    holds(f"{LARGE:,} nodes", all(map(math.isfinite, apart(__file__, "gradients_of", "gradcli", LARGE))))
    holds(f"a chain {DEEP:,} deep", apart(__file__, "chain_of", "gradcli", DEEP) == DEEP)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        child(TASKS, *sys.argv[1:])
    else:
        beside_micrograd()
        large()
