r"""Rotated primes: ``Q'`` and ``k_1'`` of a work on rotary positions, where they are not transposes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symattn.checking.expressions.expression_kinds import has_numbers
from symattn.checking.grading.context import Desk
from symattn.checking.graph.targets import Target
from symattn.notation.submission import Side, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk

PRIMES = ("'", "′", "\\prime")
"""How a prime is written; a ``T`` is none."""

_LETTERS = frozenset({"q", "k"})
_TURNED = frozenset({"Q", "K", "K_new"})
"""What a rotation is taken of."""


class RotatedPrimes:
    """Substitution of the rotated queries and keys for primed names.

    Args:
        desk: what is known of the work.
        fits: whether numbers are those of a target.
    """

    def __init__(self, desk: Desk, fits: Callable[[t.Node, Target], bool]) -> None:
        self.desk = desk
        self.fits = fits
        self.meant: set[str] = set()

    def written(self, written: Written) -> Written:
        """Return the chain with ``K_rot`` for a ``K'`` that means it: its first name, and later all of its kind."""
        first = written.sides[0]
        name = None if first is None or first.node is None else self._primed(first.node)
        if first is not None and first.node is not None and name is not None and self._is_rotated(first.node, written):
            self.meant.add(name)
        self.meant |= self._by_formula(written)
        if not self.meant:
            return written
        sides = (None if side is None else self._put(side) for side in written.sides)
        return replace(written, sides=tuple(sides))

    def _by_formula(self, written: Written) -> set[str]:
        """Return the primed letters of ``S = q' K'^T``, where the first side is that product of rotated ones."""
        first = None if written.sides[0] is None else written.sides[0].node
        target = None if first is None else self.desk.binder.resolve(first)
        nodes = [side.node for side in written.sides[1:] if side is not None and side.node is not None]
        for node in nodes if target is not None else []:
            names = self._letters(node)
            found = self.desk.formulas.subject(self._with_rotated(node, names)) if names else None
            if found is not None and target is not None and (found.name, found.cells) == (target.name, target.cells):
                return names
        return set()

    def _letters(self, node: t.Node) -> set[str]:
        return {name for item in walk(node) if (name := self._primed(item)) is not None}

    def _primed(self, node: t.Node) -> str | None:
        """Return the letter of the queries or keys that a prime stands on."""
        if not isinstance(node, t.Transpose) or node.span is None:
            return None
        base = node.base.base if isinstance(node.base, t.Subscript) else node.base
        if not isinstance(base, t.Name) or not any(mark in self.desk.source(node) for mark in PRIMES):
            return None
        found = self.desk.binder.resolve(node.base)
        name = base.text.upper() if found is None and base.text in _LETTERS else None if found is None else found.name
        is_turned = name in _TURNED and f"{name[0]}_rot" in self.desk.graph
        return base.text if is_turned else None

    def _is_rotated(self, node: t.Node, written: Written) -> bool:
        """Return whether numbers beside a primed name have the shape of the rotated matrix, and not of a transpose."""
        turned, meant = self.desk.binder.resolve(node), self.desk.binder.resolve(self._rotated(node))
        stated = [
            side.node for side in written.sides[1:] if side is not None and side.node is not None
            if has_numbers(side.node)
        ]  # fmt: skip
        if meant is None or not stated:
            return False
        is_laid = meant.in_shape(self.desk.shape(stated[-1])) is not None
        return is_laid and not (turned is not None and self.fits(stated[-1], turned))

    def _rotated(self, node: t.Node) -> t.Node:
        """Return the name of what is rotated for a primed name; that of a lone token needs no index."""
        if not isinstance(node, t.Transpose):
            return node
        if isinstance(node.base, t.Subscript):
            made = replace(node.base, base=_rot(node.base.base), span=node.span)
            found, line = self.desk.binder.resolve(made), self.desk.binder.resolve(node.base)
            is_entry = found is not None and found.only is not None and line is not None and line.only is None
            return replace(_rot(node.base.base), span=node.span) if is_entry else made
        return replace(_rot(node.base), span=node.span)

    def _put(self, side: Side) -> Side:
        return side if side.node is None else replace(side, node=self._with_rotated(side.node, self.meant))

    def _with_rotated(self, node: t.Node, meant: set[str]) -> t.Node:
        def put(item: t.Node) -> t.Node:
            return self._rotated(item) if self._primed(item) in meant else rebuilt(item, put)

        return put(node)


def _rot(base: t.Node) -> t.Node:
    return t.Name(f"{base.text}rot", span=base.span) if isinstance(base, t.Name) else base
