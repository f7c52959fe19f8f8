"""The events of a work: each occurrence of a hypothesis with its topic, subject, polarity, place and scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from itertools import product

from symattn.notation.tree import nodes as t
from symattn.proofs.submissions.phrases import CUES, IMPLIED, OPPOSITES, TOPICS
from symattn.proofs.submissions.prose.polarity import LONGEST, Polarity, polarity_of
from symattn.proofs.submissions.prose.sentences import Sentence
from symattn.proofs.submissions.prose.subjects import Subject, SubjectFinder, extend_subject, topics_in
from symattn.records import dataclass

INDEPENDENCE = frozenset({"independent", "uncorrelated"})
ORTHONORMALITY = frozenset({"orthonormal", "orthogonal"})
_SUBJECTS = INDEPENDENCE | {"dependent", "same vector", "iid"}
_OF_OBJECTS = frozenset({"orthonormal", "orthogonal", "unit norm", "norm"})
_ATTRIBUTES = frozenset({
    "mean", "zero mean", "another mean", "another variance", "variance", "unit variance", "normal", "standard normal",
    "same law", "isotropic normal", "another law",
})  # fmt: skip
_DENIALS = frozenset({Polarity.DENIED, Polarity.WITHOUT})


@dataclass(frozen=True, slots=True)
class Event:
    """One occurrence of a hypothesis.

    Attributes:
        topic: of `TOPICS`.
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
        """Return whether it denies the hypothesis."""
        return self.polarity in _DENIALS


