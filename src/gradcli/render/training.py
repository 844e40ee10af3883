"""A training run, in every format: the answer of `train`, and the lines of its progress."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.text import rounded

from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text

    from gradcli.nn.train import Outcome, Point

REPORTS = 10  # lines of progress, where they do not overwrite each other


class TrainingView(NamedTuple):
    """The outcome of a training run, and the figures of its best point by name."""

    outcome: Outcome
    figures: Mapping[str, float]

    def plain(self) -> Iterator[Row]:
        """Name and figure."""
        return iter(self.figures.items())

    def json(self) -> dict[str, Any]:
        return {"ended": self.outcome.ended, **self.figures}

    def pretty(self, look: Look) -> Iterator[Text]:
        from .columns import line
        from .losses import loss_curve

        yield from loss_curve(self.outcome.losses, self.outcome.held, self.outcome.best.step, look.width)
        for name, figure in self.figures.items():
            yield line((f"{name.replace('_', ' '):<20} {rounded(figure)}", ""))


def next_report(step: int, steps: int) -> int:
    """The step at which the next line of progress is due, where lines do not overwrite each other."""
    return step + max(1, steps // REPORTS)


def progress(point: Point, steps: int, accuracy: float | None, held: float | None, done: int, seconds: float) -> str:
    """A line of progress: step, loss, accuracy, loss on the rows held back, rate, and steps in a second."""
    parts = [f"step {point.step}/{steps}", f"loss {rounded(point.loss, 4)}"]
    parts += [] if accuracy is None else [f"accuracy {100 * accuracy:.1f} %"]
    parts += [] if held is None else [f"held back {rounded(held, 4)}"]
    parts += [f"lr {rounded(point.rate, 3)}", f"{done / max(seconds, 1e-9):.0f} steps/s"]
    return "  ".join(parts)
