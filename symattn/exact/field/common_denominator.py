"""TRUSTED. Sums of quotients over a common denominator that is as short as can be seen.

The plain sum of two quotients multiplies their denominators, whatever these have in common. Sums over all tokens,
as gradients are, would then have the same factors many times. Here terms over one denominator are added first, and
a denominator that divides another one is not multiplied in: the quotient ``q`` of ``d = b q`` is found by long
division and ``a/b + c/d`` is ``(a q + c)/d``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import gcd, lcm
from typing import TypeAlias

from symattn.errors import EffortError
from symattn.exact.field.closed_form_length import MAX_TERMS
from symattn.exact.field.constant_names import free
from symattn.exact.field.expsum import ExpSum, Key
from symattn.exact.field.polynomial import ONE, Monomial, Polynomial
from symattn.exact.field.quotient import Quotient

_Table: TypeAlias = dict[int, int]
"""Exponents, each as one whole number, to coefficients."""

MAX_SYMBOLIC_TERMS = 20_000
"""Terms of a closed form with free symbols, which cannot be enclosed; a longer one is refused."""

_MANY = 60
"""Products of terms from which on they are multiplied as whole numbers."""

_UNIT = ExpSum(1)


def added(values: Iterable[Quotient]) -> Quotient:
    """Return the sum of closed forms.

    Raises:
        EffortError: the common denominator would have too many terms.

    >>> a = Quotient(1, ExpSum.exp(1) + 1)
    >>> str(added([a, a * a, a * 2]).denominator)
    'exp(2) + 2*exp(1) + 1'
    """
    groups: dict[ExpSum, list[ExpSum]] = {}
    for value in values:
        if not value.is_zero:
            groups.setdefault(value.denominator, []).append(value.numerator)
    if not groups:
        return Quotient.of(0)
    # The longest first: what divides it then need not be multiplied in.
    bottoms = tuple(sorted(groups, key=lambda bottom: -len(bottom.integers[0])))
    below, factors = _common(bottoms, tuple(tuple(bottom.integers[0]) for bottom in bottoms))
    tops = [ExpSum.weighted(groups[bottom], [1] * len(groups[bottom])) for bottom in bottoms]
    products = [top if factor is None else _times(top, factor) for top, factor in zip(tops, factors, strict=True)]
    return Quotient(ExpSum.weighted(products, [1] * len(products)), below)


@lru_cache(maxsize=256)
def _common(
    bottoms: tuple[ExpSum, ...],
    order: tuple[tuple[Key, ...], ...],  # noqa: ARG001 - sums are equal in any order, and what is kept has one
) -> tuple[ExpSum, tuple[ExpSum | None, ...]]:
    """Return a multiple of all denominators, and its cofactor for each; None stands for 1."""
    below, factors = bottoms[0], [_UNIT]
    for bottom in bottoms[1:]:
        missing = divided(below, bottom)
        if missing is not None:
            factors.append(missing)
            continue
        terms, most = len(below.integers[0]) * len(bottom.integers[0]), most_terms(below, bottom)
        if terms > most:
            raise EffortError(
                f"A sum of quotients would have {terms:,} terms over one denominator, more than {most:,}: "
                "give its symbols values, use fewer tokens or a mask, or ask for less."
            )
        factors = [*(factor * bottom for factor in factors), below]
        below = below * bottom
    return below, tuple(None if factor == _UNIT else factor for factor in factors)


def most_terms(*sums: ExpSum) -> int:
    """Return the terms that a sum made of some may have.

    >>> most_terms(ExpSum.exp(1)), most_terms(ExpSum.exp(1), ExpSum.exp(Polynomial.symbol("beta")))
    (200, 20000)
    """
    return MAX_SYMBOLIC_TERMS if any(free(s.symbols) for s in sums) else MAX_TERMS


def divided(product: ExpSum, factor: ExpSum) -> ExpSum | None:
    """Divide exactly: return the cofactor of `factor` in `product`; None where there is none or it is not sought.

    Long division by the largest exponential. Any order of exponents serves that sums keep; this one compares their
    coefficients from the first monomial on. Sums with roots or symbols before their exponentials are left alone.

    >>> e = ExpSum.exp(1)
    >>> str(divided(e * e - 1, e + 1)), divided(e * e + 1, e + 1)
    ('exp(1) - 1', None)
    """
    if factor == _UNIT:
        return product
    (top, above), (bottom, below) = product.integers, factor.integers
    if any(monomial != ONE for table in (top, bottom) for _, monomial in table):
        return None
    code = _Code([exponent for table in (top, bottom) for exponent, _ in table])
    content = gcd(*bottom.values())
    # A quotient by whole numbers without a common factor has whole coefficients (Gauss's lemma).
    divisor = {code.number(exponent): c // content for (exponent, _), c in bottom.items()}
    found = _long_division({code.number(exponent): c for (exponent, _), c in top.items()}, divisor)
    if found is None:
        return None
    table = {(code.exponent(number), ONE): c * below for number, c in found.items()}
    return ExpSum.from_table(table, above * content)


def _times(top: ExpSum, factor: ExpSum) -> ExpSum:
    """Return the product, exponents added as whole numbers where there are many."""
    (table, above), (other, below) = top.integers, factor.integers
    if len(table) * len(other) < _MANY or any(monomial != ONE for _, monomial in other):
        return top * factor
    code = _Code([exponent for own in (table, other) for exponent, _ in own])
    numbers = [(code.number(exponent), c) for (exponent, _), c in other.items()]
    found: dict[tuple[int, Monomial], int] = {}
    for (exponent, monomial), c in table.items():
        start = code.number(exponent)
        for number, d in numbers:
            key = (start + number, monomial)
            found[key] = found.get(key, 0) + c * d
    made = {(code.exponent(number), monomial): c for (number, monomial), c in found.items() if c}
    return ExpSum.from_table(made, above * below)


class _Code:
    """Exponents as whole numbers, so that sums and the order of one are sums and the order of the other.

    Args:
        exponents: all that there are; what is made of them by adding two and subtracting one has a number too.
    """

    def __init__(self, exponents: list[Polynomial]) -> None:
        found = {monomial for exponent in exponents for monomial, _ in exponent.terms}
        self.monomials: list[Monomial] = sorted(found, key=repr)
        fractions = [c for exponent in exponents for _, c in exponent.terms]
        self.scale = lcm(*(c.denominator for c in fractions))
        self.base = 8 * max((abs(int(c * self.scale)) for c in fractions), default=0) + 8

    def number(self, exponent: Polynomial) -> int:
        """Encode an exponent as a number."""
        own = dict(exponent.terms)
        total = 0
        for monomial in self.monomials:
            total = total * self.base + int(own.get(monomial, 0) * self.scale)
        return total

    def exponent(self, number: int) -> Polynomial:
        """Decode the exponent of a number."""
        table: dict[Monomial, int] = {}
        for monomial in reversed(self.monomials):
            digit = (number + self.base // 2) % self.base - self.base // 2
            table[monomial] = digit
            number = (number - digit) // self.base
        return Polynomial.from_table(table, self.scale)


def _long_division(rest: _Table, divisor: _Table) -> _Table | None:
    """Return the quotient, its coefficients whole; None where something is left over."""
    leading, most = max(divisor), len(rest)
    least = min(rest) - min(divisor)
    waiting = [-number for number in rest]
    heapify(waiting)
    found: _Table = {}
    while rest:
        largest = -heappop(waiting)
        coefficient = rest.get(largest)
        if coefficient is None:
            continue
        shift = largest - leading
        share, left = divmod(coefficient, divisor[leading])
        if left or shift < least or len(found) >= most:
            return None
        found[shift] = share
        for number, c in divisor.items():
            place = number + shift
            before = rest.get(place)
            if before is None:
                rest[place] = -share * c
                heappush(waiting, -place)
            elif before == share * c:
                del rest[place]
            else:
                rest[place] = before - share * c
    return found
