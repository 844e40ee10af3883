"""Sums, products and choices on a draft, as the modules of symbolic introduce themselves."""

from fractions import Fraction

from gradcli.autodiff.ops import INFIX
from gradcli.autodiff.tape import Line, Tape
from gradcli.language.unparse import unparse
from gradcli.symbolic.choices import add, strong_product
from gradcli.symbolic.products import divide, multiply, power
from gradcli.symbolic.rationals import fraction_of
from gradcli.symbolic.terms import ONE, Product, empty_draft, factor, write


def variables(draft, names):
    return [draft.tape.add(Line(None, name=name)) for name in names]


def text(draft, terms):
    line = write(draft, terms)
    return unparse(Tape(tuple(draft.tape.lines), line))


def number(value):
    return (Product(Fraction(value)),)


def test_a_sum_is_written_once_a_positive_term_first():
    draft = empty_draft()
    (x,) = variables(draft, "x")
    terms = (Product(Fraction(-1)), Product(Fraction(3, 2), factors=(x,)))
    assert text(draft, terms) == "3*x/2 - 1"
    lines = len(draft.tape.lines)
    assert write(draft, terms) == draft.line_of[terms] and len(draft.tape.lines) == lines


def test_products():
    draft = empty_draft()
    (x,) = variables(draft, "x")
    assert text(draft, multiply(draft, number(2), factor(x))) == "2*x"
    assert text(draft, power(draft, divide(draft, (Product(ONE),), factor(x)), number(2))) == "1/x^2"
    assert divide(draft, factor(x), factor(x)) == (Product(ONE, factors=(x,), divisors=(x,)),)


def test_choices():
    draft = empty_draft()
    x, y, z = variables(draft, "xyz")
    better, equal = draft.add(INFIX[">"], x, y), draft.add(INFIX["=="], x, y)
    assert add(draft, factor(x), factor(x)) == (Product(Fraction(2), factors=(x,)),)
    assert text(draft, strong_product(draft, factor(z), factor(better))) == "if(x > y, z, 0)"
    share = (*factor(better), Product(Fraction(1, 2), factors=(equal,)))
    assert text(draft, strong_product(draft, factor(z), share)) == "if(x > y, z, if(x == y, z/2, 0))"


def test_literals_as_fractions():
    assert fraction_of(0.1) == (Fraction(1, 10), True)
    assert fraction_of(0.3333333333333333) == (Fraction(1, 3), False)
    assert fraction_of(float("inf")) is None
