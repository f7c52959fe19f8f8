"""TRUSTED. Traversal of a tree, without recursion, however deep it is; and rebuilding of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symattn.notation import tree
from symattn.notation.tree import Node, children


def walk(node: Node) -> Iterator[Node]:
    """Iterate over a node and everything below it, each before its children, in the order of writing.

    >>> from symattn.notation.tree import Division, Number
    >>> [item.text for item in walk(Division(Number("1"), Number("2"))) if isinstance(item, Number)]
    ['1', '2']
    """
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(children(here)))


def depth(node: Node) -> int:
    """Count the levels of a tree; a leaf has one.

    >>> from symattn.notation.tree import Division, Number
    >>> depth(Division(Number("1"), Number("2")))
    2
    """
    deepest = 0
    level = [node]
    while level:
        deepest += 1
        level = [child for item in level for child in children(item)]
    return deepest


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return the node with changed children; names, numbers, matrices, sets and dots stay as they are.

    >>> rebuilt(tree.Negative(tree.Name("x")), lambda child: tree.Number("1"))
    Negative(body=Number(text='1'))
    """
    match node:
        case tree.Transpose(body):
            return tree.Transpose(change(body))
        case tree.Negative(body):
            return tree.Negative(change(body))
        case tree.Boxed(body):
            return tree.Boxed(change(body))
        case tree.Group(body, brackets):
            return tree.Group(change(body), brackets)
        case tree.Sum(terms, operators):
            return tree.Sum(tuple(map(change, terms)), operators)
        case tree.Product(factors, operators):
            return tree.Product(tuple(map(change, factors)), operators)
        case tree.Division(above, below, bar):
            return tree.Division(change(above), change(below), bar)
        case tree.Power(base, exponent):
            return tree.Power(change(base), change(exponent))
        case tree.Root(body, degree):
            return tree.Root(change(body), degree)
        case tree.Call(function, arguments):
            return tree.Call(function, tuple(map(change, arguments)))
        case tree.SumOver(index, lower, upper, body, excluded):
            first, last = None if lower is None else change(lower), None if upper is None else change(upper)
            return tree.SumOver(index, first, last, change(body), tuple(map(change, excluded)))
        case tree.Subscript(base, indices):
            return tree.Subscript(change(base), tuple(map(change, indices)))
        case tree.Vector(items, brackets):
            return tree.Vector(tuple(map(change, items)), brackets)
        case tree.Relation(sides, operators):
            return tree.Relation(tuple(None if side is None else change(side) for side in sides), operators)
        case _:
            return node
