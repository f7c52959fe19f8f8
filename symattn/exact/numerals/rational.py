"""TRUSTED. Conversion of numbers from outside to rational ones.

A float is refused, for nothing here may rest on a number that was not meant. Bounds are checked before
anything is converted: ``Fraction("1e999999999")`` would not return.
"""

from __future__ import annotations

import numbers
import operator
import re
from decimal import Decimal
from fractions import Fraction
from math import isqrt
from typing import TypeAlias

from symattn.errors import InputError

RationalLike: TypeAlias = "int | Fraction | Decimal | str"

MAX_DIGITS = 1000
"""No numeral may be longer than this."""
MAX_EXPONENT = 1000
"""No power of ten in a numeral may be larger than this, in absolute value."""

_BITS = 3322  # 10**1000 has 3,322 bits
_TOO_MANY_DIGITS = f"a number has more than {MAX_DIGITS} digits: round it first"
_LONGEST_TEXT = 3 * MAX_DIGITS + 100
_SIGN = r"(?P<sign>[+-]?)\s*"
# start-up: compiled by the first fraction, which most problems do without.
_FRACTION = _SIGN + r"(?:(?P<whole>[0-9]+)\s+)?(?P<top>[0-9]+)\s*/\s*(?P<bottom>[0-9]+)"
_DECIMAL = re.compile(
    _SIGN + r"(?P<whole>[0-9]*)(?P<point>\.(?P<part>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]+))?", re.ASCII
)


def rational(value: RationalLike, where: str = "") -> Fraction:
    """Return the exact rational that was meant by an int, a Fraction, a Decimal or a numeral.

    Numerals are ``"3"``, ``"-0.5"``, ``"1e-3"``, ``"1/3"`` and the mixed ``"2 1/2"``, in ASCII digits.

    Args:
        value: the number.
        where: names the place in messages, as in ``"X, row 2, column 1"``.

    Raises:
        InputError: a float, a bool, NaN, an infinity, ``1/0``, a numeral beyond the bounds, or no number.

    >>> rational("0.1"), rational("-2 1/2"), rational("1e-3")
    (Fraction(1, 10), Fraction(-5, 2), Fraction(1, 1000))
    """
    if isinstance(value, str):
        return _from_text(value, where)
    if isinstance(value, bool) or type(value).__name__ in {"bool_", "bool"}:
        raise _refusal(where, f"{value!r} is a truth value, not a number: write 1 or 0")
    if isinstance(value, Decimal):
        return _from_decimal(value, where)
    if isinstance(value, numbers.Rational):
        return _bounded(Fraction(int(value.numerator), int(value.denominator)), where)
    if isinstance(value, numbers.Number):
        raise _inexact(value, where)
    try:
        return _bounded(Fraction(operator.index(value)), where)
    except TypeError:
        raise _refusal(
            where,
            f'a {type(value).__name__} is not a rational number: give an int, a Fraction, or a text as "1/3"',
        ) from None


def _refusal(where: str, sentence: str) -> InputError:
    return InputError(f"{where}: {sentence}." if where else f"{sentence}.")


def _inexact(value: object, where: str) -> InputError:
    if isinstance(value, numbers.Real):
        shown = repr(float(value))
        if shown in {"nan", "inf", "-inf"}:
            return _refusal(where, f"{shown} is not a number that can be computed with: give a finite one")
        remedy = f'write Fraction({shown}) for its binary value or "{shown}" for its shortest decimal'
        return _refusal(where, f"{shown} is a binary float, seldom the number that was meant: {remedy}")
    return _refusal(where, f"a {type(value).__name__} is not a rational number: give a real one")


def _bounded(value: Fraction, where: str) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _BITS:
        raise _refusal(where, _TOO_MANY_DIGITS)
    return value


def _from_decimal(value: Decimal, where: str) -> Fraction:
    if not value.is_finite():
        raise _refusal(where, f"{value} is not a number that can be computed with: give a finite one")
    _, digits, exponent = value.as_tuple()
    if len(digits) > MAX_DIGITS:
        raise _refusal(where, _TOO_MANY_DIGITS)
    if abs(int(exponent)) > MAX_EXPONENT:
        raise _far_exponent(where)
    return Fraction(value)


def _from_text(text: str, where: str) -> Fraction:
    if len(text) > _LONGEST_TEXT:
        raise _refusal(where, _TOO_MANY_DIGITS)
    plain = text.strip().replace("\N{MINUS SIGN}", "-")
    if "/" in plain and (match := re.fullmatch(_FRACTION, plain, re.ASCII)):
        return _from_fraction(match, where)
    match = _DECIMAL.fullmatch(plain)
    if match is None or not (match["whole"] or match["part"]):
        shown = ascii(plain if len(plain) <= 40 else plain[:40] + "...")
        raise _refusal(where, f'{shown} is not a rational number: write it as "-0.5", "1e-3", "1/3" or "2 1/2"')
    whole, part = match["whole"], match["part"] or ""
    _count(whole + part, where)
    power = (_exponent(match["exponent"], where) if match["exponent"] else 0) - len(part)
    digits = -int(whole + part) if match["sign"] == "-" else int(whole + part)
    ten: int = 10 ** abs(power)
    return Fraction(digits, ten) if power < 0 else Fraction(digits * ten)


def _from_fraction(match: re.Match[str], where: str) -> Fraction:
    whole = match["whole"] or "0"
    for numeral in (whole, match["top"], match["bottom"]):
        _count(numeral, where)
    bottom = int(match["bottom"])
    if bottom == 0:
        raise _refusal(where, "a fraction has the denominator 0: give another one")
    value = int(whole) + Fraction(int(match["top"]), bottom)
    return -value if match["sign"] == "-" else value


def _count(numeral: str, where: str) -> None:
    if len(numeral) > MAX_DIGITS:
        raise _refusal(where, _TOO_MANY_DIGITS)


def _exponent(text: str, where: str) -> int:
    if len(text.lstrip("+-").lstrip("0")) > len(str(MAX_EXPONENT)) or abs(int(text)) > MAX_EXPONENT:
        raise _far_exponent(where)
    return int(text)


def _far_exponent(where: str) -> InputError:
    return _refusal(where, f"a power of ten lies outside -{MAX_EXPONENT} to {MAX_EXPONENT}: rescale the data")


def whole_root(number: int, degree: int) -> int | None:
    """Return the root of a whole number >= 0 where it is whole, None elsewhere and for the degree 0.

    >>> whole_root(10**12, 4), whole_root(10, 2), whole_root(1, 99)
    (1000, None, 1)
    """
    if degree < 1 or degree > number.bit_length():
        return number if degree and number < 2 else None
    found = whole_part_of_root(number, degree)
    return found if found**degree == number else None


def whole_part_of_root(number: int, degree: int) -> int:
    """Return the largest whole number whose power is at most a number that is not negative.

    >>> whole_part_of_root(26, 3), whole_part_of_root(27, 3), whole_part_of_root(0, 5)
    (2, 3, 0)
    """
    if degree == 2 or number < 2:
        return isqrt(number) if degree == 2 else number
    found = 1 << -(-number.bit_length() // degree)  # not below it, from where Newton's steps fall
    while (step := ((degree - 1) * found + number // found ** (degree - 1)) // degree) < found:
        found = step
    return found
