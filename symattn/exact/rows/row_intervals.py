"""TRUSTED. Arithmetic of rows of enclosed numbers: what a block does to each token, in integers.

A `Line` is a row of numbers, each within `radius` of an integer, in units of 2**-bits. Every operation here returns a
line that holds the exact result for all numbers that its operands hold; its docstring says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from operator import mul
from typing import NamedTuple

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear.integer_matrix import IntegerMatrix
from symattn.exact.numerals.decimals import Rounding, round_rational, write
from symattn.exact.rows.enclosed_rows import Bounds

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

    def times_matrix(self, line: Line, columns: Sequence[Sequence[int]], denominator: int) -> Line:
        """Return the products with columns of integers over a denominator.

        The sum of v w errs by at most radius times the sum of |w|, and the division cuts less than one unit off.
        """
        most = max(sum(map(abs, column)) for column in columns)
        mids = [sum(map(mul, line.mids, column)) // denominator for column in columns]
        return Line(mids, line.radius * most // denominator + 2)

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
        return [self._text(m - line.radius, m + line.radius, rounding) for m in line.mids]

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
