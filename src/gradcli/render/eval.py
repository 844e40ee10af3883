"""Value and gradient at a point, in every format: the answer of `eval`, with the passes where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.text import escape, rounded, shortest
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.trace import Trace

from . import markdown
from .json import node_record, result, step_record
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text

    from gradcli.calculus.additions import Additions

COLUMNS = ("step", "pass", "node", "text", "op", "operand", "local", "upstream", "contribution", "total", "value")


class EvalView(NamedTuple):
    """Both passes at a point, as a "tree", a "trace" or a "summary"; `added` are the additions that were asked for."""

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

    def markdown(self, look: Look) -> Iterator[str]:
        if self.shown == "trace":
            yield from _passes(self.trace, look)
        yield _summary(self.trace, look)
        if self.added is not None:
            from .additions import blocks

            yield from blocks(self.added, look)


class NumberView(NamedTuple):
    """One number of an answer, alone; as JSON the whole answer."""

    number: float
    whole: EvalView

    def plain(self) -> Iterator[Row]:
        yield (self.number,)

    def json(self) -> dict[str, Any]:
        return self.whole.json()

    def pretty(self, look: Look) -> Iterator[Text]:
        from rich.text import Text

        yield Text(shortest(self.number))

    def markdown(self, look: Look) -> Iterator[str]:
        yield shortest(self.number)


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


# -------------------------------------------------------------------------------------------------------- Markdown


def _summary(trace: Trace, look: Look) -> str:
    rows = [[markdown.code(trace.title) or "value", "", rounded(trace.value, look.precision)]]
    for name, partial in trace.gradient.items():
        given = rounded(trace.bindings[name], look.precision) if name in trace.bindings else ""
        rows.append([markdown.code(name), given, rounded(partial, look.precision)])
    header = [markdown.code(trace.source.text), "at", "value, derivative"]
    return markdown.table(header, rows)


def _passes(trace: Trace, look: Look) -> Iterator[str]:
    from .steps import BACKWARD, FORWARD, backward_cells, forward_cells

    forward = [step for step in trace.steps if step.operand is None]
    backward = [step for step in trace.steps if step.operand is not None]
    yield "Forward: each node from its operands."
    rows = [forward_cells(trace, step, look.precision) for step in forward]
    yield markdown.table(
        FORWARD,
        [[step, number, markdown.code(node), markdown.plain(how), value] for step, number, node, how, value in rows],
        left=(2, 3),
    )
    yield f"Backward: local × upstream = contribution, from {markdown.code(trace.nodes[trace.output].label)}, whose gradient is 1."
    cells = [backward_cells(trace, step, look.precision) for step in backward]
    yield markdown.table(
        BACKWARD,
        [[markdown.code(cell) if i in (2, 4, 5) else escape(cell) for i, cell in enumerate(row)] for row in cells],
        left=(2, 4, 5),
    )
