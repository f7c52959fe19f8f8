"""TRUSTED. Lengths of closed forms: which sums, products and powers of quotients are short enough to be written out."""

from __future__ import annotations

from symattn.exact.field.constant_names import free
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient

MAX_TERMS = 200
"""Terms of a closed form without free symbols; a longer sum or product is known by enclosures."""

_MAX_CONSTANT_TERMS = 40
"""As `MAX_TERMS`, for sums with sines and the like."""
_MAX_EXPONENT_TERMS = 20
_MAX_POWER = 1000
_MAX_POWER_TERMS = 500
"""Exponent times terms, beyond which no power of a sum is written out as a sum."""
_OF_CONSTANTS = 10
"""The cost of a term of a power with sines and the like, which are long sums in exponents, in plain terms."""


def length(value: Quotient) -> int:
    """Count the terms of the longer side of a closed form.

    >>> length(Quotient.of("1/2"))
    1
    """
    return max(_sizes(value))


def is_long_power(value: Quotient, exponent: int) -> bool:
    """Return whether a power of a closed form has too many terms to be written out.

    >>> is_long_power(Quotient.of("1/2"), 200)
    False
    """
    if abs(exponent) < 2 or value.polynomial() is not None:
        return False
    cost = _OF_CONSTANTS if value.has_constants else 1
    return abs(exponent) > _MAX_POWER or abs(exponent) * (length(value) - 1) > _MAX_POWER_TERMS // cost


def is_long_sum(first: Quotient, second: Quotient) -> bool:
    """Return whether a sum of closed forms has too many terms over its common denominator to be written out.

    >>> is_long_sum(Quotient.of("1/2"), Quotient.of(3))
    False
    """
    if not (_has_sides(first) and _has_sides(second)):
        return False
    (a, b), (c, d) = _sizes(first), _sizes(second)
    return _is_long(max(a * d, c * b, b * d), first, second) and first.denominator != second.denominator


def is_long_product(first: Quotient, second: Quotient, *, is_quotient: bool = False) -> bool:
    """Return whether a product, or a quotient, of closed forms has too many terms to be written out.

    >>> is_long_product(Quotient.of("1/2"), Quotient.of(3))
    False
    """
    if not (_has_sides(first) and _has_sides(second)):
        return False
    (a, b), (c, d) = _sizes(first), _sizes(second)[:: -1 if is_quotient else 1]
    return _is_long(max(a * c, b * d), first, second)


def is_long_exponent(exponent: Polynomial) -> bool:
    """Decide whether sums of exponentials with such an exponent are too long: it is a long sum of sines and the like.

    >>> is_long_exponent(Polynomial(2))
    False
    """
    if len(exponent.integers[0]) <= _MAX_EXPONENT_TERMS:
        return False
    names = exponent.symbols
    return bool(names) and not free(names)


def _is_long(terms: int, *values: Quotient) -> bool:
    """Decide whether a closed form of so many terms, made of others, is too long; one with free symbols never is."""
    if terms <= _MAX_CONSTANT_TERMS:
        return False
    is_short = terms <= MAX_TERMS and not any(value.has_constants for value in values)
    return not is_short and not any(value.symbols for value in values)


def _has_sides(value: Quotient) -> bool:
    return value.is_finite and value.is_closed


def _sizes(value: Quotient) -> tuple[int, int]:
    """Count the terms above and below."""
    return len(value.numerator.integers[0]), len(value.denominator.integers[0])
