"""The examples: each runs as its own comment says, and its numbers are those of the closed forms."""

import math
import shlex

import pytest
from helpers import EXAMPLES

FOLDER = EXAMPLES


def normal(x):
    """Distribution of the standard normal, without gradcli."""
    return math.erfc(-x / math.sqrt(2)) / 2


def density(x):
    return math.exp(-x * x / 2) / math.sqrt(math.tau)


def black_scholes(S=100, K=95, r=0.02, sigma=0.3, T=0.5):
    d1 = (math.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * math.sqrt(T))
    d2 = d1 - sigma * math.sqrt(T)
    discounted = K * math.exp(-r * T)
    return {
        "call": S * normal(d1) - discounted * normal(d2),
        "S": normal(d1),
        "K": -math.exp(-r * T) * normal(d2),
        "r": T * discounted * normal(d2),
        "sigma": S * density(d1) * math.sqrt(T),
        "T": S * density(d1) * sigma / (2 * math.sqrt(T)) + r * discounted * normal(d2),
    }


def neuron(w1=0.5, w2=-1, bias=0.25, x1=2, x2=1, y=1):
    p = 1 / (1 + math.exp(-(w1 * x1 + w2 * x2 + bias)))
    return {"loss": -math.log(p), "w1": (p - y) * x1, "w2": (p - y) * x2, "bias": p - y}


RESULTS = {
    "walkthrough": {"e": 84, "a": 40, "b": 33},
    "black_scholes": black_scholes(),
    "lens": {"b": 0.3, "f": (0.06 / 0.01) ** 2, "g": -((0.05 / 0.01) ** 2)},  # f g/(g-f); (g/(g-f))², -(f/(g-f))²
    "neuron": neuron(),
}


def test_every_example_has_a_result():
    with_a_point = {path.stem for path in FOLDER.glob("*.expr") if "# gradcli eval" in path.read_text(encoding="utf-8")}
    assert with_a_point == set(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_example(name, run):
    text = (FOLDER / f"{name}.expr").read_text(encoding="utf-8")
    (command,) = [line.removeprefix("# gradcli ") for line in text.splitlines() if line.startswith("# gradcli ")]
    done = run(*shlex.split(command.replace(f"{name}.expr", str(FOLDER / f"{name}.expr"))))
    assert (done.code, done.stderr) == (0, "")
    (output, value, _), *rows = [line.split("\t") for line in done.stdout.splitlines()]
    found = {output: float(value)} | {variable: float(partial) for variable, _, partial in rows}
    assert found == pytest.approx(RESULTS[name], rel=1e-12)
