"""TRUSTED. Many exponentials exp(-K x) of one step x > 0 and integers K >= 0, in integers only.

A power is an integer E with E <= exp(-K x) * 2**bits <= E + error: a lower bound, whose distance from the true
value is at most `error` units in the last place. All bounds here are of this one-sided kind, for numbers between
0 and 1, so that they add up: see `product_error`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from math import isqrt
from typing import Any, TypeAlias

from symattn.exact.field.polynomial import ONE, Polynomial
from symattn.exact.linear.algorithm_selection import on_lattice, window_width
from symattn.exact.reals.enclosure import Exponentials

BASE_ERROR = 9
"""Units by which the base of a table lies below at most: see `base_power`."""
TABLE_ERROR = 2
"""Units by which an entry of a table lies below the true power at most: see `_Windows`."""
LINEAR_ERROR = 1
"""Units by which the last factor of a fixed-point exponent lies below at most: see `linear_factors`."""
SHIFT_ERROR = 1
"""Units by which the power of a fixed-point exponent lies below that of the exponent at most: `fixed_exponents`."""


def product_error(first: int, second: int) -> int:
    """Return the error of ``a * b >> bits``, if those of a and b are at most `first` and `second`.

    With a <= A <= a + first and b <= B <= b + second in units u = 2**-bits, and A, B <= 1:
    A B - a b = A (B - b) + b (A - a) <= second + first units, as A <= 1 and b <= B <= 1. Cutting off the last
    bits takes less than one unit more away.

    >>> product_error(2, 2)
    5
    """
    return first + second + 1


def guard_bits(steps: int, error: int) -> int:
    """Return bits g with which powers up to `steps` of a base with `error` units of 2**-g are at most one unit low.

    The power m as a product of m factors in any order lies m error + (m - 1) below at most, by `product_error`
    applied m - 1 times. With steps < 2**p and error + 1 <= 2**q, that is less than 2**(p + q) units of 2**-(p+q).

    >>> guard_bits(7, 1)
    4
    """
    return steps.bit_length() + error.bit_length()


def vanishing(bits: int, denominator: int, radicand: int) -> int:
    """Return an exponent K with exp(-K sqrt(radicand) / denominator) <= 2**-bits.

    As isqrt(r) <= sqrt(r), K = floor(bits * 6932 N / (10^4 isqrt(r))) + 1 has K sqrt(r) / N >= bits * 0.6932, which is
    more than bits ln 2.

    >>> vanishing(10, 1, 1)
    7
    """
    return bits * 6932 * denominator // (10_000 * isqrt(radicand)) + 1


def base_power(x: Polynomial, bits: int) -> tuple[int, int]:
    """Return (B, error) with B <= exp(-x) * 2**bits <= B + error, for x > 0 and bits >= 10.

    The ball has a radius of at most 8 units of 2**exp, and exp < -bits, as exp(-x) < 1 and mid has more than `bits`
    bits. So the ends lie at most 16 / 2 = 8 units of 2**-bits apart, rounded outward at most 9: `BASE_ERROR`.

    >>> base_power(Polynomial(1), 20)  # 385749.5...
    (385747, 4)
    """
    mid, rad, exp = Exponentials(bits).key((-x, ONE))
    shift = -exp - bits
    if shift < 0:
        raise ArithmeticError("the exponential of a negative number is not less than 1")
    low, high = (mid - rad) >> shift, -(-(mid + rad) >> shift)
    return max(low, 0), high - max(low, 0)


class _Windows:
    """Powers by tables: K = i_0 + i_1 2**w + i_2 2**(2w) ..., one factor from each table.

    Table l holds the powers i 2**(l w) of exp(-x), 0 <= i < 2**w. They are computed with g more bits, as products
    of the base with itself, so that by `guard_bits` they lie at most one unit of 2**-bits below the true ones; then
    the g bits are cut off, which takes away less than one unit more: `TABLE_ERROR`. The entry 0 is exact. The
    factors are multiplied with a cut after each product: `product_error`.
    """

    def __init__(self, x: Polynomial, bits: int, largest: int, count: int, number: Callable[[int], Any]) -> None:
        self.width = window_width(largest, count)
        windows = max(-(-largest.bit_length() // self.width), 1)
        self.bits = bits
        self.error = reduce(product_error, [TABLE_ERROR] * windows)
        last = (largest >> self.width * (windows - 1)) + 1
        sizes = [1 << self.width] * (windows - 1) + [last]
        guard = guard_bits((1 << self.width * windows) - 1, BASE_ERROR)
        base, error = base_power(x, bits + guard)
        if error > BASE_ERROR:
            raise ArithmeticError("the base of a table of powers is less certain than was set aside for it")
        self.tables = _tables(number(base), bits, guard, sizes, number)

    def powers(self, exponents: Sequence[int]) -> list[Any]:
        """Return lower bounds of the powers of these exponents, none of which is larger than was foreseen."""
        bits, width, mask = self.bits, self.width, (1 << self.width) - 1
        if len(self.tables) == 1:
            (table,) = self.tables
            return [table[k] for k in exponents]
        if len(self.tables) == 2:
            first, second = self.tables
            return [first[k & mask] * second[k >> width] >> bits for k in exponents]
        if len(self.tables) == 3:
            first, second, third = self.tables
            last = 2 * width
            return [(first[k & mask] * second[k >> width & mask] >> bits) * third[k >> last] >> bits for k in exponents]
        first, *others = self.tables
        result = [first[k & mask] for k in exponents]
        for shift, table in enumerate(others, 1):
            by = shift * width
            result = [e * table[k >> by & mask] >> bits for e, k in zip(result, exponents, strict=True)]
        return result


def _tables(base: Any, bits: int, guard: int, sizes: Sequence[int], number: Callable[[int], Any]) -> list[list[Any]]:
    """Return tables of these sizes: the base of each is the power that follows the last entry of the one before."""
    wide = bits + guard
    tables = []
    for size in sizes:
        power, table = number(1 << wide), []
        for _ in range(size):
            table.append(power >> guard)
            power = power * base >> wide
        tables.append(table)
        base = power
    return tables


class LatticePowers:
    """Powers exp(-K sqrt(radicand) / denominator), with K as it is.

    An exponent from `limit` on gives 0, which lies at most one unit below: `vanishing`.

    >>> powers = LatticePowers(2, 1, 20, largest=10**40, count=4)
    >>> powers([0, 2, 10**40])  # e^-1 = 385749.5... / 2**20
    [1048576, 385749, 0]
    """

    def __init__(
        self, denominator: int, radicand: int, bits: int, largest: int, count: int, number: Callable[[int], Any] = int
    ) -> None:
        """Make tables for about `count` powers with exponents up to `largest`; larger ones have to be named as such."""
        self.bits = bits
        self.limit = vanishing(bits, denominator, radicand)
        self.largest = largest
        self._windows = _Windows(_step(denominator, radicand), bits, min(self.limit - 1, largest), count, number)
        self.error = self._windows.error

    def __call__(self, exponents: Sequence[int]) -> list[Any]:
        """Return lower bounds of the powers."""
        limit = self.limit
        if self.largest < limit:
            return self._windows.powers(exponents)
        return _with_zeros(self._windows.powers, exponents, limit)


class FixedPointPowers:
    """Powers exp(-K sqrt(radicand) / denominator) with exponents rounded up to a multiple of 2**-F, F = bits + 1.

    For exponents of very many bits, where a table for every few of them would be long. A rounded exponent is
    t = h 2**(m-F) + u with 0 <= u < 2**(m-F), m = `low_bits`: the power h of exp(-2**(m-F)) comes from tables, and
    exp(-u) is nearly 1 - u.

    >>> FixedPointPowers(2, 1, 20, largest=10**40, count=4)([0, 2, 10**40])  # e^-1 = 385749.5... / 2**20
    [1048575, 385748, 0]
    """

    def __init__(
        self, denominator: int, radicand: int, bits: int, largest: int, count: int, number: Callable[[int], Any] = int
    ) -> None:
        """Make tables for about `count` powers; see `LatticePowers`."""
        self.bits = bits
        self.limit = vanishing(bits, denominator, radicand)
        self._low = low_bits(bits)
        self._cut = self.limit.bit_length() + 1
        self._step = fixed_step(denominator, radicand, bits + 1 + self._cut)
        (last,) = fixed_exponents([min(largest, self.limit)], self._step, self._cut)
        unit = Polynomial(Fraction(1, 1 << bits + 1 - self._low))
        self._windows = _Windows(unit, bits, last >> self._low, count, number)
        self.error = product_error(self._windows.error, LINEAR_ERROR) + SHIFT_ERROR

    def __call__(self, exponents: Sequence[int]) -> list[Any]:
        """Return lower bounds of the powers."""
        return _with_zeros(self._powers, exponents, self.limit)

    def _powers(self, exponents: Sequence[int]) -> list[Any]:
        low, bits = self._low, self.bits
        fixed = fixed_exponents(exponents, self._step, self._cut)
        heads = self._windows.powers([t >> low for t in fixed])
        return [e * f >> bits for e, f in zip(heads, linear_factors(fixed, low, bits), strict=True)]


def low_bits(bits: int) -> int:
    """Return the largest m with F - m >= bits / 2, for F = bits + 1: bits of an exponent whose exponential is 1 - u.

    >>> low_bits(20), low_bits(21)
    (11, 11)
    """
    return bits + 1 - -(-bits // 2)


def fixed_step(denominator: int, radicand: int, bits: int) -> int:
    """Return an integer X with x 2**bits <= X <= x 2**bits + 2, for x = sqrt(radicand) / denominator.

    isqrt + 1 lies above the root by at most 1, and so does the last + 1 above the quotient.

    >>> fixed_step(3, 2, 10)  # 482.7...
    484
    """
    return (isqrt(radicand << 2 * bits) + 1) // denominator + 1


def fixed_exponents(exponents: Sequence[int], step: int, cut: int) -> list[int]:
    """Return integers t with K x 2**F <= t <= K x 2**F + 2, for a `step` X with x 2**P <= X <= x 2**P + 2, P = F + cut.

    For K < 2**(cut-1): K x 2**F <= K X / 2**cut < t = floor(K X / 2**cut) + 1, and t exceeds K x 2**F by at most
    1 + 2 K / 2**cut <= 2. As exp(-a) - exp(-b) <= b - a for 0 <= a <= b, the exponential falls by at most
    2 * 2**-F = 2**-bits: `SHIFT_ERROR`.

    >>> fixed_exponents([3], fixed_step(3, 1, 13), 3)
    [1025]
    """
    return [(k * step >> cut) + 1 for k in exponents]


def linear_factors(fixed: Sequence[int], low: int, bits: int) -> list[int]:
    """Return lower bounds of exp(-u) * 2**bits, for the numbers u = (t mod 2**low) * 2**-F, F = bits + 1.

    0 <= exp(-u) - (1 - u) <= u^2 / 2 < 2**(2(low-F)) / 2 <= 2**-bits / 2 by the choice of `low_bits`; u is half an
    integer in units of 2**-bits, so rounding it up takes at most another half: `LINEAR_ERROR`.

    >>> linear_factors([1, 2], 6, 10)
    [1023, 1023]
    """
    one, mask = 1 << bits, (1 << low) - 1
    return [one - ((t & mask) + 1 >> 1) for t in fixed]


Powers: TypeAlias = LatticePowers | FixedPointPowers


def powers_of(
    denominator: int, radicand: int, bits: int, largest: int, count: int, number: Callable[[int], Any] = int
) -> Powers:
    """Return the quicker of the two kinds of powers for these sizes.

    >>> type(powers_of(5, 1, 80, 10**9, 100)).__name__, type(powers_of(10**40, 1, 80, 10**41, 100)).__name__
    ('LatticePowers', 'FixedPointPowers')
    """
    largest = min(largest, vanishing(bits, denominator, radicand))
    rounded = (largest * isqrt(radicand) << bits + 1 - low_bits(bits)) // denominator
    kind = LatticePowers if on_lattice(largest, rounded, count) else FixedPointPowers
    return kind(denominator, radicand, bits, largest, count, number)


def _step(denominator: int, radicand: int) -> Polynomial:
    return Polynomial.sqrt(radicand) * Fraction(1, denominator)


def _with_zeros(powers: Callable[[Sequence[int]], list[Any]], exponents: Sequence[int], limit: int) -> list[Any]:
    """Return the powers, with 0 for exponents from the limit on."""
    if max(exponents, default=0) < limit:
        return powers(exponents)
    near = iter(powers([k for k in exponents if k < limit]))
    return [next(near) if k < limit else 0 for k in exponents]
