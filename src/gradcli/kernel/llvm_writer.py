"""From a plan to LLVM assembly: one function with one loop over vectors of rows.

Arithmetic becomes instructions, a choice a select, a function a call of the C library's vector mathematics (libmvec)
or a few lines of our own, a sum over the rows a vector of partial sums.
"""

from __future__ import annotations

from collections.abc import Callable

from gradcli.autodiff import ops
from gradcli.autodiff.ops import Op
from gradcli.autodiff.tape import Line

from . import llvm_assembly
from .llvm_assembly import Assembly, Machine, vector_name
from .lowering import ADD, DIV, IF, MAX, MIN, MOD, MUL, NEG, POW, STRONG, SUB
from .plan import Plan

INSTRUCTIONS = {ADD: "fadd", SUB: "fsub", MUL: "fmul", DIV: "fdiv", NEG: "fneg"}
COMPARISONS = {ops.lt: "olt", ops.le: "ole", ops.gt: "ogt", ops.ge: "oge", ops.eq: "oeq", ops.ne: "une"}
CONNECTIVES = {ops.and_: "and", ops.or_: "or"}
INTRINSICS = {
    ops.abs_: "fabs", ops.floor: "floor", ops.ceil: "ceil", ops.round: "rint", ops.trunc: "trunc", ops.sqrt: "sqrt",
}  # fmt: skip
IN_LIBMVEC = (
    ops.sin, ops.cos, ops.tan, ops.asin, ops.acos, ops.atan, ops.sinh, ops.cosh, ops.tanh, ops.asinh, ops.acosh,
    ops.atanh, ops.exp, ops.exp2, ops.expm1, ops.log, ops.log2, ops.log10, ops.log1p, ops.cbrt, ops.erf, ops.erfc,
    ops.atan2, ops.hypot,
)  # fmt: skip
WRITTEN: dict[Op, Callable[..., str]] = {
    STRONG: llvm_assembly.strong,
    MAX: lambda asm, a, b: llvm_assembly.extremum(asm, "ogt", a, b),
    MIN: lambda asm, a, b: llvm_assembly.extremum(asm, "olt", a, b),
    MOD: llvm_assembly.remainder,
    POW: llvm_assembly.power,
}
WITH_FMA: dict[Op, Callable[..., str]] = {
    ops.exp: llvm_assembly.exp,
    ops.tanh: llvm_assembly.tanh,
    ops.sin: llvm_assembly.sin,
    ops.cos: llvm_assembly.cos,
}
NATIVE = frozenset([*INSTRUCTIONS, *INTRINSICS, *IN_LIBMVEC, *WRITTEN, *COMPARISONS, *CONNECTIVES, ops.not_, IF])


def needed(target: Machine) -> list[str]:
    """The vector functions that kernels for this machine may call."""
    return [vector_name(target, row.name, row.arity or 2) for row in IN_LIBMVEC] + [vector_name(target, "pow", 2)]


def write(plan: Plan, target: Machine) -> str:
    """The module: one function that runs over rows [start, stop), a multiple of the lanes.

    Sums are left as one number per lane; of a vector only the first `alive` rows count in them.
    """
    return _Writer(plan, target).module()


