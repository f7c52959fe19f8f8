"""TRUSTED. Traversal of a tree, without recursion, however deep it is; and rebuilding of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from symattn.notation.tree import nodes
from symattn.notation.tree.nodes import Node, children


def walk(node: Node) -> Iterator[Node]:
    """Iterate over a node and everything below it, each before its children, in the order of writing.

    >>> from symattn.notation.tree.nodes import Division, Number
    >>> [item.text for item in walk(Division(Number("1"), Number("2"))) if isinstance(item, Number)]
    ['1', '2']
    """
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        below = children(here)
        if below:  # half of all nodes are leaves
            waiting.extend(reversed(below))


def depth(node: Node) -> int:
    """Count the levels of a tree; a leaf has one.

    >>> from symattn.notation.tree.nodes import Division, Number
    >>> depth(Division(Number("1"), Number("2")))
    2
    """
    deepest = 0
    level = [node]
    while level:
        deepest += 1
        level = [child for item in level for child in children(item)]
    return deepest


def bare(node: Node) -> Node:
    """Return a node without the brackets around it.

    >>> bare(nodes.Group(nodes.Group(nodes.Name("x"))))
    Name(text='x', font='')
    """
    while isinstance(node, nodes.Group):
        node = node.body
    return node


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return the node with changed children; names, numbers, matrices, sets and dots stay as they are.

    >>> rebuilt(nodes.Negative(nodes.Name("x")), lambda child: nodes.Number("1"))
    Negative(body=Number(text='1'))
    """
    match node:
        case nodes.Transpose(body):
            return nodes.Transpose(change(body))
        case nodes.Negative(body):
            return nodes.Negative(change(body))
        case nodes.Boxed(body):
            return nodes.Boxed(change(body))
        case nodes.Group(body, brackets):
            return nodes.Group(change(body), brackets)
        case nodes.Sum(terms, operators):
            return nodes.Sum(tuple(map(change, terms)), operators)
        case nodes.Product(factors, operators):
            return nodes.Product(tuple(map(change, factors)), operators)
        case nodes.Division(above, below, bar):
            return nodes.Division(change(above), change(below), bar)
        case nodes.Power(base, exponent):
            return nodes.Power(change(base), change(exponent))
        case nodes.Root(body, degree):
            return nodes.Root(change(body), degree)
        case nodes.Call(function, arguments):
            return nodes.Call(function, tuple(map(change, arguments)))
        case nodes.SumOver(index, lower, upper, body, excluded):
            first, last = None if lower is None else change(lower), None if upper is None else change(upper)
            return nodes.SumOver(index, first, last, change(body), tuple(map(change, excluded)))
        case nodes.Subscript(base, indices):
            return nodes.Subscript(change(base), tuple(map(change, indices)))
        case nodes.Vector(items, brackets):
            return nodes.Vector(tuple(map(change, items)), brackets)
        case nodes.Relation(sides, operators):
            return nodes.Relation(tuple(None if side is None else change(side) for side in sides), operators)
        case _:
            return node


def mapped(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return the node with changed children at its own place in the text; itself where no child changes.

    >>> from symattn.notation.tree.nodes import Name, Negative
    >>> mapped(Negative(Name("x"), span=(0, 2)), lambda child: Name("y")).span
    (0, 2)
    """
    made = rebuilt(node, change)
    return node if made == node else replace(made, span=node.span)
