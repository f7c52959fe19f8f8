"""Entry inference for a number whose name may be any of several entries: ``score = 3``, ``output: 0.7``.

The entry is the one that was spoken of last, in the line before or in the heading. Where none was, a number that
one of the entries has is not wrong, and not known to be right.
"""

from __future__ import annotations

from symattn.checking.context import GradingContext
from symattn.checking.evaluation.matrix_layout import SCALAR
from symattn.checking.expressions.expression_kinds import has_numbers
from symattn.checking.expressions.numerals import figure
from symattn.checking.grading.explanations import entry_label
from symattn.checking.grading.link import Link, changed
from symattn.checking.graph.formulas import Cell, axis_of_sum
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.lexicon import SCORES
from symattn.checking.report import Finding
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.operations.formulas.formula import is_of

_MOST = 400
"""Entries for which numbers that stand before them are followed."""

_NAMED = 3


class EntryInference:
    """Inference of the entry that a name without indices stands for."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context

    def narrowed(self, written: Written, target: Target | None, current: Target | None) -> Target | None:
        """Return the entry of the context where a single number is stated for a whole quantity; else the target."""
        if target is None or not self._is_whole(target):
            return target
        nodes = [side.node for side in written.sides if side is not None and side.node is not None]
        stated = [node for node in nodes if has_numbers(node) and not isinstance(node, t.Space)]
        if not stated or any(self.context.shape(node) != SCALAR for node in stated):
            return target
        spoken = self._spoken_of(target, current)
        fitting = (item for item in spoken if item.only is not None and self._fits(stated[-1], (item.name, *item.only)))
        entry = next(fitting, spoken[0] if spoken else None)
        if entry is None or entry.only is None:
            return target
        is_its = self._fits(stated[-1], (entry.name, *entry.only))
        return entry if is_its or not self._fitting(stated[-1], target) else target

    def link(self, base: Finding, node: t.Node, target: Target) -> Link | None:
        """Return the finding on a number that some entry of a quantity has; None for any other."""
        found = self._fitting(node, target)
        for name in SCORES if target.name in SCORES and not found else ():
            if name in self.context.graph:
                found = found or self._fitting(node, whole(self.context.graph, name))
        if not found:
            return None
        labels = [entry_label(cell) for cell in found[:_NAMED]]
        more = f", and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        sentence = f"It is not said which entry of {found[0][0]} this is; {' or '.join(labels)}{more} would fit."
        return Link(changed(base, verdict="ambiguous", explanation=sentence), None)

    def sum_of_nothing(self, base: Finding, target: Target) -> Link | None:
        """Judge ``sum = 6.53`` before any exponential was written, whose summands are unknown."""
        graph = self.context.graph
        written = (graph.nodes[cell[0]].formula for cell in self.context.numbers.prints)
        if axis_of_sum(graph.nodes[target.name].formula) is None or any(is_of(one, "exponential") for one in written):
            return None
        sentence = f"It is not said what is summed, and no entry of {target.name} would fit."
        return Link(changed(base, verdict="ambiguous", explanation=sentence), None)

    def may_be(self, node: t.Node, target: Target) -> bool:
        """Return whether a single number is stated for a whole quantity."""
        return self._is_whole(target) and self.context.shape(node) == SCALAR

    def _is_whole(self, target: Target) -> bool:
        return target.only is None and target.cells == whole(self.context.graph, target.name).cells

    def _spoken_of(self, target: Target, current: Target | None) -> list[Target]:
        """Return the entries of a quantity named last: in the line before, in the heading, of the row in words."""
        binder = self.context.binder
        named = [
            Target(found.name, found.cells, guess=True)
            for found in (current, binder.spoken_of)
            if found is not None and found.name == target.name and found.only is not None
        ]
        number = binder.line_in_words if binder.line is None else binder.line
        line = None if number is None else binder.part(target, [number])
        return named if line is None else [*named, Target(line.name, line.cells, guess=True)]

    def _fitting(self, node: t.Node, target: Target) -> list[Cell]:
        return [cell for place in target.flat() if self._fits(node, cell := (target.name, *place))]

    def _fits(self, node: t.Node, cell: Cell) -> bool:
        """Return whether a number is that of an entry, or working is the entry's."""
        number, numbers = figure(node), self.context.numbers
        rows, columns = self.context.graph.shape(cell[0])
        if number is not None and rows * columns <= _MOST:
            return numbers.fits(number, cell)
        exact = numbers.exact(cell)
        if number is not None:
            return exact is not None and numbers.close(number, exact) in {"equal", "rounded"}
        return (exact is not None and exact in self.context.worth(node)) or self.context.operands.compare(
            node, cell
        ) == ()
