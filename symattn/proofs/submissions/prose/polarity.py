"""The polarity of a hypothesis in its sentence: stated, conditional, mentioned, or denied.

A sentence is cut into clauses at commas, colons, semicolons, brackets and dashes. A marker of denial binds to the
nearest keyword of its clause; a condition or a doubt holds for all that it may reach. What is left is stated.
"""

from __future__ import annotations

import re
from enum import Enum

from symattn.proofs.submissions.phrases import CUES, TOPICS, read_phrases
from symattn.proofs.submissions.prose.sentences import CLAUSE_END, Sentence

_WORDS = read_phrases("polarity")

_STRONG = frozenset(";:()—–；：（）")
_WEAK = frozenset({"mean", "variance", "norm", "distinct", "positive"})
_ANY_TOPIC = re.compile(
    "|".join(f"(?:{pattern.pattern})" for topic, pattern in TOPICS.items() if topic not in _WEAK), re.IGNORECASE
)


LONGEST = 2_000
"""Characters of a sentence that is understood, at most."""


class Polarity(Enum):
    """Polarity of a hypothesis in a sentence that names it."""

    STATED = "states it"
    CONDITIONAL = "makes it a condition"
    MENTIONED = "only mentions it"
    WITHOUT = "does without it"
    DENIED = "denies it"


def polarity_of(sentence: Sentence, start: int, end: int) -> Polarity:
    """Return the polarity of the words (or the formula) from `start` to `end` of a sentence's text."""
    if len(sentence.text) > LONGEST or not sentence.is_known:
        return Polarity.MENTIONED
    text = CUES["neutral"].sub(lambda match: " " * len(match[0]), sentence.text)
    text = f"{text[:start]}{sentence.text[start:end]}{text[end:]}"
    is_problem = any(CUES["problem"].search(words) for words in (text, sentence.label))
    return _Reading(text, start, end, is_problem=is_problem).polarity()


