"""TRUSTED. Parsed operands: nodes with the extent of the text that they take up."""

from __future__ import annotations

from typing import NamedTuple

from symattn.errors import NotationError, counted_entries
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import infinite, is_matrix_by_habit, is_single_list


class RaggedError(NotationError):
    """A matrix whose rows do not all have the same number of entries."""


class Item(NamedTuple):
    """A node and the text it takes up, brackets of the layout included.

    `braced` tells that braces stood around it: these are not seen, so they are not brackets.
    """

    node: t.Node
    start: int
    end: int
    braced: bool = False

    @classmethod
    def of(cls, node: t.Node) -> Item:
        """Return a node that takes up its span."""
        return cls(node, *(node.span or (0, 0)))


def as_operand(item: Item, loose: tuple[type, ...] = (t.Relation,)) -> t.Node:
    """Return the node at a place of arithmetic, where ``[x]`` is a bracket and not a list of one item.

    >>> as_operand(Item(t.Vector((t.Name("x"),), "["), 0, 3))
    Group(body=Name(text='x', font=''), brackets='[')

    Raises:
        NotationError: when it is one of the `loose` nodes, which only brackets could hold together.
    """
    node = item.node
    if isinstance(node, loose):
        raise NotationError(
            "Braces are not seen and do not hold an expression together: write round brackets around it.",
            item.start,
        )
    if isinstance(node, t.Vector) and is_single_list(node):
        return t.Group(node.items[0], node.brackets, span=node.span)
    return node


def as_part(item: Item) -> t.Node:
    """Return the node as a part of a quotient with a slash, where round brackets belong to the layout.

    >>> as_part(Item(t.Group(t.Name("x")), 0, 3))
    Name(text='x', font='')
    """
    node = as_operand(item)
    if isinstance(node, t.Group) and node.brackets == "(" and not item.braced:
        return as_operand(Item(node.body, item.start, item.end))
    return node


def splice(items: list[Item], operators: list[str]) -> tuple[list[Item], list[str]]:
    """Flatten products that stood in braces into the product around them."""
    flat: list[Item] = []
    between: list[str] = []
    for position, item in enumerate(items):
        if position:
            between.append(operators[position - 1])
        if item.braced and isinstance(item.node, t.Product):
            flat.extend(Item(factor, *(factor.span or (item.start, item.end))) for factor in item.node.factors)
            between.extend(item.node.operators)
        else:
            flat.append(item)
    return flat, between


def build_call(name: t.Name, items: list[Item], arguments: list[t.Node], span: t.Span) -> Item:
    """Build a call; that of sqrt is a root, and a limit at infinity goes to ``oo``.

    Raises:
        NotationError: when a square root has more than one argument.
    """
    if name.text == "lim" and len(arguments) == 3:
        arguments = [arguments[0], infinite(arguments[1]), arguments[2]]
    if name.text != "sqrt":
        return Item(t.Call(name, tuple(arguments), span=span), *span)
    if len(arguments) != 1:
        raise NotationError("A square root has one argument.", span[0])
    return Item(t.Root(as_operand(items[0]), span=span), *span)


def build_enclosed(items: list[Item], brackets: str, span: t.Span) -> t.Node:
    """Build the node for brackets with one item or more: a Group, a list, or a matrix written as nested lists."""
    nodes = tuple(item.node for item in items)
    if brackets == "[" and is_matrix_by_habit(nodes):
        return nested_matrix(nodes, span)
    if len(nodes) > 1 or brackets == "[":
        only = nodes[0]
        if len(nodes) == 1 and isinstance(only, t.Matrix) and not only.brackets:
            return t.Matrix(only.rows, brackets, span=span)
        return t.Vector(nodes, brackets, span=span)
    only = nodes[0]
    if isinstance(only, t.Matrix) and not only.brackets:
        return t.Matrix(only.rows, brackets, span=span)
    return t.Group(only, brackets, span=span)


def nested_matrix(lists: tuple[t.Node, ...], span: t.Span) -> t.Matrix:
    """Build the matrix whose rows are these lists, or the one product of lists.

    Raises:
        NotationError: naming the first row whose length differs.
    """
    if len(lists) == 1 and isinstance(lists[0], t.Product):
        lists = lists[0].factors
    rows = [
        item.items if isinstance(item, t.Vector) else (item.body,)
        for item in lists
        if isinstance(item, t.Vector | t.Group)
    ]
    return build_matrix(rows, "[", span, [item.span or span for item in lists])


def build_matrix(rows: list[tuple[t.Node, ...]], brackets: str, span: t.Span, places: list[t.Span]) -> t.Matrix:
    """Build a matrix of rows of one length.

    Raises:
        NotationError: when rows are missing, or naming the first row whose length differs.
    """
    if not rows:
        raise NotationError("This matrix has no entries.", span[0])
    for number, (row, place) in enumerate(zip(rows, places, strict=True), start=1):
        if len(row) != len(rows[0]):
            raise RaggedError(
                f"Row {number} of this matrix has {counted_entries(len(row))} and row 1 has {len(rows[0])}: "
                "all rows need the same number.",
                place[0],
            )
    return t.Matrix(tuple(rows), brackets, span=span)
