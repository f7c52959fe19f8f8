"""TRUSTED. Interface of a quotient, for values that are not quotients of two sums."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import NoReturn

from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import computable


class Opaque(Quotient):
    """A value without numerator and denominator: a non-numeric one, or one known by its enclosures alone."""

    __slots__ = ()
    __hash__ = None  # as every quotient

    @abstractmethod
    def _has_no(self, what: str) -> NoReturn:
        """Raise an error that names the value and the part that it lacks.

        Raises:
            InputError: always.
        """

    @abstractmethod
    def sign(self) -> int:
        """Return the sign, -1, 0 or 1; see `symattn.exact.reals.sign`."""

    @abstractmethod
    def real(self) -> computable.Real:
        """Return the number with its enclosures."""

    @property
    def numerator(self) -> ExpSum:
        """Refused: it is not a quotient of sums.

        Raises:
            InputError: always.
        """
        self._has_no("numerator")

    @property
    def denominator(self) -> ExpSum:
        """Refused: it is not a quotient of sums.

        Raises:
            InputError: always.
        """
        self._has_no("denominator")

    @property
    def names(self) -> frozenset[str]:
        """The empty set."""
        return frozenset()

    @property
    def is_zero(self) -> bool:
        """False: it is not zero by its form."""
        return False

    def rational(self) -> None:
        """Return None: it is not known to be a rational number."""

    def plain_rational(self) -> None:
        """Return None: it is not known to be a rational number."""

    def polynomial(self) -> None:
        """Return None: it is not a polynomial."""

    def with_numerator(self, numerator: ExpSum) -> Quotient:  # noqa: ARG002 - the signature of a quotient
        """Refuse: enclosures alone are known, not a denominator.

        Raises:
            InputError: always.
        """
        self._has_no("denominator")

    def canonical(self) -> Quotient:
        """Return itself."""
        return self

    def with_values(self, values: Mapping[str, Polynomial | Fraction | int]) -> Quotient:  # noqa: ARG002 - as above
        """Return itself: there is nothing to replace."""
        return self
