"""Numbers of fifty digits and more, with mpmath (extra `check`): the table's functions once more, from another source.

Nothing is taken from the rows but their names and what they expand to, so that a wrong primal is found as well as a
wrong derivative.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gradcli.autodiff.ops import Op
from gradcli.autodiff.tape import Tape, below, expansion, lacking, replay
from gradcli.extras import load

from .differences import Estimate

DIGITS = 50
FIRST = 3 * DIGITS  # working digits: a difference quotient loses a third of them, cancellation may take more
NOTHING = 4 * FIRST  # two thirds of them, the range of binary64 and more: a slope that is 0 then is 0 there too
LIMIT = 8 * FIRST
LARGEST = 100_000  # powers of two: the exp of a larger number takes as many digits, and for ever


def available() -> bool:
    """True if mpmath is installed."""
    from importlib.util import find_spec

    return find_spec("mpmath") is not None


class Precise(NamedTuple):
    """A number of many digits, an mpf; whatever is not a real number is a nan."""

    number: Any

    @staticmethod
    def _apply(op: Op, args: tuple[Any, ...]) -> Precise:
        """The operation by mpmath's function, else by what the row expands to; nan where there is neither."""
        operands = [arg if isinstance(arg, Precise) else _precise(arg) for arg in args]
        function = NATIVE.function(op)
        if function is not None:
            return Precise(_real(function, [operand.number for operand in operands]))
        tape = expansion(op, len(args))
        if tape is None:
            return _precise(float("nan"))
        found: Precise = replay(tape, {str(i): operand for i, operand in enumerate(operands)}, _precise)[tape.output]
        return found


def _precise(number: float) -> Precise:
    return Precise(_mp().mpf(number))


def unknown(tape: Tape) -> tuple[str, ...]:
    """The names of the functions that the output needs and that are known here neither by name nor by an expansion."""
    return tuple([op.name for op in lacking([tape.lines[index] for index in below(tape.lines, tape.output)], NATIVE)])


def _real(function: Callable[..., Any], numbers: list[Any]) -> Any:
    from mpmath import mp

    try:
        found = function(*numbers)
    except (ValueError, ZeroDivisionError, OverflowError):  # outside of its domain, or at a pole
        return mp.nan
    if isinstance(found, mp.mpf) and mp.isnormal(found) and abs(mp.mag(found)) > LARGEST:
        return mp.sign(found) * mp.inf if abs(found) > 1 else mp.mpf(0)
    return found if isinstance(found, mp.mpf) else mp.mpf(found) if isinstance(found, int | float) else mp.nan


