"""How good the fits and the descents are, beside SciPy in the same run.

Prints for each of the NIST StRD nonlinear regression problems, from both of its starts, the digits that agree with
the certified parameters and standard errors: those of `gradcli.fit`, and of SciPy's curve_fit with the derivatives
that it makes itself, with its own tolerances and with tight ones. Then, for functions that
descents are tried on, how many evaluations `gradcli.minimize` needs until it is within 1e-8 of the minimum and until
it stops, beside SciPy's L-BFGS-B with the same exact gradient.
"""

from __future__ import annotations

import math
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize

sys.path.insert(0, str(Path(__file__).parents[1]))
from nist import agreement, columns_of, problems, right

import gradcli
from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.tape import replay

FEW = 4  # digits: a run that has fewer and says that it converged is a lie


def by_curve_fit(problem: dict[str, Any], start: dict[str, float], **tight: float) -> tuple[float, float, bool]:
    """Digits of parameters and standard errors, and whether it says that it converged."""
    columns = columns_of(problem)
    left, model = (gradcli.parse(text.strip(), [*columns, *start]) for text in problem["model"].split("~"))
    kernel = gradcli.compile(model, [])
    measured = gradcli.compile(left, [])(columns).value
    used = {name: column for name, column in columns.items() if name in kernel.names}

    def function(_: Any, *parameters: float) -> Any:
        return kernel.rows({**used, **dict(zip(start, parameters, strict=True))}).value

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            best, covariance = scipy.optimize.curve_fit(function, None, measured, list(start.values()), **tight)
        except (RuntimeError, ValueError):
            return 0.0, 0.0, False
        errors = np.sqrt(np.diag(covariance))
    values, stderrs = (dict(zip(start, x.tolist(), strict=True)) for x in (best, errors))
    return *agreement(problem, values, stderrs), True


def by_gradcli(problem: dict[str, Any], start: dict[str, float]) -> tuple[float, float, bool]:
    try:
        found = gradcli.fit(problem["model"], columns_of(problem), start)
    except gradcli.GradcliError:
        return 0.0, 0.0, False
    stderrs = {name: parameter.stderr or math.nan for name, parameter in found.params.items()}
    return *agreement(problem, found.values, stderrs), found.converged


def nist() -> None:
    """The table, and how many runs reach 7 digits in the parameters and 5 in the standard errors."""
    print("\nNIST StRD nonlinear regression: digits of the worst parameter and of the worst standard error")
    contestants = {
        "gradcli": by_gradcli,
        "curve_fit": by_curve_fit,
        "curve_fit, tight": partial(by_curve_fit, ftol=1e-15, xtol=1e-15, gtol=1e-15, maxfev=10_000),
    }
    print(f"  {'problem':<10} {'start':>5}" + "".join(f"{name:>20}" for name in contestants))
    counts, lies = dict.fromkeys(contestants, 0), dict.fromkeys(contestants, 0)
    for problem in problems():
        for number, start in enumerate(problem["starts"], 1):
            cells = []
            for name, contestant in contestants.items():
                values, stderrs, converged = contestant(problem, start)
                good = right(problem, values, stderrs)
                counts[name] += good
                lies[name] += converged and values < FEW
                cells.append(f"{values:5.1f} {stderrs:5.1f} {'ok' if good else '--' if converged else 'no'}")
            print(f"  {problem['name']:<10} {number:>5}" + "".join(f"{cell:>20}" for cell in cells))
    for name in counts:
        print(f"  -> {name}: {counts[name]} of 54 right; converged with fewer than {FEW} digits: {lies[name]}")
    met = counts["gradcli"] >= 53 and not lies["gradcli"]
    print(f"  -> target at least 53, and no such run: {'met' if met else 'NOT MET'}")


