"""Error impact: a wrong number that every later rounding hides is harmless."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symattn.checking.evaluation.step_rounding import rounded_by
from symattn.checking.grading.link import Link
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.report import HOLDS, Finding
from symattn.errors import EffortError
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import UNDEFINED
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.builders.layer import base_of

_OFF = frozenset({"wrong", "follows"})

_MOST = 12
"""Wrong entries of one work beyond which their effect is not followed any more."""


class ErrorImpact:
    """Propagation of wrong numbers to later answers.

    Args:
        graph: the quantities.
        links: what was judged, for what later statements say.
        shown: to what digits the values of a quantity are asked for.
        by_step: how the sheet rounds the values of a quantity before they are used further, None where it does not.
        kept: bounds of the values that are compared more than once.
    """

    def __init__(
        self,
        graph: Graph,
        links: list[Link],
        shown: Callable[[str], Rounding],
        by_step: Callable[[str], Rounding | None],
        kept: KeptBounds,
    ) -> None:
        self.graph = graph
        self.words = {
            cell: word for link in links if link.finding.verdict != "withdrawn" for cell, word in link.verdicts
        }
        self.shown = shown
        self.kept = kept
        self.rounded = rounded_by(by_step, kept)
        self.sheet = Valuation(graph, rounded=self.rounded)
        self.left = _MOST

    def marked(self, link: Link) -> Finding:
        """Return the finding, said to be harmless where it is."""
        finding = link.finding
        if finding.verdict != "wrong":
            return finding
        wrong = {cell: word for cell, word in link.verdicts if word == "wrong"}
        if not wrong or finding.checks.value:
            # The value is right: only the working is not.
            is_harmless = finding.checks.value is True
            return replace(finding, harmless=is_harmless) if is_harmless else finding
        values = {cell: Quotient.of(n.value) for cell, n, _ in link.stated if cell in wrong}
        self.left -= len(values)
        if self.left < 0 or not values:
            return finding
        why = self._why_not(values)
        return replace(finding, harmless=True, explanation=f"{finding.explanation} {why}".strip()) if why else finding

    def _why_not(self, values: dict[Cell, Quotient]) -> str:
        """Return the reason why a mistake does no harm, nothing where it does."""
        cells = self._answers(values)
        changed = Valuation(self.graph, values, rounded=self.rounded)
        if self._is_carried_on(values, changed):
            return ""
        if cells and all(self._same(changed, cell) for cell in cells):
            is_hidden = any(self.sheet.get(*cell) != changed.get(*cell) for cell in cells)
            why = "every later rounding hides it" if is_hidden else f"{self._named(cells)} the same"
            return f"It does not change the answer: {why}."
        touched = [cell for cell in cells if not self._same(changed, cell)]
        stated = [self.words.get(cell) for cell in touched]
        if stated and all(word in HOLDS for word in stated):
            return "It does not change the answer: what depends on it is right all the same."
        return ""

    def _is_carried_on(self, values: dict[Cell, Quotient], changed: Valuation) -> bool:
        """Return whether something that the work states is off, and is changed by a mistake, before any answer is."""
        return any(
            word in _OFF and cell not in values and not self._same(changed, cell)
            for cell, word in self.words.items()
            if any(cell[0] in self.graph.below(name) for name, _, _ in values)
        )

    @staticmethod
    def _named(cells: list[Cell]) -> str:
        names = sorted({cell[0] for cell in cells})
        return f"{' and '.join(names)} {'come' if len(names) > 1 else 'comes'} out"

    def _answers(self, values: dict[Cell, Quotient]) -> list[Cell]:
        """Return the entries of the answers that come after some entries."""
        names = {cell[0] for cell in values}
        later = [name for name in self.graph.nodes if any(name in self.graph.below(other) for other in names)]
        ends = [name for name in later if not self.graph.below(name)] or later
        answers = [name for name in later if base_of(name) in {"A", "O"}] or ends
        return [cell for name in answers for cell in self.graph.cells(name)]

    def _same(self, changed: Valuation, cell: Cell) -> bool:
        right, wrong = self.sheet.get(*cell), changed.get(*cell)
        if right is None and wrong is None:
            known = self.graph.known.get(cell[0])
            return known is not None and known[cell[1:]] is UNDEFINED
        if right is None or wrong is None or right.symbols or wrong.symbols:
            return right == wrong
        if not right.is_finite or not wrong.is_finite:
            return right == wrong
        rounding = self.shown(cell[0])
        try:
            return right == wrong or self.kept.decimal(right, rounding) == self.kept.decimal(wrong, rounding)
        except EffortError:  # one of them has more digits than anybody writes
            return False
