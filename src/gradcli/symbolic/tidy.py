"""Formulas as a person would write them: the tape of a derivative, put in order for reading.

Every line becomes a sum of products, as far as that is short: signs are pulled out, numbers multiplied and put in
front, like terms collected, neutral elements left out, and what a strong zero hides becomes a plain product. No
domain changes: x/x is not 1, terms of opposite signs stay, and y/x/x is not y/x^2, where x^2 may overflow. Where a
power of x was written, y*x/x^2/x^2 is y/x^3: outside of 1e-100 < |x| < 1e100 one may be 0 or inf where the other is
not yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from functools import partial, reduce
from typing import NamedTuple

from gradcli.autodiff.ops import FUNCTIONS, INFIX, PREFIX, Op, if_, over, powlog, strong
from gradcli.autodiff.simplify import without_dead_lines
from gradcli.autodiff.symbols import spelled
from gradcli.autodiff.tape import Line, Tape

from .choices import add, choose, condition_of_share, share_of_two, strong_product
from .products import call, divide, in_parentheses, leaf, multiply, negate, power
from .terms import ZERO, Draft, Sum, empty_draft, factor, variables_among, write

_ADD, _SUB, _MUL, _DIV, _POW = (INFIX[symbol] for symbol in "+-*/^")
_NEG, _NE = PREFIX["-"], INFIX["!="]
_SUM, _PROD, _LOG = (FUNCTIONS[name] for name in ("sum", "prod", "log"))
LONGEST, LONGEST_SHARED = 32, 4  # terms or factors that are merged into what they are part of


def tidy(tape: Tape, wanted: Sequence[int], *, named: bool = False) -> tuple[Tape, list[int]]:
    """The tape with its lines put in order, and the lines in `wanted` as they are numbered now. It means the same.

    With `named` the lines that the program assigned a name to stay lines of their own.
    """
    lines, moved = spelled(tape.lines)
    names = {name: moved[index] for name, index in tape.names.items()}
    tape = tape._replace(lines=tuple(lines), output=moved[tape.output], names=names)
    wanted = [moved[index] for index in wanted]
    draft = empty_draft()
    sums = _sums(draft, tape, wanted, set(names.values()) if named else set())
    output, *written = [write(draft, sums[index]) for index in (tape.output, *wanted)]
    names = {name: write(draft, sums[index]) for name, index in names.items() if named}
    return without_dead_lines(tape._replace(lines=tuple(draft.tape.lines), output=output, names=names), written)


# ---------------------------------------------------------------------------------------------------- line by line


class _Uses(NamedTuple):
    """The uses of the lines of a tape.

    times  for each line, how often an operation or `wanted` uses it
    named  lines that stay lines of their own
    inner  sums that are only part of another: like terms are collected once, at the end of such a chain
    """

    times: Counter[int]
    named: Set[int]
    inner: Set[int]


def _uses(tape: Tape, wanted: Sequence[int], named: Set[int]) -> _Uses:
    count = Counter(operand for line in tape.lines if line.op is not None for operand in line.args)
    count.update(wanted)
    operands = {index for line in tape.lines if line.op in (_ADD, _SUB) for index in line.args[: 1 + (line.op is _ADD)]}
    inner = {i for i in operands if tape.lines[i].op in (_ADD, _SUB) and count[i] == 1 and i not in named}
    return _Uses(count, named, inner)


def _sums(draft: Draft, tape: Tape, wanted: Sequence[int], named: Set[int]) -> list[Sum]:
    """Each line of the tape as a sum; the draft has what was written on the way."""
    uses, sums = _uses(tape, wanted, named), list[Sum]()
    for index, line in enumerate(tape.lines):
        operands = [sums[operand] for operand in line.args] if line.op is not None else []
        sums.append(_sum(draft, index, line, operands, uses))
    return sums


def _sum(draft: Draft, index: int, line: Line, operands: list[Sum], uses: _Uses) -> Sum:
    """A line as a sum, in parentheses where it is long."""
    if index in uses.inner and len(terms := _terms(draft, line, *operands)) <= LONGEST:
        return terms
    terms = _operation(draft, line.op, operands) if line.op is not None else leaf(draft, line)
    if line.op is _MUL and line.span != (0, 0) and not line.formula:
        _remember_order(draft, terms)
    if index in uses.named:
        return factor(write(draft, terms))
    length = len(terms) if len(terms) > 1 else terms[0].length
    return in_parentheses(draft, terms) if length > (LONGEST if uses.times[index] <= 1 else LONGEST_SHARED) else terms


def _terms(draft: Draft, line: Line, left: Sum, right: Sum) -> Sum:
    """The terms of a sum or difference, as they stand."""
    return left + (negate(draft, right) if line.op is _SUB else right)


def _remember_order(draft: Draft, product: Sum) -> None:
    """Keep the order in which the variables of a product were typed, for when they are written."""
    variables = variables_among(draft, product[0].factors)
    draft.typed.setdefault(tuple(sorted(variables)), variables)


# ------------------------------------------------------------------------------------------------------- the rules


def _operation(draft: Draft, op: Op, operands: list[Sum]) -> Sum:
    rule = RULES.get(op)
    return rule(draft, *operands) if rule else call(draft, op, *operands)


def _subtract(draft: Draft, left: Sum, right: Sum) -> Sum:
    return add(draft, left, negate(draft, right))


def _product(draft: Draft, *operands: Sum) -> Sum:
    return reduce(partial(multiply, draft), operands)


def _quotient(draft: Draft, left: Sum, right: Sum) -> Sum:
    return share_of_two(draft, left, right) or divide(draft, left, right)


def _unequal(draft: Draft, left: Sum, right: Sum) -> Sum:
    """f != 0, which for a share of the gradient of max and min is a condition on their operands."""
    condition = condition_of_share(draft, left) if right == ZERO else None
    return call(draft, _NE, left, right) if condition is None else factor(condition)


def _power_times_log(draft: Draft, base: Sum, exponent: Sum) -> Sum:
    return multiply(draft, call(draft, _POW, base, exponent), call(draft, _LOG, base))


RULES: dict[Op, Callable[..., Sum]] = {  # of a draft and the operands; other rows stay calls
    _ADD: add,
    _SUM: add,
    _SUB: _subtract,
    _NEG: negate,
    _MUL: multiply,
    _PROD: _product,
    _DIV: _quotient,
    over: _quotient,
    _POW: power,
    _NE: _unequal,
    powlog: _power_times_log,
    strong: strong_product,
    if_: choose,
}
