"""TRUSTED. Rows of weights and outputs rounded to places after the point, a whole row at a time.

A row has the sum Z with S <= Z <= S + eta, and its quotients are N_j / Z. To round N / Z to `places` places, take
y = 10**places N / Z, plus 1/2 where the nearest number is wanted: the answer is floor(y), and in doubt are only the
y that may be integers or lie on either side of one. In units of 2**-shift, with R = floor(10**places 2**shift / S),
y is about e R for the lower bound e of N; the functions below bound by how much they differ.

A `Grid` holds what is one for all rows; `doubtful` entries are settled elsewhere, by an exact sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from symattn.exact.linear.algorithm_selection import integers_of
from symattn.exact.linear.integer_matrix import Columns
from symattn.exact.numerals.decimals import round_scaled
from symattn.exact.numerals.integer_text import natural_text
from symattn.exact.rows.integer_scores import AnyScores, Row

_SHORT = 500
"""Digits up to which numerals are formatted as they are; longer ones are split, for that takes quadratic time."""


def weight_texts(indices: Sequence[Any], places: int) -> list[str]:
    """Return the texts of numbers index * 10**-places between 0 and 1.

    >>> weight_texts([0, 7, 100], 2), weight_texts([0, 1], 0)
    (['0.00', '0.07', '1.00'], ['0', '1'])
    """
    if not places or max(indices) >= 10**places:
        return fixed_texts(indices, places)
    if places <= _SHORT:
        return (f"0.%0{places}d " * len(indices) % tuple(indices)).split()
    return ["0." + digits for digits in padded_digits(indices, places)]


def fixed_texts(indices: Sequence[Any], places: int) -> list[str]:
    """Return the texts of numbers index * 10**-places, for places >= 0.

    >>> fixed_texts([-5, 0, 1234], 2)
    ['-0.05', '0.00', '12.34']
    """
    if places <= _SHORT and max(map(abs, indices)) < 10**_SHORT:
        texts = list(map(str, indices))
        if not places:
            return texts
        cut = -places
        return [f"{t[:cut]}.{t[cut:]}" if len(t) > places + (t[0] == "-") else _pointed(t, places) for t in texts]
    ten = 10**places
    parts = [divmod(abs(index), ten) for index in indices]
    heads = [f"{'-' * (index < 0)}{natural_text(int(head))}" for index, (head, _) in zip(indices, parts, strict=True)]
    if not places:
        return heads
    tails = padded_digits([tail for _, tail in parts], places)
    return [f"{head}.{tail}" for head, tail in zip(heads, tails, strict=True)]


def padded_digits(numbers: Sequence[Any], count: int) -> list[str]:
    """Return the last `count` digits of numbers 0 <= n < 10**count, zeros in front included.

    >>> padded_digits([7, 42], 3)
    ['007', '042']
    """
    if not isinstance(numbers[0], int):
        return [str(n).zfill(count) for n in numbers]  # gmpy2 does this well itself, without CPython's limit
    if count <= _SHORT:
        return (f"%0{count}d " * len(numbers) % tuple(numbers)).split()
    half = count // 2
    ten = 10**half
    parts = [divmod(n, ten) for n in numbers]
    highs = padded_digits([high for high, _ in parts], count - half)
    lows = padded_digits([low for _, low in parts], half)
    return [high + low for high, low in zip(highs, lows, strict=True)]


def _pointed(text: str, places: int) -> str:
    sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text)
    digits = digits.zfill(places + 1)
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


class RowBounds(NamedTuple):
    """Parameters of the bounds of a row: R, the error of each e_j, eta, and the unit 2**bits that no e_j exceeds."""

    reciprocal: int
    error: int
    eta: int
    one: int


def weight_margins(bounds: RowBounds) -> tuple[int, int]:
    """Return (below, above) with e R - below <= rho N <= e R + above, rho = 10**places 2**shift / Z.

    Here e <= N <= e + error, e <= one, e <= S, and R <= rho' < R + 1 for rho' = 10**places 2**shift / S.

    * Above: rho N <= rho' (e + error) < (R + 1)(e + error) <= e R + one + error (R + 1).
    * Below: rho N >= rho' e S / (S + eta) >= e R (1 - eta / (S + eta)) >= e R - R eta, as e <= S + eta.

    >>> weight_margins(RowBounds(reciprocal=10, error=2, eta=6, one=100))
    (60, 122)
    """
    reciprocal, error, eta, one = bounds
    return reciprocal * eta, one + error * (reciprocal + 1)


def output_margin(bounds: RowBounds, largest: int, most: int, cut: int) -> int:
    """Return M with |y - c| <= M in units of 2**-(shift - cut), for the sum y of rho N_j v_j and c of p_j v_j.

    Here |v_j| <= `largest` and |v_1| + ... + |v_n| <= `most`, and p_j = ((e_j R + a) >> cut) - (a >> cut) for any a, so
    that p_j and e_j R / 2**cut differ by less than 1. By the steps of `weight_margins`, rho N_j lies at most
    one + error (R + 1) above e_j R and at most R eta e_j / (S + eta) below it. The last add up to at most
    R eta S / (S + eta) <= R eta, so the parts below, times |v_j|, to at most largest R eta; all the others are the
    same for each j, so they add up to at most their sum times `most`.

    >>> output_margin(RowBounds(reciprocal=10, error=2, eta=6, one=100), largest=2, most=5, cut=2)
    188
    """
    below, above = weight_margins(bounds)
    return (largest * below + most * above >> cut) + 1 + most


class Grid(NamedTuple):
    """Grid of rounded values: multiples of 10**-places, with the binary fraction of y in `shift` bits."""

    places: int
    ties: str
    shift: int

    @property
    def half(self) -> int:
        """The offset that makes floor the rounding: half a unit, or 0 for truncation."""
        return 0 if self.ties == "truncate" else 1 << self.shift - 1

    def start(self, below: int) -> int:
        """Return the offset for a number that lies at most `below` above y, so that floor rounds a lower bound of it.

        >>> Grid(1, "half-up", 8).start(3)
        124
        """
        return self.half - below - 1

    def floors(self, scaled: Sequence[Any], width: int) -> tuple[list[Any], list[int]]:
        """Return the floors of y, and the positions of those that are in doubt, where q < y 2**shift < q + width.

        Such a y is not an integer and has the floor of q / 2**shift when no multiple of 2**shift lies above q and up to
        q + width. A doubtful one is given as the last multiple there, which is the only one, as the bounds are less
        than 2**shift apart.

        >>> Grid(1, "half-up", 8).floors([180 + 128, 600 + 128], 2)  # 0.70 and 2.34, plus 1/2
        ([1, 2], [])
        >>> Grid(1, "half-up", 8).floors([511], 2)
        ([2], [0])
        """
        shift = self.shift
        if width >= 1 << shift:
            raise ArithmeticError("the bounds of a quotient are wider than the unit that it is rounded to")
        mask = (1 << shift) - 1
        free = mask - width
        doubts = [j for j, q in enumerate(scaled) if q & mask > free]
        floors = [q >> shift for q in scaled]
        for j in doubts:
            floors[j] = scaled[j] + width >> shift
        return floors, doubts

    def boundary(self, index: int) -> Fraction:
        """Return the value whose y is the integer `index`.

        >>> Grid(1, "half-up", 8).boundary(3), Grid(1, "truncate", 8).boundary(3)
        (Fraction(1, 4), Fraction(3, 10))
        """
        if self.ties == "truncate":
            return Fraction(index) / Fraction(10) ** self.places
        return Fraction(2 * index - 1, 2) / Fraction(10) ** self.places

    def beside(self, index: int, side: int) -> int:
        """Return the rounded index of a value above (1), below (-1) or on (0) the boundary of `index`.

        >>> [Grid(1, "half-even", 8).beside(3, side) for side in (-1, 0, 1)]
        [2, 2, 3]
        """
        if side:
            return self.toward_zero(index - (side < 0))
        return index if self.ties == "truncate" else round_scaled(2 * index - 1, 2, self.ties)

    def toward_zero(self, floor: int) -> int:
        """Return the rounded index of a value strictly between those of floor and floor + 1.

        >>> Grid(1, "truncate", 8).toward_zero(-3), Grid(1, "half-up", 8).toward_zero(-3)
        (-2, -3)
        """
        return floor + 1 if self.ties == "truncate" and floor < 0 else floor


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
