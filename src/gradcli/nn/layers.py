"""A network a layer at a time, over all rows: matrix products, and kernels for the activation and the loss.

The gradients are those of the tape, to rounding. A tape has a line for each weight, which is the faster program for a
small network and takes long to compile for a large one; this one starts at once whatever the size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.autodiff.engine import Value
from gradcli.autodiff.tape import Line, Tape, record
from gradcli.kernel import kernel

from . import modules
from .features import input_names, target_names
from .losses import Rule
from .model_file import Model

Columns = Mapping[str, Any]


class Score:
    """A rule of the outputs and the targets (a loss, or whether a row is right), as a kernel over rows."""

    def __init__(self, model: Model, rule: Rule, *, back_end: str = "numpy") -> None:
        count = model.sizes[-1]
        self._outputs, self._targets = [f"s{number}" for number in range(1, count + 1)], target_names(model)
        nodes = {name: Value(0.0) for name in [*self._outputs, *self._targets]}
        result = rule([nodes[name] for name in self._outputs], [nodes[name] for name in self._targets])
        tape = record(result, {node: name for name, node in nodes.items()})
        self._kernel = kernel.compile(tape, self._outputs, back_end=back_end, bound=list(nodes))

    def values(self, outputs: Any, columns: Columns) -> Any:
        """The number of each row, (rows,), for outputs (rows, outputs)."""
        return self._kernel(self._given(outputs, columns)).value

    def gradient(self, outputs: Any, columns: Columns) -> tuple[Any, Any]:
        """The number of each row, (rows,), and its derivatives by the outputs, (rows, outputs)."""
        result = self._kernel(self._given(outputs, columns))
        return result.value, np.column_stack([result.partials[name] for name in self._outputs])

    def _given(self, outputs: Any, columns: Columns) -> dict[str, Any]:
        named = {name: outputs[:, i] for i, name in enumerate(self._outputs)}
        return named | {name: columns[name] for name in self._targets}


class Layers:
    """The layers of a model; the weights are given with each call, as an array in the order of the model's."""

    def __init__(self, model: Model, *, back_end: str = "numpy") -> None:
        row = modules.row_of(model.activation)
        tape = None if row is None else Tape((Line(None, name="z"), Line(row, (0,))), 1)
        self._act = None if tape is None else kernel.compile(tape, ["z"], back_end=back_end, threads=1)
        self.back_end, self._inputs, self._sizes = back_end, input_names(model), model.sizes

    def scores(self, weights: Any, columns: Columns) -> Any:
        """The outputs, (rows, neurons of the last layer)."""
        with np.errstate(all="ignore"):  # a descent that diverges is noticed by its loss
            return self._forward(weights, columns)[0]

    def gradient(self, weights: Any, columns: Columns, score: Score) -> tuple[Any, Any]:
        """The loss of each row, (rows,), and the gradient by the weights, (weights,), summed over the rows."""
        with np.errstate(all="ignore"):
            out, passed = self._forward(weights, columns)
            values, upstream = score.gradient(out, columns)
            gradients = []
            for x, matrix, slope in reversed(passed):
                upstream = upstream if slope is None else upstream * slope
                gradients.append(np.column_stack([upstream.T @ x, upstream.sum(axis=0)]).ravel())
                upstream = upstream @ matrix
        return values, np.concatenate(gradients[::-1])

    def _forward(self, weights: Any, columns: Columns) -> tuple[Any, list[tuple[Any, Any, Any]]]:
        """The outputs, and of each layer its inputs, its weights, and the slopes of its activation (None: linear)."""
        x = np.column_stack([columns[name] for name in self._inputs])
        passed, start = [], 0
        for number, size in enumerate(self._sizes, 1):
            end = start + size * (x.shape[1] + 1)
            block = weights[start:end].reshape(size, -1)  # of each neuron its weights, then its bias
            matrix, start = block[:, :-1], end
            z = x @ matrix.T + block[:, -1]
            y, slope = (z, None) if number == len(self._sizes) else self._activated(z)
            passed.append((x, matrix, slope))
            x = y
        return x, passed

    def _activated(self, z: Any) -> tuple[Any, Any]:
        if self._act is None:
            return z, None
        result = self._act({"z": z.ravel()})
        return result.value.reshape(z.shape), result.partials["z"].reshape(z.shape)


def lines_of(inputs: int, sizes: Sequence[int]) -> int:
    """The number of lines of the network's tape, about: three for each weight."""
    before = [inputs, *sizes]
    return 3 * sum((n + 1) * m for n, m in zip(before, sizes, strict=False))
