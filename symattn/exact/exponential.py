"""TRUSTED. The exponential of any exact number: a closed form where there is one, an enclosure where there is none."""

from __future__ import annotations

from symattn.exact.expsum import ExpSum
from symattn.exact.quotient import Quotient
from symattn.exact.special import MINUS_INFINITY, UNDEFINED


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
    from symattn.exact import certain  # start-up: few problems leave the decidable theory

    return certain.exp(exponent)
