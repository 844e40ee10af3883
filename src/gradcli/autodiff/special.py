"""Special functions that the standard library lacks, or has with fewer digits: log-gamma, polygamma, sinc, scaled erfc.

Sources: NIST Digital Library of Mathematical Functions, 5.7.3 (series of log-gamma), 5.11.1 (Stirling's), 5.11.2 and
5.15 (asymptotic series, recurrence and reflection of the polygamma functions), 7.18 (repeated integrals of erfc); for
sinc, its Taylor series and the product rule applied to x*sinc(x). The variable of the series of the scaled erfc is
that of M. M. Shepherd and J. G. Laframboise, Math. Comp. 36 (1981) 249-253; the coefficients are our own, from
Chebyshev interpolation with sixty digits.
"""

from __future__ import annotations

import math
from functools import cache

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
_ZETA = (  # (zeta(k) - 1)/k for k = 2, 3, ...
    0.3224670334241132,
    0.0673523010531981,
    0.020580808427784546,
    0.007385551028673986,
    0.0028905103307415234,
    0.001192753911703261,
    0.0005096695247430425,
    0.00022315475845357939,
    9.945751278180853e-05,
    4.492623673813314e-05,
    2.050721277567069e-05,
    9.439488275268397e-06,
    4.374866789907488e-06,
    2.039215753801366e-06,
    9.55141213040742e-07,
    4.492469198764566e-07,
    2.1207184805554665e-07,
    1.0043224823968099e-07,
    4.7698101693639804e-08,
    2.2711094608943164e-08,
    1.0838659214896955e-08,
    5.183475041970047e-09,
    2.4836745438024785e-09,
    1.1921401405860912e-09,
    5.731367241678862e-10,
    2.7595228851242334e-10,
    1.330476437424449e-10,
    6.4229645638381e-11,
)
# On x >= 0, in powers of (x - 3.75)/(x + 3.75): y = exp(x²) erfc(x) times 1 + 2x, and the size of its first three
# derivatives times the second, third and fourth power of 1 + x; then -m' and m'' (2 + x)³ at -x, where m is the density of the normal distribution
# over its distribution
ERFCX = (
    1.2375126308378275,
    -0.14024059858554702,
    0.0035854154854644293,
    0.08227673849015102,
    -0.10880393014174886,
    0.09230432116019834,
    -0.05869339858963677,
    0.0283622774215156,
    -0.009746579558029276,
    0.0017556258324217529,
    0.0002937136655913448,
    -0.00029015397928986765,
    5.164909889268241e-05,
    2.2383912036550678e-05,
    -1.1444146237700524e-05,
    -9.72849582211122e-07,
    1.751637648849062e-06,
    -5.826281078800777e-08,
    -2.5866850716155884e-07,
    2.4289762925488707e-08,
    3.8675334242222354e-08,
    -4.389284159986328e-09,
    -5.1739902140113095e-09,
    5.457157304704688e-10,
    4.2514714447963895e-10,
    -3.75315827795962e-11,
)
ERFCX_1 = (
    0.8225443105820747,
    -0.40739547457260383,
    0.17741393850883777,
    0.018871485155750715,
    -0.11049676631833606,
    0.10485127203673512,
    -0.055185736803029385,
    0.010988345303212476,
    0.008472700775030472,
    -0.009156779232185351,
    0.0039574649745511255,
    -0.0004273609774826023,
    -0.0004392503956835943,
    0.00020511486846564302,
    1.478468267936786e-05,
    -3.619225039374831e-05,
    3.977250042377345e-06,
    5.551828054676021e-06,
    -1.2752800569292377e-06,
    -8.844323152264537e-07,
    2.686655484713747e-07,
    1.5430030937755377e-07,
    -4.7318584694318077e-08,
    -2.758897101689431e-08,
    6.50800675842754e-09,
    4.141049347491629e-09,
    -5.094459099308252e-10,
    -3.5350372837305215e-10,
)
ERFCX_2 = (
    1.9031057550601318,
    -1.1481540644757628,
    0.2642144817498422,
    0.4628688546823304,
    -0.6501271444879573,
    0.3971481160418842,
    -0.05515631793306686,
    -0.12184870308193091,
    0.11541755775425058,
    -0.04050051756357686,
    -0.008771919976860372,
    0.015740691836080154,
    -0.005696571052824804,
    -0.0009424894635618831,
    0.0014063081712343943,
    -0.00018158777746288312,
    -0.00023391263530720297,
    7.42003209592617e-05,
    3.65845375912448e-05,
    -1.8158369533830627e-05,
    -6.251620603979036e-06,
    3.8994041365685625e-06,
    1.223785818710146e-06,
    -7.789213745836922e-07,
    -2.4646777111919095e-07,
    1.3851108987620137e-07,
    4.026106812631789e-08,
    -1.9045788362607382e-08,
    -3.59778907981469e-09,
    1.45026799561125e-09,
)
ERFCX_3 = (
    6.4364815060150455,
    -4.08530828750396,
    -0.3668828120214283,
    3.59964770044571,
    -3.3923303482333873,
    0.9770493657383377,
    1.0145817339240728,
    -1.2991232136044615,
    0.5105847418464623,
    0.17541086615301657,
    -0.2930194059942554,
    0.1045250169647076,
    0.0359285358067366,
    -0.04362900381183669,
    0.006701740048914204,
    0.00831846015460474,
    -0.0034975373993355345,
    -0.00123090593310928,
    0.000966715311106692,
    0.0001751314638604546,
    -0.00023100096380799652,
    -3.0629507366897554e-05,
    5.283936717341249e-05,
    7.697446738568543e-06,
    -1.1569008129962065e-05,
    -2.2751920619631664e-06,
    2.252311831018793e-06,
    5.916651843497087e-07,
    -3.327522518694442e-07,
    -1.0791002394663932e-07,
    2.6575548258956442e-08,
    9.88290377927059e-09,
)
MILLS_1 = (
    0.9485489101487662,
    0.1533102303578005,
    -0.1624857940784388,
    0.05370697864467597,
    0.035605626767103375,
    -0.036721520377024426,
    -0.0014608108829961143,
    0.015486073114687027,
    -0.0035328084156696364,
    -0.005366494696652335,
    0.002463707491603651,
    0.0016265406840763246,
    -0.0011717795733969308,
    -0.00043615547961816384,
    0.0004676342472976461,
    0.00010050788436173249,
    -0.00016581745675963127,
    -1.729671111709064e-05,
    5.326848138732804e-05,
    3.754354202727711e-07,
    -1.556115107377513e-05,
    1.5017645766528665e-06,
    4.106633479141791e-06,
    -8.714692930070258e-07,
    -9.586252165352522e-07,
    3.036009340258583e-07,
    1.8764941927224962e-07,
    -6.572913357455055e-08,
    -2.7176638307456373e-08,
    6.792515416637716e-09,
    2.1249238129113167e-09,
)
MILLS_2 = (
    3.8860949432569996,
    -0.8030841485345022,
    -3.1601863495473594,
    1.9994044634650996,
    1.5442014813370568,
    -1.8090151602121873,
    -0.4556024741526651,
    1.143903036447668,
    0.022835420195887707,
    -0.59208443825566,
    0.0712349610453073,
    0.26791931842127276,
    -0.05760226346399871,
    -0.10913443923464647,
    0.030602807138835626,
    0.04029456923508876,
    -0.013229900225992445,
    -0.013300922463491701,
    0.005029369287049374,
    0.0037597707465419935,
    -0.00178891408874394,
    -0.000811080952185364,
    0.0006340208594071904,
    7.608317885619312e-05,
    -0.00022856463206241098,
    3.5715428683235e-05,
    7.796036342900948e-05,
    -2.3307999708694342e-05,
    -2.1817196328764506e-05,
    7.312483075868029e-06,
    4.16891195689715e-06,
    -1.3444213221789002e-06,
    -3.925088177322092e-07,
    1.1608745692356183e-07,
)
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
    terms, factorial, first = [], float(math.factorial(order)), x
    for k in range(1, 22 + order):
        if x >= 20 + order:
            break
        terms.append(_divided(factorial, x, order + 1))
        x = first + k  # rounded once
    if order == 0:
        series = [_divided(b / (2 * k), x, 2 * k) for k, b in enumerate(_BERNOULLI, 1)]
        return -math.fsum([*terms, *series, 0.5 / x, -math.log(x)])
    terms += [_divided(factorial / order, x, order), _divided(factorial / 2, x, order + 1)]
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        weight = bernoulli * math.perm(2 * k + order - 1, order - 1)  # (2k+order-1)! / (2k)!
        terms.append(_divided(weight, x, 2 * k + order))
    total = math.fsum(terms)
    return total if order % 2 else -total


