"""The graph as a tree: the output at the top, below each node its operands, with value and gradient in columns.

A node that has the label of another one has its number too. A node that several others use is drawn where it is met first; later it is a mention, with an arrow back. A branch
that grows too deep for the width is set off, and drawn from the left margin again below.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import escape, rounded, shortened
from gradcli.trace.arithmetic import data
from gradcli.trace.names import marked
from gradcli.trace.trace import Node, Trace

from .style import ACCENT, CONSTANT, DATA, GRAD, HEADING, INPUT, OPERATION, QUIET

LEAST_LABEL = 8  # cells; where the numbers leave less, they stand on lines of their own
MOST_ROWS = 400  # beyond this a tree cannot be read: the gradient is shown, and how to get the rest


def tree(trace: Trace, *, width: int | None, precision: int) -> Iterator[Text]:
    """The lines of the tree, then the value and the partial derivatives."""
    if len(trace.nodes) <= MOST_ROWS:
        yield from _lines(list(rows(marked(trace), width)), width, precision)
    else:
        yield Text(
            f"{len(trace.nodes)} nodes: too many for a tree here; --trace --format plain lists every step", style=QUIET
        )
    yield Text()
    yield from summary(trace, precision)


def summary(trace: Trace, precision: int) -> Iterator[Text]:
    """The result: the value, and a line for each variable."""
    names = {name: f"d/d{name}" for name in trace.gradient}
    title = trace.title or "value"
    pad = max(map(cell_len, [title, *names.values()]))
    yield Text.assemble(
        (title, HEADING), " " * (pad - cell_len(title)), "  ", (rounded(trace.value, precision), f"bold {DATA}")
    )
    for name, partial in trace.gradient.items():
        label = names[name]
        yield Text.assemble((label, INPUT), " " * (pad - cell_len(label)), "  ", (rounded(partial, precision), GRAD))


Row = tuple[str, Node | None, str]  # the guide lines, the node, and the words in place of its numbers


def rows(trace: Trace, width: int | None) -> Iterator[Row]:
    """The rows of the tree: "=" says that this is the row with the node's numbers."""
    deepest = 10 if width is None else max(3, (width - 44) // 4)
    drawn: set[int] = set()
    later = [trace.output]
    while later:
        root = later.pop(0)
        if root != trace.output:
            yield "", None, ""
        stack: list[tuple[int, str, str, int]] = [(root, "", "", 0)]
        while stack:
            index, lead, below, depth = stack.pop()
            node = trace.nodes[index]
            if index in drawn:
                yield lead, node, "" if node.kind == "constant" else "↑ above"
                continue
            if depth >= deepest and node.operands:
                yield lead, node, "↓ below"
                if index not in later:
                    later.append(index)
                continue
            drawn.add(index)
            yield lead, node, "="
            operands = list(dict.fromkeys(node.operands))  # x*x shows x once
            for position, operand in reversed(list(enumerate(operands))):
                last = position == len(operands) - 1
                stack.append(
                    (operand, below + ("└── " if last else "├── "), below + ("    " if last else "│   "), depth + 1)
                )


def _lines(rows: list[Row], width: int | None, precision: int) -> Iterator[Text]:
    """The rows with their numbers in columns at the right, or, where these leave no room for a label, below it."""
    numbers = [numbers_of(node, says, precision) for _, node, says in rows]
    sizes = max(5, *[len(value) for value, _ in numbers]), max(4, *[len(grad) for _, grad in numbers])
    room = (width or 10**6) - sum(sizes) - 4
    beside = room >= max(cell_len(lead) + min(LEAST_LABEL, len(label_of(node, 10**6))) for lead, node, _ in rows)
    room = room if beside else width or 10**6
    labels = [label_of(node, room - cell_len(lead) - (0 if says == "=" else 9)) for lead, node, says in rows]
    left = max(cell_len(lead + label) for (lead, _, _), label in zip(rows, labels, strict=True)) if beside else 0
    header, quiet = ("value", "grad"), (QUIET, QUIET)
    yield from [_numbers(left, header, sizes, quiet)] if beside else _below(header, sizes, width or 10**6, quiet)
    for (lead, node, says), label, pair in zip(rows, labels, numbers, strict=True):
        line = _labelled(lead, node, label, says)
        if beside and says == "=":
            yield line.append_text(_numbers(left - cell_len(line.plain), pair, sizes))
        else:
            yield line
            yield from _below(pair, sizes, width or 10**6) if says == "=" else []


def numbers_of(node: Node | None, says: str, precision: int) -> tuple[str, str]:
    """Value and gradient for the row of a node, "" where they are not shown."""
    if node is None or says != "=":
        return "", ""
    return data(node, precision), "" if node.grad is None else rounded(node.grad, precision)


def _numbers(gap: int, pair: tuple[str, str], sizes: tuple[int, int], styles: tuple[str, str] = (DATA, GRAD)) -> Text:
    (value, grad), (value_width, grad_width) = pair, sizes
    return Text.assemble(
        " " * (gap + 2), (value.rjust(value_width), styles[0]), "  ", (grad.rjust(grad_width), styles[1])
    )


def _below(
    pair: tuple[str, str], sizes: tuple[int, int], width: int, styles: tuple[str, str] = (DATA, GRAD)
) -> Iterator[Text]:
    """Value and gradient in columns at the right margin, on a line of their own or on two."""
    if sum(sizes) + 2 <= width:
        yield _numbers(width - sum(sizes) - 4, pair, sizes, styles)
    else:
        yield from (Text(number.rjust(width), style=style) for number, style in zip(pair, styles, strict=True))


def _labelled(lead: str, node: Node | None, label: str, says: str) -> Text:
    """The guide lines and the label of a row, and the words in place of its numbers."""
    line = Text.assemble((lead, QUIET))
    if node is None:
        return line
    line.append(label.removesuffix(node.mark), style=style_of(node)).append(node.mark, style=QUIET)
    if says != "=":
        line.append(f"  {says}", style=ACCENT if node.kind == "op" else QUIET)
    return line


def label_of(node: Node | None, room: int) -> str:
    """The label of a node in its row with its mark, cut to `room` cells; "" without a node."""
    if node is None:
        return ""
    room = max(LEAST_LABEL, room) - len(node.mark)
    if node.name and node.kind != "op":
        return shortened(node.name, room) + node.mark
    prefix = f"{node.name} = " if node.name else ""
    return escape(prefix + shortened(node.text, max(LEAST_LABEL, room - cell_len(prefix)))) + node.mark


def cut(label: str, mark: str, room: int) -> tuple[str, str]:
    """The label and the mark of a node, cut to `room` cells: the label first."""
    mark = mark if cell_len(mark) + 1 <= room else ""
    return shortened(label, room - cell_len(mark)) if room > 0 else "", mark


def style_of(node: Node) -> str:
    """The style of a node's label, by its kind."""
    return {"input": INPUT, "constant": CONSTANT, "op": OPERATION}[node.kind]