def _sinc_derivative(n: int, x: Any) -> Any:
    """From x y = sin(x), differentiated k times: x y⁽ᵏ⁾ + k y⁽ᵏ⁻¹⁾ = sin⁽ᵏ⁾(x). Each k cancels about 1/x."""
    mp = _mp()
    if not x:
        return mp.mpf(0) if n % 2 else mp.mpf((-1) ** (n // 2)) / (n + 1)
    with mp.workdps(mp.dps * (n + 2)):
        y = mp.sin(x) / x
        for k in range(1, n + 1):
            y = (mp.sin(x + k * mp.pi / 2) - k * y) / x
    return +y


def _erfcx_derivative(n: int, x: Any) -> Any:
    """From y' = 2 x y - 2/sqrt(pi), differentiated n - 1 times."""
    mp = _mp()
    found = [mp.exp(x * x) * mp.erfc(x)]
    found.append(2 * x * found[0] - 2 / mp.sqrt(mp.pi))
    for k in range(1, n):
        found.append(2 * x * found[k] + 2 * k * found[k - 1])
    return found[n]


def _mills_derivative(n: int, x: Any) -> Any:
    """From m' = -m (x + m), where m is the density of the normal distribution over its distribution."""
    m = _mp().npdf(x) / _mp().ncdf(x)
    return -m * (x + m) if n == 1 else m * ((x + m) * (x + 2 * m) - 1)


def _mp() -> Any:
    from mpmath import mp

    return mp


class _Native:
    """The rows for which mpmath has a function: under the same name, or under one in the tables below."""

    def __contains__(self, op: object) -> bool:
        return isinstance(op, Op) and self.function(op) is not None

    @staticmethod
    def function(op: Op) -> Callable[..., Any] | None:
        if op.internal:
            return INTERNAL.get(op.name)
        known = PREFIX if op.form == "prefix" else FUNCTIONS
        return known.get(op.name) or getattr(_mp(), OTHER_NAMES.get(op.name, op.name), None)


NATIVE = _Native()
OTHER_NAMES = {
    "abs": "fabs",
    "round": "nint",
    "deg": "degrees",
    "rad": "radians",
    "norm_pdf": "npdf",
    "norm_cdf": "ncdf",
}
PREFIX: dict[str, Callable[..., Any]] = {"-": operator.neg, "not": operator.not_}
FUNCTIONS: dict[str, Callable[..., Any]] = {  # Python's operators on an mpf, and functions for real numbers alone
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
    "^": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "if": lambda c, a, b: a if c else b,
    "min": lambda *xs: min(xs),
    "max": lambda *xs: max(xs),
    "cbrt": lambda x: _mp().sign(x) * _mp().cbrt(abs(x)),
    "log2": lambda x: _mp().log(x, 2),
    "lgamma": lambda x: _mp().log(abs(_mp().gamma(x))),
    "polygamma": lambda n, x: _mp().psi(int(n), x),
    "sincn": lambda n, x: _sinc_derivative(int(n), x),
    "hypot": lambda *xs: _mp().sqrt(sum(x * x for x in xs)),
    "nthroot": lambda x, n: abs(x) ** (1 / n) * (_mp().sign(x) if n % 2 == 1 else 1 if x >= 0 else _mp().nan),
    "acot": lambda x: _mp().atan(1 / x) if x else _mp().pi / 2,
    "erfcx": lambda x: _erfcx_derivative(0, x),
    "log_norm_cdf": lambda x: _mp().log(_mp().ncdf(x)),
}
INTERNAL: dict[str, Callable[..., Any]] = {  # those that expand to series of as many digits as binary64 has
    "erfcx_1": lambda x: _erfcx_derivative(1, x),
    "erfcx_2": lambda x: _erfcx_derivative(2, x),
    "erfcx_3": lambda x: _erfcx_derivative(3, x),
    "mills": lambda x: _mp().npdf(x) / _mp().ncdf(x),
    "mills_1": lambda x: _mills_derivative(1, x),
    "mills_2": lambda x: _mills_derivative(2, x),
}


def derivative(tape: Tape, inputs: Mapping[str, float], name: str) -> Estimate:
    """The derivative by `name` to all digits of binary64: central differences on numbers of more and more digits.

    From a hundred and fifty on the digits are doubled until two results agree to fifty, or the limit is reached, as
    where it is 0: a function that is 1 less 1e-260 takes more than 260 to have a slope at all. The error
    is the distance of the last two. nan where the function is not real on both sides of the point. Raises
    GradcliError without mpmath.
    """
    mp = load("mpmath", "check", "fifty-digit numbers need mpmath").mp
    digits, before = FIRST, _quotient(tape, inputs, name, FIRST)
    while True:
        digits *= 2
        found = _quotient(tape, inputs, name, digits)
        with mp.workdps(digits):
            distance = abs(found - before)
            agree = distance <= abs(found) * mp.mpf(10) ** -DIGITS
        if mp.isnan(found) or (agree and (found or digits >= NOTHING)) or digits >= LIMIT:
            return Estimate(float(found), float(distance))
        before = found


def _quotient(tape: Tape, inputs: Mapping[str, float], name: str, digits: int) -> Any:
    """The central difference with a third of the digits in the step: as many are lost, twice as many are right."""
    mp = _mp()
    with mp.workdps(digits):
        step = mp.mpf(10) ** (-digits // 3) * (abs(mp.mpf(inputs[name])) or 1)

        def at(shift: Any) -> Any:
            numbers = {key: Precise(mp.mpf(x) + (shift if key == name else 0)) for key, x in inputs.items()}
            return replay(tape, numbers, _precise)[tape.output].number

        return (at(step) - at(-step)) / (2 * step)
