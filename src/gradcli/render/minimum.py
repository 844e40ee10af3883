"""A minimum, in every format: the answer of `minimize`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.errors import Source
from gradcli.optimize.minimum import Minimum
from gradcli.text import counted, json_number, json_numbers, rounded
from gradcli.trace.diagnostics import Diagnostic

from . import markdown
from .json import diagnostic_record
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text


class MinimumView(NamedTuple):
    """The minimum, and with `with_trace` the way there; `title` is the name of the value, if it has one."""

    source: Source
    minimum: Minimum
    title: str
    diagnostics: Sequence[Diagnostic]
    with_trace: bool = False

    def plain(self) -> Iterator[Row]:
        """`=` or the output's name, value, 1; then name, value and derivative of each variable. Or the steps."""
        minimum = self.minimum
        if self.with_trace:
            yield "step", "value", *minimum.point, "gradient"
            yield from (
                (str(i), iterate.value, *iterate.point.tolist(), iterate.steepness)
                for i, iterate in enumerate(minimum.path)
            )
            return
        yield self.title or "=", minimum.value, 1.0
        yield from ((name, x, minimum.gradient[name]) for name, x in minimum.point.items())

    def json(self) -> dict[str, Any]:
        minimum = self.minimum
        content: dict[str, Any] = {
            "expression": self.source.text,
            "value": json_number(minimum.value),
            "point": json_numbers(minimum.point),
            "gradient": json_numbers(minimum.gradient),
            "verdict": minimum.verdict,
            "converged": minimum.verdict != "not converged",
            "criterion": minimum.criterion,
            "bounds": json_numbers(minimum.bounds),
            "eigenvalues": [json_number(x) for x in minimum.eigenvalues],
            "steps": len(minimum.path) - 1,
            "evaluations": minimum.evaluations,
            "diagnostics": [diagnostic_record(diagnostic, self.source) for diagnostic in self.diagnostics],
        }
        return content | ({"trace": list(self._steps())} if self.with_trace else {})

    def _steps(self) -> Iterator[dict[str, Any]]:
        for number, iterate in enumerate(self.minimum.path):
            yield {
                "step": number,
                "value": json_number(iterate.value),
                "point": json_numbers(dict(zip(self.minimum.point, iterate.point.tolist(), strict=True))),
                "gradient": json_number(iterate.steepness),
            }

    def pretty(self, look: Look) -> Iterator[Text]:
        from .descent import lines

        return lines(self.minimum, width=look.width, precision=look.precision, with_trace=self.with_trace)

    def markdown(self, look: Look) -> Iterator[str]:
        minimum = self.minimum
        rows = [
            [markdown.code(name), rounded(x, look.precision), rounded(minimum.gradient[name], look.precision)]
            for name, x in minimum.point.items()
        ]
        rows.append([markdown.code(self.title) or "value", rounded(minimum.value, look.precision), ""])
        yield markdown.table([markdown.code(self.source.text), "value", "gradient"], rows)
        yield verdict(minimum)


def verdict(minimum: Minimum) -> str:
    """The sentence that says what there is at the end, by which criterion, and after how many steps and evaluations."""
    count = f"({counted(len(minimum.path) - 1, 'step')}, {counted(minimum.evaluations, 'evaluation')})"
    return f"{minimum.verdict}: {minimum.criterion} {count}"


def remarks(minimum: Minimum, precision: int, smaller_rate: float | None) -> Iterator[str]:
    """Bounds that were reached, a way down from a saddle, and that a rate smaller than the one given may help."""
    for name, bound in minimum.bounds.items():
        yield f"{name} ends on its bound {rounded(bound, precision)}"
    if minimum.direction:
        along = ", ".join(f"{name} by {rounded(x, 3)}" for name, x in minimum.direction.items() if x)
        yield f"hint: the value falls along a line: move {along}, and start there"
    if smaller_rate is not None:
        yield f"hint: try a --rate smaller than {rounded(smaller_rate)}"
    elif minimum.method == "lbfgs" and minimum.verdict == "not converged":
        yield "hint: try --method newton, which has the exact second derivatives"
