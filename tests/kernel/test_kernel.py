"""Kernels: value and gradient for columns, the same as the engine's at every special number, by every back end."""

import ctypes
import math
import sys

import numpy as np
import pytest
from helpers import programs
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from gradcli import GradcliError, gradient, parse
from gradcli.autodiff import ops
from gradcli.autodiff.engine import constant
from gradcli.autodiff.ops import TABLE
from gradcli.autodiff.tape import Line, Tape
from gradcli.errors import UsageError
from gradcli.kernel import kernel, llvm_writer, numpy_backend
from gradcli.kernel.lowering import POWERS, differentiated, linear_to, lower, tanh_beside
from gradcli.kernel.plan import make_plan

try:
    from gradcli.kernel import llvm_backend
except ImportError:
    llvm_backend = None
BACK_ENDS = ["numpy", "llvm"] if llvm_backend and llvm_backend.machine() else ["numpy"]

HOSTILE = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -2.5, 0.1, 25.0, -40.0, 710.0, -745.5, 1e-3, 5e-324, -5e-324,
           1e-310, 2.2250738585072014e-308, 1e200, -1e200, 1.7976931348623157e308, -1.7976931348623157e308,
           math.inf, -math.inf, float("nan"), 1e16, 123456.789, math.pi, -math.pi / 2]  # fmt: skip
numbers = st.one_of(st.sampled_from(HOSTILE), st.floats(), st.floats(-10, 10))


def exact(function, x):
    """In fifty digits, rounded to the nearest double."""
    with mp.workdps(50):
        return float(function(mp.mpf(x)))


def found_for(name, lines):
    """A back end, NumPy's in place of LLVM's for the rows that LLVM's does not have."""
    llvm = name == "llvm" and not llvm_backend.lacks(lines)
    return (llvm_backend if llvm else numpy_backend).BACKEND


def ulps(a, b):
    """How many floats lie between two numbers; 0 for equal ones and for two nan, and nan is far from all others."""
    if a == b or (a != a and b != b):
        return 0
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    return abs(position(a) - position(b))


def position(number):
    bits = int(np.float64(number).view(np.int64))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


# Where a kernel is further from the row than 4 ulp: it is made of others, each within 4 ulp, and
MORE = {
    "log_norm_cdf": 8,  # log1p has an argument that is rounded
    "cbrt_slope": 12,  # the cube root of libmvec is 3 ulp off, and is squared
    "inverse_2": 12,  # so is hypot, four times
    "silu_slope": 64,  # these have a zero, where two terms cancel
    "gelu_slope": 256,
    "gelu_slope_2": 64,
    "mills_1": 12,  # products of four and more
    "mills_2": 64,
}


def check_lines(lines, rows, back_end, limit=4):
    """Every line of a tape, computed by a kernel, is within 4 ulp of its row's answer for the operands as computed.

    So a difference is never made larger by what follows, and no tolerance is needed where a function is steep.
    """
    everything = [index for index, line in enumerate(lines) if line.op is not None]
    if not everything:
        return
    chosen = found_for(back_end, lines)
    lowered, kept = lower(lines, everything, [], chosen.native - {tanh_beside})
    free = linear_to(lowered, kept, [])
    names = list(Tape(tuple(lines), 0).inputs)
    columns = {name: np.array([row[name] for row in rows]) for name in names}
    plan = make_plan(lowered, names, free, kept, [])
    _, run = chosen.build(plan)
    found = [np.empty(len(rows)) for _ in plan.arrays]
    run([columns[lowered[index].name] for index in plan.columns], [], found, len(rows), 1)
    computed = dict(zip(plan.arrays, found, strict=True))
    for row, point in enumerate(rows):
        at = [line.value if line.value is not None else point.get(line.name) for line in lines]
        for index, place in zip(everything, kept, strict=True):
            line = lines[index]
            exact = line.op(*[at[operand] for operand in line.args])
            at[index] = float(computed[place][row]) if place in computed else exact
            allowed = MORE.get(line.op.name, limit)
            assert ulps(at[index], exact) <= allowed, (line, [at[operand] for operand in line.args], at[index], exact)
            assert exact or math.copysign(1, at[index]) == math.copysign(1, exact), (line, [at[o] for o in line.args])


@pytest.fixture(params=["numpy", "llvm"])
def back_end(request):
    if request.param not in BACK_ENDS:
        pytest.skip("llvmlite or libmvec is not installed: only NumPy's kernels are tested")
    return request.param


