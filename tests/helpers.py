"""What several test modules share: folders, how a run is judged, and random formulas and programs."""

import json
import math
import os
import random
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import strategies as st

from gradcli import parse
from gradcli.autodiff.ops import ALIASES, CONSTANTS, FUNCTIONS, INFIX, find
from gradcli.errors import GradcliError
from gradcli.language.ranges import read_ranges

TESTS = Path(__file__).parent
ROOT, DATA, EXAMPLES, GOLDEN, PICTURES = (
    TESTS.parent,
    TESTS / "data",
    TESTS / "examples",
    TESTS / "golden",
    TESTS / "pictures",
)

ESCAPE = "\x1b["
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")


# --------------------------------------------------------------------------------------------------- judging a run


def strict(text):
    """The JSON in `text`; NaN and Infinity are refused, as other parsers do."""

    def refuse(word):
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse)


def fails(done, code, *parts):
    """Check that a run failed as one should: nothing on stdout, a readable message, nothing that a terminal obeys."""
    assert (done.code, done.stdout) == (code, ""), done
    assert done.stderr.startswith("error: "), done.stderr
    assert "Traceback" not in done.stderr
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.stderr), ascii(done.stderr)
    for part in parts:
        assert part in done.stderr, done.stderr
    return done.stderr


def gives(done, stdout, stderr=""):
    assert done == (0, stdout, stderr)


def sheet(text, name="t.csv"):
    """The table in a text, as if it had been read from a file of this name."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_text(text, encoding="utf-8", newline="")
        from gradcli.files.columns import read_sheet

        return read_sheet(str(Path(folder) / name))


def is_read(proposal, functions=""):
    """Whether what a hint proposes is in the language: a program, or an argument that gives a value or many."""
    try:
        parse(functions + proposal)
    except GradcliError:
        return bool(read_ranges([proposal]))
    return True


# -------------------------------------------------------------------------------- random expressions and programs

POINTS = [
    {"a": 2.0, "b": 3.0, "c": 5.0, "x": 7.0, "y": 11.0, "z": 0.5},
    {"a": -1.5, "b": 0.0, "c": 1e-3, "x": -0.0, "y": 0.25, "z": math.inf},
]
SIGNS = [
    *(sign for sign in INFIX if sign.isascii() and not sign.isalpha()),
    "**",
    "−",
    "–",
    "×",
    "•",
    "÷",
    "≤",
    "≥",
    "≠",
]
WORDS = ["and", "or"]
spaces = st.sampled_from(["", "", "", " ", "  ", "\t"])
literals = st.one_of(
    st.sampled_from(["0", "1", "2", "3", ".5", "5.", "1e3", "2.5e-3", "0.1", "10", "1e300", "5e-324", "007"]),
    st.integers(0, 10**20).map(str),
    st.floats(0, allow_infinity=False).map(repr),
)
names = st.sampled_from([*POINTS[0], *CONSTANTS])


def grown(inner):
    """Formulas around smaller ones: every operator and function, with any spacing and needless parentheses."""
    grouped = st.builds("({}{}{})".format, spaces, inner, spaces)
    operand = st.one_of(grouped, names, literals)
    signed = st.builds("{}{}{}".format, st.sampled_from("-+−"), spaces, operand)
    infix = st.builds("{}{}{}{}{}".format, operand, spaces, st.sampled_from(SIGNS), spaces, operand)
    before_a_sign = st.sampled_from([sign for sign in SIGNS if sign != "%"])
    infix |= st.builds("{}{}{}{}{}".format, operand, spaces, before_a_sign, spaces, signed)
    words = st.builds("{} {} {}".format, operand, st.sampled_from(WORDS), operand)
    negation = st.builds("not {}".format, operand)
    implicit = st.builds("{}{}".format, st.sampled_from(["2", "3.5", "10"]), grouped | st.sampled_from("abcxyz"))
    raised = st.builds("{}{}".format, grouped | names, st.sampled_from(["²", "³", "⁻¹", "¹⁰"]))
    chain = st.builds(
        "{}{}{}{}{}".format, names, st.sampled_from("+-*/%^"), literals, st.sampled_from("+-*/%"), names | grouped
    )
    return st.one_of(grouped, signed, infix, infix, words, negation, implicit, raised, chain, calls(inner))


def calls(inner):
    def call(name):
        count = find(name).arity
        arguments = st.lists(inner, min_size=count or 1, max_size=count or 4)
        return arguments.map(lambda texts: f"{name}({', '.join(texts)})")

    return st.sampled_from([*FUNCTIONS, *ALIASES]).flatmap(call)


expressions = st.recursive(st.one_of(names, literals, literals.map("-{}".format)), grown, max_leaves=12)


@st.composite
def programs(draw):
    """An expression, or one that is computed in steps with names."""
    texts = draw(st.lists(expressions, min_size=1, max_size=3))
    steps = [f"t{i} = {text}" for i, text in enumerate(texts[:-1])]
    last = "".join(f"{draw(st.sampled_from('+-*'))}t{i}" for i in range(len(steps)))
    return "; ".join([*steps, f"({texts[-1]}){last}" if steps else texts[-1]])


# ------------------------------------------------------------------------------- tables to train on

MOONS = str(EXAMPLES / "moons.csv")


def clouds(rows=60):
    """Three clouds of points with names."""
    rng = random.Random(1)
    centres = {"left": (-2, 0), "right": (2, 0), "top": (0, 3)}
    lines = [
        f"{x + rng.gauss(0, 0.5):.3f},{y + rng.gauss(0, 0.5):.3f},{name}\n"
        for name, (x, y) in [list(centres.items())[i % 3] for i in range(rows)]
    ]
    return "a,b,where\n" + "".join(lines)


# loss: a table and its target
TABLES = {
    "mse": ("a,b,y\n" + "".join(f"{i},{i * i % 7},{2 * i - 3}\n" for i in range(12)), "y"),
    "hinge": (Path(MOONS).read_text(), "label"),
    "logistic": (Path(MOONS).read_text(), "label"),
    "softmax": (clouds(), "where"),
}
