"""Settings that a command which runs through many rows makes in its own process, once; a library would not."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

_TRIM, _MMAP = -1, -3  # parameters of mallopt in the GNU C library: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD


def keep_memory() -> None:
    """Let the GNU C library keep the memory of one block of rows for the next.

    By default it hands large pieces back to the system, which clears them page by page when they are asked for again:
    a tenth of the time of a run.
    """
    if sys.platform != "linux":
        return
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    if mallopt is not None:
        mallopt(_TRIM, 1 << 30)
        mallopt(_MMAP, 1 << 25)


def spare_pandas() -> None:
    """Let pyarrow find no pandas: it would load all of pandas to ask whether an array is one of pandas's."""
    from gradcli.extras import load

    pyarrow = load("pyarrow")
    finder = SimpleNamespace(find_spec=_no_pandas)
    sys.meta_path.insert(0, finder)
    try:
        pyarrow.array([])  # which looks for it, once and for all
    finally:
        sys.meta_path.remove(finder)


def _no_pandas(name: str, path: Any, target: Any = None) -> None:
    if name == "pandas":
        raise ModuleNotFoundError(name)
