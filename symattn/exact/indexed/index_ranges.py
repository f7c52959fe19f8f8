"""TRUSTED. Ranges of indices: indices that a Kronecker delta joins have one range, and so has each index.

The form of an expression does not know the range of an index that is not bound yet: ``sum_i delta[i, k]`` is 1
where k is a value of i. Whoever reads a formula notes here where an index comes from, and what is then read
holds for every value of its indices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from typing import TypeAlias

from symattn.errors import ShapeError
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import Expr
from symattn.exact.indexed.indices import Index

Note: TypeAlias = "tuple[Index, Expr | Index, tuple[str, ...]]"
"""An index with the length of its range, or with an index that a delta joins it to; and which values are certain."""

Notes: TypeAlias = "tuple[Note, ...]"

Assumed: TypeAlias = "tuple[str, Expr]"
"""A fixed index, and the length of a range of which it is taken to be a value."""


def number_or_one(size: Expr) -> int | None:
    """Return the least value of a length of which nothing is known: the number itself, or 1.

    >>> number_or_one(Expr(3)), number_or_one(Expr.scalar("n"))
    (3, 1)
    """
    number = size.rational()
    if number is None:
        return 1
    return int(number) if number.denominator == 1 and number >= 0 else None


class Ranges:
    """The lengths of the ranges of indices, as far as they are known.

    An index with a letter stands for the values of its range, so that range is not empty; an index that is a number
    is one of its values. Both have to follow from the least value of the length. An index that is declared as fixed
    is taken to be a value of each range that it stands in; `assumed` holds what is taken so.

    Args:
        least: the least value that a length takes, None for what is not evidently a length.

    >>> n, m, ranges = Expr.scalar("n"), Expr.scalar("m"), Ranges()
    >>> ranges.put(ix.free("i"), n)
    >>> ranges.join(ix.free("i"), ix.free("j"))
    >>> ranges.put(ix.free("j"), m)
    Traceback (most recent call last):
    symattn.errors.ShapeError: The index j runs to m in one place and to n in another: take two letters.
    """

    def __init__(self, least: Callable[[Expr], int | None] = number_or_one) -> None:
        self._least = least
        self._leaders: dict[Index, Index] = {}
        self._sizes: dict[Index, Expr] = {}
        self._values: dict[Index, dict[str, bool]] = {}
        self._letters: dict[Fraction, set[str]] = {}
        self._plain: dict[Index, None] = {}
        self.lengths: set[Expr] = set()
        self.assumed: set[Assumed] = set()
        self._notes: list[Note] = []

    def mark(self) -> int:
        """Return the number of notes so far."""
        return len(self._notes)

    def since(self, mark: int) -> Notes:
        """Return the notes since a mark, each once: a repeated note changes nothing."""
        return tuple(dict.fromkeys(self._notes[mark:]))

    def repeat(self, notes: Notes) -> None:
        """Repeat notes that were made elsewhere.

        Raises:
            ShapeError: they do not go with those that were made here.
        """
        for first, second, certain in notes:
            if isinstance(second, Expr):
                self.put(first, second, is_certain=bool(certain))
            else:
                self.join(first, second, certain)

    def put(self, index: Index, size: Expr, *, is_certain: bool = True) -> None:
        """Note that an index stands in a place of that length.

        A fixed index may stand in places of several lengths: it is taken to be a value of each, where that is
        certain or where the length is a number that is not less.

        Raises:
            ShapeError: it stands in one of another length, or is joined to one that does.
        """
        self._notes.append((index, size, (index[-1],) if is_certain else ()))
        self._put(index, size, is_certain=is_certain)

    def _put(self, index: Index, size: Expr, *, is_certain: bool) -> None:
        root = ix.root(index)
        self.lengths.add(size)
        for image in _images(index):
            self._put(image, size, is_certain=True)
        if ix.is_fixed(root):
            self._refuse_value(root[1], size, is_certain=is_certain)
            return
        self._note(root)
        leader = self._leader(root)
        known = self._sizes.setdefault(leader, size)
        if known != size:
            name = "An index" if ix.is_internal(root) else f"The index {ix.text(root)}"
            here, there = length_text(size), length_text(known)
            raise ShapeError(f"{name} runs to {here} in one place and to {there} in another: take two letters.")
        self._refuse_empty(leader, size)
        for value, certain in self._values.get(leader, {}).items():
            self._refuse_value(value, size, is_certain=certain)

    def _note(self, root: Index) -> None:
        """Note an index that is not bound: a letter, or a place of a hypothesis."""
        if not root[0].startswith("~"):
            self._plain[root] = None

    def _refuse_empty(self, leader: Index, size: Expr) -> None:
        """Refuse an empty range for an index with a letter."""
        if (self._least(size) or 0) > 0:
            return
        for index in self._plain:
            if self._leader(index) == leader:
                raise ShapeError(f"The index {ix.text(index)} has no value where {length_text(size)} is 0.")

    def join(self, first: Index, second: Index, certain: Collection[str] = ()) -> None:
        """Note that a delta joins two indices; the fixed ones of `certain` are values of every range.

        Raises:
            ShapeError: they have ranges of different lengths.
        """
        self._notes.append((first, second, tuple(certain)))
        one, other = ix.root(first), ix.root(second)
        for fixed, free in ((one, other), (other, one)):
            if ix.is_fixed(fixed) and not ix.is_fixed(free):
                self._take(fixed[1], free, is_certain=fixed[1] in certain)
        for root in (one, other):
            if not ix.is_fixed(root):
                self._note(root)
        roots = [root for root in (one, other) if not ix.is_fixed(root)]
        roots += [image for index in (first, second) for image in _images(index)]
        for root in roots[1:]:
            self._unite(roots[0], root)

    def _unite(self, one: Index, other: Index) -> None:
        """Give two indices one range."""
        leader, follower = self._leader(one), self._leader(other)
        if leader == follower:
            return
        size = self._sizes.pop(follower, self._sizes.get(leader))
        self._leaders[follower] = leader
        own = self._values.setdefault(leader, {})
        for value, is_certain in self._values.pop(follower, {}).items():
            own[value] = own.get(value, False) or is_certain
        if size is not None:
            self._put(one, size, is_certain=True)

    def _take(self, value: str, index: Index, *, is_certain: bool) -> None:
        """Note that a value belongs to the range of an index."""
        leader = self._leader(index)
        size = self._sizes.get(leader)
        own = self._values.setdefault(leader, {})
        own[value] = own.get(value, False) or is_certain
        if size is not None:
            self._refuse_value(value, size, is_certain=is_certain)

    def _refuse_value(self, value: str, size: Expr, *, is_certain: bool) -> None:
        """Refuse a numeric index outside of its range, and more fixed letters than the range has values."""
        number = size.rational()
        if not value.isdecimal():
            letters = set[str]() if number is None else self._letters.setdefault(number, set())
            letters.add(value)
            self.assumed.add((value, size))
            if number is not None and len(letters) > number:
                names = " and ".join(sorted(letters))
                raise ShapeError(
                    f"The indices {names} are not different values of a range of length {length_text(size)}."
                )
            return
        if value == "0" or (number is not None and int(value) > number):
            raise ShapeError(
                f"The index {value} is not a value of a range of length {length_text(size)}: ranges begin at 1."
            )
        if int(value) <= (self._least(size) or 0):
            return
        if not is_certain:
            where = f"a range of length {length_text(size)}"
            raise ShapeError(f"That {value} is a value of {where} is not known here: put it with the fixed indices.")
        self.assumed.add((value, size))

    def of(self, index: Index) -> Expr | None:
        """Return the length of the range of an index, where it is known."""
        return self._sizes.get(self._leader(ix.root(index)))

    def letters(self) -> Iterator[tuple[str, Expr | None]]:
        """Iterate over the indices that stand for every value of a range, with its length where it is known."""
        for index in self._plain:
            if not ix.is_internal(index):
                yield ix.text(index), self.of(index)

    def _leader(self, index: Index) -> Index:
        while index in self._leaders:
            index = self._leaders[index]
        return index


def _images(index: Index) -> list[Index]:
    """Return an index of the kernel's own for each permutation around an index: a permutation has one range."""
    return [ix.internal(f"~.{name.removesuffix('()')}") for name in index[: len(index) - len(ix.root(index))]]


def length_text(size: Expr) -> str:
    """Return a scalar by its name, anything else as its form is written."""
    if size.rational() is not None:
        return str(size.rational())
    if size.is_single and size.terms[0][0].exponent is None:
        ((term, c),) = size.terms
        if c == 1 and len(term.factors) == 1 and term.factors[0][1] == 1 and not term.factors[0][0].roots:
            return term.factors[0][0].name
    return str(size)
