"""From a table to what a network can learn: the columns that go in, and those that should come out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from gradcli.errors import FileError, UsageError
from gradcli.files.cells import cell_number, quoted
from gradcli.files.columns import NOT_FINITE, Sheet, labels_of, numbers_of, rows_of
from gradcli.files.streams import name_of
from gradcli.files.table import check_titles, complaint, line
from gradcli.language.scope import normal

from .losses import LOSSES, targets
from .model_file import Model, Scale
from .modules import MLP

INPUT, TARGET = "x", "t"  # columns on the tape are x1, x2, ... and t1, t2, ...: names in a file may be any


class Shape(NamedTuple):
    """The parts of a network; `loss` "" takes the one that suits the target."""

    hidden: tuple[int, ...] = (16, 16)
    activation: str = "relu"
    loss: str = ""
    standardize: bool = True
    seed: int = 0


def new_model(sheet: Sheet, target: str, inputs: Sequence[str] | None = None, shape: Shape | None = None) -> Model:
    """An untrained network for a table: by default every other column is an input.

    Raises UsageError for a column that is not there or a loss that does not go with the target, FileError for a
    cell that is not a number.
    """
    shape, target = shape or Shape(), normal(target)
    check_titles(sheet.table, [target])
    names = [name for name in sheet.table.names if name != target] if inputs is None else list(map(normal, inputs))
    _check_inputs(names, target)
    labels = labels_of(sheet, target)
    if len(labels) < 2:
        raise FileError(f"{name_of(sheet.table.path)} has {len(labels)} rows: too few to learn from")
    _check_labels(sheet, target, labels, chosen=bool(shape.loss))
    loss = shape.loss or _suits(labels)
    classes = _classes(sheet, target, labels, loss) if LOSSES[loss].right else ()
    columns = numbers_of(sheet, names)
    scales = tuple([scale(name, column, shape.standardize) for name, column in zip(names, columns, strict=True)])
    numbers = Scale(target) if classes else scale(target, numbers_of(sheet, [target])[0], shape.standardize)
    sizes = (*shape.hidden, len(classes) if LOSSES[loss].many else 1)
    network = MLP(len(names), sizes, shape.activation, seed=shape.seed)
    weights = tuple([parameter.data for parameter in network.parameters()])
    return Model(scales, numbers, classes, loss, network.layers[0].activation, sizes, weights, {}, {})  # type: ignore[union-attr]


def _check_inputs(names: Sequence[str], target: str) -> None:
    if not names:
        raise UsageError("there is no input: a network needs a column beside the target")
    if target in names:
        raise UsageError(f"{target} is the target and cannot be an input")


def _check_labels(sheet: Sheet, target: str, labels: Sequence[str], *, chosen: bool) -> None:
    """Raise FileError for the first cell that is not a finite number in a target of numbers.

    With words in it too, it is a target of numbers unless the user has chosen a loss.
    """
    read = {label: cell_number(label) for label in dict.fromkeys(labels)}
    words = {label for label, number in read.items() if isinstance(number, str)}
    if len(words) == len(read) or (words and chosen):
        return
    for row, label in enumerate(labels):
        number = read[label]
        reason = number if isinstance(number, str) else "" if math.isfinite(number) else f"{label} {NOT_FINITE}"
        if reason:
            what = complaint(line(sheet.table, rows_of(sheet), row), target, reason)
            raise FileError(what, hint="--loss softmax takes words and numbers for labels" if words else "")


def scale(name: str, column: Any, wanted: bool = True) -> Scale:
    """The mean and the standard deviation of a column; a column of one number is only shifted."""
    if not wanted:
        return Scale(name)
    numbers = column.tolist()
    mean = fmean(numbers)
    spread = fmean([(number - mean) * (number - mean) for number in numbers]) ** 0.5
    return Scale(name, mean, spread if spread > 0 else 1.0)


def _suits(labels: Sequence[str]) -> str:
    """The loss for a target: of two values, of several words, of numbers."""
    distinct = set(labels)
    if len(distinct) <= 2:
        return "logistic"
    return "softmax" if isinstance(cell_number(labels[0]), str) else "mse"


def _classes(sheet: Sheet, target: str, labels: Sequence[str], loss: str) -> tuple[str, ...]:
    """The labels in order: numbers by size, words by the alphabet."""
    distinct = list(dict.fromkeys(labels))
    values = [cell_number(label) for label in distinct]
    if any(isinstance(value, str) for value in values):
        classes = sorted(distinct)
    else:
        classes = [label for _, label in sorted(zip(values, distinct, strict=True))]
    if len(classes) < 2:
        same = f"every row has the same label {quoted(classes[0])}"
        raise FileError(f"{name_of(sheet.table.path)}: column {target}: {same}")
    if len(classes) > 2 and not LOSSES[loss].many:
        raise UsageError(
            f"{loss} tells two classes apart, and {target} has {len(classes)}",
            hint="--loss softmax takes any number; --loss mse takes numbers",
        )
    if len(classes) > 100:
        raise UsageError(
            f"{target} has {len(classes)} different labels: too many classes", hint="--loss mse learns numbers"
        )
    return tuple(classes)


def columns_of(model: Model, sheet: Sheet) -> dict[str, Any]:
    """The columns of a table by their names on the tape, as arrays: scaled inputs, and the targets.

    Raises FileError for a cell that is not a number, and for a label that the model does not know.
    """
    columns = scaled(model, numbers_of(sheet, [column.name for column in model.inputs]))
    return columns | dict(zip(target_names(model), _targets(model, sheet), strict=True))


def scaled(model: Model, inputs: Sequence[Any]) -> dict[str, Any]:
    """The inputs by their names on the tape, to the scale of the model."""
    pairs = zip(model.inputs, inputs, strict=True)
    return dict(zip(input_names(model), [(x - column.mean) / column.spread for column, x in pairs], strict=True))


def _targets(model: Model, sheet: Sheet) -> list[Any]:
    target = model.target
    if not model.classes:
        return [(column - target.mean) / target.spread for column in numbers_of(sheet, [target.name])]
    labels = labels_of(sheet, target.name)
    for row, label in enumerate(labels):
        if label not in model.classes:
            what = f"{quoted(label)} is none of the classes {', '.join(model.classes[:8])}"
            raise FileError(complaint(line(sheet.table, rows_of(sheet), row), target.name, what))
    return [np.array(column) for column in targets(model.loss, labels, model.classes)]


def input_names(model: Model) -> list[str]:
    """The names of the inputs on the tape."""
    return [f"{INPUT}{number}" for number, _ in enumerate(model.inputs, 1)]


def target_names(model: Model) -> list[str]:
    """The names of the targets on the tape."""
    return [f"{TARGET}{number}" for number in range(1, model.sizes[-1] + 1)]
