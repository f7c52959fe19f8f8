"""The hypotheses that a work states, denies, conditions or mentions, and where in it each of them holds.

Each occurrence is an event: its topic, its subject, its polarity and its place. A hypothesis holds at a place when
the events that are in force there imply it. A later denial ends what was stated; a condition holds in its own
sentence; what is only mentioned never counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from symattn.notation.tree import nodes as t
from symattn.proofs.language.scope import Hypothesis
from symattn.proofs.submissions.phrases import CUES, TABLES, TOPICS, read_phrases, respell
from symattn.proofs.submissions.prose.events import Event, Events
from symattn.proofs.submissions.prose.polarity import Polarity, polarity_of
from symattn.proofs.submissions.prose.sentences import Sentence
from symattn.proofs.submissions.prose.subjects import Subject
from symattn.proofs.submissions.reading.domains import TWO_OR_MORE

_STATING: dict[str, list[str]] = TABLES["stating"]
"""The topics that state a kind of hypothesis."""

_LAWS = ("normal", "standard normal", "isotropic normal", "another law")
_LEAST_WORDING = 12
_CONDITIONS = read_phrases("conditions")


class Statements:
    """All events of one work."""

    def __init__(self, sentences: Sequence[Sentence], families: Sequence[str], text: str) -> None:
        self.sentences = tuple(sentences)
        self.text = text
        self.starts = [sentence.span[0] for sentence in self.sentences]
        self.length = len(text)
        reader = Events(self.sentences, families)
        self.events = reader.read()
        self.lists = [
            (first.span[0], last.span[1])
            for first, last in reader.sections.values()
            if first.is_heading and CUES["listed"].match(first.text)
        ]
        self._force: dict[str, list[tuple[Subject, list[t.Span]]]] = {}

    # Reading -----------------------------------------------------------------------------------------

    def sentence_at(self, place: int) -> Sentence | None:
        """Return the sentence that holds a place."""
        number = bisect_right(self.starts, place) - 1
        return self.sentences[number] if number >= 0 and place < self.sentences[number].span[1] else None

    def at(self, place: int) -> tuple[Sentence, int, int] | None:
        """Return the sentence of a formula, with the span of its token."""
        sentence = self.sentence_at(place)
        if sentence is None:
            return None
        number = bisect_right(sentence.places, ((place, self.length + 1), (0, 0))) - 1
        if number < 0 or not sentence.places[number][0][0] <= place < sentence.places[number][0][1]:
            return None
        return sentence, *sentence.places[number][1]

    def polarity_at(self, place: int) -> Polarity:
        """Return the polarity of a formula in its sentence."""
        found = self.at(place)
        return Polarity.STATED if found is None else polarity_of(*found)

    def scope_at(self, place: int) -> t.Span | None:
        """Return the sentence of a formula."""
        sentence = self.sentence_at(place)
        return None if sentence is None else sentence.span

    def words_at(self, place: int) -> str:
        """Return the sentence of a formula as it was written."""
        return self.text[slice(*(self.scope_at(place) or (place, place)))]

    def scope_of_case(self, place: int) -> t.Span | None:
        """Return the passage of a case: its sentence, or all that follows where that ends with a colon."""
        found = self.at(place)
        if found is None:
            return None
        sentence, _, last = found
        rest = sentence.text[last:].strip(" *_")
        is_open = not re.search(r"\w", rest) or rest.endswith((":", ","))
        return (sentence.span[0], self.length + 1) if is_open else sentence.span

    def says_two_or_more(self, place: int, freed: Iterable[t.Span]) -> bool:
        """Return whether the words say that there are two or more of something: in the sentence of a place, or before.

        Args:
            place: of a formula.
            freed: where the number may be any again.
        """
        here = self.scope_at(place) or (place, place + 1)
        since = max((first for first, _ in freed if first < here[1]), default=-1)
        for match in TWO_OR_MORE.finditer(self.text):
            first, last = self.scope_at(match.start()) or match.span()
            before = self.text[first : match.start()]
            is_denied = CUES["negations"].search(self.text[first:last]) is not None
            is_condition = CUES["case_named"].search(before) or _CONDITIONS["antecedent"].search(before)
            is_in_force = (first, last) == here or (last <= here[0] and not is_condition)
            if is_in_force and not is_denied and match.start() > since:
                return True
        return False

    @property
    def are_unread(self) -> bool:
        """Return whether the work has words between its formulas, and none of them is read as a hypothesis."""
        return not self.events and any(
            re.search(r"[^\W\d_]", re.sub("⟦[^⟧]*⟧", "", sentence.text)) for sentence in self.sentences
        )

    # What holds ---------------------------------------------------------------------------------------

    def contradict(self, topics: frozenset[str], subject: Subject, place: int, scope: t.Span | None) -> None:
        """Take a formula for a denial of some topics, from its sentence on or in a passage alone."""
        span = self.scope_at(place) or (place, place + 1)
        polarity = Polarity.DENIED if scope is None else Polarity.WITHOUT
        for topic in sorted(topics):
            self.events.append(Event(topic, polarity, place, span, subject, scope))
            self._force.pop(topic, None)

    def ranges(self, item: Hypothesis) -> tuple[t.Span, ...]:
        """Return the spans in which a hypothesis is stated."""
        return self._where(lambda place: self._holds(item, place))

    def ranges_of(self, topic: str, families: Sequence[str]) -> tuple[t.Span, ...]:
        """Return the spans in which an attribute of some vectors is stated."""
        return self._where(lambda place: self._covers(topic, frozenset(families), place))

    def listed(self, item: Hypothesis) -> int | None:
        """Return the place where a section of hypotheses says one in the theorem's own words, or None."""
        wanted = _words_of(item.text)
        if len(wanted) < _LEAST_WORDING:
            return None
        for first, last in self.lists:
            for sentence in self.sentences:
                if first <= sentence.span[0] < last and wanted in _words_of(self.text[slice(*sentence.span)]):
                    return sentence.span[0]
        return None

    def given(self, item: Hypothesis, since: int = 0) -> tuple[t.Span, ...]:
        """Return the spans of a hypothesis of the question: until the work denies it, but in cases without it."""
        topics = _topics(item.kind)
        against = [
            event
            for event in self.events
            if event.topic in topics and event.is_denial and event.place >= since
            and event.subject.level != "none" and _clash(Subject("any", frozenset(item.about)), event.subject)
        ]  # fmt: skip
        denials = [one for one in against if one.polarity is Polarity.DENIED and one.scope is None]
        until = min((event.span[0] for event in denials), default=self.length + 1)
        cases = _united(event.scope for event in against if event.scope is not None)
        return (*_without([(0, until)], cases), *(span for span in self.ranges(item) if span[0] >= until))

    def speaks_of(self, topic: str) -> bool:
        """Return whether a sentence names a topic at all."""
        return any(event.topic == topic for event in self.events)

    def letters_with_laws(self, letters: Iterable[str]) -> frozenset[str]:
        """Return the letters that stand in a sentence which names a law."""
        texts = [
            sentence.text for sentence in self.sentences if any(TOPICS[one].search(sentence.text) for one in _LAWS)
        ]
        return frozenset(
            one for one in letters if any(re.search(rf"(?<![\w.]){re.escape(one)}(?!\w)", x) for x in texts)
        )

    def unread_laws(self, random: Iterable[str]) -> frozenset[str]:
        """Return the random quantities of which the words say a law that is not known here, or say what is not read."""
        every, found = frozenset(random), set[str]()
        for event in self.events:
            if event.topic == "another law" and not event.is_denial:
                found |= event.subject.families or every
        for sentence in self.sentences:
            if not sentence.is_known:
                named = frozenset(name for group in sentence.groups.values() for name in group.families)
                found |= named or (every if CUES["components"].search(sentence.text) else frozenset())
        return every & found

    def denies(self, kind: str, place: int) -> bool:
        """Return whether a sentence before a place denies a kind of hypothesis, or does without it."""
        since = max((first for first, last in self.lists if first <= place < last), default=0)
        return any(
            event.topic in _topics(kind) and event.is_denial and since <= event.place <= place for event in self.events
        )

    def _where(self, holds: Callable[[int], bool]) -> tuple[t.Span, ...]:
        ends = {place for event in self.events for span in (event.span, event.scope or event.span) for place in span}
        ends |= {0, self.length + 1, *(event.place for event in self.events)}
        return tuple(_united((first, last) for first, last in pairwise(sorted(ends)) if holds(first)))

    def active(self, topic: str, place: int) -> list[Subject]:
        """Return the subjects of which a topic is stated, and in force at a place."""
        if topic not in self._force:
            self._force[topic] = list(self._in_force(topic))
        return [subject for subject, spans in self._force[topic] if any(first <= place < last for first, last in spans)]

    def _in_force(self, topic: str) -> Iterator[tuple[Subject, list[t.Span]]]:
        """Yield the spans in which a topic is in force, for each subject of which it is stated."""
        events = [event for event in self.events if event.topic == topic]
        is_named = any(
            not one.is_use and one.subject.level != "none" and one.polarity is not Polarity.MENTIONED for one in events
        )
        stated: dict[Subject, list[Event]] = {}
        denied: dict[Subject, list[Event]] = {}
        for event in events:
            if event.is_denial:
                denied.setdefault(event.subject, []).append(event)
            elif event.polarity is not Polarity.MENTIONED and not (event.is_use and is_named):
                stated.setdefault(event.subject, []).append(event)
        for subject, own in stated.items():
            against = [one for other, found in denied.items() if _clash(subject, other) for one in found]
            ends = sorted((one.place, one.span[0]) for one in against if one.scope is None)
            reaches = (_reach(event, ends, self.length + 1, is_listed=self.is_listed(event.place)) for event in own)
            spans = _united(span for span in reaches if span is not None)
            gaps = _united(one.scope for one in against if one.scope is not None)
            yield subject, list(_without(spans, gaps))

    def is_listed(self, place: int) -> bool:
        """Return whether a place is in a section of hypotheses, which holds whatever was said on the way to it."""
        return any(first <= place < last for first, last in self.lists)

    def _holds(self, item: Hypothesis, place: int) -> bool:
        about = frozenset(item.about)
        if item.id.startswith("own ") and not any(event.subject.families & about for event in self.events):
            # Letters of the work's own that no sentence names: what it says of its quantities is about them too.
            return any(self.active(topic, place) for topic in _STATING.get(item.kind, ()))
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
                return any(self._covers(topic, about, place) for topic in _STATING[item.kind])
            case _:
                return any(self.active(topic, place) for topic in _STATING.get(item.kind, ()))

    def _covers(self, topic: str, about: frozenset[str], place: int) -> bool:
        found: set[str] = set()
        for subject in self.active(topic, place):
            if not subject.families:
                return True
            found |= subject.families
        return about <= found

    def _is_independent(self, topic: str, about: frozenset[str], place: int) -> bool:
        groups: list[frozenset[str]] = []
        splits: list[tuple[frozenset[str], frozenset[str]]] = []
        for subject in self.active(topic, place):
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
        for subject in self.active("independent", place):
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
            found = (subject.families for subject in self.active(topic, place))
            return any(not objects or objects & set(item.about) for objects in found)

        return is_said("orthonormal") or (is_said("orthogonal") and is_said("unit norm" if is_unit else "norm"))

    # Words for the report -------------------------------------------------------------------------------

    def against(self, item: Hypothesis, place: int) -> tuple[Sentence, Polarity] | None:
        """Return the sentence that speaks of a hypothesis without stating it, the nearest one before a place first."""
        topics = _topics(item.kind)
        found = [event for event in self.events if event.topic in topics and event.polarity is not Polarity.STATED]
        found = [event for event in found if event.subject.level != "none"]
        if not found:
            return None
        event = max(found, key=lambda one: (one.place <= place, one.is_denial, -abs(one.place - place)))
        sentence = self.sentence_at(event.span[0])
        return None if sentence is None else (sentence, event.polarity)


