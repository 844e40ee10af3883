"""Derivatives of special functions that the standard library lacks, on floats: polygamma, and those of sinc.

Sources: NIST Digital Library of Mathematical Functions, 5.11.2 and 5.15 (asymptotic series, recurrence and
reflection of the polygamma functions); for sinc, its Taylor series and the product rule applied to x*sinc(x).
"""

from __future__ import annotations

import math
from functools import cache

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
_ROOT, _ROOT_REST = 1.4616321449683622, 9.5499954299657e-17  # the positive zero of digamma, in two doubles


def polygamma(n: float, x: float) -> float:
    """The n-th derivative of digamma at x; nan unless n = 0, 1, ..., 150; at its poles inf for odd n, else nan.

    The limit is that of the factorials in it, which leave binary64 soon after.
    """
    if not 0 <= n <= 150 or n != math.floor(n) or x != x or x == -math.inf:
        return math.nan
    order = int(n)
    if x <= 0 and x == math.floor(x):
        return math.inf if order % 2 else math.nan
    if x < 0:
        reflected = polygamma(n, 1 - x)
        return (-reflected if order % 2 else reflected) - math.pi * _cotangent_derivative(order, x)
    if order == 0 and abs(x - _ROOT) < 0.3:
        return _digamma_near_root((x - _ROOT) - _ROOT_REST)
    return _polygamma_right(order, x)


def _polygamma_right(order: int, x: float) -> float:
    """For x > 0: the recurrence shifts x to where the asymptotic series has converged."""
    if x == math.inf:
        return math.inf if order == 0 else 0.0
    terms, factorial = [], float(math.factorial(order))
    while x < 20 + order:
        terms.append(_divided(factorial, x, order + 1))
        x += 1
    if order == 0:
        series = [_divided(b / (2 * k), x, 2 * k) for k, b in enumerate(_BERNOULLI, 1)]
        return -math.fsum([*terms, *series, 0.5 / x, -math.log(x)])
    terms += [_divided(factorial / order, x, order), _divided(factorial / 2, x, order + 1)]
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        weight = bernoulli * math.perm(2 * k + order - 1, order - 1)  # (2k+order-1)! / (2k)!
        terms.append(_divided(weight, x, 2 * k + order))
    total = math.fsum(terms)
    return total if order % 2 else -total


def _divided(number: float, x: float, times: int) -> float:
    """number / x**times, without the overflow or underflow of the power."""
    for _ in range(times):
        number /= x
    return number


def _cotangent_derivative(order: int, x: float) -> float:
    """The order-th derivative of cot(pi x): a polynomial in c = cot(pi x), since c' = -pi (1 + c²)."""
    rest = x - round(x)  # exact; pi*x would not be
    c = math.copysign(math.sin(math.pi * (0.5 - abs(rest))) / math.sin(math.pi * abs(rest)), rest)
    polynomial = [0.0, 1.0]
    for _ in range(order):
        slope = [k * p for k, p in enumerate(polynomial)][1:]
        polynomial = [a + b for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope], strict=True)]
    return (-math.pi) ** order * sum(math.prod([p, *[c] * k]) for k, p in enumerate(polynomial) if p)


def _digamma_near_root(distance: float) -> float:
    """The Taylor series at the zero, where the sum of the general case would cancel."""
    total = 0.0
    for coefficient in reversed(_root_coefficients()):
        total = (total + coefficient) * distance
    return total


@cache
def _root_coefficients() -> tuple[float, ...]:
    return tuple(_polygamma_right(k, _ROOT) / math.factorial(k) for k in range(1, 24))


def sinc_derivative(n: float, x: float) -> float:
    """The n-th derivative of sin(x)/x, n = 0, 1, ..., 150; nan for another n."""
    if not 0 <= n <= 150 or n != math.floor(n):
        return math.nan
    order = int(n)
    if not math.isfinite(x):
        return 0.0 if math.isinf(x) else x
    if abs(x) < order:
        return _sinc_series(order, x)
    y = math.sin(x) / x if x else 1.0
    for k in range(1, order + 1):  # x y⁽ᵏ⁾ + k y⁽ᵏ⁻¹⁾ = sin⁽ᵏ⁾(x); grows rounding errors where abs(x) < k
        sine = (math.sin, math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x))[k % 4](x)
        y = (sine - k * y) / x if abs(x) >= k else _sinc_series(k, x)
    return y


def _sinc_series(order: int, x: float) -> float:
    total, k = 0.0, (order + 1) // 2
    power = x if order % 2 else 1.0  # x^(2k-order) / (2k-order)!
    while True:
        term = (-1) ** k * power / (2 * k + 1)
        if total + term == total:
            return total
        total += term
        k += 1
        power *= x * x / ((2 * k - order) * (2 * k - order - 1))
