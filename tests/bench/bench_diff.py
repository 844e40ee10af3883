"""Derivatives as formulas, beside SymPy.

Prints the time that the derivatives of a parsed expression of 1,000 terms by all of its 20 variables take, beside
SymPy's diff of the same expression: until they are there (target: at least 20 times faster), and until they are set
in order and written as text, which SymPy's str does as they stand; whether 10,000 terms work; the time for each line
of the tape at 10,000 terms over that at 1,000 (at most 1.3); and the length of the gradient's tape over the
function's, for 200 random expressions and the derivative table of the tests (at most 5). Each measurement has a
process of its own.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench_text import POINT, TERMS, VARIABLES, expression
from measure import apart, at_least, at_most, child, holds, installed, medians, seconds, table

from gradcli import parse
from gradcli.autodiff.adjoint import differentiate
from gradcli.autodiff.ops import FUNCTIONS
from gradcli.autodiff.tape import replay
from gradcli.symbolic.formulas import formulas

MANY, RANDOM = 10_000, 200
GOLDEN = Path(__file__).parent.parent / "golden"


def written(tape: Any) -> list[str]:
    """The derivative by each variable as a formula."""
    page = formulas(*differentiate(tape, list(tape.inputs)))
    return [page.text(name) for name in page.places]


def once_of(name: str, terms: int, text: bool) -> float:
    """Seconds for the derivatives of a parsed expression, after a short one for what is done once.

    With `text` until they are written out, else until they are there: as lines of a tape, or as SymPy's expressions.
    """
    if name == "gradcli":
        short, tape = parse(expression(100)), parse(expression(terms))
        work = written if text else lambda one: differentiate(one, list(one.inputs))
        work(short)
        return seconds(lambda: work(tape))
    import sympy
    from sympy.parsing.sympy_parser import parse_expr

    short, tape = (parse_expr(expression(count).replace("^", "**")) for count in (100, terms))
    symbols = sympy.symbols(VARIABLES)
    as_text = str if text else lambda one: one
    [as_text(short.diff(symbol)) for symbol in symbols]
    return seconds(lambda: [as_text(tape.diff(symbol)) for symbol in symbols])


def line_of(terms: int) -> float:
    """Seconds for each line of the tape; a short one is measured several times."""
    tape = parse(expression(terms))
    written(parse(expression(TERMS)))
    return median(seconds(lambda: written(tape)) for _ in range(max(1, 5 * TERMS // terms))) / len(tape.lines)


def agree(terms: int) -> bool:
    """Whether SymPy finds the same numbers as the formulas."""
    import sympy
    from sympy.parsing.sympy_parser import parse_expr

    parsed = parse_expr(expression(terms).replace("^", "**"))
    symbols = sympy.symbols(VARIABLES)
    theirs = sympy.lambdify(symbols, [parsed.diff(symbol) for symbol in symbols], "math")(*POINT.values())
    tapes = [parse(text, POINT) for text in written(parse(expression(terms)))]
    ours = dict(zip(parse(expression(terms)).inputs, [replay(tape, POINT)[tape.output] for tape in tapes], strict=True))
    return all(math.isclose(ours[name], x, rel_tol=1e-9) for name, x in zip(VARIABLES, theirs, strict=True))


TASKS = {task.__name__: task for task in (once_of, line_of, agree)}


def beside_sympy() -> None:
    names = ["gradcli", *(["sympy"] if installed("sympy") else [])]
    for what, text in (("as lines of a tape, as expressions of SymPy", False), ("as text", True)):
        contestants = {
            name: lambda name=name, text=text: apart(__file__, "once_of", name, TERMS, text) for name in names
        }
        found = medians(contestants, 5, warm=0)
        table(f"derivatives of {TERMS:,} parsed terms by {len(VARIABLES)} variables, {what}", found, "ms", 1e3)
        if "sympy" in names and not text:
            at_least("sympy / gradcli", found["sympy"] / found["gradcli"], 20)
    if "sympy" in names:
        holds("both find the same derivatives", apart(__file__, "agree", TERMS))


def large() -> None:
    sizes = {f"{terms:,} terms": terms for terms in (TERMS, MANY)}
    found = medians({n: lambda terms=terms: apart(__file__, "line_of", terms) for n, terms in sizes.items()}, 3, warm=0)
    table("gradcli, derivatives by all variables, for each line of the tape", found, "us", 1e6)
    small, big = found.values()
    at_most(f"time for each line, {MANY:,} / {TERMS:,} terms", big / small, 1.3)


# --------------------------------------------------------------------------------- the length of the gradient


def random_expression(dice: random.Random, depth: int) -> str:
    if depth == 0 or dice.random() < 0.1:
        return dice.choice(["x", "y", "z", "x", "y", "z", "2", "0.5"])
    inner = [random_expression(dice, depth - 1) for _ in range(3)]
    if dice.random() < 0.6:
        return f"({inner[0]}){dice.choice('+-**//^')}({inner[1]})"
    row = dice.choice([row for row in FUNCTIONS.values() if row.name not in ("polygamma", "sincn")])
    return f"{row.name}({', '.join(inner[: row.arity or 3])})"


def random_expressions() -> Iterator[str]:
    dice, count = random.Random(1), 0
    while count < RANDOM:
        text = random_expression(dice, 5)
        if len(parse(text).lines) >= 10:
            count += 1
            yield text


def examples() -> Iterator[str]:
    for line in (GOLDEN / "derivatives.txt").read_text(encoding="utf-8").splitlines():
        if "|" in line:
            yield line.partition("  |")[0]


def growth(text: str) -> float:
    """Lines of value and gradient over lines of the value."""
    tape = parse(text)
    first, _ = differentiate(tape, list(tape.inputs))
    return len(first.lines) / len(tape.lines)


def lengths() -> None:
    for what, texts in ((f"{RANDOM} random expressions", random_expressions()), ("the derivative table", examples())):
        ratios = {text: growth(text) for text in texts}
        longest = max(ratios, key=ratios.__getitem__)
        print(f"\nlines of value and gradient over lines of the value, {what}")
        print(f"  median {median(ratios.values()):.2f}, most {ratios[longest]:.2f}, of {longest[:80]}")
        at_most("most", ratios[longest], 5)


def main() -> None:
    beside_sympy()
    large()
    lengths()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        child(TASKS, *sys.argv[1:])
    else:
        main()
