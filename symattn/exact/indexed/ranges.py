"""TRUSTED. Which index runs over which range: what a Kronecker delta joins has one range, and so has each index.

The form of an expression does not know the range of an index that is not bound yet: ``sum_i delta[i, k]`` is 1
where k is a value of i. Whoever reads a formula notes here where an index comes from, and what is then read
holds for every value of its indices.
"""

from __future__ import annotations

from symattn.errors import ShapeError
from symattn.exact.indexed import index as ix
from symattn.exact.indexed.expr import Expr
from symattn.exact.indexed.index import Index


class Ranges:
    """The lengths of the ranges of indices, as far as they are known.

    >>> n, m, ranges = Expr.scalar("n"), Expr.scalar("m"), Ranges()
    >>> ranges.put(ix.free("i"), n)
    >>> ranges.join(ix.free("i"), ix.free("j"))
    >>> ranges.put(ix.free("j"), m)
    Traceback (most recent call last):
    symattn.errors.ShapeError: The index j runs to m in one place and to n in another: take two letters.
    """

    def __init__(self) -> None:
        self._leaders: dict[Index, Index] = {}
        self._sizes: dict[Index, Expr] = {}

    def put(self, index: Index, size: Expr) -> None:
        """Notes that an index stands in a place of that length.

        A fixed index may stand in places of several lengths: it is taken to be a value of each.

        Raises:
            ShapeError: it stands in one of another length, or is joined to one that does.
        """
        root = ix.root(index)
        if ix.is_fixed(root):
            return
        leader = self._leader(root)
        known = self._sizes.setdefault(leader, size)
        if known != size:
            raise ShapeError(_conflict(root, size, known))

    def join(self, first: Index, second: Index) -> None:
        """Notes that a delta joins two indices.

        Raises:
            ShapeError: they have ranges of different lengths.
        """
        one, other = ix.root(first), ix.root(second)
        if ix.is_fixed(one) or ix.is_fixed(other):
            return
        leader, follower = self._leader(one), self._leader(other)
        if leader == follower:
            return
        size = self._sizes.pop(follower, None)
        self._leaders[follower] = leader
        if size is not None:
            self.put(one, size)

    def of(self, index: Index) -> Expr | None:
        """The length of the range of an index, where it is known."""
        return self._sizes.get(self._leader(ix.root(index)))

    def _leader(self, index: Index) -> Index:
        while index in self._leaders:
            index = self._leaders[index]
        return index


def _conflict(index: Index, size: Expr, known: Expr) -> str:
    name, here, there = ix.text(index), _text(size), _text(known)
    return f"The index {name} runs to {here} in one place and to {there} in another: take two letters."


def _text(size: Expr) -> str:
    """A scalar by its name, anything else as its form is written."""
    if size.is_single and size.terms[0][0].exponent is None:
        ((term, c),) = size.terms
        if c == 1 and len(term.factors) == 1 and term.factors[0][1] == 1 and not term.factors[0][0].roots:
            return term.factors[0][0].name
    return str(size)
