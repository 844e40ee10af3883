"""Value and gradient at many points: every combination of the ranges that are given for names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from gradcli.autodiff.tape import Tape
from gradcli.errors import EvaluationError, Source
from gradcli.language.bindings import Binding, check_wrt, require
from gradcli.language.parser import parse
from gradcli.language.ranges import read_ranges
from gradcli.text import shortest

from .gradient import Gradient, gradient

EVENLY = 11  # points of a range that does not say how many


class At(NamedTuple):
    """The answer at a point: the variables that change, and value and partials there."""

    changing: Mapping[str, float]
    gradient: Gradient

    @property
    def numbers(self) -> list[float]:
        """The variables that change, the value, the partials."""
        return [*self.changing.values(), self.gradient.value, *self.gradient.partials.values()]


def points(
    source: Source, arguments: Sequence[str], wrt: Sequence[str] | None = None, *, alone: bool = False
) -> tuple[Tape, list[At], dict[str, Binding]]:
    """The tape, the points, and the values that do not change; `alone` leaves the derivatives out.

    Raises what reading the arguments and the expression raises: UsageError and ParseError, with the place.
    """
    ranges, bindings = read_ranges(arguments)
    tape = parse(source, {*ranges, *bindings})
    require(tape, {**ranges, **bindings})
    names = list(tape.inputs) if wrt is None else list(wrt)
    check_wrt(tape, names, {**ranges, **bindings})
    fixed = {name: binding.value for name, binding in bindings.items()}
    answers = []
    for numbers in product(*[range_.spread(EVENLY) for range_ in ranges.values()]):
        changing = dict(zip(ranges, numbers, strict=True))
        answers.append(At(changing, gradient(tape, {**fixed, **changing}, wrt=[] if alone else names)))
    return tape, answers, bindings


def check_values(answers: Sequence[At]) -> None:
    """Raise EvaluationError if there are points without a value."""
    without = [point.changing for point in answers if point.gradient.value != point.gradient.value]
    if without:
        first = ", ".join(f"{name}={shortest(number)}" for name, number in without[0].items())
        what = "is not a number" if len(without) == 1 else f"are not numbers, the first at {first}"
        raise EvaluationError(
            f"{len(without)} of {len(answers)} values {what}", hint=f"gradcli eval with {first} says why"
        )
