"""Neurons, layers and networks on Values, and the same network as a tape.

    model = MLP(2, [16, 16, 1], seed=0)
    for step in range(100):
        loss = sum((model(x) - y) ** 2 for x, y in samples)     # forward
        model.zero_grad()
        loss.backward()                                         # backward
        for p in model.parameters():                            # update
            p.data -= 0.01 * p.grad

`tape` writes the network down once, for the compiled kernel to run over all samples together: the weights are
scalars, the samples are columns, and the gradient by a weight is summed over the rows.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradcli.autodiff.engine import Value
from gradcli.autodiff.ops import FUNCTIONS, Op, find
from gradcli.autodiff.tape import Tape, collection_paused, record
from gradcli.errors import UsageError
from gradcli.text import did_you_mean

LINEAR = "linear"
Numbers = Sequence[Any]  # Values or floats
Loss = Callable[[Any, list[Value]], Value]  # of what the network returned, and the targets


class Module:
    """A function with parameters: Values whose gradients a loss fills in."""

    def parameters(self) -> list[Value]:
        """Every weight and bias, in a fixed order."""
        return []

    def zero_grad(self) -> None:
        """Forget the gradients of the step before: `backward()` adds to what is there."""
        for parameter in self.parameters():
            parameter.grad = 0.0


class Neuron(Module):
    """A weighted sum of its inputs and a bias, through an activation: any function of one number in the table."""

    def __init__(self, inputs: int, activation: str = "relu", *, rng: random.Random | None = None) -> None:
        rng = rng or random.Random()
        bound = math.sqrt(3 * gain(activation) / max(1, inputs))
        self.w = [Value(rng.uniform(-bound, bound)) for _ in range(inputs)]
        self.b = Value(0.0)
        self.activation = activation
        self._act = row_of(activation)

    def __call__(self, x: Numbers) -> Value:
        total = sum((w * number for w, number in zip(self.w, x, strict=True)), self.b)
        return total if self._act is None else self._act(total)

    def parameters(self) -> list[Value]:
        return [*self.w, self.b]

    def __repr__(self) -> str:
        return f"Neuron({len(self.w)}, {self.activation})"


class Layer(Module):
    """Neurons that see the same inputs; a list of numbers in, a list of Values out."""

    def __init__(
        self, inputs: int, neurons: int, activation: str = "relu", *, rng: random.Random | None = None
    ) -> None:
        rng = rng or random.Random()
        self.inputs, self.activation = inputs, activation
        self.neurons = [Neuron(inputs, activation, rng=rng) for _ in range(neurons)]

    def __call__(self, x: Numbers) -> list[Value]:
        return [neuron(x) for neuron in self.neurons]

    def parameters(self) -> list[Value]:
        return [parameter for neuron in self.neurons for parameter in neuron.parameters()]

    def __repr__(self) -> str:
        return f"Layer({self.inputs} -> {len(self.neurons)}, {self.activation})"


class Residual(Module):
    """x + f(x), number by number: what lets a gradient through many layers."""

    def __init__(self, inner: Layer | Sequential) -> None:
        self.inner = inner

    def __call__(self, x: Numbers) -> list[Value]:
        return [number + more for number, more in zip(x, self.inner(x), strict=True)]

    def parameters(self) -> list[Value]:
        return self.inner.parameters()

    def __repr__(self) -> str:
        return f"Residual({self.inner})"


class Sequential(Module):
    """One module after the other."""

    def __init__(self, *layers: Layer | Residual | Sequential) -> None:
        self.layers = list(layers)

    def __call__(self, x: Numbers) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self) -> list[Value]:
        return [parameter for layer in self.layers for parameter in layer.parameters()]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.layers))})"


class MLP(Sequential):
    """Layers of the given sizes, the last one linear. Of a list of numbers they make a list of Values, or a single Value.

    `seed` makes the weights the same on every machine.
    """

    def __init__(self, inputs: int, sizes: Sequence[int], activation: str = "relu", *, seed: int | None = None) -> None:
        rng = random.Random(seed)
        before = [inputs, *sizes]
        kinds = [activation] * (len(sizes) - 1) + [LINEAR]
        super().__init__(*[Layer(n, m, kind, rng=rng) for n, m, kind in zip(before, sizes, kinds, strict=False)])

    def __call__(self, x: Numbers) -> Any:
        outputs = super().__call__(x)
        return outputs[0] if len(outputs) == 1 else outputs


def row_of(activation: str) -> Op | None:
    """The row of the table for an activation; None for the linear one. Raises UsageError for other names."""
    if activation == LINEAR:
        return None
    row = find(activation)
    if row is None or row.arity != 1 or row.form != "call":
        hint = did_you_mean(activation, activations()) or "one of " + ", ".join(activations())
        raise UsageError(f"{activation} is not an activation, which is a function of one number", hint=hint)
    return row


def activations() -> list[str]:
    """The names that may stand for an activation."""
    return [LINEAR, *[name for name, row in FUNCTIONS.items() if row.arity == 1]]


def gain(activation: str) -> float:
    """The variance of the weights, in units of 1/inputs, with which outputs vary as much as inputs do.

    1 / mean of f(z)² for normal z: 2 for relu, 1 for none. Asked of the function itself, at 64 quantiles.
    """
    from statistics import NormalDist

    row, normal = row_of(activation), NormalDist()
    if row is None:
        return 1.0
    power = sum(row(normal.inv_cdf((i + 0.5) / 64)) ** 2 for i in range(64)) / 64
    return 1 / power if 0.01 < power < 100 else 1.0


# --------------------------------------------------------------------------- the network as a tape


def names(model: Module) -> list[str]:
    """The names of the parameters on the tape, in their order: w1, w2, ..."""
    return [f"w{number}" for number, _ in enumerate(model.parameters(), 1)]


def tape(
    model: Sequential, inputs: Sequence[str], *, loss: Loss | None = None, targets: Sequence[str] = (), output: int = 0
) -> Tape:
    """The network as a tape over `inputs`, the parameters (see `names`) and, with a loss, over the targets.

    Without a loss the tape gives the output of that number. Recorded by running the model once on Values.
    """
    weights = names(model)
    taken = [*inputs, *targets]
    if len({*taken, *weights}) < len(taken) + len(weights):
        raise UsageError(
            "inputs, targets and parameters of a tape need names of their own", hint="w1, w2, ... are taken"
        )
    given = {name: Value(0.0) for name in taken}
    with collection_paused():
        outputs = model([given[name] for name in inputs])
        if loss is not None:
            result = loss(outputs, [given[name] for name in targets])
        else:
            result = outputs[output] if isinstance(outputs, list) else outputs
        called = {value: name for name, value in given.items()}
        return record(result, called | dict(zip(model.parameters(), weights, strict=True)))


def numbers(model: Module) -> dict[str, float]:
    """The parameters by the names that they have on the tape."""
    return dict(zip(names(model), [parameter.data for parameter in model.parameters()], strict=True))


def load(model: Module, parameters: Iterable[float]) -> None:
    """Set the parameters, in their order."""
    for parameter, number in zip(model.parameters(), parameters, strict=True):
        parameter.data = float(number)
