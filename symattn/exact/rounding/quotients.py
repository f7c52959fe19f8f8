"""TRUSTED. Correct rounding of quotients of exponential sums, by proof.

A value is enclosed. If the whole enclosure rounds to one number, that is the answer. If one boundary tau
lies in it, the sign of numerator - tau * denominator tells the side, and zero means that the value is tau
itself: a saturated row comes within e^-gap of a boundary, where more digits of the quotient would never
end, and the sign costs the same at every gap. Otherwise the precision is doubled.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from symattn.errors import EffortError, InputError, SymbolicValueError, UndecidedError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.decimals import (
    MAX_PLACES,
    TIES,
    Rounding,
    as_fraction,
    format_rational,
    is_rounded,
    is_tie,
    round_rational,
    write,
)
from symattn.exact.numerals.integer_text import natural_text
from symattn.exact.reals import constants
from symattn.exact.reals.enclosure import Ball, Exponentials, power_of_ten
from symattn.exact.reals.sign import sign

__all__ = [
    "TIES",
    "FixedBounds",
    "Rounding",
    "decimal",
    "decimals",
    "fixed_bounds",
    "format_rational",
    "is_rounded",
    "round_exact",
    "round_value",
    "rounded_indices",
    "tie",
]

_Interval: TypeAlias = tuple[int, int, int]
"""(low, high, exp) with low * 2**exp < value < high * 2**exp."""

_MAX_SCALE = 20_000  # powers of ten up to this are written out when a boundary is compared with
_EXACT = 4 * MAX_PLACES  # bits for which `power_of_ten` is exact at all places
_MAX_BITS = 3_300_000  # a million digits
_GUARD = 40
_TOO_LARGE = "A value is too large to be bounded by integers: ask for its figures."
_GUESSES = 40
_MAX_EXPONENT_BITS = 900  # bits of the exponent of a value in figures: each guess settles 26 of them


def round_exact(q: Quotient | Fraction, rounding: Rounding, *, most: int = _MAX_BITS) -> Fraction:
    """Return the correctly rounded value as a rational.

    Args:
        q: the value.
        rounding: how it is rounded.
        most: bits before the point, and about as many behind it, beyond which a value is too large or too small.

    Raises:
        SymbolicValueError: the value has a free symbol.
        EffortError: the value is so large or so small that its digits cannot be written out.
        InputError: it is not a number.

    >>> round_exact(Quotient(ExpSum.exp(1)), Rounding(places=3))
    Fraction(1359, 500)
    """
    index, places = _Rounder(rounding, most).round(Quotient.of(q))
    if abs(places) * 3 > most:
        raise EffortError("A value is too large or small to be written out as a fraction: ask for its figures.")
    return as_fraction(index, places)


def round_value(q: Quotient, rounding: Rounding, *, most: int = _MAX_BITS) -> Quotient:
    """Return the correctly rounded value; minus infinity and what is undefined stay what they are.

    Raises:
        SymbolicValueError: the value has a free symbol.
        EffortError: the value is so large or so small that its digits cannot be written out; `most` as above.

    >>> str(round_value(Quotient.of("2/3"), Rounding(places=2)))
    '67/100'
    """
    value = q.plain_rational() if q.is_finite else None
    is_kept = not q.is_finite if value is None else is_rounded(value, rounding)
    return q if is_kept else Quotient.of(round_exact(q, rounding, most=most))


def decimal(q: Quotient | Fraction, rounding: Rounding, *, most: int = _MAX_BITS) -> str:
    """Return the correctly rounded value as text; every digit is certified. Other values are ``-inf`` or ``-``.

    Digits behind constants that do not settle are an enclosure, ``[0.99, 1.01] (not settled)``.

    Raises:
        SymbolicValueError: the value has a free symbol.
        EffortError: the value has too many digits before the point; `most` bits, as above.

    >>> decimal(Quotient(ExpSum.exp(-28)), Rounding(figures=4)), decimal(Fraction(-1, 3), Rounding(places=0))
    ('6.914e-13', '0')
    """
    return _text(_Rounder(rounding, most), Quotient.of(q), rounding)


def decimals(values: Iterable[Quotient], rounding: Rounding) -> list[str]:
    """Return the texts of many values that share exponentials.

    >>> e = ExpSum.exp(1)
    >>> decimals([Quotient(1, e), Quotient(e, 2)], Rounding(places=3))
    ['0.368', '1.359']
    """
    rounder = _Rounder(rounding)
    return [_text(rounder, value, rounding) for value in values]


def _text(rounder: _Rounder, value: Quotient, rounding: Rounding) -> str:
    if not value.is_finite:
        return str(value)
    try:
        return write(*rounder.round(value), rounding)
    except UndecidedError:
        return constants.unsettled(value, rounding)


def rounded_indices(values: Iterable[Quotient], rounding: Rounding) -> list[tuple[int, int]]:
    """Return the rounded values as pairs (index, places), each ``index * 10**-places``.

    >>> rounded_indices([Quotient.of("2/3")], Rounding(places=2))
    [(67, 2)]
    """
    rounder = _Rounder(rounding)
    return [rounder.round(value) for value in values]


def magnitude(q: Quotient) -> int:
    """Return the exponent of ten of the first significant digit, rounded to one figure; 0 for zero.

    Where a digit behind constants does not settle, that of the upper end of the enclosure of its size.

    >>> magnitude(Quotient.of(2500)), magnitude(Quotient(ExpSum.exp(-100)))
    (3, -44)
    """
    try:
        ((index, places),) = rounded_indices([q], Rounding(figures=1))
    except UndecidedError:
        return constants.magnitude(q)
    return 0 if index == 0 else len(natural_text(abs(index))) - 1 - places


def tie(q: Quotient | Fraction, rounding: Rounding) -> bool:
    """Return whether the value lies exactly half way between two neighbours at that rounding.

    Only a rational can, and those are recognised exactly.

    >>> tie(Quotient.of("0.125"), Rounding(places=2)), tie(Quotient(ExpSum.exp(1)), Rounding(places=2))
    (True, False)
    """
    value = Quotient.of(q).rational()
    return value is not None and is_tie(value, rounding)


def fixed_bounds(values: Iterable[Quotient], bits: int) -> list[tuple[int, int]]:
    """Return integers (L, H) with L <= value * 2**bits <= H for each value; values that share exponentials are quick.

    The bounds are absolute, so a value of any smallness has them: floor and ceiling of the ends of its
    enclosure, which has `bits` bits after the first and some in reserve.

    Raises:
        SymbolicValueError: a value has a free symbol.
        EffortError: a value is too large to be bounded by integers.

    >>> fixed_bounds([Quotient.of("1/3"), Quotient(ExpSum.exp(-(10**9)))], 4)
    [(5, 6), (0, 1)]
    """
    return list(map(FixedBounds(bits), values))


class FixedBounds:
    """The bounds of `fixed_bounds`, for values that come one after the other.

    Args:
        bits: bits after the point.
        most: bits before it, about, beyond which a value is too large.
    """

    def __init__(self, bits: int, *, most: int | None = None) -> None:
        self._bits = bits
        self._most = _MAX_BITS if most is None else bits + most
        self._enclosures = _Enclosures(bits + _GUARD)

    def __call__(self, value: Quotient) -> tuple[int, int]:
        """Return integers (L, H) with L <= value * 2**bits <= H.

        Raises:
            SymbolicValueError: the value has a free symbol.
            EffortError: the value is too large to be bounded by integers.
        """
        rational = value.rational()
        if rational is not None:
            scaled = rational.numerator << self._bits
            return scaled // rational.denominator, -(-scaled // rational.denominator)
        enclosures = self._enclosures
        try:
            interval = enclosures.interval(value)
        except SymbolicValueError:
            return self._of_constants(value)
        while interval is None:
            enclosures = _Enclosures(2 * enclosures.bits)
            interval = enclosures.interval(value)
        low, high, exp = interval
        shift = exp + self._bits
        if shift > self._most:
            raise EffortError(_TOO_LARGE)
        if shift >= 0:
            return low << shift, high << shift
        return low >> -shift, -(-high >> -shift)

    def _of_constants(self, value: Quotient) -> tuple[int, int]:
        """Return bounds of a value with constants; one further out, so that it lies strictly between, as others do."""
        low, high = constants.fixed_bounds(value, self._bits)
        ends = low - 1, high + 1
        if max(end.bit_length() for end in ends) > self._most:
            raise EffortError(_TOO_LARGE)
        return ends


class _Enclosures:
    """Enclosures of quotients at one precision; exponentials and denominators are computed once."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._table = Exponentials(bits)
        self._bottoms: dict[int, tuple[ExpSum, Ball]] = {}  # by id; a sum that is held keeps its id

    def interval(self, q: Quotient) -> _Interval | None:
        """Return strict bounds of q, or None where the enclosure of its denominator holds zero."""
        if not q.is_closed:
            raise SymbolicValueError("A number without a closed form is enclosed elsewhere.")
        known = self._bottoms.get(id(q.denominator))
        if known is None:
            known = q.denominator, self._table.sum(q.denominator)
            self._bottoms[id(q.denominator)] = known
        bottom = known[1]
        if not bottom.excludes_zero:
            return None
        top = self._table.sum(q.numerator)
        return _divide(top, bottom, q.denominator.integers[1], q.numerator.integers[1], self.bits)


