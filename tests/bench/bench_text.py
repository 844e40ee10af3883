"""From text to gradient, beside SymPy and, where they are installed, torch, jax, autograd and CasADi.

Prints the time of parse + value + gradient for a sum of 1,000 terms in 20 variables (about 10 kB) beside SymPy's
parse_expr, diff by each variable and evaluation (target: at least 50 times faster); that of value + gradient
beside the peers that take the expression as Python; the time per byte at 1 MB over that at 10 kB (at most 1.3);
and whether 100,000 nested parentheses parse.
"""

from __future__ import annotations

import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from statistics import median
from typing import Any

from measure import apart, at_least, at_most, child, holds, installed, medians, seconds, table

from gradcli import gradient, parse

VARIABLES = [f"x{i}" for i in range(20)]
POINT = {name: 0.5 + i / 20 for i, name in enumerate(VARIABLES)}
TERMS, MANY, DEEP = 1_000, 100_000, 100_000
FORMS = ("{a}*{b}", "{a}/{b}", "{a}^2*{b}", "sin({a})", "exp(-{a})", "log({a}*{b})", "{n}*{a}*{b}", "{a}*({b}-{n})")


def expression(terms: int) -> str:
    """A sum and difference of random terms."""
    rng = random.Random(1)
    written = []
    for _ in range(terms):
        a, b, n = rng.choice(VARIABLES), rng.choice(VARIABLES), rng.randint(101, 999) / 100
        written += [rng.choice("+-"), rng.choice(FORMS).format(a=a, b=b, n=n)]
    return "x0" + "".join(written)


def as_python(text: str, functions: Any) -> Callable[[Any], Any]:
    """The expression as a Python function of a sequence, with the sin, exp and log of a peer."""
    code = f"lambda x: (lambda {', '.join(VARIABLES)}: {text.replace('^', '**')})(*x)"
    return eval(code, {name: getattr(functions, name) for name in ("sin", "exp", "log")})


def by_sympy(text: str) -> list[float]:
    """Value and partial derivatives; lambdify evaluates faster than evalf or subs."""
    import sympy
    from sympy.parsing.sympy_parser import parse_expr

    parsed = parse_expr(text.replace("^", "**"))
    symbols = sympy.symbols(VARIABLES)
    everything = [parsed, *[parsed.diff(symbol) for symbol in symbols]]
    return sympy.lambdify(symbols, everything, "math")(*POINT.values())


def by_torch(text: str) -> Callable[[], list[float]]:
    import torch

    function = as_python(text, torch)

    def run() -> list[float]:
        x = [torch.tensor(number, dtype=torch.float64, requires_grad=True) for number in POINT.values()]
        out = function(x)
        out.backward()
        return [float(out), *[float(one.grad) for one in x]]

    return run


def by_jax(text: str) -> Callable[[], list[float]]:
    import jax

    jax.config.update("jax_enable_x64", True)
    run = jax.jit(jax.value_and_grad(as_python(text, jax.numpy)))  # compiled in the round that does not count

    def result() -> list[float]:
        value, partials = run(list(POINT.values()))
        return [float(value), *map(float, partials)]

    return result


def by_autograd(text: str) -> Callable[[], list[float]]:
    import autograd
    import autograd.numpy

    run = autograd.value_and_grad(as_python(text, autograd.numpy))

    def result() -> list[float]:
        value, partials = run(list(POINT.values()))
        return [float(value), *map(float, partials)]

    return result


def by_casadi(text: str) -> Callable[[], list[float]]:
    import casadi

    x = casadi.SX.sym("x", len(VARIABLES))
    out = as_python(text, casadi)(casadi.vertsplit(x))
    compiled = casadi.Function("f", [x], [out, casadi.gradient(out, x)])  # as jax: made once, not counted

    def run() -> list[float]:
        value, partials = compiled(list(POINT.values()))
        return [float(value), *map(float, partials.full().ravel())]

    return run


