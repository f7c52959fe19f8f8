"""TRUSTED. The two non-numeric values of a layer: minus infinity, and the undefined value.

A masked score is minus infinity; its exponential is 0. Where every key of a query is masked, nothing is
left to divide by, and the weights are undefined, as is all that is made of them. Both are single objects:
`UNDEFINED` equals nothing, not even itself, so ask with ``is``. What would be plus infinity has no value
here and is refused.
"""

from __future__ import annotations

from typing import NoReturn

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient, QuotientLike
from symattn.exact.reals.opaque import Opaque
from symattn.exact.reals.sign import sign


class Special(Opaque):
    """`MINUS_INFINITY` or `UNDEFINED`, the only two.

    >>> str(MINUS_INFINITY + 3), str(MINUS_INFINITY * 2), str(MINUS_INFINITY * 0), UNDEFINED * 0 is UNDEFINED
    ('-inf', '-inf', '-', True)
    >>> MINUS_INFINITY == MINUS_INFINITY, UNDEFINED == UNDEFINED, MINUS_INFINITY == 0
    (True, False, False)
    """

    __slots__ = ("_text",)
    __hash__ = None  # as every quotient

    is_finite = False
    _text: str

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def has_constants(self) -> bool:
        """False: constants do not occur."""
        return False

    def sign(self) -> int:
        """Return -1 for minus infinity.

        Raises:
            InputError: it is undefined.
        """
        if self is not MINUS_INFINITY:
            self._refuse("is neither larger nor smaller than another: leave it out")
        return -1

    def real(self) -> NoReturn:
        """Refuse: it is not a number.

        Raises:
            InputError: always.
        """
        self._has_no("enclosures")

    # Arithmetic --------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return self is MINUS_INFINITY and other is MINUS_INFINITY

    def __neg__(self) -> Quotient:
        return self._scaled(Quotient(-1))

    def __add__(self, other: QuotientLike) -> Quotient:
        return UNDEFINED if self is UNDEFINED or Quotient.of(other) is UNDEFINED else MINUS_INFINITY

    def __radd__(self, other: QuotientLike) -> Quotient:
        return self + other

    def __sub__(self, other: QuotientLike) -> Quotient:
        other = Quotient.of(other)
        return self + other if other.is_finite else UNDEFINED

    def __rsub__(self, other: QuotientLike) -> Quotient:
        return Quotient.of(other) + -self

    def __mul__(self, other: QuotientLike) -> Quotient:
        return self._scaled(Quotient.of(other))

    def __rmul__(self, other: QuotientLike) -> Quotient:
        return self._scaled(Quotient.of(other))

    def __truediv__(self, other: QuotientLike) -> Quotient:
        other = Quotient.of(other)
        return self._scaled(1 / other) if other.is_finite else UNDEFINED

    def __rtruediv__(self, other: QuotientLike) -> Quotient:
        if self is not UNDEFINED:
            raise InputError(f"{other} is divided by minus infinity, which no formula of a layer does: write 0.")
        return UNDEFINED

    def __pow__(self, exponent: int) -> Quotient:
        if self is not UNDEFINED:
            self._refuse(f"has no power {exponent} here")
        return UNDEFINED

    def _scaled(self, factor: Quotient) -> Quotient:
        if self is UNDEFINED or factor is UNDEFINED or factor.is_zero:
            return UNDEFINED
        if factor.symbols:
            self._refuse(f"times {factor} depends on the sign of a symbol: give the symbol a value")
        if sign(factor) < 0:
            self._refuse("times a negative number would be plus infinity, which has no value here")
        return self

    def _has_no(self, what: str) -> NoReturn:
        self._refuse(f"has no {what}")

    def _refuse(self, reason: str) -> NoReturn:
        name = "Minus infinity" if self is MINUS_INFINITY else "An undefined value"
        raise InputError(f"{name} {reason}.")

    # As text -----------------------------------------------------------------------------------------

    def __reduce__(self) -> str:  # type: ignore[override]
        """Return the name of the object: copies and pickles are the same object."""
        return "MINUS_INFINITY" if self is MINUS_INFINITY else "UNDEFINED"

    def __str__(self) -> str:
        """Return ``-inf``, or ``-`` for the undefined value."""
        return self._text


MINUS_INFINITY = Special("-inf")
"""The score of a key that a query does not see; below every number."""

UNDEFINED = Special("-")
"""The undefined value: the weights of a query that sees no key, and whatever is made of them."""