def _words_of(text: str) -> str:
    """Return a hypothesis without the ways in which its formulas may be written."""
    return respell(text, "hypothesis")


def _topics(kind: str) -> tuple[str, ...]:
    """Return the topics of a kind of hypothesis, those of usual values among them."""
    return (*TABLES["usual"].get(kind, ()), *_STATING.get(kind, ()))


def _reach(event: Event, denials: Sequence[tuple[int, int]], length: int, *, is_listed: bool = False) -> t.Span | None:
    """Return the span in which an event is in force, given the places of other denials and their sentences."""
    since = -1 if event.is_cause or event.is_use else event.place
    later = bisect_left(denials, (since, -1))
    start = since if later and not is_listed else 0
    end = denials[later][1] if later < len(denials) else length
    first, last = event.scope or (0, length)
    span = max(start, first), min(end, last)
    return span if span[0] < span[1] else None


def _united(spans: Iterable[t.Span]) -> list[t.Span]:
    """Return spans in order, those that touch made one."""
    found: list[t.Span] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def _without(spans: Sequence[t.Span], gaps: Sequence[t.Span]) -> Iterator[t.Span]:
    """Yield the rest of spans outside of some gaps, both in order."""
    number = 0
    for first, last in spans:
        start = first
        while number < len(gaps) and gaps[number][1] <= start:
            number += 1
        place = number
        while place < len(gaps) and gaps[place][0] < last:
            if start < gaps[place][0]:
                yield start, gaps[place][0]
            start = max(start, gaps[place][1])
            place += 1
        if start < last:
            yield start, last


def _clash(stated: Subject, denied: Subject) -> bool:
    """Return whether a denial is about what was stated."""
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
