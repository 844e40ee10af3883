"""Losses, which training makes small: a row for each, written on Values.

Each loss is of one sample. `scores` are the outputs of the network, `targets` what they should be:

    mse       a number          (score - target)²
    hinge     -1 or 1           a margin of at least 1 on the right side
    logistic  0 or 1            minus the log of the probability that the network gives to the truth
    softmax   1 for the class of the sample and 0 for the others; likewise
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from gradcli.autodiff.engine import Value
from gradcli.autodiff.ops import FUNCTIONS

Scores = Sequence[Value]
Rule = Callable[[Scores, Scores], Value]
_max, _logaddexp = FUNCTIONS["max"], FUNCTIONS["logaddexp"]


class Loss(NamedTuple):
    """A row: the loss, and 1 or 0 for a sample classified right or wrong (None where there are no classes).

    `negative` and `positive` stand for the two classes in the target; `many` says that each class has an output.
    """

    of: Rule
    right: Rule | None = None
    negative: float = 0.0
    positive: float = 1.0
    many: bool = False


def _softmax(scores: Scores, targets: Scores) -> Value:
    return reduce(_logaddexp, scores) - _of_class(scores, targets)


def _of_class(scores: Scores, targets: Scores) -> Value:
    """The score of the class that the sample has."""
    return sum((target * score for target, score in zip(targets, scores, strict=True)), Value(0.0))


LOSSES = {
    "mse": Loss(lambda s, t: (s[0] - t[0]) ** 2.0),
    "hinge": Loss(lambda s, t: (1 - t[0] * s[0]).relu(), lambda s, t: t[0] * s[0] > 0, negative=-1.0),
    "logistic": Loss(lambda s, t: s[0].softplus() - t[0] * s[0], lambda s, t: (2 * t[0] - 1) * s[0] > 0),
    "softmax": Loss(_softmax, lambda s, t: _of_class(s, t) >= _max(*s), many=True),
}


def targets(loss: str, labels: Sequence[str], classes: Sequence[str]) -> list[list[float]]:
    """The columns that stand for the labels: a single one, or with softmax one for each class."""
    row = LOSSES[loss]
    chosen = classes if row.many else classes[1:2]
    return [[row.positive if label == name else row.negative for label in labels] for name in chosen]
