"""Predictions of a trained network: the label or the number of each row, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.errors import UsageError
from gradcli.files.columns import Sheet, rows_of, texts_of
from gradcli.files.table import Bad, Results, Rows

from .features import scaled
from .layers import Layers
from .model_file import Model


class Regions(NamedTuple):
    """The decisions around samples: `grid[row][column]` is the class that is decided for, from the lower left to the upper right corner.

    `points` are the samples: x, y, the class that they have (-1: not known) and the one that is decided for.
    """

    names: tuple[str, str]
    classes: tuple[str, ...]
    limits: tuple[float, float, float, float]  # left, right, bottom, top
    grid: Sequence[Sequence[int]]
    points: Sequence[tuple[float, float, int, int]]


def outputs(model: Model, columns: Mapping[str, Any]) -> list[Any]:
    """The outputs of the network, each an array of one number per row, for columns scaled as the model has it."""
    scores = Layers(model).scores(np.array(model.weights), columns)
    return [scores[:, i] for i in range(model.sizes[-1])]


def decide(model: Model, scores: Sequence[Any]) -> dict[str, Any]:
    """From the outputs to columns: "prediction", and a measure of how sure it is.

    The score of hinge (beyond -1 or 1 it is sure), the probability of the second class of logistic, the
    probability of each class of softmax.
    """
    if not model.classes:
        return {"prediction": scores[0] * model.target.spread + model.target.mean}
    labels = np.array(model.classes, dtype=object)
    if model.loss == "hinge":
        return {"prediction": labels[(scores[0] > 0).astype(int)], "score": scores[0]}
    if model.loss == "logistic":
        probability = np.exp(-np.logaddexp(0.0, -scores[0]))
        return {"prediction": labels[(scores[0] > 0).astype(int)], "probability": probability}
    stacked = np.array(scores)
    shares = np.exp(stacked - np.logaddexp.reduce(stacked, axis=0))
    named = {f"p_{name}": share for name, share in zip(model.classes, shares, strict=True)}
    return {"prediction": labels[stacked.argmax(axis=0)]} | named


def new_columns(model: Model, prefix: str = "") -> dict[str, type]:
    """The names of the columns that predictions make; labels are texts."""
    columns = decide(model, [np.empty(0)] * model.sizes[-1])
    return {prefix + name: str if column.dtype == object else float for name, column in columns.items()}


def predict(model: Model, rows: Rows) -> Results:
    """The predictions for rows, which have the numbers of the model's inputs; a score that is nan makes a row bad."""
    inputs = [rows.numbers[column.name] for column in model.inputs]
    with np.errstate(invalid="ignore"):  # of infinite inputs
        scores = outputs(model, scaled(model, inputs))
        columns = decide(model, scores)
    bad = dict(rows.bad)
    for row in np.flatnonzero(np.isnan(scores).any(axis=0)).tolist():
        bad.setdefault(row, Bad("", "the network's output is not a number"))
    return Results(tuple(columns.values()), dict(sorted(bad.items())))


def regions(model: Model, sheet: Sheet, columns: int = 160, rows: int = 120) -> Regions:
    """The decisions of a network on a grid around the samples of a table, which has its two inputs.

    Samples whose label is not given or not known have the class -1, and bad rows are left out. Raises UsageError for
    a network with other than two inputs, or one of numbers.
    """
    if len(model.inputs) != 2 or not model.classes:
        what = f"{len(model.inputs)} inputs" if model.classes else "a number as target"
        raise UsageError(f"a picture of the decision needs two inputs and classes, and this network has {what}")
    x, y, true = _samples(model, sheet)
    left, right, bottom, top = limits = (*_around(x), *_around(y))
    across = left + (right - left) * (np.arange(columns) + 0.5) / columns
    up = bottom + (top - bottom) * (np.arange(rows) + 0.5) / rows
    grid = _decided(model, np.tile(across, rows), np.repeat(up, columns)).reshape(rows, columns)
    points = list(zip(x.tolist(), y.tolist(), true, _decided(model, x, y).tolist(), strict=True))
    names = model.inputs[0].name, model.inputs[1].name
    return Regions(names, model.classes, limits, grid.tolist(), points)


def _samples(model: Model, sheet: Sheet) -> tuple[Any, Any, list[int]]:
    """The two inputs of the rows that have finite numbers in both, and the class of each, -1 where it is not known."""
    rows = rows_of(sheet, [column.name for column in model.inputs])
    x, y = (rows.numbers[column.name] for column in model.inputs)
    good = np.isfinite(x) & np.isfinite(y)
    good[list(rows.bad)] = False
    target = model.target.name
    labels = texts_of(sheet, target) if target in sheet.table.names else [""] * rows.length
    classes = [model.classes.index(label) if label in model.classes else -1 for label in labels]
    return x[good], y[good], [classes[row] for row in np.flatnonzero(good).tolist()]


def _decided(model: Model, x: Any, y: Any) -> Any:
    """The number of the class that is decided for, per point."""
    scores = outputs(model, scaled(model, [x, y]))
    return np.array(scores).argmax(axis=0) if len(scores) > 1 else (scores[0] > 0).astype(int)


def _around(numbers: Any) -> tuple[float, float]:
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (-1.0, 1.0)
    air = 0.1 * (high - low) or 1.0
    return low - air, high + air
