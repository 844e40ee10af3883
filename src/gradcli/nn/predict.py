"""What a trained network says of rows: the label or the number, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gradcli.errors import UsageError
from gradcli.files import samples
from gradcli.files.cells import Row
from gradcli.files.samples import Table

from .features import INPUT, numpy
from .layers import Layers
from .model_file import Model


class Predictions(NamedTuple):
    """New columns, by name, of one cell per row: None in each for a row that could not be read.

    `problems` are the reasons, with file, line and column.
    """

    columns: dict[str, list[str | float | None]]
    problems: list[str]


class Regions(NamedTuple):
    """`grid[row][column]` is the class that is decided for, from the lower left to the upper right corner.

    `points` are the samples: x, y, the class that they have (-1: not known) and the one that is decided for.
    """

    names: tuple[str, str]
    classes: tuple[str, ...]
    limits: tuple[float, float, float, float]  # left, right, bottom, top
    grid: Sequence[Sequence[int]]
    points: Sequence[tuple[float, float, int, int]]


def outputs(model: Model, columns: Mapping[str, Any]) -> list[Any]:
    """The outputs of the network, each an array of one number per row, for columns scaled as the model has it."""
    found = Layers(model).scores(numpy().array(model.weights), columns)
    return [found[:, i] for i in range(model.sizes[-1])]


def decide(model: Model, scores: Sequence[Any]) -> dict[str, Any]:
    """From the outputs to columns: "prediction", and a measure of how sure it is.

    The score of hinge (beyond -1 or 1 it is sure), the probability of the second class of logistic, the
    probability of each class of softmax.
    """
    np = numpy()
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


def predict(model: Model, table: Table, prefix: str = "") -> Predictions:
    """The predictions for every row of a table that has the model's inputs among its columns.

    Raises UsageError for an input that has no column, and for a new column whose name is taken.
    """
    places = [samples.place(table, one.name) for one in model.inputs]
    read = [samples.numbers(table, row, places) for row in table.rows]
    good = [index for index, cells in enumerate(read) if not isinstance(cells, str)]
    found = decide(model, outputs(model, _scaled(model, [cells for cells in read if not isinstance(cells, str)])))
    columns: dict[str, list[str | float | None]] = {}
    for name, values in found.items():
        if prefix + name in table.header.cells:
            raise UsageError(
                f"{table.name} has a column {prefix + name} already", hint="--prefix net_ puts net_ before new names"
            )
        cells: list[str | float | None] = [None] * len(table.rows)
        for index, value in zip(good, values.tolist(), strict=True):
            cells[index] = value
        columns[prefix + name] = cells
    return Predictions(columns, [cells for cells in read if isinstance(cells, str)])


def _scaled(model: Model, rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    np = numpy()
    numbers = np.array(rows, dtype=float).reshape(len(rows), len(model.inputs))
    return {f"{INPUT}{i}": (numbers[:, i - 1] - one.mean) / one.spread for i, one in enumerate(model.inputs, 1)}


def regions(model: Model, table: Table, columns: int = 160, rows: int = 120) -> Regions:
    """What the network decides on a grid around the samples of a table, which has its two inputs.

    Samples whose label is not given or not known have the class -1, and bad rows are left out. Raises UsageError for
    a network with other than two inputs, or one of numbers.
    """
    np = numpy()
    if len(model.inputs) != 2 or not model.classes:
        what = f"{len(model.inputs)} inputs" if model.classes else "a number as target"
        raise UsageError(f"a picture of the decision needs two inputs and classes, and this network has {what}")
    places = [samples.place(table, one.name) for one in model.inputs]
    kept = [(row, cells) for row in table.rows if not isinstance(cells := samples.numbers(table, row, places), str)]
    points = [cells for _, cells in kept]
    left, right = _around([x for x, _ in points])
    bottom, top = _around([y for _, y in points])
    across = left + (right - left) * (np.arange(columns) + 0.5) / columns
    up = bottom + (top - bottom) * (np.arange(rows) + 0.5) / rows
    grid = _decided(model, [(x, y) for y in up for x in across]).reshape(rows, columns)
    decided = _decided(model, points)
    true = [_class_of(model, table, row) for row, _ in kept]
    found = [(x, y, is_, says) for (x, y), is_, says in zip(points, true, decided.tolist(), strict=True)]
    names = model.inputs[0].name, model.inputs[1].name
    return Regions(names, model.classes, (left, right, bottom, top), grid.tolist(), found)


def _decided(model: Model, rows: Sequence[Sequence[float]]) -> Any:
    """The number of the class that is decided for, per row."""
    np = numpy()
    scores = outputs(model, _scaled(model, rows))
    return np.array(scores).argmax(axis=0) if len(scores) > 1 else (scores[0] > 0).astype(int)


def _class_of(model: Model, table: Table, row: Row) -> int:
    name = model.target.name
    cell = row.cells[table.header.cells.index(name)].strip() if name in table.header.cells else ""
    return model.classes.index(cell) if cell in model.classes else -1


def _around(numbers: Sequence[float]) -> tuple[float, float]:
    low, high = min(numbers, default=-1.0), max(numbers, default=1.0)
    air = 0.1 * (high - low) or 1.0
    return low - air, high + air
