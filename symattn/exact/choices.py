"""Which way a computation with integers takes, decided from sizes alone. The results are the same on every way.

The numbers were measured on Python 3.11; another machine moves them a little, and the times by little more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

Way: TypeAlias = Literal["plain", "packed", "flint"]
"""How a matrix product is computed: entry by entry, with all columns packed into one integer, or by flint."""

PACKED_FROM = 12
"""Columns from which a product with all of them packed into one integer beats one product for each."""
PACKED_SLOT = 190
"""Bits of a packed entry up to which it does."""
FLINT_FROM = 1 << 21
"""Products of two entries from which flint's matrices repay that theirs are other integers than Python's."""
FLINT_SLOT = 1500
"""Bits of an entry of such a product up to which they do; below what gmpy2's integers are used for."""
GMPY2_FROM = 500
"""Digits from which gmpy2's integers are faster than Python's."""
WIDEST_WINDOW = 14
"""Bits of the index into one table of powers."""
_LINEAR_COST = 2
"""Windows that the first multiplication and the last factor of a fixed-point exponent cost as much as."""


def product_way(rows: int, inner: int, columns: int, slot: int) -> Way:
    """How a matrix product is computed whose sums have `slot` bits.

    >>> product_way(3, 2, 3, 20), product_way(64, 64, 64, 40)
    ('plain', 'packed')
    """
    if rows * inner * columns >= FLINT_FROM and slot < FLINT_SLOT and has_module("flint"):
        return "flint"
    return "packed" if columns >= PACKED_FROM and slot < PACKED_SLOT else "plain"


def integers_of(digits: int) -> Callable[[int], Any]:
    """The type to compute with at so many digits: int, or gmpy2's, whose operators are the same.

    >>> integers_of(15)
    <class 'int'>
    """
    if digits < GMPY2_FROM or not has_module("gmpy2"):
        return int
    import gmpy2  # start-up: few problems ask for so many digits

    return gmpy2.mpz  # type: ignore[no-any-return]


def window_width(bits: int, count: int) -> int:
    """The width of windows for which `count` powers with exponents of `bits` bits take the fewest products.

    With k windows of w = ceil(bits/k) bits, the tables take k 2^w products, each power k - 1 more.

    >>> window_width(10, 1), window_width(27, 65536)
    (2, 14)
    """
    widths = range(1, min(max(bits, 1), WIDEST_WINDOW) + 1)
    return min(widths, key=lambda w: _cost(w, bits, count))


def _cost(width: int, bits: int, count: int) -> int:
    windows = -(-bits // width)
    return (windows << width) + count * (windows - 1)


def on_lattice(bits: int, fixed_bits: int, count: int) -> bool:
    """Whether exponents of `bits` bits are taken as they are, and not rounded to `fixed_bits` bits first.

    >>> on_lattice(27, 43, 65536), on_lattice(140, 43, 65536)
    (True, False)
    """
    as_they_are = _cost(window_width(bits, count), bits, count)
    return as_they_are <= _cost(window_width(fixed_bits, count), fixed_bits, count) + _LINEAR_COST * count


def has_module(name: str) -> bool:
    """Whether an optional package is there.

    >>> has_module("math"), has_module("no_such_package")
    (True, False)
    """
    from importlib.util import find_spec  # start-up: small problems need no optional package

    return find_spec(name) is not None
