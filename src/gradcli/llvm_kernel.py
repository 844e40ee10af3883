"""The LLVM back end: a tape as vector instructions, 8, 4 or 2 rows at a time.

Arithmetic becomes instructions, a choice a select, a function a call of the C library's vector mathematics (libmvec),
a sum over the rows a vector of partial sums. What the library lacks is called lane by lane, or not done here.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from . import ops
from .errors import GradcliError
from .lowering import ADD, DIV, IF, MAX, MIN, MOD, MUL, NEG, POW, STRONG, SUB
from .ops import Op
from .plan import Plan, share
from .simplify import TRUTHS
from .tape import Line

ROWS = 1 << 14  # rows that a thread takes at a time, and that are summed before the sums are

INSTRUCTIONS = {ADD: "fadd", SUB: "fsub", MUL: "fmul", DIV: "fdiv", NEG: "fneg"}
COMPARISONS = {ops.lt: "olt", ops.le: "ole", ops.gt: "ogt", ops.ge: "oge", ops.eq: "oeq", ops.ne: "une"}
CONNECTIVES = {ops.and_: "and", ops.or_: "or"}
INTRINSICS = {
    ops.abs_: "fabs", ops.floor: "floor", ops.ceil: "ceil", ops.round: "rint", ops.trunc: "trunc", ops.sqrt: "sqrt",
}  # fmt: skip
VECTOR_FUNCTIONS = {
    row: row.name
    for row in (ops.sin, ops.cos, ops.tan, ops.asin, ops.acos, ops.atan, ops.sinh, ops.cosh, ops.tanh, ops.asinh,
                ops.acosh, ops.atanh, ops.exp, ops.exp2, ops.expm1, ops.log, ops.log2, ops.log10, ops.log1p, ops.cbrt,
                ops.erf, ops.erfc, ops.atan2, ops.hypot)
} | {POW: "pow"}  # fmt: skip
COMPUTED = {*INSTRUCTIONS, *INTRINSICS, *VECTOR_FUNCTIONS, *TRUTHS, IF, STRONG, MAX, MIN, MOD}


class Machine(NamedTuple):
    """What code is written for: rows in a vector, and the letter of the vector functions of that width."""

    lanes: int
    letter: str
    features: str = ""


@cache
def machine() -> Machine | None:
    """This computer, or None where llvmlite or a complete vector mathematics library is missing."""
    try:
        import llvmlite.binding as llvm
    except ImportError:
        return None
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    try:
        library = ctypes.CDLL("libmvec.so.1")
        features = llvm.get_host_cpu_features()
    except (OSError, RuntimeError):
        return None
    found = widest(features)
    names = [vector_name(found, row) for row in VECTOR_FUNCTIONS]
    if not all(hasattr(library, name) for name in names):
        return None
    for name in names:
        llvm.add_symbol(name, ctypes.cast(library[name], ctypes.c_void_p).value)
    llvm.add_symbol("fmod", ctypes.cast(ctypes.CDLL("libm.so.6").fmod, ctypes.c_void_p).value)
    return found


def widest(features: Any) -> Machine:
    """The widest vectors of a processor: as many lanes as the vector function ABI has a letter for."""
    if features.get("avx512f") and features.get("avx512dq"):
        return Machine(8, "e", features.flatten())
    if features.get("avx2"):
        return Machine(4, "d", features.flatten())
    return Machine(2, "b", features.flatten())


def require() -> None:
    """Raise GradcliError where this back end cannot run, with what is missing."""
    from importlib.util import find_spec

    if machine() is None and find_spec("llvmlite") is None:
        raise GradcliError(
            "the LLVM back end needs llvmlite, which is not installed", hint="pip install 'gradcli[jit]'"
        )
    if machine() is None:
        raise GradcliError(
            "the LLVM back end needs the vector mathematics of the GNU C library (libmvec 2.35, x86-64)",
            hint="the back end numpy runs everywhere",
        )


def vector_name(target: Machine, row: Op) -> str:
    """The name of a function in libmvec, by the rules of the vector function ABI for x86-64."""
    return f"_ZGV{target.letter}N{target.lanes}{'v' * len(row.partials)}_{VECTOR_FUNCTIONS[row]}"


def computes(lines: Sequence[Line]) -> bool:
    """Whether every operation of these lines can be written here."""
    return all(line.op is None or line.op in COMPUTED for line in lines)


def write(plan: Plan, target: Machine) -> str:
    """The module: one function that runs over rows [start, stop), a multiple of the lanes.

    Sums are left as one number per lane; of the last vector only the first `alive` rows count in them.
    """
    return _Writer(plan, target).module()


class _Writer:
    """Writes assembly; every value gets a number of its own."""

    def __init__(self, plan: Plan, target: Machine) -> None:
        self.plan, self.target = plan, target
        self.vector = f"<{target.lanes} x double>"
        self.bits = f"<{target.lanes} x i1>"
        self._code: list[str] = []
        self._next = count()
        self._number: dict[int, str] = {}
        self._mask: dict[int, str] = {}
        self._declared: dict[str, str] = {}

    def module(self) -> str:
        plan, lanes = self.plan, self.target.lanes
        pointers = [("x", "columns", len(plan.columns)), ("y", "outputs", len(plan.arrays))]
        for name, array, size in pointers:
            for i in range(size):
                self._code.append(f"%{name}{i}.at = getelementptr ptr, ptr %{array}, i64 {i}")
                self._code.append(f"%{name}{i} = load ptr, ptr %{name}{i}.at")
        for i, index in enumerate(plan.given):
            self._code.append(f"%u{i}.at = getelementptr double, ptr %given, i64 {i}")
            self._code.append(f"%u{i} = load double, ptr %u{i}.at")
            self._number[index] = self._splat(f"%u{i}", "double")
        alive = self._splat("%alive", "i64")
        lane_numbers = ", ".join(f"i64 {i}" for i in range(lanes))
        self._code.append(f"%counts = icmp ult <{lanes} x i64> <{lane_numbers}>, {alive}")
        entry, self._code = self._code, []
        self._loop()
        loop, self._code = self._code, []
        for i in range(len(plan.sums)):
            self._code.append(f"%s{i}.at = getelementptr {self.vector}, ptr %sums, i64 {i}")
            self._code.append(f"store {self.vector} %s{i}.next, ptr %s{i}.at, align 8")
        declared = "".join(f"declare {text}\n" for text in self._declared.values())
        parameters = "i64 %start, i64 %stop, i64 %alive, ptr %columns, ptr %given, ptr %outputs, ptr %sums"
        blocks = [("entry", [*entry, "br label %loop"]), ("loop", loop), ("exit", [*self._code, "ret void"])]
        body = "".join(f"{name}:\n" + "".join(f"  {line}\n" for line in lines) for name, lines in blocks)
        return f"{declared}\ndefine void @kernel({parameters}) nounwind alignstack({8 * lanes}) {{\n{body}}}\n"

    def _loop(self) -> None:
        plan, vector = self.plan, self.vector
        self._code.append("%row = phi i64 [ %start, %entry ], [ %row.next, %loop ]")
        for i in range(len(plan.sums)):
            self._code.append(f"%s{i} = phi {vector} [ zeroinitializer, %entry ], [ %s{i}.next, %loop ]")
        for i, index in enumerate(plan.columns):
            self._code.append(f"%x{i}.row = getelementptr double, ptr %x{i}, i64 %row")
            self._number[index] = self._let(f"load {vector}, ptr %x{i}.row, align 8")
        for index in plan.varying:
            line = plan.lines[index]
            if line.op is not None:
                self._line(index, line, line.op)
        for i, index in enumerate(plan.arrays):
            self._code.append(f"%y{i}.row = getelementptr double, ptr %y{i}, i64 %row")
            self._code.append(f"store {vector} {self._of(index)}, ptr %y{i}.row, align 8")
        for i, index in enumerate(plan.sums):
            term = self._select("%counts", self._of(index), "zeroinitializer")
            self._code.append(f"%s{i}.next = fadd {vector} %s{i}, {term}")
        self._code += [
            f"%row.next = add i64 %row, {self.target.lanes}",
            "%more = icmp ult i64 %row.next, %stop",
            "br i1 %more, label %loop, label %exit",
        ]

    def _line(self, index: int, line: Line, op: Op) -> None:
        if op in COMPARISONS:
            self._mask[index] = self._compare(COMPARISONS[op], *map(self._of, line.args))
        elif op in CONNECTIVES:
            a, b = map(self._truth, line.args)
            self._mask[index] = self._let(f"{CONNECTIVES[op]} {self.bits} {a}, {b}")
        elif op is ops.not_:
            truth = self._truth(line.args[0])
            self._mask[index] = self._let(f"xor {self.bits} {truth}, {self._constant('i1', '1')}")
        elif op is IF:
            self._number[index] = self._select(self._truth(line.args[0]), *map(self._of, line.args[1:]))
        else:
            self._number[index] = self._compute(op, *map(self._of, line.args))

    def _compute(self, op: Op, a: str, b: str = "") -> str:
        if op in INSTRUCTIONS:
            return self._let(f"{INSTRUCTIONS[op]} {self.vector} {a}{', ' if b else ''}{b}")
        if op in INTRINSICS:
            return self._call(f"llvm.{INTRINSICS[op]}.v{self.target.lanes}f64", a)
        if op is STRONG:
            return self._select(self._compare("une", b, "zeroinitializer"), self._compute(MUL, a, b), "zeroinitializer")
        if op in (MAX, MIN):  # the first of equal ones, and any nan
            better = self._compare("ogt" if op is MAX else "olt", b, a)
            return self._select(self._let(f"or {self.bits} {better}, {self._compare('uno', b, b)}"), b, a)
        if op is MOD:
            return self._remainder(a, b)
        if op is POW:
            a = self._base(a, b)
        return self._call(vector_name(self.target, op), *([a, b] if b else [a]))

    def _base(self, a: str, b: str) -> str:
        """The base of a power: libmvec takes exponents next to an odd number for odd, which shows at -0."""
        whole = self._call(f"llvm.floor.v{self.target.lanes}f64", b)
        zero, broken = self._compare("oeq", a, "zeroinitializer"), self._compare("one", b, whole)
        return self._select(self._let(f"and {self.bits} {zero}, {broken}"), "zeroinitializer", a)

    def _remainder(self, a: str, b: str) -> str:
        """Python's: the remainder of the C library, lane by lane, with the sign of b."""
        rest = "poison"
        self._declared["fmod"] = "double @fmod(double, double) nounwind willreturn memory(none)"
        for lane in range(self.target.lanes):
            x, y = (self._let(f"extractelement {self.vector} {v}, i64 {lane}") for v in (a, b))
            one = self._let(f"call double @fmod(double {x}, double {y})")
            rest = self._let(f"insertelement {self.vector} {rest}, double {one}, i64 {lane}")
        zero = self._call(f"llvm.copysign.v{self.target.lanes}f64", "zeroinitializer", b)
        signs = [self._compare("olt", number, "zeroinitializer") for number in (rest, b)]
        differ = self._let(f"xor {self.bits} {signs[0]}, {signs[1]}")
        shifted = self._select(differ, self._compute(ADD, rest, b), rest)
        return self._select(self._compare("oeq", rest, "zeroinitializer"), zero, shifted)

    def _of(self, index: int) -> str:
        """The number of a line; a truth value becomes one when it is asked for."""
        value = self.plan.lines[index].value
        if value is not None:
            return self._constant("double", f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}")
        if index not in self._number:
            self._number[index] = self._select(
                self._mask[index], self._constant("double", "1.0"), self._constant("double", "0.0")
            )
        return self._number[index]

    def _truth(self, index: int) -> str:
        if index not in self._mask:
            self._mask[index] = self._compare("une", self._of(index), "zeroinitializer")
        return self._mask[index]

    def _let(self, text: str) -> str:
        name = f"%v{next(self._next)}"
        self._code.append(f"{name} = {text}")
        return name

    def _constant(self, kind: str, text: str) -> str:
        return f"<{', '.join([f'{kind} {text}'] * self.target.lanes)}>"

    def _splat(self, scalar: str, kind: str) -> str:
        lanes = f"<{self.target.lanes} x {kind}>"
        one = self._let(f"insertelement {lanes} poison, {kind} {scalar}, i64 0")
        return self._let(f"shufflevector {lanes} {one}, {lanes} poison, <{self.target.lanes} x i32> zeroinitializer")

    def _compare(self, how: str, a: str, b: str) -> str:
        return self._let(f"fcmp {how} {self.vector} {a}, {b}")

    def _select(self, mask: str, a: str, b: str) -> str:
        return self._let(f"select {self.bits} {mask}, {self.vector} {a}, {self.vector} {b}")

    def _call(self, name: str, *operands: str) -> str:
        types = ", ".join([self.vector] * len(operands))
        self._declared[name] = f"{self.vector} @{name}({types}) nounwind willreturn memory(none)"
        return self._let(f"call {self.vector} @{name}({', '.join(f'{self.vector} {v}' for v in operands)})")


def build(plan: Plan) -> tuple[str, Callable[..., Any]]:
    """The assembly, and run(columns, given, outputs, rows, threads): fills the outputs, returns the sums."""
    import numpy as np

    target = machine()
    assert target is not None, "see `require`"
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
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(source)
    made = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=target.features, opt=3
    )
    engine = llvm.create_mcjit_compiler(module, made)
    engine.finalize_object()
    types = [ctypes.c_int64] * 3 + [ctypes.c_void_p] * 4
    return engine, ctypes.CFUNCTYPE(None, *types)(engine.get_function_address("kernel"))
