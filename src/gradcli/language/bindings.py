"""NAME=VALUE: the numbers that variables stand for. A value is a constant expression of the language."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, SupportsIndex

from gradcli.autodiff.ops import to_float
from gradcli.autodiff.tape import Span, Tape, evaluate
from gradcli.errors import EvaluationError, ParseError, Source, UsageError, propose
from gradcli.text import did_you_mean, listed

from .parser import parse
from .scope import is_name, normal

_PLAIN = re.compile(r"(?!(?:and|or|not)=)([^\W\d]\w*)=([+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15}))", re.ASCII)


class Name(str):
    """A name in an option, which remembers the text of the option and its place there."""

    source: Source
    span: Span


def read_names(text: str) -> list[Name]:
    """The names between commas, "" where there is none."""
    start, names = 0, []
    for piece in text.split(","):
        names.append(placed(text, start, start + len(piece)))
        start += len(piece) + 1
    return names


def placed(text: str, start: int, end: int) -> Name:
    """The name that stands, with or without spaces around it, in this part of the text."""
    typed = text[start:end].strip()
    name = Name(normal(typed))
    first = text.find(typed, start)
    name.source, name.span = Source(text), (first, first + len(typed))
    return name


def place_of(name: str) -> tuple[Source | None, Span | None]:
    """The text in which a name was typed and its place there; None and None in a library call."""
    return (name.source, name.span) if isinstance(name, Name) else (None, None)


class Binding(NamedTuple):
    """A variable's value, and the argument it came from; `tape` is None where the value was a plain number."""

    value: float
    source: Source
    tape: Tape | None


def read_bindings(arguments: Iterable[str]) -> dict[str, Binding]:
    """The bindings in the order in which they were given. Raises UsageError for any other argument, or a name given twice."""
    bindings: dict[str, Binding] = {}
    for argument in arguments:
        name, binding = _read(argument)
        if name in bindings:
            earlier = bindings[name].source.text
            raise UsageError(f"{name} is given twice: {earlier} and {argument}", binding.source, (0, len(name)))
        bindings[name] = binding
    return bindings


def _read(argument: str) -> tuple[str, Binding]:
    source = Source(argument)
    if plain := _PLAIN.fullmatch(argument):
        return plain[1], Binding(float(plain[2]), source, None)
    name, equals, _ = argument.partition("=")
    if not equals:
        raise UsageError(
            "a value is given as NAME=VALUE", source, (0, len(argument)), "quote the expression if it has spaces in it"
        )
    name = normal(name.strip())
    refuse_two_readings(source)
    tape = _one(source)
    if tape.title != name or len(tape.names) != 1 or tape.unused:
        raise UsageError("a binding is one NAME=VALUE", source, (0, len(argument)))
    if tape.inputs:
        unknown, line = next(iter(tape.inputs.items()))
        raise UsageError(
            f"{unknown} has no value here: a value is a number or a constant expression", source, tape.lines[line].span
        )
    value = evaluate(tape, {})
    if math.isnan(value):
        raise EvaluationError(f"the value of {name} is not a number", source, tape.lines[tape.output].span)
    return name, Binding(value, source, tape)


def _one(source: Source) -> Tape:
    """The tape of NAME=VALUE, which is a program of one assignment."""
    try:
        return parse(source)
    except ParseError as problem:
        if problem.span is not None and source.text[slice(*problem.span)] in (",", ":"):
            what = "one value is needed here, and a list or a range gives many"
            raise UsageError(what, source, problem.span, "ranges and lists are for eval and plot") from None
        raise


# Texts, for re to compile where a value is no plain number.
_COMMA = r"[^=]*=\s*(([-+−–]?)([0-9]+),([0-9]+))\s*"
_BOTH = r"[^=]*=\s*(([-+−–]?)([0-9]{1,3}(?:\.[0-9]{3})+),([0-9]+))\s*"
_UNCERTAIN = r"[^=]*=.*[0-9.)]\s*(\+/?[-−–]|±)\s*[0-9.]"


