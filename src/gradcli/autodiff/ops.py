r"""The table of functions: one row says everything about one function.

    sin = op("sin(x)", math.sin, lambda x, y: cos(x))

A row holds the *signature* (its name, its parameters, how it is written and printed), the *primal* that
computes it on floats, and one *partial* per parameter: the local derivative, a function of the arguments and
of the output `y`. Parser, engine, printer, diagnostics, documentation and tests ask the row; adding a function
is adding a row here and nothing anywhere else.

A partial is written in the table's own functions and the arithmetic operators, without `if` and without
`math.`, so that the same line runs on floats, on Values (which records the derivative as a graph) and on
whatever number comes next. Names are bound late: `sin` may mention `cos` before its row exists.

What else a row may say:

    edge        the IEEE answer where the primal raises (default: nan, and inf for an overflow)
    choice      True if the row chooses among its operands: what it did not choose gets exactly 0
    domain      where the function is defined, in words
    convention  which derivative is used where there is none, in words
    slope       the derivative in words, for a row that takes any number of arguments
    kink, tie, jump, pole, undefined, underflow
                predicates on (arguments..., y): where the diagnostic of that kind applies
    expands     a rule that computes the same with other rows: for whatever lacks a function of that name
    internal    True for a row that cannot be typed: a formula has what it expands to in its place
    reads       a rule for what a formula has instead, where the expansion would be too many words
    level       how tightly a formula binds that ends in this operation (default: as a call does)
    fits        for each operand the loosest level that needs no parentheses there
    latex       how it is set in LaTeX, where that is not its name: a command (\sin), the sign between two operands, a
                template with {0}, {1}, or a rule as in `reads`
    truth       True for a row that gives 1 or 0
    product     True for a row that multiplies: 1 changes nothing on either side
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

inf, nan = math.inf, math.nan
CONSTANTS = {"pi": math.pi, "π": math.pi, "tau": math.tau, "τ": math.tau, "e": math.e, "inf": inf}
KINDS = ("kink", "tie", "jump", "pole", "overflow", "underflow", "domain", "undefined", "rounded", "unused")

Rule = Callable[..., Any]
Text = tuple[str, int]  # a formula and the level of its outermost operation
ATOM, POWER, SIGN, PRODUCT, SUM, COMPARISON, NOT, AND, OR = range(9)  # tightest first, as in the grammar


class Op:
    """A row of the table; call it on any kind of number.

    On floats (and ints) it never raises: where the primal raises, the IEEE answer comes back. Any other number
    brings its own interpreter, a function `_apply(op, args)` on its class: Value records a node.
    """

    __slots__ = ("arity", "choice", "convention", "doc", "domain", "edge", "expands", "fits", "flags", "form", "group", "internal", "latex",
                 "level", "name", "parameters", "partials", "primal", "product", "reads", "signature", "slope", "truth")

    def __init__(self, signature: str, primal: Rule, *partials: Rule | None, doc: str = "", group: str = "",
                 edge: Rule | None = None, choice: bool = False, domain: str = "", convention: str = "", slope: str = "",
                 expands: Rule | None = None, internal: bool = False, reads: Rule | None = None, level: int = ATOM,
                 fits: tuple[int, ...] = (), latex: str | Rule = "", truth: bool = False, product: bool = False, **flags: Rule) -> None:
        self.signature, self.primal, self.partials, self.edge, self.choice = signature, primal, partials, edge, choice
        self.doc, self.group, self.domain, self.convention, self.slope = doc, group, domain, convention, slope
        self.expands, self.internal, self.reads, self.latex = expands, internal, reads, latex
        self.truth, self.product, self.flags = truth, product, flags
        self.name, self.form, self.parameters = read_signature(signature)
        self.arity = None if self.form == "variadic" else len(self.parameters)
        self.level, self.fits = level, fits or (level, level - 1)  # operators group to the left

    def __repr__(self) -> str:
        return self.name

    def __call__(self, *args: Any) -> Any:
        for arg in args:
            if arg.__class__ is not float:
                return self._lift(args)
        try:
            return self.primal(*args)
        except (ArithmeticError, ValueError) as reason:
            if self.edge is not None:
                return self.edge(*args)
            return inf if isinstance(reason, OverflowError) else nan

    def _lift(self, args: tuple[Any, ...]) -> Any:
        for arg in args:
            apply = getattr(arg.__class__, "_apply", None)
            if apply is not None:
                return apply(self, args)
        if all(isinstance(arg, int | float) for arg in args):  # bool is an int; a huge int is the overflow it is
            return self(*map(to_float, args))
        kind = next(type(arg).__name__ for arg in args if not isinstance(arg, int | float))
        raise TypeError(f"{self.name} works on numbers and Values, not on {kind}")

    def partials_for(self, count: int) -> tuple[Rule | None, ...]:
        """One partial per operand: the row's own, or for a variadic row the rule bound to each position."""
        if self.arity is not None:
            return self.partials
        rule = self.partials[0]
        return (None,) * count if rule is None else tuple(partial(rule, position) for position in range(count))

    @property
    def meaning(self) -> Rule | None:
        """The rule for what a formula has in place of a row that cannot be typed."""
        return (self.reads or self.expands) if self.internal else None

    def written(self, operands: Sequence[Text]) -> Text:
        """The formula of the operation from those of its operands, with the parentheses that the grammar asks for and no others."""
        if self.meaning is not None:
            return Formula.of(self.meaning(*[Formula(*operand) for operand in operands]))
        if self.form not in ("infix", "prefix"):
            return f"{self.name}({', '.join(text for text, _ in operands)})", ATOM
        parts = [text if level <= fit else f"({text})" for (text, level), fit in zip(operands, self.fits, strict=False)]
        if self.form == "prefix":
            return f"{self.name}{' ' if self.name.isalpha() else ''}{parts[0]}", self.level
        return (self.name if self.level <= PRODUCT else f" {self.name} ").join(parts), self.level


def to_float(number: Any) -> float:
    """`number` as a binary64; an int too large for it is an infinity, as for every other overflow."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def read_signature(signature: str) -> tuple[str, str, tuple[str, ...]]:
    """Name, form (infix, prefix, call, variadic) and parameters: "a * b", "-a", "not a", "erf(x)", "max(*xs)"."""
    name, paren, rest = signature.partition("(")
    if paren and name.isidentifier():
        parameters = tuple(part.strip() for part in rest.rstrip(")").split(","))
        return (name, "variadic", (parameters[0][1:],)) if parameters[0].startswith("*") else (name, "call", parameters)
    parts = signature.split()
    if len(parts) == 3:
        return parts[1], "infix", (parts[0], parts[2])
    return signature[:-1].strip(), "prefix", (signature[-1],)


TABLE: list[Op] = []
INFIX: dict[str, Op] = {}
PREFIX: dict[str, Op] = {}
FUNCTIONS: dict[str, Op] = {}
_WITH_METHODS: list[type[Any]] = []
ALIASES = {"ln": "log", "where": "if", "mod": "%", "pow": "^", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
           "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "sgn": "sign", "clip": "clamp"}


def find(name: str) -> Op | None:
    """The row of a function as it may be typed before a parenthesis, by its own name or another spelling."""
    name = ALIASES.get(name, name)
    return FUNCTIONS.get(name) or INFIX.get(name)


def rows_of(group: str) -> Callable[..., Op]:
    """The constructor of rows for one group of the documentation. Each is in the table, and can be typed, from then on."""

    def row(signature: str, primal: Rule, *partials: Rule | None, **more: Any) -> Op:
        made = Op(signature, primal, *partials, group=group, **more)
        TABLE.append(made)
        if not made.internal:
            _typed(made)[made.name] = made
            for kind in _WITH_METHODS:
                _give_method(kind, made.name)
        return made

    return row


def remove(row: Op) -> None:
    """Take a row out of the table again."""
    TABLE.remove(row)
    typed = _typed(row)
    if typed.pop(row.name, None) is not None and typed is FUNCTIONS:
        for kind in _WITH_METHODS:
            delattr(kind, row.name)


def with_methods(kind: type[Any]) -> None:
    """Give a kind of number a method for each function of the table (`x.tanh()`), of now and of later rows."""
    _WITH_METHODS.append(kind)
    for name in [*FUNCTIONS, *ALIASES]:
        _give_method(kind, name)


def _give_method(kind: type[Any], name: str) -> None:
    row = find(name)
    if row is not None and name not in INFIX:
        setattr(kind, name, lambda self, *args: kind._apply(row, (self, *args)))


def _typed(row: Op) -> dict[str, Op]:
    return {"infix": INFIX, "prefix": PREFIX}.get(row.form, FUNCTIONS)


class Lifted:
    """A kind of number whose operators are rows of the table; what they do with it, its `_apply` says."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise TypeError("this number has no truth value: choose with where(condition, a, b)")

    if TYPE_CHECKING:

        @staticmethod
        def _apply(op: Op, args: tuple[Any, ...]) -> Any: ...


