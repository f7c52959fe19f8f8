"""Values that a work gives to letters of the theorem, and the passages in which they hold.

A value within a sentence about a claim, ``each weight is at least $eps = 1/(2 n)$``, holds in that sentence. One with a
sentence of its own, ``Throughout, $eps = 1/(2 n)$.``, holds from there on.
"""

from __future__ import annotations

import re

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import describe
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.submissions.phrases import CUES
from symattn.proofs.submissions.prose.hypotheses import Statements
from symattn.proofs.submissions.reading.normalization import substitute
from symattn.proofs.submissions.reading.softmax_quotients import Entries
from symattn.records import dataclass

_ENTRY = "i"
"""The index of an entry in the value of a hypothesis."""

_TOKENS = re.compile(r"⟦[^⟧]*⟧")


@dataclass(frozen=True, slots=True)
class LetterValue:
    """Value of a letter in a passage of a work.

    Attributes:
        head: the letter as it was written, perhaps with an index.
        name: the theorem's name for it.
        body: the value, a bound side.
        formula: the span of the formula that gives it.
        scope: the span in which it holds.
    """

    head: t.Node
    name: str
    body: t.Node
    formula: t.Span
    scope: t.Span

    def hypothesis(self, scope: Scope) -> Hypothesis | None:
        """Return the value as a hypothesis, None where an entry of it is not plain."""
        rank = Entries(scope).rank(t.Name(self.name))
        speaks_of_entry = t.Name(_ENTRY) in walk(self.body)
        match self.head:
            case t.Subscript(_, (t.Name(index),)) if rank == 1 and (index == _ENTRY or not speaks_of_entry):
                value = substitute(self.body, index, t.Name(_ENTRY))
            case t.Name() | t.Subscript() if rank == 0:
                value = self.body
            case t.Name() if rank == 1 and not speaks_of_entry:
                try:
                    value = Entries(scope).at(self.body, t.Name(_ENTRY))
                except NotationError:
                    return None
            case _:
                return None
        text = describe(value)
        return Hypothesis(f"value {self.name}", f"{self.name} = {text}", "equal", (self.name,), (text,))


class LetterValues:
    """The values of one work, in the order in which they were found."""

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self.found: list[LetterValue] = []

    def add(self, head: t.Node, name: str, body: t.Node, formula: t.Span) -> None:
        """Add the value that a formula gives, unless it is known to give one."""
        place = formula[0]
        if not any(item.head == head and item.formula[0] <= place < item.formula[1] for item in self.found):
            sentence = self.statements.scope_at(place) or formula
            scope = (sentence[0], self.statements.length + 1) if self._stands_alone(place) else sentence
            self.found.append(LetterValue(head, name, body, formula, scope))

    def at(self, place: int) -> tuple[LetterValue, ...]:
        """Return the values that hold at a place: of each letter that of the last sentence, if that gives only one."""
        inside = [item for item in self.found if item.scope[0] <= place < item.scope[1]]
        start = {item.name: max(one.scope[0] for one in inside if one.name == item.name) for item in inside}
        last = [item for item in inside if item.scope[0] == start[item.name]]
        found = {item.name: item for item in last}
        return tuple(one for name, one in found.items() if all(one.body == i.body for i in last if i.name == name))

    def elsewhere(self, place: int) -> tuple[LetterValue, ...]:
        """Return the values of letters that have none at a place."""
        here = {item.name for item in self.at(place)}
        return tuple(item for item in self.found if item.name not in here)

    def _stands_alone(self, place: int) -> bool:
        """Return whether a sentence gives values alone: ``Write $x = q_1$ and $y = k_1$``."""
        sentence = self.statements.sentence_at(place)
        if sentence is None:
            return False
        words = _TOKENS.sub(" ", sentence.text)
        return bool(sentence.places) and CUES["introduces_value"].fullmatch(words) is not None


def has_several(values: tuple[LetterValue, ...]) -> bool:
    """Return whether a letter has different values among some."""
    return len({(item.name, item.body) for item in values}) > len({item.name for item in values})
