"""TRUSTED. Rows of weights and outputs rounded to places after the point, a whole row at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from symattn.exact.linear.algorithm_selection import integers_of
from symattn.exact.linear.integer_matrix import Columns
from symattn.exact.rows.decimal_text import fixed_texts, weight_texts
from symattn.exact.rows.integer_scores import AnyScores, Row
from symattn.exact.rows.rounding_grid import Grid, RowBounds, output_margin, weight_margins

_GUARD = 22
"""Bits beyond those that the bounds need: one entry in 2**20, about, is in doubt."""
_ERROR_BITS = 4
"""Bits of the error of a power that are foreseen."""


class Scaled(NamedTuple):
    """A row with the weights 10**places e_j / S in units of 2**-shift, plus `start`."""

    row: Row
    bounds: RowBounds
    start: int
    numbers: list[Any]


class PlacedRows:
    """Rows rounded to `places` after the point.

    >>> from symattn.exact.rows.integer_scores import Scores
    >>> placed = PlacedRows(Scores([[0, 1]]), [[0, 1]], 4, "half-up")
    >>> [placed.weights(placed.scaled(row)) for row in placed.powers.rows()]
    [['0.2689', '0.7311']]
    """

    def __init__(
        self,
        scores: AnyScores,
        rows: Sequence[Sequence[Any]],
        places: int,
        ties: str,
        values: Columns | None = None,
    ) -> None:
        """Make the rows `rows` of `scores`, rounded to `places` by the rule `ties`; `values` are those of outputs."""
        number = integers_of(places)
        self._ten = number(10**places)
        self._values = values
        count = max(map(len, rows), default=1)
        bits, size = self._ten.bit_length() + count.bit_length() + _ERROR_BITS + _GUARD, 0
        if values is not None:
            size = (values.most // values.denominator).bit_length()
            bits += (values.largest // values.denominator).bit_length()
        self._weights = Grid(places, ties, bits + size + _GUARD)
        self._outputs = Grid(places, ties, size + _GUARD)
        self._cut = self._weights.shift - self._outputs.shift
        self.powers = scores.powers(rows, bits, number)
        self.largest = (10**places + 1) << self._outputs.shift
        """No number of `factors` is larger: e_j R + start is at most 10**places + 1/2, and not less than -1."""

    def scaled(self, row: Row) -> Scaled:
        """Return the weights of a row before they are rounded."""
        grid = self._weights
        reciprocal = (self._ten << grid.shift) // row.total
        bounds = RowBounds(reciprocal, self.powers.error, row.eta, self.powers.one)
        start = grid.start(weight_margins(bounds)[0])
        return Scaled(row, bounds, start, [e * reciprocal + start for e in row.powers])

    def weights(self, scaled: Scaled) -> list[str]:
        """Return the row of A."""
        grid = self._weights
        indices, doubts = grid.floors(scaled.numbers, sum(weight_margins(scaled.bounds)) + 2)
        for j in doubts:
            indices[j] = self._settled_weight(scaled.row, j, indices[j])
        return weight_texts(indices, grid.places)

    def _settled_weight(self, row: Row, column: int, index: int) -> int:
        if index <= 0 or row.exponents[column] is None:
            return 0  # a weight is not negative, so a boundary that is not positive lies below it
        side = self.powers.side(row, lambda j: int(j == column), self._weights.boundary(index))
        return self._weights.beside(index, side)

    def factors(self, scaled: Scaled) -> list[Any]:
        """Return the factors of the rows of V."""
        cut = self._cut
        return [number >> cut for number in scaled.numbers]

    def outputs(self, scaled: Scaled, sums: Sequence[Any]) -> list[str]:
        """Return the row of O, given the sums of the `factors` times each column of V."""
        grid, values = self._outputs, self._values
        if values is None:
            raise ArithmeticError("outputs were asked for without values")
        below = values.denominator
        margin = output_margin(scaled.bounds, values.largest, values.most, self._cut) // below + 1
        offset, start = scaled.start >> self._cut, grid.start(margin)
        numbers = [(s - offset * t) // below + start for s, t in zip(sums, values.totals, strict=True)]
        floors, doubts = grid.floors(numbers, 2 * margin + 3)
        indices = floors if grid.ties != "truncate" else [grid.toward_zero(floor) for floor in floors]
        for c in doubts:
            tau = grid.boundary(floors[c]) * below
            indices[c] = grid.beside(floors[c], self.powers.side(scaled.row, values.columns[c].__getitem__, tau))
        return fixed_texts(indices, grid.places)
