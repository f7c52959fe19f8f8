"""Decisions on values: equality as a bool where it is proved, and the hash that equal values share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from zlib import crc32

from symattn.errors import InputError, UndecidedError
from symattn.exact import equality
from symattn.exact.field import substitution
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding, decimal

_HASHED = Rounding(figures=17)


def are_equal(first: Any, second: Any) -> bool:
    """Return whether two values of the kernel are equal; the second may be an expression of SymPy.

    Raises:
        UndecidedError: neither is proved.
    """
    if isinstance(second, Quotient):
        if first is second or first == second:
            return bool(first.is_finite or first == second)
        if not any(value.names or value.has_constants or not value.is_closed for value in (first, second)):
            return False
    return as_bool(equality.equal(first, second))


def as_bool(verdict: equality.Verdict) -> bool:
    """Return a verdict as a bool.

    Raises:
        UndecidedError: it is undecided.
    """
    if verdict.is_undecided:
        raise UndecidedError(f"== is undecided here, as {verdict.reason.rstrip('.')}: ask sa.equal(a, b).")
    return verdict.is_equal


def hash_of(value: Quotient) -> int:
    """Return one hash for all equal values: that of a number, or that of a function at one point.

    Raises:
        TypeError: nothing cheap decides on equality.
    """
    if not value.is_finite:
        return hash(str(value))
    if value.has_constants or not value.is_closed:
        raise TypeError("This number is known by enclosures and has no hash: take its place (i, j) as the key.")
    if value.names:
        point = {name: Fraction(crc32(name.encode()) % 1009 + 1, 1013) ** 2 for name in value.symbols}
        try:
            value = value.with_values(substitution.replacements(point, value.names, {}).values)
        except InputError:
            raise TypeError("This function has a pole where it is hashed: take its place (i, j) as the key.") from None
    number = value.rational()
    return hash(decimal(value, _HASHED)) if number is None else hash(number)
