"""LLVM assembly for vectors of rows: instructions with names of their own, and the functions made of several.

Lines with the same text are written once.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple


class Machine(NamedTuple):
    """What code is written for: rows in a vector, the letter of the vector functions of that width, and features."""

    lanes: int
    letter: str
    fma: bool
    features: str = ""


class Assembly:
    """Straight-line code on vectors. Methods write instructions and give back the name of what they compute."""

    def __init__(self, target: Machine) -> None:
        self.target = target
        self.vector = f"<{target.lanes} x double>"
        self.bits = f"<{target.lanes} x i1>"
        self.code: list[str] = []
        self.declared: dict[str, str] = {}
        self._known: dict[str, str] = {}

    def let(self, text: str) -> str:
        if text not in self._known:
            self._known[text] = f"%v{len(self._known)}"
            self.code.append(f"{self._known[text]} = {text}")
        return self._known[text]

    def constant(self, number: float) -> str:
        return self.same(f"double 0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}")

    def same(self, one: str) -> str:
        """One constant in every lane."""
        return f"<{', '.join([one] * self.target.lanes)}>"

    def splat(self, scalar: str, kind: str) -> str:
        """One number that is not known before in every lane."""
        lanes = f"<{self.target.lanes} x {kind}>"
        one = self.let(f"insertelement {lanes} poison, {kind} {scalar}, i64 0")
        return self.let(f"shufflevector {lanes} {one}, {lanes} poison, <{self.target.lanes} x i32> zeroinitializer")

    def do(self, instruction: str, *operands: str) -> str:
        return self.let(f"{instruction} {self.vector} {', '.join(operands)}")

    def logic(self, instruction: str, a: str, b: str) -> str:
        return self.let(f"{instruction} {self.bits} {a}, {b}")

    def select(self, mask: str, a: str, b: str) -> str:
        return self.let(f"select {self.bits} {mask}, {self.vector} {a}, {self.vector} {b}")

    def call(self, name: str, *operands: str) -> str:
        types = ", ".join([self.vector] * len(operands))
        self.declared[name] = f"{self.vector} @{name}({types}) nounwind willreturn memory(none)"
        return self.let(f"call {self.vector} @{name}({', '.join(f'{self.vector} {v}' for v in operands)})")

    def intrinsic(self, name: str, *operands: str) -> str:
        return self.call(f"llvm.{name}.v{self.target.lanes}f64", *operands)

    def fma(self, a: str, b: str, c: str) -> str:
        return self.intrinsic("fma", a, b, c)


def vector_name(target: Machine, name: str, operands: int) -> str:
    """The name of a function in libmvec, by the rules of the vector function ABI for x86-64."""
    return f"_ZGV{target.letter}N{target.lanes}{'v' * operands}_{name}"


def strong(asm: Assembly, f: str, g: str) -> str:
    return asm.select(asm.do("fcmp une", g, "zeroinitializer"), asm.do("fmul", f, g), "zeroinitializer")


def extremum(asm: Assembly, better: str, a: str, b: str) -> str:
    """The first of equal ones, and any nan."""
    second = asm.logic("or", asm.do(f"fcmp {better}", b, a), asm.do("fcmp uno", b, b))
    return asm.select(second, b, a)


def power(asm: Assembly, a: str, b: str) -> str:
    """libmvec takes an exponent next to an odd number for odd, which shows where the base is -0."""
    broken = asm.do("fcmp one", b, asm.intrinsic("floor", b))
    zero = asm.logic("and", asm.do("fcmp oeq", a, "zeroinitializer"), broken)
    base = asm.select(zero, "zeroinitializer", a)
    return asm.call(vector_name(asm.target, "pow", 2), base, b)


def remainder(asm: Assembly, a: str, b: str) -> str:
    """Python's: the remainder of the C library, lane by lane, with the sign of b."""
    rest = "poison"
    asm.declared["fmod"] = "double @fmod(double, double) nounwind willreturn memory(none)"
    for lane in range(asm.target.lanes):
        x, y = (asm.let(f"extractelement {asm.vector} {v}, i64 {lane}") for v in (a, b))
        one = asm.let(f"call double @fmod(double {x}, double {y})")
        rest = asm.let(f"insertelement {asm.vector} {rest}, double {one}, i64 {lane}")
    negative = [asm.do("fcmp olt", number, "zeroinitializer") for number in (rest, b)]
    shifted = asm.select(asm.logic("xor", *negative), asm.do("fadd", rest, b), rest)
    zero = asm.intrinsic("copysign", "zeroinitializer", b)
    return asm.select(asm.do("fcmp oeq", rest, "zeroinitializer"), zero, shifted)


def exp(asm: Assembly, x: str) -> str:
    """Within an ulp, where that of libmvec is within three; and what it shares with tanh is computed once."""
    p, one, other = _exponential(asm, x)
    return asm.do("fmul", asm.fma(p, one, one), other)


def tanh(asm: Assembly, x: str) -> str:
    """-m/(2 + m) with m = exp(-2|x|) - 1, and the sign of x."""
    p, one, other = _exponential(asm, asm.do("fmul", asm.constant(-2.0), asm.intrinsic("fabs", x)))
    scale = asm.do("fmul", one, other)
    m = asm.fma(scale, p, asm.do("fsub", scale, asm.constant(1.0)))
    size = asm.do("fdiv", m, asm.do("fadd", asm.constant(2.0), m))
    return asm.intrinsic("copysign", size, x)


def _exponential(asm: Assembly, x: str) -> tuple[str, str, str]:
    """p, a, b with exp(x) = (1 + p) a b, where a and b are powers of 2: x is k log(2) + r, and p a series in r.

    Two powers, as 2^k alone may be out of range where exp(x) is not.
    """
    x = asm.select(asm.do("fcmp ogt", x, asm.constant(710.0)), asm.constant(710.0), x)
    x = asm.select(asm.do("fcmp olt", x, asm.constant(-746.0)), asm.constant(-746.0), x)
    k = asm.intrinsic("rint", asm.do("fmul", x, asm.constant(1 / math.log(2))))
    r = asm.fma(k, asm.constant(-math.log(2)), x)
    r = asm.fma(k, asm.constant(-LOG_2_REST), r)
    series = asm.constant(1 / math.factorial(13))
    for n in range(12, 1, -1):
        series = asm.fma(series, r, asm.constant(1 / math.factorial(n)))
    p = asm.fma(asm.do("fmul", r, r), series, r)
    half = asm.intrinsic("rint", asm.do("fmul", k, asm.constant(0.5)))
    return p, _power_of_two(asm, half), _power_of_two(asm, asm.do("fsub", k, half))


LOG_2_REST = 2.3190468138462996e-17  # log(2) less what a double holds of it


def _power_of_two(asm: Assembly, k: str) -> str:
    """2^k for a whole k of at most three digits: k becomes the exponent of a float."""
    whole = f"<{asm.target.lanes} x i64>"
    shifted = asm.do("fadd", k, asm.constant(6755399441055744.0))  # 1.5 * 2^52: k stands in the last bits
    bits = asm.let(f"bitcast {asm.vector} {shifted} to {whole}")
    exponent = asm.let(f"shl {whole} {bits}, {asm.same('i64 52')}")
    number = asm.let(f"add {whole} {exponent}, {asm.same(f'i64 {1023 << 52}')}")
    return asm.let(f"bitcast {whole} {number} to {asm.vector}")
