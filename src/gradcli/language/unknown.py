"""Messages and hints on a name that stands for nothing: a function that there is not, a variable without a value.

Imported when there is something to explain, and not before.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from gradcli.autodiff.ops import ALIASES, CONSTANTS, FUNCTIONS, find
from gradcli.autodiff.tape import Span, Tape
from gradcli.errors import Source, propose
from gradcli.text import counted, did_you_mean

from .definitions import DEFINITIONS
from .fragments import product_of
from .repairs import repair
from .scope import Known

# What other programs call it; {} are the arguments in their parentheses.
ELSEWHERE = {
    **dict.fromkeys(("remainder", "rem", "fmod", "modulo", "irem"), "mod{}"),
    **dict.fromkeys(("derivative", "deriv", "D", "Diff", "differentiate", "grad", "partial"), "diff{}"),
    **dict.fromkeys(("avg", "average", "Mean"), "mean{}"),
    **dict.fromkeys(("norm", "length", "mag", "magnitude"), "hypot{}"),
    **dict.fromkeys(("logsumexp", "lse", "logsum"), "logaddexp{}"),
    **dict.fromkeys(("piecewise", "iif", "ifelse", "cond", "ite", "select", "cases"), "if{}"),
    **dict.fromkeys(("fabs", "absolute", "modulus"), "abs{}"),
    **dict.fromkeys(("ceiling", "roundup"), "ceil{}"),
    **dict.fromkeys(("int", "fix", "truncate", "ipart"), "trunc{}"),
    **dict.fromkeys(("heaviside", "Heaviside", "theta", "unitstep"), "step{}"),
    **dict.fromkeys(("logistic", "expit", "sigm"), "sigmoid{}"),
    **dict.fromkeys(("tg", "tangent"), "tan{}"),
    **dict.fromkeys(("arctg", "atg"), "atan{}"),
    **dict.fromkeys(("sh", "sine_h"), "sinh{}"),
    **dict.fromkeys(("lg", "log_10"), "log10{}"),
    **dict.fromkeys(("lb", "ld"), "log2{}"),
    **dict.fromkeys(("gammaln", "lngamma", "loggamma", "lgam"), "lgamma{}"),
    **dict.fromkeys(("psi", "polygamma0"), "digamma{}"),
    **dict.fromkeys(("normcdf", "Phi", "phi", "pnorm", "ncdf"), "norm_cdf{}"),
    **dict.fromkeys(("normpdf", "dnorm", "npdf"), "norm_pdf{}"),
    **dict.fromkeys(("maximum", "maxi"), "max{}"),
    **dict.fromkeys(("minimum", "mini"), "min{}"),
    **dict.fromkeys(("limit", "clampf", "bound", "saturate"), "clamp{}"),
    **dict.fromkeys(("fact", "fac"), "factorial{}"),
    **dict.fromkeys(("swish",), "silu{}"),
    **dict.fromkeys(("degrees", "todeg", "rad2deg"), "deg{}"),
    **dict.fromkeys(("radians", "torad", "deg2rad"), "rad{}"),
    **dict.fromkeys(("power", "POW", "expt"), "pow{}"),
    **dict.fromkeys(("square", "sqr", "sq"), "{}^2"),
    **dict.fromkeys(("reciprocal", "inv", "recip"), "1/{}"),
    **dict.fromkeys(("nCr", "ncr", "binom", "binomial", "choose", "comb"), "factorial(n)/(factorial(k)*factorial(n - k))"),
    **dict.fromkeys(("nPr", "npr", "perm"), "factorial(n)/factorial(n - k)"),
    **dict.fromkeys(("frac", "fract"), "x - floor(x)"),
    **dict.fromkeys(("xor",), "(a != 0) != (b != 0)"),
}  # fmt: skip
# Of functions that there are, with another number of arguments.
OTHER_ARITY = {
    ("atan", 2): "atan2{}",
    ("arctan", 2): "atan2{}",
    ("sqrt", 2): "x^(1/n)",
    ("round", 2): "round(x*10^2)/10^2",
    ("exp", 2): "pow{}",
    ("norm_cdf", 3): "norm_cdf((x - m)/s)",
    ("norm_pdf", 3): "norm_pdf((x - m)/s)/s",
}
SPELLED = {"infinity": "inf", "euler": "e", "exp1": "e"}


def no_such_function(source: Source, name: str, span: Span, count: int, known: Known, inside: str) -> tuple[str, str]:
    """Message and hint for a call that names no function, or one with other arguments.

    `span` is the place of the call, with `count` arguments; `inside` is the function that is being defined.
    """
    if name == inside:
        return f"the function {name} cannot use itself", ""
    what = f"no function {name} with {counted(count, 'argument')}"
    call, after = source.text[slice(*span)], source.text[span[1] :]
    if re.search(rf"(?<!\w){re.escape(name)}\s*\([^()]*\)\s*=(?!=)", after):
        return what, f"{name} is defined after this: define it before its first use"
    rest = call[len(name) :].strip() if len(call) < 80 else "(x)"
    return what, _written_so(name, count, rest) or repair(source.text, span[0], known) or _near(name, rest, known)


def _written_so(name: str, count: int, rest: str) -> str:
    """The hint for a function that is written otherwise here."""
    other = OTHER_ARITY.get((name, count)) or ("" if find(name) else ELSEWHERE.get(name, ""))
    if other:
        return propose("it is written {}", _filled(other, count, rest))
    row = find(name) or (DEFINITIONS[name][0] if name in DEFINITIONS else None)
    if row is None:
        return ""
    if row.arity is None:
        return f"{name} takes at least one argument"
    more = [DEFINITIONS[name][0]] if name in DEFINITIONS and find(name) else []
    forms = [f"{name}({', '.join(one.parameters)})" for one in (row, *more)]
    return propose(f"it is written {' or '.join('{}' for _ in forms)}", *forms)


def _filled(other: str, count: int, rest: str) -> str:
    """A form with the arguments of the call, or with those of the function where they are not as many."""
    if other == "diff{}" and count < 2:
        return "diff(x^2, x)"
    row = find(other[:-2])
    if row is not None and row.arity not in (None, count):
        return other.format(f"({', '.join(row.parameters)})")
    return other.format(rest)


def _near(name: str, rest: str, known: Known) -> str:
    """The hint for a function that is misspelled, or has a factor written before it."""
    if factors := _factors(name, known):
        return propose("for a product write {}", f"{factors}{rest}")
    functions = [*known.functions, *FUNCTIONS, *ALIASES, *DEFINITIONS, "diff"]
    if meant := did_you_mean(name, functions):
        return meant
    return propose("for a product write {}", f"{name}*{rest}") if rest.count(",") == 0 and rest != "()" else ""


def _factors(name: str, known: Known) -> str:
    """x*ln for xln and a*b* for ab, where the letters have occurred; else ""."""
    names = {*known.names, *CONSTANTS}
    for cut in range(1, len(name)):
        before, function = product_of(name[:cut], names), name[cut:]
        if before and (known.is_function(function) or function in DEFINITIONS):
            return f"{before}*{function}"
    factors = product_of(name, names - {name})
    return f"{factors}*" if factors else ""


def no_value(name: str, text: str, given: Collection[str], tape: Tape) -> str:
    """The hint for a variable without a value; `given` are the names that have one, `text` is the text from its place."""
    spare = [one for one in given if one not in tape.inputs]
    if near := did_you_mean(name, [*spare, *tape.names]):
        return near
    if factors := product_of(name, {*given, *tape.names, *CONSTANTS}):
        return propose("for a product write {}", factors)
    if constant := SPELLED.get(name.lower()) or next((one for one in CONSTANTS if one == name.lower()), ""):
        return propose("did you mean {}?", constant)
    if ratio := re.match(r"d(\w+)\s*/\s*d(\w+)\b", text):
        return propose("a derivative is written {}", f"diff({ratio[1]}, {ratio[2]})")
    if find(name) is not None:
        return propose(f"{name} is a function: write {{}}", f"{name}(x)")
    return f"give it: {name}=VALUE"
