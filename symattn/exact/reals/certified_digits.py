"""TRUSTED. Digits and order of numbers outside the decidable theory, each certified by an Arb enclosure.

Digits are printed only where both ends of an enclosure round to them; what does not settle within a stated
number of bits is an enclosure that says so. The numbers are made in `certified_reals`; the laws of scores
and weights in `certified_laws`, thresholds of softmax rows in `certified_softmax`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.errors import EffortError, InputError
from symattn.exact.numerals.decimals import (
    MAX_PLACES,
    Rounding,
    as_fraction,
    format_rational,
    leading_exponent,
    round_rational,
    write,
)
from symattn.exact.reals.computable import (
    Phi,
    Real,
    RealLike,
    cos,
    erf,
    erfc,
    exp,
    inverse,
    known,
    log,
    logit,
    pi,
    precision,
    product,
    real,
    sin,
    sqrt,
    tanh,
    total,
)
from symattn.records import dataclass

if TYPE_CHECKING:
    import flint
else:
    flint = late.module("flint")

__all__ = [
    "MAX_BITS",
    "CertifiedDigits",
    "Phi",
    "Real",
    "RealLike",
    "ball_bounds",
    "cos",
    "decimal",
    "erf",
    "erfc",
    "exp",
    "figures",
    "inverse",
    "is_less",
    "known",
    "log",
    "logit",
    "pi",
    "precision",
    "product",
    "real",
    "sin",
    "sqrt",
    "tanh",
    "total",
]

MAX_BITS = 4096
"""The bits beyond those of the digits themselves after which digits count as not settled."""

_GUARD = 64
_MORE = 10  # digits of a printed enclosure beyond those that were asked for
_LONGEST = 3_300_000  # bits before or after the point that are written out: a million digits


@dataclass(frozen=True, slots=True)
class CertifiedDigits:
    """A rounded number: its text, whether its digits are proved, and bounds that hold it.

    `enclosure` has a lower and an upper bound as decimal numerals, rounded outward; None where not even a
    finite enclosure was found. The text of digits that did not settle is that enclosure, marked as such.
    """

    text: str
    is_settled: bool
    enclosure: tuple[str, str] | None


def ball_bounds(ball: Any, bits: int) -> tuple[Fraction, Fraction]:
    """Return the ends of a finite ball as rationals, rounded outward to `bits` bits.

    Raises:
        InputError: an end is too large or too small to be written as a fraction.
    """
    with precision(bits):
        return _dyadic(ball.lower()), _dyadic(ball.upper())


def fixed_ends(ball: Any, working: int, bits: int) -> tuple[int, int]:
    """Return integers between which all of a finite ball lies in units of 2**-bits, its ends rounded outward.

    The ends are first rounded outward to `working` bits.

    Raises:
        EffortError: an end is too large to be written out.

    >>> fixed_ends(exp(1)(64), 64, 10)  # 2.71828 times 1024 is 2783.5
    (2783, 2784)
    """
    with precision(working):
        ends = ball.lower().man_exp(), ball.upper().man_exp()
    (low, low_shift), (high, high_shift) = ((int(mantissa), int(exponent) + bits) for mantissa, exponent in ends)
    if max(low_shift, high_shift) > _LONGEST:
        raise EffortError("A value is too large to be bounded by integers: ask for its figures.")
    return _shifted(low, low_shift), -_shifted(-high, high_shift)


def _shifted(number: int, by: int) -> int:
    return number << by if by >= 0 else number >> -by


def _dyadic(end: Any) -> Fraction:
    mantissa, exponent = (int(part) for part in end.man_exp())
    if abs(exponent) > _LONGEST:
        raise EffortError("A value is too large or too small to be bounded by fractions: ask for its figures.")
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def is_less(left: RealLike, right: RealLike, limit: int = MAX_BITS) -> bool | None:
    """Return whether left < right; None where `limit` bits do not tell, as for equal numbers that are not known to be.

    >>> is_less(pi(), "22/7"), is_less(exp(log(2)), 2, limit=256)
    (True, None)
    """
    first, second = real(left), real(right)
    if first.exact is not None and second.exact is not None:
        return first.exact < second.exact
    bits = min(_GUARD, limit)
    while True:
        x, y = first(bits), second(bits)
        if x < y:
            return True
        if x >= y:
            return False
        if bits >= limit:
            return None
        bits = min(2 * bits, limit)


def figures(value: RealLike, count: int, limit: int = MAX_BITS) -> CertifiedDigits:
    """Return the number rounded to significant figures.

    >>> figures(exp(100), 3)
    CertifiedDigits(text='2.69e43', is_settled=True, enclosure=('2.688117141816e43', '2.688117141817e43'))
    """
    return decimal(value, Rounding(figures=count), limit)


def decimal(value: RealLike, rounding: Rounding, limit: int = MAX_BITS) -> CertifiedDigits:
    """Return the number rounded by the rules of `symattn.exact.rounding.quotients`, each digit certified.

    A rational is rounded as such, ties included. For any other the precision is doubled until both ends of
    an enclosure round to one text; rounding is an increasing function, so the number does as well. `limit`
    is the number of bits, beyond those of the digits, after which the answer is an enclosure instead.

    Raises:
        InputError: the value has a million digits before the point, or an argument lies outside a domain.

    >>> decimal(exp(1), Rounding(places=3)).text, decimal("1/8", Rounding(places=2, ties="half-even")).text
    ('2.718', '0.12')
    >>> decimal(exp(log(2)), Rounding(places=1, ties="truncate"), limit=200).text
    '[1.99999999999, 2.00000000001] (not settled)'
    """
    x = real(value)
    if x.exact is not None:
        return _certified_rational(x.exact, rounding)
    least = _asked(rounding) * 10 // 3 + _GUARD
    bits = least
    while True:
        units = _units(x(bits), rounding, bits, (bits - least) * 3 // 10 + _MORE)
        if units is not None:
            ends = units.rounded(rounding)
            if ends[0] == ends[1]:
                return CertifiedDigits(ends[0], is_settled=True, enclosure=units.outward(rounding))
        if bits >= least + limit:
            if units is None:
                return CertifiedDigits("not settled", is_settled=False, enclosure=None)
            low, high = units.outward(rounding)
            return CertifiedDigits(f"[{low}, {high}] (not settled)", is_settled=False, enclosure=(low, high))
        bits = min(2 * bits, least + limit)


def _asked(rounding: Rounding) -> int:
    return rounding.places or rounding.figures or 0


def _certified_rational(value: Fraction, rounding: Rounding) -> CertifiedDigits:
    """Return a rational with its digits certified; its enclosure has more digits, and is one point where it ends."""
    scale = _asked(rounding) + _MORE
    if rounding.figures is not None:
        scale -= leading_exponent(value) + 1 if value else 0
    scaled = value * as_fraction(1, -scale)
    low = scaled.numerator // scaled.denominator
    units = _Units(low, low + (scaled.denominator != 1), scale)
    return CertifiedDigits(format_rational(value, rounding), is_settled=True, enclosure=units.outward(rounding))


@dataclass(frozen=True, slots=True)
class _Units:
    """Bounds of a number in decimal units: low * 10**-scale <= number <= high * 10**-scale."""

    low: int
    high: int
    scale: int

    def rounded(self, rounding: Rounding) -> tuple[str, str]:
        """Return the texts of both bounds, rounded; different ones where figures are asked of bounds around 0."""
        if rounding.figures is not None and self.low * self.high <= 0 and self.low != self.high:
            return "below", "above"
        return self._text(self.low, rounding), self._text(self.high, rounding)

    def _text(self, count: int, rounding: Rounding) -> str:
        if rounding.figures is None:
            return format_rational(as_fraction(count, self.scale), rounding)
        index, places = round_rational(Fraction(count), rounding)
        return write(index, places + self.scale, rounding)

    def outward(self, rounding: Rounding) -> tuple[str, str]:
        """Return both bounds as numerals with a few more digits than were asked for, rounded outward."""
        more = min(_asked(rounding) + _MORE, MAX_PLACES)
        if rounding.figures is None:
            shown = Rounding(places=more)
            low, high = (
                _cut(end, self.scale - more, down=down) for end, down in ((self.low, True), (self.high, False))
            )
            return write(low, more, shown), write(high, more, shown)
        shown = Rounding(figures=more)
        return self._figures(self.low, shown, down=True), self._figures(self.high, shown, down=False)

    def _figures(self, count: int, shown: Rounding, *, down: bool) -> str:
        if not count:
            return "0"
        drop = leading_exponent(Fraction(count)) + 1 - (shown.figures or 0)
        return write(_cut(count, drop, down=down), self.scale - drop, shown)


def _cut(count: int, drop: int, *, down: bool) -> int:
    """Return the count without its last `drop` digits, rounded down or up."""
    if drop <= 0:
        return count * int(10**-drop)
    unit: int = 10**drop
    return count // unit if down else -(-count // unit)


def _units(ball: Any, rounding: Rounding, bits: int, more: int) -> _Units | None:
    """Return the ends of a ball in units of 10**-scale, for a scale with `more` digits beyond those asked for.

    The scale for figures comes from the size of the ball; it need not be exact, for the digits of the
    bounds are counted when they are rounded. None where the ball is not finite, or its size not known.
    """
    if not ball.is_finite():
        return None
    scale = _asked(rounding) + more
    with precision(bits + _GUARD):
        if rounding.figures is not None and not ball.is_zero():
            exponent = _leading_exponent(ball)
            if exponent is None:
                return None
            scale -= exponent
        scaled = ball * flint.arb(10) ** flint.fmpz(scale)
        return _Units(_whole(scaled.lower()), -_whole(-scaled.upper()), scale)


def _leading_exponent(ball: Any) -> int | None:
    """Return the exponent of ten of the largest absolute value in the ball, or one off.

    None where that exponent is itself a number of more bits than the precision has.
    """
    size = abs(ball).upper().log() / flint.arb(10).log()
    return int(size.mid().floor().unique_fmpz()) if 2 * size.rad() < 1 else None


def _whole(end: Any) -> int:
    """Return the floor of an end of a ball."""
    mantissa, exponent = (int(part) for part in end.man_exp())
    if exponent > _LONGEST:
        raise InputError("A value has a million digits before the point: ask for significant figures.")
    shifted: int = mantissa << exponent if exponent >= 0 else mantissa >> min(-exponent, mantissa.bit_length() + 1)
    return shifted
