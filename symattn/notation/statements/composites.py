"""Composite statements, whose parts do not stand side by side: cells of a table, rows of numbers.

A plan says where the parts stand. It becomes a chain when the sides are read.
"""

from __future__ import annotations

from dataclasses import field, replace

from symattn.notation.sides.reader import read_side
from symattn.notation.statements.chains import Chain
from symattn.notation.statements.signs import Notation
from symattn.notation.submission import Side, Written
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_READINGS = 8
"""Readings of one matrix, where entries are ambiguous."""


@dataclass(frozen=True, slots=True)
class Part:
    """The span and the notation of one expression; ``name`` for words that are one."""

    span: t.Span
    notation: Notation | None
    """None for words that are a name, and for a dash or nothing, which hides an entry."""

    def side(self, text: str, *, commas: bool = False) -> Side:
        """Read the expression; with `commas`, numbers have decimal commas."""
        if self.notation is None:
            words = " ".join(text[slice(*self.span)].split()).strip("$*`: ").lstrip("–—…·.") or t.UNDEFINED.text
            return Side(self.span, t.Name(words, "text", span=self.span))
        return read_side(text, *self.span, self.notation, commas=commas)


@dataclass(frozen=True, slots=True)
class CompositeStatement:
    """The spans of the parts of one statement.

    Attributes:
        rows: the entries of a matrix or a vector; none for a chain.
        chain: what stands in one cell; None for a matrix.
        notation: of the chain.
        name: what it is about, where that is not written beside it; None where nothing says so.
        name_span: where the name stands.
        before: sides that are written before it, with their relations.
        operators: the relations of `before`.
        operator_spans: where those stand.
        reason: why it cannot be read, where that is known.
        at: the place of the reason.
        vector: whether `rows` are a vector.
        head: the words of a label for the head that it is of.
    """

    rows: tuple[tuple[Part, ...], ...] = ()
    chain: Chain | None = None
    notation: Notation = "latex"
    name: t.Node | None = None
    name_span: t.Span = (0, 0)
    before: tuple[Part, ...] = ()
    operators: tuple[str, ...] = ()
    operator_spans: tuple[t.Span, ...] = ()
    reason: str = ""
    at: int = 0
    vector: bool = field(default=False)
    head: str = ""

    @property
    def span(self) -> t.Span:
        """Return the span from its first part to its last, a name that stands elsewhere not counted."""
        spans = [part.span for row in self.rows for part in row]
        spans.extend(part.span for part in self.before)
        if self.chain is not None:
            spans.append(self.chain.span)
        return min(low for low, _ in spans), max(high for _, high in spans)

    @property
    def size(self) -> int:
        """Count the expressions that are read for it."""
        chained = 0 if self.chain is None else len(self.chain.sides)
        return len(self.before) + chained + sum(len(row) for row in self.rows)

    def read(self, text: str, *, after_text: bool, commas: bool = False) -> Written:
        """Read the sides, and return the statement as a chain."""
        sides: list[Side | None] = [part.side(text, commas=commas) for part in self.before]
        operators, spans = list(self.operators), list(self.operator_spans)
        start = self.span[0]
        if self.name is not None:
            sides.append(Side(self.name_span, self.name, implied=True))
            operators.append("=")
            spans.append((start, start))
        if self.chain is None:
            sides.append(self._matrix(text, commas=commas))
        else:
            kept = [
                None if span is None else read_side(text, *span, self.notation, commas=commas)
                for span in self.chain.sides
            ]
            sides.extend(kept)
            operators.extend(self.chain.operators)
            spans.extend(self.chain.operator_spans)
        return Written(self.span, tuple(sides), tuple(operators), tuple(spans), after_text=after_text, head=self.head)

    def _matrix(self, text: str, *, commas: bool) -> Side:
        parts = [part for row in self.rows for part in row]
        span = (min(part.span[0] for part in parts), max(part.span[1] for part in parts))
        if self.reason:
            return Side(span, None, reason=self.reason, at=self.at)
        read = [[part.side(text, commas=commas) for part in row] for row in self.rows]
        for side in (side for row in read for side in row):
            if side.node is None:
                return Side(span, None, reason=side.reason, at=side.at)
        first = tuple(tuple(side.node for side in row if side.node is not None) for row in read)
        others: list[t.Node] = []
        reason, at = "", 0
        if not commas and sum(len(side.others) for row in read for side in row) > 1:  # all alike: ``2,028  4,113``
            alike = self._matrix(text, commas=True)
            others.extend([] if alike.node is None else [alike.node])
        for i, row in enumerate(read):
            for j, side in enumerate(row):
                for other in side.others[: max(0, _READINGS - len(others))]:
                    changed = [list(nodes) for nodes in first]
                    changed[i][j] = other
                    others.append(self._node(tuple(map(tuple, changed)), span))
                    reason, at = reason or side.reason, at or side.at
        return Side(span, self._node(first, span), tuple(others), reason, at)

    def _node(self, rows: tuple[tuple[t.Node, ...], ...], span: t.Span) -> t.Node:
        if self.vector:
            items = tuple(node for row in rows for node in row)
            return t.Vector(items, "[", span=span) if len(items) > 1 else replace(items[0], span=span)
        return t.Matrix(rows, span=span)

    def to_right_of(
        self, before: tuple[Part, ...], operators: tuple[str, ...], spans: tuple[t.Span, ...]
    ) -> CompositeStatement:
        """Return the statement as the right side of the sides written before it."""
        return replace(self, before=before, operators=operators, operator_spans=spans, name=None)