class _Reading:
    def __init__(self, text: str, start: int, end: int, *, is_problem: bool) -> None:
        self.is_problem = is_problem
        self.text, self.start, self.end = text, start, end
        self.cuts = [0, *(match.end() for match in CLAUSE_END.finditer(text) if not start <= match.start() < end)]
        self.cuts.append(len(text))
        self.own = max(n for n, cut in enumerate(self.cuts[:-1]) if cut <= start)
        self.first, self.last = self.cuts[self.own], self.cuts[self.own + 1]

    def words(self, number: int) -> str:
        """Return the words of a clause."""
        return self.text[self.cuts[number] : self.cuts[number + 1]]

    def polarity(self) -> Polarity:
        """Return the polarity: denial first, then condition, doubt and mention."""
        denial = self._denial()
        if denial is not None:
            return denial
        later = map(self.words, range(self.own + 1, len(self.cuts) - 1))
        if self._is_excepted() or any(map(CUES["hedges"].match, later)):  # half taken back: ``…, or so they say``
            return Polarity.MENTIONED
        if CUES["doubts"].search(self._near()) or self._is_opinion():
            return Polarity.MENTIONED
        if self.text.rstrip(" *_\"'”)").endswith(("?", "？")) and not _WORDS["asked"].search(self.text[: self.start]):
            return Polarity.MENTIONED
        if CUES["hypothetical"].search(self._near()) or CUES["hypothetical"].search(self._governing()):
            return Polarity.MENTIONED
        if self._is_conditional():
            if CUES["hypothetical"].search(self.text):
                return Polarity.MENTIONED
            is_for_one_case = CUES["conditions"].search(self.text[self.end :])  # ``are independent if …``
            return Polarity.STATED if self.is_problem and not is_for_one_case else Polarity.CONDITIONAL
        return Polarity.STATED

    def _near(self) -> str:
        """Return the words of the clause with those that it goes on with, up to another keyword's clause."""
        before = self.text[self._reach() : self.start]
        after = self.text[self.end : self.last]
        cut = _WORDS["next_clause"].search(after)
        return f"{before} {after[: cut.start()] if cut else after}"

    def _governing(self) -> str:
        """Return an opening clause on which the rest of the sentence depends: ``If …, …``."""
        before = self.text[: self.first]
        return before if CUES["conditions"].search(before) or CUES["hypothetical"].search(before[:40]) else ""

    def _reach(self) -> int:
        """Return the start of the clause, or of the one that it goes on with."""
        number = self.own
        while number:
            before = number - 1
            while before and _WORDS["interjection"].match(self.words(before)):
                before -= 1
            is_open = _WORDS["open"].search(self.words(before))
            if not (_WORDS["goes_on"].match(self.words(number)) or is_open):
                break
            number = before
        return self.cuts[number]

    # Denial ------------------------------------------------------------------------------------------

    def _denial(self) -> Polarity | None:
        begin, last = self._reach(), self.last
        for match in CUES["negations"].finditer(self.text, begin, last):
            if match.end() > self.start and match.start() < self.end:
                if _WORDS["uncorrelated"].match(self.text[self.start : self.end]):
                    continue
                return self._kind(begin, last)
            if self._binds(match, last):
                return self._kind(begin, last)
        later = self.text[last : self.cuts[min(self.own + 3, len(self.cuts) - 1)]]
        if (
            later
            and _WORDS["back"].match(later)
            and ((CUES["negations"].search(later) and not self._is_set_up()) or CUES["dropped"].search(later))
        ):
            return self._kind(last, last + len(later))
        return None

    def _is_excepted(self) -> bool:
        """Return whether an earlier clause takes something out, or puts the sentence against something else."""
        for number in range(self.own):
            words = self.words(number)
            if CUES["exceptions"].match(words):
                return True
            if CUES["contrasts"].match(words) and not _ANY_TOPIC.search(words) and not self._is_set_up():
                return True
        return False

    def _binds(self, match: re.Match[str], last: int) -> bool:
        """Return whether a marker denies this keyword, and not another one."""
        if match.start() < self.start:
            between = self.text[match.end() : self.start]
            other = _ANY_TOPIC.search(between)
            return other is None or _WORDS["joining"].search(between[other.end() :]) is not None
        between = self.text[self.end : match.start()]
        if _ANY_TOPIC.search(between) or _WORDS["next_clause"].search(between):
            return False
        following = _ANY_TOPIC.search(self.text, match.end(), last)
        return following is None or match[0].lower() == "without"

    def _kind(self, begin: int, last: int) -> Polarity:
        own = f"{self.text[begin : self.start]} {self.text[self.end : last]}"
        is_dropped = CUES["dropped"].search(own) is not None
        return Polarity.WITHOUT if CUES["local_negations"].search(own) and not is_dropped else Polarity.DENIED

    def _is_set_up(self) -> bool:
        """Return whether the clause itself stipulates: what is said later does not undo it."""
        return CUES["stipulations"].search(self.text[: self.end], self._reach()) is not None

    # Opinion and condition ---------------------------------------------------------------------------

    def _is_opinion(self) -> bool:
        before = self.text[: self.start]
        if CUES["opinions"].search(before) and not _WORDS["asking"].search(before):
            return True
        if self.is_problem:
            return False
        return any(match.start() < self.start < match.end() for match in _WORDS["quoted"].finditer(self.text))

    def _is_conditional(self) -> bool:
        if CUES["conditions"].search(self.text[: self.start]):
            return True
        last = self.last
        after = self.text[self.end : last]
        condition, cut = CUES["conditions"].search(after), _WORDS["next_clause"].search(after)
        if condition and (cut is None or condition.start() <= cut.start()):
            return True
        is_strong = last < len(self.text) and self.text[last - 1] in _STRONG
        return bool(not is_strong and not self._is_set_up() and _WORDS["if_clause"].match(self.text[last:]))
