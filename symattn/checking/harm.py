"""Whether a mistake reaches an answer: a wrong number that every later rounding hides is harmless."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symattn.checking.graph import Cell, Graph, Valuation
from symattn.checking.link import Link
from symattn.checking.numbers import Numbers
from symattn.checking.report import Finding
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding, decimal

_MOST = 12
"""Wrong entries of one work beyond which their effect is not followed any more."""


class Harm:
    """Follows wrong numbers to the later answers.

    Args:
        graph: the quantities.
        numbers: the exact values.
        shown: to what digits the values of a quantity are asked for.
    """

    def __init__(self, graph: Graph, numbers: Numbers, shown: Callable[[str], Rounding]) -> None:
        self.graph = graph
        self.numbers = numbers
        self.shown = shown
        self.left = _MOST

    def marked(self, link: Link) -> Finding:
        """The finding, said to be harmless where it is."""
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
        if self.left < 0 or not values or not self._is_hidden(values):
            return finding
        return replace(
            finding, harmless=True, explanation=f"{finding.explanation} It does not reach the answer.".strip()
        )

    def _is_hidden(self, values: dict[Cell, Quotient]) -> bool:
        names = {cell[0] for cell in values}
        later = [name for name in self.graph.nodes if any(name in self.graph.below(other) for other in names)]
        ends = [name for name in later if not self.graph.below(name)] or later
        answers = [name for name in later if name in {"A", "O"}] or ends
        if not answers:
            return False
        changed = Valuation(self.graph, values)
        return all(self._same(changed, cell) for name in answers for cell in self.graph.cells(name))

    def _same(self, changed: Valuation, cell: Cell) -> bool:
        right, wrong = self.numbers.exact(cell), changed.get(*cell)
        if right is None or wrong is None or right.symbols or wrong.symbols:
            return right == wrong
        rounding = self.shown(cell[0])
        return right == wrong or decimal(right, rounding) == decimal(wrong, rounding)
