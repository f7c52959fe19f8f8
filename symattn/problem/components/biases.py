"""Biases: the finite numbers that are added to the scores, one class for each kind.

The distance of a key is its place less the place of the query, j - (i + past). Each kind knows what it adds and how it
is said in words; `READERS` lists how each is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from symattn.errors import InputError
from symattn.languages.catalogue import ENGLISH, Words
from symattn.problem.schema.fields import DISTANCE, MAX_PLACES
from symattn.problem.settings.masks import Grid, Tables, by_sequence, chosen, grid_of
from symattn.problem.text.spelling import listed
from symattn.problem.values.checks import describe, exact_number, matches, place_of
from symattn.records import dataclass

_MAX_BUCKETS = 128


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
            InputError: Heads or sequences differ and none was named, or a distance lacks its number.
        """
        del sequence
        at = self.by_distance(head)
        return tuple(tuple(at(j - i - past) for j in range(n_k)) for i in range(n_q))

    def by_distance(self, head: int) -> Callable[[int], Fraction]:
        """Return the addend as a function of the distance."""
        raise NotImplementedError

    def missing(self, n_q: int, n_k: int, past: int = 0) -> tuple[int, ...]:
        """Return the distances that occur and lack a number."""
        del n_q, n_k, past
        return ()

    def of_sequence(self, sequence: int) -> Bias:
        """Return the bias of one sequence of a batch, counted from 1."""
        del sequence
        return self

    def describe(self, words: Words = ENGLISH) -> str:
        """Return the bias in the words of a language."""
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

    def describe(self, words: Words = ENGLISH) -> str:
        """Return the bias in words."""
        return words.say("bias.matrix")


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

    def describe(self, words: Words = ENGLISH) -> str:
        """Return the bias in words."""
        slopes = ", ".join(map(str, self.each_head))
        return words.say("bias.slopes", count=len(self.each_head), slopes=slopes)

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
        """Return the distances that occur and that some table lacks.

        >>> Distances((((0, Fraction(1)),),)).missing(2, 2)
        (-1, 1)
        """
        known = set.intersection(*({distance for distance, _ in table} for table in self.each_head))
        return tuple(distance for distance in _occurring(n_q, n_k, past) if distance not in known)

    def describe(self, words: Words = ENGLISH) -> str:
        """Return the bias in words."""
        return words.say("bias.distances")

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


@dataclass(frozen=True, slots=True)
class Buckets(Bias):
    """T5's bias (Raffel et al. 2020, section 2.1): a number for each bucket of distances, in one list or one a head.

    Small distances have a bucket each; larger ones share buckets that grow as their logarithms do, up to `reach`,
    from which on all are in the last. Where it is `two_sided` the second half of the buckets is that of keys ahead of
    their query; elsewhere those are in the first bucket, as distance 0 is. A logarithm on the boundary of a bucket is
    decided by whole numbers, where a program with floats may take the bucket before.

    >>> quarters = tuple(Fraction(number, 4) for number in range(4))
    >>> [[str(number) for number in row] for row in Buckets((quarters,), 8, two_sided=False).rows(1, 6, past=5)]
    [['3/4', '3/4', '1/2', '1/2', '1/4', '0']]
    """

    key: ClassVar[str] = "buckets"
    unit: ClassVar[str] = "lists of values"

    each_head: tuple[tuple[Fraction, ...], ...]
    reach: int
    two_sided: bool

    def by_distance(self, head: int) -> Callable[[int], Fraction]:
        """Return the number of the bucket of each distance, from those of a head."""
        values = chosen(self.each_head, head, "heads")
        return lambda distance: values[self.bucket(distance)]

    def bucket(self, distance: int) -> int:
        """Return the bucket of a distance, counted from 0.

        >>> encoder = Buckets(((Fraction(0),) * 32,), 128, two_sided=True)
        >>> [encoder.bucket(distance) for distance in (0, -1, 1, -8, -16, -127, 128, 1000)]
        [0, 1, 17, 8, 10, 15, 31, 31]
        """
        count = len(self.each_head[0])
        if self.two_sided:
            count //= 2
            return count * (distance > 0) + self._one_sided(abs(distance), count)
        return self._one_sided(max(-distance, 0), count)

    def _one_sided(self, distance: int, count: int) -> int:
        """Return the bucket among `count` of them: that of ``log(distance/small)/log(reach/small)``."""
        small = count // 2
        if distance < small:
            return distance
        large = count - small
        grown = Fraction(distance, small) ** large
        return small + next(
            (step for step in range(large - 1) if grown < Fraction(self.reach, small) ** (step + 1)), large - 1
        )

    def describe(self, words: Words = ENGLISH) -> str:
        """Return the bias in words."""
        count = len(self.each_head[0])
        sides = "two_sided" if self.two_sided else "one_sided"
        return words.say(f"bias.buckets.{sides}", buckets=count, reach=self.reach)

    def cautions(self, n_q: int, n_k: int, past: int, *, sees_ahead: bool) -> Iterator[tuple[str, str]]:
        """Yield a word about keys ahead of their query that all share a bucket."""
        del n_q, n_k, past
        if sees_ahead and not self.two_sided:
            text = (
                "A key ahead of its query is seen, and all such keys have the number of distance 0. A causal mask "
                "hides them; bidirectional = true gives them buckets of their own."
            )
            yield "buckets-ahead", text


