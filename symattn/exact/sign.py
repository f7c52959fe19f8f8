"""TRUSTED. The exact sign of an exponential sum, and the order of quotients.

A sum whose table is empty is zero. Any other is not, if no constants are in it (`symattn.exact.constants`), so
enclosures of doubling precision exclude zero in the end. In them the largest exponential sets the unit and terms
far below it weigh nothing, so the cost depends on the coefficients and on the exponents near the largest, not on
how far the others lie.
"""

from __future__ import annotations

from symattn.errors import InputError
from symattn.exact.enclosure import Exponentials
from symattn.exact.expsum import ExpSum
from symattn.exact.quotient import Quotient
from symattn.exact.special import MINUS_INFINITY, UNDEFINED

_FIRST_BITS = 64


def sign(value: ExpSum | Quotient) -> int:
    """Return the sign, -1, 0 or 1.

    Raises:
        SymbolicValueError: the value has a free symbol.
        UndecidedError: the value has constants, and enclosures do not settle it.

    >>> e = ExpSum.exp(1)
    >>> sign(e - 2), sign(e * e - e * e), sign(Quotient(1 - e, e))
    (1, 0, -1)
    """
    if isinstance(value, Quotient):
        if not value.is_closed:
            from symattn.exact import constants  # start-up: few problems leave the decidable theory

            return constants.sign(value)
        return sign(value.numerator) * sign(value.denominator) if value is not MINUS_INFINITY else -1
    if value.symbols:
        from symattn.exact import constants  # start-up: few problems leave the decidable theory

        return constants.sign(value)
    coefficients = value.integers[0].values()
    if all(c > 0 for c in coefficients):  # also where there are none
        return 1 if coefficients else 0
    if all(c < 0 for c in coefficients):
        return -1
    bits = _FIRST_BITS
    while True:
        ball = Exponentials(bits).sum(value)
        if ball.excludes_zero:
            return 1 if ball.mid > 0 else -1
        bits *= 2


def compare(first: Quotient, second: Quotient) -> int:
    """Return the sign of first - second; minus infinity lies below every number.

    Raises:
        SymbolicValueError: one of them has a free symbol.
        UndecidedError: they have constants, and enclosures do not tell them apart.
        InputError: one of them is undefined, and has no order.

    >>> compare(Quotient(ExpSum.exp(1)), Quotient.of("2.8")), compare(MINUS_INFINITY, Quotient.of(-1000))
    (-1, -1)
    """
    if first.is_finite and second.is_finite:
        return sign(first - second)
    if first is UNDEFINED or second is UNDEFINED:
        raise InputError("An undefined value is neither larger nor smaller than another: leave it out.")
    return int(first.is_finite) - int(second.is_finite)
