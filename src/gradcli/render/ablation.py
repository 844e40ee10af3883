"""The right gradient beside that of an engine that lacks something, in every format; and the node where the two part."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.text import escape, json_number, json_numbers, rounded
from gradcli.trace.ablation import Ablation
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import Trace

from . import markdown
from .json import result
from .path_texts import label
from .style import ACCENT, GRAD, HEADING, INPUT, QUIET
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text

SAYING = {
    "accumulation": "without accumulation: grad = local × upstream, where grad += is right",
    "order": "without order: each node calls its operands, where topological order is right",
}


class AblationView(NamedTuple):
    """Both gradients, the first node that is wrong, and why."""

    trace: Trace
    ablation: Ablation
    diagnostics: Sequence[Diagnostic]

    def plain(self) -> Iterator[Row]:
        """Name, right and wrong derivative of each variable; then `!`, the first wrong node, both its gradients, the reason.

        The wrong number is empty where the engine would not end; the last row is missing where nothing is wrong.
        """
        wrong = self.ablation.gradient
        for name, right in self.trace.gradient.items():
            yield name, right, None if wrong is None else wrong[name]
        if self.ablation.first is not None:
            yield "!", label(self.trace, self.ablation.first), self._right(), self._wrong(), self.ablation.reason

    def json(self) -> dict[str, Any]:
        """The result, the wrong gradient (null where the engine would not end), the first wrong node."""
        ablation = self.ablation
        fields = {
            "without": ablation.without,
            "wrong": None if ablation.gradient is None else json_numbers(ablation.gradient),
            "first": None if ablation.first is None else self._first(ablation.first),
            "reason": ablation.reason,
        }
        return result(self.trace, self.diagnostics, fields)

    def _first(self, first: int) -> dict[str, Any]:
        node, wrong = self.trace.nodes[first], self._wrong()
        numbers = {"right": json_number(self._right()), "wrong": None if wrong is None else json_number(wrong)}
        return {"id": first, "name": node.name, "text": node.text} | numbers

    def pretty(self, look: Look) -> Iterator[Text]:
        from .columns import line

        yield line((SAYING[self.ablation.without], HEADING))
        yield from self._table(look)
        if self.ablation.first is not None:
            yield line(
                ("first wrong: ", ""), (label(self.trace, self.ablation.first), HEADING), (self._numbers(look), "")
            )
        for text in textwrap.wrap(escape(self.ablation.reason), look.width or 10**6, break_on_hyphens=False):
            yield line((text, ""))

    def _table(self, look: Look) -> Iterator[Text]:
        from rich.cells import cell_len

        from .columns import line

        rows = self._cells(look)
        pad, first, second = (max(map(cell_len, column)) for column in zip(("", "right", "wrong"), *rows, strict=True))
        yield line((f"{' ' * pad}  {'right'.rjust(first)}  {'wrong'.rjust(second)}", QUIET))
        for name, right, wrong in rows:
            style = QUIET if right == wrong else ACCENT
            pad_name = name + " " * (pad - cell_len(name))
            yield line(
                (pad_name, INPUT), ("  ", ""), (right.rjust(first), GRAD), ("  ", ""), (wrong.rjust(second), style)
            )

    def markdown(self, look: Look) -> Iterator[str]:
        yield markdown.plain(SAYING[self.ablation.without])
        rows = [[markdown.code(name), right, wrong] for name, right, wrong in self._cells(look)]
        yield markdown.table(["", "right", "wrong"], rows)
        yield markdown.plain(self.ablation.reason)

    def _cells(self, look: Look) -> list[tuple[str, str, str]]:
        wrong = self.ablation.gradient
        return [
            (
                f"d/d{name}",
                rounded(right, look.precision),
                "never" if wrong is None else rounded(wrong[name], look.precision),
            )
            for name, right in self.trace.gradient.items()
        ]

    def _numbers(self, look: Look) -> str:
        wrong = self._wrong()
        if wrong is None:
            return ""
        return f", {rounded(wrong, look.precision)} in place of {rounded(self._right(), look.precision)}"

    def _wrong(self) -> float | None:
        """The gradient that the first wrong node would have received; None where the engine would not end."""
        grads, first = self.ablation.grads, self.ablation.first
        return None if grads is None or first is None else grads.get(first, 0.0)

    def _right(self) -> float:
        first = self.ablation.first
        return 0.0 if first is None else self.trace.nodes[first].grad or 0.0
