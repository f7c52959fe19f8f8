"""TRUSTED. Exponentials of many numbers that are multiples of one: fixed-base powers, with their error bounds.

For a step u > 0, ``exp(-K u)`` is wanted for many integers K >= 0. K is split into digits of w bits, and
``exp(-d 2**(w j) u)`` stands in a table for every digit d at every place j, so that an exponential is a product of
as many entries as K has digits (Brickell, Gordon, McCurley and Wilson 1992, on fixed bases).

Everything is a lower bound in fixed point: t stands for v with 0 <= 2**bits v - t < its deficit. That of a product
is told by this: for s, t of u, v <= 1 with deficits a, b, the integer ``s t >> bits`` has a deficit below a + b + 1,
since 2**bits u v - s t / 2**bits = u (2**bits v - t) + (t / 2**bits)(2**bits u - s) <= b + a, and the shift takes
less than 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import isqrt
from typing import Any

from symattn.exact import choices
from symattn.exact.enclosure import Exponentials
from symattn.exact.polynomial import ONE, Polynomial

_BASE_DEFICIT = 3
"""The deficit of the first entry of a table, in units of its own precision; it is checked, see `_first`."""
_TABLE_GUARD = 4
"""Bits that a table has, beyond those of a digit, before its entries are cut."""
_ENTRY_DEFICIT = 2
"""That of an entry after the cut, see `_table`."""


class Powers:
    """Lower bounds of exp(-K u) in fixed point, for integers K >= 0.

    Args:
        step: u, positive, without symbols.
        bits: of the fixed point.
        largest: an integer that K does not exceed, as a rule; what is beyond is worked out too, as 0 if it is.
        count: for how many K, about; it decides how large the tables are, and nothing else.

    Attributes:
        deficit: ``0 <= 2**bits exp(-K u) - many([K])[0] < deficit``.

    >>> Powers(Polynomial(1), 20, 4, 10).many([0, 1])  # 2**20/e = 385749.6...
    [1048576, 385749]
    """

    def __init__(self, step: Polynomial, bits: int, largest: int, count: int) -> None:
        """Fills the tables."""
        self.bits = bits
        self._limit = zero_from(step, bits)
        top = max(min(largest, self._limit), 1)
        width, digits = choices.window(top.bit_length(), count)
        self._width = width
        self._mask = (1 << width) - 1
        number = choices.integer_type(bits)
        self._tables: list[list[Any]] = []
        for place in range(digits):
            # The last digit is never larger than that of the largest K.
            size = min(1 << width, (top >> width * place) + 1)
            self._tables.append(_table(step * (1 << width * place), bits, width, size, number))
        self._top = top
        self.deficit = product_deficit(digits)

    def many(self, exponents: Sequence[int]) -> list[Any]:
        """The bounds for many K, each at least 0."""
        if max(exponents, default=0) > self._top:
            return self._beyond(exponents)
        return self._products(exponents)

    def _beyond(self, exponents: Sequence[int]) -> list[Any]:
        """Some K are larger than the tables: from `zero_from` on, 0 is a bound with a deficit below 1."""
        top, limit = self._top, self._limit
        if top < limit and any(top < k < limit for k in exponents):
            raise ArithmeticError("an exponent is larger than the tables were made for")
        found = self._products([k if k <= top else 0 for k in exponents])
        return [value if k <= top else 0 for k, value in zip(exponents, found, strict=True)]

    def _products(self, exponents: Sequence[int]) -> list[Any]:
        bits, width, mask = self.bits, self._width, self._mask
        first = self._tables[0]
        if len(self._tables) == 1:
            return [first[k] for k in exponents]
        second = self._tables[1]
        if len(self._tables) == 2:
            return [first[k & mask] * second[k >> width] >> bits for k in exponents]
        found = [first[k & mask] * second[k >> width & mask] >> bits for k in exponents]
        for place, table in enumerate(islice(self._tables, 2, None), 2):
            shift = width * place
            found = [t * table[k >> shift & mask] >> bits for t, k in zip(found, exponents, strict=True)]
        return found


def product_deficit(digits: int) -> int:
    """The deficit of a product of as many entries: each has its own, and every product one more.

    >>> product_deficit(1), product_deficit(3)
    (2, 8)
    """
    return digits * _ENTRY_DEFICIT + digits - 1


def zero_from(step: Polynomial, bits: int) -> int:
    """An integer K with exp(-K u) < 2**-bits: ``K u >= 0.7 bits`` and 0.7 > ln 2.

    For u = sqrt(m)/n or a rational: with q = 1/u^2 rational, K = isqrt(floor((7 bits)^2 q / 100)) + 1 is larger
    than 0.7 bits / u.

    >>> zero_from(Polynomial(1), 20)
    15
    """
    square = (step * step).rational()
    if square is None or square <= 0:
        raise ArithmeticError("the step of powers is a rational number, or one root of one, and positive")
    return isqrt(49 * bits * bits * square.denominator // (100 * square.numerator)) + 1


def _first(step: Polynomial, wide: int) -> int:
    """A lower bound of 2**wide exp(-u) with a deficit of at most `_BASE_DEFICIT`."""
    mid, rad, exp = Exponentials(wide + 8).key((-step, ONE))
    shift = exp + wide
    low, high = _shifted(mid - rad, shift), -_shifted(-(mid + rad), shift)
    low = max(low, 0)
    if high - low > _BASE_DEFICIT:
        raise ArithmeticError("the first power of a table is not as fine as its bound says")
    return low


def _shifted(n: int, shift: int) -> int:
    """floor(n 2**shift)."""
    return n << shift if shift >= 0 else n >> min(-shift, n.bit_length() + 1)


def _table(step: Polynomial, bits: int, width: int, size: int, number: Any) -> list[Any]:
    """Lower bounds of 2**bits exp(-d u) for d = 0, 1, ..., size - 1 <= 2**width - 1, each with a deficit below 2.

    With wide = bits + width + 4, entry d is made from entry d - 1 and the first, whose deficit is at most 3: its own
    grows by less than 3 + 1, so that it is below 4 d < 2**(width + 2) units, a quarter of what is cut off last. The
    cut adds less than 1.
    """
    guard = width + _TABLE_GUARD
    wide = bits + guard
    base = number(_first(step, wide))
    entry = number(1 << wide)
    found = [entry >> guard]
    for _ in range(size - 1):
        entry = entry * base >> wide
        found.append(entry >> guard)
    return found
