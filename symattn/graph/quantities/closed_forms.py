"""TRUSTED. Exact values as written mathematics, in one prescribed form for each value."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symattn.exact.field.constant_names import is_constant
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Monomial, Polynomial
from symattn.exact.field.power_names import power_name, symbol_and_power, symbol_head_and_index
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.integer_text import natural_text
from symattn.exact.reals import constants, elementary
from symattn.exact.reals.special_values import UNDEFINED
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import factor, is_function, is_word, term
from symattn.notation.tree.symbols import NAMED_CHARACTERS
from symattn.notation.writers.plain import symbol_key

_MAX_DECIMALS = 8
_POWERS_OF_TWO = 64
_PI = t.Name("pi")
_READ_OTHERWISE = frozenset({"e", "T", "R"})
"""The base of exponentials, a transpose, the real numbers."""


def numeral(text: str) -> t.Node:
    """Return a signed decimal string as a tree; an enclosure, of digits that do not settle, as the list of its ends.

    >>> numeral("-0.60")
    Negative(body=Number(text='0.60'))
    """
    if text == "not settled":
        return t.Vector((t.MINUS_INFINITY, t.INFINITY))  # not even bounded, so that it may lie anywhere
    if text.startswith("["):
        low, high = text[1:].partition("]")[0].split(", ")
        return t.Vector((numeral(low), numeral(high)))  # round brackets: rows of square ones are matrices
    return t.Negative(t.Number(text[1:])) if text.startswith("-") else t.Number(text)


def rational_tree(value: Fraction, *, decimals: bool = False) -> t.Node:
    """Return an integer or a fraction; with `decimals`, for a problem whose numbers are, a decimal where one ends.

    >>> from symattn.notation.writers.plain import write_plain
    >>> [write_plain(rational_tree(Fraction(text))) for text in ("-53/4", "0.4", "1/3", "7")]
    ['-53/4', '2/5', '1/3', '7']
    >>> [write_plain(rational_tree(Fraction(text), decimals=True)) for text in ("-53/4", "0.4", "1/3", "7")]
    ['-13.25', '0.4', '1/3', '7']
    """
    if value < 0:
        return t.Negative(rational_tree(-value, decimals=decimals))
    if value.denominator == 1:
        return t.Number(natural_text(value.numerator))
    places = _places(value.denominator)
    if decimals and places is not None and places <= _MAX_DECIMALS:
        digits = natural_text(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
        return t.Number(f"{digits[:-places]}.{digits[-places:]}")
    return t.Division(t.Number(natural_text(value.numerator)), t.Number(natural_text(value.denominator)))


def reads_as_decimal(value: Fraction) -> bool:
    """Return True for a number usually written as a decimal: 0.37, 0.1; but 1/2, 3/4, 2/5 and 1/3 are fractions.

    >>> reads_as_decimal(Fraction("0.37")), reads_as_decimal(Fraction("0.25")), reads_as_decimal(Fraction(1, 3))
    (True, False, False)
    """
    denominator = value.denominator
    is_power_of_two = denominator & (denominator - 1) == 0
    if (is_power_of_two and denominator <= _POWERS_OF_TWO) or denominator == 5:
        return False
    places = _places(denominator)
    return places is not None and places <= _MAX_DECIMALS


def _places(denominator: int) -> int | None:
    """Count the decimal places of a fraction with this denominator; return None if its expansion does not end."""
    twos = fives = 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    return max(twos, fives) if denominator == 1 else None


def polynomial_tree(value: Polynomial, *, decimals: bool = False) -> t.Node:
    r"""Return a polynomial as a sum of signed products: ``2\sqrt{2}\beta - 1/3``.

    Products of sines and cosines are put together where that leaves fewer terms: ``3cos^2 2 + 3sin^2 2`` is 3.

    >>> from symattn.notation.writers.plain import write_plain
    >>> write_plain(polynomial_tree(Polynomial.symbol("beta") * 3 - 1))
    '3 beta - 1'
    """
    shown = constants.shortest(value) if any("(" in name for name in value.symbols) else value
    parts = [
        (coefficient < 0, _monomial_tree(monomial, abs(coefficient), decimals=decimals))
        for monomial, coefficient in _ordered(shown)
    ]
    return signed_sum(parts) if parts else t.Number("0")


def _ordered(value: Polynomial) -> list[tuple[Monomial, Fraction]]:
    """Sort terms by total degree, the highest first, as people write polynomials."""
    return sorted(value.terms, key=lambda item: (-sum(power for _, power in item[0][1]), item[0][1], item[0][0]))


def _monomial_tree(monomial: Monomial, coefficient: Fraction, *, decimals: bool) -> t.Node:
    radicand, powers = monomial
    inverses = [(name.removeprefix("1/"), power) for name, power in powers if symbol_and_power(name)[1] < 0]
    if inverses:
        above = (radicand, tuple((name, power) for name, power in powers if symbol_and_power(name)[1] > 0))
        numerator = _monomial_tree(above, Fraction(coefficient.numerator), decimals=decimals)
        below = _unless_one(Fraction(coefficient.denominator), decimals=decimals)
        return t.Division(numerator, _beside([*below, *_letters(inverses, decimals=decimals)]))
    root = [t.Root(t.Number(str(radicand)))] if radicand != 1 else []
    letters = _letters(powers, decimals=decimals)
    factors: list[t.Node] = [*root, *letters]
    if not factors:
        return rational_tree(coefficient, decimals=decimals)
    if coefficient.denominator != 1 and not letters:
        # A root over an integer reads better as one fraction: 17√2/4.
        numerator = _beside([*_unless_one(Fraction(coefficient.numerator), decimals=decimals), *factors])
        return t.Division(numerator, t.Number(str(coefficient.denominator)))
    if coefficient.denominator != 1 and factors == [_PI]:
        # An angle: 2π/3.
        numerator = _beside([*_unless_one(Fraction(coefficient.numerator), decimals=decimals), *factors])
        return t.Division(numerator, t.Number(str(coefficient.denominator)))
    return _beside([*_unless_one(coefficient, decimals=decimals), *factors])


def _letters(powers: Sequence[tuple[str, int]], *, decimals: bool) -> list[t.Node]:
    trees = [(symbol_tree(name, decimals=decimals), power) for name, power in powers]
    return [letter if power == 1 else t.Power(factor(letter), t.Number(str(power))) for letter, power in trees]


def _unless_one(coefficient: Fraction, *, decimals: bool) -> list[t.Node]:
    return [] if coefficient == 1 else [rational_tree(coefficient, decimals=decimals)]


def _beside(factors: list[t.Node]) -> t.Node:
    if len(factors) == 1:
        return factors[0]
    return t.Product(tuple(factor(node) for node in factors), ("",) * (len(factors) - 1))


def symbol_tree(name: str, *, decimals: bool = False) -> t.Node:
    """Return a declared symbol, ``beta`` or ``x_1``, a power of one, ``1/sqrt(d)``, or a constant, ``tanh(3/20)``."""
    symbol, power = symbol_and_power(name)
    if power < 0:
        return t.Division(t.Number("1"), symbol_tree(power_name(symbol, -power), decimals=decimals))
    if symbol != name:
        return t.Root(symbol_tree(symbol, decimals=decimals))
    if "(" in name and is_constant(name):
        function, argument = constants.parts(name)
        return t.Call(t.Name(function), (polynomial_tree(argument, decimals=decimals),))
    head, index = symbol_head_and_index(name)
    if is_function(head) or head in _READ_OTHERWISE:
        base = t.Name(f"symbol {head}", "text")
    elif not head.strip() or not head.isprintable():
        base = t.Name(f"symbol {ascii(head)[:100]}", "text")
    else:
        base = t.Name(NAMED_CHARACTERS.get(head, head), "" if is_word(head) or head in NAMED_CHARACTERS else "text")
    return t.Subscript(base, (t.Number(index) if index.isdigit() else t.Name(index),)) if index else base


def symbol_name_key(name: str) -> str:
    """Return what a declared symbol, or a power of one, is looked up by.

    >>> symbol_name_key("1/sqrt(x_{12})"), symbol_name_key("beta")
    ('1/sqrt(x_12)', 'beta')
    """
    symbol, power = symbol_and_power(name)
    return power_name(symbol_key(symbol_tree(symbol)), power)


def signed_sum(parts: list[tuple[bool, t.Node]]) -> t.Node:
    """Return a sum of terms with their signs (True for minus), brackets where a term needs them.

    >>> signed_sum([(True, t.Number("1")), (False, t.Number("2"))])
    Sum(terms=(Negative(body=Number(text='1')), Number(text='2')), operators=('+',))
    """
    (negative, first), *rest = parts
    if not rest:
        return t.Negative(term(first)) if negative else first
    head = t.Negative(term(first)) if negative else t.Group(first) if isinstance(first, t.Sum) else first
    operators = tuple("-" if minus else "+" for minus, _ in rest)
    return t.Sum((head, *(term(node) for _, node in rest)), operators)


def exponential_sum_tree(value: ExpSum, *, decimals: bool = False) -> t.Node:
    """Return a sum of exponentials, in the order in which it was built: ``e^{3/2} + 2 e^{-5/2}``.

    >>> from symattn.notation.writers.plain import write_plain
    >>> write_plain(exponential_sum_tree(ExpSum.exp(Polynomial.constant(2)) - ExpSum.of(1)))
    'e^2 - 1'
    """
    parts = [_exponential_term(exponent, coefficient, decimals=decimals) for exponent, coefficient in value.terms()]
    return signed_sum(parts) if parts else t.Number("0")


def _exponential_term(exponent: Polynomial, coefficient: Polynomial, *, decimals: bool) -> tuple[bool, t.Node]:
    negative = len(coefficient.terms) == 1 and coefficient.terms[0][1] < 0
    size = -coefficient if negative else coefficient
    if exponent.terms == ():
        return negative, polynomial_tree(size, decimals=decimals)
    power = t.Power(t.Name("e"), slashed(polynomial_tree(exponent, decimals=decimals)))
    if size.rational() == 1:
        return negative, power
    tree = polynomial_tree(size, decimals=decimals)
    if isinstance(tree, t.Product):
        return negative, t.Product((*tree.factors, power), (*tree.operators, ""))
    return negative, t.Product((factor(tree), power), ("",))


def slashed(node: t.Node) -> t.Node:
    """Return the same tree with its outer fraction of two numerals written with a slash, for exponents."""
    match node:
        case t.Division(t.Number() as numerator, t.Number() as denominator):
            return t.Division(numerator, denominator, bar=False)
        case t.Negative(body):
            return t.Negative(slashed(body))
        case _:
            return node


def quotient_tree(value: Quotient, *, decimals: bool = False) -> t.Node:
    r"""Return the prescribed closed form of a value: rational, polynomial, or a quotient of exponential sums.

    Minus infinity is written ``-\infty``, and a dash stands for what is undefined.

    >>> from symattn.notation.writers.plain import write_plain
    >>> write_plain(quotient_tree(Quotient.of("-5/2")))
    '-5/2'
    """
    if not value.is_finite:
        return t.UNDEFINED if value is UNDEFINED else t.MINUS_INFINITY
    if not value.is_closed:
        return t.Vector(tuple(map(numeral, elementary.ends(value))))
    rational = value.rational()
    if rational is not None:
        return rational_tree(rational, decimals=decimals)
    polynomial = value.polynomial()
    if polynomial is not None:
        return polynomial_tree(polynomial, decimals=decimals)
    top = exponential_sum_tree(value.numerator, decimals=decimals)
    if value.denominator == ExpSum.of(1):
        return top
    return t.Division(top, exponential_sum_tree(value.denominator, decimals=decimals))
