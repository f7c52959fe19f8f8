"""TRUSTED. Exponential, sine and cosine of any exact number: a closed form where there is one, else an enclosure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn import late
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED

if TYPE_CHECKING:
    from symattn.exact.reals import elementary, trigonometry
else:
    trigonometry = late.module("symattn.exact.reals.trigonometry")
    elementary = late.module("symattn.exact.reals.elementary")


def exponential(exponent: Quotient) -> Quotient | None:
    """Return ``e`` to this power; None for an exponent that is a function of free symbols but not a polynomial.

    >>> str(exponential(Quotient.of(2))), str(exponential(Quotient(ExpSum.exp(1)))), str(exponential(MINUS_INFINITY))
    ('exp(2)', '[15.15426..., 15.15427...]', '0')
    """
    if not exponent.is_finite:
        return Quotient.of(0) if exponent is MINUS_INFINITY else UNDEFINED
    polynomial = exponent.polynomial()
    if polynomial is not None:
        return Quotient.of(ExpSum.exp(polynomial))
    if exponent.symbols:
        return None
    return elementary.exp(exponent)


def trigonometric(function: str, angle: Quotient) -> Quotient:
    """Return the sine or cosine of an exact angle.

    Args:
        function: ``"sin"`` or ``"cos"``.
        angle: the angle, in radians.

    >>> str(trigonometric("cos", Quotient.of(Polynomial.symbol("pi"))))
    '-1'
    """
    polynomial = angle.polynomial() if angle.is_finite and angle.is_closed else None
    turns = None if polynomial is None else trigonometry.half_turns(polynomial)
    found = None if turns is None else trigonometry.known(function, turns)
    return Quotient.of(found) if isinstance(found, Polynomial) else elementary.apply(function, angle)
