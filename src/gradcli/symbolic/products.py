"""Products in formulas: multiplied, divided and raised, without a change of domain."""

from __future__ import annotations

import math
from fractions import Fraction

from gradcli.autodiff.ops import FUNCTIONS, INFIX, Op
from gradcli.autodiff.tape import Line

from .terms import Paper, Product, Sum, atom, fraction_of, holds

_POW = INFIX["^"]
_QUOTIENTS: dict[float | None, tuple[float, Op | None, float]] = {  # what rules of the table compute once
    2 / math.sqrt(math.pi): (2.0, FUNCTIONS["sqrt"], math.pi),
    180 / math.pi: (180.0, None, math.pi),
    math.pi / 180: (math.pi, None, 180.0),
}


class Algebra(Paper):
    """Calculating with sums and products."""

    def _leaf(self, line: Line) -> Sum:
        """An input or a constant."""
        number = None if line.value is None or line.name else fraction_of(line.value)
        if number is None and line.value is not None and line.value < 0:
            return self._negative(self._leaf(Line(None, value=-line.value)))
        if number is None and line.value in _QUOTIENTS:
            top, op, bottom = _QUOTIENTS[line.value]
            divisor = self._leaf(Line(None, value=bottom))
            return (self._over(self._leaf(Line(None, value=top)), self._call(op, [divisor]) if op else divisor),)
        if number is None:
            return atom(self.lines.add(line._replace(span=(0, 0), formula="")))
        return (Product(*number),)

    def _call(self, op: Op, operands: list[Sum]) -> Sum:
        return self._seen(self.lines.add(Line(op, tuple([self.write(operand) for operand in operands]))))

    def _seen(self, index: int) -> Sum:
        """What a line says that was written before."""
        line = self.lines.lines[index]
        return self._leaf(line) if line.op is None else self.read_as.get(index, atom(index))

    def _packed(self, sum_: Sum) -> Sum:
        """A sum as one line, its sign apart if it is one product."""
        if len(sum_) > 1 or sum_[0].number >= 0:
            return atom(self.write(sum_))
        return self._negative(atom(self.write(self._negative(sum_))))

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
