"""How a gradient becomes a step: the optimizers, the learning rate, and what else can be chosen for a training run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gradcli.autodiff.tape import evaluate
from gradcli.errors import EvaluationError, FileError, Source, UsageError
from gradcli.language.parser import parse

Vector = Any  # a NumPy array of one number per weight
State = tuple[Vector, ...]  # what an optimizer remembers from step to step


class Options(NamedTuple):
    """How to descend.

    lr      the learning rate: an expression in `t` (0 at the start, 1 at the end), `step` and `steps`
    steps   the number of steps; going on from step 60 to 100 makes 40
    batch   rows for each step, drawn anew for each pass through them; None: all
    l2      adds l2 × the sum of the squares of all weights to the loss
    seed    of every draw
    validate  the share of the rows that is held back as a check
    """

    optimizer: str = "adam"
    lr: str = "0.02"
    steps: int = 200
    batch: int | None = None
    l2: float = 0.0
    seed: int = 0
    validate: float = 0.0


# --------------------------------------------------------------------------- how a gradient becomes a move
# Each takes the gradient, its own state and the number of the step, and gives the move for a rate of 1 and the state.

Optimizer = Callable[[Vector, State, int], tuple[Vector, State]]


def sgd(gradient: Vector, state: State, step: int) -> tuple[Vector, State]:
    """Straight downhill."""
    return gradient, ()


def momentum(gradient: Vector, state: State, step: int) -> tuple[Vector, State]:
    """Downhill with 0.9 of the last move added: quicker along a valley."""
    velocity = 0.9 * state[0] + gradient
    return velocity, (velocity,)


def adam(gradient: Vector, state: State, step: int) -> tuple[Vector, State]:
    """Each weight by its own measure: the mean of its gradients over the root of the mean of their squares."""
    mean = 0.9 * state[0] + 0.1 * gradient
    square = 0.999 * state[1] + 0.001 * gradient * gradient
    move = mean / (1 - 0.9 ** (step + 1)) / ((square / (1 - 0.999 ** (step + 1))) ** 0.5 + 1e-8)
    return move, (mean, square)


OPTIMIZERS: dict[str, tuple[Optimizer, int]] = {"sgd": (sgd, 0), "momentum": (momentum, 1), "adam": (adam, 2)}


# ------------------------------------------------------------------------------------- what is chosen

_SOUND: dict[str, Callable[[Any], bool]] = {
    "optimizer": lambda value: isinstance(value, str) and value in OPTIMIZERS,
    "lr": lambda value: isinstance(value, str),
    "steps": lambda value: _whole(value) and value > 0,
    "batch": lambda value: value is None or (_whole(value) and value > 0),
    "l2": lambda value: _real(value) and value >= 0,
    "seed": lambda value: _whole(value) and value >= 0,
    "validate": lambda value: _real(value) and 0 <= value < 1,
}


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _real(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def choose(given: Mapping[str, Any], kept: Mapping[str, Any], name: str) -> Options:
    """Each option as it was given (not None); else as `kept` in the model file `name`; else its default.

    Raises FileError for an option in the file that is none.
    """
    found = Options()._asdict() | {option: kept[option] for option in _SOUND if option in kept}
    for option, value in found.items():
        if not _SOUND[option](value):
            raise FileError(f'{name} is no model: "{option}" in "training" is not one')
    return Options(**found | {option: given[option] for option in found if given.get(option) is not None})


def schedule(options: Options) -> Callable[[int], float]:
    """The learning rate of each step. Raises UsageError for a name that is not t, step or steps."""
    source = Source(options.lr, "--lr")
    tape = parse(source, {"t", "step", "steps"})
    for name, line in tape.inputs.items():
        if name not in ("t", "step", "steps"):
            raise UsageError(
                f"--lr knows no {name}", source, tape.lines[line].span, "it may use t (from 0 to 1), step and steps"
            )

    def rate(step: int) -> float:
        number = evaluate(tape, {"t": step / options.steps, "step": float(step), "steps": float(options.steps)})
        if not 0 <= number < 1e300:
            raise EvaluationError(
                f"the learning rate of step {step} is {number:g}",
                source,
                (0, len(options.lr)),
                "it has to be a number above 0",
            )
        return number

    return rate
