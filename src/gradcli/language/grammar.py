"""The parser that Lark makes of grammar/expression.lark, with its tables cached between runs.

The cache lies in the user's own cache folder, never in a shared one; Lark rebuilds it when the grammar, the
options or Lark itself has changed, and when it cannot be read.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from lark import Lark, Transformer


def grammar_text() -> str:
    """The grammar: inside an installed package, or at the top of the source tree."""
    package = os.path.dirname(os.path.dirname(__file__))  # os.path, as importing pathlib would slow down every start
    path = os.path.join(package, "grammar", "expression.lark")
    if not os.path.exists(path):
        path = os.path.join(package, "..", "..", "grammar", "expression.lark")
    with open(path, encoding="utf-8") as file:
        return file.read()


def make_parser(writer: Transformer[Any, Any], lexed: Any) -> Lark:
    """A LALR parser that calls `writer` while it reads, so that no tree is built and no depth is too deep."""
    options: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "maybe_placeholders": False}
    folder = cache_folder()
    cache = os.path.join(folder, "grammar") if folder else False
    return Lark(grammar_text(), cache=cache, transformer=writer, postlex=lexed, **options)


def cache_folder() -> str | None:
    """Our folder in the user's cache, made if need be; None where there is none to write to or it is not ours."""
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        root = "~/Library/Caches"
    else:
        root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    path = os.path.join(os.path.expanduser(root), "gradcli")
    if not root or not os.path.isabs(path):
        return None
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        owned = not hasattr(os, "getuid") or os.stat(path).st_uid == os.getuid()
    except OSError:
        return None
    return path if owned and os.access(path, os.W_OK) else None
