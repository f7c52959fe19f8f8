"""Values that a work gives to letters, and the passages in which they hold.

A value within a sentence about a claim, ``each weight is at least $eps = 1/(2 n)$``, holds in that sentence. One with a
sentence of its own, ``Throughout, $eps = 1/(2 n)$.``, holds from there on.

Of the definitions of a letter of the work's own the last one before a place counts, or the one that explains the
formula there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from symattn.errors import NotationError
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import describe
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.submissions.assumptions.number_values import end_of_value, freed_places
from symattn.proofs.submissions.attempts import attempt
from symattn.proofs.submissions.phrases import CUES, LAYOUT
from symattn.proofs.submissions.prose.hypotheses import Statements
from symattn.proofs.submissions.reading.conditions import PlacedPiece
from symattn.proofs.submissions.reading.name_binding import Names
from symattn.proofs.submissions.reading.normalization import substitute
from symattn.proofs.submissions.reading.softmax_quotients import Entries
from symattn.records import dataclass

_ENTRY = "i"
"""The index of an entry in the value of a hypothesis."""

_EQUALITIES = frozenset({("=",), ("≡",)})
_NEAR = 24
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
            end = end_of_value(self.statements, (describe(head),), place)
            scope = (sentence[0], end) if self._stands_alone(place) else sentence
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


# Letters of the work's own ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OwnDefinition:
    """Definition of a letter of the work's own.

    Attributes:
        key: the letter.
        head: the letter as it was written, perhaps with indices.
        body: its value as it was written; None where it may be anything: ``Let $c$ be any number``.
        formula: the span of the formula that defines it.
        reach: its sentence, with the one before it where ``Here $h = …$`` begins one.
        is_explained: whether it explains the formula beside it: ``where $h = …$``.
        is_partial: whether it holds for some indices alone: ``Let $c = 1$ if $i = j$``.
        is_passing: whether it may hold beside that formula alone: ``for $h = …$``, ``for every $h$``.
        is_limited: whether it has a condition.
    """

    key: str
    head: t.Node
    body: t.Node | None
    formula: t.Span
    reach: t.Span
    is_explained: bool = False
    is_partial: bool = False
    is_passing: bool = False
    is_limited: bool = False


class OwnDefinitions:
    """Definitions of the letters of one work whose meaning changes within it."""

    def __init__(
        self, placed: Iterable[PlacedPiece], names: Names, indices: frozenset[str], statements: Statements, text: str
    ) -> None:
        self.names, self.indices, self.statements, self.text = names, indices, statements, text
        found: dict[str, list[OwnDefinition]] = {}
        for item in placed:
            one = self._definition(item, found)
            if one is not None:
                found.setdefault(one.key, []).append(one)
        for key, known in found.items():
            free = [one for one in self._freed(key, known) if one.formula[0] > known[0].formula[0]]
            known.extend(free)
            known.sort(key=lambda one: one.formula)
        self.found = {key: known for key, known in found.items() if _is_changing(known)}
        self.bodies = {key: [one.body for one in known if one.body is not None] for key, known in found.items()}
        self.current = {key: known[0] for key, known in self.found.items() if not known[0].is_partial}

    def _definition(self, item: PlacedPiece, found: Mapping[str, Sequence[OwnDefinition]]) -> OwnDefinition | None:
        """Return the definition that a formula is; one in passing counts where another stands before it."""
        piece = item.piece
        nodes = [None if side is None else side.node for side in piece.sides[:2]] if isinstance(piece, Written) else []
        if not isinstance(piece, Written) or piece.withdrawn or piece.operators[:1] not in _EQUALITIES:
            return None
        head, body = nodes
        key, indices = (None, ()) if head is None else self.names.head(head)
        place = piece.span[0]
        is_told = item.is_assumed or LAYOUT["defining"].search(self.text[slice(*piece.span)]) is not None
        whole = plain_name(head.base) if isinstance(head, t.Subscript) and key not in self.names.own else None
        if head is not None and whole in self.names.own and whole in found and is_told:  # one entry besides the others
            return OwnDefinition(whole, head, body, piece.span, self._reach(piece.span), is_partial=True)
        if head is None or body is None or key not in self.names.own:
            return None
        is_passing = not is_told and (item.is_condition or (key in found and self._names_case(place)))
        is_explained = item.is_explained and not is_told
        before = found.get(key, [])
        is_case = bool(before) and before[-1].reach[0] <= place < before[-1].reach[1] and before[-1].is_limited
        if not (is_told or is_explained or is_passing or is_case) if before else item.is_condition:
            return None
        limited = item.domain.letters() & self.indices
        is_partial = is_case or (bool(limited) and (key in found or not limited <= set(indices)))
        reach = self._reach(piece.span, is_explained=is_explained)
        is_beside = is_explained or is_passing
        is_limited = not item.domain.is_everywhere
        return OwnDefinition(key, head, body, piece.span, reach, is_beside, is_partial, is_passing, is_limited)

    def _names_case(self, place: int) -> bool:
        return CUES["case_named"].search(self.text[max(0, place - _NEAR) : place].rstrip("$ ")) is not None

    def _freed(self, key: str, known: Sequence[OwnDefinition]) -> Iterator[OwnDefinition]:
        """Yield where a letter may be anything: ``Let $c$ be any number``, for one with a number ``In general`` too."""
        is_number = all(isinstance(one.body, t.Number) for one in known)
        for span, is_every in freed_places(self.text, key, is_number=is_number):
            yield OwnDefinition(key, t.Name(key), None, span, self._reach(span), is_every, is_passing=is_every)

    def _reach(self, formula: t.Span, *, is_explained: bool = False) -> t.Span:
        sentence = self.statements.sentence_at(formula[0])
        if sentence is None:
            return formula
        is_first = not sentence.places or formula[0] < sentence.places[0][0][1]
        end = len(self.text[: sentence.span[0]].rstrip()) - 1
        before = self.statements.sentence_at(end) if is_explained and is_first else None
        return (sentence.span if before is None else before.span)[0], sentence.span[1]

    def is_at(self, place: int, head: t.Node) -> bool:
        """Return whether a formula defines a letter anew."""
        key, _ = self.names.head(head)
        known = self.found.get(key or "", [])
        return any(one.formula[0] == place and one.head == head for one in known[1:])

    def stand_at(self, place: int) -> None:
        """Give each letter the definition that holds at a place."""
        for known in self.found.values():
            one = _in_force(known, place)
            if one is not None and one is not self.current.get(one.key):
                self.put(one)

    def put(self, one: OwnDefinition) -> None:
        """Give a letter one of its definitions."""
        body = None if one.body is None or one.is_partial else attempt(self.names.bound, one.body)
        self.names.defined.pop(one.key, None)
        self.names.opened.discard(one.key)
        self.current[one.key] = one
        is_known = body is not None and self.names.define(one.head, body)
        if not is_known and (one.body is not None or one.is_partial):
            self.names.opened.add(one.key)

    def others(self, place: int, keys: Iterable[str], *, is_doubtful: bool) -> tuple[OwnDefinition, ...]:
        """Return definitions of some letters besides those in force; where doubtful, those that may hold as well."""
        return tuple(
            one
            for key in keys
            for one in self.found.get(key, [])
            if one is not self.current.get(key) and (not is_doubtful or self._may_hold(one, place))
        )

    def rests_on_changed(self, place: int, keys: Iterable[str]) -> bool:
        """Return whether letters are made of one that was defined again: ``u = 2 t``, and then ``Let $t = z_2$``."""
        inside = {
            node.text
            for key in keys
            for body in self.bodies.get(key, [])
            for node in walk(body)
            if isinstance(node, t.Name)
        }
        return any(one.formula[0] <= place for name in inside for one in self.found.get(name, [])[1:])

    def _may_hold(self, one: OwnDefinition, place: int) -> bool:
        """Return whether it is of the same sentence, or the one before an explanation of another formula."""
        current = self.current.get(one.key)
        if one.reach[0] <= place < one.reach[1]:
            return True
        is_passing = current is not None and current.is_explained and not current.reach[0] <= place < current.reach[1]
        before = [other for other in self.found[one.key] if other is not current and other.formula[0] <= place]
        return is_passing and before[-1:] == [one]


def _is_changing(known: list[OwnDefinition]) -> bool:
    return known[0].is_partial or any(one.is_partial or one.body != known[0].body for one in known)


def _in_force(known: list[OwnDefinition], place: int) -> OwnDefinition | None:
    """Return the last definition before a place, or one that explains the formula there."""
    behind = [one for one in known if one.is_explained and one.reach[0] <= place < one.formula[0]]
    before = [one for one in known if one.formula[0] <= place]
    return behind[0] if behind else before[-1] if before else None
