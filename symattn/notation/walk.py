"""Going through a tree without recursion, however deep it is."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.notation.tree import Node, children


def walk(node: Node) -> Iterator[Node]:
    """A node and everything below it, each before its children, in the order in which it was written.

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
    """How many levels a tree has; a leaf has one.

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
