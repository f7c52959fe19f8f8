"""Renaming of formulas in works: one canonical name for each quantity with several."""

from __future__ import annotations

from dataclasses import replace

from symattn.notation.submission import Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import mapped


class Rewriting:
    """Renaming of every side of every chain of a work, with positions kept."""

    def of_work(self, work: Work) -> Work:
        """Return the same work with one name for each thing."""
        pieces = tuple(self._written(piece) if isinstance(piece, Written) else piece for piece in work.pieces)
        return replace(work, pieces=pieces)

    def spelt(self, node: t.Node) -> t.Node:
        """Return the same tree, its names written in one way."""
        found = self._named(node)
        return mapped(node, self.spelt) if found is None else replace(found, span=node.span)

    def _named(self, node: t.Node) -> t.Node | None:
        """Return the canonical spelling of a node; None where it has only one."""
        raise NotImplementedError

    def _written(self, written: Written) -> Written:
        return replace(written, sides=tuple(None if side is None else self._side(side) for side in written.sides))

    def _side(self, side: Side) -> Side:
        node = None if side.node is None else self.spelt(side.node)
        return replace(side, node=node, others=tuple(map(self.spelt, side.others)))
