"""gradcli fit: least squares on exact derivatives."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from gradcli.errors import UsageError
from gradcli.extras import require_extra
from gradcli.language.bindings import read_bindings
from gradcli.optimize.fit import STEPS, fit, predict
from gradcli.optimize.fitted import Fit
from gradcli.render.fit import FitView, remarks, summary, verdict

from ..arguments import Request, diagnostics_of_text, formula_command, numbers_of
from ..options import descent_options
from ..output import Place, complain, conclude, report, write

if TYPE_CHECKING:
    from gradcli.files.columns import Columns

HELP = """\b
$ gradcli fit "y ~ a*exp(-b*x)" - a=1 b=1 --format pretty <<< $'x,y\\n0,5.1\\n1,2.9\\n2,1.9\\n3,1.1' | head -3
      value  std error  95% from        to
a   5.06033   0.109058   4.59109   5.52956
b  0.514051  0.0235611  0.412675  0.615426
converged: no step makes the sum of squares smaller

\b
$ gradcli fit "log(y) ~ p + q*x" data.csv p=0 q=0 --sigma 0.1/y --json > fit.json
(parameters, standard errors, correlations as JSON)

Fit a model to the rows of a CSV or TSV file: least squares, with the exact Jacobian.

Left of the ~ stands what was measured, an expression of columns; right of it the model. The values are the parameters
with their starts; FILE may be `-` for standard input. In plain output the first line holds the sum of squares, the
degrees of freedom and R^2, the others name, value, standard error and confidence interval of each parameter.
"""


@formula_command("fit", FitView, help=HELP, operands='"Y ~ MODEL" FILE NAME=START...', rows="unseen")
@click.option(
    "--sigma", metavar="COLUMN", help="The standard deviation of each row: a column, or an expression of some."
)
@click.option("--weights", metavar="COLUMN", help="The weight of each row: 1/sigma^2.")
@click.option("--absolute", is_flag=True, help="Sigma or weights are absolute: do not scale by the residuals.")
@click.option("--starts", type=click.IntRange(1), default=1, metavar="N", help="Try N starts around the given one.")
@click.option("--seed", type=int, default=0, metavar="S", help="Of the random starts; default 0.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    metavar="P",
    help="Of the intervals; default 0.95.",
)
@click.option("--predict", "unseen", metavar="FILE", help="Write the rows of FILE with the model's values instead.")
@descent_options
def command(
    request: Request,
    sigma: str | None,
    weights: str | None,
    absolute: bool,
    starts: int,
    seed: int,
    confidence: float,
    unseen: str | None,
    bounds: tuple[str, ...],
    steps: int | None,
) -> None:
    where = request.place
    start = numbers_of(read_bindings(request.arguments[1:]))
    columns = _columns(*request.arguments[:1])
    found = fit(
        request.source,
        columns,
        start,
        sigma=sigma,
        weights=weights,
        absolute=absolute,
        bounds=bounds,
        starts=starts,
        seed=seed,
        steps=steps or STEPS,
        confidence=confidence,
        where=columns.line,
    )
    blank = 0 if unseen is None else _predict(found, unseen, where)
    if unseen is None:
        write(FitView(found, confidence), where)
    left, right = diagnostics_of_text(found.model.left), diagnostics_of_text(found.model.right)
    # what stands before the model is written in both sides, and used by one of them
    report(
        list(dict.fromkeys(one for one in [*left, *right] if one.kind != "unused" or (one in left and one in right)))
    )
    precision = where.look.precision
    notes = [*remarks(found, precision), *(summary(found, blank, precision) if unseen else ())]
    conclude(found.converged and not blank, verdict(found), notes)


def _columns(path: str | None = None) -> Columns:
    if path is None or ("=" in path and not os.path.exists(path)):
        raise UsageError("there is no data file", hint='as in: gradcli fit "y ~ a*x + b" data.csv a=1 b=0')
    require_extra("fit", "numpy", "scipy")
    from gradcli.files.columns import Columns, read_sheet

    return Columns(read_sheet(path))


def _predict(fitted: Fit, path: str, destination: Place) -> int:
    """Write the rows with the model's values; the number of those that have none."""
    if destination.chosen:
        raise UsageError("--predict writes rows in the form of its FILE: leave out the format")
    from gradcli.files.columns import append, open_small, with_gaps
    from gradcli.files.rows import why_nan
    from gradcli.files.table import Bad, Results, Rows, check_new

    def compute(rows: Rows) -> Results:
        return with_gaps(rows, *predict(fitted, rows.numbers, rows.length))

    def explain(bad: Bad) -> str:
        return why_nan([fitted.model.right], {**(bad.point or {}), **fitted.values})

    table, new = open_small(path), {"predicted": float, "stderr": float}
    check_new(list(new), table.names, "rename it")
    titles = [name for name in fitted.model.right.inputs if name not in fitted.params]
    return complain(append(table, new, titles, compute, destination.path, explain)).bad
