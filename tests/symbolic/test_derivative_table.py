"""The table of derivatives of a calculus textbook, in tests/golden/derivatives.txt: to be read as one reads a page of it.

GRADCLI_UPDATE_GOLDEN=1 writes the file anew.
"""

import os
import random
import re

import pytest
from helpers import GOLDEN

from gradcli import parse
from gradcli.autodiff.adjoint import differentiate, differentiate_in_turn
from gradcli.autodiff.ops import FUNCTIONS
from gradcli.autodiff.tape import replay
from gradcli.calculus.differences import central
from gradcli.symbolic.formulas import formulas

PATH = GOLDEN / "derivatives.txt"
TABLE = """
# constants, polynomials
7 | x
pi^2 | x
x | x
-x | x
3*x | x
x/3 | x
2*x + 5 | x
a*x + b | x
x^2 | x
x^3 | x
x^10 | x
-x^4 | x
5*x^3 - 2*x^2 + 7*x - 1 | x
x^5/5 - x^3/3 + x | x
1 - x + x^2/2 - x^3/6 | x
a*x^2 + b*x + c | x
0.5*x^2 | x
x*x*x | x
(x + 1)^2 | x
(2*x + 3)^5 | x
(x^2 + 1)^3 | x
# powers and roots
1/x | x
1/x^2 | x
x^-3 | x
x^0.5 | x
x^(1/3) | x
x^(-1/2) | x
x^n | x
a*x^n | x
x^(n + 1)/(n + 1) | x
sqrt(x) | x
1/sqrt(x) | x
cbrt(x) | x
x*sqrt(x) | x
sqrt(x^2 + 1) | x
sqrt(1 - x^2) | x
sqrt(a^2 - x^2) | x
# products
x*sin(x) | x
x^2*exp(x) | x
x*log(x) | x
x*log(x) - x | x
sin(x)*cos(x) | x
exp(x)*sin(x) | x
exp(-x)*cos(2*x) | x
(x + 1)*(x - 1) | x
(x^2 + 1)*(x^3 - x) | x
x*y*z | y
x^2*sin(x)*exp(x) | x
# quotients
x/(x + 1) | x
1/(1 + x) | x
1/(1 - x) | x
(x + 1)/(x - 1) | x
x/(x^2 + 1) | x
1/(1 + x^2) | x
sin(x)/x | x
sin(x)/cos(x) | x
log(x)/x | x
exp(x)/x | x
(a*x + b)/(c*x + d) | x
x^2/(1 - x) | x
# the chain rule
sin(2*x) | x
sin(a*x + b) | x
cos(x^2) | x
sin(x)^2 | x
cos(x)^3 | x
exp(-x) | x
exp(2*x) | x
exp(-x^2) | x
exp(-x^2/2) | x
exp(a*x) | x
exp(sin(x)) | x
log(2*x) | x
log(x^2 + 1) | x
log(sin(x)) | x
log(log(x)) | x
log(x + sqrt(x^2 + 1)) | x
sqrt(sin(x)) | x
sin(cos(x)) | x
sin(1/x) | x
atan(1/x) | x
tan(x)^2 | x
exp(exp(x)) | x
# exponentials to any base, and implicit powers
2^x | x
10^x | x
a^x | x
a^(2*x) | x
x^x | x
x^(2*x) | x
x^sin(x) | x
sin(x)^x | x
x^(1/x) | x
(1 + 1/x)^x | x
x^y | x
x^y | y
e^x | x
# every function of the table
abs(x) | x
sign(x) | x
floor(x) | x
ceil(x) | x
round(x) | x
trunc(x) | x
x%y | x
x%y | y
min(x, y) | x
max(x, y) | x
clamp(x, 0, 1) | x
hypot(x, y) | x
sum(x, y, z) | x
mean(x, y, z) | x
prod(x, y, z) | x
exp(x) | x
exp2(x) | x
expm1(x) | x
log(x) | x
log2(x) | x
log10(x) | x
log1p(x) | x
logaddexp(x, y) | x
nthroot(x, n) | x
sin(x) | x
cos(x) | x
tan(x) | x
asin(x) | x
acos(x) | x
atan(x) | x
atan2(y, x) | y
atan2(y, x) | x
sec(x) | x
csc(x) | x
cot(x) | x
asec(1 + x) | x
acsc(1 + x) | x
acot(x) | x
sinh(x) | x
cosh(x) | x
tanh(x) | x
asinh(x) | x
acosh(x) | x
atanh(x) | x
sech(x) | x
csch(x) | x
coth(x) | x
asech(x) | x
acsch(x) | x
acoth(1 + x) | x
sinc(x) | x
sincn(n, x) | x
deg(x) | x
rad(x) | x
relu(x) | x
leaky_relu(x) | x
sigmoid(x) | x
logsigmoid(x) | x
softplus(x) | x
silu(x) | x
gelu(x) | x
elu(x) | x
logit(x) | x
step(x) | x
erf(x) | x
erfc(x) | x
gamma(x) | x
lgamma(x) | x
digamma(x) | x
polygamma(n, x) | x
norm_pdf(x) | x
norm_cdf(x) | x
log_norm_cdf(x) | x
erfcx(x) | x
if(x > 0, x^2, -x) | x
x > 1 | x
not x | x
# choices
max(x^2, 1) | x
abs(x^2 - 1) | x
x*abs(x) | x
if(x < 1, x^3, 3*x - 2) | x
if(x > 0 and x < 1, x, 0) | x
relu(x)^2 | x
max(x, 0)*y | x
min(x, y)^2 | y
# several variables
(a+b)*(a*b) | a
(a+b)*(a*b) | b
x^2*y^3 | x
x^2*y^3 | y
sqrt(x^2 + y^2) | x
1/sqrt(x^2 + y^2 + z^2) | x
exp(-(x^2 + y^2)) | y
log(x/y) | y
x/y | y
x*exp(y) + y*exp(x) | x
atan(y/x) | x
sin(x*y) | x
x^2 - 2*x*y + y^2 | x
m*v^2/2 | v
G*m1*m2/r^2 | r
P*(1 + r/100)^n | r
A*exp(-k*t)*cos(w*t) | t
(1 - x)^2 + 100*(y - x^2)^2 | x
1/(sqrt(2*pi)*s)*exp(-(x - m)^2/(2*s^2)) | x
# second and higher derivatives
x^4 | x, 2
1/x | x, 2
sin(x) | x, 2
sin(x) | x, 4
exp(2*x) | x, 3
log(x) | x, 2
sqrt(x) | x, 2
x*exp(x) | x, 2
x^2*sin(x) | x, 2
exp(-x^2) | x, 2
tan(x) | x, 2
atan(x) | x, 2
x^n | x, 2
x^x | x, 2
# mixed derivatives
x^2*y^3 | x y
x^y | x y
sin(x*y) | x y
x*y*z | x y z
exp(x*y) | x y
x/y | x y
# derivatives inside
diff(x^3, x) | x
diff(sin(x)*y, y) | x
f(u) = u^2 + 1; f(f(x)) | x
"""


