r"""Raised numbers in brackets that do not number a row.

``X^{(0)}`` and ``h_1^{(0)}`` are the input of the first layer. In work that has several heads ``A^{(0)}`` may be of the
first of them, where they are counted from 0: there it is taken away from what is put in alone.

On a sheet with definitions of its own ``O^{(1)}`` may be what the key makes on the way to ``O``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from symattn.checking.expressions.renaming import Rewriting
from symattn.checking.names.lexicon import is_raised, key_of, spelt
from symattn.graph.builders.layer import Layer
from symattn.notation.submission import Work
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.operations.operation import Shape

_INPUTS = frozenset({"X", "H", "x", "h", "E"})


def without_layer_zero(work: Work, *, has_heads: bool) -> Work:
    """Return the work with the plain names of the inputs in the place of those with a raised 0."""
    is_raised_anywhere = re.search(r"\([ ]?0[ ]?\)|⁽⁰⁾", work.text) is not None
    return _WithoutZero(work.text, has_heads=has_heads).of_work(work) if is_raised_anywhere else work


class _WithoutZero(Rewriting):
    """Renaming of names with a raised 0."""

    def __init__(self, text: str, *, has_heads: bool) -> None:
        self.text = text
        self.has_heads = has_heads

    def _named(self, node: t.Node) -> t.Node | None:
        match node:
            case t.Subscript(base, (*front, t.Number("0", span=span))) if is_raised(self.text, span):
                head = base.base if isinstance(base, t.Subscript) else base
                if self.has_heads and not (isinstance(head, t.Name) and head.text in _INPUTS):
                    return node
                return t.Subscript(base, tuple(front)) if front else base
            case t.Power(t.Name() | t.Subscript() as base, t.Number("0", span=span)) if base != t.Name("e"):
                return base if is_raised(self.text, span) else node
        return None


def without_intermediates(work: Work, layer: Layer) -> Work:
    r"""Return the work with names of their own for the intermediates that a key of definitions numbers.

    Such a name belongs to none of the sheet's quantities, so what is said of it is not about the row of this number.

    Args:
        work: as it was read.
        layer: the quantities of the key.
    """
    shapes: dict[tuple[str, str], Shape] = {}
    for name, quantity in layer.scene.quantities.items():
        label, is_numbered, number = name.partition("^")
        if is_numbered:
            shapes[key_of(label), number] = quantity.shape
    if not shapes or re.search(r"\(|⁽", work.text) is None:
        return work
    return _WithIntermediates(work, shapes).of_work(work)


class _WithIntermediates(Rewriting):
    """Renaming of intermediates of a key."""

    def __init__(self, work: Work, shapes: Mapping[tuple[str, str], Shape]) -> None:
        self.work = work
        self.shapes = shapes

    def _named(self, node: t.Node) -> t.Node | None:
        found = _numbered(node, self.work)
        if found is None or not _has_part(self.shapes.get(found[:2]), found[2]):
            return None
        name = t.Name(f"{found[0]}⁽{found[1]}⁾", span=node.span)
        return t.Subscript(name, found[2]) if found[2] else name


def has_intermediate(node: t.Node) -> bool:
    """Return whether a formula names an intermediate of a key, of whose shape the graph knows nothing."""
    return any(isinstance(part, t.Name) and part.text.endswith("⁾") for part in walk(node))


def _numbered(node: t.Node, work: Work) -> tuple[str, str, tuple[t.Node, ...]] | None:
    """Return the name before a raised number, the number, and the indices below; None for other nodes."""
    match node:
        case t.Subscript(base, (*front, t.Number(number, span=span))) if is_raised(work.text, span):
            labels = tuple(index for index in front if not _is_index(index))
            head = t.Subscript(base, labels) if labels else base
            return key_of(spelt(head) or ""), number, tuple(index for index in front if _is_index(index))
    return None


def _is_index(node: t.Node) -> bool:
    return isinstance(node, t.Number) or (isinstance(node, t.Name) and node.text in {"i", "j", "k", "r"})


def _has_part(shape: Shape | None, below: tuple[t.Node, ...]) -> bool:
    """Return whether indices choose what a key writes of an intermediate: all of it, or an entry."""
    is_one = len(below) == 1 and not (isinstance(below[0], t.Number) and len(below[0].text) == 2)
    return shape is not None and (not is_one or 1 in shape)
