"""The loss of a training run over its steps, in the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.text import Text

from .canvas import DASHED, SOLID, Canvas, Limits, framed, room, title
from .style import ACCENT, DATA, GRAD, QUIET

Losses = Sequence[tuple[int, float]]


def loss_curve(losses: Losses, held: Losses, best: int, width: int | None) -> Iterator[Text]:
    """Both curves over the steps, on a logarithmic scale where they fall far; the best step is marked."""
    heights = [loss for _, loss in [*losses, *held]]
    log = min(heights) > 0 and max(heights) > 20 * min(heights)
    scaled = [[(float(step), math.log10(loss) if log else loss) for step, loss in curve] for curve in (losses, held)]
    low, high = min(y for curve in scaled for _, y in curve), max(y for curve in scaled for _, y in curve)
    margin = (high - low) * 0.03 or max(abs(high), 1.0) * 0.1
    first, last = losses[0][0], losses[-1][0]
    canvas = Canvas(*room(width), Limits(first, max(last, first + 1), low - margin, high + margin))
    canvas.line(scaled[1], GRAD, DASHED)
    canvas.line(scaled[0], DATA, SOLID)
    lowest = dict(scaled[1] or scaled[0]).get(float(best))
    if lowest is not None:
        canvas.text(best, lowest, "●", ACCENT)
    legend = [("━ loss", DATA), ("╍ loss on the rows held back", GRAD)] if held else [("loss over the steps", DATA)]
    yield title([*legend, (f"● best, at step {best}", QUIET)])
    yield from framed(canvas, log=log)
