"""A fit, in every format: the answer of `fit`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.optimize.fitted import Fit
from gradcli.text import counted, json_number, json_numbers, rounded

from . import markdown
from .view import Look, Row

if TYPE_CHECKING:
    from rich.text import Text


class FitView(NamedTuple):
    """The parameters with their errors; `confidence` is that of the intervals."""

    fit: Fit
    confidence: float = 0.95

    def plain(self) -> Iterator[Row]:
        """`=`, sum of squares, degrees of freedom, R²; then name, value, standard error, interval of each parameter."""
        yield "=", self.fit.rss, float(self.fit.dof), self.fit.r2
        for name, parameter in self.fit.params.items():
            yield name, parameter.value, parameter.stderr, parameter.low, parameter.high

    def json(self) -> dict[str, Any]:
        fit = self.fit
        return {
            "model": fit.model.source.text,
            "params": {name: json_numbers(parameter._asdict()) for name, parameter in fit.params.items()},
            "rss": json_number(fit.rss),
            "dof": fit.dof,
            "r2": None if fit.r2 is None else json_number(fit.r2),
            "correlations": {name: json_numbers(row) for name, row in fit.correlations.items()},
            "converged": fit.converged,
            "iterations": fit.iterations,
            "bounds": json_numbers(fit.bounds),
            "starts": {"tried": fit.starts[0], "alike": fit.starts[1]},
        }

    def pretty(self, look: Look) -> Iterator[Text]:
        from .fit_lines import lines

        named = facts(self.fit, look.precision)
        return lines(self.fit, named, width=look.width, precision=look.precision, confidence=self.confidence)

    def markdown(self, look: Look) -> Iterator[str]:
        level = f"{rounded(100 * self.confidence, 4)}%"
        yield markdown.code(self.fit.model.source.text)
        rows = [
            [markdown.code(name), *("" if x is None else rounded(x, look.precision) for x in parameter)]
            for name, parameter in self.fit.params.items()
        ]
        yield markdown.table(["", "value", "std error", f"{level} from", "to"], rows)
        yield markdown.table(["", ""], [[name, fact] for name, fact in facts(self.fit, look.precision).items()])
        yield verdict(self.fit)


def facts(fit: Fit, precision: int) -> dict[str, str]:
    """The figures that say how well the model fits, by name."""
    figures = {"RSS": rounded(fit.rss, precision), "degrees of freedom": str(fit.dof)}
    return figures | ({} if fit.r2 is None else {"R²": rounded(fit.r2, precision)})


def verdict(fit: Fit) -> str:
    """The sentence that says whether the fit converged."""
    if fit.converged:
        return "converged: no step makes the sum of squares smaller"
    return f"not converged: after {fit.iterations} steps the sum of squares could still be smaller"


def remarks(fit: Fit, precision: int) -> Iterator[str]:
    """Starts that agree, bounds that were reached, and what may help a fit that did not converge."""
    tried, alike = fit.starts
    if tried > 1:
        yield f"{alike} of {tried} starts led to this minimum"
    for name, bound in fit.bounds.items():
        yield f"{name} ends on its bound {rounded(bound, precision)}"
    if fit.left_out:
        yield f"{counted(fit.left_out, 'row')} left out: the weight is 0"
    if fit.r2 is not None and fit.r2 < 0:
        yield "R² is below 0: the model is worse than the mean of what was measured"
    if not fit.converged:
        yield "hint: try another start, or many: --starts 50; bounds keep them where the model makes sense"


def summary(fit: Fit, blank: int, precision: int) -> Iterator[str]:
    """The parameters in words, beside rows with the model's values; and the number of rows without one."""
    for name, parameter in fit.params.items():
        error = "" if parameter.stderr is None else f" ± {rounded(parameter.stderr, precision)}"
        yield f"{name} = {rounded(parameter.value, precision)}{error}"
    if blank:
        yield f"the model has no value in {counted(blank, 'row')}: the cells are empty there"
