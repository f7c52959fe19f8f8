"""TRUSTED. Rows of integer scores and lower bounds of their exponentials, each over the largest of its row.

A side of a boundary on which an average lies is found by an exact sign. The average is
sum v_j exp(-K_j x) / sum exp(-K_j x), with integers K_j and x = sqrt(radicand) / denominator. It lies
above tau = t / b as the sum of (v_j b - t) exp(-K_j x) is positive. Equal exponents are collected. By the theorem of
Lindemann and Weierstrass (see `symattn.exact.field.expsum`) the sum is zero exactly when all its coefficients are,
and any other has its sign found by enclosures of growing precision, over the largest exponential that is left in
it. So the cost does not depend on how far the exponents lie apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple, Protocol

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.rows.powers import Powers, powers_of, vanishing
from symattn.records import dataclass

_POWERS = 64
"""The number of powers of one precision that is foreseen; any number can be asked for."""


class Sides:
    """Signs of sums over one step x; powers of one precision share their tables.

    >>> sides = Sides(1, 1, 64)
    >>> sides.sign([(0, 1), (1, -3), (0, 0)]), sides.sign([(5, 2), (5, -2)])  # 1 - 3/e, 0
    (-1, 0)
    """

    def __init__(self, denominator: int, radicand: int, bits: int) -> None:
        """Make signs that are looked for with `bits` bits first."""
        self._step = denominator, radicand
        self._bits = bits
        self._powers: dict[int, Powers] = {}

    def sign(self, terms: Iterable[tuple[int, int]]) -> int:
        """Return the sign of the sum of c exp(-K x) over the pairs (K, c)."""
        collected: dict[int, int] = {}
        for k, c in terms:
            collected[k] = collected.get(k, 0) + c
        exponents = [k for k, c in collected.items() if c]
        if not exponents:
            return 0
        first = min(exponents)
        coefficients = [collected[k] for k in exponents]
        exponents = [k - first for k in exponents]
        bits = self._bits
        while True:
            low, high = self._bounds(exponents, coefficients, bits)
            if low > 0:
                return 1
            if high < 0:
                return -1
            bits *= 2

    def _bounds(self, exponents: list[int], coefficients: list[int], bits: int) -> tuple[int, int]:
        """Return bounds of the sum in units of 2**-bits.

        A power is E + d with 0 <= d <= error, so its term is c E + c d: negative coefficients move the sum down by
        at most error * |c|, positive ones up by at most error * c.
        """
        powers = self._powers.get(bits)
        if powers is None:
            powers = self._powers[bits] = powers_of(*self._step, bits, vanishing(bits, *self._step), _POWERS)
        total = sum(c * e for c, e in zip(coefficients, powers(exponents), strict=True))
        below = sum(c for c in coefficients if c < 0)
        above = sum(c for c in coefficients if c > 0)
        return total + powers.error * below, total + powers.error * above


def refuse_masked(rows: Iterable[Iterable[object]]) -> None:
    """Refuse a row whose scores are all masked.

    Raises:
        InputError: there is one.
    """
    for number, row in enumerate(rows, 1):
        if all(score is None for score in row):
            raise InputError(f"All scores in row {number} are masked, so it has no weights: leave it out.")


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores ``rows[i][j] * sqrt(radicand) / denominator``; None is minus infinity, a masked score.

    Rows may be of different lengths. The radicand is square-free, 1 for rational scores.

    >>> Scores([[0, None]]).radicand
    1
    """

    rows: Sequence[Sequence[int | None]]
    denominator: int = 1
    radicand: int = 1

    def __post_init__(self) -> None:
        """Refuse a row without a weight, whose meaning is for the caller to say.

        Raises:
            InputError: a row whose scores are all masked, or a denominator or radicand that is not positive.
        """
        if self.denominator < 1 or self.radicand < 1:
            raise InputError("Scores need a positive denominator and a positive radicand: give the sign to the rows.")
        refuse_masked(self.rows)

    def exponent(self, score: int) -> Polynomial:
        """Return a score as a number."""
        return Polynomial.sqrt(self.radicand) * Fraction(score, self.denominator)

    def reach(self, row: Sequence[int | None]) -> int:
        """Return an upper bound of the range of the scores of a row, times the denominator."""
        return spread(row) * (isqrt(self.radicand) + 1)

    def powers(self, rows: Sequence[Sequence[int | None]], bits: int, number: Callable[[int], Any] = int) -> RowPowers:
        """Return the exponentials of some of the rows, at a precision."""
        return RowPowers(self, rows, bits, number)


