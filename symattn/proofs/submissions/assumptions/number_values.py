"""Numbers that a work gives to letters, and the passages in which they hold: ``Let $d = 2$``, until ``In general``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import describe
from symattn.proofs.language.scope import Hypothesis
from symattn.proofs.submissions.assumptions.letter_signs import has_letter
from symattn.proofs.submissions.assumptions.stated_hypotheses import Assumption
from symattn.proofs.submissions.phrases import CUES
from symattn.proofs.submissions.prose.hypotheses import Statements
from symattn.proofs.submissions.reading.domains import Domain
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class NumberValue:
    """Number that a formula gives to a letter of the theorem."""

    name: str
    text: str
    place: int

    def assumption(self, passages: tuple[t.Span, ...] | None) -> Assumption:
        """Return it as an assumption of the work, in some passages or everywhere."""
        words = f"{self.name} = {self.text}"
        hypothesis = Hypothesis(words, words, "equal", (self.name,), (self.text,))
        return Assumption(hypothesis, words, is_stated=True, is_special=True, stated_in=passages)


@lru_cache(maxsize=64)
def freed_places(text: str, letter: str, *, is_number: bool) -> tuple[tuple[t.Span, bool], ...]:
    """Return where a letter may be anything, and whether in that sentence alone: ``for every $c$``.

    Args:
        text: the work.
        letter: as it is written.
        is_number: whether its value is a number, which ``In general`` takes back as well.
    """
    found = [
        (match.span("letter"), match["every"] is not None)
        for match in CUES["freed"].finditer(text)
        if match["letter"].translate({123: None, 125: None}) == letter
    ]
    found += [  # by what is made of it, as in ``Replace $h$ by $2 h$``
        (match.span("letter"), False)
        for match in CUES["replaced"].finditer(text)
        if match["letter"] == letter and has_letter(match["value"], letter)
    ]
    if is_number:
        found += [(match.span(), False) for match in CUES["general_case"].finditer(text)]
    return tuple(found)


def end_of_value(statements: Statements, letters: Iterable[str], place: int) -> int:
    """Return where the value that a letter has at a place ends: at the next sentence in which it may be anything."""
    found = [span for letter in letters for span, _ in freed_places(statements.text, letter, is_number=True)]
    starts = [sentence_start(statements, span[0]) for span in found]
    if _is_in_aside(statements.text, place):
        starts.extend(match.start() for match in CUES["resumed"].finditer(statements.text))
    return min((start for start in starts if start > place), default=statements.length + 1)


def _is_in_aside(text: str, place: int) -> bool:
    """Return whether the paragraph of a place, or the heading before it, calls it an example or a special case."""
    paragraphs = text[: max(0, place)].split("\n\n")
    head = next((one for one in reversed(paragraphs[:-1]) if CUES["resumed"].match(one)), "")
    return any(CUES["aside"].match(one.lstrip()) is not None for one in (paragraphs[-1], head))


def sentence_start(statements: Statements, place: int) -> int:
    """Return where the sentence of a place begins."""
    sentence = statements.sentence_at(place)
    return place if sentence is None else sentence.span[0]


def number_assumptions(
    values: Sequence[NumberValue], letters: Mapping[str, Sequence[str]], statements: Statements
) -> Iterator[Assumption]:
    """Yield the values with their passages; the only value of a letter that is never freed holds everywhere.

    Args:
        values: in their order.
        letters: the letters of the work by the names of the theorem.
        statements: of the work.
    """
    for name in dict.fromkeys(one.name for one in values):
        known = [one for one in values if one.name == name]
        ends = [
            end_of_value(statements, letters.get(name, (name,)), place) for place in (-1, *(one.place for one in known))
        ]
        if len({one.text for one in known}) == 1 and min(ends) > statements.length:
            yield known[0].assumption(None)
            continue
        passages: dict[str, list[t.Span]] = {}
        for one, following, end in zip(known, [*known[1:], None], ends[1:], strict=True):
            start = sentence_start(statements, one.place)
            is_first = all(not start <= other.place < one.place for other in known)
            after = () if following is None else (sentence_start(statements, following.place), following.place)
            stop = min((end, *(place for place in after if place > one.place)))
            passages.setdefault(one.text, []).append((start if is_first else one.place, stop))
        for one in {one.text: one for one in known}.values():
            yield one.assumption(tuple(passages[one.text]))


def under_condition(item: Assumption, domain: Domain) -> Assumption:
    """Return an assumption about a number as it stands under a condition, which may give that another value."""
    if not item.is_special or item.hypothesis.kind != "equal" or item.hypothesis.about[0] not in domain.letters():
        return item
    name = item.hypothesis.about[0]
    value = item.hypothesis.values[0]
    is_same = any(
        clause[0][1] == "=" and {describe(clause[0][0]), describe(clause[0][2])} == {name, value}
        for clause in domain.clauses
        if len(clause) == 1
    )
    return replace(item, is_stated=is_same)
