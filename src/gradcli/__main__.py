"""`python -m gradcli` is the command."""

from .cli import entry

entry()
