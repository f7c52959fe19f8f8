"""TRUSTED. Softmax and outputs of rows of integer scores, as certified decimals: the quick way for numbers.

The exponentials of a row are lower bounds, with one bound for the errors of all (`powers`, `integer_scores`). Their
sum and the quotients follow with bounds, and where no boundary of the rounding lies between the bounds of an entry, its
digits are proved. What is in doubt then, one entry in some hundred thousand of random data, is settled by an exact
sign, exact ties included. So each text is the correctly rounded one, the same as that of
`symattn.exact.rounding.quotients.decimals` for the closed form.

Places after the point are taken a whole row at a time (`PlacedRows`). A row has the sum Z with S <= Z <= S + eta, and
its quotients are N_j / Z. To round N / Z to `places` places, take y = 10**places N / Z, plus 1/2 where the nearest
number is wanted: the answer is floor(y), and in doubt are only the y that may be integers or lie on either side of one.
In units of 2**-shift, with R = floor(10**places 2**shift / S), y is about e R for the lower bound e of N; the margins
bound by how much they differ. A `Grid` holds what is one for all rows.

Significant figures are taken entry by entry (`FiguredRows`): the bounds of an entry tell its first digit, and with it
where is rounded. An entry that is too small for the bounds to tell goes the plain way, by its closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from symattn.errors import ShapeError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.algorithm_selection import integers_of
from symattn.exact.linear.integer_matrix import Columns, Factor, IntegerMatrix
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.numerals.decimals import Rounding, round_scaled, write
from symattn.exact.numerals.integer_text import natural_text
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.quotients import decimals
from symattn.exact.rows.integer_scores import AnyScores, Row, Scores

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
    rows = scores.rows[start:stop]
    check_scores(rows, values)
    layer = _rounder(scores, rounding, start, stop, Columns(values))
    factor = Factor(values.rows, rows=len(rows), largest=layer.largest)
    scaled = map(layer.scaled, layer.powers.rows())
    while block := list(islice(scaled, _BLOCK)):
        for row, sums in zip(block, factor.times(list(map(layer.factors, block))), strict=True):
            yield layer.weights(row), layer.outputs(row, sums)


def check_scores(rows: Sequence[Sequence[Any]], values: IntegerMatrix) -> None:
    """Refuse rows of scores that do not fit the rows of V.

    Raises:
        ShapeError: a row has another number of scores.
    """
    count = values.shape[0]
    if any(len(row) != count for row in rows):
        raise ShapeError(f"A row of scores has not {count} entries, one for each row of V: give as many.")


def _rounder(scores: AnyScores, rounding: Rounding, start: int, stop: int | None, values: Columns | None) -> Any:
    """Return the rounder of the rows; each kind has rows of its own, which it alone looks into."""
    rows = scores.rows[start:stop]
    if rounding.places is not None:
        return PlacedRows(scores, rows, rounding.places, rounding.ties, values)
    return FiguredRows(scores, rows, rounding.figures or 1, rounding.ties, values)


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
        *,
        unit: int = 0,
    ) -> None:
        """Make the rows `rows` of `scores`, rounded to `places` by the rule `ties`; `values` are those of outputs.

        A `unit` is counted in instead of 10**places.
        """
        number = integers_of(places)
        self._unit = number(unit or 10**places)
        self._values = values
        count = max(map(len, rows), default=1)
        bits, size = self._unit.bit_length() + count.bit_length() + _ERROR_BITS + _GUARD, 0
        if values is not None:
            size = (values.most // values.denominator).bit_length()
            bits += (values.largest // values.denominator).bit_length()
        self._weights = Grid(places, ties, bits + size + _GUARD)
        self._outputs = Grid(places, ties, size + _GUARD)
        self._cut = self._weights.shift - self._outputs.shift
        self.powers = scores.powers(rows, bits, number)
        self.largest = int(self._unit + 1) << self._outputs.shift
        """No number of `factors` is larger: e_j R + start is at most unit + 1/2, and not less than -1."""

    def scaled(self, row: Row) -> Scaled:
        """Return the weights of a row before they are rounded."""
        grid = self._weights
        reciprocal = (self._unit << grid.shift) // row.total
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

    @property
    def columns(self) -> Columns:
        """The columns of the values.

        Raises:
            ArithmeticError: there are none.
        """
        if self._values is None:
            raise ArithmeticError("outputs were asked for without values")
        return self._values

    def scaled_outputs(self, scaled: Scaled, sums: Sequence[Any]) -> tuple[list[Any], int]:
        """Return lower bounds of the outputs before they are rounded, and what they may be low by.

        The unit is that of the grid of outputs, whose `Grid.floors` takes both.
        """
        values = self.columns
        margin = output_margin(scaled.bounds, values.largest, values.most, self._cut) // values.denominator + 1
        offset, start = scaled.start >> self._cut, self._outputs.start(margin)
        numbers = [(s - offset * t) // values.denominator + start for s, t in zip(sums, values.totals, strict=True)]
        return numbers, 2 * margin + 3

    def factors(self, scaled: Scaled) -> list[Any]:
        """Return the factors of the rows of V."""
        cut = self._cut
        return [number >> cut for number in scaled.numbers]

    def outputs(self, scaled: Scaled, sums: Sequence[Any]) -> list[str]:
        """Return the row of O, given the sums of the `factors` times each column of V."""
        grid, values = self._outputs, self.columns
        floors, doubts = grid.floors(*self.scaled_outputs(scaled, sums))
        indices = floors if grid.ties != "truncate" else [grid.toward_zero(floor) for floor in floors]
        for c in doubts:
            tau = grid.boundary(floors[c]) * values.denominator
            indices[c] = grid.beside(floors[c], self.powers.side(scaled.row, values.columns[c].__getitem__, tau))
        return fixed_texts(indices, grid.places)


_FIGURES_GUARD = 30
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
        bits = 2 * (10**figures).bit_length() + min(gap, _SMALL) + _FIGURES_GUARD + count.bit_length()
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