PEERS = {"torch": by_torch, "jax": by_jax, "autograd": by_autograd, "casadi": by_casadi}


def ours(tape: Any) -> list[float]:
    value, partials = gradient(tape, **POINT)
    return [value, *[partials[name] for name in VARIABLES]]


def agree(found: list[float], expected: list[float]) -> bool:
    return all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(found, expected, strict=True))


def once_of(name: str) -> float:
    """Seconds for the 1,000 terms, of gradcli or SymPy, after a short expression for what is done once."""
    solve = {"gradcli": ours, "sympy": by_sympy}[name]
    solve(expression(100)), solve(expression(50))
    text = expression(TERMS)
    return seconds(lambda: solve(text))


def byte_of(terms: int) -> float:
    """Seconds for each byte; the short expression is measured several times."""
    warm, text = expression(TERMS), expression(terms)
    for _ in range(5):
        ours(warm)
    return median(seconds(lambda: ours(text)) for _ in range(max(1, 20 * TERMS // terms))) / len(text)


def beside_sympy(text: str) -> None:
    names = ["gradcli", *(["sympy"] if installed("sympy") else [])]
    found = medians({name: lambda name=name: apart(__file__, "once_of", name) for name in names}, 5, warm=0)
    table(f"parse + value + gradient of {TERMS:,} terms, {len(text) / 1000:.1f} kB", found, "ms", 1e3)
    if "sympy" in names:
        at_least("sympy / gradcli", found["sympy"] / found["gradcli"], 50)
        holds("both find the same gradient", agree(ours(text), by_sympy(text)))


def beside_peers(text: str) -> None:
    tape = parse(text)
    peers = {"gradcli": lambda: ours(tape)} | {name: peer(text) for name, peer in PEERS.items() if installed(name)}
    found = medians({name: lambda peer=peer: seconds(peer) for name, peer in peers.items()}, 5)
    table("value + gradient of the same, already parsed or compiled", found, "ms", 1e3)
    for name, peer in list(peers.items())[1:]:
        holds(f"gradcli and {name} find the same gradient", agree(ours(tape), peer()))


def large() -> None:
    sizes = {f"{terms:,} terms, {len(expression(terms)) / 1000:,.1f} kB": terms for terms in (TERMS, MANY)}
    found = medians(
        {name: lambda terms=terms: apart(__file__, "byte_of", terms) for name, terms in sizes.items()}, 5, warm=0
    )
    table("gradcli, parse + value + gradient, for each byte", found, "us", 1e6)
    small, big = found.values()
    at_most("time for each byte, 1 MB / 10 kB", big / small, 1.3)
    holds(f"{DEEP:,} nested parentheses", len(parse("(" * DEEP + "x" + ")" * DEEP).lines) == 1)


def command_of(terms: int) -> float:
    """Seconds of the command itself, the whole process, on a file with the expression; its result is thrown away."""
    with tempfile.NamedTemporaryFile("w", suffix=".expr") as file:
        file.write(expression(terms))
        file.flush()
        point = [f"{name}={number}" for name, number in POINT.items()]
        command = [sys.executable, "-m", "gradcli", "eval", "-f", file.name, *point]
        return seconds(lambda: subprocess.run(command, check=True, capture_output=True))


def by_command() -> None:
    sizes = {f"{len(expression(terms)) / 1000:,.1f} kB": terms for terms in (1, TERMS, MANY // 10, MANY)}
    found = medians({name: lambda terms=terms: command_of(terms) for name, terms in sizes.items()}, 3, warm=0)
    table("gradcli eval -f FILE, the whole process", found, "s")


def main() -> None:
    text = expression(TERMS)
    beside_peers(text)
    beside_sympy(text)
    large()
    by_command()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        child({"once_of": once_of, "byte_of": byte_of}, *sys.argv[1:])
    else:
        main()
