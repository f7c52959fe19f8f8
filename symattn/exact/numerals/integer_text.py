"""TRUSTED. Integers and fractions as text, whatever their length.

CPython refuses ``str(n)`` beyond a settable number of digits (4,300 at first, never below 640). Texts
here are put together from chunks below that, so the process-wide limit is neither met nor changed.
"""

from __future__ import annotations

from fractions import Fraction

_CHUNK = 500  # decimal digits; any limit that CPython lets anybody set is at least 640


def natural_text(n: int) -> str:
    """Return the decimal digits of an integer n >= 0.

    Splits by a power of ten near the middle until a piece has few digits.

    >>> natural_text(10**5000) == "1" + "0" * 5000
    True
    """
    digits = n.bit_length() * 30103 // 100000 + 1
    if digits <= _CHUNK:
        return str(n)
    half = digits // 2
    high, low = divmod(n, 10**half)
    return natural_text(high) + natural_text(low).zfill(half)


def integer_text(n: int) -> str:
    """Return the decimal numeral of any integer.

    >>> integer_text(-12)
    '-12'
    """
    return "-" + natural_text(-n) if n < 0 else natural_text(n)


def fraction_text(value: Fraction | int) -> str:
    """Return a rational as a plain numeral or a quotient of two: ``3``, ``-1/2``.

    >>> fraction_text(Fraction(-1, 2)), fraction_text(3)
    ('-1/2', '3')
    """
    if value.denominator == 1:
        return integer_text(value.numerator)
    return f"{integer_text(value.numerator)}/{natural_text(value.denominator)}"
