"""The parser that Lark makes of grammar/expression.lark, with its tables cached between runs.

The cache lies in the user's own cache folder, never in a shared one; Lark rebuilds it when the grammar, the
options or Lark itself has changed, and when it cannot be read.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from lark import Lark, Transformer


def grammar_text() -> str:
    """The grammar: inside an installed package, or at the top of the source tree."""
    package = Path(__file__).parent
    installed = package / "grammar" / "expression.lark"
    path = installed if installed.exists() else package.parents[1] / "grammar" / "expression.lark"
    return path.read_text(encoding="utf-8")


def make_parser(writer: Transformer[Any, Any], lexed: Any) -> Lark:
    """A LALR parser that calls `writer` while it reads, so that no tree is built and no depth is too deep."""
    options: dict[str, Any] = {
        "parser": "lalr",
        "lexer": "basic",
        "transformer": writer,
        "postlex": lexed,
        "maybe_placeholders": False,
    }
    folder = cache_folder()
    return Lark(grammar_text(), cache=str(folder / "grammar") if folder else False, **options)


def cache_folder() -> Path | None:
    """Our folder in the user's cache, made if need be; None where there is none to write to or it is not ours."""
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        root = "~/Library/Caches"
    else:
        root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    path = Path(os.path.expanduser(root)) / "gradcli"
    if not root or not path.is_absolute():
        return None
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        owned = not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()
    except OSError:
        return None
    return path if owned and os.access(path, os.W_OK) else None
