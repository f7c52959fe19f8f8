"""TRUSTED. Rows of weights and outputs rounded to significant figures, entry by entry.

Bounds of an entry tell its first digit, and with it where is rounded. An entry that is too small for the bounds to
tell goes the plain way, by its closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.integer_matrix import Columns
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.numerals.decimals import Rounding, round_scaled, write
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.quotients import decimals
from symattn.exact.rows.integer_scores import AnyScores, Row

_GUARD = 30
"""Bits beyond those of the figures."""
_SMALL = 256
"""Bits by which an entry may be smaller than 1, at most, and still have its figures from the bounds."""


class Cell(NamedTuple):
    """A positive value rounds, to `places`, to the index `first` or to `last` = first or first + 1."""

    first: int
    last: int
    places: int


def cell(low: int, high: int, bottom: int, top: int, figures: int, *, cut: bool) -> Cell | None:
    """Return the cell for rounding a value strictly between low / top and high / bottom to `figures`; 0 < low, bottom.

    The places are those for which low / top has `figures` digits before the point. If a power of ten lies between the
    bounds, values above it would be rounded ten times too finely; those that become that power are right all the
    same, for they are nearer to it than half the finer spacing or, cut off, become it either way. None where they do
    not, or where the bounds are too far apart.

    >>> cell(1234, 1236, 1000, 1000, 2, cut=False)
    Cell(first=12, last=12, places=1)
    """
    places = figures - 1 - _leading(low, top)
    if places >= 0:
        low, high = low * 10**places, high * 10**places
    else:
        bottom, top = bottom * 10**-places, top * 10**-places
    if cut:
        first, last = low // top, -(-high // bottom) - 1
    else:
        first, last = (2 * low + top) // (2 * top), -(-(2 * high + bottom) // (2 * bottom)) - 1
    return None if last - first > 1 or last > 10**figures else Cell(first, last, places)


def _leading(top: int, bottom: int) -> int:
    """Return the integer k with 10^k <= top / bottom < 10^(k+1)."""
    k = (top.bit_length() - bottom.bit_length()) * 30103 // 100000
    while top * 10 ** max(-k, 0) < bottom * 10 ** max(k, 0):
        k -= 1
    while top * 10 ** max(-k - 1, 0) >= bottom * 10 ** max(k + 1, 0):
        k += 1
    return k


class FiguredRows:
    """Rounds to `figures`.

    >>> from symattn.exact.rows.integer_scores import Scores
    >>> figured = FiguredRows(Scores([[0, 28]]), [[0, 28]], 4, "half-up")
    >>> [figured.weights(row) for row in figured.powers.rows()]
    [['6.914e-13', '1.000']]
    """

    def __init__(
        self,
        scores: AnyScores,
        rows: Sequence[Sequence[Any]],
        figures: int,
        ties: str,
        values: Columns | None = None,
    ) -> None:
        """Make the rows `rows` of `scores`, rounded to `figures` by the rule `ties`; `values` are those of outputs."""
        self._values = values
        self._rounding = Rounding(figures=figures, ties=ties)
        count = max(map(len, rows), default=1)
        # 3/2 > 1/ln 2: the smallest weights are about 2**-gap.
        gap = 3 * max(map(scores.reach, rows), default=0) // (2 * scores.denominator)
        bits = 2 * (10**figures).bit_length() + min(gap, _SMALL) + _GUARD + count.bit_length()
        self.powers = scores.powers(rows, bits)
        self.largest = self.powers.one
        """No number of `factors` is larger."""

    def scaled(self, row: Row) -> Row:
        """Return the row as it is."""
        return row

    def factors(self, row: Row) -> list[Any]:
        """Return the factors of the rows of V."""
        return row.powers

    def weights(self, row: Row) -> list[str]:
        """Return the row of A."""
        error, ends = self.powers.error, (row.total, row.total + row.eta)
        texts = []
        for j, (k, e) in enumerate(zip(row.exponents, row.powers, strict=True)):
            if k is None:
                texts.append(write(0, 0, self._rounding))
                continue
            text = self._text(e, e + error, ends, partial(self._weight_side, row, j))
            texts.append(text or "")
        small = [j for j, text in enumerate(texts) if not text]
        if small:  # all at once: they share their exponentials and the sum under the bar
            weights = _closed(self.powers.scores(row)).rows[0]
            for j, text in zip(small, decimals([weights[j] for j in small], self._rounding), strict=True):
                texts[j] = text
        return texts

    def outputs(self, row: Row, numerators: Sequence[Any]) -> list[str]:
        """Return the row of O, whose numerators are the sums of E_j v_j."""
        values = self._values
        if values is None:
            raise ArithmeticError("outputs were asked for without values")
        slack, below = self.powers.error * values.most, values.denominator
        ends = row.total * below, (row.total + row.eta) * below
        texts = []
        for n, column in zip(numerators, values.columns, strict=True):
            text = self._text(n - slack, n + slack, ends, partial(self._output_side, row, column))
            texts.append(text or "")
        small = [c for c, text in enumerate(texts) if not text]
        if small:  # as above
            columns = Matrix(list(zip(*(values.columns[c] for c in small), strict=True)))
            outputs = _closed(self.powers.scores(row)) @ columns.scale(Fraction(1, below))
            for c, text in zip(small, decimals(outputs, self._rounding), strict=True):
                texts[c] = text
        return texts

    def _weight_side(self, row: Row, j: int, tau: Fraction) -> int:
        return self.powers.side(row, lambda i: int(i == j), tau)

    def _output_side(self, row: Row, column: Sequence[int], tau: Fraction) -> int:
        return self.powers.side(row, column.__getitem__, tau * (self._values.denominator if self._values else 1))

    def _text(self, low: int, high: int, ends: tuple[int, int], side: Callable[[Fraction], int]) -> str | None:
        """Return the text of N / Z with low <= N <= high and Z between the ends; None where these do not tell.

        `side` gives the sign of N / Z minus a number. A negative value is rounded as its opposite, but for ties.
        """
        ties, factor = self._rounding.ties, -1 if high < 0 else 1
        low, high = sorted((factor * low, factor * high))
        found = cell(low - 1, high + 1, *ends, self._rounding.figures or 0, cut=ties == "truncate") if low > 1 else None
        if found is None:
            return None
        index = factor * found.first
        if found.first < found.last:
            index = self._settled(found, factor, side)
        return write(index, found.places, self._rounding)

    def _settled(self, found: Cell, factor: int, side: Callable[[Fraction], int]) -> int:
        """Return the index of a value, positive or negative, whose size is near the lower boundary of `found.last`."""
        ties = self._rounding.ties
        twice = 2 * found.last - (ties != "truncate")
        beyond = factor * side(Fraction(factor * twice, 2) / Fraction(10) ** found.places)
        if beyond:
            return factor * (found.last if beyond > 0 else found.first)
        return round_scaled(factor * twice, 2, ties)


def _closed(scores: Sequence[Polynomial | None]) -> Matrix:
    """Return the weights of a row in closed form."""
    entries = [MINUS_INFINITY if score is None else Quotient.of(score) for score in scores]
    return softmax_rows(Matrix([entries]))
