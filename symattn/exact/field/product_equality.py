"""TRUSTED. Equality of two products of exponential sums, with exponents as single integers.

Exponents are rational combinations of finitely many monomials. Over one denominator they are vectors of
integers, and packed with a base larger than any coordinate of a sum can be, adding exponents is adding
integers. That decides equality without building the products for people to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import TypeAlias

from symattn.errors import EffortError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import ONE, Monomial, Polynomial, multiply_monomials

_Packed: TypeAlias = list[tuple[int, Monomial, int]]
_MAX_PRODUCTS = 20_000_000  # term by term; beyond this a comparison is a mistake or an attack


def products_equal(a: ExpSum, b: ExpSum, c: ExpSum, d: ExpSum) -> bool:
    """Return whether a * b == c * d, exactly.

    The difference of the products is collected by exponent and monomial; it is zero exactly when every
    coefficient is (see `symattn.exact.field.expsum`).

    Raises:
        EffortError: the products have too many terms.

    >>> e = ExpSum.exp(1)
    >>> products_equal(e - 1, e + 1, e * e - 1, ExpSum(1)), products_equal(e, e, e, ExpSum(1))
    (True, False)
    """
    sums = (a, b, c, d)
    sizes = [len(s.integers[0]) for s in sums]
    if sizes[0] * sizes[1] + sizes[2] * sizes[3] > _MAX_PRODUCTS:
        raise EffortError("Two expressions have too many terms to be compared: use smaller matrices.")
    first, second, third, fourth = _packed(sums)
    left, right = a.integers[1] * b.integers[1], c.integers[1] * d.integers[1]
    if all(m is ONE for s in (first, second, third, fourth) for _, m, _ in s):
        return not any(_collect_plain(_collect_plain({}, first, second, right), third, fourth, -left).values())
    table: dict[tuple[int, Monomial], int] = {}
    _collect(table, first, second, right)
    _collect(table, third, fourth, -left)
    return not any(table.values())


def _collect_plain(table: dict[int, int], first: _Packed, second: _Packed, scale: int) -> dict[int, int]:
    """Collect as `_collect` does where every monomial is 1: nearly always, and in half the time."""
    get = table.get
    for x, _, p in first:
        weight = p * scale
        for y, _, q in second:
            table[x + y] = get(x + y, 0) + weight * q
    return table


def _collect(table: dict[tuple[int, Monomial], int], first: _Packed, second: _Packed, scale: int) -> None:
    for x, m, p in first:
        weight = p * scale
        for y, n, q in second:
            factor, monomial = (1, ONE) if m is n is ONE else multiply_monomials(m, n)
            key = x + y, monomial
            table[key] = table.get(key, 0) + weight * q * factor


def _packed(sums: Sequence[ExpSum]) -> list[_Packed]:
    """Return the tables with each exponent as one integer.

    Coordinates lie in [-h, h], those of sums of two exponents in [-2h, 2h]. With the base 4h + 1 two such
    vectors have equal packings only if they are equal: their difference lies in [-4h, 4h], and a number
    sum v_i (4h + 1)^i with |v_i| <= 4h is zero only if every v_i is (the lowest one is divisible by 4h + 1).
    """
    exponents = {exponent for s in sums for exponent, _ in s.integers[0]}
    denominator = lcm(*(exponent.integers[1] for exponent in exponents))
    largest = max((abs(c) for exponent in exponents for _, c in exponent.integers[0]), default=0)
    base = 4 * largest * denominator + 1
    place: dict[Monomial, int] = {}
    codes: dict[Polynomial, int] = {}
    for exponent in exponents:
        terms, own = exponent.integers
        factor = denominator // own
        codes[exponent] = sum(c * factor * base ** place.setdefault(m, len(place)) for m, c in terms)
    return [[(codes[x], ONE if m == ONE else m, c) for (x, m), c in s.integers[0].items()] for s in sums]
