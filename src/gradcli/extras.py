"""What an extra of the package brings, asked for before it is needed."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import GradcliError


def require_extra(extra: str, *modules: str) -> None:
    """Raise GradcliError, with the command that mends it, if one of the modules is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise GradcliError(f"{' and '.join(missing)} missing", hint=f"pip install 'gradcli[{extra}]'")
