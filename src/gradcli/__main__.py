"""`python -m gradcli` is the command."""

from gradcli.cli import entry

entry()
