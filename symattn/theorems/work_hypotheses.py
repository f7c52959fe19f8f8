"""The hypotheses that a work states, denies, conditions or mentions, and where in it each of them holds.

Each occurrence is an event: its topic, its subject, its polarity and its place. A hypothesis holds at a place when
the events that are in force there imply it. A later denial ends what was stated; a condition holds in its own
sentence; what is only mentioned never counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import pairwise

from symattn.derivation.proofs.scope import Hypothesis
from symattn.notation import tree as t
from symattn.records import dataclass
from symattn.theorems import work_cues as cues
from symattn.theorems.work_polarity import Polarity, polarity_of
from symattn.theorems.work_sentences import Sentence
from symattn.theorems.work_subjects import Subject, extended, families_of, objects_of, sides_of, subject_of, topics_in

_ONE_VECTOR = re.compile(
    r"\b(?:one|a single|the same|a common) (?:random )?vector\b(?! space)|\bshar(?:e|es|ed|ing)\b"
    r"|\b(?:both|the two) (?:\w+ )?(?:be|are) (?:the same|equal|identical)\b",
    re.IGNORECASE,
)
INDEPENDENCE = frozenset({"independent", "uncorrelated"})
ORTHONORMALITY = frozenset({"orthonormal", "orthogonal"})
_SUBJECTS = INDEPENDENCE | {"dependent", "same vector", "iid"}
_OF_OBJECTS = frozenset({"orthonormal", "orthogonal", "unit norm", "norm"})
_ATTRIBUTES = frozenset(
    {"mean", "zero mean", "variance", "unit variance", "normal", "standard normal", "same law", "isotropic normal"}
)
_DENIALS = frozenset({Polarity.DENIED, Polarity.WITHOUT})
_WORDS = {
    "independent": ("independent",),
    "coordinates": ("independent",),
    "uncorrelated": ("uncorrelated", "independent"),
    "same-law": ("same law",),
    "law": ("normal",),
    "normal-vector": ("normal",),
    "mean": ("mean",),
    "variance": ("variance",),
    "definite": ("positive",),
    "total": ("total",),
    "distinct": ("distinct",),
    "positive": ("positive",),
}
"""The topics that state a kind of hypothesis."""


@dataclass(frozen=True, slots=True)
class Event:
    """One occurrence of a hypothesis.

    Attributes:
        topic: of `work_cues.TOPICS`.
        polarity: what its sentence does with it.
        place: where it stands in the document.
        span: its sentence.
        subject: what it is about.
        scope: where alone it holds; None for all that follows, and what stands before.
        is_use: whether it uses the hypothesis and names no subject: ``by independence``.
        is_cause: whether it repeats the hypothesis as a reason, which undoes no denial.
    """

    topic: str
    polarity: Polarity
    place: int
    span: t.Span
    subject: Subject = field(default_factory=lambda: Subject("any"))
    scope: t.Span | None = None
    is_use: bool = False
    is_cause: bool = False

    @property
    def is_denial(self) -> bool:
        """Whether it denies the hypothesis."""
        return self.polarity in _DENIALS


class Statements:
    """All events of one work."""

    def __init__(self, sentences: Sequence[Sentence], families: Sequence[str], length: int) -> None:
        self.sentences = tuple(sentences)
        self.families = tuple(families)
        self.length = length
        self.events = [event for number in range(len(sentences)) for event in self._events(number)]

    # Reading -----------------------------------------------------------------------------------------

    def at(self, place: int) -> tuple[Sentence, int, int] | None:
        """The sentence of a formula, with the span of its token."""
        for sentence in self.sentences:
            if sentence.span[0] <= place < sentence.span[1]:
                for (first, last), token in sentence.places:
                    if first <= place < last:
                        return sentence, *token
        return None

    def polarity_at(self, place: int) -> Polarity:
        """What its sentence does with a formula."""
        found = self.at(place)
        return Polarity.STATED if found is None else polarity_of(*found)

    def scope_at(self, place: int) -> t.Span | None:
        """The sentence of a formula."""
        return next((one.span for one in self.sentences if one.span[0] <= place < one.span[1]), None)

    def scope_of_case(self, place: int) -> t.Span | None:
        """The passage of a case: its sentence, or all that follows where that ends with a colon or says no more."""
        found = self.at(place)
        if found is None:
            return None
        sentence, _, last = found
        rest = sentence.text[last:].strip(" *_")
        is_open = not re.search(r"\w", rest) or rest.endswith((":", ","))
        return (sentence.span[0], self.length + 1) if is_open else sentence.span

    def _events(self, number: int) -> Iterator[Event]:
        sentence = self.sentences[number]
        before = self.sentences[max(0, number - 2) : number][::-1]
        named: set[str] = set()
        for topic, start, end in topics_in(sentence.text):
            named |= {topic, *cues.IMPLIED.get(topic, ())}
            yield from self._event(sentence, topic, (start, end), before)
        match = cues.EXCLUSIVE.search(sentence.text)
        if match is not None:
            for topic in ("independent", "uncorrelated", "zero mean", "mean", "variance", "unit variance", "normal",
                          "same law", "orthogonal", "orthonormal"):  # fmt: skip
                if topic not in named:
                    place = sentence.span[0]
                    yield Event(topic, Polarity.DENIED, place, sentence.span)

    def _event(
        self, sentence: Sentence, topic: str, at: tuple[int, int], before: Sequence[Sentence]
    ) -> Iterator[Event]:
        start, end = at
        polarity = polarity_of(sentence, start, end)
        if sentence.is_heading and polarity is Polarity.STATED and not cues.PROBLEM.search(sentence.text):
            polarity = Polarity.MENTIONED
        is_noun = sentence.text[start:end].lower() in {"independence", "orthonormality", "orthogonality"}
        is_use = is_noun and cues.USES.search(sentence.text[:start]) is not None
        if is_noun and not is_use and polarity is Polarity.STATED and not cues.ASSUMES.search(sentence.text[:start]):
            polarity = Polarity.MENTIONED
        is_cause = cues.CAUSES.search(sentence.text[:start]) is not None
        scope = self._scope(sentence, polarity)
        subject = self._subject(sentence, topic, at, before)
        made = [topic, *cues.IMPLIED.get(topic, ())]
        if topic == "isotropic normal":
            made, subject = ["independent"], Subject("within", subject.families)
        if topic in cues.OPPOSITES:
            yield from self._opposite(sentence, topic, polarity, subject, scope)
            return
        for name in made:
            yield Event(
                name,
                polarity,
                sentence.span[0] + _offset(sentence, start),
                sentence.span,
                subject,
                scope,
                is_use,
                is_cause,
            )
            more = extended(sentence, self.families) if polarity is Polarity.STATED else frozenset()
            if more and subject.families and not more <= subject.families:
                level = "within" if subject.level in {"within", "joint"} else subject.level
                other = Subject(level, more)
                yield Event(name, polarity, sentence.span[0], sentence.span, other, scope, is_use, is_cause)

    def _opposite(
        self, sentence: Sentence, topic: str, polarity: Polarity, subject: Subject, scope: t.Span | None
    ) -> Iterator[Event]:
        """``dependent`` denies independence; ``not dependent`` states it only in doubt."""
        if subject.level == "none" or polarity in _DENIALS:
            return
        if topic == "same vector" and subject.level not in {"across", "joint"}:
            if not _ONE_VECTOR.search(sentence.text):
                return
            subject = Subject("across")
        denied = Polarity.DENIED if polarity is Polarity.STATED else Polarity.MENTIONED
        if polarity is Polarity.CONDITIONAL:
            denied = Polarity.WITHOUT
        for name in cues.OPPOSITES[topic]:
            yield Event(name, denied, sentence.span[0], sentence.span, subject, scope)

    def _subject(self, sentence: Sentence, topic: str, at: tuple[int, int], before: Sequence[Sentence]) -> Subject:
        if topic in _SUBJECTS:
            if topic in cues.OPPOSITES or sentence.text[at[0] : at[1]] == "⊥":
                return sides_of(sentence, *at, self.families, before)
            return subject_of(sentence, *at, self.families, before)
        if topic in _OF_OBJECTS:
            return Subject("any", objects_of(sentence, *at))
        if topic in _ATTRIBUTES:
            return Subject("any", families_of(sentence, *at, self.families, before))
        return Subject("any")

    def _scope(self, sentence: Sentence, polarity: Polarity) -> t.Span | None:
        if polarity in {Polarity.CONDITIONAL, Polarity.WITHOUT}:
            return sentence.span
        if cues.ASIDES.search(sentence.label):
            own = [one.span for one in self.sentences if one.paragraph == sentence.paragraph]
            return own[0][0], own[-1][1]
        opening = next(one for one in self.sentences if one.paragraph == sentence.paragraph)
        heading = next((one for one in self.sentences if one.section == sentence.section and one.is_heading), None)
        if heading is not None and cues.ASIDES.search(heading.text):
            own = [one.span for one in self.sentences if one.section == sentence.section]
            return own[0][0], own[-1][1]
        if cues.ASIDES.search(opening.text):
            own = [one.span for one in self.sentences if one.paragraph == sentence.paragraph]
            return own[0][0], own[-1][1]
        return None

    # What holds ---------------------------------------------------------------------------------------

    def contradict(self, topics: frozenset[str], subject: Subject, place: int, scope: t.Span | None) -> None:
        """Takes a formula for a denial of some topics, from its sentence on or in a passage alone."""
        span = self.scope_at(place) or (place, place + 1)
        polarity = Polarity.DENIED if scope is None else Polarity.WITHOUT
        for topic in sorted(topics):
            self.events.append(Event(topic, polarity, place, span, subject, scope))

    def ranges(self, item: Hypothesis) -> tuple[t.Span, ...]:
        """Where in the document a hypothesis is stated."""
        return self._where(lambda place: self._holds(item, place))

    def ranges_of(self, topic: str, families: Sequence[str]) -> tuple[t.Span, ...]:
        """Where an attribute of some vectors is stated."""
        return self._where(lambda place: self._covers(topic, frozenset(families), place))

    def given(self, item: Hypothesis) -> tuple[t.Span, ...]:
        """Where a hypothesis of the question holds: until the work denies it."""
        topics = _topics(item.kind)
        denials = [
            event
            for event in self.events
            if event.topic in topics and event.polarity is Polarity.DENIED and event.scope is None
            and event.subject.level != "none" and _clash(Subject("any", frozenset(item.about)), event.subject)
        ]  # fmt: skip
        until = min((event.span[0] for event in denials), default=self.length + 1)
        return ((0, until), *(span for span in self.ranges(item) if span[0] >= until))

    def speaks_of(self, topic: str) -> bool:
        """Whether a sentence names a topic at all."""
        return any(event.topic == topic for event in self.events)

    def denies(self, kind: str, place: int) -> bool:
        """Whether a sentence before a place denies a kind of hypothesis, or does without it."""
        return any(event.topic in _topics(kind) and event.is_denial and event.place <= place for event in self.events)

    def _where(self, holds: Callable[[int], bool]) -> tuple[t.Span, ...]:
        ends = sorted({0, self.length, *(place for event in self.events for place in (*event.span, event.place))})
        spans = [(first, last) for first, last in pairwise(ends) if holds(first)]
        return tuple(spans)

    def active(self, topic: str, place: int) -> list[Event]:
        """The events of a topic that are in force at a place."""
        events = [event for event in self.events if event.topic == topic]
        stated = [e for e in events if e.polarity in {Polarity.STATED, Polarity.CONDITIONAL}]
        named = [
            e for e in events if not e.is_use and e.subject.level != "none" and e.polarity is not Polarity.MENTIONED
        ]
        return [event for event in stated if self._is_active(event, place, events) and not (event.is_use and named)]

    def _is_active(self, event: Event, place: int, events: Sequence[Event]) -> bool:
        if event.scope is not None and not event.scope[0] <= place < event.scope[1]:
            return False
        since = -1 if event.is_cause or event.is_use else event.place
        for denial in events:
            if not denial.is_denial or not _clash(event.subject, denial.subject):
                continue
            if denial.scope is not None:
                if denial.scope[0] <= place < denial.scope[1]:
                    return False
                continue
            is_before_place = denial.place <= place or denial.span[0] <= place
            is_after = denial.place >= since
            if is_before_place and is_after:
                return False
            if since > place and denial.place < since:
                return False
        return True

    def _holds(self, item: Hypothesis, place: int) -> bool:
        about = frozenset(item.about)
        if item.id.startswith("own ") and not any(event.subject.families & about for event in self.events):
            # Letters of the work's own that no sentence names: what it says of its quantities is about them too.
            return any(self.active(topic, place) for topic in _WORDS.get(item.kind, ()))
        match item.kind:
            case "independent":
                return self._is_independent("independent", about, place)
            case "coordinates":
                return self._is_coordinatewise(about, place)
            case "uncorrelated":
                return self._is_independent("uncorrelated", about, place) or self._is_independent(
                    "independent", about, place
                )
            case "dot-products":
                return self._is_orthonormal(item, place)
            case "same-law" if self._covers("normal", about, place) and self._is_coordinatewise(about, place):
                return True  # one normal law for every component of a vector
            case "mean" | "variance" | "law" | "normal-vector" | "same-law":
                return any(self._covers(topic, about, place) for topic in _WORDS[item.kind])
            case _:
                return any(self.active(topic, place) for topic in _WORDS.get(item.kind, ()))

    def _covers(self, topic: str, about: frozenset[str], place: int) -> bool:
        found: set[str] = set()
        for event in self.active(topic, place):
            if not event.subject.families:
                return True
            found |= event.subject.families
        return about <= found

    def _is_independent(self, topic: str, about: frozenset[str], place: int) -> bool:
        groups: list[frozenset[str]] = []
        splits: list[tuple[frozenset[str], frozenset[str]]] = []
        for event in self.active(topic, place):
            subject = event.subject
            if subject.level == "any" or (subject.level in {"across", "joint"} and not subject.families):
                return True
            if subject.level not in {"across", "joint"}:
                continue
            if subject.others and len(subject.families) > 2:
                splits.append((subject.families - subject.others, subject.others))
            else:
                groups.append(subject.families)
        if any(about <= group for group in groups):
            return True
        return any(
            about <= one | other
            and all(len(side & about) < 2 or any(side & about <= group for group in groups) for side in (one, other))
            for one, other in splits
        )

    def _is_coordinatewise(self, about: frozenset[str], place: int) -> bool:
        within: set[str] = set()
        for event in self.active("independent", place):
            subject = event.subject
            everything = subject.families or about
            if subject.level == "any":
                return True
            if subject.level in {"joint", "pairs"} and about <= everything:
                return True
            if subject.level in {"within", "joint"}:
                within |= everything
        return about <= within and (len(about) == 1 or self._is_independent("independent", about, place))

    def _is_orthonormal(self, item: Hypothesis, place: int) -> bool:
        is_unit = item.values[0].startswith("delta")

        def is_said(topic: str) -> bool:
            found = (event.subject.families for event in self.active(topic, place))
            return any(not objects or objects & set(item.about) for objects in found)

        return is_said("orthonormal") or (is_said("orthogonal") and is_said("unit norm" if is_unit else "norm"))

    # Words for the report -------------------------------------------------------------------------------

    def against(self, item: Hypothesis, place: int) -> tuple[Sentence, Polarity] | None:
        """The sentence that speaks of a hypothesis without stating it, the nearest one before a place first."""
        topics = _topics(item.kind)
        found = [event for event in self.events if event.topic in topics and event.polarity is not Polarity.STATED]
        found = [event for event in found if event.subject.level != "none"]
        if not found:
            return None
        event = max(found, key=lambda one: (one.place <= place, one.is_denial, -abs(one.place - place)))
        sentence = next(one for one in self.sentences if one.span == event.span)
        return sentence, event.polarity


def _topics(kind: str) -> tuple[str, ...]:
    """The topics of a kind of hypothesis, those of usual values among them."""
    more = {
        "dot-products": ("orthonormal", "orthogonal"), "mean": ("zero mean",), "variance": ("unit variance",),
        "equal": ("zero mean", "unit variance"),
    }  # fmt: skip
    return (*more.get(kind, ()), *_WORDS.get(kind, ()))


def _clash(stated: Subject, denied: Subject) -> bool:
    """Whether a denial is about what was stated."""
    if "none" in {stated.level, denied.level}:
        return False
    if stated.families and denied.families and not stated.families & denied.families:
        return False
    if denied.level == "across":
        return stated.level != "within" and (
            not stated.families or len(stated.families & denied.families) > 1 or not denied.families
        )
    if denied.level == "within":
        return stated.level != "across"
    return True


def _offset(sentence: Sentence, start: int) -> int:
    """A place in the document that is inside of the sentence, in the order of its keywords."""
    first, last = sentence.span
    return min(last - first - 1, max(0, start * (last - first) // max(1, len(sentence.text))))


__all__ = ["INDEPENDENCE", "ORTHONORMALITY", "Event", "Statements"]
