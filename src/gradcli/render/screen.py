"""One moment of the two passes as a screen: the tree so far, what happens in this step, the gradients so far.

`done` is the number of steps of the trace that have happened, from 0 to all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from gradcli.text import escape, rounded, shortened
from gradcli.trace.arithmetic import computed, computed_value, data, product, sum_
from gradcli.trace.local_formulas import closure_formula
from gradcli.trace.names import all_marked, marked
from gradcli.trace.trace import Node, Step, Trace

from .folding import folded_line
from .path_texts import factor, joined
from .steps import LEGIBLE
from .style import ACCENT, DATA, GRAD, HEADING, INPUT, QUIET
from .tree import Row, cut, label_of, rows, style_of

KEYS = ("Enter forward   b back   f end of pass   q quit", "Enter  b back  f pass  q quit", "q quit")
FIRES, RECEIVES = "▶ ", "◀ "
SENTENCES = 3  # lines below the tree that explain the step
LEAST = 6  # cells of a label with its number, before the guide lines are cut
FIXED = SENTENCES + 5  # lines that are not the tree


class Board(NamedTuple):
    """The parts of a screen of one width that stay the same from step to step."""

    trace: Trace
    width: int
    precision: int
    forward: int  # the number of steps of the forward pass
    rows: list[Row]
    row_of: dict[int, int]  # the row that shows the numbers of each node
    columns: tuple[int, int, int]  # the widths of label, value and gradient


def board(trace: Trace, width: int, precision: int) -> Board:
    """The parts of the screens of a trace that stay the same."""
    drawn = list(rows(all_marked(trace), width - len(FIRES)))
    row_of = {node.id: index for index, (_, node, says) in enumerate(drawn) if node is not None and says == "="}
    values = max([5, *(len(data(trace.nodes[index], precision)) for index in row_of)])
    totals = [step.total for step in trace.steps if step.total is not None]
    grads = max([4, *(len(rounded(total, precision)) for total in totals)])
    room = width - len(FIRES) - values - grads - 4
    labels = max(0, min(room, max(cell_len(lead + label_of(node, room - cell_len(lead))) for lead, node, _ in drawn)))
    forward = sum(step.operand is None for step in trace.steps)
    return Board(marked(trace), width, precision, forward, drawn, row_of, (labels, values, grads))


def screen(board: Board, done: int, height: int, top: int) -> tuple[list[Text], int]:
    """The lines of the screen after `done` steps, and the first row of the tree that it shows.

    `top` is the one that the screen before showed: the tree stays where it is while what matters is in view.
    """
    step = board.trace.steps[done - 1] if done else None
    marks = _marks(board, step)
    sentences = [line for sentence in _sentences(board, step, done) for line in folded_line(sentence, board.width)]
    fixed = FIXED + max(0, len(sentences) - SENTENCES)
    shown, top = window(len(board.rows), marks, max(1, height - fixed), top)
    grads = gradients(board, done)
    tree = [_row(board, index, step, done, grads) for index in shown]
    lines = [
        _heading(board, done),
        _columns(board, shown),
        *tree,
        Text("─" * board.width, style=QUIET),
        *sentences,
        *[Text()] * (SENTENCES - len(sentences)),
        _so_far(board, grads),
        Text(next(keys for keys in KEYS if len(keys) <= board.width or keys == KEYS[-1]), style=QUIET),
        *[Text()] * (height - fixed - len(tree)),
    ]
    return (lines if len(lines) <= height else [lines[0], *lines[len(lines) - height + 1 :]]), top


def window(size: int, marks: list[int], room: int, top: int) -> tuple[list[int], int]:
    """The rows, of `size`, to show in `room`, and the first of them; -1 stands for rows left out between.

    The marked rows are in view. Where they are too far apart, the rows around the first and the last are shown.
    """
    if size <= room:
        return list(range(size)), 0
    first, last = (min(marks), max(marks)) if marks else (top, top)
    if room < 3:
        last = first  # no room for two ranges
    if last - first < room:
        if not top <= first <= last < top + room:
            top = first - (room - (last - first)) // 2
        top = max(0, min(top, size - room))
        return list(range(top, top + room)), top
    above = room // 2
    below = room - above - 1
    top = max(0, min(first - above // 2, last - room))
    end = min(size, max(last + (below + 1) // 2, top + room))
    return [*range(top, top + above), -1, *range(end - below, end)], top


def gradients(board: Board, done: int) -> dict[int, float]:
    """The gradient that each node has received so far, by its id; the output has its 1 after the forward pass."""
    output = board.trace.output
    seeded = done >= board.forward and board.trace.nodes[output].grad is not None
    received = {output: 1.0} if seeded else {}
    for step in board.trace.steps[board.forward : done]:
        if step.operand is not None and step.total is not None:
            received[step.operand] = step.total
    return received


def _marks(board: Board, step: Step | None) -> list[int]:
    nodes = [] if step is None else [step.node] if step.operand is None else [step.node, step.operand]
    return [board.row_of[node] for node in nodes if node in board.row_of]


def _heading(board: Board, done: int) -> Text:
    steps = len(board.trace.steps)
    if done <= board.forward:
        name, number, of = "forward pass", done, board.forward
    else:
        name, number, of = "backward pass", done - board.forward, steps - board.forward
    return Text.assemble((name, HEADING), f"  step {number} of {of}")


def _columns(board: Board, shown: list[int]) -> Text:
    labels, values, grads = board.columns
    scrolled = f"rows {shown[0] + 1}–{shown[-1] + 1} of {len(board.rows)}" if len(shown) < len(board.rows) else ""
    return Text(
        f"{shortened(scrolled, labels + 2).ljust(labels + 2)}  {'value'.rjust(values)}  {'grad'.rjust(grads)}",
        style=QUIET,
    )


def _row(board: Board, index: int, step: Step | None, done: int, grads: dict[int, float]) -> Text:
    lead, node, says = board.rows[index] if index >= 0 else ("⋮", None, "")
    if node is None:
        return Text("  " + lead, style=QUIET)
    labels, values, widest = board.columns
    fires = says == "=" and step is not None and step.node == node.id
    receives = says == "=" and step is not None and step.operand == node.id
    lead = shortened(lead, max(1, labels - LEAST)) if cell_len(lead) > labels - LEAST else lead
    label, mark = cut(
        label_of(node, labels - cell_len(lead)).removesuffix(node.mark), node.mark, labels - cell_len(lead)
    )
    line = Text.assemble((FIRES if fires else RECEIVES if receives else "  ", ACCENT), (lead, QUIET))
    line.append(label, style=f"{style_of(node)} reverse".strip() if fires or receives else style_of(node))
    line.append(mark, style=QUIET)
    if says != "=":
        line.append(f"  {says}", style=QUIET)
        return line
    value = data(node, board.precision) if _computed(board, node, done) else ""
    grad = rounded(grads[node.id], board.precision) if node.id in grads else ""
    line.append(" " * (labels - cell_len(lead + label + mark) + 2)).append(value.rjust(values), style=DATA)
    again = receives and step is not None and step.total_before
    return line.append("  ").append(grad.rjust(widest), style=ACCENT if again else GRAD)


def _computed(board: Board, node: Node, done: int) -> bool:
    return done >= board.forward or any(step.node == node.id for step in board.trace.steps[:done])


def _sentences(board: Board, step: Step | None, done: int) -> Iterator[Text]:
    trace = board.trace
    if step is None:
        yield Text("Enter computes the first node.")
    elif step.operand is None:
        yield from _forward(board, trace.nodes[step.node])
        if done == board.forward:
            yield Text.assemble(
                ("The forward pass is done: the value is ", ""), (_number(board, trace.value), f"bold {DATA}"), "."
            )
            if trace.nodes[trace.output].grad is not None:
                name = _name(trace, trace.output)
                yield Text(f"The backward pass starts with {name}.grad = 1.")
    else:
        yield from _backward(board, step, done)


def _number(board: Board, number: float | None) -> str:
    return rounded(number or 0.0, board.precision)


def _forward(board: Board, node: Node) -> Iterator[Text]:
    how = escape(computed(board.trace, node, board.precision))
    if node.kind == "op":
        left = " = ".join(
            dict.fromkeys([*([node.name] if node.name else []), escape(shortened(node.text, 30)) + node.mark])
        )
        sign, value = computed_value(board.trace, node, board.precision)
        yield Text.assemble(f"{left} = {how}{sign}", (value, DATA))
    else:
        yield Text.assemble(
            f"{escape(shortened(node.label, 30))}{node.mark} = ", (data(node, board.precision), DATA), f", {how}"
        )


def _name(trace: Trace, node: int) -> str:
    """The name of a node in a sentence, or its text in parentheses."""
    label, op = escape(shortened(trace.nodes[node].label, 24)) + trace.nodes[node].mark, trace.nodes[node].op
    whole = trace.nodes[node].name or (label.startswith(f"{op}(") and label.endswith(")"))
    return label if whole else f"({label})"


def _backward(board: Board, step: Step, done: int) -> Iterator[Text]:
    trace, operand = board.trace, step.operand
    assert operand is not None
    upstream = _number(board, step.upstream)
    left = f"{_name(trace, operand)}.grad"
    formula = factor(escape(_formula(board, step)))
    numbers = "= " + "".join(
        product([step.local or 0.0, step.upstream or 0.0], step.contribution or 0.0, board.precision)
    )
    room = board.width - cell_len(f"{left} +=  · out.grad ")
    if room - cell_len(numbers) >= min(cell_len(formula), LEGIBLE):
        label = escape(shortened(trace.nodes[step.node].label, 40)) + trace.nodes[step.node].mark
        yield Text.assemble("out = ", (label, HEADING), f" passes its gradient on: out.grad = {upstream}")
        formula = shortened(formula, room - cell_len(numbers))
        yield Text.assemble((left, INPUT), f" += {formula} · out.grad {numbers}")
    else:
        yield Text.assemble((left, INPUT), f" += {shortened(formula, max(8, room))} · out.grad")
        yield Text(f"  {numbers}")
    arrival = sum(other.operand == operand for other in trace.steps[board.forward : done])
    if arrival > 1:
        left, sign, total = sum_(step.total_before or 0.0, step.contribution or 0.0, step.total or 0.0, board.precision)
        yield Text.assemble((f"arrival {arrival} at {_name(trace, operand)}: ", ACCENT), left + sign, (total, ACCENT))


def _formula(board: Board, step: Step) -> str:
    trace = board.trace
    return closure_formula(trace, step, lambda node: _name(trace, node.id))


def _so_far(board: Board, grads: dict[int, float]) -> Text:
    names = {node.name: node.id for node in board.trace.nodes if node.kind == "input"}
    wanted = list(board.trace.wrt)

    def item(index: int) -> str:
        node = names.get(wanted[index], -1)
        return f"{wanted[index]}.grad {_number(board, grads[node]) if node in grads else '·'}"

    return Text(joined(len(wanted), item, "   ", board.width), style=GRAD)
