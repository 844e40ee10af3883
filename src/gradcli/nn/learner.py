"""The loss of a network over rows, and its gradient by the weights.

    learner = Learner(model, columns)
    loss, gradient = learner.gradient(model.weights)

A run of the compiled kernel over all rows (or a batch of them), or of the network a layer at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradcli.errors import UsageError
from gradcli.kernel import kernel

from . import modules
from .features import input_names, target_names
from .layers import Layers, Score, lines_of
from .losses import LOSSES
from .model_file import Model

Columns = Mapping[str, Any]
Vector = Any  # a NumPy array of one number per weight
SHORT, MANY = 2500, 2000  # lines and rows: then compiling the tape pays


class Learner:
    """A network, its loss and rows to learn from, ready to be called.

    `back_end` "numpy" or "llvm" runs the tape of the network, which has a line for each weight, through that kernel;
    "layers" works a layer at a time, and starts at once; "auto" takes the tape where it is short and has many rows.
    Raises GradcliError where what it needs is not installed.
    """

    def __init__(self, model: Model, columns: Columns, *, back_end: str = "auto", batch: int | None = None) -> None:
        row = LOSSES[model.loss]
        self.columns = dict(columns)
        self.rows = len(next(iter(self.columns.values())))
        self._layers = Layers(model)
        self._score = Score(model, row.of)
        self._right = Score(model, row.right) if row.right else None
        self._tape: _OnTape | None = None
        short = lines_of(len(model.inputs), model.sizes) <= SHORT and min(batch or self.rows, self.rows) >= MANY
        if short or back_end not in ("auto", "layers"):
            self._tape = _OnTape(model, back_end)

    def gradient(self, weights: Vector, columns: Columns | None = None) -> tuple[float, Vector]:
        """The mean loss over the rows, and its gradient by the weights, (weights,)."""
        columns = columns or self.columns
        if self._tape is None:
            values, gradient = self._layers.gradient(weights, columns, self._score)
        else:
            values, gradient = self._tape.gradient(weights, columns)
        return float(values.mean()), gradient / len(values)

    def loss(self, weights: Vector, columns: Columns | None = None) -> float:
        """The mean loss over the rows."""
        columns = columns or self.columns
        return float(self._score.values(self._layers.scores(weights, columns), columns).mean())

    def accuracy(self, weights: Vector, columns: Columns | None = None) -> float | None:
        """The share of rows that are classified right; None where there are no classes."""
        if self._right is None:
            return None
        columns = columns or self.columns
        return float(self._right.values(self._layers.scores(weights, columns), columns).mean())


class _OnTape:
    """The loss of a row as one tape, compiled: the weights are scalars, the samples are columns."""

    def __init__(self, model: Model, back_end: str) -> None:
        network, rule = model.network(), LOSSES[model.loss].of
        self._names = modules.names(network)
        self._columns: Columns | None = None
        self._run: Callable[[Vector], tuple[Vector, Vector]] | None = None
        tape = modules.tape(
            network,
            input_names(model),
            loss=lambda scores, t: rule(scores if isinstance(scores, list) else [scores], t),
            targets=target_names(model),
        )
        self._kernel = kernel.compile(tape, self._names, back_end=back_end)

    def gradient(self, weights: Vector, columns: Columns) -> tuple[Vector, Vector]:
        """The loss of each row, (rows,), and the gradient by the weights, (weights,), summed over the rows."""
        if self._run is None or columns is not self._columns:  # the rows of a batch change, those of a descent do not
            self._columns, self._run = columns, self._kernel.sums(columns, self._names)
        losses_and_gradient: tuple[Vector, Vector] = self._run(weights)
        return losses_and_gradient


def split(columns: Columns, share: float, seed: int) -> tuple[Columns, Columns | None]:
    """Rows to learn from, and rows to check with (None for a share of 0), drawn at random.

    Raises UsageError if either would be empty.
    """
    rows = len(next(iter(columns.values())))
    held = round(rows * share)
    if share == 0:
        return columns, None
    if not 0 < held < rows:
        raise UsageError(
            f"--validate {share:g} of {rows} rows leaves nothing to {'learn from' if held else 'check with'}"
        )
    order = np.random.default_rng([seed, 1]).permutation(rows)
    learned, checked = np.sort(order[held:]), np.sort(order[:held])
    return {name: column[learned] for name, column in columns.items()}, {
        name: column[checked] for name, column in columns.items()
    }
