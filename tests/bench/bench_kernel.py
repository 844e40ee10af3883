"""Kernels beside their peers: value and all partials for every row of columns in memory, on all cores.

Prints four tables (the functions of one expression, a memory-bound product, Black-Scholes with five Greeks, a
polynomial of 50 variables), the time that compiling took, and the cost of the gradient over that of the value for
2 to 100 variables. A peer that is not installed is named as missing.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from measure import installed, medians, seconds, table

from gradcli.errors import GradcliError
from gradcli.kernel import kernel
from gradcli.kernel.backends import find

CORES = len(os.sched_getaffinity(0))
ROWS, CHUNK = 2_000_000, 1 << 14
Columns = Mapping[str, Any]
Work = Callable[[], object]

CURVE = "sin(x)*exp(-x*y)+log(1+x^2)/tanh(y)"
PRODUCT = "(a+b)*(a*b)"
OPTION = """d = (log(s/k) + (r + v^2/2)*t)/(v*sqrt(t))
s*norm_cdf(d) - k*exp(-r*t)*norm_cdf(d - v*sqrt(t))"""
POLYNOMIAL = " + ".join(f"{i + 1}*x{i}^3 - x{i}*x{(i + 1) % 50}" for i in range(50))

# The gradient as one writes it by hand: shared parts once, no guard for the ends of the number line.
C_CURVE = """
#include <math.h>
void run(long n, const double *restrict x, const double *restrict y, double *restrict f, double *restrict fx, double *restrict fy) {
    for (long i = 0; i < n; i++) {
        double s = sin(x[i]), c = cos(x[i]), e = exp(-x[i] * y[i]), q = 1 + x[i] * x[i], l = log(q), t = tanh(y[i]);
        f[i] = s * e + l / t;
        fx[i] = e * (c - y[i] * s) + 2 * x[i] / (q * t);
        fy[i] = -x[i] * s * e - l * (1 - t * t) / (t * t);
    }
}
"""
C_PRODUCT = """
void run(long n, const double *restrict a, const double *restrict b, double *restrict f, double *restrict fa, double *restrict fb) {
    for (long i = 0; i < n; i++) {
        double s = a[i] + b[i], p = a[i] * b[i];
        f[i] = s * p;
        fa[i] = p + s * b[i];
        fb[i] = p + s * a[i];
    }
}
"""
C_OPTION = """
#include <math.h>
void run(long n, const double *restrict k, const double *restrict r, const double *restrict s, const double *restrict t,
         const double *restrict v, double *restrict f, double *restrict fk, double *restrict fr, double *restrict fs,
         double *restrict ft, double *restrict fv) {
    for (long i = 0; i < n; i++) {
        double w = sqrt(t[i]), vw = v[i] * w, d = (log(s[i] / k[i]) + (r[i] + v[i] * v[i] / 2) * t[i]) / vw, b = d - vw;
        double discount = exp(-r[i] * t[i]), nd = erfc(-d * M_SQRT1_2) / 2, nb = erfc(-b * M_SQRT1_2) / 2;
        double density = exp(-d * d / 2) * 0.3989422804014327, kd = k[i] * discount;
        f[i] = s[i] * nd - kd * nb;
        fk[i] = -discount * nb;
        fr[i] = kd * t[i] * nb;
        fs[i] = nd;
        ft[i] = s[i] * density * v[i] / (2 * w) + r[i] * kd * nb;
        fv[i] = s[i] * density * w;
    }
}
"""


def main() -> None:
    rng = np.random.default_rng(1)
    curve = {name: rng.uniform(0.1, 2, ROWS) for name in "xy"}
    product = {name: rng.uniform(0.1, 2, ROWS) for name in "ab"}
    bounds = {"k": (80, 120), "r": (0.01, 0.05), "s": (80, 120), "t": (0.1, 2), "v": (0.1, 0.5)}
    option = {name: rng.uniform(*bound, ROWS) for name, bound in bounds.items()}
    many = {f"x{i}": rng.uniform(-1, 1, ROWS // 20) for i in range(50)}
    print(f"value and every partial, rows a second, {CORES} threads; gradcli's kernels use all cores, as do the others")
    figures = compare(CURVE, curve, peers(curve_in, curve) | by_hand(C_CURVE, curve) | curve_by_hand(curve))
    against(figures, "llvm", {"jax": 5, "torch": 3, "numexpr": 8, "casadi": 20, "c": 0.9})
    against(figures, "numpy", {"numpy by hand": 0.9, "the same,": 0.9, "jax": 1.4, "numexpr": 3})
    figures = compare(PRODUCT, product, peers(product_in, product) | by_hand(C_PRODUCT, product))
    against(figures, "llvm", {"jax": 0.9})
    figures = compare(OPTION, option, peers(option_in, option) | by_hand(C_OPTION, option))
    against(figures, "llvm", {"jax": 5})
    compare(POLYNOMIAL, many, peers(polynomial_in, many))
    cheap_gradient()


def back_ends() -> list[str]:
    """The back ends that run here."""
    try:
        return ["llvm", "numpy"] if find("llvm").lacks([]) is None else ["numpy"]
    except GradcliError:
        return ["numpy"]


def compare(text: str, columns: Columns, others: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Rows a second of the kernels and their peers, which must agree; compile times beside."""
    contestants: dict[str, Callable[[], Any]] = {}
    for back_end in ["llvm", "numpy"]:
        if back_end not in back_ends():
            print("  llvmlite or libmvec not installed")
            continue
        made: list[kernel.Kernel] = []
        took = [seconds(lambda b=back_end, m=made: m.append(compiled(text, b))) for _ in range(5)]
        print(f"\n  {back_end}: compiled in {1000 * min(took):.1f} ms (the first time {1000 * took[0]:.1f})", end="")
        contestants[f"gradcli {back_end}"] = lambda k=made[-1]: flat(k(columns), columns)
    contestants |= others
    expected = next(iter(contestants.values()))()
    for name, contestant in contestants.items():
        for one, other in zip(expected, contestant(), strict=True):
            np.testing.assert_allclose(np.asarray(other).ravel(), one, rtol=1e-9, atol=1e-12, err_msg=name)
    rows = len(next(iter(columns.values())))
    took = medians({name: lambda work=work: seconds(work) for name, work in contestants.items()}, rounds=5)
    figures = {name: rows / figure / 1e6 for name, figure in took.items()}
    table(text if len(text) < 120 else f"{text[:60]} ...", figures, "Mrows/s")
    return figures