def refuse_two_readings(source: Source) -> None:
    """Raise UsageError, with both readings, for x=1,5 and its kin; and for 5+-0.02, which is not meant as a sum."""
    text = source.text
    name, _, value = (part.strip() for part in text.partition("="))
    if found := re.fullmatch(_COMMA, text) or re.fullmatch(_BOTH, text):
        _, sign, whole, rest = found.groups()
        readings = [f"{name}={sign}{whole.replace('.', '')}.{rest}"]
        if len(rest) == 3 and len(whole) < 4:
            readings.insert(0, f"{name}={sign}{whole}{rest}")
        forms = "write " + ", ".join("{}" for _ in readings)
        if whole.count(".") < 2:
            readings, forms = [*readings, f"{name}={value},"], f"{forms}, or {{}} for the list of two"
        what = f"{value} has more than one reading" if len(readings) > 1 else "a number has one point and no comma"
        raise UsageError(what, source, found.span(1), propose(forms, *readings))
    if found := re.match(_UNCERTAIN, text):
        hint = f"give the value alone: {text[: found.start(1)].strip()}"
        raise UsageError("a value has no uncertainty here", source, found.span(1), hint)


def is_value(argument: str) -> bool:
    """True if a text is NAME=VALUE, or a name with many values."""
    name, _, value = argument.partition("=")
    if "," in value or ":" in value:
        return re.fullmatch(r"[-+−–\w\s.,:#/*^]+", value) is not None
    try:
        tape = parse(argument)
    except ParseError:
        return False
    return tape.title == normal(name.strip()) and not tape.inputs and len(tape.names) == 1 and not tape.unused


def to_numbers(given: Mapping[str, Any]) -> dict[str, float]:
    """The values of a library call as floats. Raises UsageError for one that is not a real number."""
    return {name: _to_number(name, value) for name, value in given.items()}


def _to_number(name: str, value: Any) -> float:
    try:
        return to_float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name} needs a number, not {value!r}") from None


def read_name(argument: str) -> str:
    """The name in an argument that is to be one. Raises UsageError, with the place, for anything else."""
    name = normal(argument)
    if not is_name(name):
        raise UsageError("this is not a name", Source(argument), (0, len(argument)), "name a variable, as in: x")
    return name


def require(tape: Tape, names: Iterable[str]) -> None:
    """Raise UsageError, with the place, if a variable of the tape is not among `names`."""
    given = set(names)
    missing = [name for name in tape.inputs if name not in given]
    if not missing:
        return
    from .unknown import no_value

    span = tape.lines[tape.inputs[missing[0]]].span
    hint = no_value(missing[0], tape.source.text[span[0] :], given, tape)
    raise UsageError(f"no value for {listed(missing)}", tape.source, span, hint)


def check_wrt(tape: Tape, wrt: Iterable[str], bound: Mapping[str, object]) -> None:
    """Raise UsageError for a name to differentiate by that is neither a variable of the tape nor bound."""
    inputs = tape.inputs
    for name in wrt:
        if name not in inputs and name not in bound:
            what = "is assigned, not a variable" if name in tape.names else "is not a variable of the expression"
            raise UsageError(f"{name} {what}", *place_of(name), did_you_mean(name, inputs))


def check_outputs(tape: Tape, outputs: Sequence[str]) -> None:
    """Raise UsageError for an output that the program does not assign."""
    for name in outputs:
        if name not in tape.names:
            raise UsageError(f"{name} is not assigned in the program", *place_of(name), did_you_mean(name, tape.names))


def read_order(order: SupportsIndex) -> int:
    """The order of a derivative. Raises UsageError for one that is not a whole number, and for one below 1."""
    if not isinstance(order, SupportsIndex):
        raise UsageError(f"the order of a derivative is 1 or more, and a whole number, not {order!r}")
    if int(order) < 1:
        raise UsageError(f"the order of a derivative is 1 or more, not {order}")
    return int(order)