def arguments(row, count):
    """Rows of operands: all hostile ones for few operands, many for more."""
    if row is ops.sincn:  # its order is a small number that rules write
        return [(order, a) for order in (1.0, 2.0, 3.0) for a in HOSTILE]
    if row.parameters[-1:] == ("k",):  # the same
        return [(a, b, k) for k in (0.0, 1.0, 2.0) for a in HOSTILE for b in HOSTILE]
    if count == 1:
        return [(a,) for a in HOSTILE] + [(a,) for a in np.linspace(-30, 30, 4001).tolist()]
    if count == 2:
        return [(a, b) for a in HOSTILE for b in HOSTILE]
    rng = np.random.default_rng(count)
    return [tuple(row) for row in rng.choice(HOSTILE, (2000, count)).tolist()]


@pytest.mark.parametrize("row", TABLE, ids=repr)
def test_every_row_at_every_special_number(row, back_end):
    if row.form == "variadic":
        counts = [3, 4] if row is ops.share else [2, 3, 4] if row.internal else [1, 2, 3, 4]
    else:
        counts = [len(row.partials)]
    for count in counts:
        names = [f"v{i}" for i in range(count)]
        lines = [*(Line(None, name=name) for name in names), Line(row, tuple(range(count)))]
        check_lines(lines, [dict(zip(names, point, strict=True)) for point in arguments(row, count)], back_end)


@settings(max_examples=300)
@given(programs(), st.lists(st.tuples(*[numbers] * 6), min_size=1, max_size=5))
def test_random_programs_line_by_line(text, points):
    tape = parse(text)
    rows = [dict(zip("abcxyz", point, strict=True)) for point in points]
    for back_end in BACK_ENDS:
        check_lines(tape.lines, rows, back_end)
        check_lines(differentiated(tape, [tape.output], list(tape.inputs))[0], rows, back_end)


def close(found, expected, tolerance=1e-12):
    return np.allclose(found, expected, rtol=tolerance, atol=1e-300, equal_nan=True)


def made(text, back_end, **more):
    return kernel.compile(text, back_end=back_end, **more)


SMOOTH = [
    "(a+b)*(a*b)",
    "sin(a)*exp(-a*b)+log(1+a^2)/tanh(b)",
    "d = (log(a/b) + c)/sqrt(c); a*norm_cdf(d) - b*exp(-c)*norm_cdf(d - sqrt(c))",
    "logsigmoid(a) + softplus(b)*silu(c) + gelu(a*b)",
    "hypot(a, b) + atan2(a, c) + a^b + b^3 + c^-2 + a^0.5",
    "max(a, b, c)*min(a, b) + clamp(a, b, c) + mean(a, b, c)*prod(a, b, c)",
    "if(a > b, log(a), b^2) + (a%c) + relu(a - b) + elu(b - c)",
    "lgamma(a) + digamma(b) + sinc(c)",
    "sinh(a) + cosh(b) + asinh(c) + cbrt(a) + erf(b) + expm1(c) + log1p(a)",
]


@pytest.mark.parametrize("text", SMOOTH)
def test_the_gradient_is_the_engine_s(text, back_end):
    if back_end == "llvm" and llvm_backend.lacks(differentiated(parse(text), [parse(text).output], "abc")[0]):
        pytest.skip("not for LLVM: see test_what_llvm_lacks")
    rng = np.random.default_rng(5)
    columns = {name: rng.uniform(0.1, 3, 1003) for name in "abc"}
    value, partials = made(text, back_end, wrt=["a", "b", "c"], bound="abc")(columns)
    points = [dict(zip("abc", point, strict=True)) for point in zip(*columns.values(), strict=True)]
    exact = [gradient(text, wrt=["a", "b", "c"], **point) for point in points]
    assert close(value, [one.value for one in exact])
    for name in "abc":
        assert close(partials[name], [one.partials[name] for one in exact])


