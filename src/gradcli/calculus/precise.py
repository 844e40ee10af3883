"""Numbers of fifty digits and more, with mpmath (extra `check`): the table's functions once more, from another source.

Nothing is taken from the rows but their names, so that a wrong primal is found as well as a wrong derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gradcli.autodiff.ops import Op
from gradcli.autodiff.tape import Tape, replay
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
        from mpmath import mp

        numbers = [arg.number if isinstance(arg, Precise) else mp.mpf(arg) for arg in args]
        return Precise(_real(_function(op), numbers))


def _real(function: Callable[..., Any], numbers: list[Any]) -> Any:
    from mpmath import mp

    try:
        found = function(*numbers)
    except (ValueError, ZeroDivisionError, OverflowError):  # outside of its domain, or at a pole
        return mp.nan
    if isinstance(found, mp.mpf) and mp.isnormal(found) and abs(mp.mag(found)) > LARGEST:
        return mp.sign(found) * mp.inf if abs(found) > 1 else mp.mpf(0)
    return found if isinstance(found, mp.mpf) else mp.mpf(found) if isinstance(found, int | float) else mp.nan


def _function(op: Op) -> Callable[..., Any]:
    from mpmath import mp

    if op.internal:
        return INTERNAL[op.signature]
    if op.form == "prefix":
        return PREFIX[op.name]
    return FUNCTIONS.get(op.name) or getattr(mp, op.name)


def _above(a: Any, b: Any) -> Any:
    return _mp().mpf(a > b) + _mp().mpf(a == b) / 2


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


def _mp() -> Any:
    from mpmath import mp

    return mp


PREFIX: dict[str, Callable[..., Any]] = {"-": lambda a: -a, "not": lambda a: int(a == 0)}
INTERNAL: dict[str, Callable[..., Any]] = {  # what the lines of diff(...) hold
    "f * g": lambda f, g: f * g if g else g,
    "f / g": lambda f, g: f / g if f else f,
    "a ^ b * log(a)": lambda a, b: a**b * _mp().log(a) if a or b <= 0 else a,
    "exp(-x^2)": lambda x: _mp().exp(-(x**2)),
    "sech2(x)": lambda x: _mp().sech(x) ** 2,
    "ties(*xs)": lambda first, *others: others.count(first),
    "chosen(f, g)": lambda f, g: f * g if f and g else _mp().mpf(0),
    "share(*xs)": lambda x, best, *xs: _mp().mpf(x == best) / xs.count(best),
    "within(x, lo, hi)": lambda x, lo, hi: _above(x, lo) * _above(hi, max(x, lo)),
    "beyond(x, lo, hi)": lambda x, lo, hi: _above(max(x, lo), hi),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a - b * _mp().floor(a / b),
    "^": lambda a, b: a**b,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "and": lambda a, b: int(bool(a) and bool(b)),
    "or": lambda a, b: int(bool(a) or bool(b)),
    "if": lambda c, a, b: a if c else b,
    "abs": abs,
    "round": lambda x: _mp().nint(x),
    "trunc": lambda x: _mp().sign(x) * _mp().floor(abs(x)),
    "min": lambda *xs: min(xs),
    "max": lambda *xs: max(xs),
    "clamp": lambda x, lo, hi: min(max(x, lo), hi),
    "sum": lambda *xs: sum(xs),
    "mean": lambda *xs: sum(xs) / len(xs),
    "prod": lambda *xs: _mp().fprod(xs),
    "cbrt": lambda x: _mp().sign(x) * _mp().cbrt(abs(x)),
    "exp2": lambda x: _mp().mpf(2) ** x,
    "log2": lambda x: _mp().log(x, 2),
    "logaddexp": lambda x, y: _mp().log(_mp().exp(x) + _mp().exp(y)),
    "deg": lambda x: _mp().degrees(x),
    "rad": lambda x: _mp().radians(x),
    "sincn": lambda n, x: _sinc_derivative(int(n), x),
    "relu": lambda x: max(x, _mp().mpf(0)),
    "leaky_relu": lambda x: x if x > 0 else x * _mp().mpf(0.01),
    "sigmoid": lambda x: 1 / (1 + _mp().exp(-x)),
    "logsigmoid": lambda x: -_mp().log1p(_mp().exp(-x)),
    "softplus": lambda x: _mp().log1p(_mp().exp(x)),
    "silu": lambda x: x / (1 + _mp().exp(-x)),
    "gelu": lambda x: x * _mp().erfc(-x / _mp().sqrt(2)) / 2,
    "elu": lambda x: x if x > 0 else _mp().expm1(x),
    "step": lambda x: int(x > 0),
    "lgamma": lambda x: _mp().log(abs(_mp().gamma(x))),
    "polygamma": lambda n, x: _mp().psi(int(n), x),
    "norm_pdf": lambda x: _mp().npdf(x),
    "norm_cdf": lambda x: _mp().erfc(-x / _mp().sqrt(2)) / 2,
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
            return replay(tape, numbers, lift=lambda literal: Precise(mp.mpf(literal)))[tape.output].number

        return (at(step) - at(-step)) / (2 * step)
