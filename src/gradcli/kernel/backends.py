"""The back ends: what makes a program of a plan. A new one is a module with a BACKEND, and a row in HOMES."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from gradcli.autodiff.ops import Op
from gradcli.autodiff.tape import Line
from gradcli.errors import GradcliError
from gradcli.extras import load

from .plan import Plan

Build = Callable[[Plan], tuple[str, Callable[..., Any]]]


class Backend(NamedTuple):
    """A back end: what it has and does.

    native  the rows that it has itself: others come to it as what they expand to
    lacks   the reason why it cannot compute some lines here, or None
    build   makes of a plan the source, and run(columns, given, outputs, rows, threads): fills the outputs, returns the sums
    """

    name: str
    native: frozenset[Op]
    lacks: Callable[[Sequence[Line]], GradcliError | None]
    build: Build


class Home(NamedTuple):
    """The module of a back end, the package and the extra that it needs, and how many lines it compiles in good time."""

    module: str
    package: str
    extra: str
    problem: str
    longest: float = math.inf


HOMES = {  # the fastest first; LLVM takes seconds from 1500 lines on, as its time grows with the square of them
    "llvm": Home("llvm_backend", "llvmlite", "jit", "the LLVM back end needs llvmlite, which is not installed", 1500),
    "numpy": Home("numpy_backend", "numpy", "batch", "columns need NumPy, which is not installed"),
}


def find(name: str) -> Backend:
    """A back end by its name. Raises GradcliError, with what to install, where what it needs is missing."""
    home = HOMES[name]
    load(home.package, home.extra, home.problem)
    backend: Backend = import_module(f".{home.module}", __package__).BACKEND
    return backend


def choose(name: str, lines: Sequence[Line]) -> Backend:
    """The back end that was asked for, or with "auto" the fastest that computes these lines here.

    Raises GradcliError, with the reason, where there is none.
    """
    candidates = [key for key in HOMES if len(lines) <= HOMES[key].longest] if name == "auto" else [name]
    problem: GradcliError | None = None
    for candidate in candidates:
        try:
            backend = find(candidate)
            problem = backend.lacks(lines)
        except GradcliError as missing:
            problem = missing
        if problem is None:
            return backend
    assert problem is not None, "there is a back end for any number of lines"
    raise problem
