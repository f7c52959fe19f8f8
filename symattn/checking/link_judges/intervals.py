"""Numbers given as an enclosing interval: ``S_22 ≈ (2.8079999, 2.8080001)``, one digit being unsettled."""

from __future__ import annotations

from symattn.checking.grading.context import GradingContext
from symattn.checking.grading.link import Link, changed
from symattn.checking.graph.targets import Target
from symattn.checking.report import Checks, Finding
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.sign import compare
from symattn.notation.tree import nodes as t


class Intervals:
    """Judge of intervals that stand for one number."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context

    def link(self, base: Finding, node: t.Node, operator: str, target: Target | None) -> Link | None:
        """Return the finding on an interval; None where something else is written.

        Raises:
            UndecidedError: enclosures leave open whether the value lies inside.
        """
        ends = self._ends(node) if operator in {"≈", "∈"} else None
        cell = None if target is None or target.only is None else (target.name, *target.only)
        exact = None if cell is None else self.context.numbers.exact(cell)
        if ends is None or exact is None or exact.symbols or not exact.is_finite or cell is None:
            return None
        low, high = ends
        if compare(low, exact) <= 0 <= compare(high, exact):
            return Link(changed(base, verdict="rounded", checks=Checks(value=True)), target)
        words = f"{base.name} is {self.context.numbers.shown(cell)}, which does not lie between these two."
        finding = changed(
            base, verdict="wrong", checks=Checks(value=False), explanation=words, culprit=self.context.span(node)
        )
        return Link(finding, target)

    def _ends(self, node: t.Node) -> tuple[Quotient, Quotient] | None:
        if not isinstance(node, t.Vector) or len(node.items) != 2:
            return None
        low, high = (self.context.value(item, self.context.numbers.base) for item in node.items)
        if low is None or high is None or low.rational() is None or high.rational() is None:
            return None
        return (low, high) if compare(low, high) < 0 else None
