"""The trace as a table to follow with a pencil: the forward pass, then the backward pass as the engine fires.

A line of the backward pass reads: local derivative × upstream gradient = contribution, and what the operand's
gradient was before and is after `+=`. A second arrival at a node stands out. A node has its number before its text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import enclosed, escape, rounded, shortened
from gradcli.trace.arithmetic import computed, data, product, sum_
from gradcli.trace.names import numbered
from gradcli.trace.trace import Step, Trace

from .folding import folded, folded_line
from .style import ACCENT, DATA, GRAD, HEADING, INPUT, QUIET
from .tree import summary

FORWARD = ("step", "#", "node", "computed", "value")
BACKWARD = ("step", "#", "node", "#", "to", "local", "", "× upstream", "= contribution", "grad")
RIGHT = ("step", "#", "", "value", "× upstream", "= contribution")  # columns of numbers, to the right
STYLES = {"step": QUIET, "#": QUIET, "to": INPUT, "value": DATA, "grad": GRAD}
FLEXIBLE = ("node", "to", "local")  # columns of text; the others hold numbers
LEGIBLE = 12  # cells; a text that is shortened further says nothing, and the rows are stacked
Cells = tuple[list[str], bool]  # the cells of a row, and True if it is to stand out


def table(trace: Trace, *, width: int | None, precision: int) -> Iterator[Text]:
    """The lines of both tables, then the value and the partial derivatives."""
    forward = [(forward_cells(trace, step, precision), False) for step in trace.steps if step.operand is None]
    backward = [
        (backward_cells(trace, step, precision), bool(step.total_before))
        for step in trace.steps
        if step.operand is not None
    ]
    yield Text("forward: each node from its operands", style=HEADING)
    yield from _aligned(FORWARD, forward, width) if _fits(FORWARD, forward, width) else _forward(forward, width or 80)
    yield Text()
    yield from folded_line(Text(_heading(trace, width), style=HEADING), width)
    yield from (
        _aligned(BACKWARD, backward, width) if _fits(BACKWARD, backward, width) else _backward(backward, width or 80)
    )
    yield Text()
    yield from summary(trace, precision)


def _heading(trace: Trace, width: int | None) -> str:
    heading = f"backward: from {escape(shortened(trace.nodes[trace.output].label, 20))}, whose gradient is 1"
    arithmetic = ": local × upstream = contribution"
    return heading + arithmetic if width is None or cell_len(heading + arithmetic) <= width else heading


def forward_cells(trace: Trace, step: Step, precision: int) -> list[str]:
    """The cells of a step of the forward pass: number, node's number, node, how it is computed, value."""
    node = trace.nodes[step.node]
    text = f"{node.name} = {node.text}" if node.name and node.kind == "op" else node.label
    return [str(step.step), numbered(node), text, computed(trace, node, precision), data(node, precision)]


def backward_cells(trace: Trace, step: Step, precision: int) -> list[str]:
    """The cells of a step of the backward pass: number, both nodes with their numbers, local derivative (formula and
    number), upstream, contribution, gradient. An ≈ before a contribution says that the numbers shown give another."""
    assert step.operand is not None and step.local is not None and step.upstream is not None
    assert step.contribution is not None and step.total is not None and step.total_before is not None
    node, operand = trace.nodes[step.node], trace.nodes[step.operand]
    local, upstream, total = (rounded(number, precision) for number in (step.local, step.upstream, step.total))
    _, sign, part = product([step.local, step.upstream], step.contribution, precision)
    added = "".join(sum_(step.total_before, step.contribution, step.total, precision)) if step.total_before else total
    formula = "" if step.formula == local else step.formula
    ends = [numbered(node), node.label, numbered(operand), operand.label]
    return [str(step.step), *ends, formula, local, upstream, part if sign == " = " else f"≈ {part}", added]


def _widths(header: Sequence[str], rows: list[Cells]) -> list[int]:
    columns = zip(header, *[[escape(" ".join(cell.split())) for cell in row] for row, _ in rows], strict=True)
    return [max(map(cell_len, column)) for column in columns]


