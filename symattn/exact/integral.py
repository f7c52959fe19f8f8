"""TRUSTED. Matrices of integers over one denominator, and their exact products."""

from __future__ import annotations

from math import lcm
from operator import mul

from symattn.errors import InputError, ShapeError
from symattn.exact.matrix import Matrix
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class IntegerMatrix:
    """The matrix ``rows / denominator``, not always in lowest terms.

    >>> IntegerMatrix([[1, 2]], 3).shape
    (1, 2)
    """

    rows: tuple[tuple[int, ...], ...] | list[list[int]]
    denominator: int

    def __post_init__(self) -> None:
        """Refuse what is no matrix.

        Raises:
            InputError: no entries, or a denominator that is not positive.
            ShapeError: rows of different lengths.
        """
        if not self.rows or not self.rows[0]:
            raise InputError("A matrix is empty: give at least one row with one entry.")
        if self.denominator < 1:
            raise InputError(f"The denominator {self.denominator} of a matrix is not positive: take both signs over.")
        width = len(self.rows[0])
        if any(len(row) != width for row in self.rows):
            raise ShapeError("A matrix of integers is ragged: give all rows one length.")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0])


def integer_matrix(matrix: Matrix) -> IntegerMatrix | None:
    """The entries over their least common denominator; None where one is not plainly a rational.

    >>> integer_matrix(Matrix([["1/2", "1/3"]]))
    IntegerMatrix(rows=[[3, 2]], denominator=6)
    """
    rows = [[entry.plain_rational() for entry in row] for row in matrix.rows]
    values = [[value for value in row if value is not None] for row in rows]
    if any(len(row) != matrix.shape[1] for row in values):
        return None
    common = lcm(*(value.denominator for row in values for value in row))
    return IntegerMatrix([[v.numerator * (common // v.denominator) for v in row] for row in values], common)


def product(a: IntegerMatrix, b: IntegerMatrix) -> IntegerMatrix:
    """The product a b, exactly.

    Raises:
        ShapeError: the columns of a are not as many as the rows of b.

    >>> product(IntegerMatrix([[1, 2]], 2), IntegerMatrix([[3], [4]], 5))
    IntegerMatrix(rows=[[11]], denominator=10)
    """
    _check_inner(a.shape[1], b.shape[0])
    return product_transposed(a, IntegerMatrix(tuple(zip(*b.rows, strict=True)), b.denominator))


def product_transposed(a: IntegerMatrix, b: IntegerMatrix) -> IntegerMatrix:
    """The product a b^T, exactly: of all rows of a with all rows of b.

    Raises:
        ShapeError: the rows of a and of b differ in length.

    >>> product_transposed(IntegerMatrix([[1, 2]], 1), IntegerMatrix([[3, 4], [5, 6]], 1)).rows
    [[11, 17]]
    """
    _check_inner(a.shape[1], b.shape[1])
    rows = [[sum(map(mul, p, q)) for q in b.rows] for p in a.rows]
    return IntegerMatrix(rows, a.denominator * b.denominator)


def _check_inner(first: int, second: int) -> None:
    if first != second:
        raise ShapeError(f"Products of {first} by {second} numbers do not fit: both must be as many.")
