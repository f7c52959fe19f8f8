"""TRUSTED. Rounding rules, the rounding of rationals, and how rounded values are written.

A rounded value is a pair (index, places): the number ``index * 10**-places``. ``places`` may be negative.
"""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import InputError, TooLongError, expect, shortened
from symattn.exact.numerals.integer_text import integer_text, natural_text
from symattn.records import dataclass

TIES = ("half-up", "half-even", "half-ceiling", "truncate")
"""Ties away from zero, to the even digit, toward plus infinity; or cutting off toward zero."""
MAX_PLACES = 20_000
"""The most places or figures that can be asked for."""
_FIXED_FROM = -5  # decimal exponents of the first digit for which figures are written without exponent
_FIXED_BELOW = 16
_MOST_DIGITS = 1_000_000


@dataclass(frozen=True, slots=True)
class Rounding:
    """Rule of rounding: to `places` after the point or to significant `figures`, with a rule for ties.

    >>> Rounding(places=2).ties, Rounding(figures=3, ties="half-even").figures
    ('half-up', 3)
    """

    places: int | None = None
    figures: int | None = None
    ties: str = "half-up"

    def __post_init__(self) -> None:
        """Refuse an invalid rounding.

        Raises:
            InputError: not exactly one of places and figures, one out of range, or an unknown rule.
        """
        if (self.places is None) == (self.figures is None):
            raise InputError("A rounding needs either places or figures: give exactly one of the two.")
        _check_count("places", self.places, 0)
        _check_count("figures", self.figures, 1)
        expect(self.ties, str, "A rule for ties is named by text")
        if self.ties not in TIES:
            raise InputError(f"{shortened(self.ties)!r} is not a rule for ties: use one of {', '.join(TIES)}.")


def _check_count(name: str, count: object, least: int) -> None:
    if count is None:
        return
    if not isinstance(count, int) or isinstance(count, bool) or not least <= count <= MAX_PLACES:
        raise InputError(f"A rounding needs an integer from {least} to {MAX_PLACES} for its {name}.")


def round_scaled(top: int, bottom: int, ties: str) -> int:
    """Round top/bottom (bottom > 0) to an integer.

    >>> [round_scaled(n, 2, "half-up") for n in (-3, -1, 1, 3)]
    [-2, -1, 1, 2]
    >>> [round_scaled(n, 2, "half-even") for n in (-3, -1, 1, 3)]
    [-2, 0, 0, 2]
    """
    if ties == "truncate":
        return top // bottom if top >= 0 else -(-top // bottom)
    below, rest = divmod(top, bottom)
    if 2 * rest != bottom:
        return below + (2 * rest > bottom)
    if ties == "half-even":
        return below + below % 2
    return below if ties == "half-up" and top < 0 else below + 1


def round_rational(value: Fraction, rounding: Rounding) -> tuple[int, int]:
    """Return a rational, correctly rounded, as (index, places).

    >>> round_rational(Fraction(2, 3), Rounding(places=3)), round_rational(Fraction(125), Rounding(figures=2))
    ((667, 3), (13, -1))
    """
    places = _places(value, rounding)
    top, bottom = value.numerator, value.denominator
    if places >= 0:
        return round_scaled(top * 10**places, bottom, rounding.ties), places
    return round_scaled(top, bottom * 10**-places, rounding.ties), places


def is_rounded(value: Fraction, rounding: Rounding) -> bool:
    """Return whether a rational is its own rounded value.

    >>> is_rounded(Fraction(5, 4), Rounding(places=2)), is_rounded(Fraction(5, 4), Rounding(places=1))
    (True, False)
    """
    places = _places(value, rounding)
    ten: int = 10 ** abs(places)
    return ten % value.denominator == 0 if places >= 0 else value.denominator == 1 and value.numerator % ten == 0


def _places(value: Fraction, rounding: Rounding) -> int:
    """Return the places after the point that are kept of a value, fewer than none of a large one in figures."""
    if rounding.places is not None:
        return rounding.places
    return (rounding.figures or 0) - 1 - leading_exponent(value) if value else 0


def leading_exponent(value: Fraction) -> int:
    """Return the integer k with 10^k <= |value| < 10^(k+1), for value != 0.

    >>> leading_exponent(Fraction(1, 10)), leading_exponent(Fraction(999))
    (-1, 2)
    """
    top, bottom = abs(value.numerator), value.denominator
    # 2**(bits-1) < |value| < 2**(bits+1): the guess is off by little, and the comparisons mend it.
    k = (top.bit_length() - bottom.bit_length()) * 30103 // 100000
    while _at_least(top, bottom, k + 1):
        k += 1
    while not _at_least(top, bottom, k):
        k -= 1
    return k


def _at_least(top: int, bottom: int, k: int) -> bool:
    ten: int = 10 ** abs(k)
    return top >= bottom * ten if k >= 0 else top * ten >= bottom


def is_tie(value: Fraction, rounding: Rounding) -> bool:
    """Return whether a rational lies half way between two neighbours at that rounding.

    >>> is_tie(Fraction(1, 8), Rounding(places=2)), is_tie(Fraction(1, 8), Rounding(places=3))
    (True, False)
    """
    places = _places(value, rounding)
    top, bottom = 2 * value.numerator, value.denominator
    if places >= 0:
        top *= 10**places
    else:
        bottom *= 10**-places
    doubled, rest = divmod(top, bottom)
    return not rest and doubled % 2 == 1


def as_fraction(index: int, places: int) -> Fraction:
    """Return ``index * 10**-places``.

    Raises:
        TooLongError: the fraction would have more than a million digits, as a weight has far behind the largest.

    >>> as_fraction(125, 2)
    Fraction(5, 4)
    """
    if abs(places) > _MOST_DIGITS:
        raise TooLongError(
            f"A number as small or as large as 10^{-places} is too long to work with: "
            "use scores that lie closer together, or round to places instead of figures."
        )
    return Fraction(index, 10**places) if places >= 0 else Fraction(index * 10**-places)


def write(index: int, places: int, rounding: Rounding) -> str:
    """Return the text of a rounded value.

    With places: fixed notation with exactly that many. With figures: as many digits, in fixed notation
    from 1e-5 to below 1e16, else as ``6.897e-13``; zero as ``0``. A zero is printed without a sign.

    >>> write(-5, 2, Rounding(places=2)), write(6897, 16, Rounding(figures=4))
    ('-0.05', '6.897e-13')
    """
    if rounding.places is not None:
        return _fixed(index, places)
    if not index:
        return "0"
    digits = natural_text(abs(index))
    if len(digits) > (rounding.figures or 0):  # 9.96 became 10.0: the last zero is one figure too many
        index, places, digits = index // 10 if index > 0 else -(-index // 10), places - 1, digits[:-1]
    exponent = len(digits) - 1 - places
    if _FIXED_FROM <= exponent < _FIXED_BELOW:
        return _fixed(index, places)
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{'-' if index < 0 else ''}{mantissa}e{integer_text(exponent)}"


def format_rational(value: Fraction, rounding: Rounding) -> str:
    """Return a rational, correctly rounded, as text.

    >>> format_rational(Fraction(2, 3), Rounding(places=2)), format_rational(Fraction(2), Rounding(figures=3))
    ('0.67', '2.00')
    """
    return write(*round_rational(value, rounding), rounding)


def _fixed(index: int, places: int) -> str:
    if places <= 0:
        return integer_text(index * 10**-places)
    digits = natural_text(abs(index)).zfill(places + 1)
    return f"{'-' if index < 0 else ''}{digits[:-places]}.{digits[-places:]}"
