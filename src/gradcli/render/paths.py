"""A gradient as its sum over paths, in every format: the answer of `explain`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.text import digits, json_number, rounded, shortened, shortest
from gradcli.trace.arithmetic import TIMES
from gradcli.trace.diagnostics import Diagnostic
from gradcli.trace.local_formulas import formulas
from gradcli.trace.names import marked
from gradcli.trace.paths import Path, PathSum
from gradcli.trace.trace import Step, Trace

from . import markdown
from .json import result
from .path_texts import ARROW, LONGEST_LABEL, factor, heading, label, others, path_product
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text


class PathsView(NamedTuple):
    """The derivative by each variable as a sum over paths."""

    trace: Trace
    sums: Sequence[PathSum]
    diagnostics: Sequence[Diagnostic]

    def plain(self) -> Iterator[Row]:
        """For each variable its paths, then `rest` and `sum`.

        A path is variable, "path", contribution, nodes, local derivatives, their formulas; the other two are variable,
        word, number, and the number of its paths.
        """
        formula = formulas(self.trace)
        for sum_ in self.sums:
            for path in sum_.shown:
                numbers = TIMES.join(shortest(local) for local in path.locals)
                texts = TIMES.join(factor(formula(arrow)) for arrow in path.arrows)
                yield sum_.wrt, "path", path.contribution, self._way(path), numbers, texts
            yield sum_.wrt, "rest", sum_.rest, digits(sum_.number - len(sum_.shown))
            yield sum_.wrt, "sum", sum_.total, digits(sum_.number)

    def _way(self, path: Path) -> str:
        return ARROW.join(shortened(self.trace.nodes[node].label, LONGEST_LABEL) for node in path.nodes)

    def json(self) -> dict[str, Any]:
        """The result, the nodes that the paths pass, and for each variable its count, paths, rest and sum.

        A node has its place in the expression in full and its text shortened: in full, those of a long sum
        would take the square of its length. A count above 2^53, which not every reader of JSON holds, is a string of digits.
        """
        formula = formulas(self.trace)
        used = sorted({node for sum_ in self.sums for path in sum_.shown for node in path.nodes})
        nodes = [
            {"id": node.id, "name": node.name, "text": shortened(node.text, LONGEST_LABEL), "span": node.span}
            for node in [self.trace.nodes[index] for index in used]
        ]
        fields = {"nodes": nodes, "paths": {sum_.wrt: _record(sum_, formula) for sum_ in self.sums}}
        return result(self.trace, self.diagnostics, fields)

    def pretty(self, look: Look) -> Iterator[Text]:
        from .path_lines import table

        return table(self.trace, self.sums, width=look.width, precision=look.precision)

    def markdown(self, look: Look) -> Iterator[str]:
        formula = formulas(self.trace)
        view = self._replace(trace=marked(self.trace))
        for sum_ in self.sums:
            yield markdown.plain(heading(view.trace, sum_))
            rows = [view._cells(path, formula, look) for path in sum_.shown]
            if not sum_.complete:
                rows.append([others(sum_), "", "", rounded(sum_.rest, look.precision)])
            rows.append([markdown.code(f"d/d{sum_.wrt}"), "", "", rounded(sum_.total, look.precision)])
            yield markdown.table(["path", "local derivatives", "", "contribution"], rows, left=(0, 1, 2))

    def _cells(self, path: Path, formula: Callable[[Step], str], look: Look) -> list[str]:
        texts = TIMES.join(factor(formula(arrow)) for arrow in path.arrows)
        numbers, sign, product = path_product(path, look.precision, None)
        return [
            markdown.code(ARROW.join(label(self.trace, node) for node in path.nodes)),
            markdown.code(texts),
            markdown.plain(numbers),
            product if sign == "=" else f"≈ {product}",
        ]


def _record(sum_: PathSum, formula: Callable[[Step], str]) -> dict[str, Any]:
    shown = [
        {
            "nodes": path.nodes,
            "formulas": [formula(arrow) for arrow in path.arrows],
            "locals": [json_number(local) for local in path.locals],
            "contribution": json_number(path.contribution),
        }
        for path in sum_.shown
    ]
    count = sum_.number if sum_.number <= 2**53 else digits(sum_.number)
    return {"count": count, "shown": shown, "rest": json_number(sum_.rest), "sum": json_number(sum_.total)}
