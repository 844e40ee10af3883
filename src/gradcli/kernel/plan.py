"""The work of a kernel: which lines differ from row to row, what is stored for each row, what is summed.

A tape is lowered once; a plan is made for each choice of columns that it meets.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from gradcli.autodiff.ops import strong
from gradcli.autodiff.tape import Line


class Plan(NamedTuple):
    """A program for some of its inputs as columns.

    varying   the lines that differ from row to row
    columns   the lines of the inputs that are columns
    fixed     the lines that are the same for every row, without the constants
    given     those of them that varying lines use: numbers, computed beforehand
    arrays    the lines whose numbers are stored, one per row
    sums      the lines that are summed over the rows
    free      the lines that lead to partials through sums, products and choices alone
    risky     the outputs in whose computation a plain product in place of a strong one may have made a nan
    """

    lines: tuple[Line, ...]
    varying: tuple[int, ...]
    columns: tuple[int, ...]
    fixed: tuple[int, ...]
    given: tuple[int, ...]
    arrays: tuple[int, ...]
    sums: tuple[int, ...]
    free: frozenset[int]
    risky: frozenset[int]

    @property
    def risky_arrays(self) -> list[int]:
        return sorted(set(self.arrays) & self.risky)

    def operands(self, column: str, given: str) -> dict[int, str]:
        """The text of each operand that is not computed here; a constant by its digits."""
        named = {index: column.format(number) for number, index in enumerate(self.columns)}
        named |= {index: given.format(number) for number, index in enumerate(self.given)}
        return named | {i: repr(line.value) for i, line in enumerate(self.lines) if line.value is not None}

    def uses(self) -> Counter[int]:
        """The number of times that each line is read; an output once more, at the end."""
        count = Counter(index for user in self.varying for index in _operands(self.lines[user]))
        count.update(self.arrays + self.sums)
        return count


def make_plan(
    lines: tuple[Line, ...], columns: Collection[str], free: Collection[int], arrays: Iterable[int], sums: Iterable[int]
) -> Plan:
    """The plan for these names as columns. Outputs that are the same for every row are left out."""
    differs = _varying(lines, columns)
    arrays = tuple(dict.fromkeys(index for index in arrays if differs[index]))
    sums = tuple(dict.fromkeys(index for index in sums if differs[index]))
    needed = {*arrays, *sums}
    for index in range(len(lines) - 1, -1, -1):
        if index in needed and lines[index].op is not None:
            needed.update(lines[index].args)
    varying = tuple(index for index in sorted(needed) if differs[index])
    fixed = tuple(index for index, line in enumerate(lines) if not differs[index] and line.value is None)
    used = {operand for index in varying for operand in _operands(lines[index])}
    return Plan(
        lines,
        varying,
        tuple(index for index in varying if lines[index].op is None),
        fixed,
        tuple(index for index in fixed if index in used),
        arrays,
        sums,
        frozenset(free),
        frozenset(_tainted(lines, varying, free) & {*arrays, *sums}),
    )


def _operands(line: Line) -> tuple[int, ...]:
    return line.args if line.op is not None else ()


def _varying(lines: Sequence[Line], columns: Collection[str]) -> list[bool]:
    found: list[bool] = []
    for line in lines:
        found.append(any(found[index] for index in line.args) if line.op is not None else line.name in columns)
    return found


def _tainted(lines: Sequence[Line], varying: Iterable[int], free: Collection[int]) -> set[int]:
    found: set[int] = set()
    for index in varying:
        line = lines[index]
        if (line.op is strong and index in free) or found.intersection(_operands(line)):
            found.add(index)
    return found


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share(blocks: int, threads: int, work: Callable[[Iterator[int]], None]) -> None:
    """Have so many threads take block after block until none is left."""
    queue = iter(range(blocks))
    if min(blocks, threads) <= 1:
        work(queue)
        return
    with ThreadPoolExecutor(min(blocks, threads)) as pool:
        for done in [pool.submit(work, queue) for _ in range(min(blocks, threads))]:
            done.result()
