"""TRUSTED. Rows of scores that have a rational part beside a multiple of a root, as rows of `integer_rows` are.

Scores are (k sqrt(m) + l) / N, with integers k and l: those of a scale of 1/sqrt(5) with a bias added, say. Of a row
let K_j and L_j be what k and l lack to the largest k and the largest l of the row. Then exp(-(K_j sqrt(m) + L_j) / N)
is a product of two powers of `symattn.exact.rows.powers`, both between 0 and 1, and the weights are their quotients as
ever. The largest k and l need not be those of one score, so that no product need be 1; the bits that are lost so are
computed in addition, `surplus_bits`, and cut off again row by row, after which the largest has as many as asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, TypeAlias

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.reals.sign import sign
from symattn.exact.rows.integer_scores import Row, refuse_masked
from symattn.exact.rows.powers import fixed_step, powers_of, product_error
from symattn.records import dataclass

Pair: TypeAlias = tuple[int, int]
"""The k and the l of a score."""

_STEP_BITS = 64
"""Bits behind the point of the root that the surplus is estimated with."""


@dataclass(frozen=True, slots=True)
class MixedScores:
    """Scores ``(k * sqrt(radicand) + l) / denominator`` for the pairs (k, l) of the rows; None is a masked score.

    The radicand is square-free and greater than 1, so that different pairs are different scores.

    >>> str(MixedScores([[(1, 2), None]], 4, 5).exponent((1, 2)))
    '1/2 + 1/4*sqrt(5)'
    """

    rows: Sequence[Sequence[Pair | None]]
    denominator: int
    radicand: int

    def __post_init__(self) -> None:
        """Refuse what `symattn.exact.rows.integer_scores.Scores` refuses, and a radicand without an irrational root.

        Raises:
            InputError: a row whose scores are all masked, or a denominator or radicand that is too small.
        """
        if self.denominator < 1 or isqrt(self.radicand) ** 2 == self.radicand:
            raise InputError("Scores of two kinds need a positive denominator and a radicand that is not a square.")
        refuse_masked(self.rows)

    def exponent(self, score: Pair) -> Polynomial:
        """Return a score as a number."""
        root, rational = (Fraction(part, self.denominator) for part in score)
        return Polynomial.sqrt(self.radicand) * root + rational

    def reach(self, row: Sequence[Pair | None]) -> int:
        """Return an upper bound of the range of the scores of a row, times the denominator."""
        roots, rationals = _spreads(row)
        return roots * (isqrt(self.radicand) + 1) + rationals

    def powers(
        self, rows: Sequence[Sequence[Pair | None]], bits: int, number: Callable[[int], Any] = int
    ) -> MixedPowers:
        """Return the exponentials of some of the rows, at a precision."""
        return MixedPowers(self, rows, bits, number)

    def surplus_bits(self, rows: Sequence[Sequence[Pair | None]]) -> int:
        """Return bits g for which some exp(-(K_j sqrt(m) + L_j) / N) of each row is at least 2**(1-g).

        With X >= sqrt(m) 2**f, the exponent of the j for which K_j X + L_j 2**f is least is at most U / N for
        U = floor(that / 2**f) + 1. As 1.4427 > 1 / ln 2, g - 1 = floor(1.4427 U / N) + 1 has (g - 1) ln 2 >= U / N.

        >>> MixedScores([[(0, 0), (-1, 3)]], 1, 5).surplus_bits([[(0, 0), (-1, 3)]])  # the smaller one is sqrt(5)
        6
        """
        step = fixed_step(1, self.radicand, _STEP_BITS)
        least = max((self._least(_live(row), step) for row in rows), default=0)
        return least * 14427 // (10_000 * self.denominator) + 2

    @staticmethod
    def _least(live: list[Pair], step: int) -> int:
        most_k, most_l = _largest(live)
        return (min((most_k - k) * step + (most_l - l << _STEP_BITS) for k, l in live) >> _STEP_BITS) + 1


def _live(row: Sequence[Pair | None]) -> list[Pair]:
    return [pair for pair in row if pair is not None]


class MixedPowers:
    """The rows of some scores with their exponentials at one precision, as those of `integer_rows.RowPowers`.

    Of a row, N_j = c exp(-(K_j sqrt(m) + L_j) / N) with one power of two c for all j: quotients do not see it. It lies
    between E_j and E_j + error, in units of 2**-bits, and the largest E_j between 1/2 and 1.

    >>> scores = MixedScores([[(0, 0), (1, -3), None]], 1, 5)
    >>> (row,) = scores.powers(scores.rows, 20).rows()
    >>> row.exponents, [round(e / row.total, 4) for e in row.powers]  # 1 and e^(sqrt(5) - 3), over their sum
    ([(1, 0), (0, 3), None], [0.6822, 0.3178, 0.0])
    """

    def __init__(
        self,
        scores: MixedScores,
        rows: Sequence[Sequence[Pair | None]],
        bits: int,
        number: Callable[[int], Any] = int,
    ) -> None:
        """Make the rows `rows`, which are some of `scores`, at `bits` bits; `number` is the type to compute with.

        Each product lies at most `error`, the `product_error` of its factors, below the true one, in units of
        2**-(bits + g), g = `surplus_bits`: E <= N <= E + error, error >= 1. Of each E of a row the last d bits are cut
        off. F = floor(E / 2**d) <= N / 2**d, and as E / 2**d <= F + 1 - 2**-d,
        N / 2**d <= F + 1 - 2**-d + error / 2**d = F + 1 + (error - 1) / 2**d <= F + error. So the error grows no
        larger. With d by which the largest E is longer than `bits` bits, the largest F has that many: it is less than
        2**bits, and at least half of it. There are so many, as by the choice of g the largest N is at least
        2**(bits+1), and its E at least 2**(bits+1) - error >= 2**bits.
        """
        self._scores, self._rows, self._bits = scores, rows, bits
        self.one = 1 << bits
        self._wide = bits + scores.surplus_bits(rows)
        count, spreads = sum(map(len, rows)), [_spreads(row) for row in rows]
        kinds = ((scores.radicand, 0), (1, 1))
        self._factors = tuple(
            powers_of(scores.denominator, radicand, self._wide, max((s[at] for s in spreads), default=0), count, number)
            for radicand, at in kinds
        )
        self.error = product_error(*(factor.error for factor in self._factors))
        if self.error >= self.one:
            raise ArithmeticError("the powers of a row are less certain than their size")

    def rows(self) -> Iterator[Row]:
        """Iterate over the rows."""
        roots, rationals = self._factors
        wide, bits = self._wide, self._bits
        for row in self._rows:
            live = _live(row)
            most_k, most_l = _largest(live)
            exponents = [(most_k - k, most_l - l) for k, l in live]
            first, second = roots([k for k, _ in exponents]), rationals([l for _, l in exponents])
            found = [a * b >> wide for a, b in zip(first, second, strict=True)]
            cut = max(found).bit_length() - bits
            if cut < 0:
                raise ArithmeticError("a row has fewer bits than were set aside for it")
            found = [e >> cut for e in found]
            total, eta = sum(found), self.error * len(found)
            if len(live) < len(row):
                each = iter(zip(exponents, found, strict=True))
                spaced = [(None, 0) if pair is None else next(each) for pair in row]
                exponents, found = [pair for pair, _ in spaced], [e for _, e in spaced]  # type: ignore[misc]
            yield Row(exponents, found, total, eta)

    def side(self, row: Row, value: Callable[[int], int], tau: Fraction) -> int:
        """Return the sign of (sum of value(j) N_j) / Z - tau.

        Different pairs have different exponents, so that a sum is zero as its collected coefficients all are.
        """
        t, b = tau.numerator, tau.denominator
        collected: dict[Pair, int] = {}
        for j, pair in enumerate(row.exponents):
            if pair is not None:
                collected[pair] = collected.get(pair, 0) + value(j) * b - t
        total = ExpSum()
        for pair, coefficient in collected.items():
            if coefficient:
                total += ExpSum.exp(-self._scores.exponent(pair)) * coefficient
        return sign(total)

    def scores(self, row: Row) -> list[Polynomial | None]:
        """Return the scores of a row, all less one number; None where they are masked."""
        return [None if pair is None else -self._scores.exponent(pair) for pair in row.exponents]


def _largest(live: list[Pair]) -> Pair:
    """Return the largest k and the largest l, which need not be those of one score."""
    return max(k for k, _ in live), max(l for _, l in live)


def _spreads(row: Sequence[Pair | None]) -> Pair:
    """Return the largest differences of the k and of the l of a row."""
    live = _live(row)
    most_k, most_l = _largest(live)
    return most_k - min(k for k, _ in live), most_l - min(l for _, l in live)
