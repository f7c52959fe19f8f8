"""TRUSTED. Parts of trees: the exponent of an exponential, the names that a tree comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, walk
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Scope


def exponent_of(node: t.Node) -> t.Node | None:
    """Return the exponent of a power of e, perhaps in brackets; None for any other tree."""
    match bare(node):
        case t.Call(t.Name("exp"), (inner,)) | t.Power(t.Name("e"), inner):
            return inner
        case _:
            return None


def names_reached(nodes: Iterable[t.Node], meanings: Mapping[str, Sequence[str]], scope: Scope) -> set[str]:
    """Return the names in some trees, and in the texts that these names stand for, one after the other."""
    waiting, found = [item for node in nodes for item in walk(node)], set[str]()
    while waiting:
        name = plain_name(waiting.pop())
        if name is not None and name not in found:
            found.add(name)
            waiting.extend(item for text in meanings.get(name, ()) for item in walk(read_text(text, scope)))
    return found