class Formula(Lifted):
    """A formula as a number: what is computed with it, is written. So a rule of the table is a text."""

    __slots__ = ("level", "text")

    def __init__(self, text: str, level: int) -> None:
        self.text, self.level = text, level

    @staticmethod
    def of(number: Any) -> Text:
        """The text of a formula, or of a number as it stands in a rule."""
        return (number.text, number.level) if isinstance(number, Formula) else (f"{number:g}", ATOM if number >= 0 else SIGN)

    @staticmethod
    def _apply(op: Op, args: tuple[Any, ...]) -> Formula:
        return Formula(*op.written([Formula.of(arg) for arg in args]))


def _one(*_: Any) -> float:
    return 1.0


def _zero(*_: Any) -> float:
    return 0.0


def _integral(function: Callable[[float], int]) -> Callable[[float], float]:
    """floor and its kin on floats: -0.0 and the infinities stay what they are, as IEEE has it."""
    return lambda x: x if math.isinf(x) else math.copysign(float(function(x)), x)


def _largest(*xs: float) -> float:
    return nan if any(x != x for x in xs) else max(xs)


def _smallest(*xs: float) -> float:
    return nan if any(x != x for x in xs) else min(xs)


def _odd(b: float) -> bool:
    return b % 2 == 1


def _power_edge(a: float, b: float) -> float:
    if a < 0 and b != math.floor(b):
        return nan
    return math.copysign(inf, a) if _odd(b) else inf  # an overflow, or 0 to a negative power


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _sech2(x: float) -> float:
    small = math.exp(-2 * abs(x))
    return 4 * small / ((1 + small) * (1 + small))


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x))) if x == x else nan


def _gaussian(x: float, scale: float = 1.0) -> float:
    """exp(-scale x²) to an ulp or two: the square is split, or its rounding error is magnified x² times."""
    if abs(x) > 40:
        return 0.0 if x == x else nan
    head = math.floor(x * 32) / 32
    return math.exp(-scale * head * head) * math.exp(-scale * (x - head) * (x + head))


def _bell(x: Any, scale: float = 1.0) -> Any:
    """The same for any kind of number: the square in two parts, the larger exact, and what their sum rounds off put back."""
    head = floor(x * 32) / 32
    large, small = -scale * head * head, -scale * (x - head) * (x + head)
    exponent = large + small
    rough = exp(exponent)
    return if_(abs(x) > 40.0, 0.0, rough + rough * ((large - exponent) + small))


def _logistic(x: Any) -> Any:
    small = exp(-abs(x))
    return if_(x >= 0.0, 1.0, small) / (1 + small)


def _sech2_of_exp(x: Any) -> Any:
    small = exp(-2.0 * abs(x))
    return 4 * small / ((1 + small) * (1 + small))


def _difference(a: Any, b: Any) -> tuple[Any, Any]:
    """a - b, and what is rounded off in it (D. E. Knuth, The Art of Computer Programming 2, 4.2.2, theorem B)."""
    found = a - b
    back = found - a
    rest = (a - (found - back)) - (b + back)
    return found, if_(rest == rest, rest, 0.0)  # nan beside an infinity


def _log_of_sum(a: Any, b: Any) -> Any:
    apart, rest = _difference(a, b)  # nan for equal infinities
    small = exp(-abs(apart))
    return if_(apart == apart, max_(a, b) + log1p(small + small * if_(apart < 0.0, rest, -rest)), max_(a, b))


def _weight(x: Any, y: Any) -> Any:
    apart, rest = _difference(x, y)
    share = sigmoid(apart)
    return share + share * (rest * sigmoid(-apart))


def _weight_slope(x: Any, y: Any) -> Any:
    apart, rest = _difference(x, y)
    slope = sigmoid_slope(apart)
    return slope - slope * (rest * tanh(apart / 2))


def _sigmoid_slope(x: Any) -> Any:
    small = exp(-abs(x))
    return small / ((1 + small) * (1 + small))


def _lowered(a: float, b: float, k: float) -> float:
    c = b - k
    back = c - b
    rest = (b - (c - back)) - (k + back)
    y = math.pow(a, c)
    return y * math.pow(a, rest) if rest and rest == rest and y and math.isfinite(y) and math.isfinite(a) else y


def _power_lowered(a: Any, b: Any, k: Any) -> Any:
    """a^(b - k): what b - k rounds off makes a factor next to 1, or changes the sign where 1 is less than an ulp of b."""
    c, rest = _difference(b, k)
    y, size = pow(a, c), abs(a)
    inside = and_(and_(ne(rest, 0.0), and_(size > 0.0, size < inf)), and_(ne(y, 0.0), abs(y) < inf))
    return y * if_(inside, if_(a < 0.0, if_(eq(rest, -1.0), -1.0, 1.0), 1 + rest * log(size)), 1.0)


def _mean(*xs: float) -> float:
    total = reduce(operator.add, xs)
    return reduce(operator.add, [x / len(xs) for x in xs]) if math.isinf(total) else total / len(xs)


def _mean_of_parts(*xs: Any) -> Any:
    total = reduce(add, xs)
    return if_(abs(total) == inf, reduce(add, [x / len(xs) for x in xs]), total / len(xs))


def _direction(position: int, xs: Sequence[Any]) -> Any:
    """The slope of hypot(*xs) by one of them: x/hypot(*xs)."""
    return first_direction(*xs) if position == 0 else last_direction(*xs[:position], *xs[position + 1:], xs[position])


def _turning(numerator: int, position: int, xs: Sequence[Any], y: Any) -> Any:
    """The slope of y = xs[numerator]/hypot(*xs) by another of them, or by itself: a product without a difference."""
    if position != numerator:
        return -(y * (_direction(position, xs) / hypot(*xs)))
    if len(xs) == 1:
        return 0.0
    others = [x for place, x in enumerate(xs) if place != position]
    across = _direction(1 - position, xs) if len(xs) == 2 else last_direction(xs[position], hypot(*others))
    return across * (across / hypot(*xs))


def _part(x: Any, *xs: Any) -> Any:
    """x/hypot(*xs), and 0 where all are 0."""
    size = hypot(*xs)
    return if_(eq(size, 0.0), 0.0, div(x, size))


def _cbrt(x: float) -> float:
    y = math.cbrt(x)
    return y - (y - x / (y * y)) / 3 if 1e-100 < abs(y) < 1e100 else y


def _reciprocal(n: Any) -> tuple[Any, Any]:
    """1/n, and what is rounded off in it: the product with n in two parts (T. J. Dekker, Numer. Math. 18 (1971) 224-242)."""
    found = 1 / n
    wide, narrow = 134217729.0 * found, 134217729.0 * n
    a, b = wide - (wide - found), narrow - (narrow - n)
    product = found * n
    rest = (1 - product) - (((a * b - product) + a * (n - b) + (found - a) * b) + (found - a) * (n - b))
    return found, if_(rest == rest, rest / n, 0.0)


