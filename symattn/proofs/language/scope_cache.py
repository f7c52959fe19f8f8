"""TRUSTED. Cache of one scope, so that a replay does not read it again at every step.

All that is kept is a pure value of inputs that never change: what a tree comes to, with the scope, the facts at hand
and the indices that stand around it, all of which are part of the key. Names that are random are part of the scope.
A memo belongs to one scope and to one replay; it is never shared between two, and nothing global is kept.
Reading also notes how far indices run. These notes are kept with the value and made again wherever it is used, so
that an index which runs to two lengths within one step is refused as if everything had been read anew.
"""

from __future__ import annotations

from collections.abc import Hashable

from symattn.exact.indexed.expression import Expr
from symattn.exact.indexed.index_ranges import Notes, Ranges
from symattn.exact.indexed.indices import Index
from symattn.proofs.language.scope import Scope
from symattn.proofs.language.values import fresh_index
from symattn.records import dataclass

_MOST_ITEMS = 20_000
_MOST_TERMS = 200_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A number, or a vector or matrix by its entry at indices that stand for all, the same for all of its lengths.

    Attributes:
        sizes: the lengths of its ranges; none for a number.
        is_row: whether a vector stands as a row.
        value: the entry.
    """

    sizes: tuple[Expr, ...]
    is_row: bool
    value: Expr


class Memo:
    """Cache of one scope.

    Args:
        scope: the names and hypotheses; they are looked at by identity.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._values: dict[Hashable, tuple[object, Notes]] = {}
        self._objects: dict[int, tuple[object, int]] = {}
        self._indices: dict[Hashable, tuple[Index, ...]] = {}
        self._terms = 0

    def number_of(self, item: object) -> int:
        """Return a number for an object that never changes: what is kept for it is kept for no other."""
        known = self._objects.get(id(item))
        if known is None:
            # The object is held, so that no other one has its identity as long as the memo is there.
            known = self._objects[id(item)] = (item, len(self._objects) + 1)
        return known[1]

    def standing(self, key: Hashable, count: int) -> tuple[Index, ...]:
        """Return indices that occur nowhere else, the same ones for the same key."""
        if (key, count) not in self._indices:
            self._indices[key, count] = tuple(fresh_index() for _ in range(count))
        return self._indices[key, count]

    def found(self, key: Hashable, ranges: Ranges) -> object | None:
        """Return the cached value, its notes made again among the ranges of the caller.

        Raises:
            ShapeError: an index of it runs to another length there.
        """
        known = self._values.get(key)
        if known is None:
            return None
        ranges.repeat(known[1])
        return known[0]

    def keep(self, key: Hashable, value: object, notes: Notes, terms: int) -> None:
        """Keep a value with the notes made while it was read, within a bound on memory."""
        self._terms += terms
        if len(self._values) < _MOST_ITEMS and self._terms < _MOST_TERMS:
            self._values[key] = (value, notes)
