"""Vectors and matrices of numbers: their arithmetic, and by elimination determinants and inverses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from symattn.errors import InputError, ShapeError
from symattn.proofs.cases.numeric_tower import ONE, ZERO, Number, apply, negative, order, over, plus, times
from symattn.proofs.concrete.arrays import Arithmetic, Array, Value, diagonal

_MAX_LENGTH = 8

Rows = Sequence[Sequence[Number]]


ARITHMETIC = Arithmetic(plus, times, over, lambda value: apply("exp", value), lambda value: apply("sqrt", value))


RELATIONS = {"=": {0}, "≤": {-1, 0}, "<": {-1}, "≥": {0, 1}, ">": {1}, "≠": {-1, 1}}
"""The orders of two sides that stand in a relation."""


def number_in(value: Number | Array) -> Number:
    """Return a value that must be a number.

    Raises:
        ShapeError: it is a vector or a matrix.
    """
    if isinstance(value, Array):
        raise ShapeError("A vector or a matrix stands where a number is expected.")
    return value


def are_same(first: Value, second: Value) -> bool:
    """Return whether two values are equal, entry by entry."""
    if isinstance(first, Array) and isinstance(second, Array):
        return all(order(a, b) == 0 for a, b in zip(first.entries, second.entries, strict=True))
    return order(number_in(first), number_in(second)) == 0


def beside(first: Value, second: Value) -> Iterator[tuple[Number, Number, str]]:
    """Yield the entries of two values one beside the other, with their place; numbers have none.

    Raises:
        ShapeError: they have two shapes.
    """
    if isinstance(first, Array) != isinstance(second, Array):
        raise ShapeError("A number is compared with a vector or a matrix.")
    if not isinstance(first, Array):
        yield first, second, ""
        return
    if [len(row) for row in first.rows] != [len(row) for row in second.rows]:
        raise ShapeError("Matrices of two shapes are compared.")
    for i, (one, other) in enumerate(zip(first.rows, second.rows, strict=True), start=1):
        for j, (a, b) in enumerate(zip(one, other, strict=True), start=1):
            yield a, b, f"{j}" if first.is_vector else f"{i},{j}"


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
    "softmax": ARITHMETIC.softmax,
    "diag": diagonal,
    "norm": ARITHMETIC.norm,
    "max": lambda array: reduce(lambda best, entry: entry if order(entry, best) == 1 else best, array.entries),
    "det": _determinant,
}
"""Functions of arrays by name."""
