"""Neurons, layers, networks: on Values as in the walkthrough, and the same numbers through the kernel."""

import math
import random

import pytest

from gradcli.autodiff.engine import Value
from gradcli.autodiff.tape import graph
from gradcli.errors import UsageError
from gradcli.nn import (
    MLP,
    Layer,
    Module,
    Neuron,
    Residual,
    Sequential,
    activations,
    gain,
    load,
    names,
    numbers,
    tape,
)

SAMPLES = [([2.0, 3.0, -1.0], 1.0), ([3.0, -1.0, 0.5], -1.0), ([0.5, 1.0, 1.0], -1.0), ([1.0, 1.0, -1.0], 1.0)]


def test_the_four_line_loop():
    model = MLP(3, [4, 4, 1], "tanh", seed=1)
    losses = []
    for _ in range(60):
        loss = sum((model(x) - y) ** 2 for x, y in SAMPLES)
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= 0.05 * p.grad
        losses.append(loss.data)
    assert losses[-1] < 0.01 < losses[0]
    assert all(model(x).data * y > 0.8 for x, y in SAMPLES)


def test_a_neuron_is_a_weighted_sum_through_its_activation():
    neuron = Neuron(2, "tanh", rng=random.Random(1))
    load(neuron, [0.5, -2.0, 0.25])
    out = neuron([3.0, 1.0])
    assert out.data == math.tanh(0.5 * 3 - 2 + 0.25)
    out.backward()
    slope = 1 - math.tanh(-0.25) ** 2
    assert [p.grad for p in neuron.parameters()] == pytest.approx([3 * slope, slope, slope], rel=1e-15)


def test_sizes_and_reprs():
    model = MLP(2, [16, 16, 1])
    assert len(model.parameters()) == 337
    assert repr(model) == "MLP(Layer(2 -> 16, relu), Layer(16 -> 16, relu), Layer(16 -> 1, linear))"
    assert repr(model.layers[0].neurons[0]) == "Neuron(2, relu)"
    assert repr(Residual(Layer(2, 2, "tanh"))) == "Residual(Layer(2 -> 2, tanh))"
    assert isinstance(model([1.0, 2.0]), Value) and len(MLP(2, [3])([1.0, 2.0])) == 3
    assert Module().parameters() == []


def test_the_seed_fixes_the_weights():
    one, two, other = (numbers(MLP(2, [3, 1], seed=seed)) for seed in (5, 5, 6))
    assert one == two != other
    assert list(one) == names(MLP(2, [3, 1])) == [f"w{i}" for i in range(1, 14)]
    assert one["w1"] == pytest.approx(0.42999796381, abs=1e-11)  # the same on every machine


@pytest.mark.parametrize("name", ["sincos", "", "atan2", "max", "+", "if"])
def test_what_is_no_activation(name):
    with pytest.raises(UsageError, match="not an activation"):
        Neuron(2, name)


@pytest.mark.parametrize("activation", activations())
def test_every_activation_of_the_table_can_be_had(activation):
    out = Neuron(2, activation, rng=random.Random(3))([0.5, 0.25])
    out.backward()
    assert isinstance(out.data, float) and gain(activation) > 0


@pytest.mark.parametrize(("activation", "expected"), [("relu", 2), ("linear", 1), ("tanh", 2.54), ("abs", 1)])
def test_the_gain_keeps_the_spread(activation, expected):
    assert gain(activation) == pytest.approx(expected, rel=0.03)


def test_signals_keep_their_size_through_layers():
    rng = random.Random(0)
    model = Sequential(*[Layer(60, 60, "relu", rng=rng) for _ in range(6)])
    out = model([rng.gauss(0, 1) for _ in range(60)])
    assert 0.2 < math.sqrt(sum(v.data**2 for v in out) / 60) < 3


def test_the_wrong_number_of_inputs():
    with pytest.raises(ValueError, match=r"shorter|longer"):
        MLP(2, [1])([1.0])


def hinge(score, targets):
    return (1 - targets[0] * score).relu()


def test_the_tape_is_the_network():
    model = MLP(2, [4, 1], "tanh", seed=2)
    written = tape(model, ["x", "y"])
    assert set(written.inputs) == {"x", "y", *names(model)}
    found = graph(written, {"x": 0.5, "y": -1.0} | numbers(model))
    assert found[written.output].data == model([0.5, -1.0]).data
    two = MLP(2, [4, 2], "tanh", seed=2)
    second = tape(two, ["x", "y"], output=1)
    assert graph(second, {"x": 0.5, "y": -1.0} | numbers(two))[second.output].data == two([0.5, -1.0])[1].data


def test_a_name_that_a_weight_has():
    with pytest.raises(UsageError, match="names of their own"):
        tape(MLP(1, [1]), ["w1"])
    with pytest.raises(UsageError, match="names of their own"):
        tape(MLP(2, [1]), ["x", "x"])


@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
def test_the_kernel_gives_the_losses_and_gradients_of_the_values(activation):
    numpy = pytest.importorskip("numpy")
    from gradcli.kernel.kernel import compile

    rng = random.Random(7)
    samples = [([rng.gauss(0, 1), rng.gauss(0, 1)], rng.choice([-1.0, 1.0])) for _ in range(40)]
    model = MLP(2, [6, 5, 1], activation, seed=3)
    losses = [hinge(model(x), [y]) for x, y in samples]
    sum(losses).backward()
    kernel = compile(tape(model, ["x", "y"], loss=hinge, targets=["t"]), names(model))
    columns = {"x": [x[0] for x, _ in samples], "y": [x[1] for x, _ in samples], "t": [t for _, t in samples]}
    found = kernel({name: numpy.array(column) for name, column in columns.items()} | numbers(model))
    assert numpy.allclose(found.value, [loss.data for loss in losses], rtol=1e-13, atol=1e-15)
    grads = [parameter.grad for parameter in model.parameters()]
    assert numpy.allclose([found.partials[name] for name in names(model)], grads, rtol=1e-11, atol=1e-13)


def test_fifty_residual_layers_train():
    rng = random.Random(4)
    blocks = [Residual(Layer(3, 3, "tanh", rng=rng)) for _ in range(50)]
    for block in blocks:
        load(block, [rng.gauss(0, 0.2) for _ in block.parameters()])  # a deep sum starts near the identity
    model = Sequential(Layer(2, 3, "linear", rng=rng), *blocks, Layer(3, 1, "linear", rng=rng))
    samples = [((x, y), 0.5 if x * y > 0 else -0.5) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    losses = []
    for _ in range(40):
        loss = sum((model(x)[0] - y) ** 2 for x, y in samples)
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= 0.005 * p.grad
        losses.append(loss.data)
    assert losses[-1] < 0.1 < losses[0]
    assert all(model(x)[0].data * y > 0 for x, y in samples)


def test_a_network_of_two_thousand_layers_is_no_trouble():
    model = Sequential(*[Residual(Layer(1, 1, "linear", rng=random.Random(1))) for _ in range(2000)])
    for block in model.layers:
        load(block, [1e-4, 0.0])
    x = Value(1.0)
    model([x])[0].backward()
    assert x.grad == pytest.approx((1 + 1e-4) ** 2000, rel=1e-12)
