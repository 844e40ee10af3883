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
    "map_in_arrow",
    "minimize",
    "parse",
    "to_latex",
]

if TYPE_CHECKING:
    from gradcli.autodiff.engine import Value
    from gradcli.autodiff.tape import Tape
    from gradcli.calculus.check import Check, check
    from gradcli.calculus.gradient import Gradient, derivatives, gradient, hessian, jacobian, jvp
    from gradcli.errors import GradcliError
    from gradcli.files.arrow import map_in_arrow
    from gradcli.kernel.kernel import compile
    from gradcli.language.parser import parse
    from gradcli.optimize.fit import fit
    from gradcli.optimize.minimize import minimize
    from gradcli.symbolic.formulas import derivative, to_latex

_HOMES = {
    "Gradient": "calculus.gradient",
    "gradient": "calculus.gradient",
    "Check": "calculus.check",
    "check": "calculus.check",
    "derivatives": "calculus.gradient",
    "hessian": "calculus.gradient",
    "jacobian": "calculus.gradient",
    "jvp": "calculus.gradient",
    "derivative": "symbolic.formulas",
    "to_latex": "symbolic.formulas",
    "Value": "autodiff.engine",
    "GradcliError": "errors",
    "compile": "kernel.kernel",
    "fit": "optimize.fit",
    "map_in_arrow": "files.arrow",
    "minimize": "optimize.minimize",
    "parse": "language.parser",
    "Tape": "autodiff.tape",
}


def __getattr__(name: str) -> Any:
    """A public name, imported on first use: a command loads only what it needs, and the engine works without Lark.

    Any other name is looked up among the functions of the language. Raises AttributeError for one that is neither.
    """
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    row = import_module(".autodiff.ops", __name__).find(name)
    if row is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return row
