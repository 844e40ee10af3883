"""The choices of a training run: the optimizer, the learning rate as an expression of the step, and the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gradcli.autodiff.tape import evaluate
from gradcli.errors import EvaluationError, FileError, Source, UsageError
from gradcli.language.parser import parse
from gradcli.optimize.updates import UPDATES


class Options(NamedTuple):
    """The choices of a descent.

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


# ------------------------------------------------------------------------------------- the choices checked

_SOUND: dict[str, Callable[[Any], bool]] = {
    "optimizer": lambda value: isinstance(value, str) and value in UPDATES,
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

    Raises FileError for an option in the file whose value is not allowed.
    """
    before = Options()._asdict() | {option: kept[option] for option in _SOUND if option in kept}
    for option, value in before.items():
        if not _SOUND[option](value):
            raise FileError(f'{name} is not a model: "{option}" in "training" is not right')
    return Options(**before | {option: given[option] for option in before if given.get(option) is not None})


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
