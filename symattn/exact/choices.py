"""Which of several ways is taken: every choice that sizes make, in one place. All ways give the same strings.

The thresholds were measured (CPython 3.11, two processors); a wrong one costs time, never a digit.
"""

from __future__ import annotations

from typing import Any

PACK_FROM = 12
"""Columns from which a row times a matrix goes through one long integer that holds them all."""
PACK_SLOT = 190
"""Bits of one column in such an integer, beyond which long integers no longer pay."""
FLINT_FROM = 128
"""Rows, columns and terms from which python-flint multiplies integer matrices faster, if it is there."""
LATTICE_BITS = 64
"""Bits by which the common denominator of all exponents may be longer than the precision."""
GMPY2_FROM = 1_500
"""Bits of precision from which integers of gmpy2 are faster, if it is there."""
WIDEST = 14
"""Bits of the digits that exponents are split into, at most: a table has an entry for each digit."""


def window(bits: int, count: int) -> tuple[int, int]:
    """How exponents of so many bits are split, for so many exponentials: (bits of a digit, number of digits).

    A table costs about one product for each of its entries, an exponential one for each digit.

    >>> window(26, 1_000_000), window(26, 100)
    ((13, 2), (5, 6))
    """
    ways = [(-(-bits // digits), digits) for digits in range(1, bits + 1)] or [(1, 1)]
    allowed = [way for way in ways if way[0] <= WIDEST]
    return min(allowed, key=lambda way: (way[1] << way[0]) + way[1] * count)


def is_lattice(denominator: int, bits: int) -> bool:
    """Whether exponents over a denominator of so many bits are taken as integers, at so many bits of precision.

    >>> is_lattice(20, 80), is_lattice(4000, 80)
    (True, False)
    """
    return denominator <= LATTICE_BITS + bits


def packs(columns: int, slot: int) -> bool:
    """Whether a row times a matrix goes through long integers that hold a slot of so many bits for each column.

    >>> packs(64, 40), packs(3, 40), packs(64, 400)
    (True, False, False)
    """
    return columns >= PACK_FROM and slot <= PACK_SLOT


def flint_matrix(*sizes: int) -> Any:
    """The integer matrices of python-flint where they pay and are there, else None."""
    if min(sizes) < FLINT_FROM:
        return None
    try:
        import flint  # start-up: only large matrices need it
    except ImportError:
        return None
    return flint.fmpz_mat


def integer_type(bits: int) -> Any:
    """What long integers are made of: those of gmpy2 where they pay and are there, else int."""
    if bits < GMPY2_FROM:
        return int
    try:
        import gmpy2  # start-up: only many digits need it
    except ImportError:
        return int
    return gmpy2.mpz
