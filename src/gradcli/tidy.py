"""Formulas as a person would write them: the tape of a derivative, put in order for reading.

Every line becomes a sum of products, as far as that is short: signs are pulled out, numbers multiplied and put in
front, like terms collected, neutral elements left out, and what a strong zero hides becomes a plain product. No
domain changes: x/x is not 1, terms of opposite signs stay, and y/x/x is not y/x^2, where x^2 may overflow. Where a
power of x was written, y*x/x^2/x^2 is y/x^3: outside of 1e-100 < |x| < 1e100 one may be 0 or inf where the other is
not yet.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import reduce

from .ops import FUNCTIONS, INFIX, PREFIX, Op, if_, max_, min_, over, powlog, strong, ties
from .products import ZERO, Paper, Product, Sum, atom, fraction_of, holds
from .simplify import TRUTHS, alive
from .tape import Line, Tape

_ADD, _SUB, _MUL, _DIV, _POW = (INFIX[symbol] for symbol in "+-*/^")
_NEG, _NOT = PREFIX["-"], PREFIX["not"]
_SUM, _PROD, _LOG = (FUNCTIONS[name] for name in ("sum", "prod", "log"))
_EQ, _NE, _BETTER = INFIX["=="], INFIX["!="], {max_: INFIX[">"], min_: INFIX["<"]}
_OR_EQUAL: dict[Op | None, Op] = {INFIX[">"]: INFIX[">="], INFIX["<"]: INFIX["<="]}
_HALF = (Product(Fraction(1, 2)),)
_1, _2, _180, _PI = (Line(None, value=value) for value in (1.0, 2.0, 180.0, math.pi))
_QUOTIENTS: dict[
    float | None, tuple[tuple[Op | None, Line], tuple[Op | None, Line]]
] = {  # what rules of the table compute once
    2 / math.sqrt(math.pi): ((None, _2), (FUNCTIONS["sqrt"], _PI)),
    math.log(2): ((_LOG, _2), (None, _1)),
    180 / math.pi: ((None, _180), (None, _PI)),
    math.pi / 180: ((None, _PI), (None, _180)),
}
LONGEST, LONGEST_SHARED = 32, 4  # terms or factors that are merged into what they are part of


def tidy(tape: Tape, wanted: Sequence[int], *, named: bool = False) -> tuple[Tape, list[int]]:
    """The tape with its lines put in order, and where those in `wanted` are now. It means the same.

    With `named` the lines that the program assigned a name to stay lines of their own.
    """
    desk = _Desk(tape, wanted, set(tape.names.values()) if named else set())
    for index, line in enumerate(tape.lines):
        desk.read(index, line)
    places = [desk.write(desk.sums[index]) for index in (tape.output, *wanted)]
    names = {name: desk.write(desk.sums[index]) for name, index in tape.names.items() if named}
    result = tape._replace(lines=tuple(desk.lines.lines), output=places[0], names=names)
    return alive(result, places[1:])


class _Desk(Paper):
    """Where a tape is rewritten: `sums` says what each of its lines is, `lines` is what has been written anew."""

    def __init__(self, tape: Tape, wanted: Sequence[int], named: set[int]) -> None:
        super().__init__()
        self.sums: list[Sum] = []
        self.uses = Counter(operand for line in tape.lines if line.op is not None for operand in line.args)
        self.uses.update(wanted)
        self.named = named

    def read(self, index: int, line: Line) -> None:
        """Take in a line of the tape."""
        found = self._operation(line.op, [self.sums[i] for i in line.args]) if line.op is not None else self._leaf(line)
        if line.op is _MUL and line.span != (0, 0) and not line.formula:
            names = self.names_of(found[0].over)
            self.typed.setdefault(tuple(sorted(names)), names)
        size = len(found) if len(found) > 1 else found[0].size
        if index in self.named or size > (LONGEST if self.uses[index] <= 1 else LONGEST_SHARED):
            found = atom(self.write(found)) if index in self.named else self._packed(found)
        self.sums.append(found)

    def _packed(self, sum_: Sum) -> Sum:
        """A sum as one line, its sign apart if it is one product."""
        if len(sum_) > 1 or sum_[0].number >= 0:
            return atom(self.write(sum_))
        return self._negative(atom(self.write(self._negative(sum_))))

    def _leaf(self, line: Line) -> Sum:
        number = None if line.value is None or line.name else fraction_of(line.value)
        if number is None and line.value is not None and line.value < 0:
            return self._negative(self._leaf(Line(None, value=-line.value)))
        if number is None and line.value in _QUOTIENTS:
            top, bottom = _QUOTIENTS[line.value]
            return (
                self._over(*(self._operation(op, [self._leaf(x)]) if op else self._leaf(x) for op, x in (top, bottom))),
            )
        if number is None:
            return atom(self.lines.add(line._replace(span=(0, 0), formula="")))
        return (Product(*number),)

    def _operation(self, op: Op, operands: list[Sum]) -> Sum:
        if op in (_ADD, _SUM):
            return self._sum(operands)
        if op is _SUB:
            return self._sum([operands[0], self._negative(operands[1])])
        if op is _NEG:
            return self._negative(operands[0])
        if op in (_DIV, over):
            return self._share(*operands) or (self._over(*operands),)
        if op is _NE and operands[1] == ZERO and (truth := self._truth_of(operands[0])) is not None:
            return atom(truth)
        if op is _PROD:
            return reduce(self._product_of, operands)
        if op is powlog:
            return (self._times(self._call(_POW, operands), self._call(_LOG, operands[:1])),)
        rules: dict[Op, Callable[..., Sum]] = {
            _MUL: self._product_of,
            strong: self._chained,
            _POW: self._raised_to,
            if_: self._choice,
        }
        return rules[op](*operands) if op in rules else self._call(op, operands)

    def _call(self, op: Op, operands: list[Sum]) -> Sum:
        return self._seen(self.lines.add(Line(op, tuple([self.write(operand) for operand in operands]))))

    def _seen(self, index: int) -> Sum:
        """What a line says that was written before."""
        line = self.lines.lines[index]
        return self._leaf(line) if line.op is None else self.read_as.get(index, atom(index))

    # ------------------------------------------------------------------------------------------ products

    def _single(self, operand: Sum) -> Product:
        return operand[0] if len(operand) == 1 else Product(Fraction(1), over=(self.write(operand),))

    def _negative(self, operand: Sum) -> Sum:
        product = self._single(operand)
        return (product._replace(number=-product.number),)

    def _product_of(self, left: Sum, right: Sum) -> Sum:
        return (self._times(left, right),)

    def _times(self, left: Sum, right: Sum) -> Product:
        a, b = self._single(left), self._single(right)
        number = a.number * b.number
        if not holds(number):
            a, number = Product(Fraction(1), over=(self.write((a,)),)), b.number
        return self._collected(Product(number, a.decimal or b.decimal, a.over + b.over, a.under + b.under))

    def _over(self, left: Sum, right: Sum) -> Product:
        a, b = self._single(left), self._single(right)
        if b.under or b.number == 0 or not holds(a.number / b.number):
            (b,) = self._packed(right)
        return self._collected(Product(a.number / b.number, a.decimal or b.decimal, a.over, a.under + b.over))

    def _raised_to(self, base: Sum, exponent: Sum) -> Sum:
        """(1/f)^2 is 1/f^2."""
        (power, *more), (product, *others) = exponent, base
        whole = not more and not power.size and power.number.denominator == 1 and power.number > 1
        if whole and not others and not product.over and len(product.under) == 1 and product.number == 1:
            return (product._replace(under=(self.power(product.under[0], int(power.number)),)),)
        found = self._call(_POW, [base, exponent])
        if whole and len(found) == 1 and len(found[0].over) == 1:
            self.raised.add(self.base(found[0].over[0])[0])
        return found

    def _collected(self, product: Product) -> Product:
        """x^2*x is x^3 where a power of x was written, as cos(x)*cos(x) is cos(x)^2; x*x stays x*x."""
        if product.size < 2:
            return product
        above, below = self.exponents(product.over), self.exponents(product.under)
        top = {b: sum(n) for b, n in above.items() if len(n) > 1 and self._is_raised(b, n)}
        bottom = {b: sum(n) - sum(above[b]) for b, n in below.items() if b in above and max(n) > 1}
        bottom = {b: rest for b, rest in bottom.items() if rest >= max(below[b])}
        top |= dict.fromkeys(bottom, 0)  # x/x^2/x^2 is 1/x^3: it stays infinite at 0
        if not top:
            return product
        return product._replace(over=self.merged(product.over, top), under=self.merged(product.under, bottom))

    def _is_raised(self, base: int, exponents: list[int]) -> bool:
        return max(exponents) > 1 or base in self.raised or self.lines.lines[base].op is not None

    # ------------------------------------------------------------------------------------------- choices

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
        better = _BETTER.get(self.lines.lines[count.args[0]].op)  # type: ignore[arg-type]
        if better is None or index not in operands:
            return None
        other = operands[1] if index == operands[0] else operands[0]
        tie = Product(Fraction(1, 2), over=(self.lines.add(Line(_EQ, operands)),))
        return Product(Fraction(1), over=(self.lines.add(Line(better, (index, other))),)), tie

    def _shared(self, share: Sum, whole: Sum) -> Sum | None:
        """The part that falls to one operand of max or min: all, or what is left at a tie, or 0."""
        first = share[0].over[:1]
        if share[0] == Product(Fraction(1), over=first) and first and self.lines.lines[first[0]].op in _BETTER.values():
            if len(share) == 2 and share[1] == Product(Fraction(1, 2), over=share[1].over[:1]):
                tie = self._if(share[1].over[0], self._product_of(_HALF, whole), ZERO)
                return self._if(first[0], whole, tie)
        elif len(share) == 1 and len(share[0].under) == 1 and self.lines.lines[share[0].under[0]].op is ties:
            return self._if(first[0], (self._over(whole, atom(share[0].under[0])),), ZERO)
        return None

    def _if(self, condition: int, yes: Sum, no: Sum) -> Sum:
        inner = self._line_of(yes)
        if inner is not None and inner.op is if_ and inner.args[0] == condition:
            yes = self._seen(inner.args[1])
        return self._seen(self.lines.add(Line(if_, (condition, self.write(yes), self.write(no)))))

    def _is_zero(self, index: int) -> bool:
        return self.lines.lines[index].value == 0

    # ---------------------------------------------------------------------------------------------- sums

    def _sum(self, operands: Iterable[Sum]) -> Sum:
        """The terms of all, like ones of the same sign collected, and the numbers added up."""
        terms: dict[object, Product] = {}
        for term in self._branches([term for operand in operands for term in operand]):
            if not term.size and not term.number:
                continue
            sign = (term.number > 0) - (term.number < 0) if term.size else None
            key: tuple[object, ...] = (tuple(sorted(term.over)), tuple(sorted(term.under)), sign)
            known = terms.get(key)
            if known is not None and holds(known.number + term.number):
                term = known._replace(number=known.number + term.number, decimal=known.decimal or term.decimal)
            elif known is not None:
                key = (*key, len(terms))
            terms[key] = term
        found = [term for term in terms.values() if term.size or term.number]
        return tuple(found) or ZERO

    def _branches(self, terms: list[Product]) -> list[Product]:
        """if(c, f, 0) + if(c, 0, g) is if(c, f, g), and so is if(c, f, 0) - (not c)."""
        cases = [self._cases(term) for term in terms]
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
