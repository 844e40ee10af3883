"""Value and gradient at a point, in every format: the answer of `eval`, with the passes where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.text import shortest
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import Trace

from .json import node_record, result, step_record
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text

    from gradcli.calculus.additions import Additions

COLUMNS = ("step", "pass", "node", "text", "op", "operand", "local", "upstream", "contribution", "total", "value")


class EvalView(NamedTuple):
    """Both passes at a point, as a "tree", a "trace" or a "summary"; `added` is what was asked for besides."""

    trace: Trace
    diagnostics: Sequence[Diagnostic]
    shown: str = "tree"
    added: Additions | None = None

    def plain(self) -> Iterator[Row]:
        """`=` or the output's name, value, 1, then name, value and gradient of each variable; or the steps."""
        if self.shown == "trace":
            yield from steps(self.trace)
        elif self.added is None:
            yield from _result(self.trace)
        if self.added is not None:
            from .additions import rows

            yield from rows(self.added)

    def json(self) -> dict[str, Any]:
        content = result(self.trace, self.diagnostics, self._added())
        if self.shown == "trace":
            content["nodes"] = [node_record(node) for node in self.trace.nodes]
            content["steps"] = [step_record(step) for step in self.trace.steps]
        return content

    def _added(self) -> dict[str, Any]:
        if self.added is None:
            return {}
        from .additions import fields

        return fields(self.added)

    def pretty(self, look: Look) -> Iterator[Text]:
        yield from self._picture(look)
        if self.added is not None:
            from .additions import lines

            yield from lines(self.added, look)

    def _picture(self, look: Look) -> Iterator[Text]:
        if self.shown == "trace":
            from .steps import table

            return table(self.trace, width=look.width, precision=look.precision)
        from .tree import summary, tree

        if self.shown == "summary":
            return summary(self.trace, look.precision)
        return tree(self.trace, width=look.width, precision=look.precision)


class NumberView(NamedTuple):
    """One number of the answer, alone; as JSON the whole answer."""

    number: float
    whole: EvalView

    def plain(self) -> Iterator[Row]:
        yield (self.number,)

    def json(self) -> dict[str, Any]:
        return self.whole.json()

    def pretty(self, look: Look) -> Iterator[Text]:
        from rich.text import Text

        yield Text(shortest(self.number))


def _result(trace: Trace) -> Iterator[Row]:
    yield trace.title or "=", trace.value, "1"
    for name, partial in trace.gradient.items():
        yield name, trace.bindings[name], partial


def steps(trace: Trace) -> Iterator[Row]:
    """A header, then a row for each step of both passes; a cell that does not apply is empty."""
    yield COLUMNS
    for step in trace.steps:
        node = trace.nodes[step.node]
        operand = "" if step.operand is None else _one_line(trace.nodes[step.operand].label)
        numbers = (step.local, step.upstream, step.contribution, step.total, step.value)
        yield str(step.step), step.direction, str(node.id), _one_line(node.label), node.op, operand, *numbers


def _one_line(text: str) -> str:
    return " ".join(text.split())
