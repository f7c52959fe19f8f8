"""TRUSTED. Binary floating point: what a pattern of bits stands for, and the float nearest to an exact value.

A format has `precision` bits and the exponents `emin` to `emax`: its positive numbers are m * 2**(e - precision + 1)
with 0 < m < 2**precision and emin <= e <= emax, where m has its highest bit set unless e = emin. The patterns of
positive floats, read as integers, are ordered as their values are, zero to infinity; so rounding is a matter of
integers. The float nearest to a value is that of IEEE 754 (ties to even): infinity takes the place of
2**(emax + 1), and a tie with it goes to infinity. In float8_e4m3fn, of the Open Compute Project, NaN takes the place of
480 in the same way; 464, half way, is rounded to 448, which is even.

Nothing here is decided by arithmetic of floats. A value that is not rational is enclosed by its correctly rounded
decimals; where a boundary lies in the enclosure, the exact sign of numerator - tau * denominator tells the side.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, TypeAlias

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.decimals import Rounding, as_fraction, leading_exponent, round_scaled, write
from symattn.exact.numerals.integer_text import natural_text
from symattn.exact.reals.sign import sign
from symattn.exact.rounding.quotients import rounded_indices
from symattn.records import dataclass

Word: TypeAlias = Literal["inf", "-inf", "nan"]
"""Texts of the non-numeric patterns."""

FIGURES = 25
"""Significant figures of the enclosures: more than any format tells apart, so at most one boundary lies in one."""

_FAR = 400
"""A value below 10**-_FAR, or from 10**_FAR on, is past all floats and all boundaries between them."""


@dataclass(frozen=True, slots=True)
class Format:
    """A binary format: its name, its width and precision in bits, and the exponents of its normal numbers.

    A format without infinity has one pattern more for numbers, and NaN follows the largest number.

    >>> FORMATS["float32"].largest == (2**24 - 1) * 2**104, FORMATS["float8_e4m3fn"].largest
    (True, Fraction(448, 1))
    """

    name: str
    width: int
    precision: int
    emin: int
    emax: int
    has_infinity: bool = True

    @property
    def infinity(self) -> int:
        """The pattern of infinity, or of NaN in a format without it: what follows the largest number."""
        return ((self.emax - self.emin + 2) << (self.precision - 1)) - (not self.has_infinity)

    @property
    def nan(self) -> int:
        """A pattern of NaN, the quiet one without a sign."""
        return self.infinity | 1 << (self.precision - 2)

    @property
    def sign_bit(self) -> int:
        """The pattern of minus zero."""
        return 1 << (self.width - 1)

    @property
    def smallest(self) -> Fraction:
        """The smallest positive number, a subnormal one."""
        return _power(self.emin - self.precision + 1)

    @property
    def largest(self) -> Fraction:
        """The largest number."""
        return _magnitude(self.infinity - 1, self)

    @property
    def certain_figures(self) -> int:
        """The figures that every decimal keeps on its way to a normal float and back: 10**n < 2**(precision - 1).

        >>> [form.certain_figures for form in FORMATS.values()]
        [3, 2, 6, 15, 0, 0, 0]
        """
        return len(str(1 << (self.precision - 1))) - 1

    def hexadecimal(self, pattern: int) -> str:
        """Return a pattern as people print it, the sign bit first.

        >>> FORMATS["bfloat16"].hexadecimal(0x3F80)
        '0x3f80'
        """
        return f"0x{pattern:0{self.width // 4}x}"


FORMATS = {
    one.name: one
    for one in (
        Format("float16", 16, 11, -14, 15),
        Format("bfloat16", 16, 8, -126, 127),
        Format("float32", 32, 24, -126, 127),
        Format("float64", 64, 53, -1022, 1023),
        Format("float8_e4m3fn", 8, 4, -6, 8, has_infinity=False),
        Format("float8_e4m3", 8, 4, -6, 7),
        Format("float8_e5m2", 8, 3, -14, 15),
    )
}
"""The formats by their names."""


def decode(pattern: int, form: Format) -> Fraction | Word:
    """Return the exact value of a pattern; minus zero is zero.

    Raises:
        InputError: the pattern has more bits than the format.

    >>> decode(0x3DCCCCCD, FORMATS["float32"]), decode(0x8001, FORMATS["float16"]), decode(0xFF80, FORMATS["bfloat16"])
    (Fraction(13421773, 134217728), Fraction(-1, 16777216), '-inf')
    """
    if not 0 <= pattern < 1 << form.width:
        raise InputError(f"{pattern} is not a pattern of {form.name}: give an integer of {form.width} bits.")
    size, is_negative = pattern & (form.sign_bit - 1), pattern >= form.sign_bit
    if size > form.infinity or (size == form.infinity and not form.has_infinity):
        return "nan"
    if size == form.infinity:
        return "-inf" if is_negative else "inf"
    value = _magnitude(size, form)
    return -value if is_negative else value


def encode(value: Fraction, form: Format) -> int | None:
    """Return the pattern of a value that the format holds exactly, else None; zero is plus zero.

    >>> encode(Fraction(-3, 2), FORMATS["float16"]) == 0xBE00, encode(Fraction(1, 3), FORMATS["float64"])
    (True, None)
    """
    size = _below(abs(value), form)
    if size >= form.infinity or _magnitude(size, form) != abs(value):
        return None
    return size | form.sign_bit if value < 0 else size


def nearest(values: Iterable[Quotient], form: Format) -> list[int]:
    """Return the pattern of the float nearest to each value, ties to even; never minus zero.

    Raises:
        SymbolicValueError: a value has a free symbol.
        UndecidedError: a value has constants, and its digits do not settle.

    >>> from symattn.exact.field.expsum import ExpSum
    >>> values = [Quotient(ExpSum.exp(1)), Quotient.of("0.1"), Quotient(ExpSum.exp(-(10**9))), Quotient.of("1e99")]
    >>> [hex(pattern) for pattern in nearest(values, FORMATS["float32"])]
    ['0x402df854', '0x3dcccccd', '0x0', '0x7f800000']
    """
    return [one.nearest(form) for one in place(values)]


def shortest(pattern: int, form: Format) -> str:
    """Return the shortest decimal that reads back as the same float; of several, the one nearest to its value.

    Raises:
        InputError: the pattern stands for no number.

    >>> shortest(0x3DCCCCCD, FORMATS["float32"]), shortest(0x3FB999999999999A, FORMATS["float64"])
    ('0.1', '0.1')
    >>> shortest(0x0001, FORMATS["bfloat16"]), shortest(0xFBFF, FORMATS["float16"])
    ('9e-41', '-65500')
    """
    value = decode(pattern, form)
    if isinstance(value, str):
        raise InputError(f"The pattern {form.hexadecimal(pattern)} of {form.name} stands for {value}: give a number.")
    if not value:
        return "0"
    size = pattern & (form.sign_bit - 1)
    is_normal = size >> (form.precision - 1) > 0
    # A decimal of so few figures is the nearest of its kind to the normal float nearest to it: no shorter one hides.
    figures = max(form.certain_figures, 1) if is_normal else 1
    while True:
        places = figures - 1 - leading_exponent(value)
        found = _reading_back(size, places, form)
        if found is not None:
            return _written(found, places, is_negative=value < 0)
        figures += 1


def _reading_back(size: int, places: int, form: Format) -> int | None:
    """Return the integer nearest to |value| * 10**places whose decimal reads back as the pattern, if there is one.

    In quarters of its unit, the value m has its neighbours half way at 4m + 2 and 4m - 2; at the lower end of a binade
    the floats below are nearer, and the lower one is at 4m - 1. Ties belong to the even pattern.
    """
    m, exponent = magnitude_parts(size, form)
    is_lowest = m == 1 << (form.precision - 1) and size >> (form.precision - 1) > 1
    exponent -= 2
    unit = 10 ** max(places, 0) << max(exponent, 0)
    one = 10 ** max(-places, 0) << max(-exponent, 0)
    middle, low, high = 4 * m * unit, (4 * m - 2 + is_lowest) * unit, (4 * m + 2) * unit
    open_end = m % 2
    below = middle // one
    found = [i for i in (below, below + 1) if i > 0 and low + open_end <= i * one <= high - open_end]
    return min(found, key=lambda i: (abs(i * one - middle), i % 2), default=None)


def _written(index: int, places: int, *, is_negative: bool) -> str:
    """Return the decimal without zeros at its end; 9.6 in one figure became 10."""
    while index % 10 == 0:
        index, places = index // 10, places - 1
    return write(-index if is_negative else index, places, Rounding(figures=len(natural_text(index))))


class Placed:
    """A value with an enclosure of its size: low <= |value| <= high, and a value that is not rational strictly so.

    >>> Placed(Quotient.of("-1/3")).high
    Fraction(1, 3)
    """

    __slots__ = ("high", "is_enclosed", "low", "of", "sign")

    def __init__(self, of: Quotient, index: int = 0, places: int = 0) -> None:
        """Make a rational, or a value whose decimal of `FIGURES` figures is ``index * 10**-places``.

        `is_enclosed` is false where the value is so large that all is decided by that.
        """
        self.of = of
        self.is_enclosed = True
        value = of.rational()
        if value is not None:
            self.sign = (value > 0) - (value < 0)
            self.low = self.high = abs(value)
            return
        self.sign = 1 if index > 0 else -1
        exponent = len(natural_text(abs(index))) - 1 - places
        if exponent < -_FAR:
            self.low, self.high = Fraction(0), as_fraction(1, _FAR)
        elif exponent >= _FAR:
            self.low = self.high = as_fraction(1, -_FAR)
            self.is_enclosed = False
        else:
            self.low, self.high = (as_fraction(2 * abs(index) + end, places) / 2 for end in (-1, 1))

    def beyond(self, tau: Fraction) -> int:
        """Return the sign of |value| - tau, exactly, for a boundary tau between or at floats."""
        if tau < self.low or self.low == self.high:
            return (self.low > tau) - (self.low < tau)
        if tau > self.high:
            return -1
        return self.sign * sign(self.of - tau * self.sign)

    def nearest(self, form: Format) -> int:
        """Return the pattern of the float nearest to the value."""
        size, other = _rounded(self.low, form), _rounded(self.high, form)
        if other > size:
            side = self.beyond((_magnitude(size, form) + _magnitude(other, form)) / 2)
            if other > size + 1 or side == 0:
                raise ArithmeticError("an enclosure is wider than floats are apart, or a tie is not a rational")
            size = other if side > 0 else size
        return size | form.sign_bit if self.sign < 0 and size else size

    def ulp(self, form: Format) -> Fraction:
        """Return the spacing of the floats in the binade of the value."""
        low, high = (_exponent(end, form) for end in (self.low, self.high))
        if low != high:
            low = high if self.beyond(_power(high)) >= 0 else high - 1
        return _power(low - form.precision + 1)


def place(values: Iterable[Quotient]) -> list[Placed]:
    """Return the values with their enclosures; values that share exponentials are quick.

    Raises:
        SymbolicValueError: a value has a free symbol.
        UndecidedError: a value has constants, and its digits do not settle.

    >>> [one.sign for one in place([Quotient.of(-2), Quotient.of(0)])]
    [-1, 0]
    """
    values = list(values)
    open_ones = [value for value in values if value.rational() is None]
    indices = iter(rounded_indices(open_ones, Rounding(figures=FIGURES)))
    return [Placed(value, *(next(indices) if value.rational() is None else (0, 0))) for value in values]


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _magnitude(size: int, form: Format) -> Fraction:
    """Return the value of a pattern without its sign; infinity stands for the power of two after the largest number."""
    m, exponent = magnitude_parts(size, form)
    return m * _power(exponent)


def magnitude_parts(size: int, form: Format) -> tuple[int, int]:
    """Return (m, exponent) with the value m * 2**exponent of a pattern without its sign."""
    field, m = size >> (form.precision - 1), size & ((1 << (form.precision - 1)) - 1)
    if field:
        m, field = m | 1 << (form.precision - 1), field - 1
    return m, field + form.emin - form.precision + 1


def _exponent(value: Fraction, form: Format) -> int:
    """Return the exponent of the binade of a value >= 0, not below that of subnormals and not above the last one."""
    if not value:
        return form.emin
    top, bottom = value.numerator, value.denominator
    exponent = top.bit_length() - bottom.bit_length()
    if value < _power(exponent):
        exponent -= 1
    return min(max(exponent, form.emin), form.emax)


def _units(value: Fraction, form: Format) -> tuple[Fraction, int]:
    """Return a value >= 0 in units of its last place, and the pattern that m units there have less m."""
    exponent = _exponent(value, form)
    return value / _power(exponent - form.precision + 1), (exponent - form.emin) << (form.precision - 1)


def _below(value: Fraction, form: Format) -> int:
    """Return the pattern of the largest float that is not above a value >= 0.

    With m units of 2**(e - precision + 1) the pattern is (e - emin) * 2**(precision - 1) + m, for subnormals and
    normal numbers alike: in the binade e, m runs from 2**(precision - 1) on, which the field e - emin + 1 counts.
    """
    units, start = _units(value, form)
    return min(start + units.numerator // units.denominator, form.infinity)


def _rounded(value: Fraction, form: Format) -> int:
    """Return the pattern of the float nearest to a rational >= 0.

    A tie goes to the even number of units, and so to the even pattern, as `start` is even. In the last binade
    2**precision units are infinity, and more are beyond it.
    """
    units, start = _units(value, form)
    return min(start + round_scaled(units.numerator, units.denominator, "half-even"), form.infinity)
