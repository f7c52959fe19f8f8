r"""``Q'`` and ``k_1'`` of a work on rotary positions: the rotated ones, where they are no transposes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symattn.checking.desk import Desk
from symattn.checking.kinds import has_numbers
from symattn.checking.targets import Target
from symattn.notation import tree as t
from symattn.notation.walk import rebuilt
from symattn.notation.work import Side, Written

PRIMES = ("'", "′", "\\prime")
"""How a prime is written; a ``T`` is none."""


class RotatedPrimes:
    """Puts the rotated queries and keys where a prime says them.

    Args:
        desk: what is known of the work.
        fits: whether numbers are those of a target.
    """

    def __init__(self, desk: Desk, fits: Callable[[t.Node, Target], bool]) -> None:
        self.desk = desk
        self.fits = fits
        self.meant: set[str] = set()

    def written(self, written: Written) -> Written:
        """The chain with ``K_rot`` for a ``K'`` that means it: what it begins with, and all names of its kind later."""
        first = written.sides[0]
        name = None if first is None or first.node is None else self._primed(first.node)
        if first is not None and first.node is not None and name is not None and self._is_rotated(first.node, written):
            self.meant.add(name)
        if not self.meant:
            return written
        return replace(written, sides=tuple(None if side is None else self._put(side) for side in written.sides))

    def _primed(self, node: t.Node) -> str | None:
        """The letter of the queries or keys that a prime stands on."""
        if not isinstance(node, t.Transpose) or node.span is None:
            return None
        base = node.base.base if isinstance(node.base, t.Subscript) else node.base
        if not isinstance(base, t.Name) or not any(mark in self.desk.source(node) for mark in PRIMES):
            return None
        found = self.desk.binder.resolve(node.base)
        is_turned = found is not None and found.name in {"Q", "K"} and f"{found.name}_rot" in self.desk.graph
        return base.text if is_turned else None

    def _is_rotated(self, node: t.Node, written: Written) -> bool:
        """Whether numbers beside a primed name have the shape of what is rotated, and are no transpose."""
        turned, meant = self.desk.binder.resolve(node), self.desk.binder.resolve(self._rotated(node))
        stated = [
            side.node for side in written.sides[1:] if side is not None and side.node is not None
            if has_numbers(side.node)
        ]  # fmt: skip
        if meant is None or not stated:
            return False
        shape = self.desk.shape(stated[-1])
        is_laid = shape == meant.shape or (meant.is_vector and shape == meant.shape[::-1])
        return is_laid and not (turned is not None and self.fits(stated[-1], turned))

    def _rotated(self, node: t.Node) -> t.Node:
        """The name of what is rotated for a primed name."""
        if not isinstance(node, t.Transpose):
            return node
        if isinstance(node.base, t.Subscript):
            return replace(node.base, base=_rot(node.base.base), span=node.span)
        return replace(_rot(node.base), span=node.span)

    def _put(self, side: Side) -> Side:
        def put(node: t.Node) -> t.Node:
            return self._rotated(node) if self._primed(node) in self.meant else rebuilt(node, put)

        return side if side.node is None else replace(side, node=put(side.node))


def _rot(base: t.Node) -> t.Node:
    return t.Name(f"{base.text}rot", span=base.span) if isinstance(base, t.Name) else base
