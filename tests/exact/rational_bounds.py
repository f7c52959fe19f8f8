"""Rational numbers between which exact and computable numbers lie."""

from __future__ import annotations

from fractions import Fraction

from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.certified_digits import ball_bounds
from symattn.exact.reals.computable import Real
from symattn.exact.rounding.quotients import fixed_bounds


def bounds(q: Quotient, bits: int) -> tuple[Fraction, Fraction]:
    """Certified bounds whose difference is at most 2**-bits times the value."""
    value = q.rational()
    if value is not None:
        return value, value
    working = bits
    while True:
        working *= 2
        ((low, high),) = fixed_bounds([q], working)
        if low * high > 0 and (high - low) << bits <= min(abs(low), abs(high)):
            return Fraction(low, 1 << working), Fraction(high, 1 << working)


def bounds_of_real(value: Real, bits: int) -> tuple[Fraction, Fraction] | None:
    """Bounds from one evaluation with `bits` bits; None where the ball is not finite."""
    if value.exact is not None:
        return value.exact, value.exact
    ball = value(bits)
    return ball_bounds(ball, bits) if ball.is_finite() else None
