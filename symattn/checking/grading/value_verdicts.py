"""Verdicts on numbers: exact, right under the sheet's policy, or following from earlier numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from symattn.checking.evaluation.step_rounding import (
    DEFAULT_TIES,
    UNROUNDED,
    RoundedValuation,
    StepRounding,
    is_as_asked,
    is_finer,
    places_more,
    rounded_by,
)
from symattn.checking.expressions.numerals import FITS, Closeness, Figure, closeness, is_within, terminates
from symattn.checking.grading.link import Consequences, Link, mistaken
from symattn.checking.grading.result_cache import Cache
from symattn.checking.grading.unrounded_values import NOTHING, Handed, Print, UnroundedValues, fine
from symattn.checking.grading.value_text import MANY_PLACES, in_style, show
from symattn.checking.graph.formulas import Cell, axis_of_sum, axis_of_weights, is_weights, scaled
from symattn.checking.graph.large_negative_masks import FAR_BELOW, LargeNegativeMasks
from symattn.checking.graph.quantities import Graph, Valuation, line_of
from symattn.checking.report import Verdict
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import Rounding
from symattn.operations.formulas.formula import is_of

NEAR = Fraction(1, 20)
"""Largest distance of a weight from 0 and 1 to be written as a whole number: one place shows it so."""

_SHOWN_PLACES = (2, 3)
"""Places with which people go on from scores that they do not show."""

_MOST_PRINTS = 400
"""Numbers of a work up to which the digits behind each of them are looked for."""


Copy: TypeAlias = Literal["same", "other", "printed", "open"]
"""A number in place of an entry: the sheet's own, another, right if printed before, right if it follows or rounds."""


class Judged(NamedTuple):
    """A judged number: the verdict, its correctness for the sheet, and whether it only nearly follows."""

    verdict: Verdict
    is_right: bool
    is_near: bool = False


