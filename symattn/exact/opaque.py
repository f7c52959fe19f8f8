"""TRUSTED. What is asked of every quotient, for values that are no quotient of two sums."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import NoReturn

from symattn.exact.expsum import ExpSum
from symattn.exact.polynomial import Polynomial
from symattn.exact.quotient import Quotient


class Opaque(Quotient):
    """A value without numerator and denominator: one that is no number, or is known by its enclosures alone."""

    __slots__ = ()
    __hash__ = None  # as every quotient

    @abstractmethod
    def _has_no(self, what: str) -> NoReturn:
        """Says what it is, and that it has no such part.

        Raises:
            InputError: always.
        """

    @property
    def numerator(self) -> ExpSum:
        """Refused: it is no quotient of sums.

        Raises:
            InputError: always.
        """
        self._has_no("numerator")

    @property
    def denominator(self) -> ExpSum:
        """Refused: it is no quotient of sums.

        Raises:
            InputError: always.
        """
        self._has_no("denominator")

    @property
    def names(self) -> frozenset[str]:
        """None are in it."""
        return frozenset()

    @property
    def is_zero(self) -> bool:
        """It is not zero by its form."""
        return False

    def rational(self) -> None:
        """It is not known to be a rational number."""

    def plain_rational(self) -> None:
        """It is not known to be a rational number."""

    def polynomial(self) -> None:
        """It is no polynomial."""

    def with_numerator(self, numerator: ExpSum) -> Quotient:  # noqa: ARG002 - the signature of a quotient
        """Refused: it has no denominator.

        Raises:
            InputError: always.
        """
        self._has_no("denominator")

    def canonical(self) -> Quotient:
        """Itself."""
        return self

    def with_values(self, values: Mapping[str, Polynomial | Fraction | int]) -> Quotient:  # noqa: ARG002 - as above
        """Itself: there is nothing to replace."""
        return self
