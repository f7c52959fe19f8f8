"""Dependencies between entries: the entries computed from one that a statement is wrong about."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from symattn.checking.grading.link import Link
from symattn.checking.graph.expansion import expected_at, leaves
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph


class Consequences:
    """Cached operands of each entry of a graph.

    Args:
        graph: the quantities.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._operands: dict[Cell, tuple[Cell, ...]] = {}

    def rests_on(self, cell: Cell, others: Collection[Cell]) -> bool:
        """Return whether an entry is one of some others or computed from one, directly or not."""
        waiting, seen = [cell] if others else [], {cell}
        while waiting:
            at = waiting.pop()
            if at in others:
                return True
            operands = self._operands_of(at)
            waiting.extend(part for part in operands if part not in seen)
            seen.update(operands)
        return False

    def _operands_of(self, cell: Cell) -> tuple[Cell, ...]:
        if cell not in self._operands:
            expected = expected_at(self.graph, cell)
            self._operands[cell] = () if expected is None else tuple(dict.fromkeys(leaves(expected)))
        return self._operands[cell]

    def unexplained(self, link: Link, mistakes: Collection[Cell]) -> list[Cell]:
        """Return the entries that a link says to follow from an earlier mistake, and that rest on none of these."""
        following = [cell for cell, word in link.verdicts if word == "follows"]
        if not following and link.finding.verdict == "follows" and link.target is not None:
            following = link.target.entries
        return [cell for cell in following if not self.rests_on(cell, mistakes)]


def mistaken(links: Iterable[Link]) -> set[Cell]:
    """Return the entries about which some of the links are wrong."""
    return {cell for link in links for cell in link.mistaken}