@settings(max_examples=200)
@given(programs(), st.lists(st.tuples(*[numbers] * 6), min_size=1, max_size=4))
def test_numbers_alone_are_the_engine_s(text, points):
    made_here = kernel.compile(text)
    for point in points:
        bound = {name: number for name, number in zip("abcxyz", point, strict=True) if name in made_here.names}
        value, partials = made_here(bound)
        exact = gradient(text, **bound)
        assert isinstance(value, float)
        assert set(partials) == set(exact.partials)
        assert repr(value) == repr(exact.value)


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4, 5, 7, 8, 9, 16383, 16384, 16385, 50001])
@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_rows_and_threads(rows, threads, back_end):
    x = np.linspace(-2, 2, rows)
    value, partials = made("a*sin(x) + b", back_end, threads=threads)(x=x, a=2.0, b=1)
    assert len(value) == rows and abs(value - (2 * np.sin(x) + 1)).max(initial=0) < 2e-15
    assert abs(partials["x"] - 2 * np.cos(x)).max(initial=0) < 2e-15
    assert isinstance(partials["a"], float) and abs(partials["a"] - math.fsum(np.sin(x))) < 1e-10
    assert partials["b"] == rows


def test_sums_do_not_depend_on_the_number_of_threads(back_end):
    x = np.random.default_rng(2).normal(size=100_003)
    sums = {made("exp(-a*x)", back_end, threads=threads)(a=0.5, x=x).partials["a"] for threads in (1, 2, 3, 7)}
    assert len(sums) == 1


def test_rows_are_a_jacobian(back_end):
    x = np.linspace(0, 1, 103)
    model = made("a*exp(-b*x) + c", back_end, wrt=["a", "b", "c"])
    value, partials = model.rows(a=2.0, b=3.0, c=1.0, x=x)
    assert close(value, 2 * np.exp(-3 * x) + 1)
    assert close(partials["a"], np.exp(-3 * x)) and close(partials["b"], -2 * x * np.exp(-3 * x))
    assert partials["c"].tolist() == [1.0] * 103
    summed = model(a=2.0, b=3.0, c=1.0, x=x).partials
    assert all(math.isclose(summed[name], math.fsum(partials[name]), rel_tol=1e-13) for name in "abc")


def test_several_outputs(back_end):
    program = made("u = x*a; v = u^2 + b; w = v", back_end, outputs=["u", "v"])
    found = program(x=[1.0, 2.0], a=3.0, b=0.0)
    assert list(found) == ["u", "v"]
    assert found["u"].value.tolist() == [3.0, 6.0] and found["v"].value.tolist() == [9.0, 36.0]
    assert found["u"].partials["x"].tolist() == [3.0, 3.0] and found["u"].partials["a"] == 3.0
    assert found["u"].partials["b"] == 0.0 and found["v"].partials["b"] == 2.0
    assert found["v"].partials["x"].tolist() == [18.0, 36.0]


def test_one_line_may_be_a_value_a_partial_and_a_sum(back_end):
    """exp is its own derivative: stored, and summed, and stored once more."""
    value, partials = made("exp(x + a)", back_end)(x=[0.0, 1.0], a=0.0)
    assert close(value, [1, math.e]) and close(partials["x"], value) and math.isclose(partials["a"], 1 + math.e)
    assert partials["x"] is not value


@pytest.mark.parametrize(
    ("text", "x", "partial"),
    [
        ("if(x > 0, log(x), 0)", -1.0, 0.0),
        ("if(x > 0, sqrt(x), x^2)", -3.0, -6.0),
        ("0*(1/x)", 0.0, math.nan),
        ("(x - x)*log(x)", 0.0, math.nan),
        ("max(x, 0)*sqrt(x)", -1.0, math.nan),
        ("sqrt(max(x, 0))", -1.0, 0.0),
        ("relu(x)*2 + relu(-x)*exp(1000*relu(x))", -2.0, -1.0),
        ("if(x == 0, 1, sin(x)/x)", 0.0, 0.0),
        ("log(x)", -0.0, math.inf),
        ("sqrt(x)", -0.0, math.inf),
        ("x^0.5", -0.0, math.inf),
        ("tanh(x)", 20.0, 1.6993417021166355e-17),
        ("sigmoid(x)", 40.0, 4.248354255291589e-18),
        ("softplus(x)", 25.0, 0.9999999999861121),
        ("abs(x)", 0.0, 0.0),
        ("max(x, 0, x)", 0.0, 2 / 3),
        ("step(x) + floor(x)*ceil(x)", 0.5, 0.0),
    ],
)
def test_strong_zero_and_kinks_row_by_row(text, x, partial, back_end):
    others = [0.25, 3.0, 1.5]
    expected = gradient(text, x=x).partials["x"]
    assert ulps(expected, partial) <= 2, "the case itself"
    found = made(text, back_end)(x=[*others, x, 0.75]).partials["x"].tolist()
    assert ulps(found[3], partial) <= 4
    for point, one in zip([*others, 0.75], [*found[:3], found[4]], strict=True):
        assert ulps(one, gradient(text, x=point).partials["x"]) <= 8


