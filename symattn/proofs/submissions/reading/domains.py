"""Domains of statements: the cases in which they are meant to hold, as relations between indices or letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice, product
from math import prod
from typing import TypeAlias

from symattn.notation.tree import nodes as t
from symattn.proofs.submissions.phrases import read_phrases
from symattn.records import dataclass

Relation: TypeAlias = tuple[t.Node, str, t.Node]
Clause: TypeAlias = tuple[Relation, ...]

_OPPOSITE = {"=": "≠", "≠": "=", "≤": ">", ">": "≤", "<": "≥", "≥": "<"}
TURNED = {"=": "=", "≠": "≠", "≤": "≥", "≥": "≤", "<": ">", ">": "<"}
"""The relations as they are read from the other side."""

ORDER_SIGNS = {
    r"\leqslant": "≤", r"\leq": "≤", r"\le": "≤", "<=": "≤", r"\geqslant": "≥", r"\geq": "≥", r"\ge": "≥", ">=": "≥",
}  # fmt: skip
"""The relations by the other ways to write them."""

TWO_OR_MORE = read_phrases("conditions")["two_or_more"]
"""The words by which a work says that there are two or more of something."""

_MOST_WAYS = 16


@dataclass(frozen=True, slots=True)
class Domain:
    """Domain of a statement: the cases in which it is meant to hold.

    Attributes:
        clauses: all of them hold; of the relations in each, at least one does.
        is_elsewhere: whether it speaks of "every other" index besides those that are named.
        is_unread: whether the work states a condition that is not read.
    """

    clauses: tuple[Clause, ...] = ()
    is_elsewhere: bool = False
    is_unread: bool = False

    @classmethod
    def of(cls, relations: Iterable[Relation]) -> Domain:
        """Return the domain in which all of some relations hold."""
        return cls(tuple((relation,) for relation in relations))

    def and_(self, other: Domain) -> Domain:
        """Return the domain in which both hold."""
        kept = (*self.clauses, *(clause for clause in other.clauses if clause not in self.clauses))
        return Domain(kept, self.is_elsewhere or other.is_elsewhere, self.is_unread or other.is_unread)

    def followed_by(self, other: Domain) -> Domain:
        """Return what may hold still after another condition, which takes the place of those of the same letters."""
        kept = tuple(one for one in self.clauses if not Domain((one,)).letters() & other.letters())
        return replace(self, clauses=kept).and_(other)

    @property
    def is_everywhere(self) -> bool:
        """Return whether nothing is asked."""
        return not (self.clauses or self.is_elsewhere or self.is_unread)

    def negated(self) -> Domain:
        """Return the complement; everywhere, where that is not told here."""
        if self.is_unread:
            return Domain(is_unread=True)
        if self.is_elsewhere or any(operator not in _OPPOSITE for clause in self.clauses for _, operator, _ in clause):
            return Domain()
        opposite = [tuple((a, _OPPOSITE[operator], b) for a, operator, b in clause) for clause in self.clauses]
        if len(opposite) == 1:
            return Domain.of(opposite[0])
        is_told = bool(opposite) and all(len(clause) == 1 for clause in opposite)
        return Domain((tuple(clause[0] for clause in opposite),) if is_told else ())

    def mapped(self, change: Callable[[t.Node], t.Node]) -> Domain:
        """Return the same with both sides of every relation changed."""
        return replace(self, clauses=tuple(tuple((change(a), o, change(b)) for a, o, b in c) for c in self.clauses))

    def ways(self) -> Iterator[tuple[Relation, ...]]:
        """Return the cases of which at least one is given: a relation of every clause."""
        return islice(product(*self.clauses), _MOST_WAYS)

    @property
    def is_split(self) -> bool:
        """Return whether `ways` gives all of its cases."""
        return prod(map(len, self.clauses)) <= _MOST_WAYS

    def clashes(self, other: Domain) -> bool:
        """Return whether a relation of one is denied by the other."""
        mine = {_key(clause[0]) for clause in self.clauses if len(clause) == 1}
        theirs = {_key((a, _OPPOSITE.get(o, o), b)) for clause in other.clauses for a, o, b in clause}
        return bool(mine & theirs)

    def letters(self) -> frozenset[str]:
        """Return the names alone on a side."""
        sides = (side for clause in self.clauses for a, _, b in clause for side in (a, b))
        return frozenset(side.text for side in sides if isinstance(side, t.Name))


EVERYWHERE = Domain()


def _key(relation: Relation) -> tuple[frozenset[t.Node], str]:
    return frozenset({relation[0], relation[2]}), relation[1]