def _root(x: float, n: float, k: float) -> float:
    if x < 0:
        return nan if n % 2 != 1 else -_root(-x, n, k) if k % 2 == 0 else _root(-x, n, k)
    b, rest = _reciprocal(n)
    c, more = _difference(b, k)
    y = math.pow(abs(x), c) if n == n else nan
    return y + y * ((rest + more) * math.log(x)) if 0 < y < inf and 0 < x < inf else y


def _root_edge(x: float, n: float, k: float) -> float:
    return nan if n == 0 else -inf if x < 0 and k % 2 == 0 else inf


def _root_of_any(x: Any, n: Any, k: Any) -> Any:
    size = abs(x)
    b, rest = _reciprocal(n)
    c, more = _difference(b, k)
    y = pow(size, c)
    better = if_(and_(and_(y > 0.0, y < inf), and_(size > 0.0, size < inf)), y + y * ((rest + more) * log(size)), y)
    odd = if_(eq(n % 2.0, 1.0), if_(eq(k % 2.0, 0.0), -better, better), nan)
    return if_(and_(eq(n, n), ne(n, 0.0)), if_(x < 0.0, odd, better), nan)


def _series(t: Any, name: str) -> Any:
    """A power series whose coefficients lie under this name in special.py, by Horner's scheme."""
    from . import special
    total: Any = 0.0
    for coefficient in reversed(getattr(special, name)):
        total = total * t + coefficient
    return total


def _inverse_2(x: Any, y: Any) -> Any:
    size = hypot(x, y)
    return (y - x) / size / size * ((y + x) / size / size)


def _nearness(x: Any) -> Any:
    return 1 - 7.5 / (x + 3.75)  # (x - 3.75)/(x + 3.75), at inf too


def _erfcx_right(x: Any) -> Any:
    return _series(_nearness(x), "ERFCX") / (1 + 2 * x)


def _erfcx(x: Any) -> Any:
    size = abs(x)
    right = _erfcx_right(size)
    return if_(x < 0.0, if_(x < -27.0, inf, 2 * _bell(max_(x, -27.0), -1.0) - right), right)


def _erfcx_1(x: Any) -> Any:
    size = abs(x)
    return if_(x < 0.0, 2 * x * erfcx(x) - 2 / math.sqrt(math.pi), -_series(_nearness(size), "ERFCX_1") / (1 + size) / (1 + size))


def _erfcx_2(x: Any) -> Any:
    size = abs(x)
    return if_(x < 0.0, 2 * (x * erfcx_1(x) + erfcx(x)), _series(_nearness(size), "ERFCX_2") / (1 + size) / (1 + size) / (1 + size))


def _erfcx_3(x: Any) -> Any:
    size, square = abs(x), (1 + abs(x)) * (1 + abs(x))
    return if_(x < 0.0, 2 * (x * erfcx_2(x) + 2 * erfcx_1(x)), -_series(_nearness(size), "ERFCX_3") / square / square)


def _norm_cdf(x: float) -> float:
    if x > -1:
        return math.erfc(-x / math.sqrt(2)) / 2
    tail: float = _gaussian(x, 0.5) * _erfcx_right(-x / math.sqrt(2)) / 2
    return tail


def _normal(x: Any) -> Any:
    tail = _bell(x, 0.5) * _erfcx_right(abs(x) / math.sqrt(2)) / 2
    return if_(x < 0.0, tail, 1 - tail)


def _log_norm_cdf(x: Any) -> Any:
    size = abs(x)
    return if_(x < 0.0, log(_erfcx_right(size / math.sqrt(2)) / 2) - x * (x / 2), log1p(-norm_cdf(-size)))


def _mills(x: Any) -> Any:
    size = abs(x) / math.sqrt(2)
    left = (0.5 + size) / _series(_nearness(size), "ERFCX") * math.sqrt(8 / math.pi)
    return if_(x < 0.0, left, norm_pdf(x) / norm_cdf(max_(x, 0.0)))


def _mills_1(x: Any) -> Any:
    y = mills(x)
    return if_(x < 0.0, -_series(_nearness(abs(x)), "MILLS_1"), -strong(x + y, y))


def _mills_2(x: Any) -> Any:
    y, size = mills(x), 2 + abs(x)
    return if_(x < 0.0, _series(_nearness(abs(x)), "MILLS_2") / size / size / size, strong(x + y, strong(x + 2 * y, y)) - y)


def _logit(x: Any) -> Any:
    return if_(abs(x - 0.5) < 0.25, 2 * atanh(2 * x - 1), log(x / (1 - x)))


def _asec(x: Any) -> Any:
    return atan2(sqrt(abs(x) - 1) * sqrt(abs(x) + 1), sign(x))


def _acsc(x: Any) -> Any:
    return atan2(sign(x), sqrt(abs(x) - 1) * sqrt(abs(x) + 1))


def _sech(x: Any) -> Any:
    small = exp(-abs(x))
    return 2 * small / (1 + small * small)


def _csch(x: Any) -> Any:
    return sign(x) * (2 * exp(-abs(x)) / -expm1(-2 * abs(x)))


def _asech(x: Any) -> Any:
    return if_(x < 1e-150, log(2.0) - log(x), asinh(sqrt((1 - x) * (1 + x)) / x))


def _acsch(x: Any) -> Any:
    return if_(abs(x) < 1e-150, sign(x) * (log(2.0) - log(abs(x))), asinh(1 / x))


def _acoth(x: Any) -> Any:
    return sign(x) * log1p(2 / (abs(x) - 1)) / 2


def _sinc_derivative(n: float, x: float) -> float:
    from .special import sinc_derivative  # only who asks for these pays for them: ops and engine stand alone
    return sinc_derivative(n, x)


def _polygamma(n: float, x: float) -> float:
    from .special import polygamma
    return polygamma(n, x)


def _log_gamma(x: float) -> float:
    from .special import log_gamma
    return log_gamma(x)


def _above(a: Any, b: Any) -> Any:
    """The share of a in the gradient of max(a, b): 1, 0, and half at a tie."""
    return (a > b) + (a == b) / 2


def _within(x: Any, lo: Any, hi: Any) -> Any:
    return _above(x, lo) * _above(hi, max_(x, lo))


def _beyond(x: Any, lo: Any, hi: Any) -> Any:
    return _above(max_(x, lo), hi)


def _at_pole(x: float, y: float) -> bool:
    return x <= 0 and x == math.floor(x)


def _vanished(x: float, y: float) -> bool:
    return y == 0 and math.isfinite(x)


# fmt: off
# ---------------------------------------------------------------------------------------------- operators
op = rows_of("Operators")
add = op("a + b", operator.add, _one, _one, doc="sum", level=SUM)
sub = op("a - b", operator.sub, _one, lambda a, b, y: -1.0, doc="difference", level=SUM)
mul = op("a * b", operator.mul, lambda a, b, y: b, lambda a, b, y: a, doc="product", level=PRODUCT, product=True,
         underflow=lambda a, b, y: y == 0 and a != 0 and b != 0)
div = op("a / b", operator.truediv, lambda a, b, y: 1 / b, lambda a, b, y: -(y / b), doc="quotient", level=PRODUCT,
         edge=lambda a, b: nan if a == 0 or a != a else math.copysign(inf, a) * math.copysign(1, b),
         domain="b not 0", pole=lambda a, b, y: b == 0, underflow=lambda a, b, y: y == 0 and a != 0 and math.isfinite(b))
mod = op("a % b", operator.mod, _one, lambda a, b, y: -round((a - y) / b), doc="remainder, with the sign of b", level=PRODUCT, fits=(PRODUCT, POWER), latex=r"\bmod",
         domain="b not 0", jump=lambda a, b, y: y == 0, convention="1 and -floor(a/b), also at the multiples of b where it jumps")
