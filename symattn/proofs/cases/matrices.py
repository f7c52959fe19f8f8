"""Determinants and inverses of small matrices of numbers, by elimination; what is zero is decided, never guessed."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.errors import InputError, ShapeError
from symattn.proofs.cases.numeric_tower import ONE, ZERO, Number, negative, order, over, plus, times

_MAX_LENGTH = 8

Rows = Sequence[Sequence[Number]]


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