def compiled(text: str, back_end: str) -> kernel.Kernel:
    made = kernel.compile(text, back_end=back_end)
    assert made.source
    return made


def flat(result: Any, columns: Columns) -> list[Any]:
    return [result.value, *(result.partials[name] for name in columns)]


def against(figures: Mapping[str, float], ours: str, targets: Mapping[str, float]) -> None:
    mine = figures.get(f"gradcli {ours}")
    for peer, target in targets.items():
        found = [figure for name, figure in figures.items() if name == peer or name.startswith(f"{peer} ")]
        if mine and found:
            ratio = mine / found[0]
            met = "met" if ratio >= target else "NOT MET"
            print(f"  -> {ours} over {peer}: {ratio:.2f}x, target at least {target:.1f}x: {met}")


# ------------------------------------------------------- the expressions in the functions of a peer, which come as `f`
def curve_in(f: Any, x: Any, y: Any) -> Any:
    return f.sin(x) * f.exp(-x * y) + f.log(1 + x * x) / f.tanh(y)


def product_in(f: Any, a: Any, b: Any) -> Any:
    return (a + b) * (a * b)


def option_in(f: Any, k: Any, r: Any, s: Any, t: Any, v: Any) -> Any:
    def norm_cdf(z: Any) -> Any:
        return f.erfc(-z / 2**0.5) / 2 if hasattr(f, "erfc") else (1 + f.erf(z / 2**0.5)) / 2

    w = v * f.sqrt(t)
    d = (f.log(s / k) + (r + v * v / 2) * t) / w
    return s * norm_cdf(d) - k * f.exp(-r * t) * norm_cdf(d - w)