pow = op("a ^ b", math.pow, lambda a, b, y: strong(lowered(a, b, 1.0), b), lambda a, b, y: powlog(a, b), doc="power", level=POWER, fits=(ATOM, SIGN),
         edge=_power_edge, domain="a >= 0, or b an integer", convention="by a: 0 where b is 0; by b: 0 at a = 0 < b, and "
         "undefined for a < 0 and at 0^0", pole=lambda a, b, y: a == 0 and b < 1 and b != 0,
         undefined=lambda a, b, y: a < 0 or (a == 0 and b == 0), underflow=lambda a, b, y: y == 0 and a != 0 and math.isfinite(a) and math.isfinite(b))
neg = op("-a", operator.neg, lambda a, y: -1.0, doc="the negative", level=SIGN, fits=(POWER,))
comparison = {"doc": "1 if true, else 0", "level": COMPARISON, "fits": (SUM, SUM), "truth": True, "jump": lambda a, b, y: a == b}
lt  = op("a < b", lambda a, b: float(a < b), None, None, **comparison)
le  = op("a <= b", lambda a, b: float(a <= b), None, None, latex=r"\le", **comparison)
gt  = op("a > b", lambda a, b: float(a > b), None, None, **comparison)
ge  = op("a >= b", lambda a, b: float(a >= b), None, None, latex=r"\ge", **comparison)
eq  = op("a == b", lambda a, b: float(a == b), None, None, latex="=", **comparison)
ne  = op("a != b", lambda a, b: float(a != b), None, None, latex=r"\ne", **comparison)
not_ = op("not a", lambda a: float(not a), None, doc="1 if a is 0, else 0", level=NOT, fits=(NOT,), latex=r"\lnot", truth=True)
and_ = op("a and b", lambda a, b: float(bool(a and b)), None, None, doc="1 if neither is 0, else 0", level=AND, latex=r"\land", truth=True)
or_  = op("a or b", lambda a, b: float(bool(a or b)), None, None, doc="0 if both are 0, else 1", level=OR, latex=r"\lor", truth=True)

# --------------------------------------------------------------------------------------------- arithmetic
op = rows_of("Arithmetic")
abs_ = op("abs(x)", abs, lambda x, y: sign(x), latex=r"\left|{0}\right|", doc="absolute value", kink=lambda x, y: x == 0, convention="0 at 0")
sign = op("sign(x)", lambda x: x if x != x or x == 0 else math.copysign(1.0, x), _zero, doc="-1, 0 or 1", choice=True,
          jump=lambda x, y: x == 0, convention="0 everywhere",
          expands=lambda x: if_(x > 0.0, 1.0, if_(x < 0.0, -1.0, x)))
floor = op("floor(x)", _integral(math.floor), _zero, latex=r"\left\lfloor {0}\right\rfloor", doc="the integer at or below x", choice=True,
           jump=lambda x, y: x == y, convention="0 everywhere")
ceil = op("ceil(x)", _integral(math.ceil), _zero, latex=r"\left\lceil {0}\right\rceil", doc="the integer at or above x", choice=True,
          jump=lambda x, y: x == y, convention="0 everywhere")
round = op("round(x)", _integral(round), _zero, doc="the nearest integer, halves to even", choice=True,
           jump=lambda x, y: abs(x - y) == 0.5, convention="0 everywhere")
trunc = op("trunc(x)", _integral(math.trunc), _zero, doc="the integer part", choice=True,
           jump=lambda x, y: x == y != 0, convention="0 everywhere",
           expands=lambda x: if_(x < 0.0, ceil(x), floor(x)))
min_ = op("min(*xs)", _smallest, lambda i, *v: share(v[i], v[-1], *v[:-1]), latex=r"\min", doc="the smallest", slope="1/k if it is one of k smallest, else 0", choice=True,
          tie=lambda *v: v[:-1].count(v[-1]) > 1, convention="1/k to each of k equal ones")
max_ = op("max(*xs)", _largest, lambda i, *v: share(v[i], v[-1], *v[:-1]), latex=r"\max", doc="the largest", slope="1/k if it is one of k largest, else 0", choice=True,
          tie=lambda *v: v[:-1].count(v[-1]) > 1, convention="1/k to each of k equal ones")
clamp = op("clamp(x, lo, hi)", lambda x, lo, hi: _smallest(_largest(x, lo), hi),
           lambda x, lo, hi, y: within(x, lo, hi), lambda x, lo, hi, y: within(lo, x, hi), lambda x, lo, hi, y: beyond(x, lo, hi),
           doc="x, kept between lo and hi", choice=True,
           tie=lambda x, lo, hi, y: x == lo or max(x, lo) == hi, convention="as min(max(x, lo), hi): half at a bound",
           expands=lambda x, lo, hi: min_(max_(x, lo), hi))
hypot = op("hypot(*xs)", math.hypot, lambda i, *v: _direction(i, v[:-1]), doc="the square root of the sum of the squares", slope="x/hypot(*xs)",
           kink=lambda *v: v[-1] == 0, convention="0 for each where all are 0")
sum_ = op("sum(*xs)", lambda *xs: reduce(operator.add, xs), _one, doc="the sum", slope="1",
          expands=lambda *xs: reduce(add, xs))
mean = op("mean(*xs)", _mean, lambda i, *v: 1 / (len(v) - 1), doc="the arithmetic mean", slope="1/n",
          expands=_mean_of_parts)
prod = op("prod(*xs)", lambda *xs: reduce(operator.mul, xs, 1.0), lambda i, *v: prod(*v[:i], *v[i + 1:-1]), doc="the product", slope="the product of the others",
          expands=lambda *xs: reduce(mul, xs))

# --------------------------------------------------------------------------------- powers and logarithms
op = rows_of("Powers and logarithms")
# `per` takes -0 for 0: the slope at the end of the domain is the limit from inside, +inf on either zero
sqrt  = op("sqrt(x)", math.sqrt, lambda x, y: per(1.0, 2 * y), latex=r"\sqrt{{{0}}}", doc="square root", domain="x >= 0", pole=lambda x, y: x == 0, convention="inf at 0")
cbrt  = op("cbrt(x)", _cbrt, lambda x, y: cbrt_slope(x), latex=r"\sqrt[3]{{{0}}}", doc="cube root, of negative numbers too", pole=lambda x, y: x == 0, convention="inf at 0")
exp   = op("exp(x)", math.exp, lambda x, y: y, latex=r"e^{{{0}}}", doc="e to the x", underflow=_vanished)
exp2  = op("exp2(x)", math.exp2, lambda x, y: y * log(2.0), latex=r"2^{{{0}}}", doc="2 to the x", underflow=_vanished,
           expands=lambda x: pow(2.0, x))
expm1 = op("expm1(x)", math.expm1, lambda x, y: exp(x), doc="exp(x) - 1, exact near 0")
log   = op("log(x)", math.log, lambda x, y: per(1.0, x), latex=r"\log", doc="natural logarithm", edge=lambda x: -inf if x == 0 else nan,
           domain="x > 0", pole=lambda x, y: x == 0, convention="inf at 0")
log2  = op("log2(x)", math.log2, lambda x, y: per(log2(math.e), x), latex=r"\log_{{2}}\left({0}\right)", doc="logarithm to base 2", edge=lambda x: -inf if x == 0 else nan,
           domain="x > 0", pole=lambda x, y: x == 0, convention="inf at 0")
log10 = op("log10(x)", math.log10, lambda x, y: per(log10(math.e), x), latex=r"\log_{{10}}\left({0}\right)", doc="logarithm to base 10", edge=lambda x: -inf if x == 0 else nan,
           domain="x > 0", pole=lambda x, y: x == 0, convention="inf at 0")
log1p = op("log1p(x)", math.log1p, lambda x, y: 1 / (1 + x), doc="log(1 + x), exact near 0", edge=lambda x: -inf if x == -1 else nan,
           domain="x > -1", pole=lambda x, y: x == -1, convention="inf at -1")
logaddexp = op("logaddexp(x, y)", _log_of_sum, lambda x, y, z: weight(x, y), lambda x, y, z: weight(y, x), doc="log(exp(x) + exp(y)), without overflow",
               expands=_log_of_sum)
