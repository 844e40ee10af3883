"""LLVM assembly for vectors of rows: instructions with names of their own, and the functions made of several.

Lines with the same text are written once.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple


class Machine(NamedTuple):
    """The machine that code is written for: rows in a vector, the letter of the vector functions of that width, and features."""

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
        self.integers = f"<{target.lanes} x i64>"
        self.block = "loop"
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

    def whole(self, instruction: str, integers: str, number: int) -> str:
        """An instruction on integers and one number."""
        return self.let(f"{instruction} {self.integers} {integers}, {self.same(f'i64 {number}')}")

    def as_double(self, integers: str) -> str:
        return self.let(f"bitcast {self.integers} {integers} to {self.vector}")

    def declare(self, name: str, operands: int) -> None:
        types = ", ".join([self.vector] * operands)
        self.declared[name] = f"{self.vector} @{name}({types}) nounwind willreturn memory(none)"

    def call(self, name: str, *operands: str) -> str:
        self.declare(name, len(operands))
        return self.let(f"call {self.vector} @{name}({', '.join(f'{self.vector} {v}' for v in operands)})")

    def intrinsic(self, name: str, *operands: str) -> str:
        return self.call(f"llvm.{name}.v{self.target.lanes}f64", *operands)

    def fma(self, a: str, b: str, c: str) -> str:
        return self.intrinsic("fma", a, b, c)

    def series(self, x: str, coefficients: Sequence[float]) -> str:
        """The power series, by Estrin's scheme: half of the steps do not wait for each other."""
        terms = [self.constant(coefficient) for coefficient in coefficients]
        while len(terms) > 1:
            pairs = zip(terms[::2], terms[1::2], strict=False)
            terms = [self.fma(b, x, a) for a, b in pairs] + terms[len(terms) & ~1 :]
            x = self.do("fmul", x, x)
        return terms[0]

    def unless(self, rare: str, usual: str, call: str) -> str:
        """`usual`; where `rare` holds, what the call gives, which is made in that case alone."""
        number = len(self._known)
        self._known[f"block {number}"] = f"%v{number}"
        self.code += [
            f"br i1 {rare}, label %rare{number}, label %usual{number}",
            f"rare{number}:",
            f"%rare{number}.result = call {self.vector} @{call}",
            f"br label %usual{number}",
            f"usual{number}:",
            f"%v{number} = phi {self.vector} [ {usual}, %{self.block} ], [ %rare{number}.result, %rare{number} ]",
        ]
        self.block = f"usual{number}"
        return f"%v{number}"


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
    p, scale = _exponential(asm, x)
    return _far(asm, "exp", x, 708.0, asm.fma(p, scale, scale))


def tanh(asm: Assembly, x: str) -> str:
    """-m/(2 + m) with m = exp(-2|x|) - 1, and the sign of x."""
    p, scale = _exponential(asm, asm.do("fmul", asm.constant(-2.0), asm.intrinsic("fabs", x)))
    m = asm.fma(scale, p, asm.do("fsub", scale, asm.constant(1.0)))
    size = asm.do("fdiv", m, asm.do("fadd", asm.constant(2.0), m))
    return asm.intrinsic("copysign", size, x)


def _exponential(asm: Assembly, x: str) -> tuple[str, str]:
    """p and 2^k with exp(x) = (1 + p) 2^k, for |x| up to 708: x is k log(2) + r, and p a series in r."""
    x = asm.select(asm.do("fcmp ogt", x, asm.constant(708.0)), asm.constant(708.0), x)
    x = asm.select(asm.do("fcmp olt", x, asm.constant(-708.0)), asm.constant(-708.0), x)
    shifted = asm.do("fadd", asm.do("fmul", x, asm.constant(1 / math.log(2))), asm.constant(SHIFT))
    k = asm.do("fsub", shifted, asm.constant(SHIFT))
    r = asm.fma(k, asm.constant(-LOG_2_REST), asm.fma(k, asm.constant(-math.log(2)), x))
    series = asm.series(r, [1 / math.factorial(n) for n in range(2, 14)])
    p = asm.fma(asm.do("fmul", r, r), series, r)
    exponent = asm.whole("shl", _as_integer(asm, shifted), 52)
    return p, asm.as_double(asm.whole("add", exponent, 1023 << 52))


def sin(asm: Assembly, x: str) -> str:
    sine, cosine, quadrant = _quarter_turn(asm, x)
    return _far(asm, "sin", x, 1e6, _turned(asm, sine, cosine, quadrant))


def cos(asm: Assembly, x: str) -> str:
    sine, cosine, quadrant = _quarter_turn(asm, x)
    return _far(asm, "cos", x, 1e6, _turned(asm, sine, cosine, asm.whole("add", quadrant, 1)))


def _quarter_turn(asm: Assembly, x: str) -> tuple[str, str, str]:
    """sin(r) and cos(r) where x is k quarter turns and r, and k in the last bits of an integer.

    k times the first part of pi/2 leaves x exactly as long as k has no more than 20 bits.
    """
    shifted = asm.do("fadd", asm.do("fmul", x, asm.constant(2 / math.pi)), asm.constant(SHIFT))
    k = asm.do("fsub", shifted, asm.constant(SHIFT))
    r = x
    for part in HALF_PI:
        r = asm.fma(k, asm.constant(-part), r)
    square = asm.do("fmul", r, r)
    sine = asm.series(square, [(-1) ** n / math.factorial(2 * n + 1) for n in range(9)])
    cosine = asm.series(square, [(-1) ** n / math.factorial(2 * n) for n in range(9)])
    return asm.do("fmul", r, sine), cosine, _as_integer(asm, shifted)


def _turned(asm: Assembly, sine: str, cosine: str, quadrant: str) -> str:
    """The sine after so many quarter turns."""
    odd = asm.let(f"trunc {asm.integers} {quadrant} to {asm.bits}")
    size = asm.select(odd, cosine, sine)
    sign = asm.whole("and", asm.whole("shl", quadrant, 62), -1 << 63)
    return asm.as_double(asm.let(f"xor {asm.integers} {_as_integer(asm, size)}, {sign}"))


def _far(asm: Assembly, name: str, x: str, limit: float, near: str) -> str:
    """`near`, but libmvec's answer for all lanes where one of them is beyond the limit, or not a number."""
    far = asm.do("fcmp ugt", asm.intrinsic("fabs", x), asm.constant(limit))
    some = asm.let(f"bitcast {asm.bits} {far} to i{asm.target.lanes}")
    function = vector_name(asm.target, name, 1)
    asm.declare(function, 1)
    return asm.unless(asm.let(f"icmp ne i{asm.target.lanes} {some}, 0"), near, f"{function}({asm.vector} {x})")


def _as_integer(asm: Assembly, number: str) -> str:
    return asm.let(f"bitcast {asm.vector} {number} to {asm.integers}")


LOG_2_REST = 2.3190468138462996e-17  # log(2) less what a double holds of it
# pi/2 is the sum of these; all are positive, so that nothing makes 0 of -0
HALF_PI = (1.5707963267948966, 6.123233995736765e-17, 1.082856673921914e-32)
SHIFT = 6755399441055744.0  # 1.5 * 2^52: a number that it is added to is rounded, and stands in the last bits