def polynomial_in(f: Any, *x: Any) -> Any:
    return sum((i + 1) * x[i] * x[i] * x[i] - x[i] * x[(i + 1) % 50] for i in range(50))


def peers(formula: Callable[..., Any], columns: Columns) -> dict[str, Work]:
    found: dict[str, Work] = {}
    for module, make in (("jax", by_jax), ("torch", by_torch), ("casadi", by_casadi)):
        if installed(module):
            found |= make(formula, columns)
    return found


def by_jax(formula: Callable[..., Any], columns: Columns) -> dict[str, Work]:
    import jax
    from jax import numpy as jnp
    from jax.scipy import special

    jax.config.update("jax_enable_x64", True)

    class Functions:
        sin, exp, log, tanh, sqrt, erfc = jnp.sin, jnp.exp, jnp.log, jnp.tanh, jnp.sqrt, special.erfc

    every = tuple(range(len(columns)))
    run = jax.jit(jax.vmap(jax.value_and_grad(lambda *x: formula(Functions, *x), every)))
    arrays = [jnp.asarray(column) for column in columns.values()]

    def work() -> list[Any]:
        value, partials = jax.block_until_ready(run(*arrays))
        return [value, *partials]

    return {"jax jit(vmap(value_and_grad))": work}


def by_torch(formula: Callable[..., Any], columns: Columns) -> dict[str, Work]:
    import torch

    torch.set_num_threads(CORES)
    tensors = [torch.tensor(column, requires_grad=True) for column in columns.values()]

    def work() -> list[Any]:
        for tensor in tensors:
            tensor.grad = None
        value = formula(torch, *tensors)
        value.sum().backward()
        return [value.detach(), *(tensor.grad for tensor in tensors)]

    return {"torch sum, backward": work}


def by_casadi(formula: Callable[..., Any], columns: Columns) -> dict[str, Work]:
    import casadi

    symbols = [casadi.SX.sym(name) for name in columns]
    value = formula(casadi, *symbols)
    function = casadi.Function("f", symbols, [value, *(casadi.gradient(value, symbol) for symbol in symbols)])
    rows = len(next(iter(columns.values())))
    mapped = function.map(rows, "thread", CORES)
    inputs = [column.reshape(1, -1) for column in columns.values()]
    return {"casadi map": lambda: mapped(*inputs)}


