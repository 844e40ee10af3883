"""Formulas and their derivatives: see `gradcli --help` for the command.

    import gradcli
    gradcli.gradient("(a+b)*(a*b)", a=3, b=4)     # Gradient(value=84.0, partials={'a': 40.0, 'b': 33.0})

    a, b = gradcli.Value(3.0), gradcli.Value(4.0)
    out = (a + b) * (a * b)
    out.backward()                                # a.grad is 40.0, b.grad is 33.0

Every function of the language is a module function too (`gradcli.tanh(x)`), on floats and on Values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = [
    "Check",
    "GradcliError",
    "Gradient",
    "Tape",
    "Value",
    "check",
    "compile",
    "derivative",
    "derivatives",
    "fit",
    "gradient",
    "hessian",
    "jacobian",
    "jvp",
    "minimize",
    "parse",
    "to_latex",
]

if TYPE_CHECKING:
    from .calculus import Gradient, derivatives, gradient, hessian, jacobian, jvp
    from .checking import Check, check
    from .engine import Value
    from .errors import GradcliError
    from .fits.fitting import fit
    from .fits.minimum import minimize
    from .formulas import derivative, to_latex
    from .kernel import compile
    from .syntax import parse
    from .tape import Tape

_HOMES = {
    "Gradient": "calculus",
    "gradient": "calculus",
    "Check": "checking",
    "check": "checking",
    "derivatives": "calculus",
    "hessian": "calculus",
    "jacobian": "calculus",
    "jvp": "calculus",
    "derivative": "formulas",
    "to_latex": "formulas",
    "Value": "engine",
    "GradcliError": "errors",
    "compile": "kernel",
    "fit": "fits.fitting",
    "minimize": "fits.minimum",
    "parse": "syntax",
    "Tape": "tape",
}


def __getattr__(name: str) -> Any:
    """Load on first use: the command pays for what it needs, and the engine works where Lark is missing."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    row = import_module(".ops", __name__).find(name)
    if row is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return row
