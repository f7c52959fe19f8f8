"""TRUSTED. Errors of floats in units of the last place, from bounds of the values that they stand for.

All is decided by integers. A value lies between low and low + width in units of 2**-bits; where both ends have one
unit in the last place, one nearest float and one bin of errors, these are its own. The other entries are disputed, and
are left to exact values: those next to a tie, to a power of two, or to the computed float itself.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction

from symattn.exact.numerals.decimals import Rounding, write
from symattn.exact.rounding.floats import Format, decode, magnitude_parts
from symattn.exact.rows.enclosed_rows import Bounds
from symattn.records import dataclass

ERROR_BITS = 60
"""Errors are integers over 2**ERROR_BITS."""
SLACK = 4
"""Units by which such an integer is off at most."""
GUARD_BITS = ERROR_BITS + 20
"""Bits beyond the precision of a format that bounds of values near 1 should have."""

EDGES = tuple(Fraction(edge) for edge in ("0", "1/2", "1", "2", "4", "8", "16", "32", "64", "256", "1024"))
"""The ends of the bins of errors; what is larger than the last one has a bin of its own."""
NO_NUMBER = len(EDGES) + 1
"""The bin of errors where only one of the two values is a number."""

FIGURES = Rounding(figures=3)
"""The rounding of errors as text."""

_HALVES = [int(2 * edge) for edge in EDGES]
_BINS = bytes(bisect_left(_HALVES, count) for count in range(_HALVES[-1] + 2))
_LEAST_POWER = -20
_POWERS = [-(-(Fraction(10) ** k * 2**ERROR_BITS) // 1) for k in range(_LEAST_POWER, 60)]


@dataclass(frozen=True, slots=True)
class RowErrors:
    """The entries of one row, as far as their bounds tell.

    Attributes:
        nearest: the patterns of the nearest floats.
        errors: computed less certified over 2**`ERROR_BITS`, within `SLACK`; 0 where one is not a number.
        bins: the numbers of their bins.
        disputed: the entries, counted from 0, of which the others say nothing.
    """

    nearest: array[int]
    errors: list[int]
    bins: bytearray
    disputed: list[int]

    @classmethod
    def disputing(cls, count: int) -> RowErrors:
        """Return a row of so many entries, all of them disputed."""
        return cls(array("Q", bytes(8 * count)), [0] * count, bytearray(count), list(range(count)))


class Measure:
    """Measurement of floats of one format against bounds in units of 2**-bits.

    >>> from symattn.exact.rounding.floats import FORMATS
    >>> third = Bounds([(1 << 100) // 3], 1)
    >>> found = Measure(FORMATS["float16"], 100).row(third, [0x3555])
    >>> hex(found.nearest[0]), error_text(found.errors[0]), EDGES[found.bins[0]], found.disputed
    ('0x3555', '-0.333', Fraction(1, 2), [])
    """

    def __init__(self, form: Format, bits: int) -> None:
        """Make the measure of one format and scale."""
        self._form, self._bits = form, bits
        self._numbers: dict[int, int | None] = {}

    def row(self, bounds: Bounds, patterns: Sequence[int]) -> RowErrors:
        """Measure one row."""
        lows, width = bounds
        nearest, errors, bins, disputed = array("Q", bytes(8 * len(lows))), [0] * len(lows), bytearray(len(lows)), []
        numbers = self._numbers
        for j, (low, pattern) in enumerate(zip(lows, patterns, strict=True)):
            if pattern not in numbers:
                numbers[pattern] = self._number(pattern)
            found = self._entry(low or 0, 0 if low is None else width, pattern, numbers[pattern])
            if found is None:
                disputed.append(j)
            else:
                nearest[j], errors[j], bins[j] = found
        return RowErrors(nearest, errors, bins, disputed)

    def _number(self, pattern: int) -> int | None:
        """Return the number of a pattern in units of 2**-bits; None where it is none, or not a multiple of the unit."""
        size = pattern & (self._form.sign_bit - 1)
        if size >= self._form.infinity:
            return None
        m, exponent = magnitude_parts(size, self._form)
        shift = exponent + self._bits
        if shift < 0:
            return None if m else 0
        return -(m << shift) if pattern & self._form.sign_bit else m << shift

    def _entry(self, low: int, width: int, pattern: int, number: int | None) -> tuple[int, int, int] | None:
        """Return the nearest float, the error and its bin; None where the bounds do not tell.

        With the unit 2**k of the last place, and low <= v <= low + width, the error (number - v) 2**(60 - k) lies
        within (width / 2 + 1) 2**(60 - k) <= 2 of that of the middle, rounded down, as width <= 2**(k - 59): it is
        off by less than 3, less than `SLACK`.
        """
        form, high = self._form, low + width
        first, last = (low, high) if low >= 0 else (-high, -low) if high <= 0 else (0, max(-low, high))
        exponent = last.bit_length() - 1 - self._bits
        if exponent > form.emin and first.bit_length() != last.bit_length():
            return None
        exponent = min(max(exponent, form.emin), form.emax)
        unit = exponent - form.precision + 1 + self._bits
        if unit < ERROR_BITS or width > 2 << unit - ERROR_BITS:
            return None
        half = 1 << unit - 1
        rounded = last + half >> unit
        if first + half - 1 >> unit != rounded:
            return None
        nearest = min((exponent - form.emin << form.precision - 1) + rounded, form.infinity)
        if nearest and low < 0:
            nearest |= form.sign_bit
        if number is None:
            return self._word(pattern, nearest)
        error = number - low - (width >> 1) >> unit - ERROR_BITS
        size = abs(error)
        if size <= SLACK:
            return (nearest, 0, 0) if not (width or number or low) else None
        least, most = (-(-end >> ERROR_BITS - 1) for end in (size - SLACK, size + SLACK))
        found = _BINS[min(least, len(_BINS) - 1)]
        if least != most and _BINS[min(most, len(_BINS) - 1)] != found:
            return None
        return nearest, error, found

    def _word(self, pattern: int, nearest: int) -> tuple[int, int, int] | None:
        """Return the same where the float is infinite or not a number; None where its number is too fine."""
        if pattern & (self._form.sign_bit - 1) < self._form.infinity:
            return None
        return nearest, 0, 0 if decode(pattern, self._form) == decode(nearest, self._form) else NO_NUMBER


def error_text(error: int) -> str:
    """Return an error to 3 figures, signed; empty where its `SLACK` leaves them open.

    >>> error_text(3 << 59), error_text(-(1 << 40)), error_text(0)
    ('1.50', '-9.54e-7', '')
    """
    size = abs(error)
    places = 3 - _LEAST_POWER - bisect_right(_POWERS, size)
    if size <= SLACK or size >= _POWERS[-1]:
        return ""
    up, down = 10 ** max(places, 0), 10 ** max(-places, 0) << ERROR_BITS
    first, last = ((2 * (size + end) * up + down) // (2 * down) for end in (-SLACK, SLACK))
    if first != last:
        return ""
    return write(-first if error < 0 else first, places, FIGURES)
