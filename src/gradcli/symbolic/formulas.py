"""Lines of a tape as formulas to read: in our own language, which parses again and means the same, and in LaTeX.

What a large formula would say twice gets a name: t1 = sin(x); t2 = ...; t1*t2. Small ones are written out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.engine import reported
from gradcli.autodiff.ops import ATOM
from gradcli.autodiff.tape import Line, Tape, below, collection_paused, replay
from gradcli.errors import UsageError
from gradcli.language.bindings import read_name, read_order
from gradcli.language.latex import latex, name, spellings
from gradcli.language.parser import parse
from gradcli.language.unparse import unparse

from .tidy import tidy

__all__ = ["Formulas", "derivative", "formulas", "to_latex"]

LARGE = 60  # operations, above which what is shared gets a name
LARGEST = 1_000_000  # operations that are written out, if somebody asks for it


class Formulas(NamedTuple):
    """Formulas that belong together: the tidied tape, the line of each, and the names of what they share."""

    tape: Tape
    places: dict[str, int]
    labels: dict[int, str]

    def text(self, key: str) -> str:
        """One of the formulas in the language, standing alone: with the definitions of the names that it uses."""
        line = self.places[key]
        defined = [f"{self.labels[used]} = {self._text(used)}" for used in self._used(line)]
        return "; ".join([*defined, self._text(line)])

    def latex(self, key: str) -> str:
        """The same for math mode in LaTeX."""
        line = self.places[key]
        spelled = spellings([*self.tape.inputs, *self.labels.values()])
        rows = [f"{spelled[self.labels[used]]} &= {self._latex(used)}" for used in self._used(line)]
        if not rows:
            return self._latex(line)
        aligned = r" \\ ".join([*rows, f"& {self._latex(line)}"])
        return f"\\begin{{aligned}} {aligned} \\end{{aligned}}"

    def brief(self, key: str) -> str:
        """One of the formulas, in the names of `definitions`."""
        return self._text(self.places[key])

    def definitions(self) -> Iterator[tuple[str, str]]:
        """Name and formula of all that is shared, each after those that it uses."""
        for index, label in self.labels.items():
            yield label, self._text(index)

    def _used(self, line: int) -> list[int]:
        return [index for index in below(self.tape.lines, line) if index in self.labels and index != line]

    def _labels_but(self, line: int) -> dict[int, str]:
        return {index: label for index, label in self.labels.items() if index != line}

    def _text(self, line: int) -> str:
        labels = {index: (label, ATOM) for index, label in self._labels_but(line).items()}
        return unparse(self.tape._replace(output=line), labels)

    def _latex(self, line: int) -> str:
        spelled = spellings([*self.tape.inputs, *self.labels.values()])
        return latex(self.tape._replace(output=line), self._labels_but(line), spelled)


def formulas(tape: Tape, places: Mapping[str, int], *, let: bool | None = None) -> Formulas:
    """The lines in `places` as formulas. `let` gives names to shared parts; None: where a formula is large.

    Raises UsageError where `let` is False and a formula is too large to be written out.
    """
    tidied = Formulas(*_tidied(tape, places, named=False), {})
    sizes = _sizes(tidied.tape.lines)
    largest = max([sizes[line] for line in tidied.places.values()], default=0)
    if let is False and largest > LARGEST:
        raise UsageError(f"written out, this is more than {LARGEST} operations", hint="leave out --no-let")
    if not (let or (let is None and largest > LARGE)):
        return tidied
    if tape.names:
        tidied = Formulas(*_tidied(tape, places, named=True), {})
    return tidied._replace(labels=_labels(tidied))


def _tidied(tape: Tape, places: Mapping[str, int], *, named: bool) -> tuple[Tape, dict[str, int]]:
    with collection_paused():  # nothing that is made here has cycles
        tidied, lines = tidy(tape, list(places.values()), named=named)
    return tidied, dict(zip(places, lines, strict=True))


def _sizes(lines: Sequence[Line]) -> list[int]:
    """The number of operations in each line, written out."""
    sizes: list[int] = []
    for line in lines:
        sizes.append(1 + sum(sizes[index] for index in line.args) if line.op is not None else 0)
    return sizes


def _labels(tidied: Formulas) -> dict[int, str]:
    """The names of shared lines: those of the program, and t1, t2, ... for operations on operations, used twice."""
    lines, tape = tidied.tape.lines, tidied.tape
    own = {index: label for label, index in tape.names.items() if lines[index].op is not None}
    taken = {name(label) for label in (*tape.inputs, *tape.names)}  # in LaTeX t_1 is set as t1 is
    needed = sorted({index for line in tidied.places.values() for index in below(lines, line)})
    uses = Counter(operand for index in needed if lines[index].op for operand in set(lines[index].args))
    labels: dict[int, str] = {}
    sizes: dict[int, int] = {}
    number = 0
    for index in needed:
        line = lines[index]
        size = 1 + sum(0 if operand in labels else sizes[operand] for operand in line.args) if line.op else 0
        sizes[index] = size
        if index in own or (uses[index] > 1 and size > 1):
            while index not in own and (number := number + 1) and name(f"t{number}") in taken:
                pass
            labels[index] = own.get(index, f"t{number}")
    return labels


def numbers_at(tape: Tape, places: Mapping[str, int], point: Mapping[str, float]) -> dict[str, float]:
    """The numbers of the lines in `places` at a point; none where a variable has no value."""
    if not set(tape.inputs) <= set(point):
        return {}
    numbers = replay(tape, {name: point[name] for name in tape.inputs})
    return {key: reported(numbers[tape.output], float(numbers[line])) for key, line in places.items()}


def derivative(formula: str | Tape, name: str, /, order: int = 1, *, let: bool | None = None) -> str:
    """The `order`-th derivative of a formula by one variable, as a formula.

    >>> derivative("x^2*sin(x)", "x")
    '2*x*sin(x) + x^2*cos(x)'

    It parses again and means the same. `let` gives names to what it shares; by default where it is large. Raises
    UsageError for what is not a name, and for an order that is not 1, 2, ...
    """
    if not isinstance(name, str):
        raise UsageError(f"a variable is given by its name, not as {name!r}")
    order, name = read_order(order), read_name(name)
    tape = formula if isinstance(formula, Tape) else parse(formula, [name])
    return formulas(*differentiate(tape, [name], order), let=let).text(name)


def to_latex(formula: str | Tape, /) -> str:
    r"""A formula in LaTeX, for math mode.

    >>> print(to_latex("sin(x)/x^2"))
    \frac{\sin\left(x\right)}{x^{2}}
    """
    return latex(formula if isinstance(formula, Tape) else parse(formula))