nthroot = op("nthroot(x, n)", lambda x, n: _root(x, n, 0.0), lambda x, n, y: root_lowered(x, n, 1.0) / n, lambda x, n, y: -(strong(log(x), y) / n / n), latex=r"\sqrt[{1}]{{{0}}}",
             doc="n-th root, for odd n of negative numbers too", domain="x >= 0, or n odd; n not 0", convention="inf at 0 for n > 1; by n: undefined for x < 0", edge=lambda x, n: _root_edge(x, n, 0.0),
             pole=lambda x, n, y: n == 0 or (x == 0 and n > 1), undefined=lambda x, n, y: x < 0, expands=lambda x, n: _root_of_any(x, n, 0.0))

# ------------------------------------------------------------------------------------------ trigonometric
op = rows_of("Trigonometric")
sin   = op("sin(x)", math.sin, lambda x, y: cos(x), latex=r"\sin", doc="sine, x in radians")
cos   = op("cos(x)", math.cos, lambda x, y: -sin(x), latex=r"\cos", doc="cosine, x in radians")
tan   = op("tan(x)", math.tan, lambda x, y: 1 + pow(y, 2.0), latex=r"\tan", doc="tangent, x in radians")
asin  = op("asin(x)", math.asin, lambda x, y: asin_slope(x), latex=r"\arcsin", doc="inverse sine", domain="-1 <= x <= 1",
           pole=lambda x, y: abs(x) == 1, convention="inf at -1 and 1")
acos  = op("acos(x)", math.acos, lambda x, y: -asin_slope(x), latex=r"\arccos", doc="inverse cosine", domain="-1 <= x <= 1",
           pole=lambda x, y: abs(x) == 1, convention="-inf at -1 and 1")
atan  = op("atan(x)", math.atan, lambda x, y: atan_slope(x), latex=r"\arctan", doc="inverse tangent")
atan2 = op("atan2(y, x)", math.atan2, lambda y, x, z: inverse_x(x, y), lambda y, x, z: -inverse_y(x, y),
           doc="angle of the point (x, y)", undefined=lambda y, x, z: x == 0 and y == 0, convention="undefined at (0, 0)")
sinh  = op("sinh(x)", math.sinh, lambda x, y: cosh(x), latex=r"\sinh", doc="hyperbolic sine", edge=lambda x: math.copysign(inf, x))
cosh  = op("cosh(x)", math.cosh, lambda x, y: sinh(x), latex=r"\cosh", doc="hyperbolic cosine")
tanh  = op("tanh(x)", math.tanh, lambda x, y: sech2(x), latex=r"\tanh", doc="hyperbolic tangent")
asinh = op("asinh(x)", math.asinh, lambda x, y: asinh_slope(x), doc="inverse hyperbolic sine")
acosh = op("acosh(x)", math.acosh, lambda x, y: acosh_slope(x), doc="inverse hyperbolic cosine", domain="x >= 1",
           pole=lambda x, y: x == 1, convention="inf at 1")
atanh = op("atanh(x)", math.atanh, lambda x, y: atanh_slope(x), doc="inverse hyperbolic tangent", domain="-1 <= x <= 1",
           edge=lambda x: math.copysign(inf, x) if abs(x) == 1 else nan, pole=lambda x, y: abs(x) == 1, convention="inf at -1 and 1")
sec   = op("sec(x)", lambda x: 1 / math.cos(x), lambda x, y: y * tan(x), latex=r"\sec", doc="1/cos(x)",
           expands=lambda x: 1 / cos(x))
csc   = op("csc(x)", lambda x: 1 / math.sin(x), lambda x, y: -y * cot(x), latex=r"\csc", doc="1/sin(x)", domain="sin(x) not 0", pole=lambda x, y: x == 0, convention="-inf at 0",
           edge=lambda x: div(1.0, sin(x)), expands=lambda x: 1 / sin(x))
cot   = op("cot(x)", lambda x: 1 / math.tan(x), lambda x, y: -(1 + pow(y, 2.0)), latex=r"\cot", doc="1/tan(x)", domain="sin(x) not 0", pole=lambda x, y: x == 0, convention="-inf at 0",
           edge=lambda x: div(1.0, tan(x)), expands=lambda x: 1 / tan(x))
asec  = op("asec(x)", _asec, lambda x, y: asec_slope(x), doc="inverse secant, acos(1/x)", domain="abs(x) >= 1", pole=lambda x, y: abs(x) == 1, convention="inf at -1 and 1", expands=_asec)
acsc  = op("acsc(x)", _acsc, lambda x, y: -asec_slope(x), doc="inverse cosecant, asin(1/x)", domain="abs(x) >= 1", pole=lambda x, y: abs(x) == 1, convention="-inf at -1 and 1", expands=_acsc)
acot  = op("acot(x)", lambda x: math.atan(1 / x), lambda x, y: -atan_slope(x), doc="inverse cotangent, atan(1/x), and pi/2 at 0", edge=lambda x: math.pi / 2,
           jump=lambda x, y: x == 0, convention="-1 at 0, where it jumps", expands=lambda x: if_(x == 0.0, math.pi / 2, atan(1 / x)))
sech  = op("sech(x)", _sech, lambda x, y: -y * tanh(x), doc="1/cosh(x)", underflow=_vanished, expands=_sech)
csch  = op("csch(x)", _csch, lambda x, y: -y * coth(x), doc="1/sinh(x)", edge=lambda x: div(1.0, x), domain="x not 0", pole=lambda x, y: x == 0, convention="-inf at 0", underflow=_vanished,
           expands=lambda x: if_(x == 0.0, 1 / x, _csch(x)))
coth  = op("coth(x)", lambda x: 1 / math.tanh(x), lambda x, y: -pow(csch(x), 2.0), latex=r"\coth", doc="1/tanh(x)", edge=lambda x: div(1.0, x), domain="x not 0", pole=lambda x, y: x == 0, convention="-inf at 0",
           expands=lambda x: 1 / tanh(x))
asech = op("asech(x)", _asech, lambda x, y: -asech_slope(x), doc="inverse hyperbolic secant, acosh(1/x)", edge=lambda x: inf if x == 0 else nan, domain="0 <= x <= 1",
           pole=lambda x, y: x == 0 or x == 1, convention="-inf at 0 and 1", expands=_asech)
acsch = op("acsch(x)", _acsch, lambda x, y: -acsch_slope(x), doc="inverse hyperbolic cosecant, asinh(1/x)", edge=lambda x: div(1.0, x), domain="x not 0", pole=lambda x, y: x == 0,
           convention="-inf at 0", expands=lambda x: if_(x == 0.0, 1 / x, _acsch(x)))
acoth = op("acoth(x)", _acoth, lambda x, y: atanh_slope(x), doc="inverse hyperbolic cotangent, atanh(1/x)", edge=lambda x: math.copysign(inf, x), domain="abs(x) >= 1",
           pole=lambda x, y: abs(x) == 1, convention="inf at -1 and 1", expands=_acoth)
sinc  = op("sinc(x)", lambda x: math.sin(x) / x if x else 1.0, lambda x, y: sincn(1, x), doc="sin(x)/x, and 1 at 0", edge=lambda x: 0.0,
           expands=lambda x: if_(x == 0.0, 1.0, if_(abs(x) == inf, 0.0, sin(x) / x)))
sincn = op("sincn(n, x)", _sinc_derivative, lambda n, x, y: nan, lambda n, x, y: sincn(n + 1, x), doc="n-th derivative of sinc", domain="n = 0, 1, ..., 150",
           convention="undefined by n")
deg   = op("deg(x)", math.degrees, lambda x, y: 180 / math.pi, doc="radians to degrees",
           expands=lambda x: x * (180 / math.pi))
rad   = op("rad(x)", math.radians, lambda x, y: math.pi / 180, doc="degrees to radians",
           expands=lambda x: x * (math.pi / 180))

# --------------------------------------------------------------------------------------- machine learning
op = rows_of("Machine learning")
relu = op("relu(x)", lambda x: 0.0 if x <= 0 else x, lambda x, y: x > 0, doc="max(x, 0)", choice=True, kink=lambda x, y: x == 0, convention="0 at 0",
          expands=lambda x: if_(x <= 0.0, 0.0, x))
