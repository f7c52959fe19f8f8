"""TRUSTED. Writer of syntax trees as plain text that can be read back."""

from __future__ import annotations

from symattn.notation.tree import nodes as t
from symattn.notation.tree.wellformed import check
from symattn.notation.writers.plain_text import describe


def write_plain(node: t.Node, functions: frozenset[str] = t.FUNCTIONS) -> str:
    """Return a tree as plain text that `read_plain` reads back as the same tree.

    >>> write_plain(t.Power(t.Name("e"), t.Division(t.Number("3"), t.Number("2"))))
    'e^(3/2)'

    Raises:
        ValueError: when the tree is ill formed: a bracket is missing, two numbers stand side by side, ...
    """
    check(node, functions)
    return describe(node)
