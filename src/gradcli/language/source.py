"""Texts that are read from a file or from standard input, as UTF-8: an expression or a model."""

from __future__ import annotations

import sys

from gradcli.errors import FileError


def read_file(path: str) -> str:
    """The text of a file, `-` for standard input. Raises FileError, with the line where it is not UTF-8."""
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            if sys.stdin is None:
                raise FileError("cannot read standard input: it is closed")
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
    except (OSError, ValueError) as problem:
        raise FileError(f"cannot read {name}: {getattr(problem, 'strerror', None) or problem}") from None
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise FileError(f"{name} is not UTF-8: byte 0x{data[problem.start]:02X} in line {line}") from None