def _occurring(n_q: int, n_k: int, past: int) -> range:
    """Return the distances between queries and keys."""
    return range(1 - n_q - past, n_k - past)


# Reading --------------------------------------------------------------------------------------------


Numbers: TypeAlias = Callable[[object, str], Tables[Fraction]]
"""Returns the finite numbers at a place of a problem file, of which heads and sequences may have one matrix each."""


def read_bias(value: Mapping[str, Any], source: str, numbers: Numbers) -> Bias:
    """Return the bias that a problem file declares.

    Raises:
        InputError: none or several kinds at once, or numbers that cannot be read.
    """
    place = place_of(source, "bias")
    if len(value) != 1:
        given = f", not {listed(list(value))}" if value else ""
        raise InputError(f"{place} must have exactly one of {listed(list(READERS))}{given}.")
    ((key, item),) = value.items()
    return READERS[key](item, place_of(source, f"bias.{key}"), numbers)


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


def _buckets(item: object, place: str, numbers: Numbers) -> Bias:
    """Return a bias of buckets, whose fields have been checked one by one."""
    fields: Mapping[str, Any] = (
        {"max_distance": 128, "bidirectional": True, **item} if isinstance(item, Mapping) else {}
    )
    tables = numbers(fields["values"], f"{place}.values")
    if len(tables) != 1 or len(tables[0]) != 1:
        raise InputError(f"{place}.values must be a list of numbers, or one for each head.")
    values, reach, two_sided = tables[0][0], fields["max_distance"], fields["bidirectional"]
    least, word = (4, "an even number of at least 4") if two_sided else (2, "at least 2")
    count = len(values[0])
    if not least <= count <= _MAX_BUCKETS or (two_sided and count % 2):
        raise InputError(
            f"{place}.values has {count}, and it needs {word} values, one for each bucket, and at most {_MAX_BUCKETS}."
        )
    small = count // least
    if reach <= small:
        raise InputError(f"{place}.max_distance must be above {small}, the first distance that shares a bucket.")
    return Buckets(values, reach, two_sided=two_sided)


READERS: Mapping[str, Callable[[object, str, Numbers], Bias]] = {
    "add": lambda item, place, numbers: Added(numbers(item, place)),
    "alibi": lambda item, place, _: Slopes(tuple(exact_number(one, at) for one, at in _each(item, place))),
    "relative": lambda item, place, _: Distances(tuple(_by_distance(one, at) for one, at in _each(item, place))),
    "buckets": _buckets,
}
"""The kinds by their keys in a problem file."""