leaky_relu = op("leaky_relu(x)", lambda x: x if x > 0 else 0.01 * x, lambda x, y: if_(x > 0, 1, 0.01), doc="x, and x/100 for negative x",
                kink=lambda x, y: x == 0, convention="0.01 at 0",
                expands=lambda x: if_(x > 0.0, x, 0.01 * x))
sigmoid = op("sigmoid(x)", _sigmoid, lambda x, y: sigmoid_slope(x), latex=r"\sigma\left({0}\right)", doc="1/(1 + exp(-x))", underflow=_vanished,
             expands=_logistic)
logsigmoid = op("logsigmoid(x)", lambda x: -_softplus(-x), lambda x, y: sigmoid(-x), doc="log(sigmoid(x))",
                expands=lambda x: -softplus(-x))
softplus = op("softplus(x)", _softplus, lambda x, y: sigmoid(x), doc="log(1 + exp(x))", underflow=_vanished,
              expands=lambda x: max_(x, 0.0) + log1p(exp(-abs(x))))
silu = op("silu(x)", lambda x: x * _sigmoid(x), lambda x, y: silu_slope(x), doc="x*sigmoid(x), also called swish",
          expands=lambda x: x * sigmoid(x))
gelu = op("gelu(x)", lambda x: x * norm_cdf(x), lambda x, y: gelu_slope(x), doc="x*norm_cdf(x)",
          expands=lambda x: x * norm_cdf(x))
elu  = op("elu(x)", lambda x: x if x > 0 else math.expm1(x), lambda x, y: if_(x > 0, 1, exp(x)), doc="x, and exp(x) - 1 for negative x",
          kink=lambda x, y: x == 0, convention="1 at 0",
          expands=lambda x: if_(x > 0.0, x, expm1(x)))
logit = op("logit(x)", _logit, lambda x, y: logit_slope(x), doc="log(x/(1 - x)), the inverse of sigmoid", edge=lambda x: inf if x == 1 else nan,
           domain="0 <= x <= 1", pole=lambda x, y: x == 0 or x == 1, convention="inf at 0 and 1", expands=_logit)
step = op("step(x)", lambda x: float(x > 0) if x == x else nan, _zero, doc="1 for x > 0, else 0", choice=True, jump=lambda x, y: x == 0, convention="0 everywhere",
          expands=lambda x: if_(x == x, x > 0.0, x))

# ------------------------------------------------------------------------------------------------ special
op = rows_of("Special")
erf  = op("erf(x)", math.erf, lambda x, y: 2 / sqrt(math.pi) * gaussian(x), doc="error function")
erfc = op("erfc(x)", math.erfc, lambda x, y: -2 / sqrt(math.pi) * gaussian(x), doc="1 - erf(x), without cancellation", underflow=_vanished)
gamma = op("gamma(x)", math.gamma, lambda x, y: y * digamma(x), latex=r"\Gamma\left({0}\right)", doc="gamma function, (x - 1)! at the integers", domain="x not 0, -1, -2, ...",
           edge=lambda x: nan if x == -inf or (x < 0 and x == math.floor(x)) else math.copysign(inf, x), pole=lambda x, y: _at_pole(x, y))
lgamma = op("lgamma(x)", _log_gamma, lambda x, y: digamma(x), doc="log of abs(gamma(x))", edge=lambda x: inf, domain="x not 0, -1, -2, ...",
            pole=lambda x, y: _at_pole(x, y))
digamma = op("digamma(x)", lambda x: _polygamma(0, x), lambda x, y: polygamma(1, x), latex=r"\psi\left({0}\right)", doc="derivative of lgamma", domain="x not 0, -1, -2, ...",
             pole=lambda x, y: _at_pole(x, y))
polygamma = op("polygamma(n, x)", _polygamma, lambda n, x, y: nan, lambda n, x, y: polygamma(n + 1, x), latex=r"\psi^{{\left({0}\right)}}\left({1}\right)", doc="n-th derivative of digamma",
               domain="n = 0, 1, ..., 150; x not 0, -1, -2, ...", pole=lambda n, x, y: _at_pole(x, y), convention="undefined by n")
norm_pdf = op("norm_pdf(x)", lambda x: _gaussian(x, 0.5) / math.sqrt(math.tau), lambda x, y: norm_pdf_slope(x), latex=r"\varphi\left({0}\right)", doc="density of the standard normal", underflow=_vanished,
              expands=lambda x: _bell(x, 0.5) / math.sqrt(math.tau))
norm_cdf = op("norm_cdf(x)", _norm_cdf, lambda x, y: norm_pdf(x), latex=r"\Phi\left({0}\right)", doc="distribution of the standard normal", underflow=_vanished,
              expands=_normal)
log_norm_cdf = op("log_norm_cdf(x)", _log_norm_cdf, lambda x, y: mills(x), latex=r"\log\Phi\left({0}\right)", doc="log(norm_cdf(x)), also where that underflows", expands=_log_norm_cdf)
erfcx = op("erfcx(x)", _erfcx, lambda x, y: erfcx_1(x), doc="exp(x^2)*erfc(x), also where erfc underflows", expands=_erfcx)

# ------------------------------------------------------------------------------------------------- choice
op = rows_of("Choice")
if_ = op("if(c, a, b)", lambda c, a, b: a if c else b, None, lambda c, a, b, y: c != 0, lambda c, a, b, y: c == 0, latex=r"\begin{{cases}} {1} & \text{{if }} {0} \\ {2} & \text{{otherwise}} \end{{cases}}", doc="a if c is not 0, else b",
         choice=True, convention="of the branch that was taken, alone")

# ------------------------------------------------ rows that cannot be typed: a formula with a value it lacks
op = rows_of("")
per = op("n / d", lambda n, d: n / (d + 0.0), lambda n, d, y: per(1.0, d), lambda n, d, y: -per(y, d), doc="quotient, where -0 below is 0: a limit from above",
         edge=lambda n, d: div(n, d + 0.0), domain="d not 0", pole=lambda n, d, y: d == 0, underflow=lambda n, d, y: y == 0 and n != 0 and math.isfinite(d),
         internal=True, expands=lambda n, d: n / (d + 0.0), reads=lambda n, d: n / d)
strong = op("f * g", lambda f, g: f * g if g else 0.0, lambda f, g, y: g, lambda f, g, y: kept(f, g), doc="the product of the chain rule: 0 where g is 0", internal=True, product=True,
            expands=lambda f, g: if_(g, f * g, 0.0),
            reads=lambda f, g: g * f)
over = op("f / g", lambda f, g: f / g if f else 0.0, lambda f, g, y: 1 / g, lambda f, g, y: -over(y, g), doc="quotient, 0 at 0/0", internal=True,
          edge=lambda f, g: div(f, g),
          expands=lambda f, g: if_(f == 0.0, 0.0, f / g),
          reads=lambda f, g: f / g)
powlog = op("powlog(a, b)", lambda a, b: 0.0 if a == 0 and b > 0 else math.pow(a, b) * math.log(a), lambda a, b, y: lowered(a, b, 1.0) * (1 + b * log(a)),
            lambda a, b, y: strong(log(a), y), doc="derivative of a^b by b", internal=True, edge=lambda a, b: nan if a < 0 or b == 0 else -inf if a == 0 else mul(pow(a, b), log(a)),
            expands=lambda a, b: if_(a == 0.0, if_(b > 0.0, 0.0, if_(b == 0.0, nan, -inf)), pow(a, b) * log(a)),
            reads=lambda a, b: pow(a, b) * log(a))
sech2 = op("sech2(x)", _sech2, lambda x, y: -2 * tanh(x) * y, doc="derivative of tanh", internal=True, reads=lambda x: pow(1 / cosh(x), 2.0),
           expands=_sech2_of_exp)
