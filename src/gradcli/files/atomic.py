"""Writing a file whole or not at all: beside it first, then in its place."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from gradcli.errors import FileError


@contextmanager
def whole(path: str) -> Iterator[IO[bytes]]:
    """A file to write to that takes the place of `path` when all went well. Raises FileError for disk trouble.

    What is not a regular file (/dev/stdout, a named pipe) is written as it is.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as device:
                yield device
            return
        with _replacing(os.path.realpath(path)) as file:
            yield file
    except OSError as problem:
        raise FileError(f"cannot write {path}: {problem.strerror or problem}") from None


@contextmanager
def _replacing(path: str) -> Iterator[IO[bytes]]:
    handle, temporary = tempfile.mkstemp(prefix=".gradcli-", dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            yield file
        mode = os.stat(path).st_mode if os.path.exists(path) else 0o666 & ~umask()
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def umask() -> int:
    """The permissions that the user does not give with new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