def log_gamma(x: float) -> float:
    """log(abs(gamma(x))), in full accuracy near its zeros 1 and 2 too; inf at the poles."""
    if x != x or math.isinf(x):
        return x * x
    if x <= 0:
        if x == math.floor(x):
            return math.inf
        if x > -1e-20:
            return -math.log(-x)
        rest = abs(x - math.floor(x + 0.5))  # sin(pi*x) up to its sign
        return math.log(math.pi / abs(x * math.sin(math.pi * rest))) - log_gamma(-x)
    if x < 0.5:
        return _log_gamma_near_2(x) - math.log1p(x) - math.log(x)
    if x < 1.5:
        return _log_gamma_near_2(x - 1) - math.log1p(x - 1)
    if x < 10:
        product = 1.0
        while x > 2.5:
            x -= 1
            product *= x
        return math.log(product) + _log_gamma_near_2(x - 2)
    if x > 2.5e305:
        return math.inf
    series = [_divided(b / (2 * k * (2 * k - 1)), x, 2 * k - 1) for k, b in enumerate(_BERNOULLI, 1)]
    return math.fsum([(x - 0.5) * (math.log(x) - 1), 0.5 * math.log(math.tau) - 0.5, *series])


def _log_gamma_near_2(distance: float) -> float:
    """log(gamma(2 + distance)) for distances up to a half."""
    total = 0.0
    for k in range(len(_ZETA), 0, -1):
        total = total * -distance + _ZETA[k - 1]
    return distance * (0.42278433509846713 + distance * total)  # 1 less Euler's constant


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