def rosenbrock(n: int) -> tuple[str, dict[str, float], float]:
    """The extended Rosenbrock function of Moré, Garbow and Hillstrom: pairs of variables."""
    terms = [f"100(x{i + 1} - x{i}^2)^2 + (1 - x{i})^2" for i in range(1, n, 2)]
    return " + ".join(terms), {f"x{i}": -1.2 if i % 2 else 1.0 for i in range(1, n + 1)}, 0.0


def chained(n: int) -> tuple[str, dict[str, float], float]:
    """The other one, in which each variable has two neighbours (it has a second minimum, of value 3.99, for n > 3)."""
    terms = [f"100(x{i + 1} - x{i}^2)^2 + (1 - x{i})^2" for i in range(1, n)]
    return " + ".join(terms), {f"x{i}": -1.2 if i % 2 else 1.0 for i in range(1, n + 1)}, 0.0


FUNCTIONS = {
    "Rosenbrock 2": rosenbrock(2),
    "Rosenbrock 10": rosenbrock(10),
    "Rosenbrock 100": rosenbrock(100),
    "Beale": ("(1.5 - x + x*y)^2 + (2.25 - x + x*y^2)^2 + (2.625 - x + x*y^3)^2", {"x": 1.0, "y": 1.0}, 0.0),
    "Himmelblau": ("(x^2 + y - 11)^2 + (x + y^2 - 7)^2", {"x": 1.0, "y": 1.0}, 0.0),
    "Powell singular": (
        "(a + 10b)^2 + 5(c - d)^2 + (b - 2c)^4 + 10(a - d)^4",
        {"a": 3.0, "b": -1.0, "c": 0.0, "d": 1.0},
        0.0,
    ),
    "chained Rosenbrock 10": chained(10),
    "chained Rosenbrock 100": chained(100),
}


def by_scipy(text: str, start: dict[str, float], least: float) -> tuple[int, int, float]:
    """Evaluations until within 1e-8 of the minimum, all of them, and the last distance: tolerances as SciPy has them."""
    tape, partials = differentiate(gradcli.parse(text), list(start))
    seen: list[float] = []

    def function(x: Any) -> tuple[float, Any]:
        numbers = replay(tape, dict(zip(start, x.tolist(), strict=True)))
        seen.append(numbers[tape.output])
        return seen[-1], np.array([numbers[place] for place in partials.values()])

    limits = {"maxfun": 10**6, "maxiter": 10**6}
    result = scipy.optimize.minimize(function, list(start.values()), jac=True, method="L-BFGS-B", options=limits)
    return reached(seen, least), len(seen), float(result.fun) - least


def reached(values: list[float], least: float) -> int:
    """The number of the first evaluation within 1e-8 of the minimum; 0 if there is none."""
    return next((i for i, value in enumerate(values, 1) if value - least <= 1e-8), 0)


def by_us(text: str, start: dict[str, float], least: float, method: str | None) -> tuple[int, int, float]:
    """The same for gradcli; a step is counted with all the evaluations before it."""
    found = gradcli.minimize(text, start, method=method)
    first = next((step.evaluations for step in found.path if step.value - least <= 1e-8), 0)
    return first, found.evaluations, found.value - least


def descents() -> None:
    print("\nevaluations of value and gradient until within 1e-8 of the minimum / until it stops: and where it stops")
    print(f"  {'':<24}{'gradcli':>24}{'gradcli, lbfgs':>24}{'SciPy L-BFGS-B':>24}")
    for name, (text, start, least) in FUNCTIONS.items():
        runs = [by_us(text, start, least, None), by_us(text, start, least, "lbfgs"), by_scipy(text, start, least)]
        cells = [f"{first or '-':>5} /{total:>5} {distance:9.1e}" for first, total, distance in runs]
        met = runs[0][0] and (not runs[2][0] or runs[0][0] <= runs[2][0])
        print(f"  {name:<24}" + "".join(f"{cell:>24}" for cell in cells) + ("   met" if met else "   NOT MET"))


if __name__ == "__main__":
    nist()
    descents()
