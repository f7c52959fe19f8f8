"""TRUSTED. Cosines and sines of the angles of positions, as complex numbers in integers, each with its error.

A `Turn` stands for z = cos t + i sin t, |z| = 1, in units of 2**-bits. One Taylor series gives z for a small angle;
all others are products of turns, whose errors add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from symattn.exact.numerals.rational import whole_part_of_root

_SMALL = 8
"""Bits by which an angle is made smaller than 1 before its series."""
_SPARE = 32
"""Bits beyond those by which errors are foreseen to grow."""


class Turn(NamedTuple):
    """A complex number of size 1: ``|z 2**bits - (cosine + i sine)| <= error``."""

    cosine: int
    sine: int
    error: int


def times(first: Turn, second: Turn, bits: int) -> Turn:
    """Return the product of two turns in units of 2**-bits.

    With z, w of size 1 and approximations m, n: z w - m n = z (w - n) + n (z - m), and |n| <= 1 + |w - n|. So the
    errors e and f, in units u, become at most f + (1 + f u) e. Each part is cut by less than one unit, the whole by
    less than 2.

    >>> times(Turn(0, 1024, 1), Turn(0, 1024, 1), 10)
    Turn(cosine=-1024, sine=0, error=5)
    """
    (a, b, e), (c, d, f) = first, second
    return Turn(a * c - b * d >> bits, a * d + b * c >> bits, e + f + (e * f >> bits) + 3)


def turn(angle: int, bits: int) -> Turn:
    """Return the turn by an angle t >= 0 with ``angle <= t 2**bits <= angle + 1``.

    t is halved k times, to x < 2**-8, and its turn squared k times. In units u, X = angle >> k lies at most 2 below x,
    and |e^(ix) - e^(iy)| <= |x - y|. For y = X u the terms of the series are T_0 = 1 and T_n = T_(n-1) y / n, cut
    twice, which takes at most 1/n + 1 away: so T_1 lies at most 2 too low, and T_n at most 2/512 + 1/2 + 1 < 2. Behind
    the N terms before the first that is 0, the true ones are at most 2 and fall by more than half each, in all less
    than 4. So the error is less than 2 + 2 N + 4.

    >>> [round(part / 2**60, 9) for part in turn(1 << 60, 60)]
    [0.540302306, 0.841470985, 0.0]
    """
    halvings = max(angle.bit_length() - bits + _SMALL, 0)
    x, term, count = angle >> halvings, 1 << bits, 0
    parts = [0, 0, 0, 0]
    while term:
        parts[count % 4] += term
        count += 1
        term = (term * x >> bits) // count
    found = Turn(parts[0] - parts[2], parts[1] - parts[3], 2 * count + 6)
    for _ in range(halvings):
        found = times(found, found, bits)
    return found


def power(base: Turn, exponent: int, bits: int) -> Turn:
    """Return a turn, done `exponent` times.

    >>> power(Turn(0, 1024, 0), 3, 10)[:2]
    (0, -1024)
    """
    found = base if exponent else Turn(1 << bits, 0, 0)
    for digit in f"{exponent:b}"[1:]:
        found = times(found, found, bits)
        found = times(found, base, bits) if digit == "1" else found
    return found


def root_power(base: Fraction, over: Fraction, bits: int) -> int:
    """Return the floor of ``base**-over * 2**bits``, for a positive base and over >= 0.

    With over = p/q it is the floor of the q-th root of b^-p 2**(bits q), and so of the floor of that.

    >>> root_power(Fraction(100), Fraction(1, 2), 10), root_power(Fraction(10), Fraction(0), 4)
    (102, 16)
    """
    number = (base.denominator**over.numerator << bits * over.denominator) // base.numerator**over.numerator
    return whole_part_of_root(number, over.denominator)


def turns(base: Fraction, over: Fraction, start: int, count: int, bits: int) -> list[Turn]:
    """Return the turns by ``p base**-over`` for `count` positions p from `start` on, in units of 2**-bits.

    They are worked with so many bits more that their errors, of some hundred units, times the number of turns that are
    multiplied, vanish; the errors that are returned are those that came about, cut likewise and rounded up.

    >>> turns(Fraction(100), Fraction(1, 2), 0, 2, 10)  # 0.99500... and 0.09983... times 1024
    [Turn(cosine=1024, sine=0, error=0), Turn(cosine=1018, sine=102, error=3)]
    """
    size = max(base.denominator.bit_length() - base.numerator.bit_length() + 1, 0) * (int(over) + 1)
    spare = _SPARE + 2 * size + 2 * (start + count).bit_length()
    wide = bits + spare
    step = turn(root_power(base, over, wide), wide)
    each = islice(_from(power(step, start, wide), step, wide), count)
    return [Turn(c >> spare, s >> spare, (e >> spare) + 3 if e else 0) for c, s, e in each]


def _from(first: Turn, step: Turn, bits: int) -> Iterator[Turn]:
    while True:
        yield first
        first = times(first, step, bits)
