"""Diagnostics: what a user should know about the numbers of both passes, each with its place in the typed text.

A diagnostic concerns a node on an active path, one that the result was really computed from. The branch that an
`if` did not take, and what `and` or `or` did not need, are not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gradcli.autodiff.engine import Value, constant, topological
from gradcli.autodiff.ops import Op
from gradcli.autodiff.tape import Span, Tape, active
from gradcli.errors import EvaluationError, Source
from gradcli.text import derivative_name, excerpt, shortened, shortest

from .trace import Node, Step, Trace


class Diagnostic(NamedTuple):
    """A kind and a message, with the place. `span` and `text` are that in `source`: the expression, or a binding."""

    kind: str
    span: Span
    text: str
    message: str
    source: Source

    def __str__(self) -> str:
        """The kind and the sentence, with the line of the text and carets below the place."""
        return "\n".join([f"{self.kind}: {self.message}", *excerpt(self.source.text, *self.span)])


CONVENTIONS = {"kink": "has a corner", "tie": "has a tie", "jump": "jumps"}  # where one is used for the derivative


def diagnose(tape: Tape, trace: Trace) -> list[Diagnostic]:
    """All diagnostics, in the order of the text. Raises EvaluationError, at the node to blame, if the value is nan."""
    reached = _active(trace)
    if math.isnan(trace.value):
        raise _not_a_number(trace, reached)
    diagnostics = [*literals(tape), *unused(tape)]
    for node in reached:
        diagnostics += _of_values(trace, node)
    diagnostics += _of_slopes(trace, {node.id for node in reached})
    return sorted(dict.fromkeys(diagnostics), key=lambda diagnostic: (diagnostic.source.name, diagnostic.span))


def _active(trace: Trace) -> list[Node]:
    """The nodes that the output was computed from, operands first."""
    operands, numbers = [node.operands for node in trace.nodes], [node.data for node in trace.nodes]
    return [trace.nodes[index] for index in active(trace.rows, operands, numbers, trace.output)]


def _data(trace: Trace, node: Node) -> list[float]:
    return [trace.nodes[operand].data for operand in node.operands]


def _not_a_number(trace: Trace, reached: list[Node]) -> EvaluationError:
    active_ids = {node.id for node in reached}
    for node in reached:
        if math.isnan(node.data) and not any(math.isnan(trace.nodes[o].data) for o in node.operands if o in active_ids):
            break
    domain = trace.rows[node.id].domain if trace.rows[node.id] else ""  # type: ignore[union-attr]
    hint = f"{node.op} is defined for {domain}" if domain else ""
    return EvaluationError(f"{_saying(trace, node)} is not a number{_inside(node)}", trace.source, node.span, hint)


def _saying(trace: Trace, node: Node) -> str:
    """The operation with the numbers it met: "log of -1", "0/0", "max of nan and 2"."""
    numbers = [shortest(number) for number in _data(trace, node)]
    row = trace.rows[node.id]
    if row is None or not numbers:
        return node.label
    if row.form in ("infix", "prefix"):
        from .arithmetic import operation  # it needs decimal: for what there is to say alone

        return operation(row, numbers, "" if row.name in "*/^%" else " ")
    shown = numbers if len(numbers) < 5 else [*numbers[:3], "…", numbers[-1]]
    return f"{row.name} of {', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else f"{row.name} of {shown[0]}"


def _inside(node: Node) -> str:
    return f", in the call {shortened(node.call, 40)}" if node.call else ""


def _diagnostic(kind: str, trace: Trace, node: Node, message: str) -> Diagnostic:
    return Diagnostic(kind, node.span, node.text, message + _inside(node), trace.source)


def _of_values(trace: Trace, node: Node) -> Iterator[Diagnostic]:
    """Diagnostics of the value of a node: from finite operands to inf, to 0, or to nan."""
    row = trace.rows[node.id]
    if row is None:
        return
    args, y = _data(trace, node), node.data
    if math.isfinite(y) and not _is(row, "underflow", args, y):
        return
    saying = _saying(trace, node)
    if math.isinf(y) and all(map(math.isfinite, args)):
        if _is(row, "pole", args, y):
            yield _diagnostic("pole", trace, node, f"{saying} is {shortest(y)}: {row.name} has a pole there")
        else:
            yield _diagnostic("overflow", trace, node, f"{saying} is too large for binary64 and became {shortest(y)}")
    elif _is(row, "underflow", args, y):
        yield _diagnostic("underflow", trace, node, f"{saying} is too small for binary64 and became 0")
    elif math.isnan(y) and not any(map(math.isnan, args)):
        yield _diagnostic("domain", trace, node, f"{saying} is not a number; the result does not depend on it")


def _of_slopes(trace: Trace, reached: set[int]) -> Iterator[Diagnostic]:
    """Diagnostics of derivatives: where a convention was used, and where a gradient is infinite or nan."""
    for index in sorted(reached):
        node, row = trace.nodes[index], trace.rows[index]
        if row is None or not trace.varies[index]:
            continue
        args = _data(trace, node)
        for kind, is_what in CONVENTIONS.items():
            if _is(row, kind, args, node.data):
                used = f"; the derivative used there is {row.convention}" if row.convention else ""
                what = "the derivative" if row.internal else f"{_saying(trace, node)}: {row.name}"
                yield _diagnostic(kind, trace, node, f"{what} {is_what} there{used}")
    for step in trace.steps:
        if step.direction == "backward" and step.node in reached:
            yield from _of_step(trace, step)


def _of_step(trace: Trace, step: Step) -> Iterator[Diagnostic]:
    node, row = trace.nodes[step.node], trace.rows[step.node]
    assert row is not None and step.operand is not None and step.local is not None and step.upstream is not None
    assert step.contribution is not None and step.total is not None and step.total_before is not None
    lost = step.contribution == 0 and step.upstream != 0 and not row.choice
    if not lost and all(map(math.isfinite, (step.local, step.contribution, step.total))):
        return  # before a text is cut out: together they grow with the square of the length
    if lost and math.isfinite(step.upstream):
        yield from _of_underflow(trace, node, step)
        return
    args = _data(trace, node)
    operand = shortened(trace.nodes[step.operand].label, 30)
    at = f"{_saying(trace, node)}: the derivative by {operand}"
    if math.isinf(step.local) and all(map(math.isfinite, args)):
        passes = "; it received the gradient 0 and passes 0 on" if step.upstream == 0 else ""
        kind = "pole" if _is(row, "pole", args, node.data) else "overflow"
        yield _diagnostic(kind, trace, node, f"{at} is {shortest(step.local)}{passes}")
    elif math.isnan(step.local) and not any(map(math.isnan, args)):
        yield _diagnostic("undefined", trace, node, f"{at} is not defined there")
    elif math.isnan(step.contribution) and not math.isnan(step.upstream):
        # an infinite slope meets one of 0, as at the corner of |x| written as sqrt(x^2)
        kind = "kink" if math.isfinite(trace.value) else "undefined"
        meets = f"{shortest(step.local)} × {shortest(step.upstream)}"
        yield _diagnostic(
            kind,
            trace,
            node,
            f"the gradient of {operand} would be {meets}, which is not a number: not differentiable here",
        )
    elif math.isinf(step.contribution) and math.isfinite(step.local) and math.isfinite(step.upstream):
        yield _diagnostic("overflow", trace, node, f"{at} times the gradient from above is too large for binary64")
    if math.isnan(step.total) and not math.isnan(step.contribution) and not math.isnan(step.total_before):
        yield _diagnostic(
            "undefined",
            trace,
            trace.nodes[step.operand],
            f"the contributions to the gradient of {operand} are inf and -inf: their sum is not a number",
        )


def _of_underflow(trace: Trace, node: Node, step: Step) -> Iterator[Diagnostic]:
    """Diagnostics of a contribution that is 0 because a number on the way to it was too small."""
    row, args = trace.rows[step.node], _data(trace, node)
    assert row is not None and step.operand is not None and step.position is not None
    if step.local:
        what = " times the gradient from above"
    elif _underflows(row, step.position, args, node.data):
        what = ""
    else:
        return
    operand = shortened(trace.nodes[step.operand].label, 30)
    message = f"{_saying(trace, node)}: the derivative by {operand}{what} is too small for binary64 and became 0"
    yield _diagnostic("underflow", trace, node, message)


def _underflows(row: Op, position: int, args: list[float], y: float) -> bool:
    """True if a number that the rule of a local derivative computes is too small for binary64."""
    rule = row.partials_for(len(args))[position]
    found = rule(*map(constant, args), constant(y)) if rule is not None else None
    nodes = topological(found) if isinstance(found, Value) else []
    return any(n._row is not None and _is(n._row, "underflow", [o.data for o in n._prev], n.data) for n in nodes)


def _is(row: Op, kind: str, args: list[float], y: float) -> bool:
    predicate = row.flags.get(kind)
    return predicate is not None and bool(predicate(*args, y))


def literals(tape: Tape) -> Iterator[Diagnostic]:
    """Diagnostics of numbers in an expression or a binding that binary64 does not hold as they were typed."""
    for index, line in enumerate(tape.lines):
        if line.op is not None or line.value is None:
            continue
        text = tape.text(index)
        digits = text.lstrip("-−( ").rstrip(") ")
        if (
            abs(line.value) >= 2**53
            and digits.isascii()
            and digits.isdigit()
            and len(digits) < 400
            and int(digits) != int(abs(line.value))
        ):
            yield Diagnostic(
                "rounded",
                line.span,
                text,
                f"binary64 cannot hold {shortened(text, 40)}: it was read as {shortest(line.value)}",
                tape.source,
            )
        elif line.value == 0 and any(digit in "123456789" for digit in digits.lower().partition("e")[0]):
            yield Diagnostic(
                "underflow",
                line.span,
                text,
                f"{shortened(text, 40)} is too small for binary64 and was read as 0",
                tape.source,
            )


def unused(tape: Tape) -> Iterator[Diagnostic]:
    """A diagnostic for each name that the text computes, or defines, and does not use."""
    for name, span in tape.unused:
        yield Diagnostic(
            "unused", span, tape.source.text[slice(*span)], f"{shortened(name, 40)} is never used", tape.source
        )


def unused_binding(name: str, source: Source) -> Diagnostic:
    """The diagnostic of a value that was given for a name that does not occur."""
    return Diagnostic("unused", (0, len(name)), source.text, f"{name} does not occur in the expression", source)


def undefined_derivatives(tape: Tape, numbers: Mapping[str, float], order: int) -> Iterator[Diagnostic]:
    """Diagnostics of derivatives of higher order that are not numbers, of which the two passes know nothing."""
    span, text = tape.lines[tape.output].span, tape.text(tape.output)
    for by, number in numbers.items():
        if math.isnan(number):
            message = f"{derivative_name(by, order)} is not defined here"
            yield Diagnostic("undefined", span, text, message, tape.source)
