"""One training step of micrograd's own demo, beside micrograd and PyTorch.

100 moons, a network of 2-16-16-1 neurons with relu (337 parameters), hinge loss, L2 of 1e-4, a step of gradient
descent: forward, loss, backward, update. Targets: with the NumPy kernel at least 100 times, with the LLVM kernel at
least 1000 times as fast as micrograd, and this at least twice as fast as PyTorch in float64 on one thread (the better
of eager and compiled). All begin with the same weights, and their losses after the steps are compared. Then 100 steps
at the demo's rates, from ten seeds: how many reach 100 % on the training set.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one core for everybody; NumPy reads it when it is loaded

import numpy as np
from measure import at_least, installed, medians, table

from gradcli.errors import GradcliError
from gradcli.files.columns import read_sheet
from gradcli.nn.features import Shape, columns_of, new_model
from gradcli.nn.learner import Learner
from gradcli.nn.model_file import Model
from gradcli.nn.modules import load
from gradcli.nn.optimizers import Options
from gradcli.nn.train import descend, follow

MOONS = Path(__file__).parents[1] / "examples" / "moons.csv"
L2, RATE, DEMO = 1e-4, 0.5, Options("sgd", "1 - 0.9t", 100, l2=1e-4)
Contestant = tuple[Callable[[], float], int]  # a step that returns its loss, and how many of them to time


def demo(seed: int = 0) -> tuple[Model, dict[str, Any]]:
    samples = read_sheet(str(MOONS))
    model = new_model(samples, "label", shape=Shape((16, 16), "relu", "hinge", False, seed))
    return model, columns_of(model, samples)


def with_kernel(back_end: str) -> Contestant:
    model, columns = demo()
    learner = Learner(model, columns, back_end=back_end)
    points = descend(learner, model.weights, Options("sgd", str(RATE), 10**9, l2=L2))
    return lambda: next(points).loss, 200


def with_values() -> Contestant:
    """The same on our own Values, as one writes it by hand."""
    model, columns = demo()
    return by_hand(model.network(), columns)


def with_micrograd() -> Contestant:
    from micrograd.nn import MLP

    model, columns = demo()
    network = MLP(2, [16, 16, 1])
    load(network, model.weights)
    return by_hand(network, columns)


def by_hand(network: Any, columns: dict[str, Any]) -> Contestant:
    """micrograd's own step, on a network of its or of ours: they have the same names."""
    rows = rows_of(columns)

    def step() -> float:
        losses = [(1 + -label * network([x, y])).relu() for x, y, label in rows]
        loss = sum(losses) * (1.0 / len(losses)) + L2 * sum(p * p for p in network.parameters())
        network.zero_grad()
        loss.backward()
        for p in network.parameters():
            p.data -= RATE * p.grad
        return loss.data

    return step, 1


def rows_of(columns: dict[str, Any]) -> list[tuple[float, float, float]]:
    return list(zip(*(columns[name].tolist() for name in ("x1", "x2", "t1")), strict=True))


def with_torch(*, compiled: bool) -> Contestant:
    import torch

    torch.set_num_threads(1)
    model, columns = demo()
    layers = [torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)]
    network = torch.nn.Sequential(*layers).double()
    with torch.no_grad():
        for ours, theirs in zip(model.network().layers, layers[::2], strict=True):
            theirs.weight.copy_(
                torch.tensor([[w.data for w in neuron.w] for neuron in ours.neurons], dtype=torch.float64)
            )
            theirs.bias.copy_(torch.tensor([neuron.b.data for neuron in ours.neurons], dtype=torch.float64))
    x = torch.tensor(np.array([columns["x1"], columns["x2"]]).T.copy())
    label = torch.tensor(columns["t1"]).unsqueeze(1)
    optimizer = torch.optim.SGD(network.parameters(), lr=RATE)

    def loss_of() -> Any:
        penalty = sum((p * p).sum() for p in network.parameters())
        return torch.relu(1 - label * network(x)).mean() + L2 * penalty

    forward = torch.compile(loss_of) if compiled else loss_of

    def step() -> float:
        loss = forward()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step, 200


def contestants() -> Iterator[tuple[str, Contestant]]:
    """Those that are installed."""
    if installed("micrograd"):
        yield "micrograd", with_micrograd()
    yield "gradcli, Values", with_values()
    yield "gradcli, a layer at a time", with_kernel("layers")
    yield "gradcli, NumPy kernel", with_kernel("numpy")
    try:
        yield "gradcli, LLVM kernel", with_kernel("llvm")
    except GradcliError as problem:
        print(f"  gradcli, LLVM kernel: {problem.message}")
    if installed("torch"):
        yield "PyTorch, eager", with_torch(compiled=False)
        step, count = with_torch(compiled=True)
        try:
            step()
        except Exception as problem:  # it needs a C++ compiler
            print(f"  PyTorch, compiled: {type(problem).__name__}")
        else:
            yield "PyTorch, compiled", (with_torch(compiled=True)[0], count)


def same_losses(steps: dict[str, Contestant]) -> None:
    losses = {name: [step() for _ in range(3)] for name, (step, _) in steps.items()}
    print("\nloss of the first steps")
    for name, found in losses.items():
        print(f"  {name:<44} {'  '.join(f'{loss:.12f}' for loss in found)}")


def speed() -> None:
    steps = dict(contestants())
    same_losses(steps)

    def per_step(step: Callable[[], float], count: int) -> float:
        start = perf_counter()
        for _ in range(count):
            step()
        return (perf_counter() - start) / count

    found = medians({name: lambda one=one: per_step(*one) for name, one in steps.items()}, 3)
    table("one step: 100 moons, 2-16-16-1, hinge, L2, sgd", found, "ms", 1e3)
    slow, fast = found.get("micrograd"), found.get("gradcli, LLVM kernel")
    if slow:
        at_least("NumPy kernel, faster than micrograd", slow / found["gradcli, NumPy kernel"], 100)
    if slow and fast:
        at_least("LLVM kernel, faster than micrograd", slow / fast, 1000)
    if fast and "PyTorch, eager" in found:
        best = min(time for name, time in found.items() if name.startswith("PyTorch"))
        at_least("LLVM kernel, faster than PyTorch", best / fast, 2)


def accuracy() -> None:
    print("\n100 steps of the demo: accuracy on the training set, by seed")
    reached = []
    for seed in range(10):
        model, columns = demo(seed)
        learner = Learner(model, columns)
        outcome = follow(descend(learner, model.weights, DEMO), None, lambda point, held: None)
        reached.append(learner.accuracy(outcome.best.weights) or 0.0)
    print("  " + "  ".join(f"{100 * share:.0f} %" for share in reached))
    at_least("seeds of ten that reach 100 %", sum(share == 1 for share in reached), 1)


if __name__ == "__main__":
    speed()
    accuracy()
    sys.exit(0)
