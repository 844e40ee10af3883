"""A statement such as "log(y) ~ a*exp(-b*x)": what is measured on the left, the model on the right."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from gradcli.autodiff.tape import Tape
from gradcli.errors import ParseError, Source, UsageError
from gradcli.language.parser import parse
from gradcli.text import did_you_mean


class Model(NamedTuple):
    """The two sides as tapes, whose places are those in the whole text, and the names of the parameters."""

    source: Source
    left: Tape
    right: Tape
    parameters: list[str]

    @property
    def columns(self) -> list[str]:
        """The names of the columns that either side needs."""
        return list(dict.fromkeys([*self.left.inputs, *(n for n in self.right.inputs if n not in self.parameters)]))


def read_model(text: str | Source, parameters: Mapping[str, object], columns: Collection[str]) -> Model:
    """The model of a text, whose names are parameters or columns. Statements before it may define names.

    Raises ParseError for a text that is not in the language, and UsageError for one without ~, a name that is neither
    a parameter nor a column, one that is both, and a parameter that the model does not use.
    """
    source = text if isinstance(text, Source) else Source(text)
    start, middle = _sides(source)
    names = [*parameters, *columns]
    left = _part(source, source.text[:middle], names)
    # the ; so that a model that begins with a sign does not go on with the line before it
    right = _part(source, source.text[:start] + ";" + " " * (middle - start) + source.text[middle + 1 :], names)
    model = Model(source, left, right, list(parameters))
    _check(model, columns)
    return model


def _sides(source: Source) -> tuple[int, int]:
    """The index at which the statement with the ~ begins, and that of its ~."""
    code = re.sub(r"#[^\n]*", lambda comment: " " * len(comment[0]), source.text)
    tildes = [match.start() for match in re.finditer("~", code)]
    if len(tildes) != 1:
        what = "there is no ~ in the model" if not tildes else "there is more than one ~"
        span = (tildes[1], tildes[1] + 1) if tildes else (0, len(source.text))
        raise UsageError(what, source, span, 'a fit is written as "y ~ a*x + b": what is measured, ~, the model')
    return max(code.rfind(mark, 0, tildes[0]) for mark in ";\n") + 1, tildes[0]


def _part(source: Source, text: str, names: Collection[str]) -> Tape:
    """The tape of one side: the other is blanked out, so that places stay what they are in the whole text."""
    try:
        return parse(Source(text, source.name), names)._replace(source=source)
    except ParseError as problem:
        raise ParseError(problem.message, source, problem.span, problem.hint) from None


def _check(model: Model, columns: Collection[str]) -> None:
    for side in (model.left, model.right):
        for name, line in side.inputs.items():
            if name in model.parameters and name in columns:
                hint = "give the parameter another name"
                raise UsageError(f"{name} is a parameter and a column", model.source, side.lines[line].span, hint)
            if name not in model.parameters and name not in columns:
                hint = did_you_mean(name, [*columns, *model.parameters]) or f"give a start for it: {name}=VALUE"
                what = f"{name} is neither a column nor a parameter"
                raise UsageError(what, model.source, side.lines[line].span, hint)
    for name in model.parameters:
        if name in model.left.inputs:
            span = model.left.lines[model.left.inputs[name]].span
            raise UsageError(f"{name} is a parameter: left of the ~ stands what was measured", model.source, span)
        if name not in model.right.inputs:
            hint = did_you_mean(name, model.right.inputs)
            raise UsageError(f"the model does not use the parameter {name}", model.source, _all(model), hint)


def _all(model: Model) -> tuple[int, int]:
    return model.right.lines[model.right.output].span