class _Writer:
    """Writes the function of a plan: what is loaded before the loop, the loop over vectors, and the sums after it."""

    def __init__(self, plan: Plan, target: Machine) -> None:
        self.plan, self.asm = plan, Assembly(target)
        self._number: dict[int, str] = {}
        self._mask: dict[int, str] = {}

    def module(self) -> str:
        asm = self.asm
        self._entry()
        entry, asm.code = asm.code, []
        self._loop()
        loop = asm.code
        blocks = [("entry", [*entry, "br label %loop"]), ("loop", loop), ("exit", ["ret void"])]
        body = "".join(f"{name}:\n" + "".join(f"  {line}\n" for line in lines) for name, lines in blocks)
        parameters = "i64 %start, i64 %stop, i64 %alive, ptr %columns, ptr %given, ptr %outputs, ptr %sums"
        attributes = f"nounwind alignstack({8 * asm.target.lanes})"  # or vectors on the stack straddle cache lines
        declared = "".join(f"declare {text}\n" for text in asm.declared.values())
        return f"{declared}\ndefine void @kernel({parameters}) {attributes} {{\n{body}}}\n"

    def _entry(self) -> None:
        asm, plan = self.asm, self.plan
        for name, array, size in (("x", "columns", len(plan.columns)), ("y", "outputs", len(plan.arrays))):
            for i in range(size):
                asm.code.append(f"%{name}{i}.at = getelementptr ptr, ptr %{array}, i64 {i}")
                asm.code.append(f"%{name}{i} = load ptr, ptr %{name}{i}.at")
        lanes = asm.target.lanes
        numbers = ", ".join(f"i64 {i}" for i in range(lanes))
        asm.code.append(f"%counts = icmp ult <{lanes} x i64> <{numbers}>, {asm.splat('%alive', 'i64')}")

    def _loop(self) -> None:
        asm, plan = self.asm, self.plan
        asm.code.append("%row = phi i64 [ %start, %entry ], [ %row.next, %last ]")
        for i, index in enumerate(plan.columns):
            asm.code.append(f"%x{i}.row = getelementptr double, ptr %x{i}, i64 %row")
            self._number[index] = asm.let(f"load {asm.vector}, ptr %x{i}.row, align 8")
        for i, index in enumerate(plan.given):
            asm.code.append(f"%u{i}.at = getelementptr double, ptr %given, i64 {i}")
            asm.code.append(f"%u{i} = load double, ptr %u{i}.at")
            self._number[index] = asm.splat(f"%u{i}", "double")
        for index in plan.varying:
            line = plan.lines[index]
            if line.op is not None:
                self._line(index, line, line.op)
        for i, index in enumerate(plan.arrays):
            asm.code.append(f"%y{i}.row = getelementptr double, ptr %y{i}, i64 %row")
            asm.code.append(f"store {asm.vector} {self._of(index)}, ptr %y{i}.row, align 8")
        for i, index in enumerate(plan.sums):
            term = asm.select("%counts", self._of(index), "zeroinitializer")
            asm.code += [  # in memory: a program may have more sums than a processor has registers
                f"%s{i}.at = getelementptr {asm.vector}, ptr %sums, i64 {i}",
                f"%s{i} = load {asm.vector}, ptr %s{i}.at, align 8",
                f"%s{i}.next = fadd {asm.vector} %s{i}, {term}",
                f"store {asm.vector} %s{i}.next, ptr %s{i}.at, align 8",
            ]
        asm.code += [
            "br label %last",
            "last:",
            f"%row.next = add i64 %row, {asm.target.lanes}",
            "%more = icmp ult i64 %row.next, %stop",
            "br i1 %more, label %loop, label %exit",
        ]

    def _line(self, index: int, line: Line, op: Op) -> None:
        asm, args = self.asm, line.args
        if op in COMPARISONS:
            self._mask[index] = asm.do(f"fcmp {COMPARISONS[op]}", *map(self._of, args))
        elif op in CONNECTIVES:
            self._mask[index] = asm.logic(CONNECTIVES[op], *map(self._truth, args))
        elif op is ops.not_:
            self._mask[index] = asm.logic("xor", self._truth(args[0]), asm.same("i1 1"))
        elif op is IF:
            self._number[index] = asm.select(self._truth(args[0]), *map(self._of, args[1:]))
        else:
            self._number[index] = self._compute(op, *map(self._of, args))

    def _compute(self, op: Op, *operands: str) -> str:
        asm = self.asm
        if op in INSTRUCTIONS:
            return asm.do(INSTRUCTIONS[op], *operands)
        if op in INTRINSICS:
            return asm.intrinsic(INTRINSICS[op], *operands)
        if op in WRITTEN or (op in WITH_FMA and asm.target.fma):
            return (WRITTEN | WITH_FMA)[op](asm, *operands)
        return asm.call(vector_name(asm.target, op.name, len(operands)), *operands)

    def _of(self, index: int) -> str:
        """The number of a line; a truth value becomes one when it is asked for."""
        value = self.plan.lines[index].value
        if value is not None:
            return self.asm.constant(value)
        if index not in self._number:
            self._number[index] = self.asm.select(self._mask[index], self.asm.constant(1.0), "zeroinitializer")
        return self._number[index]

    def _truth(self, index: int) -> str:
        if index not in self._mask:
            self._mask[index] = self.asm.do("fcmp une", self._of(index), "zeroinitializer")
        return self._mask[index]
