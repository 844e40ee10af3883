"""The training loop: from the weights of a network, downhill.

    learner = Learner(model, columns)
    for point in descend(learner, model.weights, Options(steps=100)):
        print(point.step, point.loss)

One step is one run of the compiled kernel over all rows (or a batch of them) and one move of all weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from gradcli.errors import EvaluationError, UsageError
from gradcli.kernel import kernel
from gradcli.optimize.updates import UPDATES

from . import modules
from .features import input_names, target_names
from .layers import Layers, Score, lines_of
from .losses import LOSSES
from .model_file import Model
from .optimizers import Options, schedule

Columns = Mapping[str, Any]
Vector = Any  # a NumPy array of one number per weight
SHORT, MANY = 2500, 2000  # lines and rows: then compiling the tape pays


class Point(NamedTuple):
    """A point of the descent: the loss (with its l2 term) of these weights (n,), over all rows."""

    step: int
    loss: float
    weights: Vector
    state: tuple[Vector, ...]
    rate: float


# ------------------------------------------------------------------------------------------ the loss


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


# --------------------------------------------------------------------------------------- the descent


def descend(
    learner: Learner, weights: Any, options: Options, resume: Mapping[str, Any] | None = None
) -> Iterator[Point]:
    """The points of the descent: every step where all rows are used at once, else every pass through the rows.

    Raises EvaluationError where the rate is not a number above 0.
    """
    move, vectors = UPDATES[options.optimizer]
    here = np.array(weights, dtype=float)
    state = tuple([np.zeros(len(here)) for _ in range(vectors)])
    first = 0
    if resume:
        first, here = resume["step"], np.array(resume["weights"])
        state = tuple(map(np.array, resume["state"])) if len(resume["state"]) == vectors else state
    rate = schedule(options)
    every = 1 if options.batch is None else max(1, -(-learner.rows // options.batch))
    for step in range(first, options.steps):
        loss, gradient = learner.gradient(here, _batch(learner, options, step))
        if step % every == 0 or step == first:
            whole = loss if options.batch is None else learner.loss(here)
            yield Point(step, whole + _l2(here, options), here, state, rate(step))
        moved, state = move(gradient + 2 * options.l2 * here if options.l2 else gradient, state, step)
        here = here - rate(step) * moved
    yield Point(options.steps, learner.loss(here) + _l2(here, options), here, state, rate(options.steps))


def best_of(learner: Learner, model: Model, options: Options) -> Point | None:
    """The point that a model was saved with; None for a new one."""
    if not model.resume:
        return None
    weights, step = np.array(model.weights), model.training.get("step")
    loss = learner.loss(weights) + _l2(weights, options)
    return Point(step if isinstance(step, int) else 0, loss, weights, (), 0.0)


def _l2(weights: Vector, options: Options) -> float:
    return options.l2 * float(weights @ weights) if options.l2 else 0.0


def _batch(learner: Learner, options: Options, step: int) -> Columns | None:
    """The rows of a step: a slice of an order that is drawn for each pass, from the seed and its number alone."""
    if options.batch is None or options.batch >= learner.rows:
        return None
    passes, number = divmod(step, -(-learner.rows // options.batch))
    order = np.random.default_rng([options.seed, 2, passes]).permutation(learner.rows)
    chosen = order[number * options.batch : (number + 1) * options.batch]
    return {name: column[chosen] for name, column in learner.columns.items()}


# ------------------------------------------------------------------------------------- following it


class Outcome(NamedTuple):
    """The outcome of a descent: the best point, the last one, every loss, and the reason why it ended.

    `held` are the losses over the rows to check with, by which the best is chosen where there are any.
    `ended` is "done", "interrupted" or "diverged".
    """

    best: Point
    last: Point
    losses: list[tuple[int, float]]
    held: list[tuple[int, float]]
    ended: str


def follow(
    points: Iterable[Point],
    check: Callable[[Point], float] | None,
    tell: Callable[[Point, float | None], None],
    saved: Point | None = None,
) -> Outcome:
    """Run a descent to its end, to an interrupt (Ctrl-C) or to a loss that is not a number, and keep the best point.

    `check` gives the loss over the rows to check with; `tell` hears of every point; `saved` is the best so far, where
    the descent goes on from an earlier one.
    """
    losses: list[tuple[int, float]] = []
    held: list[tuple[int, float]] = []
    best, ended = None, "interrupted"
    if saved is not None:
        best = (saved.loss if check is None else check(saved)), saved
    last: Any = None
    with suppress(KeyboardInterrupt):
        for point in points:
            measure = point.loss if check is None else check(point)
            if not (math.isfinite(point.loss) and math.isfinite(measure)):
                ended = "diverged"
                break
            last = point
            losses.append((point.step, point.loss))
            held += [] if check is None else [(point.step, measure)]
            if best is None or measure < best[0]:
                best = measure, point
            tell(point, None if check is None else measure)
        else:
            ended = "done"
    if best is None or last is None:
        if ended == "interrupted":
            raise KeyboardInterrupt
        raise EvaluationError(
            "the loss is not a number with the first weights", hint="are the columns very large? leave --raw away"
        )
    return Outcome(best[1], last, losses, held, ended)


def figures(outcome: Outcome, learner: Learner, held: Any) -> dict[str, float]:
    """The figures of the best point by name; those of the rows held back where there are some."""
    best = outcome.best
    found: dict[str, float | None] = {"loss": best.loss, "accuracy": learner.accuracy(best.weights)}
    if held:
        found |= {
            "validation_loss": learner.loss(best.weights, held),
            "validation_accuracy": learner.accuracy(best.weights, held),
        }
    found |= {"step": best.step, "steps": outcome.last.step, "parameters": len(best.weights)}
    return {name: figure for name, figure in found.items() if figure is not None}


def check_steps_left(model: Model, options: Options, path: str) -> None:
    """Raise UsageError where the model in a file has done all its steps."""
    if model.resume["step"] >= options.steps:
        raise UsageError(f"{path} has done its {options.steps} steps", hint=f"--steps {2 * options.steps} goes on")
