"""From a table to what a network can learn: the columns that go in, and those that should come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gradcli.errors import FileError, UsageError
from gradcli.extras import load
from gradcli.files import samples
from gradcli.files.cells import quoted
from gradcli.files.samples import Table

from .losses import LOSSES, targets
from .model_file import Model, Scale
from .modules import MLP

INPUT, TARGET = "x", "t"  # columns on the tape are x1, x2, ... and t1, t2, ...: names in a file are anybody's


class Shape(NamedTuple):
    """What a network is made of; `loss` "" takes the one that suits the target."""

    hidden: tuple[int, ...] = (16, 16)
    activation: str = "relu"
    loss: str = ""
    standardize: bool = True
    seed: int = 0


def new_model(table: Table, target: str, inputs: Sequence[str] | None = None, shape: Shape | None = None) -> Model:
    """An untrained network for a table: by default every other column is an input.

    Raises UsageError for a column that is not there or a loss that does not go with the target, FileError for a
    cell that is no number.
    """
    shape = shape or Shape()
    samples.place(table, target)
    names = [name for name in table.header.cells if name != target] if inputs is None else list(inputs)
    if not names or target in names:
        raise UsageError(
            "there is no input: a network needs a column beside the target"
            if not names
            else f"{target} is the target and cannot be an input"
        )
    if len(table.rows) < 2:
        raise FileError(f"{table.name} has {len(table.rows)} rows: too few to learn from")
    labels = samples.labels(table, target)
    loss = shape.loss or _suits(labels)
    classes = _classes(table, target, labels, loss) if LOSSES[loss].right else ()
    columns = samples.columns(table, names)
    scales = tuple([scale(name, column, shape.standardize) for name, column in zip(names, columns, strict=True)])
    numbers = Scale(target) if classes else scale(target, samples.columns(table, [target])[0], shape.standardize)
    sizes = (*shape.hidden, len(classes) if LOSSES[loss].many else 1)
    network = MLP(len(names), sizes, shape.activation, seed=shape.seed)
    weights = tuple([parameter.data for parameter in network.parameters()])
    return Model(scales, numbers, classes, loss, network.layers[0].activation, sizes, weights, {}, {})  # type: ignore[union-attr]


def scale(name: str, column: Sequence[float], wanted: bool = True) -> Scale:
    """The mean and the standard deviation of a column; a column of one number is only shifted."""
    if not wanted:
        return Scale(name)
    from statistics import fmean

    mean = fmean(column)
    spread = fmean([(number - mean) * (number - mean) for number in column]) ** 0.5
    return Scale(name, mean, spread if spread > 0 else 1.0)


def _suits(labels: Sequence[str]) -> str:
    """The loss for a target: of two values, of several words, of numbers."""
    distinct = set(labels)
    if len(distinct) <= 2:
        return "logistic"
    return "mse" if all(samples.number(label) is not None for label in distinct) else "softmax"


def _classes(table: Table, target: str, labels: Sequence[str], loss: str) -> tuple[str, ...]:
    """The labels in order: numbers by size, words by the alphabet."""
    distinct = list(dict.fromkeys(labels))
    values = [samples.number(label) for label in distinct]
    if None in values:
        classes = sorted(distinct)
    else:
        classes = [label for _, label in sorted(zip(values, distinct, strict=True))]
    if len(classes) < 2:
        raise FileError(
            f"{table.name}, column {target}: every row has the same label {quoted(classes[0], samples.MARK)}"
        )
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


def columns_of(model: Model, table: Table, *, labelled: bool = True) -> dict[str, Any]:
    """The columns of a table by their names on the tape, as arrays: scaled inputs, and the targets if `labelled`.

    Raises FileError for a cell that is no number, and for a label that the model does not know.
    """
    np = numpy()
    found = {}
    read = samples.columns(table, [one.name for one in model.inputs])
    for number, (one, column) in enumerate(zip(model.inputs, read, strict=True), 1):
        found[f"{INPUT}{number}"] = (np.array(column) - one.mean) / one.spread
    if labelled:
        for number, column in enumerate(_targets(model, table), 1):
            found[f"{TARGET}{number}"] = np.array(column)
    return found


def _targets(model: Model, table: Table) -> list[list[float]]:
    target = model.target
    if not model.classes:
        (column,) = samples.columns(table, [target.name])
        return [[(number - target.mean) / target.spread for number in column]]
    labels = samples.labels(table, target.name)
    for row, label in zip(table.rows, labels, strict=True):
        if label not in model.classes:
            known = ", ".join(model.classes[:8])
            raise FileError(
                f"{table.name} line {row.line}, column {target.name}: {quoted(label, samples.MARK)} is none of the classes {known}"
            )
    return targets(model.loss, labels, model.classes)


def numpy() -> Any:
    """The module NumPy. Raises GradcliError, with the extra to install, where it is not."""
    return load("numpy", "batch", "a network needs NumPy, which is not installed")


def input_names(model: Model) -> list[str]:
    """What the tape calls the inputs."""
    return [f"{INPUT}{number}" for number, _ in enumerate(model.inputs, 1)]


def target_names(model: Model) -> list[str]:
    """What the tape calls the targets."""
    return [f"{TARGET}{number}" for number in range(1, model.sizes[-1] + 1)]
