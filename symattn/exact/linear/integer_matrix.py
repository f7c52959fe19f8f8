"""TRUSTED. Matrices of integers over one denominator, and their exact products."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm
from operator import mul
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.errors import InputError, ShapeError
from symattn.exact.linear.algorithm_selection import product_way
from symattn.exact.linear.matrix import Matrix
from symattn.exact.linear.packing import offset, pack, slot_size, unpack
from symattn.records import dataclass

if TYPE_CHECKING:
    import flint
else:
    flint = late.module("flint")


@dataclass(frozen=True, slots=True)
class IntegerMatrix:
    """The matrix ``rows / denominator``, not always in lowest terms.

    >>> IntegerMatrix([[1, 2]], 3).shape
    (1, 2)
    """

    rows: Sequence[Sequence[int]]
    denominator: int = 1

    def __post_init__(self) -> None:
        """Refuse rows that do not form a matrix.

        Raises:
            InputError: no entries, or a denominator that is not positive.
            ShapeError: rows of different lengths.
        """
        if not self.rows or not self.rows[0]:
            raise InputError("A matrix is empty: give at least one row with one entry.")
        if self.denominator < 1:
            raise InputError(f"The denominator {self.denominator} of a matrix is not positive: give a positive one.")
        width = len(self.rows[0])
        if any(len(row) != width for row in self.rows):
            raise ShapeError("A matrix of integers is ragged: give all rows one length.")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0])


def integer_matrix(matrix: Matrix) -> IntegerMatrix | None:
    """Return the entries over their least common denominator; None where one is not plainly a rational.

    >>> integer_matrix(Matrix([["1/2", "1/3"]]))
    IntegerMatrix(rows=[[3, 2]], denominator=6)
    """
    rows = [[entry.plain_rational() for entry in row] for row in matrix.rows]
    values = [[value for value in row if value is not None] for row in rows]
    if any(len(row) != matrix.shape[1] for row in values):
        return None
    common = lcm(*{value.denominator for row in values for value in row})
    return IntegerMatrix([[v.numerator * (common // v.denominator) for v in row] for row in values], common)


def product(a: IntegerMatrix, b: IntegerMatrix) -> IntegerMatrix:
    """Return the product a b, exactly.

    Raises:
        ShapeError: the columns of a are not as many as the rows of b.

    >>> product(IntegerMatrix([[1, 2]], 2), IntegerMatrix([[3], [4]], 5))
    IntegerMatrix(rows=[[11]], denominator=10)
    """
    if a.shape[1] != b.shape[0]:
        raise ShapeError(f"A product of {a.shape[1]} columns by {b.shape[0]} rows does not fit: give as many of each.")
    factor = Factor(b.rows, rows=len(a.rows), largest=largest_entry(a.rows))
    return IntegerMatrix(factor.times(a.rows), a.denominator * b.denominator)


def product_transposed(a: IntegerMatrix, b: IntegerMatrix) -> IntegerMatrix:
    """Return the product a b^T, exactly: of all rows of a with all rows of b.

    Raises:
        ShapeError: the rows of a and of b differ in length.

    >>> product_transposed(IntegerMatrix([[1, 2]]), IntegerMatrix([[3, 4], [5, 6]])).rows
    [[11, 17]]
    """
    return product(a, IntegerMatrix(list(zip(*b.rows, strict=True)), b.denominator))


def largest_entry(rows: Iterable[Sequence[int]]) -> int:
    """Return the largest size of an entry.

    >>> largest_entry([[1, -3], [2, 0]])
    3
    """
    return max(end for row in rows for end in (max(row), -min(row)))


class Factor:
    """A matrix V that rows of integers of known size are multiplied by, prepared once.

    Args:
        matrix: V.
        rows: about how many rows will be multiplied by it.
        largest: the largest size of their entries.

    >>> Factor([[1, 2], [3, 4]], rows=1, largest=10).times([[1, 10]])
    [[31, 42]]
    """

    def __init__(self, matrix: Sequence[Sequence[int]], *, rows: int, largest: int) -> None:
        bits = sum_bits(len(matrix), largest, largest_entry(matrix))
        self._way = product_way(rows, len(matrix), len(matrix[0]), bits)
        self._parts: Any
        if self._way == "plain":
            self._parts = list(zip(*matrix, strict=True))
        elif self._way == "packed":
            size = slot_size(bits)
            self._layout = size, offset(size, len(matrix[0]))
            self._parts = [pack(row, size) for row in matrix]
        else:
            self._parts = flint.fmpz_mat(_lists(matrix))

    def times(self, rows: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the rows of (rows) V."""
        parts = self._parts
        if self._way == "plain":
            return [[sum(map(mul, row, column)) for column in parts] for row in rows]
        if self._way == "packed":
            return [unpack(sum(map(mul, row, parts)), *self._layout) for row in rows]
        return [[int(entry) for entry in row] for row in (flint.fmpz_mat(_lists(rows)) * parts).tolist()]


class Columns:
    """The columns of a matrix of values, with what bounds of weighted sums of them need.

    >>> columns = Columns(IntegerMatrix([[1, -5], [2, 4]], 3))
    >>> columns.columns, columns.largest, columns.most
    ([(1, 2), (-5, 4)], 5, 9)
    """

    def __init__(self, values: IntegerMatrix) -> None:
        """Make the columns of `values`; `most` is the largest sum of sizes in one."""
        self.denominator = values.denominator
        self.columns = list(zip(*values.rows, strict=True))
        self.largest = largest_entry(values.rows)
        self.totals = list(map(sum, self.columns))
        self.most = max(sum(map(abs, column)) for column in self.columns)


def sum_bits(terms: int, first: int, second: int) -> int:
    """Return bits b with |x_1 y_1 + ... + x_n y_n| < 2**b, for n = `terms`, |x_i| <= `first` and |y_i| <= `second`.

    >>> sum_bits(2, 3, 5)  # at most 30
    5
    """
    return (terms * first * second).bit_length()


def _lists(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Convert rows to the lists that flint takes."""
    return [row if isinstance(row, list) else list(row) for row in rows]
