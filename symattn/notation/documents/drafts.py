"""Drafts of the pieces of a document, and the reading of their sides."""

from __future__ import annotations

from dataclasses import replace

from symattn.notation.sides.reader import read_side
from symattn.notation.statements.chains import Chain, split_arrow_steps
from symattn.notation.statements.composites import CompositeStatement
from symattn.notation.statements.signs import Notation
from symattn.notation.submission import Heading, Piece, Prose, Side, Written
from symattn.notation.tree import nodes as t
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece whose sides are not read yet.

    Attributes:
        kind: ``heading``, ``prose``, ``chain`` or ``broken``.
        span: where it stands.
        text: the words of a heading or of prose; the reason of what is broken.
        level: of a heading.
        chain: of a chain.
        notation: of a chain.
        lead: how its first side is written, where that is not `notation`.
        after_words: whether words stand before it.
        plan: of a statement whose parts do not stand side by side.
    """

    kind: str
    span: t.Span
    text: str = ""
    level: int = 1
    chain: Chain | None = None
    notation: Notation = "latex"
    lead: str = ""
    after_words: bool = False
    plan: CompositeStatement | None = None

    @property
    def size(self) -> int:
        """Return the number of expressions that are read for it."""
        chained = 0 if self.chain is None else len(self.chain.sides)
        return chained + (0 if self.plan is None else self.plan.size)

    def piece(self, text: str, *, commas: bool) -> Piece:
        """Read the sides, and return the piece; with `commas`, numbers have decimal commas."""
        if self.kind == "heading":
            return Heading(self.span, self.text, self.level)
        if self.plan is not None:
            return self.plan.read(text, after_text=self.after_words, commas=commas)
        if self.chain is None and self.kind == "prose":
            return Prose(self.span, self.text)
        if self.chain is None:
            side = Side(self.span, None, reason=self.text, at=self.span[0])
            return Written(self.span, (side,))
        chain = split_arrow_steps(self.chain, text)
        draft = replace(self, chain=chain)
        sides = tuple(
            None if span is None else draft.side(text, position, span, commas=commas)
            for position, span in enumerate(chain.sides)
        )
        return Written(self.span, sides, chain.operators, chain.operator_spans, chain.struck, self.after_words)

    def side(self, text: str, position: int, span: t.Span, *, commas: bool) -> Side:
        """Read one side of the chain."""
        is_name = self.chain is not None and position in self.chain.names
        if is_name or (position == 0 and self.lead == "name"):
            words = " ".join(text[slice(*span)].split())
            return Side(span, t.Name(words, "text", span=span))
        notation = self.notation
        if position == 0 and self.lead in {"latex", "plain"}:
            notation = "latex" if self.lead == "latex" else "plain"
        return read_side(text, *span, notation, commas=commas)
