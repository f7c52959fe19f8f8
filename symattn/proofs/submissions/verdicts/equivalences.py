"""Equivalences in somebody's proof: relations of which the work says that one holds exactly where the next one does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.submissions.attempts import otherwise
from symattn.proofs.submissions.reading.domains import TURNED, Relation
from symattn.proofs.submissions.verdicts.findings import JudgedLink
from symattn.proofs.submissions.verdicts.local_assumptions import LocalAssumptions

_SIGN = re.compile(r" (≤|<|≥|>|=|≠) ")


class Equivalences:
    """Judge of equivalences by those of the theorem's own proof."""

    def __init__(self, assumptions: LocalAssumptions) -> None:
        self.context = assumptions.context
        self.prover = assumptions.prover
        self.assumptions = assumptions

    def judge(self, before: Written | None, piece: Written) -> JudgedLink:
        """Return a relation after the one that it is said to be equivalent to; neither is claimed by itself."""
        if before is None:
            words = "It is one side of an equivalence, so it is not claimed by itself."
            return JudgedLink(piece.span, "unchecked", words, is_claim=False)
        if self._is_of_theorem(before, piece):
            return JudgedLink(piece.span, "right", is_valid=True)
        words = "Whether it holds exactly where the relation before it does was not found out."
        return JudgedLink(piece.span, "undecided", words)

    @otherwise(default=False)
    def _is_of_theorem(self, before: Written, piece: Written) -> bool:
        first, second = _relation_of(before, -1), _relation_of(piece, 0)
        if first is None or second is None:
            return False
        own = [self._bound_relation(relation) for relation in (first, second)]
        return any(
            all(self._is_one(one, other) for one, other in zip(pair, own, strict=True))
            for known in self._own_equivalences()
            for pair in (known, known[::-1])
        )

    def _bound_relation(self, relation: Relation) -> Relation:
        left, right = self.assumptions.bind_sides(relation[0], relation[2])
        return left, relation[1], right

    def _own_equivalences(self) -> Iterator[tuple[Relation, Relation]]:
        """Yield the equivalences of the theorem's proof."""
        texts = [(item.before, item.after) for item in self.context.proof.steps if item.relation == "⇔"]
        texts += [(item.left, item.right) for item in self.context.proof.claims if item.relation == "⇔"]
        for before, after in texts:
            first, second = self._read(before), self._read(after)
            if first is not None and second is not None:
                yield first, second

    def _read(self, text: str) -> Relation | None:
        left, *rest = _SIGN.split(text)
        if len(rest) != 2:
            return None
        return read_text(left, self.context.scope), rest[0], read_text(rest[1], self.context.scope)

    def _is_one(self, known: Relation, own: Relation) -> bool:
        """Return whether two relations are one, perhaps read from the other side."""
        if known[1] == own[1]:
            return self.prover.agree(known[0], own[0]) and self.prover.agree(known[2], own[2])
        return (
            TURNED.get(known[1]) == own[1]
            and self.prover.agree(known[0], own[2])
            and self.prover.agree(known[2], own[0])
        )


def _relation_of(piece: Written, place: int) -> Relation | None:
    """Return the first relation of a piece (0), or its last one (-1)."""
    if not piece.operators:
        return None
    sides = piece.sides[:2] if place == 0 else piece.sides[-2:]
    nodes: list[t.Node | None] = [None if side is None else side.node for side in sides]
    left, right = nodes
    return None if left is None or right is None else (left, piece.operators[place], right)
