"""The graph as a tree: the output at the top, below each node its operands, with value and gradient in columns.

A node that several others use is drawn where it is met first; later it is a mention, with an arrow back. A branch
that grows too deep for the width is set off, and drawn from the left margin again below.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import escape, rounded, shortened
from gradcli.trace.trace import Node, Trace

from .style import ACCENT, CONSTANT, GRAD, HEADING, INPUT, OPERATION, QUIET

LARGEST_TEXT = 40
MOST_ROWS = 400  # beyond this a tree cannot be read: the gradient is shown, and how to get the rest


def tree(trace: Trace, *, width: int | None, precision: int) -> Iterator[Text]:
    """The lines of the tree, then the value and the partial derivatives."""
    if len(trace.nodes) <= MOST_ROWS:
        yield from _columns(list(rows(trace, width)), width, precision)
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
        (title, HEADING), " " * (pad - cell_len(title)), "  ", (rounded(trace.value, precision), HEADING)
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


def _columns(rows: list[Row], width: int | None, precision: int) -> Iterator[Text]:
    values = [rounded(node.data, precision) if node and says == "=" else "" for _, node, says in rows]
    grads = [
        "" if node is None or node.grad is None or says != "=" else rounded(node.grad, precision)
        for _, node, says in rows
    ]
    value_width, grad_width = max(5, *map(len, values)), max(4, *map(len, grads))
    room = (width or 10**6) - value_width - grad_width - 4
    labels = [label_of(node, room - cell_len(lead)) for lead, node, _ in rows]
    left = max(cell_len(lead + label) for (lead, _, _), label in zip(rows, labels, strict=True))
    yield Text.assemble(" " * left, "  ", ("value".rjust(value_width), QUIET), "  ", ("grad".rjust(grad_width), QUIET))
    for (lead, node, says), label, value, grad in zip(rows, labels, values, grads, strict=True):
        line = Text.assemble((lead, QUIET))
        if node is not None:
            line.append(label, style=style_of(node))
            if says != "=":
                line.append(f"  {says}", style=ACCENT if node.kind == "op" else QUIET)
            else:
                line.append(" " * (left - cell_len(line.plain) + 2))
                line.append(value.rjust(value_width))
                line.append("  " + grad.rjust(grad_width), style=GRAD)
        yield line


def label_of(node: Node | None, room: int) -> str:
    """The label of a node in its row, cut to `room` cells; "" without a node."""
    if node is None:
        return ""
    if node.name and node.kind != "op":
        return shortened(node.name, max(8, room))
    prefix = f"{node.name} = " if node.name else ""
    most = room if room > 10**5 else min(room, LARGEST_TEXT)
    return escape(prefix + shortened(node.text, max(8, most - cell_len(prefix))))


def style_of(node: Node) -> str:
    """The style of a node's label, by its kind."""
    return {"input": INPUT, "constant": CONSTANT, "op": OPERATION}[node.kind]