def entries():
    section = ""
    for line in TABLE.strip().splitlines():
        if line.startswith("#"):
            section = line
        else:
            text, by = (part.strip() for part in line.split("|"))
            yield section, text, by


def derived(text, by):
    """The text of a derivative: by "x", by "x, 2" the second, by "x y" the mixed one."""
    name, _, order = by.partition(", ")
    names = name.split()
    tape = parse(text, names)
    page = formulas(
        *(differentiate_in_turn(tape, names) if len(names) > 1 else differentiate(tape, names, int(order or 1)))
    )
    return page.text(",".join(names))


def page():
    shown, before = [], ""
    for section, text, by in entries():
        if section != before:
            shown += ["", section] if before else [section]
            before = section
        shown.append(f"{text}  |  {by}  |  {derived(text, by)}")
    return "\n".join(shown) + "\n"


def test_the_table():
    written = page()
    if os.environ.get("GRADCLI_UPDATE_GOLDEN") == "1":
        PATH.write_text(written, encoding="utf-8", newline="\n")
    assert written == PATH.read_text(encoding="utf-8")


def test_every_function_has_a_row():
    rows = {text.partition("(")[0] for _, text, _ in entries()}
    assert set(FUNCTIONS) <= rows
    assert len(list(entries())) >= 90


@pytest.mark.parametrize(("text", "by"), [(text, by) for _, text, by in entries()])
def test_each_row_is_right(text, by):
    """Against central differences of the function, or of its derivative of one order less."""
    name, _, order = by.partition(", ")
    *before, last = name.split() if not order else [name] * int(order)
    slope = text.rpartition("; ")
    inner = slope[2]
    for other in before:
        inner = f"diff({inner}, {other})"
    function, formula = parse("".join([*slope[:2], inner]), {last}), parse(derived(text, by), {last})
    dice = random.Random(1)
    inputs = {*function.inputs, *formula.inputs, last}
    for _ in range(5):
        point = {one: dice.uniform(0.2, 0.9) for one in inputs} | (
            {"n": 2.0} if "polygamma" in text or "sincn" in text else {}
        )
        if text == "acosh(x)" or "log(log" in text:
            point["x"] += 1.0
        if text == "sqrt(a^2 - x^2)":
            point["a"] += 1.0
        here = central(along(function, point, last), point[last], 1e-15)
        assert value(formula, point) == pytest.approx(here.value, rel=1e-6, abs=1e-8)


def along(tape, point, name):
    return lambda x: value(tape, {**point, name: x})


def value(tape, point):
    return replay(tape, {name: point[name] for name in tape.inputs})[tape.output]


@pytest.mark.parametrize(("text", "by"), [(text, by) for _, text, by in entries()])
def test_no_row_is_ugly(text, by):
    assert not re.search(r"--|\+ -|- -|\(-1\)|(?<![\w.^])1\*|\*1(?![\d.])", derived(text, by))
