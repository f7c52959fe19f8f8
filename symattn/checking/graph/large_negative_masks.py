"""Large negative masks: ``S + M`` with -10^9 in M, as programs hide entries.

Such a number and minus infinity give the same weights to every digit that anybody prints, and works write either for
the other. Where a whole line is hidden they differ, the softmax of equal numbers against nothing at all: there the
number is a number.
"""

from __future__ import annotations

from collections.abc import Callable

from symattn.checking.graph.formulas import Axis, Cell, axis_of_weights
from symattn.checking.graph.quantities import Graph, line_of, shape_of, spread_place
from symattn.exact.field.quotient import Quotient
from symattn.operations.formulas.formula import Apply, Formula, Ref

FAR_BELOW = -1000
"""Numbers from here downwards stand for minus infinity in a mask: no digit of a weight shows the difference."""

_SEEN = -500
"""Scores added to such a number lie above this bound."""


class LargeNegativeMasks:
    """Detector of entries hidden by a large negative number.

    Args:
        graph: the quantities.
        exact: the exact value of an entry.
    """

    def __init__(self, graph: Graph, exact: Callable[[Cell], Quotient | None]) -> None:
        self.graph = graph
        self.exact = exact
        found = (node.formula for node in graph.nodes.values())
        self.axis: Axis = next(filter(None, map(axis_of_weights, found)), "rows")
        self.masks = frozenset(name for name in graph.given if self._is_mask(name))

    def hides(self, cell: Cell) -> bool:
        """Return whether an entry is far below others of its line because of such a number."""
        if not self.masks or not self._is_made_so(Ref(cell[0]), cell[1], cell[2]):
            return False
        line = line_of(self.graph.shape(cell[0]), self.axis, cell[1], cell[2])
        return self._is_below(cell) and not all(self._is_below((cell[0], *place)) for place in line)

    def _is_mask(self, name: str) -> bool:
        rationals = [value.plain_rational() for row in self.graph.given[name].rows for value in row if value.is_finite]
        return any(rational is not None and rational <= FAR_BELOW for rational in rationals)

    def _is_below(self, cell: Cell) -> bool:
        value = self.exact(cell)
        rational = None if value is None or not value.is_finite else value.plain_rational()
        return rational is not None and rational <= _SEEN

    def _is_made_so(self, formula: Formula, i: int, j: int) -> bool:
        """Return whether a formula adds one of these numbers at a place."""
        match formula:
            case Ref(name) if name in self.masks:
                return self._is_below((name, i, j))
            case Ref(name):
                inner = self.graph.nodes[name].formula
                return inner is not None and self._is_made_so(inner, i, j)
            case Apply("scale", _, (_, of)):
                return self._is_made_so(of, i, j)
            case Apply("sum" | "difference" | "mask", _, terms):
                return any(self._is_spread_so(term, i, j) for term in terms)
        return False

    def _is_spread_so(self, formula: Formula, i: int, j: int) -> bool:
        return self._is_made_so(formula, *spread_place(shape_of(formula, self.graph), i, j))


def is_far_below(value: Quotient) -> bool:
    """Return whether a value stands for minus infinity in a mask: ``-10^9``."""
    rational = value.plain_rational()
    return rational is not None and rational <= FAR_BELOW