# ----------------------------------------------------------------------------------- with the partials written by hand
def by_hand(source: str, columns: Columns) -> dict[str, Work]:
    """C, built here with the same vector library: as many threads, and new arrays for the results, as all have."""
    compiler = shutil.which("gcc")
    if compiler is None:
        print("  gcc not installed")
        return {}
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "kernel.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    # without the second option gcc makes sincos of sin and cos, which has no vector form, and nothing is vectorised
    options = ["-Ofast", "-fdisable-tree-sincos", "-march=native", "-shared", "-fPIC"]
    libraries = ["-lmvec", "-lm"]
    subprocess.run([compiler, *options, path, "-o", f"{path}.so", *libraries], check=True, stderr=subprocess.DEVNULL)
    run = ctypes.CDLL(f"{path}.so").run
    shutil.rmtree(folder)
    rows, inputs = len(next(iter(columns.values()))), list(columns.values())
    edges = [rows * i // CORES for i in range(CORES + 1)]

    def work() -> list[Any]:
        results = [np.empty(rows) for _ in range(len(inputs) + 1)]

        def part(i: int) -> None:
            pointers = [ctypes.c_void_p(array.ctypes.data + 8 * edges[i]) for array in (*inputs, *results)]
            run(ctypes.c_long(edges[i + 1] - edges[i]), *pointers)

        with ThreadPoolExecutor(CORES) as pool:
            list(pool.map(part, range(CORES)))
        return results

    return {"c by hand (gcc -Ofast -lmvec)": work}


def curve_by_hand(columns: Columns) -> dict[str, Work]:
    """NumPy in chunks with buffers used again, and NumExpr.

    By hand one writes 1 - tanh(y)^2, which has no correct digit left from y = 19 on. The same with 1/cosh(y)^2, which is
    right everywhere and what our kernel computes, stands beside it.
    """
    x, y = columns.values()
    edges = list(range(0, ROWS, CHUNK))

    def part(right: bool, start: int, results: list[Any], s: Any, c: Any, e: Any, q: Any, t: Any) -> None:
        rows = slice(start, min(start + CHUNK, ROWS))
        size = rows.stop - start
        s, c, e, q, t = s[:size], c[:size], e[:size], q[:size], t[:size]
        a, b = x[rows], y[rows]
        f, fx, fy = (result[rows] for result in results)
        np.sin(a, out=s)
        np.cos(a, out=c)
        np.multiply(a, b, out=e)
        np.negative(e, out=e)
        np.exp(e, out=e)
        np.multiply(s, e, out=s)  # s is sin(x) exp(-xy)
        np.multiply(c, e, out=c)
        np.multiply(a, a, out=q)
        np.add(q, 1.0, out=q)
        np.tanh(b, out=t)
        np.log(q, out=e)
        np.divide(e, t, out=e)  # e is log(1 + x²)/tanh(y)
        np.add(s, e, out=f)
        np.multiply(q, t, out=q)
        np.divide(a, q, out=q)
        np.multiply(q, 2.0, out=q)
        np.multiply(b, s, out=fx)
        np.subtract(c, fx, out=fx)
        np.add(fx, q, out=fx)
        if right:
            np.cosh(b, out=c)
            np.divide(1.0, c, out=c)
            np.multiply(c, c, out=c)
        else:
            np.multiply(t, t, out=c)
            np.subtract(1.0, c, out=c)
        np.divide(c, t, out=c)
        np.multiply(e, c, out=e)
        np.multiply(a, s, out=s)
        np.add(s, e, out=s)
        np.negative(s, out=fy)

    def chunked(right: bool) -> list[Any]:
        results = [np.empty(ROWS) for _ in range(3)]
        queue = iter(edges)

        def thread(_: int) -> None:
            buffers = [np.empty(CHUNK) for _ in range(5)]
            for start in queue:
                part(right, start, results, *buffers)

        with ThreadPoolExecutor(CORES) as pool:
            list(pool.map(thread, range(CORES)))
        return results

    found: dict[str, Work] = {
        "numpy by hand in chunks": lambda: chunked(False),
        "the same, right for large y": lambda: chunked(True),
    }
    if installed("numexpr"):
        import numexpr

        numexpr.set_num_threads(CORES)
        texts = [
            "sin(x)*exp(-x*y)+log(1+x*x)/tanh(y)",
            "exp(-x*y)*(cos(x)-y*sin(x))+2*x/((1+x*x)*tanh(y))",
            "-x*sin(x)*exp(-x*y)-log(1+x*x)*(1/tanh(y)**2-1)",
        ]
        found["numexpr with three expressions"] = lambda: [numexpr.evaluate(text, {"x": x, "y": y}) for text in texts]
    return found


def cheap_gradient() -> None:
    print("\nvalue and all n partials over the value alone, sum of x_i*sin(x_i*x_(i+1)), target at most 4")
    for n in (2, 10, 50, 100):
        text = " + ".join(f"x{i}*sin(x{i}*x{(i + 1) % n})" for i in range(n))
        rng = np.random.default_rng(n)
        columns = {f"x{i}": rng.uniform(0.1, 2, 2_000_000 // n) for i in range(n)}
        for back_end in back_ends():
            alone = kernel.compile(text, wrt=[], back_end=back_end)
            both = kernel.compile(text, back_end=back_end)
            took = medians(
                {
                    "alone": lambda k=alone, c=columns: seconds(lambda: k(c)),
                    "both": lambda k=both, c=columns: seconds(lambda: k(c)),
                },
                rounds=5,
            )
            ratio = took["both"] / took["alone"]
            print(f"  n = {n:>3}  {back_end:<6} {ratio:>6.2f}x  {'met' if ratio <= 4 else 'NOT MET'}")


if __name__ == "__main__":
    sys.exit(main())
