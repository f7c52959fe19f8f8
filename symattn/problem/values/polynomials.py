"""The polynomial that a written expression is: numbers, declared symbols, square roots of rationals.

People's text comes in here, so the growth of every intermediate value is bounded before it is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.numerals.rational import rational
from symattn.notation.tree import nodes as t
from symattn.problem.text.spelling import quoted, unknown

Symbols: TypeAlias = Mapping[str, str | Fraction]
"""Declared symbols, each to what is known of it (``"positive"``, ``"real"``) or to its value."""

MAX_POWER = 64
MAX_TERMS = 400
MAX_BITS = 8000
MAX_ROOTS = 6
MAX_RADICAND = 10**9

_CONSTANTS = frozenset({"pi", "e"})

_TOO_MANY_TERMS = f"the expression has more than {MAX_TERMS} terms; make it shorter."


def polynomial(node: t.Node, symbols: Symbols) -> Polynomial:
    """Return the value of a written expression as a polynomial in declared symbols, known values put in.

    Raises:
        InputError: A name that is not declared, with the nearest that is; or arithmetic that leaves the
            polynomials: a division by a symbol, a power that is not a small whole number, a function.

    >>> str(polynomial(t.Product((t.Number("2"), t.Name("beta")), ("cdot",)), {"beta": "real"}))
    '2*beta'
    """
    match node:
        case t.Number(text):
            return Polynomial.constant(rational(text))
        case t.Name() | t.Subscript():
            return _symbol(node, symbols)
        case t.Group(body):
            return polynomial(body, symbols)
        case t.Negative(body):
            return -polynomial(body, symbols)
        case t.Sum(terms, operators):
            return _sum([polynomial(term, symbols) for term in terms], operators)
        case t.Product(factors):
            return reduce(_times, [polynomial(factor, symbols) for factor in factors])
        case t.Division(numerator, denominator):
            return _divide(polynomial(numerator, symbols), polynomial(denominator, symbols))
        case t.Power(base, exponent):
            return _power(polynomial(base, symbols), polynomial(exponent, symbols))
        case t.Root(body, None):
            return _root(polynomial(body, symbols))
        case t.Call(t.Name("sqrt"), (body,)):
            return _root(polynomial(body, symbols))
        case t.Call(t.Name(name)):
            raise InputError(f"{quoted(name)} is not allowed: sqrt is the only function that an entry may have.")
        case _:
            kind = type(node).__name__.lower()
            raise InputError(f"a {kind} cannot stand in an entry; write a number or a polynomial in declared symbols.")


def _symbol(node: t.Name | t.Subscript, symbols: Symbols) -> Polynomial:
    match node:
        case t.Name(text):
            name = text
        case t.Subscript(t.Name(base), (t.Number(index),)):
            name = f"{base}_{index}"
        case _:
            raise InputError("a symbol must be letters, with at most one number as its index, as in x_1.")
    if name not in symbols:
        if name in _CONSTANTS:
            raise InputError(
                f"{quoted(name)} is neither a fraction nor a root, so it is not computed with here. Write a decimal or "
                'a fraction for it, or declare a letter under [symbols], e.g. c = "positive".'
            )
        if symbols:
            raise InputError(unknown("symbol", name, symbols))
        raise InputError(f'unknown symbol {quoted(name)}. Declare it under [symbols], e.g. {name[:20]} = "real".')
    given = symbols[name]
    return Polynomial.constant(given) if isinstance(given, Fraction) else Polynomial.symbol(name)


def _sum(terms: list[Polynomial], operators: tuple[str, ...]) -> Polynomial:
    total = terms[0]
    for operator, term in zip(operators, terms[1:], strict=True):
        total = _bounded(total + term if operator == "+" else total - term)
    return total


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left.terms) * len(right.terms) > MAX_TERMS**2:
        raise InputError(_TOO_MANY_TERMS)
    return _bounded(left * right)


def _divide(numerator: Polynomial, denominator: Polynomial) -> Polynomial:
    if not denominator.terms:
        raise InputError("division by zero; change the denominator.")
    if denominator.symbols:
        names = ", ".join(sorted(denominator.symbols))
        raise InputError(f"a division by the symbol {names} is not allowed; declare a symbol for the quotient.")
    if len(denominator.terms) > MAX_ROOTS:
        raise InputError(f"the denominator has more than {MAX_ROOTS} terms with roots; make it shorter.")
    quotient = numerator.divide(denominator)
    if quotient is None:
        raise InputError("the quotient is not a polynomial; write its denominator without roots.")
    return _bounded(quotient)


def _power(base: Polynomial, exponent: Polynomial) -> Polynomial:
    power = exponent.rational()
    if power == Fraction(1, 2):
        return _root(base)
    if power is None or power.denominator != 1 or abs(power) > MAX_POWER:
        raise InputError(f"a power must be a whole number of at most {MAX_POWER}.")
    if power < 0:
        return _divide(Polynomial.constant(1), _power(base, Polynomial.constant(-power)))
    return reduce(_times, [base] * int(power), Polynomial.constant(1))


def _root(body: Polynomial) -> Polynomial:
    radicand = body.rational()
    if radicand is None:
        raise InputError("a square root must be of a rational number; write its value as a fraction or a decimal.")
    if radicand < 0:
        raise InputError("the square root of a negative number is not a real number; take one of a number from 0 on.")
    if max(radicand.numerator, radicand.denominator) > MAX_RADICAND:
        raise InputError(f"a square root must be of a number up to {MAX_RADICAND:,}; make the radicand smaller.")
    return Polynomial.sqrt(radicand)


def _bounded(value: Polynomial) -> Polynomial:
    if len(value.terms) > MAX_TERMS:
        raise InputError(_TOO_MANY_TERMS)
    for _, coefficient in value.terms:
        if max(coefficient.numerator.bit_length(), coefficient.denominator.bit_length()) > MAX_BITS:
            raise InputError("the value of the expression has too many digits; make it shorter.")
    return value
