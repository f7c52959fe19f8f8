"""Prints of all heads at once, ``[[[0.7, 0.3], …], [[0.5, 0.5], …]]``: a statement for each head."""

from __future__ import annotations

from dataclasses import replace

from symattn.checking.binding import Binder
from symattn.notation import tree as t
from symattn.notation.sides import read_side
from symattn.notation.work import Written

_MOST = 40_000
"""Characters of one print that is looked through."""


def of_each_head(written: Written, text: str, binder: Binder) -> list[Written]:
    """The chain once for each head, with its matrix alone; nothing where no list of as many matrices ends it.

    Args:
        written: the chain.
        text: the work.
        binder: for how many heads there are.
    """
    count = binder.heads.count
    last = written.sides[-1] if written.sides else None
    first = written.sides[0]
    if count < 2 or len(written.sides) != 2 or last is None or last.node is not None or first is None:
        return []
    name = first.node
    if not isinstance(name, t.Name | t.Subscript):
        return []
    base, labels = (name.base, name.indices) if isinstance(name, t.Subscript) else (name, ())
    parts = _matrices(text, last.span)
    if len(parts) != count:
        return []
    found = []
    for number, span in enumerate(parts, 1):
        head = t.Subscript(base, (*labels, t.Number(str(number))), span=name.span)
        side = read_side(text, *span, "plain")
        found.append(replace(written, sides=(replace(first, node=head), side), operator_spans=((span[0], span[0]),)))
    return found


def _matrices(text: str, span: t.Span) -> list[t.Span]:
    """The matrices of a list, brackets of a batch of one taken off; none where brackets do not match."""
    start, end = text.find("[", *span), min(span[1], span[0] + _MOST)
    depths: list[tuple[int, int, int]] = []
    opened: list[int] = []
    for position in range(start, end) if start >= 0 else ():
        if text[position] == "[":
            opened.append(position)
        elif text[position] == "]":
            if not opened:
                return []
            low = opened.pop()
            depths.append((len(opened), low, position + 1))
    deepest = max((depth for depth, _, _ in depths), default=0)
    return sorted((low, high) for depth, low, high in depths if depth == deepest - 1) if deepest > 1 else []