def _fits(header: Sequence[str], rows: list[Cells], width: int | None) -> bool:
    """True if the table has room with its texts shortened as far as they stay legible."""
    widths = [
        min(size, LEGIBLE) if name in FLEXIBLE else size
        for name, size in zip(header, _widths(header, rows), strict=True)
    ]
    return width is None or _total(header, widths) <= width


def _total(header: Sequence[str], widths: Sequence[int]) -> int:
    return sum(widths) + sum(map(_gap, header[:-1]))


def _gap(name: str) -> int:
    """The cells between a column and the next: two, and one around the number of a node, which belongs to its text."""
    return 1 if name in ("step", "#") else 2


def _forward(rows: list[Cells], width: int) -> Iterator[Text]:
    """Each step of the forward pass on lines of its own, where the columns have no room."""
    for (step, number, node, how, value), _ in rows:
        yield _titled(step, width, (number, node, ""))
        yield from _numbers(escape(how), value, DATA, width)


def _backward(rows: list[Cells], width: int) -> Iterator[Text]:
    """Each step of the backward pass on lines of its own: from where to where, and the arithmetic below."""
    for (step, number, node, to, operand, formula, local, upstream, part, total), stands_out in rows:
        yield _titled(step, width, (number, node, ""), (to, operand, INPUT))
        sign = "" if part.startswith("≈") else "= "
        sum_ = f"{enclosed(local)} × {enclosed(upstream)} {sign}{part}"
        grad = f"grad {total}"
        beside = width - 12 - len(grad) - len(sum_)
        room = beside if beside >= -2 else width - 8 - len(sum_)
        shown = f"{shortened(escape(formula), max(8, room))}: " if formula and room >= 8 else ""
        yield from _numbers(shown + sum_, grad, ACCENT if stands_out else GRAD, width)


def _titled(step: str, width: int, *nodes: tuple[str, str, str]) -> Text:
    """The number of a step and its nodes, each with its number."""
    line = Text.assemble((f"{step:>4}", QUIET), "  ")
    room = (width - 6 - 3 * (len(nodes) - 1)) // len(nodes)
    for index, (number, text, style) in enumerate(nodes):
        line.append(" → " if index else "", style=QUIET)
        line.append(shortened(escape(text), max(1, room - len(number) - 1)), style=style)
        line.append(f" {number}", style=QUIET)
    return line


def _numbers(left: str, right: str, style: str, width: int) -> Iterator[Text]:
    """Two texts below a step, the second at the right margin; on lines of their own where there is no room for both."""
    gap = width - 6 - cell_len(left) - cell_len(right)
    if gap >= 2:
        yield Text.assemble(" " * 6, left, " " * gap, (right, style))
        return
    yield from (Text(" " * 6 + line) for line in folded(left, width - 6))
    yield from (Text(line.rjust(width), style=style) for line in folded(right, width - 6))


def _aligned(header: Sequence[str], rows: list[Cells], width: int | None) -> Iterator[Text]:
    """Rows in columns. Where the width is too small the texts are shortened in the middle, the numbers never."""
    widths = _widths(header, rows)
    flexible = [i for i, name in enumerate(header) if name in FLEXIBLE]
    while width is not None and _total(header, widths) > width:
        widths[max(flexible, key=lambda i: widths[i])] -= 1
    yield _line([Text(name, style=QUIET) for name in header], header, widths)
    for row, stands_out in rows:
        cells = [escape(" ".join(cell.split())) for cell in row]
        texts = [
            Text(shortened(cell, widths[i]) if i in flexible else cell, style=STYLES.get(header[i], ""))
            for i, cell in enumerate(cells)
        ]
        texts[-1].style = ACCENT if stands_out else texts[-1].style
        yield _line(texts, header, widths)


def _line(texts: list[Text], header: Sequence[str], widths: list[int]) -> Text:
    line = Text()
    for i, (text, size) in enumerate(zip(texts, widths, strict=True)):
        pad = " " * (size - cell_len(text.plain))
        line.append_text(Text.assemble(pad, text) if header[i] in RIGHT else Text.assemble(text, pad))
        line.append(" " * _gap(header[i]) if i < len(texts) - 1 else "")
    return line
