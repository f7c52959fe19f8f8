"""TRUSTED. Softmax and outputs of rows of integer scores, as certified decimals: the quick way for numbers.

The exponentials of a row are lower bounds, with one bound for the errors of all (`powers`, `integer_scores`). Their
sum and the quotients follow with bounds (`rounding_grid`), and where no boundary of the rounding lies between the
bounds of an entry, its digits are proved. What is in doubt then, one entry in some hundred thousand of random data, is
settled by an exact sign (`boundary_sign`), exact ties included. So each text is the correctly rounded one, the same as
that of `symattn.exact.rounding.quotients.decimals` for the closed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.errors import ShapeError
from symattn.exact.linear.integer_matrix import Columns, Factor, IntegerMatrix
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.rows.decimal_places import PlacedRows
from symattn.exact.rows.integer_scores import AnyScores, Scores

if TYPE_CHECKING:
    from symattn.exact.rows import significant_figures
else:
    significant_figures = late.module("symattn.exact.rows.significant_figures")

__all__ = ["Scores", "layer_rows", "weight_rows"]

_BLOCK = 64
"""Rows whose exponentials are held at a time."""


def weight_rows(scores: AnyScores, rounding: Rounding, start: int = 0, stop: int | None = None) -> Iterator[list[str]]:
    """Return the rows `start` to `stop` of A = softmax(scores), correctly rounded.

    >>> list(weight_rows(Scores([[0, 1], [3, None]]), Rounding(places=4)))
    [['0.2689', '0.7311'], ['1.0000', '0.0000']]
    """
    layer = _rounder(scores, rounding, start, stop, None)
    return map(layer.weights, map(layer.scaled, layer.powers.rows()))


def layer_rows(
    scores: AnyScores, values: IntegerMatrix, rounding: Rounding, start: int = 0, stop: int | None = None
) -> Iterator[tuple[list[str], list[str]]]:
    """Iterate over the rows `start` to `stop` of A = softmax(scores) and of O = A V, correctly rounded.

    Raises:
        ShapeError: a row has another number of scores than V has rows.

    >>> list(layer_rows(Scores([[0, 1]]), IntegerMatrix([[1, 0], [2, 0]]), Rounding(places=4)))
    [(['0.2689', '0.7311'], ['1.7311', '0.0000'])]
    """
    count = values.shape[0]
    rows = scores.rows[start:stop]
    if any(len(row) != count for row in rows):
        raise ShapeError(f"A row of scores has not {count} entries, one for each row of V: give as many.")
    layer = _rounder(scores, rounding, start, stop, Columns(values))
    factor = Factor(values.rows, rows=len(rows), largest=layer.largest)
    scaled = map(layer.scaled, layer.powers.rows())
    while block := list(islice(scaled, _BLOCK)):
        for row, sums in zip(block, factor.times(list(map(layer.factors, block))), strict=True):
            yield layer.weights(row), layer.outputs(row, sums)


def _rounder(scores: AnyScores, rounding: Rounding, start: int, stop: int | None, values: Columns | None) -> Any:
    """Return the rounder of the rows; each kind has rows of its own, which it alone looks into."""
    rows = scores.rows[start:stop]
    if rounding.places is not None:
        return PlacedRows(scores, rows, rounding.places, rounding.ties, values)
    return significant_figures.FiguredRows(scores, rows, rounding.figures or 1, rounding.ties, values)
