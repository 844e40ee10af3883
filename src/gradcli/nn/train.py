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
from gradcli.optimize.updates import UPDATES

from .learner import Columns, Learner, Vector
from .model_file import Model
from .optimizers import Options, schedule


class Point(NamedTuple):
    """A point of the descent: the loss (with its l2 term) of these weights (n,), over all rows."""

    step: int
    loss: float
    weights: Vector
    state: tuple[Vector, ...]
    rate: float


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
