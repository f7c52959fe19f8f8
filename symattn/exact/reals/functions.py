"""TRUSTED. Arithmetic, exponential, sine and cosine of any exact numbers: a closed form where a short one is found.

All other numbers are known by enclosures.
"""

from __future__ import annotations

from collections.abc import Iterable

from symattn.errors import EffortError
from symattn.exact.field import common_denominator
from symattn.exact.field.closed_form_length import is_long_exponent, is_long_product, is_long_sum
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary, trigonometry
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED


def plus(first: Quotient, second: Quotient) -> Quotient:
    """Return a sum.

    >>> str(plus(Quotient.of("3/2"), Quotient(ExpSum(1), ExpSum.exp(1) + 1)))
    '(3/2*exp(1) + 5/2)/(exp(1) + 1)'
    """
    return elementary.unexpanded((first, second)) if is_long_sum(first, second) else first + second


def minus(first: Quotient, second: Quotient) -> Quotient:
    """Return a difference.

    >>> str(minus(Quotient.of("3/2"), Quotient.of(2)))
    '-1/2'
    """
    return plus(first, -second) if is_long_sum(first, second) else first - second


def times(first: Quotient, second: Quotient) -> Quotient:
    """Return a product.

    >>> str(times(Quotient.of("3/2"), Quotient(ExpSum(1), ExpSum.exp(1) + 1)))
    '3/2/(exp(1) + 1)'
    """
    return elementary.times(first, second) if is_long_product(first, second) else first * second


def over(first: Quotient, second: Quotient) -> Quotient:
    """Return a quotient.

    Raises:
        InputError: the denominator is zero.

    >>> str(over(Quotient(ExpSum.exp(1)), Quotient.of(2)))
    '1/2*exp(1)'
    """
    is_long = is_long_product(first, second, is_quotient=True)
    return elementary.over(first, second) if is_long else first / second


def added(values: Iterable[Quotient]) -> Quotient:
    """Return the sum of finite numbers over their shortest common denominator.

    Raises:
        EffortError: a free symbol is in a sum that is too long to be written out.

    >>> one = Quotient(1, ExpSum.exp(1) + 1)
    >>> str(added([one, Quotient.of(2), one]))
    '(4 + 2*exp(1))/(exp(1) + 1)'
    """
    found = list(values)
    enclosed = [value for value in found if not value.is_closed]
    try:
        known = common_denominator.added(value for value in found if value.is_closed)
        return elementary.sum_of((*enclosed, known)) if enclosed else known
    except EffortError:
        if any(value.symbols for value in found):
            raise
        return elementary.unexpanded(found)


def exponential(exponent: Quotient) -> Quotient | None:
    """Return ``e`` to this power; None for an exponent that is a function of free symbols but not a polynomial.

    >>> str(exponential(Quotient.of(2))), str(exponential(Quotient(ExpSum.exp(1)))), str(exponential(MINUS_INFINITY))
    ('exp(2)', '[15.15426..., 15.15427...]', '0')
    """
    if not exponent.is_finite:
        return Quotient.of(0) if exponent is MINUS_INFINITY else UNDEFINED
    polynomial = exponent.polynomial()
    if polynomial is not None and not is_long_exponent(polynomial):
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