def _divide(top: Ball, bottom: Ball, above: int, below: int, bits: int) -> _Interval:
    """Return strict bounds of (top * above) / (bottom * below), for a bottom that excludes zero.

    Each end of the numerator is divided by the end of the denominator that moves it outward, rounded
    outward, and moved by one more unit so that the bounds are strict.
    """
    n, r, d, s = top.mid * above, top.rad * above, bottom.mid * below, bottom.rad * below
    if d < 0:
        n, d = -n, -d
    shift = max(bits + 2 + d.bit_length() - n.bit_length(), 0)
    low, high = (n - r) << shift, (n + r) << shift
    low = low // (d + s if low >= 0 else d - s)
    high = -(-high // (d - s if high >= 0 else d + s))
    return low - 1, high + 1, top.exp - bottom.exp - shift


class _Rounder:
    """Rounding of values one after the other; exponentials are computed once for each precision that is needed."""

    def __init__(self, rounding: Rounding, most: int = _MAX_BITS) -> None:
        self.rounding = rounding
        self._most = most
        self._first_bits = (rounding.places or rounding.figures or 0) * 10 // 3 + _GUARD
        self._enclosures: dict[int, _Enclosures] = {}

    def round(self, q: Quotient) -> tuple[int, int]:
        """Return (index, places) of the correctly rounded value.

        Rationals are rounded as such. Any other value differs from every boundary, so an enclosure excludes all
        boundaries at some precision, if no sign settles it before: the loop ends.

        Raises:
            SymbolicValueError: the value has a free symbol.
            UndecidedError: it has constants, and its digits do not settle.
        """
        if not q.is_finite:
            raise InputError(f"{q} is not a number, so it cannot be written in digits: leave it out.")
        value = q.rational()
        if value is not None:
            return round_rational(value, self.rounding)
        try:
            return self._settled(q)
        except SymbolicValueError:
            return constants.rounded_index(q, self.rounding)

    def _settled(self, q: Quotient) -> tuple[int, int]:
        by = self._by_places if self.rounding.figures is None else self._by_figures
        bits = self._first_bits
        while True:
            if bits not in self._enclosures:
                self._enclosures[bits] = _Enclosures(bits)
            interval = self._enclosures[bits].interval(q)
            if interval is not None:
                settled = by(q, interval)
                if settled is not None:
                    return settled
            bits *= 2

    def _by_places(self, q: Quotient, interval: _Interval) -> tuple[int, int] | None:
        places = self.rounding.places or 0
        low, high, exp = interval
        if low * high > 0 and exp + min(abs(low), abs(high)).bit_length() > self._most:
            digits = self._most * 3 // 10
            raise EffortError(f"A value has more than {digits} digits before the point: ask for significant figures.")
        index = self._cell(q, _scaled(interval, power_of_ten(places, _EXACT)), places)
        return None if index is None else (index, places)

    def _by_figures(self, q: Quotient, interval: _Interval) -> tuple[int, int] | None:
        """Round with the spacing that belongs to the end nearer to zero.

        If a power of ten lies in the interval, values above it are rounded ten times too finely; that is
        harmless when they become that power of ten (they are nearer to it than half the finer, hence half
        the coarser spacing; cut off, they become it either way), and anything beyond it is not accepted.
        """
        low, high, _ = interval
        if low * high <= 0:
            return None
        figures = self.rounding.figures or 0
        places = self._find_places(interval, figures)
        if places is None:
            return None
        index = self._cell(q, _scaled(interval, self._ten(places)), places)
        return None if index is None or abs(index) > 10**figures else (index, places)

    def _find_places(self, interval: _Interval, figures: int) -> int | None:
        """Return the places for which the end nearer to zero has `figures` digits before the point.

        The logarithm of 2 is replaced by 0.30103, so a guess is off by less than 10^-8 of the exponent that
        it is made from, rounded; the bits that are left tell by how much. None where the guesses do not
        settle, which can happen next to a power of ten only, and there higher precision helps.

        Raises:
            EffortError: the exponent itself is so long that guesses would never settle.
        """
        low, high, exp = interval
        near = min(abs(low), abs(high))
        if exp.bit_length() > _MAX_EXPONENT_BITS:
            raise EffortError(
                "The exponent of ten of a value has hundreds of digits, too many to be written: "
                "ask for places (places = 4), or take smaller numbers."
            )
        places = figures - 1 - (near.bit_length() + exp) * 30103 // 100000
        for _ in range(_GUESSES):
            start, end, scale = _scaled(interval, self._ten(places))
            size = min(abs(start), abs(end))
            step = figures - 1 - (size.bit_length() + scale - 1) * 30103 // 100000
            if abs(step) <= 1:
                floor = _shift(size, scale)
                step = (floor < 10 ** (figures - 1)) - (floor >= 10**figures)
                if not step:
                    return places
            places += step
        return None

    def _ten(self, places: int) -> Ball:
        return power_of_ten(places, max(self._enclosures) + _GUARD)

    def _cell(self, q: Quotient, scaled: _Interval, places: int) -> int | None:
        """Return the integer that q * 10**places rounds to, or None where the interval is too wide.

        Cells of the half rules are [a - 1/2, a + 1/2), those of cutting off [a, a + 1). The lower bound is
        strict, so a value whose bounds lie in one cell lies inside it, where all half rules agree.
        """
        low, high, exp = scaled
        cut = self.rounding.ties == "truncate"
        if cut:
            first, last = _shift(low, exp), _shift(high, exp)
        else:
            first, last = (_shift(low, exp + 1) + 1) // 2, (_shift(high, exp + 1) + 1) // 2
        if last - first > 1:
            return None
        if first < last and not (cut and last == 0):
            side = self._side(q, last if cut else last - Fraction(1, 2), places)
            if side is None:
                return None
            if side == 0:
                raise ArithmeticError("a value that is not rational cannot lie on a boundary")
            if side > 0:
                first = last
        return first + 1 if cut and first < 0 else first

    def _side(self, q: Quotient, boundary: Fraction | int, places: int) -> int | None:
        """Return the sign of q * 10**places - boundary, by that of an exact sum; None if 10**places is too long."""
        if abs(places) > _MAX_SCALE:
            return None
        tau = Fraction(boundary) / Fraction(10) ** places
        return sign(q.numerator - q.denominator * tau) * sign(q.denominator)


def _scaled(interval: _Interval, factor: Ball) -> _Interval:
    """Return strict bounds of a value times a positive factor."""
    low, high, exp = interval
    small, large = factor.mid - factor.rad, factor.mid + factor.rad
    return (
        low * (small if low >= 0 else large),
        high * (large if high >= 0 else small),
        exp + factor.exp,
    )


def _shift(n: int, exp: int) -> int:
    """Return floor(n * 2**exp), without a shift by more bits than there are."""
    return n << exp if exp >= 0 else n >> min(-exp, n.bit_length() + 1)
