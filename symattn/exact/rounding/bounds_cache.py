"""TRUSTED. Bounds of values that are asked about again and again, kept while their owner lives.

A value is enclosed once, between two integers over a power of two. A question (on which side of a number, what
it rounds to) is answered by these integers where both say the same, and else exactly. So an answer never
depends on what was asked before; only how long it takes does.
"""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import EffortError, InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.decimals import as_fraction, write
from symattn.exact.reals.sign import compare
from symattn.exact.rounding.quotients import FixedBounds, Rounding, decimal, round_exact
from symattn.records import dataclass

_BITS = 128
"""Bits after the point: enough for every digit that is printed of a float of 64 bits near 1."""

_MOST_BITS = 4_000
"""Bits before the point, those of the longest numeral that is read, up to which digits are worked out at all."""

_MOST_VALUES = 30_000


@dataclass(frozen=True, slots=True)
class _Kept:
    """A value that is held, so that its id stays its own: as a rational, or ``low <= value * 2**_BITS <= high``.

    Bounds are those of a value that is not rational, so it is neither of them: it lies strictly between.
    """

    value: Quotient
    is_symbolic: bool
    rational: Fraction | None
    bounds: tuple[int, int] | None


class KeptBounds:
    """Answers questions about values, and keeps their bounds.

    >>> kept = KeptBounds()
    >>> third = Quotient.of("1/3")
    >>> kept.side(third, Fraction(1, 2)), kept.decimal(third, Rounding(places=3))
    (-1, '0.333')
    """

    def __init__(self) -> None:
        self._bounds = FixedBounds(_BITS, most=_MOST_BITS)
        self._kept: dict[int, _Kept] = {}

    def is_symbolic(self, value: Quotient) -> bool:
        """Return whether the value has a free symbol."""
        return self._of(value).is_symbolic

    def rational(self, value: Quotient) -> Fraction | None:
        """Return the value if it is a rational number, recognised exactly."""
        return self._of(value).rational

    def side(self, value: Quotient, boundary: Fraction) -> int:
        """Return the sign of value - boundary.

        Raises:
            SymbolicValueError: the value has a free symbol.
        """
        kept = self._of(value)
        if kept.rational is not None:
            return (kept.rational > boundary) - (kept.rational < boundary)
        if kept.bounds is not None:
            low, high = kept.bounds
            scaled = boundary.numerator << _BITS
            if low * boundary.denominator >= scaled:
                return 1
            if high * boundary.denominator <= scaled:
                return -1
        return compare(value, Quotient.of(boundary))

    def is_below(self, value: Quotient, limit: int) -> bool:
        """Return whether the bounds show that the value is smaller in size than a number; a no proves nothing."""
        kept = self._of(value)
        if kept.rational is not None:
            return abs(kept.rational) < limit
        return kept.bounds is not None and max(abs(end) for end in kept.bounds) < limit << _BITS

    def round_exact(self, value: Quotient, rounding: Rounding) -> Fraction:
        """Return the correctly rounded value as a rational, as `rounding.round_exact` finds it.

        Raises:
            SymbolicValueError: the value has a free symbol.
            EffortError: the value has more digits than any numeral that is read.
        """
        index = self._index(value, rounding)
        if index is None:
            return round_exact(value, rounding, most=_MOST_BITS)
        return as_fraction(index, rounding.places or 0)

    def round_value(self, value: Quotient, rounding: Rounding) -> Quotient:
        """Return the value for further use where it is rounded.

        One with more digits than any numeral that is read stays as it is: no digit that anybody sees is changed.

        Raises:
            SymbolicValueError: the value has a free symbol.
        """
        try:
            return Quotient.of(self.round_exact(value, rounding))
        except EffortError:
            return value

    def rounds_to(self, value: Quotient, number: Fraction, rounding: Rounding) -> bool:
        """Return whether the correctly rounded value is a number; of one that lies far off, no digit is worked out.

        Raises:
            SymbolicValueError: the value has a free symbol.
        """
        reach = Fraction(1, 10**rounding.places) if rounding.places is not None else abs(number)
        if self.side(value, number - reach) < 0 or self.side(value, number + reach) > 0:
            return False
        return self.round_exact(value, rounding) == number

    def decimal(self, value: Quotient, rounding: Rounding) -> str:
        """Return the correctly rounded value as text, as `rounding.decimal` finds it.

        Raises:
            SymbolicValueError: the value has a free symbol.
            EffortError: the value has more digits before the point than any numeral that is read.
        """
        index = self._index(value, rounding)
        if index is None:
            return decimal(value, rounding, most=_MOST_BITS)
        return write(index, rounding.places or 0, rounding)

    def _of(self, value: Quotient) -> _Kept:
        kept = self._kept.get(id(value))
        if kept is None:
            kept = self._found(value)
            if len(self._kept) >= _MOST_VALUES:
                self._kept.clear()
                self._bounds = FixedBounds(_BITS, most=_MOST_BITS)
            self._kept[id(value)] = kept
        return kept

    def _found(self, value: Quotient) -> _Kept:
        is_symbolic = bool(value.symbols)
        rational = value.rational()
        if rational is not None or is_symbolic:
            return _Kept(value, is_symbolic, rational, None)
        try:
            return _Kept(value, is_symbolic, None, self._bounds(value))
        except InputError:  # too large; whatever is asked is found without bounds
            return _Kept(value, is_symbolic, None, None)

    def _index(self, value: Quotient, rounding: Rounding) -> int | None:
        """Return the integer that value * 10**places rounds to; None where the bounds do not tell, or none are kept.

        The value lies strictly between its bounds and on no boundary: all rules for ties agree, and a value
        whose bounds have no boundary between them rounds to the integer that belongs there.
        """
        kept, places = self._of(value), rounding.places
        if kept.bounds is None or places is None:
            return None
        ten: int = 10**places
        low, high = (end * ten for end in kept.bounds)
        if rounding.ties == "truncate":
            first, last = low >> _BITS, (high - 1) >> _BITS
            nearest = first + 1 if first < 0 else first
        else:
            half = 1 << (_BITS - 1)
            first, last = (low + half) >> _BITS, (high - 1 + half) >> _BITS
            nearest = first
        return nearest if first == last else None
