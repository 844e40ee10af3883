"""Fits against certified values: NIST's problems, and some of our own."""

import math

import numpy as np
import pytest
from nist import agreement, columns_of, problems, right

from gradcli import fit

RUNS = [(problem, number) for problem in problems() for number in (0, 1)]


def test_at_least_53_of_54_runs_are_right():
    wrong, lies = [], []
    for problem, number in RUNS:
        found = fit(problem["model"], columns_of(problem), problem["starts"][number])
        stderrs = {name: parameter.stderr for name, parameter in found.params.items()}
        values, errors = agreement(problem, found.values, stderrs)
        if not right(problem, values, errors):
            wrong.append((problem["name"], number, values, errors))
        if found.converged and values < 4:
            lies.append((problem["name"], number, values))
    assert len(RUNS) == 54 and len(wrong) <= 1, wrong
    assert lies == []


@pytest.mark.parametrize("name", ["Misra1a", "Thurber", "Rat43"])
def test_sum_of_squares_and_degrees_of_freedom(name):
    problem = next(one for one in problems() if one["name"] == name)
    found = fit(problem["model"], columns_of(problem), problem["starts"][1])
    assert found.rss == pytest.approx(problem["rss"], rel=1e-9)
    assert found.dof == len(found.measured) - len(found.params)


def test_the_ruler_is_right():
    problem = {"name": "one", "certified": {"a": {"value": 2.0, "stderr": 0.5}}}
    values, errors = agreement(problem, {"a": 2.0 + 2e-8}, {"a": 0.5 + 5e-6})
    assert values == pytest.approx(8) and errors == pytest.approx(5)
    assert agreement(problem, {"a": math.nan}, {"a": -3.0}) == (0.0, 0.0)
    assert right(problem, 7.0, 5.0) and not right(problem, 6.9, 5.0) and not right(problem, 7.0, 4.9)


# Residuals at right angles to what the parameters can change, added to a curve, do not move the minimum: the answer is
# known without any fit.
OWN = {
    "logistic": ("y ~ k/(1 + exp(-r*(x - m)))", {"k": 9.0, "r": 1.4, "m": 3.0}, {"k": 5, "r": 0.5, "m": 1}),
    "decay": ("y ~ a*exp(-b*x) + c", {"a": 40.0, "b": 0.9, "c": 2.0}, {"a": 1, "b": 0.1, "c": 0}),
    "power": ("y ~ a*(x + 1)^b", {"a": 0.3, "b": 2.2}, {"a": 5, "b": 1}),
    "peak": ("y ~ h*exp(-((x - m)/w)^2)", {"h": 7.0, "m": 2.5, "w": 1.1}, {"h": 3, "m": 2, "w": 2}),
    "far scales": ("y ~ a*exp(-b*x/1e-9)", {"a": 5e6, "b": 4e-10}, {"a": 1e6, "b": 1e-10}),
}


@pytest.mark.parametrize("name", OWN)
def test_known_answers(name):
    import gradcli

    model, truth, start = OWN[name]
    x = np.linspace(0, 6, 40)
    curve, partials = gradcli.compile(model.split("~")[1].strip(), list(truth)).rows({"x": x, **truth})
    jacobian = np.column_stack(list(partials.values()))
    basis, _ = np.linalg.qr(jacobian)
    noise = np.cos(7 * x) * 0.02 * np.abs(curve).max()
    noise -= basis @ (basis.T @ noise)
    found = fit(model, {"x": x, "y": curve + noise}, start)
    assert found.converged and list(found.values.values()) == pytest.approx(list(truth.values()), rel=1e-8)
    scale = np.linalg.norm(jacobian, axis=0)
    inverse = np.linalg.inv((jacobian / scale).T @ (jacobian / scale))
    errors = np.sqrt(np.diag(inverse) * (noise @ noise) / (len(x) - len(truth))) / scale
    assert [parameter.stderr for parameter in found.params.values()] == pytest.approx(errors, rel=1e-7)
