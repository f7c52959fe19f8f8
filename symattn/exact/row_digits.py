"""TRUSTED. Rows of softmax weights, and of what they average, as correctly rounded strings: in integers throughout.

For the scores s_j of a row and a number m that none of them exceeds, ``e_j = exp(s_j - m)``, ``Z = sum e_j``,
``a_j = e_j / Z`` and ``o = sum a_j v_j``. In fixed point every e_j has a lower bound t_j with a deficit d (see
`symattn.exact.powers`): ``t_j <= 2**P e_j <= t_j + d``. With ``T = sum t_j`` over n keys, ``T <= 2**P Z <= T + n d``.

A weight, or an output less the smallest value of its column, times 10**places lies between ``y / 2**S`` and
``(y + E) / 2**S`` with the integers of `_Scale`. If both ends round to one integer, that is the answer. If a
boundary lies between them, the side is told by the exact sign of an integer combination of exponentials
(`_Row.sign`), whatever the gap of the scores; a sum that vanishes is the boundary itself, and the rule for ties
decides. The strings are those of `symattn.exact.rounding`, with which the tests compare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lcm
from typing import Any

from symattn.errors import InputError
from symattn.exact.decimals import Rounding, round_scaled
from symattn.exact.digits import natural_text
from symattn.exact.expsum import ExpSum
from symattn.exact.figures import figures_text
from symattn.exact.grid import Grid, Scores, grid_of
from symattn.exact.integral import Factor, IntegerMatrix
from symattn.exact.polynomial import ONE
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import decimals
from symattn.exact.sign import sign

_RESERVE = 16
"""Bits beyond those that are printed: about one entry in 2**16 is doubtful and costs an exact sign."""
_DEFICIT_BITS = 12
"""What is set aside for the deficit of an exponential; `_Scale` checks that it is enough."""
_SMALL = 64
"""Bits more for figures: weights down to 2**-64 have theirs from the bounds, smaller ones from closed forms."""
_NATIVE = 600
"""Digits up to which `str` takes an integer whatever limit is set; see `symattn.exact.digits`."""
_BLOCK = 128
"""Rows that are worked out together."""


class RowDigits:
    """Certified strings of the weights of a softmax and of the outputs, row by row.

    Args:
        scores: of n_q queries and n_k keys.
        rounding: to places or to figures.
        values: the transpose of V, d_v rows of n_k values; None for the weights alone.

    Raises:
        InputError: every key of a query is hidden, so that its weights have no value.

    >>> from symattn.exact.polynomial import Polynomial
    >>> scores = Scores([[0, 1]], [1], [1, 1], Polynomial(1))
    >>> list(RowDigits(scores, Rounding(places=4), IntegerMatrix(((1, -1),), (2,))).rows())
    [(['0.2689', '0.7311'], ['-0.2311'])]
    """

    def __init__(self, scores: Scores, rounding: Rounding, values: IntegerMatrix | None = None) -> None:
        """Makes the tables that all rows share."""
        self._scores = scores
        self._rounding = rounding
        self._places = rounding.places or 0
        keys = len(scores.column_denominators)
        ten = (10 ** (rounding.places or rounding.figures or 0)).bit_length()
        reserve = _RESERVE if rounding.figures is None else _RESERVE + _SMALL
        self._values = None if values is None else _Values(values, ten + reserve)
        size = 1 if self._values is None else self._values.size
        self._bits = ten + keys.bit_length() + size.bit_length() + reserve + _DEFICIT_BITS
        self._shift = self._bits + keys.bit_length() + size.bit_length() + _RESERVE
        self._grid = grid_of(scores, self._bits)

    def rows(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[list[str], list[str]]]:
        """The texts of the weights and of the outputs of the rows from `start` up to `stop`, which is left out."""
        last = len(self._scores.rows) if stop is None else stop
        for first in range(start, last, _BLOCK):
            block = [_Row(self._scores, self._grid, i) for i in range(first, min(first + _BLOCK, last))]
            sums = self._values.averages([row.spread() for row in block]) if self._values else ([] for _ in block)
            for row, own in zip(block, sums, strict=True):
                yield self._weights(row), self._outputs(row, own)

    def _weights(self, row: _Row) -> list[str]:
        if self._rounding.figures is not None:
            return row.among_all([row.weight_by_figures(at, self._rounding) for at in range(len(row.bounds))], "0")
        scale = _Scale(row, self._places, self._shift)
        ties, factor = self._rounding.ties, scale.factor
        found, doubtful = scale.indices([bound * factor for bound in row.bounds], ties)
        known: dict[int, int] = {}  # equal scores have equal weights
        for at in doubtful:
            key = row.exponents[at]
            if key not in known:
                unit = [0] * len(found)
                unit[at] = 1
                known[key] = row.settled(found[at], unit, 1, self._places, ties)
            found[at] = known[key]
        return row.among_all(_texts(found, self._places), _texts([0], self._places)[0])

    def _outputs(self, row: _Row, sums: Sequence[int]) -> list[str]:
        values = self._values
        if values is None:
            return []
        if self._rounding.figures is not None:
            return [row.output_by_figures(values, at, total, self._rounding) for at, total in enumerate(sums)]
        scale = _Scale(row, self._places, self._shift, values)
        ties, factor = self._rounding.ties, scale.factor
        starts = values.starts(self._places, self._shift)
        found, doubtful = scale.indices([n * factor + start for n, start in zip(sums, starts, strict=True)], ties)
        for at in doubtful:
            numerators, denominator = values.exact(at)
            own = numerators if row.visible is None else [numerators[k] for k in row.visible]
            found[at] = row.settled(found[at], own, denominator, self._places, ties)
        return _texts(found, self._places)


class _Scale:
    """From a numerator to the integer that a value times 10**places rounds to.

    The value is x = N* / (2**P Z D) with N <= N* <= N + r for a numerator N that is known, D = 1 and r = d for a
    weight. With 0 <= N <= v T for the largest v there is (1 for a weight),

        y = N R,  R = floor(2**S 10**places / ((T + n d) D)),

    is at most 2**S 10**places x. As N* <= N + r and 2**P Z >= T, what is missing is less than

        2**S 10**places (N + r) / (T D) - N (2**S 10**places / ((T + n d) D) - 1)
            = 2**S 10**places (r / (T D) + N n d / (T (T + n d) D)) + N
           <= 2**S 10**places (r + v n d) / (T D) + v T.

    E is that, rounded up, and two more for a start that was moved down (`_Values.starts`).

    Both bounds may be the value itself only above: y lies strictly below it, because no exponential lacks
    as much as its deficit, which makes R too small, or because of the start. So a value that is a boundary is always doubtful.
    """

    def __init__(self, row: _Row, places: int, shift: int, values: _Values | None = None) -> None:
        """The integers R and E for one row."""
        scaled = 10**places << shift
        total, spread = row.total, row.deficit * len(row.bounds)
        if values is None:
            denominator, size, missing = 1, 1, row.deficit
        else:
            denominator, size = values.denominator, values.size
            missing = values.missing(row.deficit, total + spread)
        self.shift = shift
        self.factor = scaled // ((total + spread) * denominator)
        self.error = scaled * (missing + size * spread) // (total * denominator) + size * total + 3
        if self.error >> shift:
            raise ArithmeticError("a value is enclosed less finely than its digits need")

    def indices(self, lower: Sequence[int], ties: str) -> tuple[list[int], list[int]]:
        """What lower bounds in units of 2**-S round to, and the places in the list where the upper one does not."""
        shift = self.shift
        if ties == "truncate":
            found = [y >> shift for y in lower]
        else:
            half = 1 << shift - 1
            lower = [y + half for y in lower]
            found = [z >> shift for z in lower]
        mask = (1 << shift) - 1
        most = mask - self.error
        doubtful = [at for at, z in enumerate(lower) if z & mask > most]
        if ties == "truncate":
            unsure = set(doubtful)
            found = [index + 1 if index < 0 and at not in unsure else index for at, index in enumerate(found)]
        return found, doubtful


class _Row:
    """One row of scores with the lower bounds of its exponentials; lists hold the keys that are seen, in order."""

    def __init__(self, scores: Scores, grid: Grid, i: int) -> None:
        """Looks the exponentials up."""
        self._scores, self._grid, self._i = scores, grid, i
        row = scores.rows[i]
        self.keys = len(row)
        self.visible = [j for j, score in enumerate(row) if score is not None] if None in row else None
        if self.visible == []:
            raise InputError(f"Row {i + 1}: every key is hidden, so its weights have no value: leave the row out.")
        self.exponents = grid.exponents(i, self.visible)
        self.bounds = grid.powers.many(self.exponents)
        self.deficit = grid.powers.deficit + grid.blur
        self.total = sum(self.bounds)

    def among_all(self, found: list[str], hidden: str) -> list[str]:
        """The texts of all keys, hidden ones included."""
        if self.visible is None:
            return found
        texts = [hidden] * self.keys
        for j, text in zip(self.visible, found, strict=True):
            texts[j] = text
        return texts

    def spread(self) -> Sequence[int]:
        """The bounds of all keys; those of hidden ones are 0."""
        if self.visible is None:
            return self.bounds
        bounds = [0] * self.keys
        for j, bound in zip(self.visible, self.bounds, strict=True):
            bounds[j] = bound
        return bounds

    def settled(self, index: int, numerators: Sequence[int], denominator: int, places: int, ties: str) -> int:
        """What ``sum a_k numerators[k] / denominator`` rounds to, where the boundary above `index` may lie below it."""
        ten: int = 10**places
        is_cut = ties == "truncate"
        top, bottom = (index + 1, ten) if is_cut else (2 * index + 1, 2 * ten)
        side = self.sign([bottom * n - top * denominator for n in numerators])
        if not side:
            return index + 1 if is_cut else round_scaled(top, 2, ties)
        index += side > 0
        return index + 1 if is_cut and index < 0 else index

    def sign(self, coefficients: Sequence[int]) -> int:
        """The sign of ``sum c_k exp(s_k)``.

        On a lattice equal exponents are equal scores: their coefficients are added, and the first that is not zero,
        c at K, has all others behind it. They are smaller in size than c where their sum is; or the bounds tell, of
        which each is off by at most the deficit times its coefficient. Whatever these leave open is told exactly.
        """
        if self._grid.is_exact:
            merged: dict[int, int] = {}
            for k, c in zip(self.exponents, coefficients, strict=True):
                merged[k] = merged.get(k, 0) + c
            terms = sorted((k, c) for k, c in merged.items() if c)
            if not terms:
                return 0
            first, leading = terms[0]
            size = sum(abs(c) for _, c in terms)
            if 2 * abs(leading) >= size:
                return 1 if leading > 0 else -1
            bounds = self._grid.powers.many([k - first for k, _ in terms])
            total = sum(c * bound for (_, c), bound in zip(terms, bounds, strict=True))
            if abs(total) > size * self.deficit:
                return 1 if total > 0 else -1
        return sign(self._sum(coefficients))

    def _sum(self, coefficients: Sequence[int]) -> ExpSum:
        table: dict[Any, int] = {}
        for j, c in zip(self.visible or range(self.keys), coefficients, strict=True):
            key = self._scores.score(self._i, j), ONE
            table[key] = table.get(key, 0) + c
        return ExpSum.from_table(table, 1)

    def weight_by_figures(self, at: int, rounding: Rounding) -> str:
        """The text of a weight, to significant figures."""
        low = self.bounds[at], self.total + self.deficit * len(self.bounds)
        text = figures_text(low, (self.bounds[at] + self.deficit, self.total), rounding)
        return text or self._plain([int(k == at) for k in range(len(self.bounds))], 1, rounding)

    def output_by_figures(self, values: _Values, column: int, total: int, rounding: Rounding) -> str:
        """The text of an output, to significant figures."""
        most = self.total + self.deficit * len(self.bounds)
        start, denominator = values.least[column], values.denominator
        low = start * most + total, most * denominator
        high = start * self.total + total + values.missing(self.deficit, most), self.total * denominator
        text = figures_text(low, high, rounding)
        if text:
            return text
        numerators, own = values.exact(column)
        return self._plain(numerators if self.visible is None else [numerators[k] for k in self.visible], own, rounding)

    def _plain(self, numerators: Sequence[int], denominator: int, rounding: Rounding) -> str:
        """The text by way of the closed form."""
        value = Quotient(self._sum(numerators), self._sum([denominator] * len(numerators)))
        return decimals([value], rounding)[0]


class _Values:
    """What the weights average: columns of integers over one denominator, each less its smallest entry.

    Where the common denominator is longer than the digits need, entries are cut to fixed point, down; then every
    value lies less than one unit above what stands here, which `missing` counts.

    Attributes:
        denominator: D.
        size: the largest of the integers, at least 1.
        least: what was taken off each column.
    """

    def __init__(self, values: IntegerMatrix, bits: int) -> None:
        """Brings all columns over one denominator, which has no more than so many bits."""
        self._given = values
        common = lcm(*values.denominators)
        self._is_cut = common.bit_length() > bits
        self.denominator = 1 << bits if self._is_cut else common
        pairs = zip(values.rows, values.denominators, strict=True)
        columns = [[n * self.denominator // own for n in row] for row, own in pairs]
        self.least = [min(column) for column in columns]
        self._columns = [[n - least for n in column] for column, least in zip(columns, self.least, strict=True)]
        self.size = max(1, *map(max, self._columns))
        self._sum = max(map(sum, self._columns))
        self._starts: list[int] = []
        self._factor: Factor | None = None

    def exact(self, column: int) -> tuple[Sequence[int], int]:
        """A column as it was given: numerators and their denominator."""
        return self._given.rows[column], self._given.denominators[column]

    def missing(self, deficit: int, most: int) -> int:
        """How much 2**P sum e_k v_k may lie above the sum of the bounds, for any column: d each, and what was cut."""
        return deficit * self._sum + (most if self._is_cut else 0)

    def starts(self, places: int, shift: int) -> list[int]:
        """What was taken off, times 2**S 10**places: strictly below, by at most 2."""
        if not self._starts:
            self._starts = [(least * 10**places << shift) // self.denominator - 1 for least in self.least]
        return self._starts

    def averages(self, block: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """For each row t of a block the sums ``sum t_k v_k`` of all columns."""
        if self._factor is None:
            most = max(map(max, block)).bit_length()
            self._factor = Factor(self._columns, most, len(block))
        return self._factor.times(block)


def _texts(indices: Sequence[int], places: int) -> list[str]:
    """Each index times 10**-places in fixed notation, as `symattn.exact.decimals.write` writes it."""
    if places > _NATIVE:
        digits = [natural_text(int(abs(index))).zfill(places + 1) for index in indices]
    else:
        digits = [str(abs(index)).zfill(places + 1) for index in indices]
    if not places:
        return [f"-{d}" if index < 0 else d for index, d in zip(indices, digits, strict=True)]
    texts = [f"{d[:-places]}.{d[-places:]}" for d in digits]
    if min(indices) >= 0:
        return texts
    return [f"-{text}" if index < 0 else text for index, text in zip(indices, texts, strict=True)]