class Invariants:
    """Bounds of the values of a graph, and copies of them, that hold whatever a work says: for all passes over it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.bounds = KeptBounds()
        self.copies: dict[tuple[int, Cell], tuple[Figure, Copy]] = {}


class Numbers:
    """All numbers of a work that are bound to entries, and the values that follow from them.

    Args:
        invariants: the quantities, with what passes before found out about them.
        carried: the sheet's step-rounded value of an entry, None where the sheet rounds nothing.
        asked: how the sheet wants the values of a quantity shown, None where it does not say.
        tolerance: how far a number for a quantity may be off, for work done in floats.
        strict: whether only the sheet's own rounding is accepted.
        handed: what the work on the block before comes to, where this is a later one.
        steps: the rounding of the values that are used further, and the rule for ties.
    """

    def __init__(
        self,
        invariants: Invariants,
        carried: Callable[[Cell], Quotient | None],
        asked: Callable[[str], Rounding | None],
        tolerance: Callable[[str, Figure], Fraction],
        *,
        strict: bool = False,
        handed: Handed = NOTHING,
        steps: StepRounding = UNROUNDED,
    ) -> None:
        self.graph = graph = invariants.graph
        self.step_rounding = steps
        self.carried = carried
        self.asked = asked
        self.tolerance = tolerance
        self.strict = strict
        self.ties = steps.ties
        self.base = Valuation(graph, raises=True)
        self.kept = invariants.bounds
        self.large_negative_masks = LargeNegativeMasks(graph, self.exact)
        self.handed = handed
        self.prints: dict[Cell, list[Print]] = {}
        self._printed: set[str] = set()
        self._off: set[Cell] = set()
        self._good_prints: dict[Cell, Print] = {}
        self._rationals: dict[Cell, set[Fraction]] = {}
        self._closed_forms: dict[Cell, list[Quotient]] = {}
        self.mistaken = {cell for cell, found in handed.prints.items() if not found.holds}
        self.consequences = Consequences(graph)
        for cell, found in handed.prints.items():
            self._add(cell, found)
        self._by_places: dict[tuple[int, bool], Valuation] = {}
        self._by_steps: dict[int, Valuation] = {}
        self._valuations: dict[tuple[bool, frozenset[str]], Valuation] = {}
        self._behind: dict[StepRounding, UnroundedValues] = {}
        self._above: dict[str, frozenset[str]] = {}
        self._ignored: dict[str, tuple[frozenset[str], ...]] = {}
        self.state = 0
        """Number of changes of the values that follow from the work."""
        self.words = Cache[Judged](lambda: self.state)
        self._accepted = Cache[tuple[Figure, bool]](lambda: self.state)
        self._copies = invariants.copies
        self.unexplained: set[str] = set()

    @cached_property
    def is_coarse(self) -> bool:
        """True if the sheet may round to whole numbers."""
        found = [self.asked(name) for name in self.graph.nodes]
        return any(asked is not None and (asked.places == 0 or asked.figures is not None) for asked in found)

    # Bookkeeping -----------------------------------------------------------------------------------

    def note(self, cell: Cell, value: Quotient, written: Figure | None, *, holds: bool) -> None:
        """Record a number written for an entry."""
        found = Print(value, written, holds)
        is_known = self.prints.get(cell, [None])[-1] == found and (not holds or self._good_prints.get(cell) == found)
        was_off = bool(self._off)
        self._add(cell, found)
        if is_known:
            return
        self.state += 1
        is_kept = self.handed is NOTHING or was_off == bool(self._off)
        self._valuations = {
            (good, ignore): valuation.with_written(cell, value) if holds or not good else valuation
            for (good, ignore), valuation in (self._valuations.items() if is_kept else ())
        }
        self._by_places.clear()
        self._behind.clear()

    def blame(self, links: Iterable[Link]) -> None:
        """Record the entries about which statements that count are wrong."""
        found = mistaken(links)
        self.state += not self.mistaken.issuperset(found)
        self.mistaken.update(found)

    def rests_on_mistake(self, cell: Cell) -> bool:
        """Return whether an earlier statement is wrong about an entry, or about one that it is computed from.

        A weight may also be computed as the complement of the others of its line.
        """
        axis = axis_of_weights(self.graph.nodes[cell[0]].formula)
        if self.mistaken and axis is not None:
            line = line_of(self.graph.shape(cell[0]), axis, *cell[1:])
            if any((cell[0], *place) in self.mistaken for place in line):
                return True
        return self.consequences.rests_on(cell, self.mistaken)

    def _add(self, cell: Cell, found: Print) -> None:
        self.prints.setdefault(cell, []).append(found)
        self._printed.add(cell[0])
        if found.holds:
            self._good_prints[cell] = found
            self._off.discard(cell)
        else:
            self._off.add(cell)
        rational = found.value.plain_rational()
        if rational is not None:
            self._rationals.setdefault(cell, set()).add(rational)
        else:
            self._closed_forms.setdefault(cell, []).append(found.value)

    def is_printed(self, written: Figure, cell: Cell) -> bool:
        """Return whether a number was written for an entry before."""
        if cell not in self.prints:
            return False
        if written.value in self._rationals.get(cell, ()):
            return True
        return any(self.close(written, value) == "equal" for value in self._closed_forms.get(cell, ()))

    def exact(self, cell: Cell) -> Quotient | None:
        """Return the exact value of an entry."""
        return self.base.get(*cell)

    def hides(self, cell: Cell) -> bool:
        """Return whether minus infinity in place of a number only says that a key is hidden.

        A far lower number hides it as well, and a bias may be shown with its mask.
        """
        if self.large_negative_masks.hides(cell):
            return True
        base, caret, head = cell[0].partition("^")
        masked = f"S_masked{caret}{head}"
        return base == "B" and masked in self.graph and self.exact((masked, *cell[1:])) is MINUS_INFINITY

    def own(self, ignore: frozenset[str] = frozenset(), *, good: bool = False) -> Valuation:
        """Return the values that follow from the written numbers; from the correct ones alone when `good`."""
        key = (good, ignore)
        if key not in self._valuations:
            used = self._good_prints if good else {cell: found[-1] for cell, found in self.prints.items()}
            kept = {cell: used[cell].value for cell in self.prints if cell in used}
            before = {cell: value for cell, value in self.handed.good.items() if good and cell not in kept}
            # Consequences of a mistake on several blocks have closed forms that are too long to be of use.
            rounded = fine if self.handed is not NOTHING and self._off else None
            self._valuations[key] = Valuation(self.graph, {**before, **kept}, ignore, rounded)
        return self._valuations[key]

    def steps(self, cell: Cell, *, good: bool = False) -> list[Quotient]:
        """Return the values of an entry from the numbers written before it: all, or all but the last step's."""
        found = [self.own(ignore, good=good).step(cell) for ignore in self._left_out(cell)]
        return [value for value in found if value is not None]

    def _left_out(self, cell: Cell) -> list[frozenset[str]]:
        """Return the sets of quantities whose written entries may be ignored on the way to an entry."""
        name = cell[0]
        if name not in self._ignored:
            parents = self.graph.parents(name)
            before = frozenset(other for parent in parents for other in self.graph.parents(parent))
            scale = frozenset({"c"} & parents)
            self._ignored[name] = tuple(dict.fromkeys((frozenset[str](), scale, parents, parents | before)))
        return [ignore for ignore in self._ignored[name] if not (ignore and self._printed.isdisjoint(ignore))]

    def unrounded_values(self) -> UnroundedValues | None:
        """Return the unrounded consequences of earlier mistakes; None where there were none."""
        return self._following(self.step_rounding if self.strict else UNROUNDED)

    def _following(self, steps: StepRounding) -> UnroundedValues | None:
        """Return the consequences of earlier mistakes where steps are rounded; None where there were none."""
        if not self._off or len(self.prints) > _MOST_PRINTS:
            return None
        if steps not in self._behind:
            behind = UnroundedValues(self.graph, self.prints, self.exact, self.close, self.kept, self.handed, steps)
            self._behind[steps] = behind
        return self._behind[steps]

    def _is_off_above(self, name: str) -> bool:
        """Return whether something does not hold that a quantity is made of."""
        if name not in self._above:
            self._above[name] = frozenset(other for other in self.graph.nodes if name in self.graph.below(other))
        above = self._above[name]
        return any(cell[0] in above for cell in self._off)

    def is_unrounded(self, written: Figure, cell: Cell) -> bool:
        """Return whether a number follows from earlier mistakes with all digits, however they were shown on the way."""
        behind = self.unrounded_values()
        return behind is not None and (self._is_behind(behind, written, cell) or behind.is_in_reach(written, cell))

    def _is_behind(self, behind: UnroundedValues, written: Figure, cell: Cell) -> bool:
        value = behind.values.step(cell)
        return value is not None and self.close_at(written, value, cell) in FITS

    def is_weight(self, name: str) -> bool:
        """Return whether a quantity is a softmax, whose lines sum to 1."""
        return is_weights(self.graph.nodes[name].formula)

    def close_at(self, written: Figure, value: Quotient, cell: Cell) -> Closeness:
        """Compare a number with a value of an entry; a whole number far from the value is not a rounding.

        Where a sheet asks for places, a weight that is not near 0 or 1 is never written so, and 0 never stands for 0.9.
        """
        word = self.close(written, value)
        if word in {"equal", "off"} or written.unit is None or written.unit < 1 or self.is_coarse:
            return word
        if word == "cut":
            return "off" if written.value == 0 else word
        is_fine = self.is_weight(cell[0]) and self.asked(cell[0]) is not None
        return word if not is_fine or is_within(written.value, value, NEAR) else "off"

    def close(self, written: Figure, value: Quotient) -> Closeness:
        """Compare a written number with a value, in the sheet's way of rounding."""
        word = closeness(written, value, self.kept)
        if word != "cut" or self.ties == DEFAULT_TIES or written.places is None or self.kept.is_symbolic(value):
            return word
        rounding = Rounding(places=max(written.places, 0), ties=self.ties)
        return "rounded" if self.kept.rounds_to(value, written.value, rounding) else word

    def close_as_asked(self, written: Figure, value: Quotient) -> Closeness:
        """Compare likewise, but reject a number that was rounded up where a strict sheet truncates."""
        word = self.close(written, value)
        if word != "rounded" or not self.strict or self.ties != "truncate" or written.places is None or value.symbols:
            return word
        rounding = Rounding(places=max(written.places, 0), ties=self.ties)
        is_cut_off = self.kept.rounds_to(value, written.value, rounding)
        return word if is_cut_off else "off"

    # Judging ---------------------------------------------------------------------------------------

    def judge(self, written: Figure, cell: Cell, *, near: bool = True) -> Judged:
        """Return the verdict on a written number at an entry; `near` accepts near misses of consequences."""
        return self.words.get((written, cell, near), lambda: self._judged(written, cell, near=near))

    def _judged(self, written: Figure, cell: Cell, *, near: bool) -> Judged:
        exact = self.exact(cell)
        if exact is None:
            return Judged("undecided", is_right=False)
        if exact is MINUS_INFINITY:
            stands_in = written.value <= FAR_BELOW
            return Judged("rounded" if stands_in else "wrong", is_right=stands_in)
        close = self.close_at(written, exact, cell)
        if close == "equal":
            return Judged("right", is_right=True)
        if written.value <= FAR_BELOW and self.large_negative_masks.hides(cell):
            return Judged("rounded", is_right=True)
        is_carried = self._is_carried(written, cell)
        if self.strict and is_carried:
            return Judged("rounded" if close == "rounded" else "carried", is_right=True)
        if self.strict:
            judged = self._strictly(written, cell, close)
            return judged if judged.is_right else self._follows_strictly(written, cell, near=near)
        if close == "rounded":
            judged = self._rounded(written, cell, exact)
            if judged.verdict != "coarse":
                return judged
            return Judged("carried", is_right=True) if is_carried else self._coarse(written, cell)
        if is_carried:
            return Judged("carried", is_right=True)
        return self._otherwise(written, cell, exact, is_cut=close == "cut", near=near)

    def _is_carried(self, written: Figure, cell: Cell) -> bool:
        value = self.carried(cell)
        return value is not None and not value.symbols and self.close(written, value) == "equal"

    def _strictly(self, written: Figure, cell: Cell, close: Closeness) -> Judged:
        asked, exact = self.asked(cell[0]), self.exact(cell)
        if asked is None or exact is None or exact.symbols or not exact.is_finite:
            holds = close == "rounded"
        else:
            holds = self._is_prescribed(written, cell) or is_finer(written, exact, close, asked, self.kept)
        return Judged("rounded" if holds else "wrong", is_right=holds)

    def _is_prescribed(self, written: Figure, cell: Cell) -> bool:
        """Return whether a number is the value that the sheet's steps lead to, as the sheet asks for it to be shown.

        Where that is another than the exact one, the value rounded once at the end is not the sheet's.
        """
        asked, carried = self.asked(cell[0]), self.carried(cell)
        value = self.exact(cell) if carried is None else carried
        return asked is not None and value is not None and self._is_shown_as(written, value, cell, asked)

    def _follows_strictly(self, written: Figure, cell: Cell, *, near: bool) -> Judged:
        """Judge a wrong number by the consequences of earlier mistakes in the sheet's own rounding."""
        if self._follows_as_prescribed(written, cell):
            return Judged("follows", is_right=False)
        asked, behind = self.asked(cell[0]), self.unrounded_values()
        if behind is None or not self.rests_on_mistake(cell):
            return Judged("wrong", is_right=False)
        finer = [(value, self.close_at(written, value, cell)) for value in self.steps(cell)] if asked else []
        if asked and any(is_finer(written, value, close, asked, self.kept) for value, close in finer):
            return Judged("follows", is_right=False)
        is_fine = near and (asked is None or places_more(written, Quotient.of(written.value), asked) >= 0)
        is_near = is_fine and behind.is_in_reach(written, cell)
        return Judged("follows" if is_near else "wrong", is_right=False, is_near=is_near)

    def _follows_as_prescribed(self, written: Figure, cell: Cell) -> bool:
        """Return whether a number follows from earlier mistakes with each step rounded as the sheet says."""
        behind = self._following(self.step_rounding) if self.rests_on_mistake(cell) else None
        values = [] if behind is None else [behind.without(ignore).step(cell) for ignore in self._left_out(cell)]
        asked = self.asked(cell[0])
        return any(value is not None and self._is_shown_as(written, value, cell, asked) for value in values)

    def _is_shown_as(self, written: Figure, value: Quotient, cell: Cell, asked: Rounding | None) -> bool:
        """Return whether a number is a value as the sheet asks for it to be shown."""
        close = self.close_at(written, value, cell)
        if close == "equal" or asked is None or value.symbols or not value.is_finite:
            return close in FITS
        return is_as_asked(written, value, asked, self.kept) or is_finer(written, value, close, asked, self.kept)

    def _rounded(self, written: Figure, cell: Cell, exact: Quotient) -> Judged:
        asked = self.asked(cell[0])
        if asked is None or asked.places is None or places_more(written, exact, asked) >= 0:
            return Judged("rounded", is_right=True)
        is_as_asked = self.kept.rounds_to(exact, written.value, asked)
        return Judged("rounded" if is_as_asked else "coarse", is_right=is_as_asked)

    def _coarse(self, written: Figure, cell: Cell) -> Judged:
        """Judge a number with too few places for the right value, which may still follow from earlier numbers."""
        number = Quotient.of(written.value)
        if number in self.steps(cell, good=True):
            return Judged("carried", is_right=True)
        follows = self.rests_on_mistake(cell) and number in self.steps(cell)
        return Judged("follows" if follows else "coarse", is_right=False)

    def _otherwise(self, written: Figure, cell: Cell, exact: Quotient, *, is_cut: bool, near: bool) -> Judged:
        good = [self.close_at(written, value, cell) for value in self.steps(cell, good=True)]
        if any(close in FITS for close in good):
            return Judged("carried", is_right=True)
        if self._is_of_rounded_root(written, cell) or self._is_prescribed(written, cell):
            return Judged("carried", is_right=True)
        if self._is_step_rounded(written, cell, good=True):
            return Judged("carried", is_right=True)
        if self._may_have_rounded_factors(written, cell):
            return Judged("undecided", is_right=False)
        tolerance = self.tolerance(cell[0], written)
        if tolerance and is_within(written.value, exact, tolerance):
            return Judged("rounded", is_right=True)
        if not self.rests_on_mistake(cell):
            return Judged("truncated" if is_cut or "cut" in good else "wrong", is_right=False)
        every = [self.close_at(written, value, cell) for value in self.steps(cell)]
        behind = self.unrounded_values() if self._is_off_above(cell[0]) else None
        is_behind = behind is not None and self._is_behind(behind, written, cell)
        if is_behind or any(close in FITS for close in every):
            return Judged("follows", is_right=False)
        if self._is_of_rounded_root(written, cell, own=True) or self._follows_as_prescribed(written, cell):
            return Judged("follows", is_right=False)
        is_cut = is_cut or "cut" in good or "cut" in every
        if near and behind is not None and not (is_cut and self._cuts_off()) and behind.is_in_reach(written, cell):
            return Judged("follows", is_right=False, is_near=True)
        return Judged("truncated" if is_cut else "wrong", is_right=False)

    def _cuts_off(self) -> bool:
        """Return whether the work truncates: it contains a number that is right only if truncated."""
        for cell, found in self.prints.items():
            exact, last = self.exact(cell), found[-1]
            if last.holds and last.figure is not None and exact is not None and self.close(last.figure, exact) == "cut":
                return True
        return False

    def _is_of_rounded_root(self, written: Figure, cell: Cell, *, own: bool = False) -> bool:
        """Return whether a scaled score is a score over the root, or times its inverse, rounded to as many places."""
        formula, places, scale = self.graph.nodes[cell[0]].formula, written.places, ("c", 0, 0)
        if scaled(formula) is None or places is None or not 1 < places <= MANY_PLACES or "c" not in self.graph:
            return False
        factor = self.exact(scale)
        if factor is None or factor.symbols or factor.is_zero or factor.plain_rational() is not None:
            return False
        rounding = Rounding(places=places, ties=self.ties)
        root = self.kept.round_exact(Quotient.of(1) / factor, rounding)
        rounded = [self.kept.round_exact(factor, rounding), *([1 / root] if root else [])]
        kept = {other: found[-1].value for other, found in self.prints.items()} if own else {}
        found = [Valuation(self.graph, {**kept, scale: Quotient.of(value)}).step(cell) for value in rounded]
        return any(value is not None and self.close(written, value) in FITS for value in found)

    def is_of_rounded_operands(self, written: Figure, cell: Cell) -> bool:
        """Return whether a number is made of rounded weights that were shown with more places or not at all.

        They have its places; of a number with one, two or three.
        """
        formula, places = self.graph.nodes[cell[0]].formula, written.places
        if self.strict or not is_of(formula, "product") or places is None or not 0 < places <= MANY_PLACES:
            return False
        return any(self._is_of_weights(written, cell, shown) for shown in ((places,) if places > 1 else (2, 3)))

    def _is_of_weights(self, written: Figure, cell: Cell, places: int) -> bool:
        """Return whether a number is made of weights, or of all steps, rounded to some places."""
        rounding = Rounding(places=places, ties=self.ties)
        kept: dict[Cell, Quotient] = {}
        for name in filter(self.is_weight, self.graph.parents(cell[0])):
            for other in self.graph.cells(name):
                exact = self.exact(other)
                if exact is None or exact.symbols or not exact.is_finite or len(kept) > _MOST_PRINTS:
                    return False
                kept[other] = self.kept.round_value(exact, rounding)
        if not kept:
            return False

        if places not in self._by_steps:
            self._by_steps[places] = Valuation(self.graph, rounded=rounded_by(lambda _: rounding, self.kept))
        found = (Valuation(self.graph, kept).step(cell), self._by_steps[places].step(cell))
        values = [value for value in found if value is not None and not value.symbols]
        return any(self.close(written, value) in FITS for value in values)

    def _may_have_rounded_factors(self, written: Figure, cell: Cell) -> bool:
        """Return whether a running value is off by what factors may add that rescale, are rounded, and seldom shown."""
        if "@" not in cell[0] or written.unit is None:
            return False
        allowed = 2 * written.unit * max(Fraction(1), abs(written.value))
        near = [value for value in (self.exact(cell), *self.steps(cell, good=True)) if value is not None]
        return any(is_within(written.value, value, allowed) for value in near if not value.symbols)

    def _is_step_rounded(self, written: Figure, cell: Cell, *, good: bool = False) -> bool:
        """Return whether an exponential, a sum, a scaled score or a running value comes from steps of the same places.

        Steps that were written are used as they were; of those that do not hold, none when `good`.
        """
        formula = self.graph.nodes[cell[0]].formula
        places = written.places
        is_of_steps = is_of(formula, "exponential") or axis_of_sum(formula) is not None or scaled(formula) is not None
        is_of_steps = is_of_steps or "@" in cell[0]
        if not is_of_steps or places is None or not 0 < places <= MANY_PLACES:
            return False
        values = [self._rounded_steps(shown, good=good).step(cell) for shown in dict.fromkeys((places, *_SHOWN_PLACES))]
        first, *others = [None if value is None else self.close(written, value) for value in values]
        return first == "equal" or (good and any(word in FITS for word in others if word is not None))

    def _rounded_steps(self, places: int, *, good: bool) -> Valuation:
        """Return the values of steps rounded to some places, with the numbers that were written."""
        if (places, good) not in self._by_places:
            rounding = Rounding(places=places, ties=self.ties)
            used = self._good_prints if good else {other: found[-1] for other, found in self.prints.items()}
            kept = {other: found.value for other, found in used.items()}
            self._by_places[places, good] = RoundedValuation(self.graph, kept, rounding, self.kept)
        return self._by_places[places, good]

    def fits(self, written: Figure, cell: Cell) -> bool:
        """Return whether a number is a value of an entry: exact, rounded by the sheet, or from earlier numbers."""
        values = [self.exact(cell), self.carried(cell), *self.steps(cell)]
        allowed = {"equal"} if written.unit == 1 and not self.is_coarse else FITS
        return any(value is not None and self.close(written, value) in allowed for value in values)

    def accepts(self, written: Figure, cell: Cell) -> bool:
        """Return whether a number may stand for an entry inside later working: copied rightly, or as found before."""
        key = id(written), cell
        known = self._copies.get(key)
        if known is None:
            known = self._copies[key] = written, self._copy(written, cell)
        copy = known[1]
        if copy == "open":
            return self._accepted.get(key, lambda: (written, self._follows_or_rounds(written, cell)))[1]
        return copy == "same" or (copy == "printed" and self.is_printed(written, cell))

    def _copy(self, written: Figure, cell: Cell) -> Copy:
        exact = self.exact(cell)
        if exact is None or exact is MINUS_INFINITY:
            return "same" if exact is not None and written.value <= FAR_BELOW else "other"
        if self.close(written, exact) == "equal" or self._is_carried(written, cell):
            return "same"
        if written.value <= FAR_BELOW and self.large_negative_masks.hides(cell):
            return "same"
        rational = exact.plain_rational()
        if rational is None or self.graph.nodes[cell[0]].formula is not None:
            return "open"
        is_whole = written.unit == 1 and not self.is_coarse
        return "printed" if is_whole or self.strict or terminates(rational) else "open"

    def _follows_or_rounds(self, written: Figure, cell: Cell) -> bool:
        if self.is_printed(written, cell):
            return True
        if written.unit == 1 and not self.strict and self._is_made_of_own(written, cell):
            return True
        exact = self.exact(cell)
        if exact is None or (written.unit == 1 and exact.plain_rational() is not None and not self.is_coarse):
            return False  # between whole numbers and fractions there is nothing to round
        if self.strict:
            return self._strictly(written, cell, self.close(written, exact)).is_right
        if self.close_at(written, exact, cell) == "rounded" or self._is_step_rounded(written, cell):
            return True
        return any(self.close_at(written, value, cell) in FITS for value in self.steps(cell))

    def _is_made_of_own(self, written: Figure, cell: Cell) -> bool:
        """Return whether a number is just the value of an entry after an earlier mistake."""
        if self.graph.nodes[cell[0]].formula is None or not self._off:
            return False
        return any(self.close(written, value) == "equal" for value in self.steps(cell))

    def other_rounding(self, written: Figure, cell: Cell) -> str | None:
        """Return the value of the sheet's steps, where a number is rounded once at the end to another one."""
        exact, carried = self.exact(cell), self.carried(cell)
        if (
            exact is None
            or carried is None
            or exact.symbols
            or not exact.is_finite
            or carried in (exact, Quotient.of(written.value))
        ):
            return None
        return self._show(carried, written, cell) if self.close(written, exact) == "rounded" else None

    def at_end(self, cell: Cell, written: Figure) -> str:
        """Return the value rounded once at the end, as a number was written."""
        exact = self.exact(cell)
        return "" if exact is None else self._show(exact, written, cell)

    def shown(self, cell: Cell, written: Figure | None = None) -> str | None:
        """Return the right value, as precisely as it was written or as the sheet wants it."""
        exact = self.exact(cell)
        if exact is None:
            return None
        carried = self.carried(cell)
        if carried is not None and carried != exact:
            asked = self.asked(cell[0])
            if written is None and asked is not None and not carried.symbols:
                return self.kept.decimal(carried, asked)
            return self._show(carried, written, cell)
        return self._show(exact, written, cell)

    def copied(self, cell: Cell, written: Figure | None) -> str | None:
        """Return the right value of an operand, in the style of the number that was copied for it."""
        carried = self.carried(cell)
        value = self.exact(cell) if carried is None else carried
        if value is None or written is None or written.unit is None or written.unit == 1:
            return self.shown(cell)
        return in_style(value, written, self.asked(cell[0]))

    def _show(self, value: Quotient, written: Figure | None, cell: Cell) -> str:
        return show(value, written, self.asked(cell[0]), self.kept)
