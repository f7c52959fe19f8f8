"""TRUSTED. The names of the operands of a quantity, from which the forms of an operation are made."""

from __future__ import annotations

from symattn.graph.quantities.scene import Entry, OperandLeaves, index_node, indexed, shifted
from symattn.notation.tree import nodes as t
from symattn.operations import scalar as s
from symattn.operations.operation import Axis
from symattn.operations.scalar import Index


class OperandNames(OperandLeaves):
    """Names of what a quantity is made of."""

    def whole(self, operand: int) -> t.Node:
        """Return the name of an operand."""
        return self.operands[operand].symbol

    def entry(self, operand: int, row: Index, column: Index) -> t.Node:
        """Return the name of an entry of an operand; a single number has but one."""
        quantity = self.operands[operand]
        if quantity.scalar:
            return quantity.symbol
        return self.scene.entry(quantity.name, shifted(row, 1), shifted(column, 1))

    def target(self, leaf: s.Scalar) -> Entry:
        """Return the entry that a leaf of an expression stands for.

        Raises:
            ValueError: it is not a leaf at numbers.
        """
        match leaf:
            case s.Leaf(operand, int() as row, int() as column):
                return Entry(self.operands[operand].name, row + 1, column + 1)
        raise ValueError("an entry at numbers is meant")

    def line(self, operand: int, axis: Axis, index: Index) -> t.Node | None:
        """Return the name of a row, or a column, as a column vector; None where these lines are unnamed."""
        quantity = self.operands[operand]
        if quantity.line_symbol is None or quantity.line_axis != axis:
            return None
        return indexed(quantity.line_symbol, (index_node(shifted(index, 1)),))

    def within(self, operand: int, name: str) -> OperandNames | None:
        """Return the names of what an operand is made of, None unless an operation of this name makes it."""
        made = self.scene.made(self.operands[operand].name)
        return None if made is None or made.operation.name != name else OperandNames(self.scene, made)
