"""TRUSTED. Values of formulas: numbers, vectors and matrices of symbolic size."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeAlias

from symattn.errors import ShapeError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import Expr
from symattn.exact.indexed.index_ranges import length_text
from symattn.exact.indexed.indices import Index
from symattn.records import dataclass

_fresh = itertools.count()


@dataclass(frozen=True, slots=True)
class Tensor:
    """Entries by index.

    Attributes:
        sizes: the lengths of its ranges: one for a vector, two for a matrix.
        at: the entry at some indices.
        is_row: whether a vector stands as a row.
    """

    sizes: tuple[Expr, ...]
    at: Callable[..., Expr]
    is_row: bool = False

    @property
    def transposed(self) -> Tensor:
        """The transpose."""
        if len(self.sizes) == 1:
            return Tensor(self.sizes, self.at, not self.is_row)
        return Tensor(self.sizes[::-1], lambda i, j: self.at(j, i))

    def shape(self) -> str:
        """The shape in words, for messages."""
        if len(self.sizes) == 1:
            return f"{'row' if self.is_row else 'column'} of length {length_text(self.sizes[0])}"
        return " x ".join(map(length_text, self.sizes))


Value: TypeAlias = "Expr | Tensor"


def fresh_index() -> Index:
    """Return an index that occurs nowhere else."""
    return ix.internal(f"~{next(_fresh)}")


def an_entry(value: Value) -> Expr:
    """Return a number itself, or the entry of a vector or a matrix at indices that stand for all."""
    return value if isinstance(value, Expr) else value.at(*(fresh_index() for _ in value.sizes))


def mapped(value: Value, change: Callable[[Expr], Expr]) -> Value:
    """Return a function of each entry."""
    if isinstance(value, Expr):
        return change(value)
    return Tensor(value.sizes, lambda *indices: change(value.at(*indices)), value.is_row)


def added(first: Value, second: Value, sign: int) -> Value:
    """Return the sum, or the difference, of two of one shape."""
    if isinstance(first, Expr) and isinstance(second, Expr):
        return first + second * sign
    if isinstance(first, Expr) or isinstance(second, Expr) or not have_one_shape(first, second):
        raise ShapeError(f"A {described(first)} and a {described(second)} cannot be added.")
    one, other = first, second
    return Tensor(one.sizes, lambda *indices: one.at(*indices) + other.at(*indices) * sign, one.is_row)


def have_one_shape(first: Tensor, second: Tensor) -> bool:
    """Return whether sizes and orientation agree."""
    return first.sizes == second.sizes and first.is_row == second.is_row


def multiplied(first: Value, second: Value, *, dotted: bool) -> Value:
    """Return a number times a value, or a product of matrices and vectors; a dot between columns is the dot product."""
    if isinstance(first, Expr):
        scalar = first
        return mapped(second, lambda entry: scalar * entry)
    if isinstance(second, Expr):
        scalar = second
        return mapped(first, lambda entry: entry * scalar)
    left, right = first, second
    if dotted and len(left.sizes) == len(right.sizes) == 1 and not left.is_row and not right.is_row:
        left = left.transposed
    return _product(left, right)


def _product(left: Tensor, right: Tensor) -> Value:
    one_row, one_column = len(left.sizes) == 1 and left.is_row, len(right.sizes) == 1 and not right.is_row
    if len(left.sizes) == 1 and not left.is_row:
        if len(right.sizes) == 1 and right.is_row:
            return Tensor((left.sizes[0], right.sizes[0]), lambda i, j: left.at(i) * right.at(j))
        raise ShapeError(f"A {left.shape()} times a {right.shape()} is not a product: transpose one of them.")
    if len(right.sizes) == 1 and right.is_row:
        raise ShapeError(f"A {left.shape()} times a {right.shape()} is not a product: transpose one of them.")
    inner = left.sizes[-1]
    if inner != right.sizes[0]:
        raise ShapeError(f"The product of {left.shape()} and {right.shape()} does not conform.")
    summed = _contraction(left, right, inner)
    if one_row and one_column:
        return summed((), ())
    if one_row:
        return Tensor((right.sizes[1],), lambda j: summed((), (j,)), is_row=True)
    if one_column:
        return Tensor((left.sizes[0],), lambda i: summed((i,), ()))
    return Tensor((left.sizes[0], right.sizes[1]), lambda i, j: summed((i,), (j,)))


def _contraction(left: Tensor, right: Tensor, size: Expr) -> Callable[[tuple[Index, ...], tuple[Index, ...]], Expr]:
    def summed(before: tuple[Index, ...], after: tuple[Index, ...]) -> Expr:
        index = fresh_index()
        return Expr.sum_over(index, size, left.at(*before, index) * right.at(index, *after))

    return summed


def described(value: Value) -> str:
    """The value in words, for messages."""
    return "number" if isinstance(value, Expr) else value.shape()


def entrywise(first: Value, second: Value) -> list[tuple[Expr, Expr]] | None:
    """Return the entries of two at the same free indices, None where their shapes differ."""
    if isinstance(first, Expr) and isinstance(second, Expr):
        return [(first, second)]
    if isinstance(first, Expr) or isinstance(second, Expr) or not have_one_shape(first, second):
        return None
    indices = [fresh_index() for _ in first.sizes]
    return [(first.at(*indices), second.at(*indices))]
