"""TRUSTED. The entropy of a softmax row, enclosed: outside the decidable theory, so digits may not settle.

For scores s with largest m, weights a_j = e^(s_j - m)/Z and Z = Σ_j e^(s_j - m), in natural units

    H = -Σ_j a_j ln a_j = ln Z + Σ_j a_j (m - s_j).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from symattn.exact.field.closed_form_length import is_long_exponent
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.decimals import round_rational
from symattn.exact.reals.enclosure import log_two
from symattn.exact.reals.sign import compare
from symattn.exact.rounding.quotients import Rounding, fixed_bounds, format_rational

MAX_BITS = 4096
"""The stated precision: digits that do not settle by then are given as an enclosure."""


def entropy(scores: Sequence[Quotient], rounding: Rounding) -> tuple[str, str]:
    """Return the entropy of the softmax of `scores`, rounded, as the strings of a lower and an upper bound.

    Scores of minus infinity have the weight 0 and add nothing. The two are the same string when the digits settled,
    which is all but certain; a value exactly on a rounding boundary would leave them different at `MAX_BITS`, and
    so would the figures of one below 2**-MAX_BITS.

    >>> entropy([Quotient.of(0), Quotient.of(0)], Rounding(places=6))  # ln 2
    ('0.693147', '0.693147')
    """
    bits = 64
    while True:
        low, high = entropy_bounds(scores, bits)
        if round_rational(low, rounding) == round_rational(high, rounding) or bits >= MAX_BITS:
            return format_rational(low, rounding), format_rational(high, rounding)
        bits *= 2


def is_zero(scores: Sequence[Quotient]) -> bool:
    """Return True if the entropy is exactly 0: one score is finite.

    >>> is_zero([Quotient.of(5)]), is_zero([Quotient.of(5), Quotient.of(-5)])
    (True, False)
    """
    return sum(score.is_finite for score in scores) == 1


def entropy_bounds(scores: Sequence[Quotient], bits: int) -> tuple[Fraction, Fraction]:
    """Return rational numbers that enclose the entropy.

    Gaps and weights before normalisation are enclosed by `fixed_bounds`. Z, ln Z and the sum of weights times gaps
    grow with them, so the ends enclose H, the mean being divided by the other end of Z; as H >= 0, the lower end is
    raised to 0.

    >>> low, high = entropy_bounds([Quotient.of(1), Quotient.of(0)], 64)
    >>> low < Fraction("0.582203108888") < high or high - low < Fraction(1, 10**12)
    True
    """
    scores = [score for score in scores if score.is_finite]
    largest = reduce(lambda best, score: score if compare(score, best) > 0 else best, scores)
    gaps = [largest - score for score in scores]
    ends = [(max(low, 0), high) for low, high in fixed_bounds(gaps, bits)]
    powers = [
        _powers(gap, Fraction(low, 1 << bits), Fraction(high, 1 << bits))
        for gap, (low, high) in zip(gaps, ends, strict=True)
    ]
    lows, highs = (fixed_bounds(own, bits) for own in zip(*powers, strict=True))
    z_low, z_high = sum(low for low, _ in lows), sum(high for _, high in highs)
    mean_low = Fraction(sum(w * gap for (w, _), (gap, _) in zip(lows, ends, strict=True)), z_high << bits)
    mean_high = Fraction(sum(w * gap for (_, w), (_, gap) in zip(highs, ends, strict=True)), z_low << bits)
    low = log_bounds(Fraction(z_low, 1 << bits), bits)[0] + mean_low
    return max(low, Fraction(0)), log_bounds(Fraction(z_high, 1 << bits), bits)[1] + mean_high


def _powers(gap: Quotient, low: Fraction, high: Fraction) -> tuple[Quotient, Quotient]:
    """Return exponentials that e to the power of -gap lies between: that itself where its closed form is short."""
    exponent = gap.polynomial()
    if exponent is not None and not is_long_exponent(exponent):
        weight = Quotient(ExpSum.exp(-exponent))
        return weight, weight
    return Quotient(ExpSum.exp(-high)), Quotient(ExpSum.exp(-low))


def log_bounds(value: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return rational numbers that enclose ln(value), value > 0, about 2**-bits apart.

    With value = y 2**k, 1 <= y < 2, and z = (y-1)/(y+1) in [0, 1/3), ln value = 2 artanh(z) + k ln 2. In
    units of 2**-W, W = bits + 16: Z = floor(z 2**W) is low by less than 1. Each power P_j of the series
    Σ z^(2j+1)/(2j+1) is P_(j-1) Z Z floored twice; with z < 1/3 it is low by less than 2 units, by
    induction: 2/9 + 2 (1/3) + 1 < 2. A quotient by 2j+1 >= 1 is then low by less than 3. Summation stops
    at the first P_j = 0; what is left, powers below 2 units that fall by 9 each time, is less than 3. At most
    W/3 + 2 terms were summed (9**j > 2**W ends them), so the sum is low by less than W + 9 units, and twice
    it by less than 2 W + 18. `log_two` gives L <= ln 2 2**W <= L + 2.

    >>> low, high = log_bounds(Fraction(3), 64)
    >>> low < Fraction("1.09861228866810969139524523692") < high, high - low < Fraction(1, 10**20)
    (True, True)
    """
    wide = bits + 16
    k = value.numerator.bit_length() - value.denominator.bit_length()
    y = value / 2**k if k >= 0 else value * 2**-k
    if y < 1:
        y, k = y * 2, k - 1
    z = (y - 1) / (y + 1)
    fixed = (z.numerator << wide) // z.denominator
    power, total, odd = fixed, 0, 1
    while power:
        total += power // odd
        power = (power * fixed >> wide) * fixed >> wide
        odd += 2
    two = log_two(wide)
    low = 2 * total + (k * two if k >= 0 else k * (two + 2))
    high = 2 * total + 2 * wide + 18 + (k * (two + 2) if k >= 0 else k * two)
    return Fraction(low, 1 << wide), Fraction(high, 1 << wide)
