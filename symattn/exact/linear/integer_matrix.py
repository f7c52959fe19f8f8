"""TRUSTED. Matrices of integers over one denominator, and their exact products.

Vectors of integers are packed into one integer, so that one product multiplies all of them (Kronecker substitution).
The vector v_0, v_1, ... is the integer sum v_i 2**(8 size i). Sums and multiples of packed vectors are packed sums
and multiples, from which the entries can be read as long as each lies between -2**(8 size - 1) and 2**(8 size - 1).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from operator import mul
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.errors import InputError, ShapeError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.algorithm_selection import PRIMITIVE_FROM, product_way
from symattn.exact.linear.matrix import Matrix, Rows
from symattn.records import dataclass

if TYPE_CHECKING:
    import flint
else:
    flint = late.module("flint")


def slot_size(bits: int) -> int:
    """Return bytes of a slot for entries below 2**bits in size; lengths that are quick to read are preferred.

    >>> slot_size(20), slot_size(70), slot_size(200)
    (8, 16, 26)
    """
    size = bits // 8 + 1
    return size if size > 16 else 8 if size <= 8 else 16


def offset(size: int, count: int) -> int:
    """Return the packed vector whose `count` entries are all 2**(8 size - 1): added, it makes all entries positive.

    >>> hex(offset(2, 2))
    '0x80008000'
    """
    return int.from_bytes((b"\0" * (size - 1) + b"\x80") * count, "little")


def pack(entries: Sequence[int], size: int) -> int:
    """Return the packed vector.

    >>> pack([1, -1], 2)
    -65535
    """
    half = 1 << 8 * size - 1
    data = b"".join([(entry + half).to_bytes(size, "little") for entry in entries])
    return int.from_bytes(data, "little") - offset(size, len(entries))


def unpack(packed: int, size: int, shift: int) -> list[int]:
    """Return the entries of a packed vector, given its `offset`.

    With 2**(8 size - 1) added to each entry, no slot borrows from the next, and turning the highest bit of each
    slot over leaves its entry in two's complement.

    >>> unpack(-65535, 2, offset(2, 2))
    [1, -1]
    """
    length = (shift.bit_length() + 7) // 8
    data = ((packed + shift) ^ shift).to_bytes(length, "little")
    if size == 8:
        return list(struct.unpack(f"<{length // 8}q", data))
    if size == 16:
        halves = struct.unpack("<" + "Qq" * (length // 16), data)
        return [high << 64 | low for low, high in zip(halves[::2], halves[1::2], strict=True)]
    return [int.from_bytes(data[i : i + size], "little", signed=True) for i in range(0, length, size)]


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


class MatrixOfIntegers(Matrix):
    """A matrix of rationals that was given as integers over one denominator; its quotients are made when asked for.

    >>> made = MatrixOfIntegers(IntegerMatrix([[1, 2], [3, 4]], 4))
    >>> made.shape, str(made), made == Matrix([["1/4", "1/2"], ["3/4", 1]])
    ((2, 2), '[[1/4, 1/2], [3/4, 1]]', True)
    """

    def __init__(self, integers: IntegerMatrix) -> None:
        """Make the matrix of these integers."""
        self.integers = integers
        self._meanings = {}

    @cached_property
    def _rows(self) -> Rows:  # type: ignore[override]  # a slot there, which is filled at once
        below = self.integers.denominator
        return tuple(tuple(Quotient(Fraction(entry, below)) for entry in row) for row in self.integers.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.integers.shape

    @property
    def names(self) -> frozenset[str]:
        """The empty set: entries are numbers without symbols."""
        return frozenset()

    symbols = names


def integer_matrix(matrix: Matrix) -> IntegerMatrix | None:
    """Return the entries over a common denominator, the least one unless the matrix was given with another.

    None where an entry is not plainly a rational.

    >>> integer_matrix(Matrix([["1/2", "1/3"]]))
    IntegerMatrix(rows=[[3, 2]], denominator=6)
    """
    if isinstance(matrix, MatrixOfIntegers):
        return matrix.integers
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
    largest = largest_entry(a.rows)
    if largest.bit_length() < PRIMITIVE_FROM:
        rows = Factor(b.rows, rows=len(a.rows), largest=largest).times(a.rows)
    else:
        rows = _product_of_primitives(a.rows, list(zip(*b.rows, strict=True)))
    return IntegerMatrix(rows, a.denominator * b.denominator)


def _product_of_primitives(rows: Sequence[Sequence[int]], columns: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the sums of products of rows and columns, each divided by its greatest common divisor meanwhile.

    Over the denominator of a whole matrix, a row of fractions has a divisor nearly as long as that denominator.
    """
    first, second = list(map(_primitive, rows)), list(map(_primitive, columns))
    return [[f * g * sum(map(mul, row, column)) for g, column in second] for f, row in first]


def _primitive(row: Sequence[int]) -> tuple[int, list[int]]:
    """Return the greatest common divisor of a row, 1 for zeros, and the row without it."""
    divisor = gcd(*row) or 1
    return divisor, [entry // divisor for entry in row]


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
