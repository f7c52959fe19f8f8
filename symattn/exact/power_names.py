"""TRUSTED. Names for powers of a symbol: ``sqrt(x)``, ``1/x`` and ``1/sqrt(x)`` beside ``x``."""

from __future__ import annotations

from fractions import Fraction

HALF = Fraction(1, 2)


def power_name(symbol: str, power: Fraction) -> str:
    """Return the name of a power of a symbol: 1, 1/2, -1 or -1/2.

    >>> [power_name("x", power) for power in (Fraction(1), HALF, Fraction(-1), -HALF)]
    ['x', 'sqrt(x)', '1/x', '1/sqrt(x)']
    """
    own = f"sqrt({symbol})" if abs(power) == HALF else symbol
    return f"1/{own}" if power < 0 else own


def symbol_and_power(name: str) -> tuple[str, Fraction]:
    """Return the symbol and the power that a name stands for.

    >>> symbol_and_power("1/sqrt(x)"), symbol_and_power("x")
    (('x', Fraction(-1, 2)), ('x', Fraction(1, 1)))
    """
    sign, own = (-1, name[2:]) if name.startswith("1/") else (1, name)
    if own.startswith("sqrt(") and own.endswith(")"):
        return own[5:-1], sign * HALF
    return own, Fraction(sign)