class AnyPowers(Protocol):
    """Exponentials of the rows of some scores at one precision, as `RowPowers` has them."""

    one: int
    error: int

    def rows(self) -> Iterator[Row]:
        """Iterate over the rows."""

    def side(self, row: Row, value: Callable[[int], int], tau: Fraction) -> int:
        """Return the sign of (sum of value(j) N_j) / Z - tau."""

    def scores(self, row: Row) -> list[Polynomial | None]:
        """Return the scores of a row, all less one number; None where they are masked."""


class AnyScores(Protocol):
    """Scores as rows of integers, `Scores`, or of pairs of them, `symattn.exact.rows.mixed_scores.MixedScores`."""

    @property
    def rows(self) -> Sequence[Sequence[Any]]:
        """The scores; None where they are masked."""

    @property
    def denominator(self) -> int:
        """The common denominator."""

    def exponent(self, score: Any) -> Polynomial:
        """Return a score as a number."""

    def reach(self, row: Sequence[Any]) -> int:
        """Return an upper bound of the range of the scores of a row, times the denominator."""

    def powers(self, rows: Sequence[Sequence[Any]], bits: int, number: Callable[[int], Any] = int) -> AnyPowers:
        """Return the exponentials of some of the rows, at a precision."""


class Row(NamedTuple):
    """One row: N_j = exp(-K_j x) lies between E_j and E_j + error, and their sum Z between S and S + eta.

    The unit is 2**-bits. A masked score has K_j = None and E_j = N_j = 0.
    """

    exponents: Sequence[Any]
    powers: list[Any]
    total: Any
    eta: int


class RowPowers:
    """The rows of some scores with their exponentials at one precision.

    >>> (row,) = RowPowers(Scores([[0, 2, None]]), [[0, 2, None]], 20).rows()
    >>> row.exponents, row.powers, row.total  # e^-2 = 141909.5... / 2**20
    ([2, 0, None], [141909, 1048576, 0], 1190485)
    """

    def __init__(
        self, scores: Scores, rows: Sequence[Sequence[int | None]], bits: int, number: Callable[[int], Any] = int
    ) -> None:
        """Make the rows `rows`, which are some of `scores`, at `bits` bits; `number` is the type to compute with."""
        self._scores, self._rows = scores, rows
        self.one = 1 << bits
        count, largest = sum(map(len, rows)), max(map(spread, rows), default=0)
        self._powers = powers_of(scores.denominator, scores.radicand, bits, largest, count, number)
        self.error = self._powers.error
        self._sides = Sides(scores.denominator, scores.radicand, 2 * bits)

    def rows(self) -> Iterator[Row]:
        """Iterate over the rows."""
        powers = self._powers
        for row in self._rows:
            live: Any = row if None not in row else [x for x in row if x is not None]
            top = max(live)
            exponents = [top - x for x in live]
            found = powers(exponents)
            total, eta = sum(found), self.error * len(found)
            if live is row:
                yield Row(exponents, found, total, eta)
            else:
                yield Row([None if x is None else top - x for x in row], _spaced(found, row), total, eta)

    def side(self, row: Row, value: Callable[[int], int], tau: Fraction) -> int:
        """Return the sign of (sum of value(j) N_j) / Z - tau."""
        t, b = tau.numerator, tau.denominator
        return self._sides.sign((k, value(j) * b - t) for j, k in enumerate(row.exponents) if k is not None)

    def scores(self, row: Row) -> list[Polynomial | None]:
        """Return the scores of a row, all less one number; None where they are masked."""
        return [None if k is None else -self._scores.exponent(k) for k in row.exponents]


def _spaced(found: Sequence[Any], row: Sequence[int | None]) -> list[Any]:
    """Return the powers of a row with 0 where a score is masked."""
    each = iter(found)
    return [0 if x is None else next(each) for x in row]


def spread(row: Sequence[int | None]) -> int:
    """Return the largest score of a row minus the smallest.

    >>> spread([1, None, -2])
    3
    """
    live: Any = [x for x in row if x is not None] if None in row else row
    return int(max(live) - min(live))