def test_a_row_that_needs_strong_zeros_in_a_chunk_that_does_not(back_end):
    x = np.linspace(0.5, 1.5, 40_000)
    x[[3, 20_000, 39_999]] = -1.0
    found = made("if(x > 0, log(x), 0)*c", back_end)(x=x, c=2.0)
    assert np.isfinite(found.partials["x"]).all() and (found.partials["x"][[3, 20_000, 39_999]] == 0).all()
    assert close(found.partials["c"], np.log(x[x > 0]).sum(), 1e-9)


@pytest.mark.parametrize("text", ["1/(x - -0)", "1/if(x, x, 0)", "1/if(x, x, -0)", "max(1/(x - -0), 0)", "1/(x + 0)"])
@pytest.mark.parametrize("x", [0.0, -0.0])
def test_the_side_of_a_zero(text, x, back_end):
    compiled = kernel.compile(text, wrt=[], back_end=back_end)
    assert compiled(x=np.array([x])).value.tolist() == [compiled(x=x).value] == [gradient(text, x=x).value]


def test_tanh_beside_its_derivative(back_end):
    """The NumPy back end takes both from one exponential, where that loses nothing."""
    point = [*HOSTILE, *np.linspace(-3, 3, 4001).tolist(), *np.logspace(-300, 2.8, 999).tolist(), -0.3465735, 0.3465736]
    found = made("tanh(x)", back_end)(x=np.array(point))
    for x, value, partial in zip(point, found.value.tolist(), found.partials["x"].tolist(), strict=True):
        slope = gradient("tanh(x)", x=x).partials["x"] if not abs(x) < 1e300 else exact(lambda x: mp.sech(x) ** 2, x)
        assert ulps(value, ops.tanh(x)) <= 4 and ulps(partial, slope) <= 4, x
    if back_end == "numpy":
        assert "flatnonzero" in kernel.compile("tanh(x)", back_end="numpy").source
        assert "flatnonzero" not in kernel.compile("tanh(x)", wrt=[], back_end="numpy").source


@pytest.mark.parametrize("exponent", POWERS)
def test_products_are_as_good_as_powers(exponent):
    for x in [*HOSTILE, *np.linspace(-5, 5, 999).tolist(), *np.logspace(-300, 300, 999).tolist()]:
        assert ulps(ops.pow(x, exponent), POWERS[exponent](constant(x)).data) <= 2, x


def test_what_llvm_lacks_numpy_computes():
    if "llvm" not in BACK_ENDS:
        pytest.skip("llvmlite or libmvec is not installed")
    assert kernel.compile("lgamma(x)").back_end == "numpy"
    assert kernel.compile("exp(x)").back_end == "llvm"
    with pytest.raises(GradcliError, match="does not compute lgamma"):
        kernel.compile("lgamma(x)", back_end="llvm")
    typed = {row for row in TABLE if not row.internal and llvm_backend.lacks([Line(row, (0,) * (row.arity or 2))])}
    assert typed == {ops.gamma, ops.lgamma, ops.digamma, ops.polygamma, ops.sincn}


@pytest.mark.parametrize("lanes", ["b", "e", "without fma"])
def test_other_processors(lanes, monkeypatch):
    """Two lanes and no fma run here too; for eight the assembly is read and not run."""
    if "llvm" not in BACK_ENDS:
        pytest.skip("llvmlite or libmvec is not installed")
    here = llvm_backend.machine()
    import llvmlite.binding as llvm

    text = "sin(a)*exp(-a*b) + log(1 + a^2)/tanh(b) + (a%b) + max(a, b, 1) + if(a > b and b < 2, a, 3)*c"
    if lanes == "e":
        target = here._replace(lanes=8, letter="e", fma=True)
        lines, found = differentiated(parse(text), [parse(text).output], "abc")
        lowered, kept = lower(lines, found[0][:1], found[0][1:], llvm_writer.NATIVE)
        source = llvm_writer.write(make_plan(lowered, "ab", [], kept[:3], kept[3:]), target)
        assert "_ZGVeN8v_log" in source and "<8 x double>" in source
        llvm.parse_assembly(source).verify()
        return
    target = here._replace(lanes=2, letter="b") if lanes == "b" else here
    monkeypatch.setattr(llvm_backend, "machine", lambda: target._replace(fma=False))
    for name in llvm_writer.needed(target):
        llvm.add_symbol(name, ctypes.cast(ctypes.CDLL("libmvec.so.1")[name], ctypes.c_void_p).value)
    rng = np.random.default_rng(3)
    columns = {name: rng.uniform(0.1, 3, 101) for name in "ab"}
    one, other = (kernel.compile(text, back_end=name)(**columns, c=2.0) for name in ("llvm", "numpy"))
    assert close(one.value, other.value)
    assert all(close(one.partials[name], other.partials[name]) for name in "abc")


