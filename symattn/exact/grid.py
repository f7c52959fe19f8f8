"""TRUSTED. The scores of a softmax as integer multiples of one step: exactly on a lattice, or in fixed point.

Rational scores with small denominators are integer multiples of one number, and exponentials of them are powers of
one base. Where the common denominator is huge (decimals of twenty digits, binary floats of many sizes), scores are
taken in fixed point instead, with a bound for what is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Protocol

from symattn.exact import choices
from symattn.exact.enclosure import fixed_point
from symattn.exact.polynomial import Polynomial
from symattn.exact.powers import Powers
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a softmax: entry (i, j) is ``rows[i][j] theta / (row_denominators[i] column_denominators[j])``.

    Attributes:
        rows: integers, n_q rows of n_k; None for a key that is hidden, whose weight is 0.
        row_denominators: one for each query, positive.
        column_denominators: one for each key, positive.
        theta: a positive number that multiplies all of them, rational or one times a square root.
    """

    rows: Sequence[Sequence[int | None]]
    row_denominators: Sequence[int]
    column_denominators: Sequence[int]
    theta: Polynomial

    def score(self, i: int, j: int) -> Polynomial:
        """A score that is not hidden.

        >>> str(Scores([[3]], [2], [1], Polynomial(1)).score(0, 0))
        '3/2'
        """
        return self.theta * Fraction(self.rows[i][j] or 0, self.row_denominators[i] * self.column_denominators[j])


class Grid(Protocol):
    """Exponents as integers: score j of a row lies ``K_j u`` below a number that none of its scores exceeds.

    Attributes:
        powers: of the step u.
        blur: how much more than their own deficit bounds of exponentials may miss, because K is not exact.
        is_exact: whether equal K are equal scores, and differences of K differences of scores.
    """

    powers: Powers
    blur: int
    is_exact: bool

    def exponents(self, i: int, visible: Sequence[int] | None) -> list[int]:
        """The K of a row, of all keys or of those that are seen."""


def grid_of(scores: Scores, bits: int) -> Grid:
    """The grid for exponentials in fixed point with so many bits."""
    common = lcm(*scores.row_denominators).bit_length() + lcm(*scores.column_denominators).bit_length()
    return Lattice(scores, bits) if choices.is_lattice(common, bits) else FixedPoint(scores, bits)


class Lattice:
    """All scores are integer multiples of ``theta / L`` for the product L of both common denominators."""

    blur = 0
    is_exact = True

    def __init__(self, scores: Scores, bits: int) -> None:
        """Makes the powers for the largest difference in a row.

        >>> Lattice(Scores([[1, 3]], [2], [1, 2], Polynomial(1)), 20).exponents(0, None)
        [1, 0]
        """
        by_row, by_column = lcm(*scores.row_denominators), lcm(*scores.column_denominators)
        self._rows = scores.rows
        self._row_factors = [by_row // own for own in scores.row_denominators]
        self._factors = [by_column // own for own in scores.column_denominators]
        self._is_plain = all(factor == 1 for factor in self._factors)
        largest = max(self._spread(i) for i in range(len(scores.rows)))
        step = scores.theta * Fraction(1, by_row * by_column)
        self.powers = Powers(step, bits, largest, len(scores.rows) * len(self._factors))

    def exponents(self, i: int, visible: Sequence[int] | None) -> list[int]:
        """See `Grid`: differences to the largest score of the row."""
        scores = self._multiples(i, visible)
        largest = max(scores)
        return [largest - score for score in scores]

    def _spread(self, i: int) -> int:
        seen = [j for j, score in enumerate(self._rows[i]) if score is not None] if None in self._rows[i] else None
        if seen == []:
            return 0
        scores = self._multiples(i, seen)
        return max(scores) - min(scores)

    def _multiples(self, i: int, visible: Sequence[int] | None) -> list[int]:
        row, factor = self._rows[i], self._row_factors[i]
        own = range(len(row)) if visible is None else visible
        if self._is_plain:
            return [(row[j] or 0) * factor for j in own]
        factors = self._factors
        return [(row[j] or 0) * factors[j] * factor for j in own]


class FixedPoint:
    """Scores in units of 2**-F, for F = bits + 2, each off by less than 2 units.

    For a score ``s = n theta / q`` and an integer H with ``H <= theta 2**(F + g) <= H + w``, the integer
    ``y = floor(n H / (q 2**g))`` has ``|y - 2**F s| <= |n| w / (q 2**g) + 1``, which is at most 2 where
    ``|n| w <= q 2**g``. With Y the largest y of the row, no score exceeds (Y + 2) 2**-F, and score j lies x units
    below that with ``Y - y_j <= x <= Y - y_j + 4``. So K = Y - y_j + 4 has ``exp(-K u) <= exp(-x u)``, and what is
    missing is at most ``1 - exp(-4 u) <= 4 u = 4 2**-F = 2**-bits``, one unit of the powers.
    """

    blur = 1
    is_exact = False

    def __init__(self, scores: Scores, bits: int) -> None:
        """Makes the powers.

        >>> FixedPoint(Scores([[1, 0]], [2], [1, 1], Polynomial(1)), 4).exponents(0, None)
        [4, 36]
        """
        self._scores = scores
        fine = bits + 2
        over = min(scores.row_denominators).bit_length() + min(scores.column_denominators).bit_length() - 2
        longest = max(abs(n).bit_length() for row in scores.rows for n in row if n is not None)
        self._guard = max(longest - over, 0) + 2
        self._theta, width = fixed_point(scores.theta, fine + self._guard)
        if width > 2:
            raise ArithmeticError("the factor of the scores is not as fine as its bound says")
        largest = max(max(self.exponents(i, self._seen(i))) for i in range(len(scores.rows)))
        self.powers = Powers(Polynomial(Fraction(1, 1 << fine)), bits, largest, len(scores.rows) * len(scores.rows[0]))

    def _seen(self, i: int) -> list[int]:
        return [j for j, score in enumerate(self._scores.rows[i]) if score is not None]

    def exponents(self, i: int, visible: Sequence[int] | None) -> list[int]:
        """See `Grid`."""
        scores, theta = self._scores, self._theta
        row, by_row, by_column = scores.rows[i], scores.row_denominators[i] << self._guard, scores.column_denominators
        own = range(len(row)) if visible is None else visible
        units = [(row[j] or 0) * theta // (by_row * by_column[j]) for j in own]
        largest = max(units) + 4
        return [largest - unit for unit in units]
