"""TRUSTED. Rows of weights and outputs between integers over a power of two, all of a row equally wide.

They are the bounds that `certified_rows` rounds, in units of 2**-bits instead of 10**-places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from symattn.exact.linear.integer_matrix import Columns, Factor, IntegerMatrix
from symattn.exact.rows.certified_rows import PlacedRows, Scaled, check_scores, weight_margins
from symattn.exact.rows.integer_scores import AnyScores

_BLOCK = 64
_SMALL = 256
"""Bits by which a weight may be smaller than 1, at most, and still be enclosed as narrowly as a large one."""


class Bounds(NamedTuple):
    """A row: ``low <= value * 2**bits <= low + width`` for each of `lows`; None stands for a value that is 0."""

    lows: Sequence[int | None]
    width: int


class Enclosure(NamedTuple):
    """A matrix as rows of bounds in units of 2**-bits; None in the place of a row without such bounds."""

    bits: int
    rows: Iterable[Bounds | None]


class _EnclosedRows(PlacedRows):
    """Rows in units of 2**-bits, as `PlacedRows` has them before it rounds."""

    def __init__(
        self, scores: AnyScores, rows: Sequence[Sequence[Any]], bits: int, values: Columns | None = None
    ) -> None:
        super().__init__(scores, rows, 0, "truncate", values, unit=1 << bits)

    def weight_bounds(self, scaled: Scaled) -> Bounds:
        """Return the row of A; a weight is not negative."""
        shift, exponents = self._weights.shift, scaled.row.exponents
        lows = [None if k is None else max(q >> shift, 0) for k, q in zip(exponents, scaled.numbers, strict=True)]
        return Bounds(lows, _width(sum(weight_margins(scaled.bounds)) + 2, shift))

    def output_bounds(self, scaled: Scaled, sums: Sequence[Any]) -> Bounds:
        """Return the row of O, given the sums of the `factors` times each column of V."""
        numbers, width = self.scaled_outputs(scaled, sums)
        shift = self._outputs.shift
        return Bounds([q >> shift for q in numbers], _width(width, shift))


def _width(width: int, shift: int) -> int:
    """Return the width of floor(q / 2**shift) to ceil((q + width) / 2**shift), whatever q is.

    >>> _width(3, 2), _width(4, 2)
    (2, 3)
    """
    return (width >> shift) + 2


def enclosed_weights(scores: AnyScores, bits: int) -> Enclosure:
    """Return the rows of A = softmax(scores), the smallest weight to about `bits` bits.

    >>> from symattn.exact.rows.integer_scores import Scores
    >>> bits, rows = enclosed_weights(Scores([[0, 1, None]]), 20)  # 0.2689... and 0.7310... times 2**23
    >>> bits, list(rows)
    (23, [Bounds(lows=[2256044, 6132563, None], width=2)])
    """
    # 3/2 > 1/ln 2: the smallest weights are about 2**-gap.
    gap = 3 * max(map(scores.reach, scores.rows), default=0) // (2 * scores.denominator)
    bits += min(gap, _SMALL)
    return Enclosure(bits, placed_weights(scores, bits))


def placed_weights(scores: AnyScores, bits: int) -> Iterator[Bounds]:
    """Iterate over the rows of A = softmax(scores) in units of 2**-bits.

    >>> from symattn.exact.rows.integer_scores import Scores
    >>> list(placed_weights(Scores([[0, 0, None]]), 10))
    [Bounds(lows=[511, 511, None], width=2)]
    """
    layer = _EnclosedRows(scores, scores.rows, bits)
    return map(layer.weight_bounds, map(layer.scaled, layer.powers.rows()))


def enclosed_outputs(scores: AnyScores, values: IntegerMatrix, bits: int) -> Enclosure:
    """Return the rows of O = softmax(scores) V in units of 2**-bits.

    Raises:
        ShapeError: a row has another number of scores than V has rows.

    >>> from symattn.exact.rows.integer_scores import Scores
    >>> list(enclosed_outputs(Scores([[0, 1]]), IntegerMatrix([[1], [2]]), 20).rows)  # 1.7310... * 2**20
    [Bounds(lows=[1815146], width=2)]
    """
    check_scores(scores.rows, values)
    layer = _EnclosedRows(scores, scores.rows, bits, Columns(values))
    return Enclosure(bits, _outputs(layer, Factor(values.rows, rows=len(scores.rows), largest=layer.largest)))


def _outputs(layer: _EnclosedRows, factor: Factor) -> Iterator[Bounds]:
    scaled = map(layer.scaled, layer.powers.rows())
    while block := list(islice(scaled, _BLOCK)):
        for row, sums in zip(block, factor.times(list(map(layer.factors, block))), strict=True):
            yield layer.output_bounds(row, sums)


def enclosed_rationals(matrix: IntegerMatrix, bits: int) -> Enclosure:
    """Return the rows of a matrix of rationals in units of 2**-bits.

    >>> enclosed_rationals(IntegerMatrix([[1, 0]], 3), 4).rows
    [Bounds(lows=[5, None], width=1)]
    """
    below = matrix.denominator
    return Enclosure(bits, [Bounds([(x << bits) // below if x else None for x in row], 1) for row in matrix.rows])