gaussian = op("exp(-x^2)", _gaussian, lambda x, y: -2 * x * y, doc="exp(-x^2), the square unrounded", internal=True,
              expands=_bell,
              reads=lambda x: exp(-pow(x, 2.0)))
lowered = op("lowered(a, b, k)", _lowered, lambda a, b, k, y: strong(lowered(a, b, k + 1.0), b - k), lambda a, b, k, y: powlog(a, b - k), None, doc="a^(b - k), where b - k is not rounded",
             edge=lambda a, b, k: pow(a, b - k), pole=lambda a, b, k, y: a == 0 and b < k, internal=True, expands=_power_lowered, reads=lambda a, b, k: pow(a, b - k))
first_direction = op("first_direction(*xs)", lambda *xs: _part(xs[0], *xs), lambda i, *v: _turning(0, i, v[:-1], v[-1]), doc="derivative of hypot by its first operand",
                     kink=lambda *v: not any(v[:-1]), convention="0 where all are 0", internal=True, expands=lambda *xs: _part(xs[0], *xs), reads=lambda *xs: xs[0] / hypot(*xs))
last_direction = op("last_direction(*xs)", lambda *xs: _part(xs[-1], *xs), lambda i, *v: _turning(len(v) - 2, i, v[:-1], v[-1]), doc="derivative of hypot by its last operand",
                    kink=lambda *v: not any(v[:-1]), convention="0 where all are 0", internal=True, expands=lambda *xs: _part(xs[-1], *xs), reads=lambda *xs: xs[-1] / hypot(*xs))
inverse_x = op("inverse_x(x, y)", lambda x, y: x / hypot(x, y) / hypot(x, y), lambda x, y, z: inverse_2(x, y), lambda x, y, z: -2 * z * inverse_y(x, y), doc="derivative of atan2 by y: the real part of 1/(x + iy)",
               undefined=lambda x, y, z: x == 0 and y == 0, convention="undefined at (0, 0)", internal=True, expands=lambda x, y: x / hypot(x, y) / hypot(x, y))
inverse_y = op("inverse_y(x, y)", lambda x, y: y / hypot(x, y) / hypot(x, y), lambda x, y, z: -2 * inverse_x(x, y) * z, lambda x, y, z: -inverse_2(x, y), doc="derivative of atan2 by x, less its sign",
               undefined=lambda x, y, z: x == 0 and y == 0, convention="undefined at (0, 0)", internal=True, expands=lambda x, y: y / hypot(x, y) / hypot(x, y))
inverse_2 = op("inverse_2(x, y)", lambda x, y: _inverse_2(x, y), lambda x, y, z: 2 * inverse_x(x, y) * (pow(inverse_x(x, y), 2.0) - 3 * pow(inverse_y(x, y), 2.0)),
               lambda x, y, z: 2 * inverse_y(x, y) * (3 * pow(inverse_x(x, y), 2.0) - pow(inverse_y(x, y), 2.0)), doc="second derivative of atan2", internal=True, expands=lambda x, y: _inverse_2(x, y))
cbrt_slope = op("cbrt_slope(x)", lambda x: 1 / (3 * pow(cbrt(x), 2.0)), lambda x, y: -2 * y / (3 * x), doc="derivative of cbrt", edge=lambda x: inf, pole=lambda x, y: x == 0, internal=True,
                expands=lambda x: 1 / (3 * pow(cbrt(x), 2.0)))
atan_slope = op("atan_slope(x)", lambda x: 1 / (1 + x * x) if abs(x) < 1e8 else 1 / x / x, lambda x, y: -2 * x * y * y, doc="derivative of atan", internal=True,
                expands=lambda x: if_(abs(x) < 1e8, 1 / (1 + x * x), 1 / x / x), reads=lambda x: 1 / (1 + pow(x, 2.0)))
asin_slope = op("asin_slope(x)", lambda x: 1 / sqrt((1 - x) * (1 + x)), lambda x, y: x * y * y * y, doc="derivative of asin", edge=lambda x: inf, domain="-1 <= x <= 1", pole=lambda x, y: abs(x) == 1, internal=True,
                expands=lambda x: 1 / sqrt((1 - x) * (1 + x)))
atanh_slope = op("atanh_slope(x)", lambda x: 1 / (1 - x) * (1 / (1 + x)), lambda x, y: 2 * x * y * y, doc="derivative of atanh and acoth", edge=lambda x: inf, pole=lambda x, y: abs(x) == 1, domain="x not -1 or 1", internal=True,
                 expands=lambda x: 1 / (1 - x) * (1 / (1 + x)), reads=lambda x: 1 / ((1 - x) * (1 + x)))
asinh_slope = op("asinh_slope(x)", lambda x: 1 / math.hypot(x, 1.0), lambda x, y: -x * y * y * y, doc="derivative of asinh", internal=True, expands=lambda x: 1 / hypot(x, 1.0))
acosh_slope = op("acosh_slope(x)", lambda x: 1 / (sqrt(x - 1) * sqrt(x + 1)), lambda x, y: -x * y * y * y, doc="derivative of acosh", edge=lambda x: inf, domain="x >= 1", pole=lambda x, y: x == 1, internal=True,
                 expands=lambda x: 1 / (sqrt(x - 1) * sqrt(x + 1)))
asec_slope = op("asec_slope(x)", lambda x: 1 / abs(x) / (sqrt(abs(x) - 1) * sqrt(abs(x) + 1)), lambda x, y: -y * (1 / x - x * atanh_slope(x)), doc="derivative of asec", edge=lambda x: inf if abs(x) == 1 else nan,
                domain="abs(x) >= 1", pole=lambda x, y: abs(x) == 1, internal=True, expands=lambda x: 1 / abs(x) / (sqrt(abs(x) - 1) * sqrt(abs(x) + 1)), reads=lambda x: 1 / (abs(x) * sqrt(pow(x, 2.0) - 1)))
asech_slope = op("asech_slope(x)", lambda x: per(1.0, x) / sqrt((1 - x) * (1 + x)), lambda x, y: -y * (1 / x - x * atanh_slope(x)), doc="derivative of asech, less its sign", edge=lambda x: -inf if x == -1 else inf,
                 domain="0 <= x <= 1", pole=lambda x, y: x == 0 or x == 1, internal=True, expands=lambda x: per(1.0, x) / sqrt((1 - x) * (1 + x)), reads=lambda x: 1 / (x * sqrt((1 - x) * (1 + x))))
acsch_slope = op("acsch_slope(x)", lambda x: 1 / abs(x) / math.hypot(x, 1.0), lambda x, y: -y * (1 / x + x * atan_slope(x)), doc="derivative of acsch, less its sign", edge=lambda x: inf,
                 domain="x not 0", pole=lambda x, y: x == 0, internal=True, expands=lambda x: 1 / abs(x) / hypot(x, 1.0), reads=lambda x: 1 / (abs(x) * hypot(x, 1.0)))
logit_slope = op("logit_slope(x)", lambda x: per(1.0, x) / (1 - x), lambda x, y: (2 * x - 1) * y * y, doc="derivative of logit", edge=lambda x: inf, domain="0 <= x <= 1", pole=lambda x, y: x == 0 or x == 1, internal=True,
                 expands=lambda x: per(1.0, x) / (1 - x), reads=lambda x: 1 / (x * (1 - x)))
root_lowered = op("root_lowered(x, n, k)", _root, lambda x, n, k, y: strong(root_lowered(x, n, k + 1.0), (1 - k * n) / n), lambda x, n, k, y: -(strong(log(x), y) / n / n), None, doc="x^(1/n - k)",
                  edge=_root_edge, pole=lambda x, n, k, y: n == 0 or (x == 0 and k > 1 / n), internal=True, expands=_root_of_any, reads=lambda x, n, k: nthroot(x, n) / pow(x, k))
weight = op("weight(x, y)", _weight, lambda x, y, z: weight_slope(x, y), lambda x, y, z: -weight_slope(x, y), doc="derivative of logaddexp by x: sigmoid(x - y), the difference unrounded", internal=True,
            expands=_weight, reads=lambda x, y: sigmoid(x - y))
