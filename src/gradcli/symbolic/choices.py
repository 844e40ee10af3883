"""Sums and choices in formulas: like terms collected, conditions shown as an `if`, max and min in a reader's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from gradcli.autodiff.ops import INFIX, PREFIX, Op, if_, max_, min_, ties
from gradcli.autodiff.simplify import TRUTHS
from gradcli.autodiff.tape import Line

from .products import Algebra
from .terms import ZERO, Product, Sum, atom, holds

_NOT, _EQ = PREFIX["not"], INFIX["=="]
_BETTER: dict[Op | None, Op] = {max_: INFIX[">"], min_: INFIX["<"]}
_OR_EQUAL: dict[Op | None, Op] = {INFIX[">"]: INFIX[">="], INFIX["<"]: INFIX["<="]}
_HALF = (Product(Fraction(1, 2)),)


class Choices(Algebra):
    """Adding, and choosing."""

    def _sum(self, operands: Iterable[Sum]) -> Sum:
        """The terms of all, like ones of the same sign collected, and the numbers added up."""
        terms: dict[object, Product] = {}
        for term in self._branches([term for operand in operands for term in operand]):
            if not term.size and not term.number:
                continue
            key: tuple[object, ...] = (_sorted(term.over), _sorted(term.under), term.negative if term.size else None)
            known = terms.get(key)
            if known is not None and holds(known.number + term.number):
                term = known._replace(number=known.number + term.number, decimal=known.decimal or term.decimal)
            elif known is not None:
                key = (*key, len(terms))
            terms[key] = term
        found = [term for term in terms.values() if term.size or term.number]
        return tuple(found) or ZERO

    def _line_of(self, sum_: Sum) -> Line | None:
        """The line behind a sum that is one line."""
        (product, *more) = sum_
        if more or product != Product(Fraction(1), over=product.over[:1]):
            return None
        return self.lines.lines[product.over[0]] if product.over else None

    def _chained(self, local: Sum, upstream: Sum) -> Sum:
        """local × upstream with the strong zero: a choice among them becomes an `if`, which shows it."""
        guard = self._line_of(upstream)
        if guard is not None and guard.op in TRUTHS:
            return self._if(self.write(upstream), local, ZERO)
        if guard is not None and guard.op is if_ and any(map(self._is_zero, guard.args[1:])):
            return self._pushed(local, guard)
        found = self._shared(upstream, local)
        return found or (self._times(local, upstream),)

    def _pushed(self, local: Sum, line: Line) -> Sum:
        """local * if(c, f, 0) is if(c, local*f, 0)."""
        condition, *branches = line.args
        found = []
        for branch in branches:
            inner = self.lines.lines[branch]
            if inner.op is if_:
                found.append(self._pushed(local, inner))
            else:
                found.append(ZERO if self._is_zero(branch) else self._product_of(local, self._seen(branch)))
        return self._if(condition, *found)

    def _choice(self, condition: Sum, yes: Sum, no: Sum) -> Sum:
        """if(c, c*f, 0) with a share c of the gradient is if(it has one, f for it, 0)."""
        (product, *more) = yes
        whole = self._single(condition)
        if not more and no == ZERO and whole.number and self._holds_all(product, whole):
            rest = Counter(product.over) - Counter(whole.over), Counter(product.under) - Counter(whole.under)
            number = product.number / whole.number
            found = self._shared(
                condition,
                (product._replace(number=number, over=tuple(rest[0].elements()), under=tuple(rest[1].elements())),),
            )
            if found:
                return found
        truth = self._truth_of(condition)
        return self._if(self.write(condition) if truth is None else truth, yes, no)

    def _truth_of(self, share: Sum) -> int | None:
        """The condition under which a share of the gradient is not 0."""
        if self._shared(share, ZERO) is None:
            return None
        better, args = self.lines.lines[share[0].over[0]].op, self.lines.lines[share[0].over[0]].args
        return share[0].over[0] if better is _EQ else self.lines.add(Line(_OR_EQUAL[better], args))

    def _holds_all(self, product: Product, part: Product) -> bool:
        return Counter(part.over) <= Counter(product.over) and Counter(part.under) <= Counter(product.under)

    def _share(self, left: Sum, right: Sum) -> Sum | None:
        """The share of x in the gradient of max(x, y), which the rule for any number says in more words."""
        equal, count = self._line_of(left), self._line_of(right)
        if equal is None or count is None or equal.op is not _EQ or count.op is not ties or len(count.args) != 3:
            return None
        index, operands = equal.args[0], count.args[1:]
        better = _BETTER.get(self.lines.lines[count.args[0]].op)
        if better is None or index not in operands:
            return None
        other = operands[1] if index == operands[0] else operands[0]
        tie = Product(Fraction(1, 2), over=(self.lines.add(Line(_EQ, operands)),))
        return Product(Fraction(1), over=(self.lines.add(Line(better, (index, other))),)), tie

    def _shared(self, share: Sum, whole: Sum) -> Sum | None:
        """The part that falls to one operand of max or min: all, or what is left at a tie, or 0."""
        first = share[0].over[:1]
        if share[0] == Product(Fraction(1), over=first) and first and self.lines.lines[first[0]].op in _BETTER.values():
            if len(share) == 2 and self._is_tie(share[1], self.lines.lines[first[0]]):
                equal = share[1].over[0]
                tied = self._where(equal, self._where(first[0], whole, holds=False))
                return self._if(first[0], whole, self._if(equal, self._product_of(_HALF, tied), ZERO))
        elif len(share) == len(share[0].over) == len(share[0].under) == 1 and self._counts_ties(share[0]):
            part = self._over(self._product_of((Product(share[0].number),), whole), atom(share[0].under[0]))
            return self._if(first[0], (part,), ZERO)
        return None

    def _is_tie(self, share: Product, better: Line) -> bool:
        """Whether it is (x == y)/2, beside x > y."""
        line = self.lines.lines[share.over[0]] if share == Product(Fraction(1, 2), over=share.over[:1]) else better
        return line.op is _EQ and set(line.args) == set(better.args)

    def _counts_ties(self, share: Product) -> bool:
        lines = self.lines.lines
        return lines[share.over[0]].op is _EQ and lines[share.under[0]].op is ties

    def _if(self, condition: int, yes: Sum, no: Sum) -> Sum:
        yes = self._where(condition, yes)
        return self._seen(self.lines.add(Line(if_, (condition, self.write(yes), self.write(no)))))

    def _where(self, condition: int, sum_: Sum, *, holds: bool = True) -> Sum:
        """What a sum is where the condition holds, or does not."""
        line = self._line_of(sum_)
        if line is None or line.op is not if_ or line.args[0] != condition:
            return sum_
        return self._seen(line.args[1 if holds else 2])

    def _is_zero(self, index: int) -> bool:
        return self.lines.lines[index].value == 0

    def _branches(self, terms: list[Product]) -> list[Product]:
        """if(c, f, 0) + if(c, 0, g) is if(c, f, g), and so is if(c, f, 0) - (not c)."""
        cases = [self._cases(term) for term in terms]
        if not any(cases):
            return terms
        ifs = Counter(case[0] for case in cases if case is not None)
        chosen = {case[0] for term, case in zip(terms, cases, strict=True) if case is not None and self._chooses(term)}
        found: list[Product] = []
        merged: dict[int, list[tuple[Sum, Sum]]] = {}
        places: dict[int, int] = {}
        for term, case in zip(terms, cases, strict=True):
            if case is None or ifs[case[0]] < 2 or case[0] not in chosen:
                found.append(term)
                continue
            condition, yes, no = case
            merged.setdefault(condition, []).append((yes, no))
            if condition not in places:
                places[condition] = len(found)
                found.append(term)
        for condition, place in places.items():
            yes, no = (self._sum(branches) for branches in zip(*merged[condition], strict=True))
            found[place] = self._single(self._if(condition, yes, no))
        return found

    def _chooses(self, term: Product) -> bool:
        line = self._line_of((term,))
        return line is not None and line.op is if_

    def _cases(self, term: Product) -> tuple[int, Sum, Sum] | None:
        """Condition and branches of a term that is an `if`, or a number times a truth value."""
        if len(term.over) != 1 or term.under:
            return None
        line = self.lines.lines[term.over[0]]
        if line.op is if_ and term.number == 1:
            return line.args[0], self._seen(line.args[1]), self._seen(line.args[2])
        if line.op not in TRUTHS:
            return None
        number = (Product(term.number, term.decimal),)
        return (line.args[0], ZERO, number) if line.op is _NOT else (term.over[0], number, ZERO)


def _sorted(factors: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(factors)) if len(factors) > 1 else factors
