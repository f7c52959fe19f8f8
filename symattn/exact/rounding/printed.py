"""TRUSTED. Values as they are printed for machines: rounded rows, null where there is nothing to print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import constants
from symattn.exact.reals.enclosure import Exponentials
from symattn.exact.reals.special_values import UNDEFINED
from symattn.exact.rounding.quotients import Rounding, decimals, magnitude

Rows: TypeAlias = Sequence[Sequence[Quotient | None]]

_MANY_DIGITS = 1000
_BITS = 64


def digits(rows: Rows, rounding: Rounding) -> list[list[str | None]]:
    """Return certified strings, null where a value is undefined, has a free symbol, or has thousands of digits."""
    printable = [[_is_printable(value, rounding) for value in row] for row in rows]
    pairs = zip((value for row in rows for value in row), (item for row in printable for item in row), strict=True)
    texts = iter(decimals([value for value, is_shown in pairs if value is not None and is_shown], rounding))
    return [[next(texts) if is_shown else None for is_shown in row] for row in printable]


def _is_printable(value: Quotient | None, rounding: Rounding) -> bool:
    if value is None or value.symbols or value is UNDEFINED:
        return False
    if not value.is_finite:
        return True
    # Only exponentials can be so large: plain rationals, and values rounded to figures, are short.
    if rounding.places is None or value.plain_rational() is not None or _is_surely_short(value):
        return True
    return magnitude(value) < _MANY_DIGITS


def _is_surely_short(value: Quotient) -> bool:
    """Return whether bounds in powers of two show that a value is not large, in little time even for tiny values."""
    if value.has_constants:
        return constants.is_below(value, 1 << _MANY_DIGITS * 3)
    table = Exponentials(_BITS)
    top, bottom = table.sum(value.numerator), table.sum(value.denominator)
    if not bottom.excludes_zero:
        return False
    above = (abs(top.mid) + top.rad).bit_length() + top.exp + value.denominator.integers[1].bit_length()
    below = (abs(bottom.mid) - bottom.rad).bit_length() - 1 + bottom.exp
    return above - below < _MANY_DIGITS * 3
