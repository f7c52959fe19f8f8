"""Inner products and softmaxes of lists in any notation: ``q_1 · k_3``, ``⟨q_1, k_3⟩``, ``q_1 k_3^T``."""

from __future__ import annotations

from dataclasses import replace

from symattn.checking.expressions.numerals import bare
from symattn.checking.graph.targets import Target
from symattn.checking.names.binding import Binder
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk

_OF_LISTS = frozenset({"softmax", "softargmax"})
"""Functions of a row, ``softmax(2, 8, -20)``."""


def _is_list(function: t.Name, arguments: tuple[t.Node, ...]) -> bool:
    """Return whether the arguments are the numbers of a row; the second one of ``softmax(S, 1)`` says an axis."""
    names = [
        item for argument in arguments for item in walk(argument) if isinstance(item, t.Name | t.Vector | t.Matrix)
    ]
    return function.text.lower() in _OF_LISTS and not names


def _names_line(text: str) -> bool:
    """Return whether a name without an index may be that of a line: ``q1``, or ``q`` and ``k`` of a single token."""
    return text[-1:].isdigit() or (len(text) == 1 and text.islower())


class InnerProducts:
    """Normaliser of inner products to a row times a column.

    Args:
        binder: what names mean; where the sheet's vectors are rows, ``q k^T`` is a number.
    """

    def __init__(self, binder: Binder) -> None:
        self.names = binder
        self.graph = binder.graph
        self.lines_are_rows = binder.lines_are_rows
        self.lines_are_columns = binder.lines_are_columns

    def written(self, node: t.Node) -> t.Node:
        """Return the same tree with inner products as a row times a column."""
        match node:
            case t.Call(t.Name("inner"), (first, second)):
                return self._product(first, second, node.span) or node
            case t.Product((first, t.Division(above, below)), (operator,)) if self._is_inner(above, operator):
                # q_1 · k_1/√2, whose tree is that of q_1 · (k_1/√2)
                found = self._product(first, above, node.span)
                return node if found is None else t.Division(found, self.written(below), span=node.span)
            case t.Product((first, second), (operator,)):
                found = self._product(first, second, node.span) if self._is_inner(second, operator) else None
                return found or replace(node, factors=(self.written(first), self.written(second)))
            case t.Product(factors):
                return replace(node, factors=tuple(map(self.written, factors)))
            case t.Sum(terms):
                return replace(node, terms=tuple(map(self.written, terms)))
            case t.Division(above, below):
                return replace(node, numerator=self.written(above), denominator=self.written(below))
            case t.Power(base, exponent):
                return replace(node, base=base, exponent=self.written(exponent))
            case t.Call(function, (first, _, *_) as arguments) if _is_list(function, arguments):
                span = None if first.span is None else (first.span[0], (arguments[-1].span or first.span)[1])
                listed = t.Vector(tuple(map(self.written, arguments)), "(", span=span)
                return replace(node, arguments=(listed,))
            case t.Call(_, arguments):
                return replace(node, arguments=tuple(map(self.written, arguments)))
            case t.Negative(body) | t.Group(body) | t.Boxed(body):
                return replace(node, body=self.written(body))
        return node

    def _is_inner(self, second: t.Node, operator: str) -> bool:
        """Return whether a product has a dot between vectors, or a transposed second factor where vectors are rows."""
        return operator == "cdot" or (self.lines_are_rows and isinstance(bare(second), t.Transpose))

    def _product(self, first: t.Node, second: t.Node, span: t.Span | None) -> t.Node | None:
        left, right = self._line(first), self._line(second)
        if left is None or right is None or max(left.shape) != max(right.shape):
            return None
        row = first if left.shape[0] == 1 else t.Transpose(first, span=first.span)
        column = second if right.shape[1] == 1 else t.Transpose(second, span=second.span)
        return t.Product((row, column), ("",), span=span)

    def _line(self, node: t.Node) -> Target | None:
        """Return a line of a matrix by its name; no whole matrix and no single entry."""
        inner = bare(node)
        base = bare(inner.base) if isinstance(inner, t.Transpose) else inner
        is_part = isinstance(base, t.Subscript) or (isinstance(base, t.Name) and _names_line(base.text))
        target = self.names(inner) if is_part else None
        is_line = target is not None and target.is_vector and target.only is None
        return target if target is not None and is_line and not self._is_of_all(target) else None

    def _is_of_all(self, target: Target) -> bool:
        """Return whether a node has a number for each token, as all of ``Q_1`` where heads have the size 1."""
        rows, columns = self.graph.shape(target.name)
        return rows * columns == max(target.shape) and (rows if self.lines_are_columns else columns) == 1
