"""Vectors and matrices of numbers of any kind: their sums, products, parts and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from symattn.errors import ShapeError
from symattn.records import dataclass

Number: TypeAlias = Any
"""A number of the kind that an `Arithmetic` works with; a `Fraction` is one of every kind."""

Value: TypeAlias = Any
"""A `Number` or an `Array`."""

ZERO = Fraction(0)


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
    def shape(self) -> tuple[int, int, bool, bool]:
        """The number of rows and of columns, and the two flags."""
        return len(self.rows), len(self.rows[0]) if self.rows else 0, self.is_vector, self.is_row

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


def part_of(array: Array, indices: tuple[int, ...]) -> Value:
    """Return an entry or a row of an array at indices; None where it has none there."""
    if not indices:
        return array
    row, column = (0, indices[0] - 1) if array.is_vector else (indices[0] - 1, indices[-1] - 1)
    if not (0 <= row < len(array.rows) and 0 <= column < len(array.rows[0])):
        return None
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


def diagonal(array: Array) -> Array:
    """Return the diagonal matrix of a vector."""
    row = array.rows[0]
    rows = (tuple(entry if i == j else ZERO for j in range(len(row))) for i, entry in enumerate(row))
    return Array(tuple(rows), is_vector=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Arithmetic of one kind of numbers, and that of their vectors and matrices."""

    plus: Callable[[Number, Number], Number]
    times: Callable[[Number, Number], Number]
    over: Callable[[Number, Number], Number]
    exp: Callable[[Number], Number]
    sqrt: Callable[[Number], Number]

    def total(self, terms: Iterable[Number]) -> Number:
        """Return the sum of some numbers."""
        first, *rest = [*terms] or [ZERO]
        return reduce(self.plus, rest, first)

    def add(self, first: Value, second: Value) -> Value:
        """Return the sum of two numbers, or of two arrays of one shape.

        Raises:
            ShapeError: they have two shapes.
        """
        if not isinstance(first, Array) and not isinstance(second, Array):
            return self.plus(first, second)
        if not isinstance(first, Array) or not isinstance(second, Array) or first.shape != second.shape:
            raise ShapeError("Values of two shapes are added.")
        rows = tuple(tuple(map(self.plus, one, other)) for one, other in zip(first.rows, second.rows, strict=True))
        return Array(rows, first.is_vector, first.is_row)

    def multiply(self, first: Value, second: Value, *, dotted: bool = False) -> Value:
        """Return the product of numbers, arrays, or both; two columns are multiplied where a dot is between them.

        Raises:
            ShapeError: the sizes do not conform.
        """
        if not isinstance(first, Array):
            return map_value(second, lambda entry: self.times(first, entry))
        if not isinstance(second, Array):
            return first.mapped(lambda entry: self.times(entry, second))
        is_column = second.is_column
        is_row = first.is_vector and (first.is_row or (dotted and is_column))
        left, right = first.rows if is_row else first.table, second.table
        if not left or len(left[0]) != len(right):
            raise ShapeError("The sizes of a product do not conform.")
        columns = tuple(zip(*right, strict=True)) if right else ((),) * is_column
        rows = tuple(tuple(self.total(map(self.times, row, column)) for column in columns) for row in left)
        if is_row and is_column:
            return rows[0][0]
        if is_row:
            return Array(rows, is_row=True)
        return Array((tuple(row[0] for row in rows),)) if is_column else Array(rows, is_vector=False)

    def softmax(self, array: Array) -> Array:
        """Return the softmax of a vector, or of each row."""
        rows = []
        for row in array.rows:
            exponentials = [self.exp(entry) for entry in row]
            total = self.total(exponentials)
            rows.append(tuple(self.over(entry, total) for entry in exponentials))
        return Array(tuple(rows), array.is_vector, array.is_row)

    def norm(self, array: Array) -> Number:
        """Return the Euclidean norm of all entries."""
        return self.sqrt(self.total(self.times(entry, entry) for entry in array.entries))
