"""TRUSTED. Softmax and output of rows of scores that are integers over one denominator, as certified decimals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from symattn.errors import InputError
from symattn.exact.decimals import Rounding
from symattn.exact.integral import IntegerMatrix
from symattn.exact.matrix import Matrix, softmax_rows
from symattn.exact.polynomial import Polynomial
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import decimals
from symattn.exact.special import MINUS_INFINITY
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores ``rows[i][j] * sqrt(radicand) / denominator``; None is minus infinity, a masked score.

    Rows may be of different lengths. The radicand is square-free, 1 for rational scores.
    """

    rows: Sequence[Sequence[int | None]]
    denominator: int = 1
    radicand: int = 1

    def __post_init__(self) -> None:
        """Refuse a row without a weight, whose meaning is for the caller to say.

        Raises:
            InputError: a row whose scores are all masked, or a denominator or radicand that is not positive.
        """
        if self.denominator < 1 or self.radicand < 1:
            raise InputError("Scores need a positive denominator and radicand.")
        for number, row in enumerate(self.rows, 1):
            if all(score is None for score in row):
                raise InputError(f"All scores in row {number} are masked, so it has no weights: leave it out.")


def weight_rows(scores: Scores, rounding: Rounding, start: int = 0, stop: int | None = None) -> Iterator[list[str]]:
    """The rows `start` to `stop` of A = softmax(scores), correctly rounded.

    >>> list(weight_rows(Scores([[0, 1], [3, None]]), Rounding(places=4)))
    [['0.2689', '0.7311'], ['1.0000', '0.0000']]
    """
    for row in scores.rows[start:stop]:
        yield decimals(_weights(scores, row).rows[0], rounding)


def layer_rows(
    scores: Scores, values: IntegerMatrix, rounding: Rounding, start: int = 0, stop: int | None = None
) -> Iterator[tuple[list[str], list[str]]]:
    """The rows `start` to `stop` of A = softmax(scores) and of O = A V, correctly rounded.

    >>> list(layer_rows(Scores([[0, 1]]), IntegerMatrix([[1, 0], [2, 0]], 1), Rounding(places=4)))
    [(['0.2689', '0.7311'], ['1.7311', '0.0000'])]
    """
    matrix = Matrix([[Fraction(x, values.denominator) for x in row] for row in values.rows])
    for row in scores.rows[start:stop]:
        weights = _weights(scores, row)
        yield decimals(weights.rows[0], rounding), decimals((weights @ matrix).rows[0], rounding)


def _weights(scores: Scores, row: Sequence[int | None]) -> Matrix:
    theta = Polynomial.sqrt(scores.radicand)
    entries = [MINUS_INFINITY if x is None else Quotient.of(theta * Fraction(x, scores.denominator)) for x in row]
    return softmax_rows(Matrix([entries]))
