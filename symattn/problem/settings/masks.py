"""Masks: the keys that each query sees, and what hides the others.

A new condition is a field of `Mask`, a row of `MASK_FIELDS` (``problem.schema.fields``), a key in ``_mask``
(``problem.reader.layers``), its checks (``problem.components.layer_checks``), and its sentence in each language;
values and keys ask `Mask.added`, checking the quantity ``M`` that is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias, TypeVar

from symattn.errors import InputError
from symattn.languages.catalogue import ENGLISH, Words
from symattn.records import dataclass

Entry = TypeVar("Entry")
Grid: TypeAlias = tuple[tuple[Entry, ...], ...]
"""Rows of entries, one row a query; a single row stands for all queries."""
Tables: TypeAlias = tuple[tuple[Grid[Entry], ...], ...]
"""Grids by sequence, then by head; one alone stands for all."""

_NOTHING = Fraction(0)
_STANDS_FOR_MINUS_INFINITY = -1000


@dataclass(frozen=True, slots=True)
class Mask:
    """Mask: the keys that each query sees, those that all of its conditions allow.

    The place of query i among the keys is i + past. `causal` hides the keys behind that place; `window`
    hides those further to its left or right than the two numbers say; of a sequence only the first
    `length` keys are there (one number for all sequences, or one for each); `keep` marks the keys that are
    seen, `drop` those that are hidden; `add` is added to the scores, None for minus infinity. `alignment`
    takes the place of `past`: ``"bottom-right"`` puts the last query at the last key.

    >>> Mask(causal=True).visible(2, 3)
    ((True, False, False), (True, True, False))
    """

    causal: bool = False
    past: int = 0
    alignment: str = ""
    length: tuple[int, ...] = ()
    window: tuple[int, int] | None = None
    keep: Tables[bool] = ()
    drop: Tables[bool] = ()
    add: Tables[Fraction | None] = ()

    @property
    def hides(self) -> bool:
        """True if there is any condition; a mask without one only gives the place of the queries.

        >>> Mask(past=2).hides, Mask(window=(1, 0)).hides
        (False, True)
        """
        return bool(self.by_place or self.length or self.keep or self.drop or self.add)

    @property
    def by_place(self) -> bool:
        """True if a condition depends on the place of the query among the keys.

        >>> Mask(causal=True).by_place, Mask(length=(2,)).by_place
        (True, False)
        """
        return self.causal or self.window is not None

    @property
    def stand_ins(self) -> tuple[Fraction, ...]:
        """The large negative numbers of `add`, which people write for minus infinity and which are none.

        >>> Mask(add=((((Fraction(0), Fraction(-10000), None),),),)).stand_ins
        (Fraction(-10000, 1),)
        """
        entries = {entry for heads in self.add for grid in heads for row in grid for entry in row}
        return tuple(sorted(entry for entry in entries if entry is not None and entry <= _STANDS_FOR_MINUS_INFINITY))

    def shift(self, n_q: int, n_k: int) -> int:
        """Return the number of keys before the key of the first query.

        >>> Mask(alignment="bottom-right").shift(2, 5)
        3
        """
        return n_k - n_q if self.alignment == "bottom-right" else self.past

    def visible(self, n_q: int, n_k: int, head: int = 0, sequence: int = 0) -> Grid[bool]:
        """Return the visibility of each key to each query; heads and sequences count from 1.

        Raises:
            InputError: Heads or sequences differ, and none was named.

        >>> Mask(length=(1,)).visible(2, 3)
        ((True, False, False), (True, False, False))
        """
        added = self.added(n_q, n_k, head, sequence)
        return tuple(tuple(entry is not None for entry in row) for row in added)

    def added(self, n_q: int, n_k: int, head: int = 0, sequence: int = 0) -> Grid[Fraction | None]:
        """Return the addend of the score of each query with each key: None, minus infinity, where it is hidden.

        Raises:
            InputError: Heads or sequences differ, and none was named.

        >>> Mask(causal=True).added(2, 2)
        ((Fraction(0, 1), None), (Fraction(0, 1), Fraction(0, 1)))
        """
        there = chosen(self.length, sequence, "sequences") if self.length else n_k
        keep, drop = (grid_of(tables, n_q, head, sequence) for tables in (self.keep, self.drop))
        add, past = grid_of(self.add, n_q, head, sequence), self.shift(n_q, n_k)

        def entry(i: int, j: int) -> Fraction | None:
            if j >= there or self._is_out_of_reach(j - i - past):
                return None
            if (keep and not keep[i][j]) or (drop and drop[i][j]):
                return None
            return add[i][j] if add else _NOTHING

        return tuple(tuple(entry(i, j) for j in range(n_k)) for i in range(n_q))

    def _is_out_of_reach(self, distance: int) -> bool:
        if self.causal and distance > 0:
            return True
        return self.window is not None and not -self.window[0] <= distance <= self.window[1]

    def of_sequence(self, sequence: int) -> Mask:
        """Return the mask of one sequence of a batch, counted from 1.

        >>> Mask(length=(3, 2)).of_sequence(2)
        Mask(causal=False, past=0, alignment='', length=(2,), window=None, keep=(), drop=(), add=())
        """
        length = (chosen(self.length, sequence, "sequences"),) if self.length else ()
        keep, drop = (by_sequence(tables, sequence) for tables in (self.keep, self.drop))
        add = by_sequence(self.add, sequence)
        return replace(self, length=length, keep=keep, drop=drop, add=add)

    def describe(self, words: Words = ENGLISH) -> str:
        """Return the mask in words, one clause for each condition.

        >>> Mask(causal=True, length=(3,)).describe()
        'causal, each query sees the keys up to its own place; padding, only the first 3 keys are there'
        """
        return "; ".join(self._clauses(words))

    def _clauses(self, words: Words) -> list[str]:
        found = []
        if self.causal:
            found.append(words.say("mask.causal"))
        if self.window is not None:
            left, right = self.window
            found.append(words.say("mask.window", left=left, right=right))
        if self.alignment == "bottom-right":
            found.append(words.say("mask.bottom_right"))
        elif self.past:
            found.append(words.say("mask.past", past=self.past))
        if len(self.length) == 1:
            found.append(words.say("mask.padding", count=self.length[0]))
        elif self.length:
            found.append(words.say("mask.padding_of_each", counts=", ".join(map(str, self.length))))
        if self.keep:
            found.append(words.say("mask.keep"))
        if self.drop:
            found.append(words.say("mask.drop"))
        if self.add:
            found.append(words.say("mask.add"))
        return found


def chosen(items: Sequence[Entry], number: int, what: str) -> Entry:
    """Return the item of one head or sequence, counted from 1; one item alone stands for all."""
    if len(items) == 1:
        return items[0]
    if not 1 <= number <= len(items):
        raise InputError(f"The {what} differ here; name one of them, from 1 to {len(items)}.")
    return items[number - 1]


def grid_of(tables: Tables[Entry], n_q: int, head: int, sequence: int) -> Grid[Entry]:
    """Return the grid of one head of one sequence, its single row repeated for all queries; () where there is none."""
    if not tables:
        return ()
    grid = chosen(chosen(tables, sequence, "sequences"), head, "heads")
    return grid * n_q if len(grid) == 1 else grid


def by_sequence(tables: Tables[Entry], sequence: int) -> Tables[Entry]:
    """Return the tables of one sequence of a batch, counted from 1."""
    return (chosen(tables, sequence, "sequences"),) if tables else ()
