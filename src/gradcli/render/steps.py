"""The trace as a table to follow with a pencil: the forward pass, then the backward pass as the engine fires.

A line of the backward pass reads: local derivative × upstream gradient = contribution, and what the operand's
gradient was before and is after `+=`. A second arrival at a node stands out.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import enclosed, escape, rounded, shortened
from gradcli.trace.trace import Node, Step, Trace
from gradcli.trace.wording import TABLE, worded

from .style import ACCENT, GRAD, HEADING, INPUT, QUIET
from .tree import summary

FLEXIBLE = ("node", "to", "local", "computed")  # columns of text; the others hold numbers
Cells = tuple[list[str], bool]  # the cells of a row, and True if it is to stand out


def table(trace: Trace, *, width: int | None, precision: int) -> Iterator[Text]:
    """The lines of both tables, then the value and the partial derivatives."""
    forward = [step for step in trace.steps if step.direction == "forward"]
    backward = [step for step in trace.steps if step.direction == "backward"]
    yield Text("forward: each node from its operands", style=HEADING)
    yield from _aligned(
        ["step", "node", "computed", "value"],
        [(forward_cells(trace, step, precision), False) for step in forward],
        width,
        right={0, 3},
    )
    yield Text()
    seed = _label(trace, trace.output)
    heading = f"backward: from {seed}, whose gradient is 1"
    arithmetic = ": local × upstream = contribution"
    fits = width is None or cell_len(heading + arithmetic) <= width
    yield Text(heading + arithmetic if fits else heading, style=HEADING)
    header = ["step", "node", "to", "local", "", "× upstream", "= contribution", "grad"]
    rows = [(backward_cells(trace, step, precision), bool(step.total_before)) for step in backward]
    if width is None or _narrowest(header, rows) <= width:
        yield from _aligned(header, rows, width, right={0, 4, 5, 6})
    else:
        yield from _stacked(rows, width)
    yield Text()
    yield from summary(trace, precision)


def _label(trace: Trace, index: int) -> str:
    return shortened(trace.nodes[index].label, 20)


def forward_cells(trace: Trace, step: Step, precision: int) -> list[str]:
    """The cells of a step of the forward pass: number, node, how it is computed, value."""
    node = trace.nodes[step.node]
    text = f"{node.name} = {node.text}" if node.name and node.kind == "op" else node.label
    return [str(step.step), text, computed(trace, node, precision), rounded(node.data, precision)]


def computed(trace: Trace, node: Node, precision: int) -> str:
    """The computation of a node: the operation with the numbers it met."""
    numbers = [rounded(trace.nodes[index].data, precision) for index in node.operands]
    if node.kind != "op":
        return "given" if node.kind == "input" else "constant"
    return worded(node.op, numbers, TABLE)


def backward_cells(trace: Trace, step: Step, precision: int) -> list[str]:
    """The cells of a step of the backward pass: number, node, operand, local (formula and number), upstream, contribution, grad."""
    assert step.operand is not None and step.local is not None and step.upstream is not None
    assert step.contribution is not None and step.total is not None and step.total_before is not None
    local, upstream, part = (rounded(number, precision) for number in (step.local, step.upstream, step.contribution))
    total = rounded(step.total, precision)
    sign = "-" if part.startswith("-") else "+"
    added = (
        f"{rounded(step.total_before, precision)} {sign} {part.lstrip('-')} = {total}" if step.total_before else total
    )
    formula = "" if step.formula == local else step.formula
    return [
        str(step.step),
        trace.nodes[step.node].label,
        trace.nodes[step.operand].label,
        formula,
        local,
        upstream,
        part,
        added,
    ]


LEGIBLE = 12  # a text that is shortened further than this says nothing


def _narrowest(header: list[str], rows: list[Cells]) -> int:
    """The width of the table with its texts shortened as far as they stay legible."""
    columns = zip(header, *(row for row, _ in rows), strict=True)
    widths = [max(map(cell_len, column)) for column in columns]
    return sum(min(w, LEGIBLE) if name in FLEXIBLE else w for name, w in zip(header, widths, strict=True)) + 2 * (
        len(header) - 1
    )


def _stacked(rows: list[Cells], width: int) -> Iterator[Text]:
    """Each step on two lines, where the columns have no room: from where to where, and the arithmetic below."""
    for (step, node, operand, formula, local, upstream, part, total), stands_out in rows:
        half = (width - 12) // 2
        yield Text.assemble(
            (f"{step:>4}", QUIET),
            "  ",
            shortened(escape(node), half),
            (" → ", QUIET),
            (shortened(escape(operand), half), INPUT),
        )
        grad = f"grad {total}"
        sum_ = f"{local} × {enclosed(upstream)} = {part}"
        room = width - 12 - len(grad) - len(sum_)
        shown = f"{shortened(escape(formula), max(8, room))}: " if formula and room >= 8 else ""
        gap = max(2, width - 6 - cell_len(shown) - len(sum_) - len(grad))
        yield Text.assemble(" " * 6, shown, sum_, " " * gap, (grad, ACCENT if stands_out else GRAD))


def _aligned(header: list[str], rows: list[Cells], width: int | None, right: set[int]) -> Iterator[Text]:
    """Rows in columns. Where the width is too small the texts are shortened in the middle, the numbers never."""
    cells = [[escape(" ".join(cell.split())) for cell in row] for row, _ in rows]
    widths = [max(cell_len(cell) for cell in column) for column in zip(header, *cells, strict=True)]
    flexible = [i for i, name in enumerate(header) if name in FLEXIBLE]
    if width is not None:
        while sum(widths) + 2 * (len(widths) - 1) > width and any(widths[i] > 6 for i in flexible):
            widths[max(flexible, key=lambda i: widths[i])] -= 1
    yield _line([Text(name, style=QUIET) for name in header], widths, right)
    for row, (_, stands_out) in zip(cells, rows, strict=True):
        texts = [Text(shortened(cell, widths[i]) if i in flexible else cell) for i, cell in enumerate(row)]
        texts[-1].stylize(ACCENT if stands_out else GRAD)
        texts[0].stylize(QUIET)
        if header[2] == "to":
            texts[2].stylize(INPUT)
        yield _line(texts, widths, right)


def _line(texts: list[Text], widths: list[int], right: set[int]) -> Text:
    line = Text()
    for i, (text, size) in enumerate(zip(texts, widths, strict=True)):
        pad = " " * (size - cell_len(text.plain))
        line.append_text(Text.assemble(pad, text) if i in right else Text.assemble(text, pad))
        line.append("  " if i < len(texts) - 1 else "")
    return line
