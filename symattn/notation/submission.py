"""The submission, piece by piece: headings, prose, and chains of written mathematics.

Spans are offsets into `Work.text`, end exclusive, in every node too.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from operator import is_, itemgetter
from typing import TypeAlias

from symattn.notation.tree import nodes as t
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Side:
    r"""One side of a chain.

    Attributes:
        span: where it stands.
        node: what it says in the first reading; None when it cannot be read.
        others: its other readings, where the text is ambiguous (``1\frac12``, ``2^10``, ``1/2x``).
        reason: why it cannot be read, or in what way it is ambiguous: one sentence.
        at: the place that `reason` is about.
        code: ``"ragged"`` for a matrix with rows of different lengths, else empty.
        implied: whether it is not written beside the others: a name that heads a column of a table, or that a
            program printed. Its span is where that name stands.
    """

    span: t.Span
    node: t.Node | None
    others: tuple[t.Node, ...] = ()
    reason: str = ""
    at: int = 0
    code: str = ""
    implied: bool = False

    def with_node(self, change: Callable[[t.Node], t.Node]) -> Side:
        """Return the side with a changed tree; itself where the tree does not change."""
        node = None if self.node is None else change(self.node)
        return self if node is self.node else replace(self, node=node)


SAID_ABOVE = t.Name("the quantity above", "text")
"""The name of what the heading says, where a row of it has a label and no name of its own."""

KEYS_BESIDE = t.Name("a row for each key", "text")
QUERIES_BESIDE = t.Name("a row for each query", "text")
"""The index of what a table states, where its labels say what rows and columns are."""

THIS_LINE = t.Name("this line", "text")
"""The index of the row or column that the heading says (``Token 2``), where a table has a column of its entries."""


@dataclass(frozen=True, slots=True)
class Written:
    """A chain ``a = b ≈ c``, or one expression alone.

    Attributes:
        span: where it stands, its delimiters not counted.
        sides: one more than operators; None where a leading or a trailing relation lacks a side.
        operators: those of `nodes.RELATIONS`.
        operator_spans: where each stands.
        withdrawn: whether it was struck out.
        after_text: whether words, not mathematics, stand between the chain before it and this one; a chain
            that begins with a relation continues the one before when none do.
        head: the words for the head that it is of, where the label of a row or a column of a table says one.
    """

    span: t.Span
    sides: tuple[Side | None, ...]
    operators: tuple[str, ...] = ()
    operator_spans: tuple[t.Span, ...] = ()
    withdrawn: bool = False
    after_text: bool = False
    head: str = ""

    def with_nodes(self, change: Callable[[t.Node], t.Node]) -> Written:
        """Return the chain with changed sides; itself where no side changes."""
        sides = tuple(None if side is None else side.with_node(change) for side in self.sides)
        return self if all(map(is_, sides, self.sides)) else replace(self, sides=sides)


@dataclass(frozen=True, slots=True)
class Heading:
    r"""A heading: ``## Scores``, ``\\section{Scores}``, ``3.1 Q3a and Q3b``, ``**Step 2: scores**``."""

    span: t.Span
    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Prose:
    """Words between the formulas, one paragraph or list item."""

    span: t.Span
    text: str
    withdrawn: bool = False


Piece: TypeAlias = Heading | Prose | Written


@dataclass(frozen=True, slots=True)
class Work:
    """A submission as read.

    Attributes:
        text: all of it, with blanks for what is struck out; for a notebook, its cells one after the other, what code
            printed behind its source.
        pieces: in the order of the text.
        cells: for a notebook, the number (from 1, among all cells) and the start of each cell that was read; what
            a cell printed has its number and a start of its own.
        source: the text as it was handed in, of the same length, where names in it were respelled or parts struck out;
            else empty.
        tokens: the words of its tokens in their order, in small letters, where it names them.
    """

    text: str
    pieces: tuple[Piece, ...]
    cells: tuple[tuple[int, int], ...] = ()
    source: str = ""
    tokens: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """Return the text as it was handed in."""
        return self.source or self.text

    def position(self, offset: int) -> tuple[int, int, int | None]:
        r"""Return line and column from 1, and the cell of a notebook, whose lines are counted by themselves.

        >>> Work("ab\ncd", ()).position(4)
        (2, 2, None)
        """
        index = bisect_right(self.cells, offset, key=itemgetter(1))
        cell, base = self.cells[index - 1] if index else (None, 0)
        ends = _line_ends(self.text)
        offset = min(offset, len(self.text))
        first, last = bisect_left(ends, base), bisect_left(ends, offset)
        return last - first + 1, offset - (ends[last - 1] if last > first else base - 1), cell


@lru_cache(maxsize=2)
def _line_ends(text: str) -> list[int]:
    """Return the offsets of the line feeds of a text, found once: every statement has a place."""
    return [offset for offset, character in enumerate(text) if character == "\n"]
