"""Neural networks: neurons and layers of Values, losses, the training loop, prediction, the model file."""

from .modules import (
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
    row_of,
    tape,
)

__all__ = [
    "MLP",
    "Layer",
    "Module",
    "Neuron",
    "Residual",
    "Sequential",
    "activations",
    "gain",
    "load",
    "names",
    "numbers",
    "row_of",
    "tape",
]
