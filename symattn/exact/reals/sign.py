"""TRUSTED. The exact sign of an exponential sum, and the order of quotients.

A sum whose table is empty is zero. Any other is not, if no constants are in it (`symattn.exact.reals.constants`), so
enclosures of doubling precision exclude zero in the end. In them the largest exponential sets the unit and terms
far below it weigh nothing, so the cost depends on the coefficients and on the exponents near the largest, not on
how far the others lie.
"""

from __future__ import annotations

from collections.abc import Collection

from symattn.errors import UndecidedError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import constants
from symattn.exact.reals.enclosure import Exponentials
from symattn.exact.reals.opaque import Opaque

_FIRST_BITS = 64


def sign(value: ExpSum | Quotient) -> int:
    """Return the sign, -1, 0 or 1.

    Raises:
        SymbolicValueError: the value has a free symbol.
        UndecidedError: the value has constants, and enclosures do not settle it.
        InputError: the value is undefined.

    >>> e = ExpSum.exp(1)
    >>> sign(e - 2), sign(e * e - e * e), sign(Quotient(1 - e, e))
    (1, 0, -1)
    """
    if isinstance(value, Opaque):
        return value.sign()
    if isinstance(value, Quotient):
        return sign(value.numerator) * sign(value.denominator)
    if value.symbols:
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


def are_apart(first: Quotient, second: Quotient) -> bool:
    """Return whether first enclosures tell two values apart, of which one has constants; a no proves nothing.

    >>> are_apart(Quotient(ExpSum.exp(1)), Quotient.of(2))
    False
    """
    if not (first.is_finite and second.is_finite):
        return False
    return (first.has_constants or second.has_constants) and bool(constants.order(first, second))


def compare(first: Quotient, second: Quotient) -> int:
    """Return the sign of first - second; minus infinity lies below every number.

    Raises:
        SymbolicValueError: one of them has a free symbol.
        UndecidedError: they have constants, and enclosures do not tell them apart.
        InputError: one of them is undefined.

    >>> compare(Quotient(ExpSum.exp(1)), Quotient.of("2.8"))
    -1
    """
    if first.is_finite and second.is_finite:
        has_constants = first.has_constants or second.has_constants
        return (has_constants and constants.order(first, second)) or sign(first - second)
    # A finite value lies at 0 here, and minus infinity at -1.
    one, other = (0 if value.is_finite else sign(value) for value in (first, second))
    return one - other


def are_different(first: Quotient, second: Quotient) -> bool:
    """Return whether two values are proved to be different: what enclosures leave open is not.

    >>> one, pi = Quotient.of(1), Quotient(Polynomial.symbol("pi"))
    >>> are_different(one, pi), are_different(one, one)
    (True, False)
    """
    if first == second:
        return False
    if not (first.is_finite and second.is_finite):
        return True
    if first.symbols or second.symbols:
        # Functions without constants have one form; cos(1)^2 + sin(1)^2 and 1 are two.
        return not (first.has_constants or second.has_constants)
    try:
        return compare(first, second) != 0
    except UndecidedError:
        return False


def known_sign(value: Polynomial, positive: Collection[str] = ()) -> int | None:
    """Return the sign of a polynomial for all real values of its symbols, those that are positive positive; or None.

    A monomial of positive symbols is positive, one with even powers of the others is at least 0; where the
    coefficients of all have one sign, and one of the first kind is there, the sum has that sign.

    >>> a, b = Polynomial.symbol("a"), Polynomial.symbol("b")
    >>> known_sign(a * b * b + 1, {"a"}), known_sign(-a, {"a"}), known_sign(a - b, {"a", "b"})
    (1, -1, None)
    """
    if not value:
        return 0
    groups: dict[tuple[tuple[str, int], ...], Polynomial] = {}
    for (radicand, powers), c in value.terms:
        groups[powers] = groups.get(powers, Polynomial()) + Polynomial.of_terms([((radicand, ()), c)])
    signs: set[int] = set()
    is_strict = False
    for powers, total in groups.items():
        if any(power % 2 and name not in positive for name, power in powers):
            return None
        signs.add(sign(ExpSum.of(total)))
        is_strict = is_strict or all(name in positive for name, _ in powers)
    return signs.pop() if len(signs) == 1 and is_strict else None
