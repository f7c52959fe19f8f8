"""TRUSTED. Selection of an algorithm for integers, from sizes alone; all of them give the same results.

The numbers were measured on Python 3.11; another machine moves them a little, and the times by little more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from symattn import late

if TYPE_CHECKING:
    from importlib import util

    import gmpy2
else:
    util = late.module("importlib.util")
    gmpy2 = late.module("gmpy2")

Way: TypeAlias = Literal["plain", "packed", "flint"]
"""Algorithm of a matrix product: entry by entry, with all columns packed into one integer, or by flint."""

PACKED_FROM = 6
"""Columns from which a product with all of them packed into one integer beats one product for each."""
PACKED_SLOT = 260
"""Bits of a packed entry up to which it does."""
FLINT_FROM = 1 << 21
"""Products of two entries from which flint's matrices repay that theirs are other integers than Python's."""
FLINT_SLOT = 1500
"""Bits of an entry of such a product up to which they do; below what gmpy2's integers are used for."""
PRIMITIVE_FROM = 2000
"""Bits of an entry from which rows are freed of their common divisor before they are multiplied."""
GMPY2_FROM = 500
"""Digits from which gmpy2's integers are faster than Python's."""
WIDEST_WINDOW = 14
"""Bits of the index into one table of powers."""
_LINEAR_COST = 2
"""Windows that the first multiplication and the last factor of a fixed-point exponent cost as much as."""


def product_way(rows: int, inner: int, columns: int, slot: int) -> Way:
    """Select the algorithm of a matrix product whose sums have `slot` bits.

    >>> product_way(3, 2, 3, 20), product_way(64, 64, 64, 40)
    ('plain', 'packed')
    """
    if rows * inner * columns >= FLINT_FROM and slot < FLINT_SLOT and has_module("flint"):
        return "flint"
    return "packed" if columns >= PACKED_FROM and slot < PACKED_SLOT else "plain"


def integers_of(digits: int) -> Callable[[int], Any]:
    """Return the type to compute with at so many digits: int, or gmpy2's, whose operators are the same.

    >>> integers_of(15)
    <class 'int'>
    """
    if digits < GMPY2_FROM or not has_module("gmpy2"):
        return int
    return gmpy2.mpz  # type: ignore[no-any-return]  # gmpy2 comes without types


def window_width(largest: int, count: int) -> int:
    """Return the width of windows for which `count` powers with exponents up to `largest` take the fewest products.

    >>> window_width(1000, 1), window_width(2**27, 65536)
    (2, 14)
    """
    return min(range(1, WIDEST_WINDOW + 1), key=lambda w: _cost(w, largest, count))


def _cost(width: int, largest: int, count: int) -> int:
    """Count the products: for k tables, the last ending at the largest exponent, and k - 1 for each power."""
    full = max(largest.bit_length() - 1, 0) // width
    return (full << width) + (largest >> full * width) + count * full


def on_lattice(largest: int, rounded: int, count: int) -> bool:
    """Return whether exponents up to `largest` are taken as they are, and not rounded to one up to `rounded` first.

    >>> on_lattice(2**27, 2**43, 65536), on_lattice(2**140, 2**43, 65536)
    (True, False)
    """
    as_they_are = _cost(window_width(largest, count), largest, count)
    return as_they_are <= _cost(window_width(rounded, count), rounded, count) + _LINEAR_COST * count


def has_module(name: str) -> bool:
    """Return whether an optional package is installed.

    >>> has_module("math"), has_module("no_such_package")
    (True, False)
    """
    return util.find_spec(name) is not None
