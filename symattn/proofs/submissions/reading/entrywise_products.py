r"""Equations between matrices that hold products entry by entry, as equations between their entries.

The language of proofs has no :math:`\odot` and no sums of rows: ``dS = A ⊙ (dA - rowsum(A ⊙ dA))`` becomes what it
says of the entry in row i and column j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TypeAlias

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk

Shape: TypeAlias = "tuple[str, ...]"
"""The lengths of a matrix or a column, in the words of the theorem; none for a number."""

_TIMES = frozenset({"odot", "hadamard"})
_SUMS = {"rowsum": 1, "row_sum": 1, "sumrows": 1, "colsum": 0, "col_sum": 0}
"""Functions that sum a matrix, each with the index that the sum runs over."""

_MATRIX = 2
_SINGLE = ""
"""The length of the other side of a column or a row."""


def is_entrywise(node: t.Node) -> bool:
    """Tell whether a side holds a product entry by entry, or the sums of rows or columns."""
    return any(isinstance(item, t.Call) and item.function.text in _TIMES | _SUMS.keys() for item in walk(node))


class EntryReader:
    """Writer of the entries of matrices.

    Args:
        shape: the lengths of what is read without such products, None where that is not plain.
        end: a name for a length, as the end of a sum.
        letters: letters for indices that nothing else has.
    """

    def __init__(
        self, shape: Callable[[t.Node], Shape | None], end: Callable[[str], t.Node], letters: Iterator[str]
    ) -> None:
        self._plain_shape = shape
        self._end = end
        self._letters = letters

    def equation(self, sides: list[t.Node]) -> list[t.Node] | None:
        """Return the sides at one row and one column; None where they are not matrices of one shape."""
        try:
            shapes = {self.shape(side) for side in sides}
            if len(shapes) != 1:
                return None
            (shape,) = shapes
            indices = tuple(t.Name(next(self._letters)) for _ in shape)
            return [self.entry(side, shape, indices) for side in sides]
        except NotationError:
            return None

    def shape(self, node: t.Node) -> Shape:
        """Return the lengths of a side.

        Raises:
            NotationError: they are not plain.
        """
        match node:
            case t.Group(body) | t.Negative(body):
                return self.shape(body)
            case _ if not is_entrywise(node):
                found = self._plain_shape(node)
                if found is None:
                    raise NotationError("The shape of a side is not clear.")
                return found
            case t.Call(t.Name(name), factors) if name in _TIMES:
                return _common([self.shape(factor) for factor in factors])
            case t.Call(t.Name(name), (body,)) if name in _SUMS:
                shape = self.shape(body)
                if len(shape) != _MATRIX:
                    raise NotationError("Only matrices have sums of rows.")
                return shape[:1] if _SUMS[name] else shape[1:]
            case t.Sum(terms):
                return _common([self.shape(term) for term in terms])
            case t.Division(above, _):
                return self.shape(above)
            case t.Product(factors, operators) if set(operators) <= {"", "cdot"}:
                return _shape_of_product([self._table(factor) for factor in factors])
            case t.Transpose(body):
                return self.shape(body)[::-1]
        raise NotationError("This form of a product entry by entry is not read.")

    def entry(self, node: t.Node, shape: Shape, indices: tuple[t.Name, ...]) -> t.Node:
        """Return the entry of a side at some indices; a column is the same in every column of a matrix.

        Raises:
            NotationError: its shape is not plain, or does not fit.
        """
        own = self.shape(node)
        if own not in {shape, shape[:1], ()}:
            raise NotationError("The shapes of a product entry by entry do not fit.")
        match node:
            case t.Group(body):
                return t.Group(self.entry(body, shape, indices))
            case t.Negative(body):
                return t.Negative(self.entry(body, shape, indices))
            case t.Call(t.Name(name), factors) if name in _TIMES:
                return t.Product(
                    tuple(t.Group(self.entry(one, shape, indices)) for one in factors), ("",) * (len(factors) - 1)
                )
            case t.Call(t.Name(name), (body,)) if _SUMS.get(name):
                whole = self.shape(body)
                running = t.Name(next(self._letters))
                inside = t.Group(self.entry(body, whole, (indices[0], running)))
                return t.SumOver(running, t.Number("1"), self._end(whole[1]), inside)
            case t.Sum(terms, operators):
                return t.Sum(tuple(self.entry(term, shape, indices) for term in terms), operators)
            case t.Division(above, below) if is_entrywise(node):
                return t.Division(t.Group(self.entry(above, shape, indices)), below)
            case t.Transpose(body) if is_entrywise(node) and len(own) == _MATRIX:
                return self.entry(body, own[::-1], indices[::-1])
            case t.Product(factors) if is_entrywise(node):
                return self._product(factors, indices[: len(own)])
            case _ if is_entrywise(node):
                raise NotationError("This form of a product entry by entry is not read.")
        if not own:
            return node
        return t.Subscript(node if isinstance(node, t.Name) else t.Group(node), indices[: len(own)])

    def _table(self, node: t.Node) -> Shape:
        """Return the rows and the columns of a factor, one of a column or a row being nothing; none for a number."""
        shape = self.shape(node)
        if len(shape) != 1:
            return shape
        bare = node
        while isinstance(bare, t.Group):
            bare = bare.body
        return (_SINGLE, *shape) if isinstance(bare, t.Transpose) else (*shape, _SINGLE)

    def _product(self, factors: tuple[t.Node, ...], indices: tuple[t.Name, ...]) -> t.Node:
        """Return the entry of a product of matrices, sums over what stands between them."""
        tables = [(factor, self._table(factor)) for factor in factors]
        numbers = [factor for factor, table in tables if not table]
        arrays = [(factor, table) for factor, table in tables if table]
        own = [*indices]
        first = own.pop(0) if arrays[0][1][0] != _SINGLE else None
        last = own.pop(0) if arrays[-1][1][1] != _SINGLE else None
        between = [t.Name(next(self._letters)) if table[1] != _SINGLE else None for _, table in arrays[:-1]]
        ends = [first, *between, last]
        parts = []
        for (factor, table), (row, column) in zip(arrays, pairwise(ends), strict=True):
            at = tuple(index for index in (row, column) if index is not None)
            parts.append(t.Group(self.entry(factor, tuple(size for size in table if size != _SINGLE), at)))
        inside: t.Node = t.Product((*numbers, *parts), ("",) * (len(numbers) + len(parts) - 1))
        if len(numbers) + len(parts) == 1:
            inside = parts[0]
        for letter, (_, table) in zip(between, arrays, strict=False):
            if letter is not None:
                inside = t.SumOver(letter, t.Number("1"), self._end(table[1]), inside)
        return t.Group(inside)


def _common(shapes: list[Shape]) -> Shape:
    """Return the lengths of what is put together entry by entry.

    Raises:
        NotationError: they do not fit.
    """
    found = max(shapes, key=len)
    if any(shape not in {found, found[:1], ()} for shape in shapes):
        raise NotationError("The shapes of a product entry by entry do not fit.")
    return found


def _shape_of_product(tables: list[Shape]) -> Shape:
    """Return the lengths of a product.

    Raises:
        NotationError: the factors do not fit.
    """
    arrays = [table for table in tables if table]
    for one, other in pairwise(arrays):
        if one[1] != other[0]:
            raise NotationError("The factors of a product do not fit.")
    return tuple(size for size in (arrays[0][0], arrays[-1][1]) if size != _SINGLE) if arrays else ()
