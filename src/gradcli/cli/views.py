"""What `eval` is asked for beyond value and gradient, in every format: --hessian, --order, --along, --out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.autodiff.tape import Tape
from gradcli.calculus.gradient import Gradient, derivatives, hessian, jacobian, jvp
from gradcli.errors import Source, UsageError
from gradcli.language.bindings import check_outputs, place_of, placed, read_bindings
from gradcli.language.ranges import parts
from gradcli.text import json_number, json_numbers, shortest
from gradcli.trace.diagnostics import Diagnostic, diagnose
from gradcli.trace.trace import Trace
from gradcli.trace.trace import trace as run

if TYPE_CHECKING:
    from rich.text import Text


class Asked(NamedTuple):
    """The options."""

    hessian: bool = False
    order: int | None = None
    along: str | None = None
    out: list[str] | None = None


class Views(NamedTuple):
    """The answers; None for what was not asked for."""

    hessian: dict[str, dict[str, float]] | None = None
    derivatives: dict[str, list[float]] | None = None
    direction: dict[str, float] | None = None
    slope: float = 0.0
    outputs: dict[str, Gradient] | None = None

    def findings(self, tape: Tape, trace: Trace, bound: Mapping[str, float]) -> Iterator[Diagnostic]:
        """What a user should know of the answers: second derivatives that are not numbers, all about each output.

        Raises EvaluationError, with the place, for an output that is not a number.
        """
        for name in self.outputs or {}:
            yield from _of_output(tape, name, trace.wrt, bound)
        node = trace.nodes[trace.output]
        for row, columns in (self.hessian or {}).items():
            for column, second in columns.items():
                if math.isnan(second) and row <= column:
                    message = f"the second derivative by {row} and {column} is not defined here"
                    yield Diagnostic("undefined", node.span, node.text, message, trace.source)

    def plain(self) -> str:
        """Tab-separated: name, name, second derivative; name, order, derivative; direction; a block for each output."""
        rows: list[Sequence[str]] = []
        for row, columns in (self.hessian or {}).items():
            rows += [(row, column, shortest(second)) for column, second in columns.items()]
        for name, numbers in (self.derivatives or {}).items():
            rows += [(name, str(order), shortest(number)) for order, number in enumerate(numbers, 1)]
        if self.direction is not None:
            rows.append(
                ("along", ",".join(f"{k}={shortest(x)}" for k, x in self.direction.items()), shortest(self.slope))
            )
        for output, (value, partials) in (self.outputs or {}).items():
            rows.append((output, shortest(value)))
            rows += [(output, name, shortest(partial)) for name, partial in partials.items()]
        return "".join("\t".join(row) + "\n" for row in rows)

    def json_fields(self) -> dict[str, Any]:
        """The fields that are added to the object of `eval`."""
        fields: dict[str, Any] = {}
        if self.hessian is not None:
            fields["hessian"] = {row: json_numbers(columns) for row, columns in self.hessian.items()}
        if self.derivatives is not None:
            fields["derivatives"] = {
                name: [json_number(x) for x in numbers] for name, numbers in self.derivatives.items()
            }
        if self.direction is not None:
            fields["along"] = {"direction": json_numbers(self.direction), "derivative": json_number(self.slope)}
        if self.outputs is not None:
            fields["outputs"] = {
                name: {"value": json_number(value), "gradient": json_numbers(partials)}
                for name, (value, partials) in self.outputs.items()
            }
        return fields

    def pretty(self, precision: int) -> Iterator[Text]:
        """The lines below the tree."""
        from rich.text import Text

        from gradcli.render import matrix

        if self.hessian is not None:
            yield Text()
            yield from matrix.hessian(self.hessian, precision)
        if self.derivatives is not None:
            yield Text()
            yield from matrix.orders(self.derivatives, precision)
        if self.direction is not None:
            yield Text()
            yield from matrix.along(self.direction, self.slope, precision)
        if self.outputs is not None:
            yield Text()
            rows = {
                name: {"value": value} | {f"d/d{by}": x for by, x in partials.items()}
                for name, (value, partials) in self.outputs.items()
            }
            yield from matrix.jacobian(rows, precision)


def _of_output(tape: Tape, name: str, wrt: Sequence[str], bound: Mapping[str, float]) -> list[Diagnostic]:
    """The findings where the program's result is what it assigns to `name`."""
    output = tape._replace(output=tape.names[name])
    return diagnose(output, run(output, bound, wrt, formulas=False))


def with_outputs(tape: Tape, outputs: Sequence[str]) -> Tape:
    """The tape where these names are asked for, so that none is unused. Raises UsageError for one not assigned."""
    check_outputs(tape, outputs)
    return tape._replace(unused=tuple([(name, span) for name, span in tape.unused if name not in outputs]))


def read_direction(text: str) -> dict[str, float]:
    """The speed of each variable. Raises UsageError, with the place, for what is no direction, or a name given twice."""
    direction: dict[str, float] = {}
    for start, end, _ in parts(text, 0, ","):
        length = text[start:end].find("=")
        if length < 0:
            raise UsageError("a direction is NAME=NUMBER", Source(text), (start, end), "as in --along x=1,y=-2")
        name = placed(text, start, start + length)
        if name in direction:
            raise UsageError(f"{name} is given twice", *place_of(name))
        (binding,) = read_bindings([text[start:end].strip()]).values()
        direction[name] = binding.value
    return direction


def answer(tape: Tape, trace: Trace, asked: Asked, bound: Mapping[str, float]) -> Views:
    """Compute what was asked for. Raises UsageError for an order of several variables, an unknown name."""
    wrt = list(trace.wrt)
    views = Views()
    if asked.hessian:
        views = views._replace(hessian=hessian(tape, bound, wrt=wrt))
    if asked.order is not None:
        if len(wrt) != 1:
            raise UsageError("--order takes one variable", hint=f"choose it: --wrt {wrt[0] if wrt else 'NAME'}")
        views = views._replace(derivatives=derivatives(tape, asked.order, bound, wrt=wrt))
    if asked.along is not None:
        direction = read_direction(asked.along)
        views = views._replace(direction=direction, slope=jvp(tape, direction, bound).tangent)
    if asked.out is not None:
        views = views._replace(outputs=jacobian(tape, asked.out, bound, wrt=wrt))
    return views
