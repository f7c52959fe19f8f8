"""TRUSTED. Determinants and inverses of matrices of symbolic size, about which nothing is known but whose they are.

Each keeps the entry of its matrix at two indices that stand for all, so that two of one matrix are one; what they come
to is for lemmas to say.
"""

from __future__ import annotations

from symattn.errors import InputError, ShapeError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import Atom, Expr
from symattn.exact.indexed.indices import Index
from symattn.exact.indexed.terms import DETERMINANT, MATRIX_INVERSE
from symattn.proofs.language.values import Tensor, Value, fresh_index

_MAX_LEVEL = 4
_PLACES = tuple((ix.internal(f"~row{level}"), ix.internal(f"~column{level}")) for level in range(_MAX_LEVEL))
"""The indices of the entry that is kept: no index that is written has such a name. A matrix in which determinants and
inverses stand takes a pair that none of them has."""


def determinant(value: Value) -> Expr:
    """Return the determinant of a square matrix.

    >>> n = Expr.scalar("n")
    >>> one = Tensor((n, n), lambda i, j: Expr.entry("A", i, j))
    >>> determinant(one) == determinant(one), determinant(one) == determinant(one.transposed)
    (True, False)
    """
    return Expr.atom(Atom(DETERMINANT, (), _kept(_square(value))))


def inverse_matrix(value: Value) -> Tensor:
    """Return the inverse of a square matrix, which has one by the hypotheses of whoever reads it."""
    whole = _square(value)
    kept = _kept(whole)

    def at(row: Index, column: Index) -> Expr:
        whole.at(row, column)  # so that it is noted how far the indices run
        return Expr.atom(Atom(MATRIX_INVERSE, (row, column), kept))

    return Tensor(whole.sizes, at)


def _square(value: Value) -> Tensor:
    if isinstance(value, Expr) or len(value.sizes) != 2 or value.sizes[0] != value.sizes[1]:
        raise ShapeError("Determinants and inverses are taken of square matrices.")
    return value


def _kept(value: Tensor) -> tuple[Expr, Expr]:
    row, column = fresh_index(), fresh_index()
    entry = value.at(row, column)
    level = _level(entry) + 1
    if level == _MAX_LEVEL:
        raise InputError(f"Determinants and inverses stand more than {_MAX_LEVEL} deep in one another.")
    return value.sizes[0], entry.replaced(row, _PLACES[level][0]).replaced(column, _PLACES[level][1])


def _level(entry: Expr) -> int:
    """Return the last pair of places that occurs, -1 where none does."""
    return max((level for level, pair in enumerate(_PLACES) if entry.indices & set(pair)), default=-1)


def is_symmetric(entry: Expr) -> bool:
    """Return whether the matrix with a kept entry is shown to be its own mirror image.

    >>> n = Expr.scalar("n")
    >>> square = Tensor((n, n), lambda i, j: Expr.entry("x", i) * Expr.entry("x", j))
    >>> is_symmetric(_kept(square)[1])
    True
    """
    level = _level(entry)
    if level < 0:
        return True
    row, column = _PLACES[level]
    return entry == entry.renamed({row: column, column: row})
