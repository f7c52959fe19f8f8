"""TRUSTED. Arithmetic of rows of enclosed numbers: what a block does to each token, in integers.

A `Line` is a row of numbers, each within `radius` of an integer, in units of 2**-bits. Every operation here returns a
line that holds the exact result for all numbers that its operands hold; its docstring says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from operator import mul
from typing import NamedTuple, TypeAlias

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear.integer_matrix import IntegerMatrix, largest_entry, product_transposed
from symattn.exact.numerals.decimals import Rounding, round_rational, write
from symattn.exact.rows.certified_rows import fixed_texts
from symattn.exact.rows.enclosed_rows import Bounds, placed_weights
from symattn.exact.rows.integer_scores import Scores
from symattn.exact.rows.turns import Turn

Pairing: TypeAlias = Sequence[tuple[int, int]]
"""Places of the two entries of each pair."""

_ROOT_BITS = 32
"""Bits of a root beyond those of its unit."""


class Line(NamedTuple):
    """A row: ``|value - mid * 2**-bits| <= radius * 2**-bits`` for each of `mids`."""

    mids: list[int]
    radius: int


class LineArithmetic:
    """Operations on lines in units of 2**-bits.

    >>> arithmetic = LineArithmetic(10)
    >>> arithmetic.product(arithmetic.rational([1], 3), arithmetic.rational([3], 1))  # 1 = 1024 units
    Line(mids=[1023], radius=5)
    """

    def __init__(self, bits: int) -> None:
        """Make the operations of one unit."""
        self._bits = bits

    def of_bounds(self, bounds: Bounds) -> Line:
        """Return the line of a row between bounds: its middle is half of the width from both ends."""
        half = bounds.width + 1 >> 1
        return Line([0 if low is None else low + half for low in bounds.lows], half)

    def rational(self, numerators: Sequence[int], denominator: int) -> Line:
        """Return the line of rational numbers, cut to units: less than one is cut off."""
        return Line([(x << self._bits) // denominator for x in numerators], 1)

    def sum(self, first: Line, second: Line) -> Line:
        """Return the sums: errors add up."""
        mids = [a + b for a, b in zip(first.mids, second.mids, strict=True)]
        return Line(mids, first.radius + second.radius)

    def times_matrix(self, lines: Sequence[Line], columns: Sequence[Sequence[int]], denominator: int) -> list[Line]:
        """Return the products of rows with columns of integers over a denominator.

        The sum of v w errs by at most radius times the sum of |w|, and the division cuts less than one unit off.
        """
        most = max(sum(map(abs, column)) for column in columns)
        rows = [line.mids for line in lines]
        if len(rows) == 1:  # to pack the columns would take longer
            made: Sequence[Sequence[int]] = [[sum(map(mul, rows[0], column)) for column in columns]]
        else:
            made = product_transposed(IntegerMatrix(rows), IntegerMatrix(columns)).rows
        return [
            Line([x // denominator for x in row], line.radius * most // denominator + 2)
            for line, row in zip(lines, made, strict=True)
        ]

    def times(self, line: Line, factors: Sequence[int], denominator: int) -> Line:
        """Return each number times its own factor over a denominator, by the argument of `times_matrix`."""
        mids = [m * w // denominator for m, w in zip(line.mids, factors, strict=True)]
        return Line(mids, line.radius * max(map(abs, factors)) // denominator + 2)

    def product(self, first: Line, second: Line) -> Line:
        """Return the products of numbers at one place.

        a b - m n = a (b - n) + n (a - m), with |a| at most the largest |m| plus the radius; the shift cuts off less
        than one unit, and the radius is rounded up.
        """
        largest, other = (max(map(abs, line.mids)) for line in (first, second))
        error = (largest + first.radius) * second.radius + other * first.radius
        mids = [a * b >> self._bits for a, b in zip(first.mids, second.mids, strict=True)]
        return Line(mids, (error >> self._bits) + 2)

    def products(self, lines: Sequence[Line], others: Sequence[Line]) -> list[Line]:
        """Return the product of rows with the transpose of other rows.

        Each of the n terms errs by |m| s + |k| r + r s, as that of `product` does, with the largest of all rows; the
        shift cuts off less than one unit.
        """
        (first, r), (second, s) = (
            (IntegerMatrix([line.mids for line in own]), max(line.radius for line in own)) for own in (lines, others)
        )
        m, k = largest_entry(first.rows), largest_entry(second.rows)
        radius = (first.shape[1] * (m * s + k * r + r * s) >> self._bits) + 2
        made = product_transposed(first, second).rows
        return [Line([x >> self._bits for x in row], radius) for row in made]

    def turned(self, numerators: Sequence[int], denominator: int, turns: Sequence[Turn], pairs: Pairing) -> Line:
        """Return a row of rationals whose pairs of entries are turned, each by its own angle.

        x cos t - y sin t and x sin t + y cos t err by at most (|x| + |y|) times the error of the turn, and the division
        cuts less than one unit off.
        """
        mids, radius = [0] * len(numerators), 0
        for (i, j), (c, s, error) in zip(pairs, turns, strict=True):
            x, y = numerators[i], numerators[j]
            mids[i], mids[j] = (x * c - y * s) // denominator, (x * s + y * c) // denominator
            radius = max(radius, (abs(x) + abs(y)) * error // denominator + 2)
        return Line(mids, radius)

    def softmax(self, rows: Sequence[Sequence[int | None]], radius: int) -> list[Line] | None:
        """Return the weights of rows of scores that lie within `radius` of integers; None stands for a masked one.

        If scores err by at most d, each exp(s) / Z changes by a factor between exp(-2d) and exp(2d), and so a weight,
        at most 1, by at most exp(2d) - 1 <= 4d, for d <= 1/2. Larger errors have no line. The only score of a row has
        the weight 1.
        """
        one = 1 << self._bits
        if 2 * radius > one:
            return None
        lines = []
        for row, bounds in zip(rows, placed_weights(Scores(rows, one), self._bits), strict=True):
            if sum(score is not None for score in row) == 1:
                lines.append(Line([0 if score is None else one for score in row], 0))
            else:
                mids, own = self.of_bounds(bounds)
                lines.append(Line(mids, own + 4 * radius))
        return lines

    def times_root(self, line: Line, factor: Polynomial) -> Line:
        """Return the numbers times a factor (c / b) sqrt(m).

        The root of m c^2 2**(2 bits) is cut to an integer and divided by b, which cuts less than two units off.

        Raises:
            ArithmeticError: the factor is of another form.
        """
        if not factor:
            return Line([0] * len(line.mids), 0)
        ((radicand, powers), number), *others = factor.terms
        if powers or others:
            raise ArithmeticError("a factor of enclosed numbers is not a number times one root")
        if radicand == 1:
            return self.times(line, [number.numerator] * len(line.mids), number.denominator)
        root = isqrt(radicand * number.numerator**2 << 2 * self._bits) // number.denominator
        return self.product(line, Line([root if number > 0 else -root] * len(line.mids), 2))

    def relu(self, line: Line) -> Line:
        """Return max(0, x), which lies no further apart than x."""
        return Line([max(m, 0) for m in line.mids], line.radius)

    def standardise(self, line: Line, eps: Fraction) -> Line | None:
        """Return (x - mean) / sqrt(variance + eps), with 1/d under the variance; None where that may be a root of 0.

        With C = d (x - mean), c = d m - sum of m errs by at most D = 2 d radius. The sum of C^2 is d^3 times the
        variance, and that of c^2 errs by at most 2 D sum |c| + d D^2. The result is C / sqrt(W / d) for
        W = d^3 (variance + eps).
        """
        count, total = len(line.mids), sum(line.mids)
        return self._over_root([count * m - total for m in line.mids], 2 * count * line.radius, eps, count**3)

    def rms(self, line: Line, eps: Fraction) -> Line | None:
        """Return x / sqrt(mean square + eps): as `standardise` with C = x, W = d (mean square + eps)."""
        return self._over_root(line.mids, line.radius, eps, len(line.mids))

    def _over_root(self, tops: Sequence[int], error: int, eps: Fraction, weight: int) -> Line | None:
        """Return C / sqrt(W / d), C within `error` of `tops`, W = sum of C^2 + weight eps 2**(2 bits).

        Both ends of the root are rounded outward, in units of 2**-`_ROOT_BITS` of C's; so are those of the quotients.
        """
        count, added = len(tops), eps.numerator * weight << 2 * self._bits
        squares = sum(map(mul, tops, tops))
        slack = 2 * error * sum(map(abs, tops)) + count * error * error
        low = squares - slack + added // eps.denominator
        high = squares + slack + added // eps.denominator + 1
        bottom = isqrt((low << 2 * _ROOT_BITS) // count) if low > 0 else 0
        if not bottom:
            return None
        top = isqrt((high << 2 * _ROOT_BITS) // count) + 1
        shift = self._bits + _ROOT_BITS
        firsts = [(c - error << shift) // (top if c >= error else bottom) for c in tops]
        lasts = [-((-c - error << shift) // (bottom if c + error >= 0 else top)) for c in tops]
        mids = [a + b >> 1 for a, b in zip(firsts, lasts, strict=True)]
        return Line(mids, max(b - m for b, m in zip(lasts, mids, strict=True)) + 1)

    def texts(self, line: Line, rounding: Rounding) -> list[str]:
        """Return correctly rounded decimals, empty where a line leaves them open.

        Rounding never puts two numbers in the other order: where both ends become one decimal, so does all between.
        """
        radius = line.radius
        if rounding.places is None:
            return [self._text(m - radius, m + radius, rounding) for m in line.mids]
        # Between ends with no boundary of the rounding between them, nor on them, all is rounded to one index.
        ten, half = 10**rounding.places, 0 if rounding.ties == "truncate" else 1 << self._bits - 1
        spread = radius * ten
        firsts = [m * ten + half - spread - 1 >> self._bits for m in line.mids]
        lasts = [m * ten + half + spread >> self._bits for m in line.mids]
        cut = rounding.ties == "truncate"
        made = fixed_texts([first + (cut and first < 0) for first in firsts], rounding.places)
        return [
            text if first == last else self._text(m - radius, m + radius, rounding)
            for text, first, last, m in zip(made, firsts, lasts, line.mids, strict=True)
        ]

    def _text(self, low: int, high: int, rounding: Rounding) -> str:
        first, last = (round_rational(Fraction(end, 1 << self._bits), rounding) for end in (low, high))
        return write(*first, rounding) if first == last else ""

    def bounds(self, line: Line) -> Bounds:
        """Return the line as bounds."""
        return Bounds([m - line.radius for m in line.mids], 2 * line.radius)


def transposed(lines: Sequence[Line]) -> list[Line]:
    """Return the columns of some lines, as wide as the widest of these.

    >>> transposed([Line([1, 2], 3), Line([4, 5], 6)])
    [Line(mids=[1, 4], radius=6), Line(mids=[2, 5], radius=6)]
    """
    radius = max(line.radius for line in lines)
    return [Line(list(column), radius) for column in zip(*(line.mids for line in lines), strict=True)]


class Weight(NamedTuple):
    """A matrix that tokens are multiplied by: its columns, over a denominator."""

    columns: Sequence[Sequence[int]]
    denominator: int


def weight_of(matrix: IntegerMatrix, *, by_rows: bool) -> Weight:
    """Return the factor of tokens, whose columns are the rows of the matrix where these meet the tokens.

    >>> weight_of(IntegerMatrix([[1, 2], [3, 4]]), by_rows=False).columns
    [(1, 3), (2, 4)]
    """
    return Weight(matrix.rows if by_rows else list(zip(*matrix.rows, strict=True)), matrix.denominator)
