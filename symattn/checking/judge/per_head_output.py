"""Per-head output: prints of all heads, ``[[[0.7, 0.3], …], [[0.5, 0.5], …]]``, as one statement a head.

The quantity is named before the print, or words above it, or the numbers themselves, say which it is.
"""

from __future__ import annotations

from dataclasses import replace

from symattn.checking.names.binding import Binder
from symattn.notation.sides.reader import read_side
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t

_HEAD = 60
"""Characters with which a print begins: ``tensor([[[``."""

_MOST = 40_000
"""Characters of one print that is looked through."""


def of_each_head(written: Written, text: str, binder: Binder) -> list[Written]:
    """Return the chain once for each head, with its matrix alone; nothing where no list of as many matrices ends it.

    Args:
        written: the chain.
        text: the work.
        binder: for how many heads there are.
    """
    first = written.sides[0]
    parts = _parts(written, text, binder) if len(written.sides) == 2 and first is not None else []
    name = None if first is None else first.node
    if not parts or first is None or not isinstance(name, t.Name | t.Subscript):
        return []
    base, labels = (name.base, name.indices) if isinstance(name, t.Subscript) else (name, ())
    found = []
    for number, span in enumerate(parts, 1):
        head = t.Subscript(base, (*labels, t.Number(str(number - binder.heads.offset))), span=name.span)
        side = read_side(text, *span, "plain")
        found.append(replace(written, sides=(replace(first, node=head), side), operator_spans=((span[0], span[0]),)))
    return found


def unlabelled(written: Written, text: str, binder: Binder) -> list[Written]:
    """Return the matrix of each head of an unlabelled print of all heads; nothing for anything else."""
    parts = _parts(written, text, binder) if len(written.sides) == 1 else []
    return [replace(written, span=span, sides=(read_side(text, *span, "plain"),), after_text=True) for span in parts]


def _parts(written: Written, text: str, binder: Binder) -> list[t.Span]:
    """Return the span of each head's matrix; nothing where no list of as many matrices ends a chain."""
    last = written.sides[-1]
    if binder.heads.count < 2 or last is None or "[[[" not in "".join(text[slice(*last.span)][:_HEAD].split()):
        return []
    parts = _matrices(text, last.span)
    return parts if len(parts) == binder.heads.count else []


def _matrices(text: str, span: t.Span) -> list[t.Span]:
    """Return the matrices of a list, brackets of a batch of one taken off; none where brackets do not match."""
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
