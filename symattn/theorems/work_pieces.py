"""The pieces of a work as the judge goes through them: sides, links, free letters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from symattn.derivation.proofs.scope import Scope
from symattn.notation import tree as t
from symattn.notation.work import Piece, Side, Work, Written
from symattn.theorems.work_conditions import Placed
from symattn.theorems.work_spelling import spelt

_ARROW = re.compile(r"\\x?(?:long)?rightarrow\s?\{\s?\\?([a-zA-Z]+)\s?\\to\s?(\\infty|0|-\\infty|\d+)\s?\}")


def nodes_of(pieces: Iterable[Piece]) -> Iterator[t.Node]:
    """All sides that were read."""
    for piece in pieces:
        if isinstance(piece, Written):
            for side in piece.sides:
                if side is not None and side.node is not None:
                    yield side.node


def raw_links(item: Placed) -> Iterator[tuple[t.Node, str, t.Node]]:
    """Pairs of sides; in ``E[q_i] = E[k_i] = 0`` each with what stands last too."""
    piece = item.piece
    if not isinstance(piece, Written):
        return
    nodes = [None if side is None else side.node for side in piece.sides]
    for first, operator, second in zip(nodes, piece.operators, nodes[1:], strict=False):
        if first is not None and second is not None:
            yield first, operator, second
    last = nodes[-1]
    if len(nodes) > 2 and last is not None and set(piece.operators) == {"="}:
        for node in nodes[:-2]:
            if node is not None:
                yield node, "=", last


def spelt_out(work: Work, scope: Scope) -> Work:
    """The work with names that people write in a way of their own."""

    def side(item: Side | None) -> Side | None:
        if item is None or item.node is None:
            return item
        nodes = [spelt(node, work.text, scope) for node in (item.node, *item.others)]
        return replace(item, node=nodes[0], others=tuple(nodes[1:]))

    pieces = tuple(
        replace(piece, sides=tuple(map(side, piece.sides))) if isinstance(piece, Written) else piece
        for piece in work.pieces
    )
    return replace(work, pieces=pieces)


def free_letters(node: t.Node, bound: frozenset[str] = frozenset()) -> frozenset[str]:
    """Names that no sum around them binds."""
    if isinstance(node, t.Name):
        return frozenset({node.text}) - bound
    if isinstance(node, t.SumOver):
        ends = [end for end in (node.lower, node.upper, *node.excluded) if end is not None]
        outside = [free_letters(end, bound) for end in ends]
        return frozenset().union(*outside, free_letters(node.body, bound | {node.index.text}))
    return frozenset().union(*(free_letters(child, bound) for child in t.children(node)))


def arrow_target(text: str) -> tuple[tuple[str, t.Node], ...]:
    r"""Where the variable over an arrow goes: ``\\xrightarrow{\\beta \\to \\infty}``."""
    match = _ARROW.search(text)
    if match is None:
        return ()
    end = match[2].lstrip("-")
    target: t.Node = t.Name("oo") if end == r"\infty" else t.Number(end)
    return ((match[1], t.Negative(target) if match[2].startswith("-") else target),)
