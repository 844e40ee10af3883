"""The check of a gradient, and of a user's own derivatives, in every format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.calculus.check import Check, Verdict
from gradcli.calculus.expected import Expected
from gradcli.calculus.precise import available
from gradcli.errors import Source
from gradcli.text import json_number, json_numbers, rounded, shortest

from . import markdown
from .style import HEADING, INPUT, QUIET
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text

HEADER = ("", "", "reverse", "forward", "differences", "±", "50 digits", "digits")
REASONS = {
    "pass": ": all methods agree",
    "fail": ": the methods disagree; a derivative is wrong",
    "rounding": ": the rule is right, rounding has eaten the number: {}, really {}",
    "kink": ": the slopes to the left and to the right differ, at the point or close by",
}


class CheckView(NamedTuple):
    """The gradient of an expression by each method."""

    source: Source
    result: Check

    def plain(self) -> Iterator[Row]:
        """Name, status, and the derivative by each method."""
        for verdict in self.result.verdicts:
            numbers = [verdict.reverse, verdict.forward, verdict.differences.value]
            numbers += [verdict.precise.value] if verdict.precise is not None else []
            yield verdict.name, verdict.status, *numbers

    def json(self) -> dict[str, Any]:
        verdicts = self.result.verdicts
        methods = {
            "reverse": json_numbers({v.name: v.reverse for v in verdicts}),
            "forward": json_numbers({v.name: v.forward for v in verdicts}),
            "differences": json_numbers({v.name: v.differences.value for v in verdicts}),
            "differences_error": json_numbers({v.name: v.differences.error for v in verdicts}),
        }
        precise = json_numbers({v.name: v.precise.value for v in verdicts if v.precise is not None})
        return {
            "expression": self.source.text,
            "status": self.result.status,
            **({"reason": self._conclusion()} if self.result.status == "rounding" else {}),
            "methods": methods | ({"precise": precise} if precise else {}),
            "variables": {v.name: {"status": v.status, "digits": v.digits} for v in verdicts},
            **({"no_reference": list(self.result.no_reference)} if self.result.no_reference else {}),
        }

    def pretty(self, look: Look) -> Iterator[Text]:
        from .columns import aligned, line

        rows = [_cells(verdict, look.precision) for verdict in self.result.verdicts]
        yield from aligned(
            HEADER, rows, look.width, [INPUT, *[""] * 7], left=(0, 1), accented=("fail", "rounding", "kink")
        )
        yield line()
        yield line((self._conclusion(), HEADING))
        if self.result.no_reference:
            yield line((self._no_reference(), QUIET))
        if not available():
            yield line(("fifty-digit numbers too: pip install 'gradcli[check]'", QUIET))

    def markdown(self, look: Look) -> Iterator[str]:
        cells = [_cells(verdict, look.precision) for verdict in self.result.verdicts]
        rows = [[markdown.code(row[0]), *row[1:]] for row in cells]
        yield markdown.table(["variable", "status", *HEADER[2:]], rows, left=(0, 1))
        yield self._conclusion()
        if self.result.no_reference:
            yield self._no_reference()

    def _no_reference(self) -> str:
        return f"no independent reference for {', '.join(self.result.no_reference)}"

    def _conclusion(self) -> str:
        status = self.result.status
        worst = next((one for one in self.result.verdicts if one.status == status), None)
        numbers = [rounded(worst.reverse), rounded(worst.best.value, 3)] if worst else []
        return f"{status}{REASONS[status].format(*numbers)}"


def _cells(verdict: Verdict, precision: int) -> list[str]:
    precise = "" if verdict.precise is None else rounded(verdict.precise.value, precision)
    numbers = [rounded(number, precision) for number in (verdict.reverse, verdict.forward, verdict.differences.value)]
    error = verdict.differences.error
    about = f"{error:.0e}" if error else "0"
    agree = str(verdict.digits) if verdict.status != "kink" else ""
    return [verdict.name, verdict.status, *numbers, about, precise, agree]


class ExpectedView(NamedTuple):
    """A user's own derivatives beside ours; `point` is the user's."""

    source: Source
    point: Mapping[str, float]
    answers: Sequence[Expected]

    def plain(self) -> Iterator[Row]:
        """Name, right or wrong, theirs, ours; and the point as fields, where it is not the user's."""
        for answer in self.answers:
            elsewhere = [] if answer.point == self.point else [f"{n}={shortest(x)}" for n, x in answer.point.items()]
            yield answer.name, _verdict(answer), answer.theirs, answer.ours, *elsewhere

    def json(self) -> dict[str, Any]:
        variables = {
            answer.name: {
                "right": answer.right,
                "yours": json_number(answer.theirs),
                "ours": json_number(answer.ours),
                "at": json_numbers(answer.point),
            }
            for answer in self.answers
        }
        status = "pass" if all(answer.right for answer in self.answers) else "fail"
        return {"expression": self.source.text, "status": status, "expected": variables}

    def pretty(self, look: Look) -> Iterator[Text]:
        from .columns import aligned

        header, styles = ["", "", "yours", "ours", "at"], [INPUT, *[""] * 4]
        return aligned(header, self._cells(look), None, styles, left=(0, 1, 4), accented=("wrong",))

    def markdown(self, look: Look) -> Iterator[str]:
        rows = [[markdown.code(name), *cells, markdown.code(at)] for name, *cells, at in self._cells(look)]
        yield markdown.table(["derivative by", "", "yours", "ours", "at"], rows, left=(0, 1, 4))

    def _cells(self, look: Look) -> list[list[str]]:
        return [
            [
                answer.name,
                _verdict(answer),
                rounded(answer.theirs, look.precision),
                rounded(answer.ours, look.precision),
                ", ".join(f"{name} = {rounded(x, look.precision)}" for name, x in answer.point.items()),
            ]
            for answer in self.answers
        ]


def _verdict(answer: Expected) -> str:
    return "right" if answer.right else "wrong"
