"""Optional packages, which come with an extra of this one, imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gradcli.errors import GradcliError


def load(module: str, extra: str = "batch", problem: str = "", otherwise: str = "") -> Any:
    """A module that comes with an extra, imported. Raises GradcliError, with what to install, where it is missing.

    `problem` says what it is needed for, `otherwise` what can be done without it.
    """
    try:
        return import_module(module)
    except ImportError:
        problem = problem or f"{module.partition('.')[0]} is not installed"
        raise GradcliError(problem, hint=_remedy(extra) + (f"; {otherwise}" if otherwise else "")) from None


def require_extra(extra: str, *modules: str) -> None:
    """Raise GradcliError, with the command that mends it, if one of the modules is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise GradcliError(f"{' and '.join(missing)} missing", hint=_remedy(extra))


def _remedy(extra: str) -> str:
    return f"pip install 'gradcli[{extra}]'"
