"""Input of a block: the output of the block before it, with the person's own numbers."""

from __future__ import annotations

from dataclasses import replace

from symattn.checking.grading.unrounded_values import Handed, Print, fine
from symattn.checking.grading.value_verdicts import Numbers
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph, Node, Valuation
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.quantities import quantity as q
from symattn.operations.formulas.formula import Ref
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class BlockInput:
    """Input of a block.

    Attributes:
        source: what the block before makes, ``R_2``.
        name: the same among the quantities of this block, ``R_2@1``.
        into: the input that is a copy of it, ``X``.
        exact: its value.
        carried: its value as the sheet's steps round it, None where they do not.
    """

    source: str
    name: str
    into: str
    exact: Matrix
    carried: q.Grid | None

    def opened(self, graph: Graph) -> Graph:
        """Return the quantities of this block with its input computed by the block before, not given."""
        copied = replace(graph.nodes[self.into], formula=Ref(self.name), step="outputs")
        nodes = {self.name: Node(self.name, copied.shape, None), **graph.nodes, self.into: copied}
        given = {name: values for name, values in graph.given.items() if name != self.into}
        return Graph(nodes, {**given, self.name: self.exact}, {**graph.known, self.into: self.exact})

    def handed(self, before: Numbers) -> Handed:
        """Return the output of the block before, computed from the numbers written on it."""
        if not before.prints:
            return Handed({}, {}, {})
        cells = {cell: (self.name, *cell[1:]) for cell in before.graph.cells(self.source)}
        own = before.own()
        holds = all(found[-1].holds for found in before.prints.values())
        right = {} if holds else _all(before.base, cells)
        prints: dict[Cell, Print] = {}
        for cell, here in cells.items():
            if cell in before.prints:
                prints[here] = before.prints[cell][-1]
            elif not holds and (value := _fine(own, cell)) is not None:
                prints[here] = Print(value, None, holds=value == right.get(here))
        good = {here: value for here, value in right.items() if here in prints and not prints[here].holds}
        behind = before.unrounded_values()
        if behind is None:
            return Handed(prints, good, {})
        moves = (_all(values, cells) for values in behind.moves(self.source))
        return Handed(prints, good, _all(behind.values, cells), tuple(moves))


def _all(values: Valuation, cells: dict[Cell, Cell]) -> dict[Cell, Quotient]:
    """Return every entry as it goes into the next block."""
    found = {here: _fine(values, cell) for cell, here in cells.items()}
    return {here: value for here, value in found.items() if value is not None}


def _fine(values: Valuation, cell: Cell) -> Quotient | None:
    """Return an entry as a number that is quick to work with, None where it is undefined."""
    value = values.get(*cell)
    return None if value is None else fine(cell[0], value)
