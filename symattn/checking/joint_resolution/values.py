"""Values of all entries of a problem, to find those that a written number fits."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from operator import itemgetter

from symattn.checking.expressions.numerals import Figure
from symattn.checking.grading.value_verdicts import Numbers
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.large_negative_masks import FAR_BELOW
from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.targets import Place, Target, parts_of, segments_of
from symattn.checking.names.lexicon import BY_KEY
from symattn.errors import InputError, UndecidedError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.quotients import FixedBounds
from symattn.graph.builders.layer import base_of
from symattn.records import dataclass

_MOST = 1_500
"""Entries of a problem up to which all are looked at; of larger ones, those that names and words give."""

_BITS = 32
"""Bits behind the point of the bounds by which values are looked up."""

_CLOSE = Fraction(1, 50)
"""Relative distance of a number that was worked out from rounded ones."""


@dataclass(frozen=True, slots=True)
class Number:
    """A written entry: a number, or minus infinity."""

    figure: Figure | None

    @property
    def is_small(self) -> bool:
        """True for 0, 1 and 2, which fit many entries."""
        return self.figure is not None and self.figure.value in {0, 1, 2} and (self.figure.places or 0) < 2

    @property
    def is_count(self) -> bool:
        """True for a number without a point, which may count anything."""
        return self.figure is not None and self.figure.unit == 1

    @property
    def is_whole(self) -> bool:
        """True for a whole number, however it is written."""
        return self.figure is not None and self.figure.value.denominator == 1


class Values:
    """Values of the entries of a graph: exact ones, and those that the steps of the sheet lead to.

    Args:
        graph: the quantities.
        numbers: for values and for what a rounding is.
    """

    def __init__(self, graph: Graph, numbers: Numbers) -> None:
        self.graph = graph
        self.numbers = numbers
        sizes = [graph.shape(name) for name in graph.nodes]
        self.is_small = sum(rows * columns for rows, columns in sizes) <= _MOST
        self._fits: dict[tuple[Figure, Cell], bool] = {}

    @cached_property
    def _sorted(self) -> list[tuple[int, Cell]]:
        """Lower bounds of the values, times 2 to the 32, in order; those with symbols, or without end, are left out."""
        bounds = FixedBounds(_BITS)
        return sorted(
            (bounds(value)[0], cell)
            for name in self.graph.nodes
            for cell in self.graph.cells(name)
            for value in self._known(cell)
            if value.is_finite and not self.numbers.kept.is_symbolic(value)
        )

    def near(self, number: Number) -> frozenset[Cell]:
        """Return the entries with a value within one unit of the last place of a number."""
        written = number.figure
        if written is None:
            return frozenset()
        reach = written.unit or Fraction(0)
        low, high = (math.floor((written.value + end) * 2**_BITS) for end in (-reach, reach))
        first = bisect_left(self._sorted, low - 1, key=itemgetter(0))
        last = bisect_right(self._sorted, high + 1, key=itemgetter(0))
        return frozenset(cell for _, cell in self._sorted[first:last])

    def of(self, cell: Cell) -> Quotient | None:
        """Return the exact value of an entry; None where it has none, or takes too much work."""
        try:
            return self.numbers.exact(cell)
        except InputError:
            return None

    def fits(self, number: Number, cell: Cell) -> bool:
        """Return whether a number is the value of an entry, or a rounding of it."""
        if number.figure is None:
            return self.of(cell) is MINUS_INFINITY or self.numbers.hides(cell)
        key = number.figure, cell
        known = self._fits.get(key)
        if known is None:
            known = self._fits[key] = any(self._is_rounding(number.figure, value) for value in self._known(cell))
        return known

    def elsewhere(
        self, numbers: Sequence[Number | None], shape: Place, target: Target, *, lists: bool = False
    ) -> Target | None:
        """Return a part of another quantity than a target's whose values all numbers are.

        Whole numbers fit many: without a point among them they tell only what has the same letter, in another head or
        block, and `lists` of them. Large problems are not searched.
        """
        if not self.is_small:
            return None
        are_whole = all(number is None or number.is_whole for number in numbers)
        for parts in (parts_of, segments_of):
            for name in self.graph.nodes:
                is_alike = not are_whole or (lists and len(numbers) > 1) or base_of(name) == base_of(target.name)
                if name == target.name or not is_alike:
                    continue
                for part in parts(self.graph, name, shape):
                    if self._are_those_of(numbers, part):
                        return part
        return None

    def visible_rows(self, name: str, shape: Place) -> Iterator[Target]:
        """Yield the rows of scores or weights without their hidden keys, where these leave as many as a list has."""
        base, caret, head = name.partition("^")
        masked = f"S_masked{caret}{head}"
        rows, columns = self.graph.shape(name)
        if base not in BY_KEY or masked not in self.graph or not shape[0] == 1 < shape[1] < columns:
            return
        for i in range(rows):
            places = tuple((i, j) for j in range(columns) if self.of((masked, i, j)) is not MINUS_INFINITY)
            if len(places) == shape[1]:
                yield Target(name, (places,), guess=True)

    def _are_those_of(self, numbers: Sequence[Number | None], part: Target) -> bool:
        pairs = zip(numbers, part.flat(), strict=True)
        return all(number is not None and self.fits(number, (part.name, *place)) for number, place in pairs)

    def is_close(self, number: Number, cell: Cell) -> bool:
        """Return whether a number is near the value of an entry: within 2% and two units of its last place."""
        if number.figure is None or self.fits(number, cell):
            return self.fits(number, cell)
        written = number.figure
        reach = abs(written.value) * _CLOSE + 2 * (written.unit or 0)
        if written.unit is None or written.unit >= 1:
            return False
        kept = self.numbers.kept
        return any(
            value.is_finite
            and not kept.is_symbolic(value)
            and kept.side(value, written.value - reach) >= 0 >= kept.side(value, written.value + reach)
            for value in self._known(cell)
        )

    def _known(self, cell: Cell) -> Iterator[Quotient]:
        exact, carried = self.of(cell), self.numbers.carried(cell)
        yield from (value for value in (exact, None if carried == exact else carried) if value is not None)

    def _is_rounding(self, written: Figure, value: Quotient) -> bool:
        if value is MINUS_INFINITY:
            return written.value <= FAR_BELOW
        allowed = {"equal"} if written.unit == 1 and not self.numbers.is_coarse else {"equal", "rounded"}
        try:
            return self.numbers.close(written, value) in allowed
        except UndecidedError:
            return False  # enclosures do not tell; other evidence has to

    def alike(self, one: tuple[Cell, ...], other: tuple[Cell, ...]) -> bool:
        """Return whether two lists of entries have the same values, so that nothing hangs on which is meant."""
        return len(one) == len(other) and all(self.of(a) == self.of(b) for a, b in zip(one, other, strict=True))
