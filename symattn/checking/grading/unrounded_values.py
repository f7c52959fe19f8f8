"""Unrounded values behind the numbers of a work: people show four digits and go on with all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from symattn.checking.evaluation.step_rounding import UNROUNDED, PrescribedValuation, StepRounding
from symattn.checking.expressions.numerals import Closeness, Figure
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.errors import EffortError, InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import Rounding, round_value
from symattn.records import dataclass

_MOST_ROOTS = 48
"""Wrong numbers up to which it is looked at how far the digits behind each of them reach."""

_FEWEST_PLACES = 2
"""With fewer of them a number near by says nothing."""

_MORE_PLACES = 6
_MOST_PLACES = 12
_MOST_OF_A_VALUE = Fraction(1, 8)
"""Largest effect of unrounded digits on a value; a value that changes more is too coarse to compare."""

_FINE = Rounding(figures=24)
_LONG = 10**30
_MOST_BITS = 4_000
"""Bits of a value, before and behind its point, up to which its digits are worth having."""


def fine(_: str, value: Quotient) -> Quotient:
    """Return a value rounded to far more digits than people write, where only its digits count.

    What is a short rational number stays what it is.
    """
    if value.symbols or not value.is_finite:
        return value
    rational = value.plain_rational()
    if rational is not None and rational.denominator < _LONG:
        return value
    try:
        return round_value(value, _FINE, most=_MOST_BITS)
    except InputError:
        return value


class Print(NamedTuple):
    """A number written for an entry, with its correctness."""

    value: Quotient
    figure: Figure | None
    holds: bool


@dataclass(frozen=True, slots=True)
class Handed:
    """Results that the work on one block hands on to the next: entries of the block's output.

    Attributes:
        prints: each as it was written, or as it follows from what was written.
        good: each that a mistake changed as it is without one.
        values: each with the digits behind it, where there was a mistake before; else none.
        moved: for each such mistake, those entries where it is half a unit of its last place larger.
    """

    prints: Mapping[Cell, Print]
    good: Mapping[Cell, Quotient]
    values: Mapping[Cell, Quotient]
    moved: tuple[Mapping[Cell, Quotient], ...] = ()

    def with_others(self, others: Handed) -> Handed:
        """Return these results together with those on other entries."""
        return Handed(
            {**self.prints, **others.prints}, {**self.good, **others.good}, {**self.values, **others.values},
            (*self.moved, *others.moved),
        )  # fmt: skip


NOTHING = Handed({}, {}, {})


class UnroundedValues:
    """Values that follow from the written numbers, with the unrounded digits behind each rounded one.

    The digits behind a mistake itself are not known: what is made of it may be off by as much as they change it.

    Args:
        graph: the quantities.
        prints: what was written for each entry, in the order of the work.
        exact: the right value of an entry.
        close: how a number stands to a value.
        kept: bounds of values that are asked for again and again.
        handed: what comes from the block before.
        steps: the rounding of values that are used further: nothing stands behind the digits of these.
    """

    def __init__(
        self,
        graph: Graph,
        prints: Mapping[Cell, Sequence[Print]],
        exact: Callable[[Cell], Quotient | None],
        close: Callable[[Figure, Quotient], Closeness],
        kept: KeptBounds,
        handed: Handed = NOTHING,
        steps: StepRounding = UNROUNDED,
    ) -> None:
        self.graph = graph
        self.steps = steps
        self.exact = exact
        self.close = close
        self.kept = kept
        self.handed = handed
        self._fixed: dict[Cell, Quotient] = dict(handed.values)
        # A mistake of the block before is not an entry of this one: it has a place of its own.
        self._roots: dict[Cell, Mapping[Cell, Quotient]] = {
            (next(iter(moved))[0], number, -1): moved for number, moved in enumerate(handed.moved) if moved
        }
        self._moved: dict[Cell, Valuation] = {}
        # Zeros at the end are often left out: the finest number of a quantity says to how many places all of it is.
        self._units: dict[str, Fraction] = {}
        for cell, found in prints.items():
            unit = None if found[-1].figure is None else found[-1].figure.unit
            if unit is not None:
                self._units[cell[0]] = min(unit, self._units.get(cell[0], unit))
        # Sums of products of numbers with few places have few places, and so has a wrong one among them.
        known = {name: [exact(cell) for cell in prints if cell[0] == name] for name in self._units}
        self._ending = {name for name, unit in self._units.items() if all(_ends_at(item, unit) for item in known[name])}
        self._used: dict[Cell, Quotient] = dict(self.handed.values)
        self.values = self._followed(prints)
        self._without: dict[frozenset[str], Valuation] = {frozenset(): self.values}

    def without(self, ignore: frozenset[str]) -> Valuation:
        """Return the values that follow where the written entries of some quantities are not used."""
        if ignore not in self._without:
            self._without[ignore] = self._valued(self._used, ignore)
        return self._without[ignore]

    def _valued(self, used: Mapping[Cell, Quotient], ignore: frozenset[str] = frozenset()) -> Valuation:
        return PrescribedValuation(self.graph, used, self.steps, self.kept, ignore, others=fine)

    def _followed(self, prints: Mapping[Cell, Sequence[Print]]) -> Valuation:
        values = self._used
        for name in sorted({cell[0] for cell in prints}, key=self.graph.order.__getitem__):
            before = self._valued(dict(values))
            for cell, found in prints.items():
                if cell[0] == name and cell not in self.handed.values:
                    values[cell] = self._behind(cell, found[-1], before.step(cell))
        return self._valued(values)

    def _behind(self, cell: Cell, found: Print, step: Quotient | None) -> Quotient:
        """Return the unrounded value of a number: its origin in earlier numbers, else the right value, else itself."""
        exact = self.exact(cell)
        if found.holds and exact is not None and cell[0] == "c":
            self._fixed[cell] = exact
            return exact
        if self.steps.of(cell[0]) is not None:
            self._fixed[cell] = found.value
            return found.value
        finest = self._units.get(cell[0])
        if step is not None and self._is_rounded(found, step, finest):
            return step
        is_right = found.holds and exact is not None and self._is_rounded(found, exact, finest)
        value = exact if is_right and exact is not None else found.value
        self._fixed[cell] = value
        is_finer = finest is not None and finest < 1 and cell[0] not in self._ending
        if not found.holds and value.is_finite and finest is not None and is_finer:
            self._roots[cell] = {cell: value + Quotient.of(finest / 2)}
        return value

    def _is_rounded(self, found: Print, value: Quotient, finest: Fraction | None) -> bool:
        """Return whether a wrong number may be a rounding: not where others have more places, as a 0 for 0.0000."""
        if found.figure is None:
            return False
        word = self.close(found.figure, value)
        return word == "equal" or (word == "rounded" and (found.holds or found.figure.unit == finest))

    def is_in_reach(self, written: Figure, cell: Cell) -> bool:
        """Return whether a number follows from earlier mistakes, whatever their unrounded digits were."""
        value = self.values.step(cell)
        places = written.places
        if value is None or value.symbols or not value.is_finite or written.unit is None or places is None:
            return False
        roots = [root for root in self._roots if cell[0] in self.graph.below(root[0])]
        if not _FEWEST_PLACES <= places <= _MOST_PLACES or not 0 < len(roots) <= _MOST_ROOTS:
            return False
        rounding = Rounding(places=places + _MORE_PLACES)
        try:
            centre, reach = self.kept.round_exact(value, rounding), Fraction(0)
            for root in roots:
                moved = self._with_digits(root).step(cell)
                if moved is None or moved.symbols or not moved.is_finite:
                    return False
                reach += abs(self.kept.round_exact(moved, rounding) - centre)
        except EffortError:  # a value with more digits than any number that is written
            return False
        is_small = reach <= abs(centre) * _MOST_OF_A_VALUE + 2 * written.unit
        return is_small and abs(written.value - centre) <= reach + written.unit / 2

    def moves(self, name: str) -> list[Valuation]:
        """Return the values for each wrong number that a quantity depends on, half a unit larger; capped in number."""
        roots = [root for root in self._roots if name == root[0] or name in self.graph.below(root[0])]
        return [self._with_digits(root) for root in roots] if len(roots) <= _MOST_ROOTS else []

    def _with_digits(self, root: Cell) -> Valuation:
        """Return the values where a wrong number is half a unit of its last place larger."""
        if root not in self._moved:
            self._moved[root] = self._valued({**self._fixed, **self._roots[root]})
        return self._moved[root]


def _ends_at(value: Quotient | None, unit: Fraction) -> bool:
    """Return whether a right value ends at these places."""
    rational = None if value is None or not value.is_finite or value.symbols else value.plain_rational()
    return rational is not None and (rational / unit).denominator == 1
