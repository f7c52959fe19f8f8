"""TRUSTED. Derivatives and Taylor coefficients of exponential sums and of their quotients.

A derivative of a sum of coefficient * exp(exponent) is one again, so nothing is approximated and no limit
is taken here; a Taylor coefficient is a derivative at a point, and a quotient of two series is divided
term by term.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial

from symattn.errors import InputError, expect
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Monomial, Polynomial
from symattn.exact.field.quotient import Quotient

MAX_ORDER = 40
"""The most Taylor coefficients that are worked out."""

_MAX_ZERO = 40  # the order of a zero of a denominator that is looked for


def polynomial_derivative(value: Polynomial, name: str) -> Polynomial:
    """Return the derivative of a polynomial by one symbol.

    >>> x = Polynomial.symbol("x")
    >>> str(polynomial_derivative(3 * x * x - x + 1, "x"))
    '6*x - 1'
    """
    table: dict[Monomial, int] = {}
    items, denominator = value.integers
    for (radicand, powers), c in items:
        power = dict(powers).get(name, 0)
        if power:
            left = tuple((n, p - (n == name)) for n, p in powers if n != name or p > 1)
            table[radicand, left] = c * power
    return Polynomial.from_table(table, denominator)


def sum_derivative(value: ExpSum, name: str) -> ExpSum:
    """Return the derivative of an exponential sum by one symbol: (c exp(x))' = (c' + c x') exp(x).

    >>> x = Polynomial.symbol("x")
    >>> str(sum_derivative(x * ExpSum.exp(2 * x), "x"))
    '(2*x + 1)*exp(2*x)'
    """
    result = ExpSum()
    for exponent, c in value.terms():
        changed = polynomial_derivative(c, name) + c * polynomial_derivative(exponent, name)
        result += ExpSum.exp(exponent) * changed
    return result


def derivative(value: Quotient, name: str) -> Quotient:
    """Return the derivative of a quotient by one symbol: (n/d)' = (n' d - n d')/d².

    >>> x = Polynomial.symbol("x")
    >>> weight = Quotient(ExpSum.exp(x), ExpSum.exp(x) + 1)
    >>> derivative(weight, "x") == weight * (1 - weight)
    True
    """
    top, bottom = value.numerator, value.denominator
    above, below = sum_derivative(top, name), sum_derivative(bottom, name)
    if below.is_zero:
        return value.with_numerator(above)
    return Quotient(above * bottom - top * below, bottom * bottom)


def power_slope(name: str, power: Fraction) -> Quotient:
    """Return the derivative of a power of x by x, as a function of that power.

    With g = x^u it is u x^(u-1) = u g^((u-1)/u).

    Args:
        name: the name of g.
        power: the exponent u, so that (u - 1)/u is an integer.

    >>> str(power_slope("sqrt(x)", Fraction(1, 2)))
    '1/2/(sqrt(x))'
    """
    return Quotient.of(power) * Quotient(Polynomial.symbol(name)) ** int((power - 1) / power)


def taylor(value: Quotient, name: str, point: Polynomial, count: int) -> list[Quotient]:
    """Return the first `count` Taylor coefficients at a point, a number or a polynomial in other symbols.

    A zero of the denominator that the numerator shares is divided out first. With n and d for the series of
    both, c_k = N_k / d_0^(k + 1), where N_k = n_k d_0^k - Σ_{i<k} N_i d_(k-i) d_0^(k-1-i).

    Raises:
        InputError: the point holds the symbol, the quotient has a pole there, or too many coefficients.

    >>> x = Polynomial.symbol("x")
    >>> [str(c) for c in taylor(Quotient(ExpSum.exp(x) - 1, x), "x", Polynomial(0), 4)]
    ['1', '1/2', '1/6', '1/24']
    """
    expect(count, int, "The number of terms of a series is a whole number")
    if not 1 <= count <= MAX_ORDER:
        raise InputError(f"A series has from 1 to {MAX_ORDER} terms here: ask for that many.")
    if name in point.symbols:
        raise InputError(f"A series in {name} is taken at a point that does not hold {name}: give another point.")
    bottom, zeros = _without_zeros(value.denominator, name, point, count)
    top = _coefficients(value.numerator, name, point, count + zeros)
    if any(not c.is_zero for c in top[:zeros]):
        raise InputError(f"The denominator is 0 at {name} = {point}, so there is no Taylor series: take another point.")
    return _divided(top[zeros:], bottom)


def _without_zeros(value: ExpSum, name: str, point: Polynomial, count: int) -> tuple[list[ExpSum], int]:
    """Return the Taylor coefficients from the first that is not 0 on, and how many are before it."""
    found = _coefficients(value, name, point, count)
    if not found[0].is_zero:
        return found, 0
    found = _coefficients(value, name, point, count + _MAX_ZERO)
    zeros = next((k for k, c in enumerate(found) if not c.is_zero), _MAX_ZERO + 1)
    if zeros > _MAX_ZERO:
        raise InputError(f"The denominator is 0 at {name} = {point} to a high order: take another point.")
    return found[zeros : zeros + count], zeros


def _coefficients(value: ExpSum, name: str, point: Polynomial, count: int) -> list[ExpSum]:
    found = []
    for k in range(count):
        found.append(value.substitute({name: point}) * Fraction(1, factorial(k)))
        if k + 1 < count:
            value = sum_derivative(value, name)
    return found


def _divided(top: Sequence[ExpSum], bottom: Sequence[ExpSum]) -> list[Quotient]:
    first = bottom[0]
    powers = [ExpSum(1)]
    for _ in top:
        powers.append(powers[-1] * first)
    tops: list[ExpSum] = []
    for k, c in enumerate(top):
        total = c * powers[k]
        for i, earlier in enumerate(tops):
            total -= earlier * bottom[k - i] * powers[k - 1 - i]
        tops.append(total)
    return [Quotient(c, powers[k + 1]) for k, c in enumerate(tops)]
