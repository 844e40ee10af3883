"""The LLVM back end: assembly for vectors of 8, 4 or 2 rows, compiled for this processor and run on all its cores.

It needs llvmlite and the vector mathematics of the GNU C library; where one of them is missing, NumPy computes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from gradcli.autodiff.tape import Line, lacking
from gradcli.errors import GradcliError

from .backends import Backend
from .llvm_assembly import Machine
from .llvm_writer import NATIVE, needed, write
from .plan import Plan, share

ROWS = 1 << 14  # rows that a thread takes at a time, and that are summed before the sums are


@cache
def machine() -> Machine | None:
    """This computer, or None where a complete vector mathematics library is missing."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    try:
        library = ctypes.CDLL("libmvec.so.1")
        found = widest(llvm.get_host_cpu_features())
    except (OSError, RuntimeError):
        return None
    if not all(hasattr(library, name) for name in needed(found)):
        return None
    for name in needed(found):
        llvm.add_symbol(name, ctypes.cast(library[name], ctypes.c_void_p).value)
    llvm.add_symbol("fmod", ctypes.cast(ctypes.CDLL("libm.so.6").fmod, ctypes.c_void_p).value)
    return found


def widest(features: Any) -> Machine:
    """The widest vectors of a processor: as many lanes as the vector function ABI has a letter for."""
    fma = bool(features.get("fma"))
    if features.get("avx512f") and features.get("avx512dq"):
        return Machine(8, "e", fma, features.flatten())
    if features.get("avx2"):
        return Machine(4, "d", fma, features.flatten())
    return Machine(2, "b", fma, features.flatten())


def lacks(lines: Sequence[Line]) -> GradcliError | None:
    """The reason why these lines cannot be computed here: the library is missing, or a row."""
    if machine() is None:
        return GradcliError(
            "the LLVM back end needs the vector mathematics of the GNU C library (libmvec 2.35, x86-64)",
            hint="the back end numpy runs everywhere",
        )
    missing = lacking(lines, NATIVE)
    if not missing:
        return None
    return GradcliError(f"the LLVM back end does not compute {missing[0].name}", hint="the back end numpy does")


def build(plan: Plan) -> tuple[str, Callable[..., Any]]:
    """The assembly, and run(columns, given, outputs, rows, threads): fills the outputs, returns the sums."""
    target = machine()
    assert target is not None, "see `lacks`"
    source = write(plan, target)
    engine, function = _compiled(source, target)
    lanes = target.lanes

    def run(columns: Sequence[Any], given: Sequence[float], outputs: Sequence[Any], rows: int, threads: int) -> Any:
        rest = rows % lanes
        whole = rows - rest
        blocks = -(-whole // ROWS)
        sums = np.zeros((blocks + 1, len(plan.sums), lanes))
        numbers = (ctypes.c_double * len(given))(*given)

        def call(start: int, stop: int, alive: int, inputs: Any, results: Any, block: int) -> None:
            function(start, stop, alive, inputs, numbers, results, sums.ctypes.data + block * sums.strides[0])

        def work(queue: Iterator[int]) -> None:
            for block in queue:
                call(block * ROWS, min((block + 1) * ROWS, whole), lanes, inputs, results, block)

        inputs, results = _addresses(columns), _addresses(outputs)
        share(blocks, threads, work)
        if rest:  # the last rows, filled up with copies of the last one
            last = [np.concatenate([column[whole:], [column[-1]] * (lanes - rest)]) for column in columns]
            found = [np.empty(lanes) for _ in outputs]
            call(0, lanes, rest, _addresses(last), _addresses(found), blocks)
            for output, one in zip(outputs, found, strict=True):
                output[whole:] = one[:rest]
        return sums.sum(axis=(0, 2))

    run.engine = engine  # type: ignore[attr-defined] # it owns the code
    return source, run


def _addresses(arrays: Sequence[Any]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])


def _compiled(source: str, target: Machine) -> tuple[Any, Callable[..., None]]:
    module = llvm.parse_assembly(source)
    made = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=target.features, opt=3
    )
    engine = llvm.create_mcjit_compiler(module, made)
    engine.finalize_object()
    types = [ctypes.c_int64] * 3 + [ctypes.c_void_p] * 4
    return engine, ctypes.CFUNCTYPE(None, *types)(engine.get_function_address("kernel"))


BACKEND = Backend("llvm", NATIVE, lacks, build)
