"""Streams of bytes: files and standard input, compressed or not, in pieces; and work on the pieces in their order."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import IO, Any, TypeVar

from gradcli.errors import FileError
from gradcli.extras import load
from gradcli.kernel.plan import cores

PIECE = 1 << 21  # bytes read at once: enough rows that what is done once for each piece does not count
CODECS = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def name_of(path: str) -> str:
    """The name of a file in a message."""
    return "standard input" if path == "-" else path


def codec_of(path: str) -> str | None:
    """The compression that a file's ending stands for."""
    return CODECS.get(os.path.splitext(path)[1].lower())


@contextmanager
def reading(path: str) -> Iterator[IO[bytes]]:
    """A file opened to read, without a buffer: a read returns what is there. `-` is standard input."""
    with file_trouble(path):
        if path != "-":
            with open(path, "rb", buffering=0) as file:
                yield file
        elif sys.stdin is None:
            raise FileError("cannot read standard input: it is closed")
        else:
            yield getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)


@contextmanager
def file_trouble(path: str) -> Iterator[None]:
    """Trouble with a file that is read, as a FileError."""
    try:
        yield
    except (OSError, ValueError) as problem:  # Arrow says ValueError of a file that is broken
        reason = getattr(problem, "strerror", None) or str(problem)
        raise FileError(f"cannot read {name_of(path)}: {reason}") from None


def size_of(path: str) -> int | None:
    """The bytes of a file, None where its rows have another size or none is known: compressed, or no regular file."""
    with file_trouble(path):
        return os.stat(path).st_size if path != "-" and os.path.isfile(path) and not codec_of(path) else None


def decoded(path: str, data: bytes, line: int) -> str:
    """The text of some lines of a file, the first of which is `line`. Raises FileError where it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        line += data.count(b"\n", 0, problem.start)
        raise FileError(f"{name_of(path)} is not UTF-8: byte 0x{data[problem.start]:02X} in line {line}") from None


def pieces(path: str) -> Iterator[bytes]:
    """The content of a file in pieces as they come, decompressed as its ending says."""
    codec = codec_of(path)
    with reading(path) as file:
        _widen(file)
        stream: Any = load("pyarrow").CompressedInputStream(file, codec) if codec else file
        while piece := stream.read(PIECE):
            yield piece


def _widen(file: IO[bytes]) -> None:
    """Ask for a pipe that holds a piece, so that a fast one brings large pieces; a slow one is not kept waiting."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import fcntl

        fcntl.fcntl(file.fileno(), fcntl.F_SETPIPE_SZ, PIECE // 2)


def in_order(pieces: Iterable[Piece], work: Callable[[Piece], Result], threads: int | None = None) -> Iterator[Result]:
    """`work` of each piece, in the order of the pieces, several at a time, a bounded number ahead.

    Reading goes on in a thread of its own, so that a result is there as soon as it can be, however slowly pieces
    come. An error in reading or working is raised where its turn comes.
    """
    threads = threads or cores()
    queue: SimpleQueue[Future[Result] | BaseException | None] = SimpleQueue()
    slots, stopped = threading.Semaphore(threads + 2), threading.Event()
    pool = ThreadPoolExecutor(threads)

    def feed() -> None:
        try:
            for piece in pieces:
                slots.acquire()
                if stopped.is_set():
                    return
                queue.put(pool.submit(work, piece))
            queue.put(None)
        except BaseException as problem:  # raised again below, in the thread that waits
            queue.put(problem)

    threading.Thread(target=feed, daemon=True).start()
    try:
        while (item := queue.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item.result()
            slots.release()
    finally:
        stopped.set()
        slots.release()
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the end of this, so that rows are written whole; a second one does not wait."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def note(number: int, _: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def writer_of(file: IO[bytes]) -> Callable[[Iterable[Any]], None]:
    """A function that writes pieces of bytes, all of them even when Ctrl-C is pressed meanwhile."""

    def write(several: Iterable[Any]) -> None:
        with uninterrupted():
            for data in several:
                file.write(data)
            file.flush()

    return write
