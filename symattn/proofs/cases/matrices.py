"""Vectors and matrices of numbers: sums, products, functions, and by elimination determinants and inverses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeAlias

from symattn.errors import InputError, ShapeError
from symattn.proofs.cases.numeric_tower import ONE, ZERO, Number, apply, negative, order, over, plus, times
from symattn.records import dataclass

_MAX_LENGTH = 8

Rows = Sequence[Sequence[Number]]


@dataclass(frozen=True, slots=True)
class Array:
    """A vector (one row of numbers) or a matrix.

    Attributes:
        rows: the entries.
        is_vector: whether it has one index.
        is_row: whether a vector stands as a row.
    """

    rows: tuple[tuple[Number, ...], ...]
    is_vector: bool = True
    is_row: bool = False

    @property
    def is_column(self) -> bool:
        """Return whether it is a vector that stands upright."""
        return self.is_vector and not self.is_row

    @property
    def entries(self) -> tuple[Number, ...]:
        """All entries, row after row."""
        return tuple(entry for row in self.rows for entry in row)

    @property
    def table(self) -> tuple[tuple[Number, ...], ...]:
        """The rows as they stand on paper: a column has one entry in each."""
        return tuple((entry,) for entry in self.rows[0]) if self.is_column else self.rows

    def mapped(self, change: Callable[[Number], Number]) -> Array:
        """Return a function of each entry."""
        return Array(tuple(tuple(map(change, row)) for row in self.rows), self.is_vector, self.is_row)


Value: TypeAlias = Number | Array


# Operations ----------------------------------------------------------------------------------------


def number_in(value: Value) -> Number:
    """Return a value that must be a number."""
    if isinstance(value, Array):
        raise ShapeError("A vector or a matrix stands where a number is expected.")
    return value


def are_same(first: Array | Number, second: Array | Number) -> bool:
    """Return whether two values are equal, entry by entry."""
    if isinstance(first, Array) and isinstance(second, Array):
        return all(order(a, b) == 0 for a, b in zip(first.entries, second.entries, strict=True))
    return order(number_in(first), number_in(second)) == 0


def part_of(array: Array, indices: tuple[int, ...]) -> Value:
    """Return an entry or a row of an array at indices."""
    if not indices:
        return array
    row, column = (0, indices[0] - 1) if array.is_vector else (indices[0] - 1, indices[-1] - 1)
    if not (0 <= row < len(array.rows) and 0 <= column < len(array.rows[0])):
        raise InputError("An index is beyond the range of what has it.")
    if len(indices) == 1 and not array.is_vector:
        return Array((array.rows[row],))
    return array.rows[row][column]


def map_value(value: Value, change: Callable[[Number], Number]) -> Value:
    """Apply a function to a number or to each entry."""
    return value.mapped(change) if isinstance(value, Array) else change(value)


def transpose(value: Value) -> Value:
    """Return the transpose."""
    if not isinstance(value, Array):
        return value
    if value.is_vector:
        return Array(value.rows, is_row=not value.is_row)
    return Array(tuple(zip(*value.rows, strict=True)), is_vector=False)


def add(first: Value, second: Value) -> Value:
    """Return the sum of two numbers, or of two arrays of one shape."""
    if isinstance(first, Array) and isinstance(second, Array):
        shapes = [(len(item.rows), len(item.rows[0]), item.is_vector, item.is_row) for item in (first, second)]
        if shapes[0] != shapes[1]:
            raise ShapeError("Matrices of two shapes are added.")
        pairs = zip(first.rows, second.rows, strict=True)
        rows = tuple(tuple(map(plus, one, other)) for one, other in pairs)
        return Array(rows, first.is_vector, first.is_row)
    return plus(number_in(first), number_in(second))


def multiply(first: Value, second: Value, *, dotted: bool) -> Value:
    """Return the product of numbers, arrays, or both; two columns are multiplied where a dot stands between them."""
    if not isinstance(first, Array):
        scalar = first
        return map_value(second, lambda entry: times(scalar, entry))
    if not isinstance(second, Array):
        factor = second
        return first.mapped(lambda entry: times(entry, factor))
    left, right = first, second
    if dotted and left.is_column and right.is_column:
        left = Array(left.rows, is_row=True)
    one, other = left.table, right.table
    if len(one[0]) != len(other):
        raise ShapeError("The sizes of a product do not conform.")
    columns = list(zip(*other, strict=True))
    rows = tuple(tuple(reduce(plus, map(times, row, column)) for column in columns) for row in one)
    is_row, is_column = left.is_vector and left.is_row, right.is_column
    if is_row and is_column:
        return rows[0][0]
    if is_row:
        return Array(rows, is_row=True)
    if is_column:
        return Array((tuple(row[0] for row in rows),))
    return Array(rows, is_vector=False)


def _softmax(array: Array) -> Array:
    rows = []
    for row in array.rows:
        exponentials = [apply("exp", entry) for entry in row]
        total = reduce(plus, exponentials)
        rows.append(tuple(over(entry, total) for entry in exponentials))
    return Array(tuple(rows), array.is_vector, array.is_row)


def _diagonal(array: Array) -> Array:
    row = array.rows[0]
    return Array(
        tuple(tuple(entry if i == j else ZERO for j in range(len(row))) for i, entry in enumerate(row)),
        is_vector=False,
    )


def _norm(array: Array) -> Number:
    return apply("sqrt", reduce(plus, (times(entry, entry) for entry in array.entries)))


def _largest(array: Array) -> Number:
    return reduce(lambda best, entry: entry if order(entry, best) == 1 else best, array.entries)


# Elimination ---------------------------------------------------------------------------------------


def determinant(rows: Rows) -> Number:
    """Return the determinant of a square matrix.

    >>> from fractions import Fraction
    >>> determinant([[Fraction(0), Fraction(2)], [Fraction(3), Fraction(1)]])
    Fraction(-6, 1)
    """
    return _eliminated(rows)[0]


def inverse(rows: Rows) -> tuple[tuple[Number, ...], ...]:
    """Return the inverse.

    Raises:
        InputError: there is none.

    >>> from fractions import Fraction
    >>> [[str(entry) for entry in row] for row in inverse([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(1)]])]
    [['1', '-1'], ['-1', '2']]
    """
    found, right = _eliminated(rows)
    if order(found, ZERO) == 0:
        raise InputError("A matrix with determinant 0 has no inverse.")
    return right


def leading_minors(rows: Rows) -> tuple[Number, ...]:
    """Return the determinants of the blocks in the upper left corner, the smallest first."""
    return tuple(determinant([row[: n + 1] for row in rows[: n + 1]]) for n in range(len(rows)))


def _eliminated(rows: Rows) -> tuple[Number, tuple[tuple[Number, ...], ...]]:
    """Return the determinant, and what the identity becomes as the matrix is made the identity."""
    size = len(rows)
    if any(len(row) != size for row in rows):
        raise ShapeError("Determinants and inverses are taken of square matrices.")
    if size > _MAX_LENGTH:
        raise InputError(f"A matrix has more than {_MAX_LENGTH} rows.")
    table = [[*row, *(ONE if n == i else ZERO for i in range(size))] for n, row in enumerate(rows)]
    total: Number = ONE
    for column in range(size):
        pivot = next((n for n in range(column, size) if order(table[n][column], ZERO) != 0), None)
        if pivot is None:
            return ZERO, ()
        if pivot != column:
            table[column], table[pivot] = table[pivot], table[column]
            total = negative(total)
        first = table[column][column]
        total = times(total, first)
        table[column] = [over(entry, first) for entry in table[column]]
        for n in range(size):
            if n != column:
                factor = negative(table[n][column])
                table[n] = [
                    plus(entry, times(factor, other)) for entry, other in zip(table[n], table[column], strict=True)
                ]
    return total, tuple(tuple(row[size:]) for row in table)


def _determinant(array: Array) -> Number:
    if array.is_vector:
        raise ShapeError("A vector has no determinant.")
    return determinant(array.rows)


OF_ARRAYS: dict[str, Callable[[Array], Value]] = {
    "softmax": _softmax,
    "diag": _diagonal,
    "norm": _norm,
    "max": _largest,
    "det": _determinant,
}
"""Functions of arrays by name."""