weight_slope = op("weight_slope(x, y)", _weight_slope, lambda x, y, z: -tanh((x - y) / 2) * z, lambda x, y, z: tanh((x - y) / 2) * z, doc="derivative of weight by x", internal=True,
                  expands=_weight_slope, reads=lambda x, y: sigmoid(x - y) * sigmoid(y - x))
sigmoid_slope = op("sigmoid_slope(x)", _sigmoid_slope, lambda x, y: -tanh(x / 2) * y, doc="derivative of sigmoid", underflow=_vanished, internal=True,
                   expands=_sigmoid_slope, reads=lambda x: sigmoid(x) * sigmoid(-x))
silu_slope = op("silu_slope(x)", lambda x: _sigmoid(x) * (1 + x * _sigmoid(-x)), lambda x, y: sigmoid_slope(x) * (2 - x * tanh(x / 2)), doc="derivative of silu", internal=True,
                expands=lambda x: sigmoid(x) * (1 + x * sigmoid(-x)))
gelu_slope = op("gelu_slope(x)", lambda x: norm_cdf(x) + x * norm_pdf(x), lambda x, y: gelu_slope_2(x), doc="derivative of gelu", internal=True, expands=lambda x: norm_cdf(x) + x * norm_pdf(x))
gelu_slope_2 = op("gelu_slope_2(x)", lambda x: 2 * norm_pdf(x) + x * norm_pdf_slope(x), lambda x, y: x * norm_pdf(x) * (x - 2) * (x + 2), doc="second derivative of gelu", internal=True,
                  expands=lambda x: 2 * norm_pdf(x) + x * norm_pdf_slope(x), reads=lambda x: norm_pdf(x) * (2 - pow(x, 2.0)))
norm_pdf_slope = op("norm_pdf_slope(x)", lambda x: -x * norm_pdf(x), lambda x, y: norm_pdf_slope_2(x), doc="derivative of norm_pdf", internal=True, expands=lambda x: -x * norm_pdf(x))
norm_pdf_slope_2 = op("norm_pdf_slope_2(x)", lambda x: norm_pdf(x) * (x - 1) * (x + 1), lambda x, y: x * norm_pdf(x) * (math.sqrt(3) - x) * (math.sqrt(3) + x), doc="second derivative of norm_pdf", internal=True,
                      expands=lambda x: norm_pdf(x) * (x - 1) * (x + 1), reads=lambda x: norm_pdf(x) * (pow(x, 2.0) - 1))
erfcx_1 = op("erfcx_1(x)", _erfcx_1, lambda x, y: erfcx_2(x), doc="derivative of erfcx", internal=True, expands=_erfcx_1, reads=lambda x: 2 * x * erfcx(x) - 2 / sqrt(math.pi))
erfcx_2 = op("erfcx_2(x)", _erfcx_2, lambda x, y: erfcx_3(x), doc="second derivative of erfcx", internal=True, expands=_erfcx_2, reads=lambda x: (4 * pow(x, 2.0) + 2) * erfcx(x) - 4 * x / sqrt(math.pi))
erfcx_3 = op("erfcx_3(x)", _erfcx_3, lambda x, y: 2 * x * y + 6 * erfcx_2(x), doc="third derivative of erfcx", internal=True, expands=_erfcx_3,
             reads=lambda x: (8 * pow(x, 3.0) + 12 * x) * erfcx(x) - (8 * pow(x, 2.0) + 8) / sqrt(math.pi))
mills = op("mills(x)", _mills, lambda x, y: mills_1(x), doc="derivative of log_norm_cdf", internal=True, expands=_mills, reads=lambda x: norm_pdf(x) / norm_cdf(x))
mills_1 = op("mills_1(x)", _mills_1, lambda x, y: mills_2(x), doc="second derivative of log_norm_cdf", internal=True, expands=_mills_1, reads=lambda x: -norm_pdf(x) / norm_cdf(x) * (x + norm_pdf(x) / norm_cdf(x)))
mills_2 = op("mills_2(x)", _mills_2, lambda x, y: mills_1(x) * (x + mills(x)) * (x + 2 * mills(x)) - mills_1(x) + mills(x) * ((1 + mills_1(x)) * (x + 2 * mills(x)) + (x + mills(x)) * (1 + 2 * mills_1(x))),
             doc="third derivative of log_norm_cdf", internal=True, expands=_mills_2, reads=lambda x: norm_pdf(x) / norm_cdf(x) * ((x + norm_pdf(x) / norm_cdf(x)) * (x + 2 * norm_pdf(x) / norm_cdf(x)) - 1))
kept = op("kept(f, g)", lambda f, g: f if g or math.isfinite(f) else 0.0, lambda f, g, y: holds(f, g), None, doc="the slope of strong by g: f, but 0 where g is 0 and f no finite number",
          choice=True, internal=True, expands=lambda f, g: if_(g, f, if_(f - f == 0.0, f, 0.0)), reads=lambda f, g: f)
holds = op("holds(f, g)", lambda f, g: float(g != 0 or math.isfinite(f)), None, None, doc="1 if kept(f, g) is f, else 0", internal=True, truth=True,
           expands=lambda f, g: or_(g != 0.0, f - f == 0.0), reads=lambda f, g: 1.0)
still = op("still(f, g)", lambda f, g: f * g if f and g else 0.0, lambda f, g, y: g, lambda f, g, y: kept(f, g), doc="the product of the chain rule where f is 0 because a factor that does not move is: 0 where f or g is 0",
           choice=True, internal=True, product=True, expands=lambda f, g: if_(f, strong(f, g), 0.0), reads=lambda f, g: strong(f, g))
chosen = op("chosen(f, g)", lambda f, g: f * g if f and g else 0.0, lambda f, g, y: g, lambda f, g, y: f, doc="the product of the chain rule for a choice: 0 where f or g is 0",
            choice=True, internal=True, product=True, expands=lambda f, g: if_(f, strong(f, g), 0.0))
ties = op("ties(*xs)", lambda first, *others: float(sum(x == first for x in others)), None, doc="how many of the others equal the first", internal=True,
          expands=lambda first, *others: sum_(*[x == first for x in others]),
          latex=lambda first, *others: reduce(add, [x == first for x in others]))
share = op("share(*xs)", lambda x, best, *xs: (x == best) / sum(other == best for other in xs), None, doc="the part of the gradient of max or min that goes to x: what it chose, and what it chose from",
           edge=lambda x, best, *xs: inf if x == best else nan, jump=lambda x, best, *xs: x == best and xs[:-1].count(best) > 1, convention="1/k to each of k equal ones",
           internal=True, expands=lambda x, best, *xs: (x == best) / ties(best, *xs))
within = op("within(x, lo, hi)", lambda x, lo, hi: float(_within(x, lo, hi)), None, None, None, doc="the part of the gradient of clamp that goes to x",
            jump=lambda x, lo, hi, y: x == lo or max(x, lo) == hi, convention="half at a bound", internal=True, expands=_within)
beyond = op("beyond(x, lo, hi)", lambda x, lo, hi: float(_beyond(x, lo, hi)), None, None, None, doc="the part of the gradient of clamp that goes to hi",
            jump=lambda x, lo, hi, y: max(x, lo) == hi, convention="half at a bound", internal=True, expands=_beyond)
# fmt: on

OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "%": "mod", "^": "pow"}
COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


def _operator(row: Op, *, reflected: bool = False) -> Rule:
    return (lambda self, other: self._apply(row, (other, self))) if reflected else (lambda self, *others: self._apply(row, (self, *others)))


for _symbol, _name in (OPERATORS | COMPARISONS).items():
    setattr(Lifted, f"__{_name}__", _operator(INFIX[_symbol]))
for _symbol, _name in OPERATORS.items():
    setattr(Lifted, f"__r{_name}__", _operator(INFIX[_symbol], reflected=True))
for _name, _row in (("neg", neg), ("abs", abs_)):
    setattr(Lifted, f"__{_name}__", _operator(_row))
