"""Biases: the finite numbers that are added to the scores, one class for each kind.

The distance of a key is its place less the place of the query, j - (i + past). Each kind knows what it adds and how it
is said in words; `READERS` lists how each is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Protocol

from symattn.errors import InputError
from symattn.problem.schema.fields import DISTANCE, MAX_PLACES
from symattn.problem.settings.masks import Grid, Tables, by_sequence, chosen, grid_of
from symattn.problem.text.spelling import listed
from symattn.problem.values.checks import describe, exact_number, matches, place_of
from symattn.records import dataclass


class Bias:
    """Bias of some kind.

    Attributes:
        key: its key in a problem file.
        unit: the items of `each_head`, in words.
        is_told: whether its words say all of it, so that its numbers need not be listed.
        by_place: whether it depends on the place of the query among the keys.
    """

    __slots__ = ()

    key: ClassVar[str]
    unit: ClassVar[str] = ""
    is_told: ClassVar[bool] = False
    by_place: ClassVar[bool] = True

    @property
    def grids(self) -> Tables[Fraction]:
        """The matrices that are added as they are, by sequence and head; empty for other kinds."""
        return ()

    @property
    def each_head(self) -> tuple[object, ...]:
        """The items of which there is one for all heads or one for each."""
        return ()

    def rows(self, n_q: int, n_k: int, past: int = 0, head: int = 0, sequence: int = 0) -> Grid[Fraction]:
        """Return the addend of the score of each query with each key; heads and sequences count from 1.

        Raises:
            InputError: Heads or sequences differ and none was named, or a distance has no number.
        """
        del sequence
        at = self.by_distance(head)
        return tuple(tuple(at(j - i - past) for j in range(n_k)) for i in range(n_q))

    def by_distance(self, head: int) -> Callable[[int], Fraction]:
        """Return the addend as a function of the distance."""
        raise NotImplementedError

    def missing(self, n_q: int, n_k: int, past: int = 0) -> tuple[int, ...]:
        """Return the distances that occur and have no number."""
        del n_q, n_k, past
        return ()

    def of_sequence(self, sequence: int) -> Bias:
        """Return the bias of one sequence of a batch, counted from 1."""
        del sequence
        return self

    def describe(self) -> str:
        """Return the bias in words."""
        raise NotImplementedError

    def cautions(self, n_q: int, n_k: int, past: int, *, sees_ahead: bool) -> Iterator[tuple[str, str]]:
        """Yield a code and a sentence for each thing that an instructor should know about it."""
        del n_q, n_k, past, sees_ahead
        yield from ()


@dataclass(frozen=True, slots=True)
class Added(Bias):
    """A matrix, or one for each head and sequence.

    >>> Added(((((Fraction(1),),),), (((Fraction(2),),),))).of_sequence(2).rows(1, 1)
    ((Fraction(2, 1),),)
    """

    key: ClassVar[str] = "add"
    by_place: ClassVar[bool] = False

    grids: Tables[Fraction]

    def rows(self, n_q: int, n_k: int, past: int = 0, head: int = 0, sequence: int = 0) -> Grid[Fraction]:
        """Return the matrix of a head and a sequence."""
        del n_k, past
        return grid_of(self.grids, n_q, head, sequence)

    def of_sequence(self, sequence: int) -> Added:
        """Return the matrices of one sequence."""
        return Added(by_sequence(self.grids, sequence))

    def describe(self) -> str:
        """Return the bias in words."""
        return "a bias matrix is added to the scores"


@dataclass(frozen=True, slots=True)
class Slopes(Bias):
    """ALiBi (Press et al. 2022): slopes of the distance, one for all heads or one for each.

    >>> Slopes((Fraction(1, 2),)).rows(1, 3, past=1)
    ((Fraction(-1, 2), Fraction(0, 1), Fraction(1, 2)),)
    >>> Slopes((Fraction(1, 2),)).describe()
    'the slope 1/2 times the distance from the query back to the key is subtracted from the scores'
    """

    key: ClassVar[str] = "alibi"
    unit: ClassVar[str] = "numbers"
    is_told: ClassVar[bool] = True

    each_head: tuple[Fraction, ...]

    def by_distance(self, head: int) -> Callable[[int], Fraction]:
        """Return the distance times the slope of a head."""
        slope = chosen(self.each_head, head, "heads")
        return lambda distance: slope * distance

    def describe(self) -> str:
        """Return the bias in words."""
        slopes = ", ".join(map(str, self.each_head))
        slope = f"the slope {slopes}" if len(self.each_head) == 1 else f"the slope of the head ({slopes})"
        return f"{slope} times the distance from the query back to the key is subtracted from the scores"

    def cautions(self, n_q: int, n_k: int, past: int, *, sees_ahead: bool) -> Iterator[tuple[str, str]]:
        """Yield a word about keys ahead of their query, which such slopes reward."""
        del n_q, n_k, past
        if sees_ahead and any(slope > 0 for slope in self.each_head):
            text = (
                "A key ahead of its query is seen, and alibi rewards it: the slope times i + past - j, which is "
                "negative there, is subtracted. A causal mask hides such keys; relative can give them other numbers."
            )
            yield "alibi-ahead", text


@dataclass(frozen=True, slots=True)
class Distances(Bias):
    """Tables of numbers by distance, one for all heads or one for each.

    >>> Distances((((-1, Fraction(5)), (0, Fraction(7))),)).rows(2, 1)
    ((Fraction(7, 1),), (Fraction(5, 1),))
    """

    key: ClassVar[str] = "relative"
    unit: ClassVar[str] = "tables"

    each_head: tuple[tuple[tuple[int, Fraction], ...], ...]

    def by_distance(self, head: int) -> Callable[[int], Fraction]:
        """Return the number of each distance in the table of a head."""
        table = dict(chosen(self.each_head, head, "heads"))

        def at(distance: int) -> Fraction:
            if distance not in table:
                raise InputError(f"The table of biases by distance has no number for {distance}; give one.")
            return table[distance]

        return at

    def missing(self, n_q: int, n_k: int, past: int = 0) -> tuple[int, ...]:
        """Return the distances that occur and that some table has no number for.

        >>> Distances((((0, Fraction(1)),),)).missing(2, 2)
        (-1, 1)
        """
        known = set.intersection(*({distance for distance, _ in table} for table in self.each_head))
        return tuple(distance for distance in _occurring(n_q, n_k, past) if distance not in known)

    def describe(self) -> str:
        """Return the bias in words."""
        return "a number for the distance of the key from the query is added to the scores"

    def cautions(self, n_q: int, n_k: int, past: int, *, sees_ahead: bool) -> Iterator[tuple[str, str]]:
        """Yield a word about distances that do not occur."""
        del sees_ahead
        there = _occurring(n_q, n_k, past)
        idle = sorted({distance for table in self.each_head for distance, _ in table if distance not in there})
        if idle:
            names = ", ".join(map(str, idle[:6])) + (" and so on" if len(idle) > 6 else "")
            text = (
                f"The table has numbers for the distances {names}, which do not occur: "
                f"they go from {there[0]} to {there[-1]}."
            )
            yield "relative-unused", text


def _occurring(n_q: int, n_k: int, past: int) -> range:
    """Return the distances between queries and keys."""
    return range(1 - n_q - past, n_k - past)


# Reading --------------------------------------------------------------------------------------------


class Layout(Protocol):
    """Reader of matrices of finite numbers, of which heads and sequences may have one each."""

    def numbers(self, value: object, place: str) -> Tables[Fraction]:
        """Return the matrices at a place of a problem file."""


def read_bias(value: Mapping[str, Any], source: str, layout: Layout) -> Bias:
    """Return the bias that a problem file declares.

    Raises:
        InputError: none or several kinds at once, or numbers that cannot be read.
    """
    place = place_of(source, "bias")
    if len(value) != 1:
        given = f", not {listed(list(value))}" if value else ""
        raise InputError(f"{place} must have exactly one of {listed(list(READERS))}{given}.")
    ((key, item),) = value.items()
    return READERS[key](item, place_of(source, f"bias.{key}"), layout)


def _added(item: object, place: str, layout: Layout) -> Bias:
    return Added(layout.numbers(item, place))


def _each(item: object, place: str) -> Iterator[tuple[object, str]]:
    """Yield what is given for all heads, or what for each head in turn, with its place.

    Raises:
        InputError: an empty list.
    """
    if not isinstance(item, (list, tuple)):
        yield item, place
        return
    if not item:
        raise InputError(f"{place} is empty; give one, or one for each head.")
    yield from ((one, f"{place}, head {head}") for head, one in enumerate(item, 1))


def _slopes(item: object, place: str, _: Layout) -> Bias:
    return Slopes(tuple(exact_number(one, at) for one, at in _each(item, place)))


def _distances(item: object, place: str, _: Layout) -> Bias:
    return Distances(tuple(_by_distance(one, at) for one, at in _each(item, place)))


def _by_distance(table: object, place: str) -> tuple[tuple[int, Fraction], ...]:
    if not isinstance(table, Mapping) or not table:
        raise InputError(f'{place} must be a table of numbers by distance, as in {{"-1" = "1/2", "0" = 0}}.')
    found: dict[int, Fraction] = {}
    for key, value in table.items():
        text = str(key).strip().replace("\N{MINUS SIGN}", "-")
        if isinstance(key, bool) or not matches(DISTANCE, text) or len(text) > 5 or abs(int(text)) >= 2 * MAX_PLACES:
            raise InputError(f"{place}: {describe(str(key))} is not a distance; write a whole number such as -1.")
        if int(text) in found:
            raise InputError(f"{place}: the distance {int(text)} is given twice; leave one of them out.")
        found[int(text)] = exact_number(value, f"{place}, distance {text}")
    return tuple(sorted(found.items()))


READERS: Mapping[str, Callable[[object, str, Layout], Bias]] = {
    "add": _added,
    "alibi": _slopes,
    "relative": _distances,
}
"""The kinds by their keys in a problem file."""
