"""The subject of a hypothesis: q against k, the components of one vector among each other, all components, a pair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from symattn.notation.tree import nodes as t
from symattn.proofs.submissions.phrases import CUES, TOPICS, read_phrases
from symattn.proofs.submissions.prose.sentences import CLAUSE_END, Group, Sentence
from symattn.records import dataclass

_WORDS, _OBJECTS = read_phrases("subjects"), read_phrases("objects")

_LIST = r"⟦g\d+⟧(?:\s*(?:,|and|, and|&|with|和|与|與|、)\s*⟦g\d+⟧)*"
_OVERLAPPING = frozenset({"isotropic normal"})


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a hypothesis.

    Attributes:
        level: ``"across"`` whole vectors, ``"within"`` the components of each, ``"joint"`` for all components,
            ``"pairs"`` over the index, ``"any"`` where nothing is named, ``"none"`` for something else.
        families: the vectors; empty for all of them.
        others: the other side of "independent of".
    """

    level: str
    families: frozenset[str] = field(default_factory=frozenset)
    others: frozenset[str] = field(default_factory=frozenset)


class SubjectFinder:
    """Finder of the subject of a keyword.

    Args:
        sentence: where the keyword stands.
        at: its span in the text of the sentence.
        known: the theorem's random vectors.
        before: earlier sentences of the work, the last one first.
    """

    def __init__(self, sentence: Sentence, at: t.Span, known: Sequence[str], before: Sequence[Sentence] = ()) -> None:
        self.sentence, self.text = sentence, sentence.text
        self.known, self.before = tuple(known), before
        self.start, self.end = start, end = at
        cuts = [match.end() for match in CLAUSE_END.finditer(self.text) if not start <= match.start() < end]
        self.first = self._own_start(max((cut for cut in cuts if cut <= start), default=0))
        self.last = min((cut for cut in cuts if cut > end), default=len(self.text) + 1) - 1
        self.head = self.text[self.first : start]
        self.tail = self.text[end : self.last]

    def _own_start(self, first: int) -> int:
        """Return the start of the words on this keyword, behind an earlier one that has a subject of its own."""
        for topic in ("independent", "iid"):
            for match in TOPICS[topic].finditer(self.text, first, self.start):
                joint = _WORDS["and"].search(self.text, match.end(), self.start)
                if joint and self.named(self.text[joint.end() : self.start])[0]:
                    first = joint.end()
        return first

    def named(self, text: str) -> tuple[frozenset[str], bool]:
        """Return the vectors in some words, and whether their entries are named."""
        found: set[str] = set()
        is_indexed = False
        for token in _WORDS["group"].findall(text):
            group = self.sentence.groups.get(token, Group(frozenset()))
            found |= group.families
            is_indexed = is_indexed or group.is_indexed
        for pattern, letters in ((_WORDS["query"], "q"), (_WORDS["key"], "k"), (_WORDS["noise"], "nz")):
            if pattern.search(text):
                found |= {name for name in self.known if name[0] in letters}
        return frozenset(found & set(self.known)), is_indexed

    def names_components(self, text: str) -> bool:
        """Return whether some words name components, or entries of vectors."""
        return CUES["components"].search(text) is not None or self.named(text)[1]

    def subject(self) -> Subject:
        """Return the subject of a word of independence."""
        after, _ = self.named(self._after_of())
        if CUES["not_random"].match(self.tail):
            return Subject("none")
        if _WORDS["attribute"].match(self.text[self.end :]):
            is_joint = _WORDS["jointly"].search(self.head) is not None
            return Subject("joint" if is_joint else "within", after or self._nearest())
        head, has_components = self.named(self.head)[0], self.names_components(self.head)
        if _WORDS["those"].search(self.head) and CUES["components"].search(self.text[: self.first]):
            has_components = True
        if not after and CUES["components_behind"].match(self.tail):
            return Subject("joint", head)
        word = self.text[self.start : self.end].lower()
        if word == "independence" and after:
            match = _WORDS["of"].match(self.tail)
            return self._of(after, has_components=match is not None and CUES["components"].search(match[0]) is not None)
        is_drawn = word != "independent" and _WORDS["drawn"].match(self.tail)
        if _WORDS["of_other"].match(self.tail) and not is_drawn and not _WORDS["each_other"].match(self.tail):
            return self._against(head, after)
        if after and not head:
            head, has_components = after, self.names_components(self.tail)
        if not head and not has_components:
            return self._unnamed()
        is_within = bool(head) and _WORDS["in_components"].match(self.tail) is not None
        return self._of(head, has_components=has_components or is_within)

    def sides(self) -> Subject:
        """Return the subject of a relation between two vectors: ``k is a copy of q``, ``q ⊥ k``."""
        head, tail = self.named(self.head)[0], self.named(self.tail)[0]
        if head and len(head | tail) > 1:
            return Subject("across", head | tail)
        if tail or _WORDS["relates"].search(self.text[self.start : self.end]):
            return Subject("none")
        return self.subject()

    def _after_of(self) -> str:
        match = _WORDS["of"].match(self.tail)
        return "" if match is None else match["list"]

    def _beside(self) -> frozenset[str]:
        """Return the vectors that an adjective stands before: ``a standard normal $x$``."""
        match = _WORDS["beside"].match(self.text[self.end :])
        return frozenset() if match is None else self.named(match["list"])[0]

    def _of(self, families: frozenset[str], *, has_components: bool) -> Subject:
        if _WORDS["pairs"].search(self.head):
            return Subject("pairs", families)
        if CUES["everything"].search(self.text) and not families:
            return Subject("joint")
        if has_components:
            if _WORDS["each"].search(self.head + self.tail) or len(families) == 1:
                return Subject("within", families)
            return Subject("joint", families)
        if len(families) > 1:
            return Subject("across", families)
        return Subject("within" if len(self.known) == 1 else "none", families)

    def _against(self, head: frozenset[str], after: frozenset[str]) -> Subject:
        """Return the subject of ``independent of …``: a vector, the others, or anything but a random vector."""
        words = self.tail[: self.tail.find(",")] if "," in self.tail else self.tail
        if after:
            return Subject("across", head | after, after) if head - after or not head else Subject("across", head)
        if _WORDS["others"].search(words):
            return self._of(head, has_components=self.names_components(self.head))
        if _WORDS["them"].search(words) and self.before:
            other = self._earlier()
            return Subject("across", head | other, other)
        return Subject("none")

    def _unnamed(self) -> Subject:
        """Return the subject where no vector stands in the clause."""
        if CUES["everything"].search(self.text[self.first : self.last]):
            return Subject("joint")
        has_other = CUES["other_objects"].search(self.head) is not None or "⟦o" in self.head[-24:]
        if has_other and (_WORDS["copula"].search(self.head) or "⟦o" not in self.head):
            return Subject("none")
        if _WORDS["vectors"].search(self.head) and not CUES["components"].search(self.text[: self.start]):
            return Subject("across", frozenset(self.known))
        earlier = self.named(self.text[: self.first])[0]
        if earlier:
            if _WORDS["in_all"].search(self.head):
                return Subject("joint", earlier)
            return self._of(earlier, has_components=self.names_components(self.text[: self.first]))
        if CUES["pronouns"].search(self.head):
            for sentence in self.before:
                finder = SubjectFinder(sentence, (len(sentence.text),) * 2, self.known)
                families, has = finder.named(sentence.text)[0], finder.names_components(sentence.text)
                if families or has:
                    return self._of(families, has_components=has)
        return Subject("any")

    def _nearest(self) -> frozenset[str]:
        """Return the vectors of the clause, or of the sentence before it."""
        for text in (self.head, self.text[: self.first]):
            found = self.named(text)[0]
            if found:
                return found
        return self._earlier() if CUES["pronouns"].search(self.text[: self.start]) else frozenset()

    def _earlier(self) -> frozenset[str]:
        for sentence in self.before:
            found = SubjectFinder(sentence, (0, 0), self.known).named(sentence.text)[0]
            if found:
                return found
        return frozenset()

    def objects(self) -> frozenset[str]:
        """Return the letters of the objects that a word of orthonormality is about; none where it is not said."""
        for text in (self.head, f"{self.text[: self.first]} {self.tail}"):
            found = frozenset(letter for letter, pattern in _OBJECTS.items() if pattern.search(text))
            if found:
                return found
        return frozenset()

    def bearers(self) -> frozenset[str]:
        """Return the vectors that have a mean, a variance or a law; all of them where none is named."""
        after = self.named(self._after_of())[0] or self._beside()
        if after:
            return after
        if _WORDS["whose"].search(self.head):
            lists = re.findall(_LIST, self.text[: self.first] + self.head)
            return self.named(lists[-1])[0] if lists else frozenset()
        head = self.named(self.head)[0]
        if head:
            return head
        if _WORDS["all"].search(self.head):
            return frozenset()
        earlier = self.named(self.text[: self.first])[0]
        if earlier:
            return earlier
        return self._earlier() if CUES["pronouns"].search(self.head) else frozenset()


def extend_subject(sentence: Sentence, known: Sequence[str]) -> frozenset[str]:
    """Return the vectors of which a sentence says that the same holds: ``and so are those of k``."""
    match = _WORDS["too"].search(sentence.text)
    if match is None:
        return frozenset()
    finder = SubjectFinder(sentence, (0, 0), known)
    end = CLAUSE_END.search(sentence.text, match.end())
    return finder.named(sentence.text[match.start() : end.start() if end else len(sentence.text)])[0]


def topics_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the keywords of hypotheses with their places; of those that overlap the first in the table."""
    taken: list[tuple[int, int]] = []
    for topic, pattern in TOPICS.items():
        for match in pattern.finditer(text):
            start, end = match.span()
            if (
                not any(start < last and first < end for first, last in taken)
                or topic in _OVERLAPPING
                or match[0] == "⊥"
            ):
                taken.append((start, end))
                yield topic, start, end
