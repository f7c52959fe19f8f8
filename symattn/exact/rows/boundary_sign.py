"""TRUSTED. Side of a boundary on which an average with softmax weights of integers lies, by an exact sign.

An average is sum v_j exp(-K_j x) / sum exp(-K_j x), with integers K_j and x = sqrt(radicand) / denominator. It lies
above tau = t / b as the sum of (v_j b - t) exp(-K_j x) is positive. Equal exponents are collected. By the theorem of
Lindemann and Weierstrass (see `symattn.exact.field.expsum`) the sum is zero exactly when all its coefficients are,
and any other has its sign found by enclosures of growing precision, over the largest exponential that is left in
it. So the cost does not depend on how far the exponents lie apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from symattn.exact.rows.powers import Powers, powers_of, vanishing

_POWERS = 64
"""The number of powers of one precision that is foreseen; any number can be asked for."""


class Sides:
    """Signs of sums over one step x; powers of one precision share their tables.

    >>> sides = Sides(1, 1, 64)
    >>> sides.sign([(0, 1), (1, -3), (0, 0)]), sides.sign([(5, 2), (5, -2)])  # 1 - 3/e, 0
    (-1, 0)
    """

    def __init__(self, denominator: int, radicand: int, bits: int) -> None:
        """Make signs that are looked for with `bits` bits first."""
        self._step = denominator, radicand
        self._bits = bits
        self._powers: dict[int, Powers] = {}

    def sign(self, terms: Iterable[tuple[int, int]]) -> int:
        """Return the sign of the sum of c exp(-K x) over the pairs (K, c)."""
        collected: dict[int, int] = {}
        for k, c in terms:
            collected[k] = collected.get(k, 0) + c
        exponents = [k for k, c in collected.items() if c]
        if not exponents:
            return 0
        first = min(exponents)
        coefficients = [collected[k] for k in exponents]
        exponents = [k - first for k in exponents]
        bits = self._bits
        while True:
            low, high = self._bounds(exponents, coefficients, bits)
            if low > 0:
                return 1
            if high < 0:
                return -1
            bits *= 2

    def _bounds(self, exponents: list[int], coefficients: list[int], bits: int) -> tuple[int, int]:
        """Return bounds of the sum in units of 2**-bits.

        A power is E + d with 0 <= d <= error, so its term is c E + c d: negative coefficients move the sum down by
        at most error * |c|, positive ones up by at most error * c.
        """
        powers = self._powers.get(bits)
        if powers is None:
            powers = self._powers[bits] = powers_of(*self._step, bits, vanishing(bits, *self._step), _POWERS)
        total = sum(c * e for c, e in zip(coefficients, powers(exponents), strict=True))
        below = sum(c for c in coefficients if c < 0)
        above = sum(c for c in coefficients if c > 0)
        return total + powers.error * below, total + powers.error * above