def test_inputs_of_any_form(back_end):
    double = made("2*x + y", back_end)
    strided = np.arange(20.0)[::2]
    assert double(x=strided, y=0).value.tolist() == (2 * strided).tolist()
    assert double({"x": range(3), "y": 1}).value.tolist() == [1, 3, 5]
    assert double(x=np.float32(1.5), y=np.int64(2)).value == 5.0
    assert double(x=np.array(3.0), y=0, unknown=7).value == 6.0
    assert double(x=np.array([1, 2], dtype=np.int32), y=[1, 1]).partials["x"].tolist() == [2, 2]


def test_inputs_are_left_alone(back_end):
    x = np.array([1.0, -1.0, 2.0])
    x.flags.writeable = False
    found = made("x", back_end)(x=x)
    assert found.value is not x and found.value.tolist() == x.tolist() and found.value.flags.writeable


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"x": [1.0]}, "no value for y"),
        ({"x": [1.0, 2.0], "y": [1.0]}, "the columns differ in length: x has 2, y has 1"),
        ({"x": [[1.0]], "y": 1.0}, "x has 2 dimensions"),
        ({"x": ["a"], "y": 1.0}, "x is not a column of numbers"),
        ({"x": None, "y": 1.0}, "x is not a column of numbers"),
    ],
)
def test_wrong_inputs(inputs, message, back_end):
    with pytest.raises(UsageError, match=message):
        made("x*y", back_end)(inputs)


def test_wrong_calls():
    for arguments, message in [
        ({"wrt": ["z"]}, "z is not a variable"),
        ({"outputs": ["z"]}, "z is not assigned"),
        ({"back_end": "cuda"}, "no back end cuda"),
        ({"threads": 0}, "threads"),
    ]:
        with pytest.raises(UsageError, match=message):
            kernel.compile("u = x*y", **arguments)


def test_names_that_are_given_win_over_constants_and_may_not_occur():
    assert kernel.compile("e*x").names == ("x",)
    given_too = kernel.compile("e*x", wrt=["e", "z"], bound=["e", "z"])
    assert given_too.names == ("e", "x")
    value, partials = given_too(e=[1.0, 2.0], x=3.0, z=[0.0, 0.0])
    assert value.tolist() == [3.0, 6.0] and partials["e"].tolist() == [3.0, 3.0] and partials["z"].tolist() == [0, 0]


def test_the_source_has_no_text_of_the_user_in_it(back_end):
    source = made("secret_name*exp(hidden) + 12.25", back_end).source
    assert "secret" not in source and "hidden" not in source
    assert ("np.exp" if back_end == "numpy" else "define void @kernel") in source


@pytest.mark.parametrize("module", ["numpy", "llvmlite"])
def test_what_is_missing_is_named(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    if module == "llvmlite":
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        assert kernel.compile("x").back_end == "numpy"
    with pytest.raises(GradcliError, match=r"gradcli\[(batch|jit)\]"):
        kernel.compile("x", back_end="llvm")


def test_without_libmvec_numpy_computes(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(llvm_backend, "machine", lambda: None)
    assert kernel.compile("x").back_end == "numpy"
    with pytest.raises(GradcliError, match="libmvec"):
        kernel.compile("x", back_end="llvm")


def test_a_long_formula_is_left_to_numpy():
    assert kernel.compile("+".join(["x*y"] * 2_000)).back_end == "numpy"


def test_many_lines(back_end):
    """A sum of three thousand terms, as one types it: neither end is reached by recursion."""
    found = kernel.compile("+".join(["x*y"] * 3_000), back_end=back_end)(x=[1.0, 2.0], y=3.0)
    assert found.value.tolist() == [9_000, 18_000] and found.partials["y"] == 9_000
