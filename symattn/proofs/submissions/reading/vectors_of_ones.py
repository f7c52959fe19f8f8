r"""Vectors of ones as people write them: ``\mathbf{1}``, ``1_n``, and a letter that the work gives this meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symattn.notation.submission import Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import mapped
from symattn.proofs.language.scope import Scope
from symattn.proofs.submissions.phrases import TABLES, read_phrases
from symattn.proofs.submissions.reading.statement_parts import map_sides

ONES = "ones"
"""The name of a vector of ones."""

_BOLD = re.compile(
    r"\\(?:math(?:bf|bb|bbm|ds|bbold)|boldsymbol|bm|pmb|bf|vec|overrightarrow|underline|bar|overline)"
    r"(?![a-zA-Z])[\s{]*(?P<one>1)(?![\d.,])"
)
_ONE = t.Number("1")
_BOLD_E = "bold e"
"""A vector, about which nothing is known; it is not the base of exponentials."""
CONSTANTS = frozenset({ONES, _BOLD_E})
"""Names of certain vectors, which are not any vectors where it is not plain what they are."""
_WORDS = read_phrases("ones", vector=TABLES["ones"]["vector"])
_INDICES = frozenset("ijlrst")


def name_ones(work: Work, scope: Scope) -> Work:
    """Return the work with one name for its vectors of ones, perhaps with a length as the index."""
    bold = frozenset(found.end("one") for found in _BOLD.finditer(work.text))
    letters = frozenset(_letters(work)) - {*scope.sizes}
    reader = _Reader(bold, letters, scope.lengths)
    return map_sides(work, reader.of)


def _letters(work: Work) -> Iterator[str]:
    """Yield the letters of which the work says that they are vectors of ones."""
    for found in _WORDS["said"].finditer(work.text):
        yield found["before"] or found["behind"] or found["between"]
    for piece in work.pieces:
        sides = piece.sides if isinstance(piece, Written) and piece.operators[:1] == ("=",) else ()
        match [_node(side) for side in sides[:2]]:
            case [t.Name(text), right] if _is_written_out(right):
                yield text


def _node(side: Side | None) -> t.Node | None:
    return None if side is None else side.node


def _is_written_out(node: t.Node | None) -> bool:
    """Return whether a side is a vector of ones with dots: ``(1, …, 1)^T``."""
    match node:
        case t.Transpose(base):
            return _is_written_out(base)
        case t.Vector(items):
            return {*map(type, items)} == {t.Number, t.Dots} and all(item in {_ONE, *_DOTS} for item in items)
        case _:
            return False


_DOTS = tuple(t.Dots(shape) for shape in ("cdots", "vdots", "ddots"))


class _Reader:
    def __init__(self, bold: frozenset[int], letters: frozenset[str], lengths: frozenset[str]) -> None:
        self.bold, self.letters, self.lengths = bold, letters, lengths

    def of(self, node: t.Node) -> t.Node:
        """Return a side with names for its vectors of ones."""
        match node:
            case t.Number("1") if node.span is not None and node.span[1] in self.bold:
                return t.Name(ONES, span=node.span)
            case t.Subscript(t.Group(t.Number("1") as one) | (t.Number("1") as one), (t.Name(length) as index,)):
                return self._sized(node, self.of(one), length, index)
            case t.Name(text) if text in self.letters:
                return t.Name(ONES, span=node.span)
            case t.Power(t.Name("e") as base, exponent):
                return t.Power(base, self.of(exponent), span=node.span)
            case t.Name("e", "bold"):
                return t.Name(_BOLD_E, span=node.span)
            case _ if (self.letters or self.bold) and _is_written_out(node):
                return t.Name(ONES, span=node.span)
            case _:
                return mapped(node, self.of)

    def _sized(self, node: t.Subscript, one: t.Node, length: str, index: t.Node) -> t.Node:
        r"""Return ``1_n`` with its length, and ``\mathbf{1}_N`` without one that the theorem does not have."""
        if length in self.lengths:
            return t.Subscript(t.Name(ONES), (index,), span=node.span)
        return node if one == _ONE or length in _INDICES else one
