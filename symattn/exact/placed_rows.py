"""TRUSTED. Rows of weights and outputs rounded to places after the point, a whole row at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symattn.exact.cells import Grid, output_margin, weight_margins
from symattn.exact.choices import integers_of
from symattn.exact.integer_rows import Row, RowPowers, Scores
from symattn.exact.integral import Columns, sum_bits
from symattn.exact.texts import fixed_texts, weight_texts

_GUARD = 22
"""Bits beyond those that the bounds need: one entry in 2**20, about, is in doubt."""
_ERROR_BITS = 4
"""Bits of the error of a power that are foreseen."""


class PlacedRows:
    """Rounds to `places`.

    >>> placed = PlacedRows(Scores([[0, 1]]), [[0, 1]], 4, "half-up")
    >>> [placed.weights(row) for row in placed.powers.rows()]
    [['0.2689', '0.7311']]
    """

    def __init__(
        self,
        scores: Scores,
        rows: Sequence[Sequence[int | None]],
        places: int,
        ties: str,
        values: Columns | None = None,
    ) -> None:
        """The rows `rows` of `scores`, to be rounded to `places` by the rule `ties`; `values` are those of outputs."""
        number = integers_of(places)
        self._ten = number(10**places)
        self._values = values
        count = max(map(len, rows), default=1)
        bits = self._ten.bit_length() + count.bit_length() + _ERROR_BITS + _GUARD
        if values is not None:
            size = sum_bits(count, 1, values.largest)
            bits += (values.largest // values.denominator).bit_length() + count.bit_length()
            self._outputs = Grid(places, ties, bits + _GUARD + size)
        self._weights = Grid(places, ties, bits + _GUARD)
        self.powers = RowPowers(scores, rows, bits, number)

    def weights(self, row: Row) -> list[str]:
        """The row of A."""
        grid = self._weights
        reciprocal = (self._ten << grid.shift) // row.total
        margins = weight_margins(reciprocal, self.powers.error, row.eta, self.powers.one)
        indices, doubts = grid.floors(row.powers, reciprocal, *margins)
        for j in doubts:
            indices[j] = self._settled_weight(row, j, indices[j])
        return weight_texts(indices, grid.places)

    def _settled_weight(self, row: Row, column: int, index: int) -> int:
        if index <= 0 or row.exponents[column] is None:
            return 0  # a weight is not negative, so a boundary that is not positive lies below it
        side = self.powers.side(row, lambda j: int(j == column), self._weights.boundary(index))
        return self._weights.beside(index, side)

    def outputs(self, row: Row, numerators: Sequence[Any]) -> list[str]:
        """The row of O, whose numerators are the sums of E_j v_j."""
        grid, values = self._outputs, self._values
        if values is None:
            raise ArithmeticError("outputs were asked for without values")
        reciprocal = (self._ten << grid.shift) // (row.total * values.denominator)
        margin = output_margin(reciprocal, row.total, row.eta, values.largest, self.powers.error * values.most)
        floors, doubts = grid.floors(numerators, reciprocal, margin, margin)
        indices = floors if grid.ties != "truncate" else [grid.toward_zero(floor) for floor in floors]
        for c in doubts:
            tau = grid.boundary(floors[c]) * values.denominator
            indices[c] = grid.beside(floors[c], self.powers.side(row, values.columns[c].__getitem__, tau))
        return fixed_texts(indices, grid.places)