class Events:
    """Reader of the events of a work's sentences."""

    def __init__(self, sentences: Sequence[Sentence], families: Sequence[str]) -> None:
        self.sentences = tuple(sentences)
        self.families = tuple(families)
        self.paragraphs = self._together(lambda sentence: sentence.paragraph)
        self.sections = self._together(lambda sentence: sentence.section)

    def read(self) -> list[Event]:
        """Return the events, in the order of the sentences."""
        return [event for number in range(len(self.sentences)) for event in self._events(number)]

    def _together(self, key: Callable[[Sentence], int]) -> dict[int, tuple[Sentence, Sentence]]:
        """Return the first and the last sentence of each paragraph or section."""
        found: dict[int, tuple[Sentence, Sentence]] = {}
        for sentence in self.sentences:
            first, _ = found.get(key(sentence), (sentence, sentence))
            found[key(sentence)] = (first, sentence)
        return found

    def _events(self, number: int) -> Iterator[Event]:
        sentence = self.sentences[number]
        if len(sentence.text) > LONGEST or not sentence.is_known:
            yield from self._of_unread(sentence)
            return
        before = self.sentences[max(0, number - 2) : number][::-1]
        named: set[str] = set()
        for topic, start, end in topics_in(sentence.text):
            named |= {topic, *IMPLIED.get(topic, ())}
            yield from self._event(sentence, topic, (start, end), before)
        if CUES["exclusive"].search(sentence.text):
            for topic in ("independent", "uncorrelated", "zero mean", "mean", "variance", "unit variance", "normal",
                          "same law", "orthogonal", "orthonormal"):  # fmt: skip
                if topic not in named:
                    yield Event(topic, Polarity.DENIED, sentence.span[0], sentence.span)

    def _event(
        self, sentence: Sentence, topic: str, at: tuple[int, int], before: Sequence[Sentence]
    ) -> Iterator[Event]:
        start, end = at
        polarity = polarity_of(sentence, start, end)
        if sentence.is_heading and polarity is Polarity.STATED and not CUES["problem"].search(sentence.text):
            polarity = Polarity.MENTIONED
        is_noun = sentence.text[start:end].lower() in {"independence", "orthonormality", "orthogonality"}
        is_use = is_noun and CUES["uses"].search(sentence.text[:start]) is not None
        if is_noun and not is_use and polarity is Polarity.STATED and not CUES["assumes"].search(sentence.text[:start]):
            polarity = Polarity.MENTIONED
        is_cause = CUES["causes"].search(sentence.text[:start]) is not None
        scope = self._scope(sentence, polarity)
        subject = self._subject(sentence, topic, at, before)
        made = [topic, *IMPLIED.get(topic, ())]
        if topic == "isotropic normal":
            made, subject = ["independent"], Subject("within", subject.families)
        place = sentence.span[0]
        event = Event(topic, polarity, place + _offset(sentence, start), sentence.span, subject, scope)
        if topic in OPPOSITES:
            yield from self._opposite(sentence, event, start)
            return
        subjects = {subject: event.place}
        more = extend_subject(sentence, self.families) if polarity is Polarity.STATED else frozenset()
        if more and subject.families and not more <= subject.families:
            level = "within" if subject.level in {"within", "joint"} else subject.level
            subjects.setdefault(Subject(level, more), place)
        for name, (one, at_place) in product(made, subjects.items()):
            yield Event(name, polarity, at_place, sentence.span, one, scope, is_use, is_cause)

    def _of_unread(self, sentence: Sentence) -> Iterator[Event]:
        """Yield the events of an overlong sentence, or one with unknown words of another language.

        It states nothing, and with a denial in it denies what it names.
        """
        is_denying = sentence.is_denying or CUES["negations"].search(sentence.text)
        polarity = Polarity.DENIED if is_denying else Polarity.MENTIONED
        for topic, pattern in TOPICS.items():
            if pattern.search(sentence.text):
                for name in OPPOSITES.get(topic, (topic, *IMPLIED.get(topic, ()))):
                    yield Event(name, polarity, sentence.span[0], sentence.span)

    def _opposite(self, sentence: Sentence, event: Event, start: int) -> Iterator[Event]:
        """Yield the events of opposites: ``dependent`` denies independence; ``not dependent`` leaves it in doubt."""
        subject, polarity = event.subject, event.polarity
        if subject.level == "none" or event.is_denial:
            return
        if event.topic == "same vector" and subject.level not in {"across", "joint"}:
            if not CUES["one_vector"].search(sentence.text):
                return
            subject = Subject("across")
        denied = Polarity.DENIED if polarity is Polarity.STATED else Polarity.MENTIONED
        if polarity is Polarity.CONDITIONAL:
            denied = Polarity.WITHOUT
        before = sentence.text[:start]
        is_open = CUES["possible"].search(before) and not CUES["conditions"].search(before)
        if denied is Polarity.MENTIONED and is_open and subject.level in {"across", "joint"}:
            # What may depend on each other is not independent, whatever was said before.
            denied = Polarity.DENIED
        yield from (replace(event, topic=name, polarity=denied, subject=subject) for name in OPPOSITES[event.topic])

    def _subject(self, sentence: Sentence, topic: str, at: tuple[int, int], before: Sequence[Sentence]) -> Subject:
        finder = SubjectFinder(sentence, at, self.families, before)
        if topic in _SUBJECTS:
            relates = topic in OPPOSITES or sentence.text[at[0] : at[1]] == "⊥"
            return finder.sides() if relates else finder.subject()
        if topic in _OF_OBJECTS:
            return Subject("any", finder.objects())
        return Subject("any", finder.bearers() if topic in _ATTRIBUTES else frozenset())

    def _scope(self, sentence: Sentence, polarity: Polarity) -> t.Span | None:
        """Return the passage in which an event holds; None for all of the work."""
        if polarity in {Polarity.CONDITIONAL, Polarity.WITHOUT}:
            return sentence.span
        first, last = self.sections[sentence.section]
        if first.is_heading and CUES["asides"].search(first.text):
            return first.span[0], last.span[1]
        first, last = self.paragraphs[sentence.paragraph]
        if CUES["asides"].search(sentence.label) or CUES["asides"].search(first.text):
            return first.span[0], last.span[1]
        return None


def _offset(sentence: Sentence, start: int) -> int:
    """Return a place in the document that is inside of the sentence, in the order of its keywords."""
    first, last = sentence.span
    return min(last - first - 1, max(0, start * (last - first) // max(1, len(sentence.text))))
