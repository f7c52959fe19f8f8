r"""Input of the first layer, ``X^{(0)}``, ``h_1^{(0)}``, where the raised 0 does not number a row.

In work that has several heads ``A^{(0)}`` may be of the first of them, where they are counted from 0: there it is taken
away from what is put in alone.
"""

from __future__ import annotations

import re
from dataclasses import replace

from symattn.notation.submission import Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt

_RAISED = re.compile(r"(?:\^[ ]?\{?[ ]?\([ ]?|⁽)$")
_INPUTS = frozenset({"X", "H", "x", "h", "E"})


def without_layer_zero(work: Work, *, has_heads: bool) -> Work:
    """Return the work with the plain names of the inputs in the place of those with a raised 0."""
    if re.search(r"\([ ]?0[ ]?\)|⁽⁰⁾", work.text) is None:
        return work

    def substitute(node: t.Node) -> t.Node:
        match node:
            case t.Subscript(base, (*front, t.Number("0", span=span))) if span is not None and _is_raised(work, span):
                head = base.base if isinstance(base, t.Subscript) else base
                if has_heads and not (isinstance(head, t.Name) and head.text in _INPUTS):
                    return node
                return t.Subscript(base, tuple(front), span=node.span) if front else replace(base, span=node.span)
            case t.Power(t.Name() | t.Subscript() as base, t.Number("0", span=span)) if base != t.Name("e"):
                return replace(base, span=node.span) if span is not None and _is_raised(work, span) else node
        made = rebuilt(node, substitute)
        return node if made == node else replace(made, span=node.span)

    def side(one: Side) -> Side:
        return (
            one
            if one.node is None
            else replace(one, node=substitute(one.node), others=tuple(map(substitute, one.others)))
        )

    pieces = tuple(
        replace(piece, sides=tuple(None if one is None else side(one) for one in piece.sides))
        if isinstance(piece, Written) else piece
        for piece in work.pieces
    )  # fmt: skip
    return replace(work, pieces=pieces)


def _is_raised(work: Work, span: t.Span) -> bool:
    return _RAISED.search(work.text[max(0, span[0] - 8) : span[0]]) is not None
