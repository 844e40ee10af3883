"""Sums and conditions: like terms collected, zero gradients shown as an `if`, the shares of max and min in few words.

add(draft, factor(x), factor(x))                  # 2*x
strong_product(draft, local, upstream)            # if(x > 0, 2*x, 0), where the upstream gradient is x > 0
strong_product(draft, factor(z), share)           # if(x > y, z, if(x == y, z/2, 0)), the gradient of z*max(x, y)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from gradcli.autodiff.ops import INFIX, PREFIX, Op, if_, max_, min_, ties
from gradcli.autodiff.simplify import TRUTHS
from gradcli.autodiff.tape import Line

from .products import as_product, as_sum, divide, multiply
from .rationals import is_exact
from .terms import ONE, ZERO, Draft, Factors, Product, Sum, factor, write

_NOT, _EQ = PREFIX["not"], INFIX["=="]
_BETTER: dict[Op | None, Op] = {max_: INFIX[">"], min_: INFIX["<"]}
_OR_EQUAL: dict[Op | None, Op] = {INFIX[">"]: INFIX[">="], INFIX["<"]: INFIX["<="]}
_HALF = Fraction(1, 2)


# ------------------------------------------------------------------------------------------------------------ sums


def add(draft: Draft, *operands: Sum) -> Sum:
    """The terms of all operands, like ones of the same sign collected, and the numbers added up."""
    collected: dict[object, Product] = {}
    for term in _with_ifs_merged(draft, [term for operand in operands for term in operand]):
        if term.length or term.coefficient:
            _collect(collected, term)
    return tuple([term for term in collected.values() if term.length or term.coefficient]) or ZERO


def _collect(collected: dict[object, Product], term: Product) -> None:
    """Add a term to the like one, if there is one and the coefficient of both can be written."""
    sign = term.negative if term.length else None
    key: tuple[object, ...] = (_sorted(term.factors), _sorted(term.divisors), sign)
    like = collected.get(key)
    if like is None:
        collected[key] = term
    elif is_exact(total := like.coefficient + term.coefficient):
        collected[key] = like._replace(coefficient=total, decimal=like.decimal or term.decimal)
    else:
        collected[(*key, len(collected))] = term


def _sorted(factors: Factors) -> Factors:
    return tuple(sorted(factors)) if len(factors) > 1 else factors


# ------------------------------------------------------------------------------------------------------ conditions


def choose(draft: Draft, condition: Sum, yes: Sum, no: Sum) -> Sum:
    """if(condition, yes, no); and if(s, s*f, 0) with a share s of max or min is that share of f."""
    share = as_product(draft, condition)
    if no == ZERO and share.coefficient and len(yes) == 1 and _divides(share, yes[0]):
        part = times_share(draft, condition, (_cancel(yes[0], share),))
        if part:
            return part
    truth = condition_of_share(draft, condition)
    return write_if(draft, write(draft, condition) if truth is None else truth, yes, no)


def _divides(part: Product, product: Product) -> bool:
    """True if the factors and divisors of a part are all in the product."""
    factors, divisors = Counter(part.factors), Counter(part.divisors)
    return factors <= Counter(product.factors) and divisors <= Counter(product.divisors)


def _cancel(product: Product, part: Product) -> Product:
    """The product without the part, which divides it."""
    factors = tuple((Counter(product.factors) - Counter(part.factors)).elements())
    divisors = tuple((Counter(product.divisors) - Counter(part.divisors)).elements())
    coefficient = product.coefficient / part.coefficient
    return product._replace(coefficient=coefficient, factors=factors, divisors=divisors)


def write_if(draft: Draft, condition: int, yes: Sum, no: Sum) -> Sum:
    """if(condition, yes, no), the condition a line."""
    yes = _where(draft, condition, yes)
    return as_sum(draft, draft.add(if_, condition, write(draft, yes), write(draft, no)))


def _where(draft: Draft, condition: int, terms: Sum, *, holds: bool = True) -> Sum:
    """A sum as it reads where the condition holds, or does not: one branch of an `if` on the same condition."""
    line = only_factor(draft, terms)
    if line is None or line.op is not if_ or line.args[0] != condition:
        return terms
    return as_sum(draft, line.args[1 if holds else 2])


def only_factor(draft: Draft, terms: Sum) -> Line | None:
    """The line that is the whole of a sum; None where there is more to the sum."""
    product = terms[0]
    if len(terms) > 1 or not product.factors or product != Product(ONE, factors=product.factors[:1]):
        return None
    return draft.tape.lines[product.factors[0]]


def _is_zero(draft: Draft, index: int) -> bool:
    return draft.tape.lines[index].value == 0


# ------------------------------------------------------------------------------------- the chain rule at conditions


def strong_product(draft: Draft, local: Sum, upstream: Sum) -> Sum:
    """local × upstream, 0 where upstream is 0 whatever local is: where upstream chooses, an `if` says so."""
    line = only_factor(draft, upstream)
    if line is not None and line.op in TRUTHS:
        return write_if(draft, write(draft, upstream), local, ZERO)
    if line is not None and line.op is if_ and any(_is_zero(draft, branch) for branch in line.args[1:]):
        return _into_branches(draft, local, line)
    return times_share(draft, upstream, local) or multiply(draft, local, upstream)


def _into_branches(draft: Draft, local: Sum, line: Line) -> Sum:
    """local * if(c, f, 0) is if(c, local*f, 0)."""
    condition, *branches = line.args
    return write_if(draft, condition, *[_into_branch(draft, local, branch) for branch in branches])


def _into_branch(draft: Draft, local: Sum, branch: int) -> Sum:
    line = draft.tape.lines[branch]
    if line.op is if_:
        return _into_branches(draft, local, line)
    return ZERO if _is_zero(draft, branch) else multiply(draft, local, as_sum(draft, branch))


# ------------------------------------------------------------------------------------------- shares of max and min
# Of max(x, y) the share of x in the gradient is (x > y) + (x == y)/2; of more operands it is (x == m)/ties(m, ...).


def share_of_two(draft: Draft, left: Sum, right: Sum) -> Sum | None:
    """(x > y) + (x == y)/2 for the quotient (x == m)/ties(m, x, y), where m is max(x, y); None for other quotients."""
    equal, count = only_factor(draft, left), only_factor(draft, right)
    if equal is None or count is None or equal.op is not _EQ or count.op is not ties or len(count.args) != 3:
        return None
    index, (extreme, *operands) = equal.args[0], count.args
    better = _BETTER.get(draft.tape.lines[extreme].op)
    if better is None or index not in operands:
        return None
    other = operands[1] if index == operands[0] else operands[0]
    tie = Product(_HALF, factors=(draft.add(_EQ, *operands),))
    return Product(ONE, factors=(draft.add(better, index, other),)), tie


def times_share(draft: Draft, share: Sum, whole: Sum) -> Sum | None:
    """The share of one operand in `whole`: all of it, what is left at a tie, or 0; None if `share` is not a share."""
    if _is_share_of_two(draft, share):
        better, equal = share[0].factors[0], share[1].factors[0]
        tied = _where(draft, equal, _where(draft, better, whole, holds=False))
        half = multiply(draft, (Product(_HALF),), tied)
        return write_if(draft, better, whole, write_if(draft, equal, half, ZERO))
    if _is_share_of_many(draft, share):
        (product,) = share
        part = divide(draft, multiply(draft, (Product(product.coefficient),), whole), factor(product.divisors[0]))
        return write_if(draft, product.factors[0], part, ZERO)
    return None


def condition_of_share(draft: Draft, share: Sum) -> int | None:
    """The line of the condition under which a share is not 0: x >= y, or x == m; None for what is not a share."""
    if not (_is_share_of_two(draft, share) or _is_share_of_many(draft, share)):
        return None
    condition = share[0].factors[0]
    line = draft.tape.lines[condition]
    return condition if line.op is _EQ else draft.tape.add(Line(_OR_EQUAL[line.op], line.args))


def _is_share_of_two(draft: Draft, share: Sum) -> bool:
    """True for (x > y) + (x == y)/2."""
    better = only_factor(draft, share[:1])
    if len(share) != 2 or better is None or better.op not in _OR_EQUAL:
        return False
    tie = share[1]
    equal = draft.tape.lines[tie.factors[0]] if tie == Product(_HALF, factors=tie.factors[:1]) else better
    return equal.op is _EQ and set(equal.args) == set(better.args)


def _is_share_of_many(draft: Draft, share: Sum) -> bool:
    """True for a number times (x == m)/ties(m, ...)."""
    product, lines = share[0], draft.tape.lines
    if not len(share) == len(product.factors) == len(product.divisors) == 1:
        return False
    return lines[product.factors[0]].op is _EQ and lines[product.divisors[0]].op is ties


# ------------------------------------------------------------------------------------------------- merging of ifs


class _Case(NamedTuple):
    """A term as if(condition, yes, no); `is_if` where it is written so, and is not a number times a truth value."""

    condition: int
    yes: Sum
    no: Sum
    is_if: bool


def _with_ifs_merged(draft: Draft, terms: list[Product]) -> Iterable[Product]:
    """if(c, f, 0) + if(c, 0, g) is if(c, f, g), and so is if(c, f, 0) - (not c), where the first was."""
    cases = [_case(draft, term) for term in terms]
    if not any(cases):
        return terms
    mergeable = _conditions_to_merge([case for case in cases if case])
    groups: dict[tuple[bool, int], list[_Case]] = {}
    for index, case in enumerate(cases):
        if case and case.condition in mergeable:
            groups.setdefault((True, case.condition), []).append(case)
        else:
            groups[False, index] = []
    return [_merged(draft, index, group) if merges else terms[index] for (merges, index), group in groups.items()]


def _conditions_to_merge(cases: list[_Case]) -> set[int]:
    """The conditions of more than one case, at least one of which is an `if`."""
    count = Counter([case.condition for case in cases])
    return {case.condition for case in cases if case.is_if and count[case.condition] > 1}


def _merged(draft: Draft, condition: int, cases: list[_Case]) -> Product:
    yes = add(draft, *[case.yes for case in cases])
    no = add(draft, *[case.no for case in cases])
    return as_product(draft, write_if(draft, condition, yes, no))


def _case(draft: Draft, term: Product) -> _Case | None:
    """A term that is an `if`, or a number times a truth value, by its branches; None for others."""
    if len(term.factors) != 1 or term.divisors:
        return None
    condition = term.factors[0]
    line = draft.tape.lines[condition]
    if line.op is if_ and term.coefficient == 1:
        return _Case(line.args[0], as_sum(draft, line.args[1]), as_sum(draft, line.args[2]), True)
    if line.op not in TRUTHS:
        return None
    number = (Product(term.coefficient, term.decimal),)
    return _Case(line.args[0], ZERO, number, False) if line.op is _NOT else _Case(condition, number, ZERO, False)
