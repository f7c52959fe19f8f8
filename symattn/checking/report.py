"""Report on a submission: plain data, for people and for machines.

Places are offsets into the text of the work, end exclusive; lines and columns are counted from 1, in
characters. The words are those of the JSON form (`Report.as_json`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Literal, Self, TypeAlias, get_args

from symattn import late
from symattn.checking import mistake_catalogue
from symattn.errors import InputError, shortened
from symattn.records import dataclass

Verdict: TypeAlias = Literal[
    "withdrawn",
    "unread",
    "ambiguous",
    "unchecked",
    "undecided",
    "right",
    "rounded",
    "carried",
    "truncated",
    "coarse",
    "follows",
    "unstated",
    "wrong",
]
"""The words of a verdict; of several that apply, the first."""

MEANINGS: dict[Verdict, str] = {
    "withdrawn": "struck out (`~~…~~`, `\\sout`) or taken back in words: judged, never counted",
    "unread": "cannot be read",
    "ambiguous": "has several readings with different verdicts, which are listed",
    "unchecked": "prose, or a formula about nothing of the problem; of a proof: its conditions and assumptions",
    "undecided": "can be read, but is neither proved nor refuted",
    "right": "exact",
    "rounded": "right to the digits written",
    "carried": "right from numbers that were rounded on the way",
    "truncated": "cut off instead of rounded",
    "coarse": "right, but with fewer places than the sheet asks",
    "follows": "right given an earlier mistake in the same work; costs nothing more",
    "unstated": "of a proof: right only under a hypothesis that the work does not state",
    "wrong": "has the right value beside it, and the likeliest cause if that mistake gives this number",
}
"""The meaning of each verdict, in the order in which they are tried."""

VERDICTS: tuple[Verdict, ...] = tuple(MEANINGS)

BADNESS: tuple[Verdict, ...] = (
    "wrong",
    "follows",
    "unstated",
    "undecided",
    "ambiguous",
    "unread",
    "coarse",
    "truncated",
    "carried",
    "rounded",
    "right",
)
"""The verdict of a matrix is that of its worst entry: the first of these."""

HOLDS: frozenset[Verdict] = frozenset({"right", "rounded", "carried"})
"""Verdicts with which nobody loses anything."""

Reveal: TypeAlias = Literal["marks", "place", "cause", "value"]
"""The amount that a report tells: marks and counts, also the places, also the causes, or all of it."""

REVEALS: tuple[Reveal, ...] = get_args(Reveal)
"""The levels of a report, each telling all that those before it tell."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position: lines and columns from 1, offsets from 0, the cell of a notebook."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Checks:
    """Three questions, each answered yes, no, or null where it does not arise."""

    operands: bool | None = None
    arithmetic: bool | None = None
    value: bool | None = None


_WORD = late.pattern(r"[A-Z][a-z]|A (?:factor|matrix)\b")
"""First words of sentences that begin with a word, and not with the name of a matrix."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The likeliest cause of a mistake: a code out of one table, and a sentence.

    Where `is_sure` is False the cause fits and may do so by chance, as some cause fits any number of two digits.
    """

    code: str
    text: str
    is_sure: bool = True

    @property
    def said(self) -> str:
        """The sentence, worded as a possibility where it may be chance.

        >>> Diagnosis("mask-forgotten", "The mask was left out.", is_sure=False).said
        'Perhaps the mask was left out.'
        """
        if self.is_sure:
            return self.text
        is_word = _WORD.match(self.text) is not None
        return f"Perhaps {self.text[:1].lower() if is_word else self.text[:1]}{self.text[1:]}"


@dataclass(frozen=True, slots=True)
class EntryFinding:
    """One entry of a matrix."""

    verdict: Verdict
    value: str | None
    expected: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class Finding:
    """One judged statement: a link of a chain.

    Attributes:
        place: the link, from its relation on.
        text: the link as written.
        name: what it is about, canonically (``Q[3,1]``), or None.
        verdict: one word.
        value: what was written as the value, None where none was.
        expected: the right value, written as precisely as the work or the sheet wants it.
        checks: were the operands copied rightly, is the arithmetic true, is the value right.
        harmless: whether it is wrong and changes no later answer to the digits asked for.
        explanation: sentences for a person; empty for what is simply right.
        diagnosis: the likeliest cause, for what is wrong.
        entries: for a matrix, the finding of each entry as it stands.
        culprit: the place to mark, where it is narrower than the link.
        guess: whether the binding of the name was a guess (the explanation says so).
        missing_hypotheses: for claims that need some.
        is_claim: whether it claims something that can be judged; words, and what a proof assumes, do not.
    """

    place: Place
    text: str
    name: str | None
    verdict: Verdict
    value: str | None = None
    expected: str | None = None
    checks: Checks = Checks()
    harmless: bool = False
    explanation: str = ""
    diagnosis: Diagnosis | None = None
    entries: tuple[tuple[EntryFinding, ...], ...] | None = None
    culprit: Place | None = None
    guess: bool = False
    missing_hypotheses: tuple[str, ...] = ()
    is_claim: bool = True

    @property
    def shown_at(self) -> Place:
        """The place whose line and column are given: that of the statement, or a marked one on another line."""
        bad = next((item.place for _, _, item in self.bad_entries()), self.place)
        marked = self.culprit or bad
        is_same = (marked.cell, marked.line) == (self.place.cell, self.place.line)
        return self.place if is_same else marked

    def bad_entries(self) -> Iterator[tuple[int, int, EntryFinding]]:
        """Yield the entries of a matrix that do not hold, with row and column from 1."""
        for i, row in enumerate(self.entries or (), 1):
            for j, item in enumerate(row, 1):
                if item.verdict not in {*HOLDS, "unchecked", "withdrawn"}:
                    yield i, j, item

    def as_json(self) -> dict[str, object]:
        """Return the finding as ``symattn check --json`` prints it."""
        place = self.place
        return {
            "line": place.line,
            "column": place.column,
            "end_line": place.end_line,
            "end_column": place.end_column,
            **({} if place.cell is None else {"cell": place.cell}),
            "text": self.text,
            "name": self.name,
            "verdict": self.verdict,
            "value": self.value,
            "expected": self.expected,
            "checks": {
                "operands": self.checks.operands,
                "arithmetic": self.checks.arithmetic,
                "value": self.checks.value,
            },
            "harmless": self.harmless,
            "missing_hypotheses": list(self.missing_hypotheses),
            "explanation": self.explanation,
            "diagnosis": None if self.diagnosis is None else {"code": self.diagnosis.code, "text": self.diagnosis.said},
            "entries": None if self.entries is None else [[_entry(item) for item in row] for row in self.entries],
        }


def _entry(item: EntryFinding) -> dict[str, object]:
    return {
        "verdict": item.verdict,
        "value": item.value,
        "expected": item.expected,
        "line": item.place.line,
        "column": item.place.column,
    }


@dataclass(frozen=True, slots=True)
class PolicyFound:
    """The rounding policy that explains the work.

    Attributes:
        policy: every key of it, as `Policy.as_json` gives them.
        words: the same in a few words, ``every step to 2 places, half-up``.
        declared: whether the sheet fixed it.
        explained: how many of the rounded numbers it explains.
        of: how many there are.
        exceptions: the positions, in `Report.findings`, of those that it does not explain.
    """

    policy: dict[str, object]
    words: str
    declared: bool
    explained: int
    of: int
    exceptions: tuple[int, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return all keys, and the exceptions."""
        return {
            **self.policy,
            "words": self.words,
            "declared": self.declared,
            "explained": self.explained,
            "of": self.of,
            "exceptions": list(self.exceptions),
        }


@dataclass(frozen=True, slots=True)
class PartMarks:
    """Marks of one part, and a sentence for each mark that is lost."""

    part: str
    points: Fraction
    earned: Fraction
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks of all parts with points, and the scheme in words."""

    parts: tuple[PartMarks, ...]
    scheme: str

    @property
    def points(self) -> Fraction:
        """The available points."""
        return sum((part.points for part in self.parts), Fraction(0))

    @property
    def earned(self) -> Fraction:
        """The earned points."""
        return sum((part.earned for part in self.parts), Fraction(0))

    def as_json(self) -> dict[str, object]:
        """Return points as strings, ``"5/2"``."""
        return {
            "points": str(self.points),
            "earned": str(self.earned),
            "scheme": self.scheme,
            "parts": [
                {"part": p.part, "points": str(p.points), "earned": str(p.earned), "reasons": list(p.reasons)}
                for p in self.parts
            ],
        }


FORMAT = 1


@dataclass(frozen=True, slots=True)
class Report:
    """All findings on one submission.

    Attributes:
        source: the name of the file.
        text: the whole work, as it was read.
        findings: every statement in the order of the text.
        policy: the rounding that explains the numbers, None when nothing was rounded.
        first_mistake: the position in `findings` of the first mistake, in order of dependence, then of place; from
            0, and None where there is none. `first` is that finding itself.
        missing: required quantities that were not found, by canonical name.
        marks: None when the problem gives no points.
        remarks: sentences about the whole work: that an answer rounded once at the end differs, a guess that was made.
        reveal: the amount that the report tells; `redacted` makes it less.
        unlisted: the verdicts of statements that are counted and not shown, in the order of `VERDICTS`.
        unlisted_missing: the number of missing quantities that are not named.
    """

    source: str
    text: str
    findings: tuple[Finding, ...]
    policy: PolicyFound | None = None
    first_mistake: int | None = None
    missing: tuple[str, ...] = ()
    marks: Marks | None = None
    remarks: tuple[str, ...] = ()
    reveal: Reveal = "value"
    unlisted: tuple[Verdict, ...] = ()
    unlisted_missing: int = 0

    @property
    def first(self) -> Finding | None:
        """The first mistake, None where there is none."""
        return None if self.first_mistake is None else self.findings[self.first_mistake]

    @property
    def counts(self) -> Counter[Verdict]:
        """The number of statements with each verdict."""
        return Counter((*(finding.verdict for finding in self.findings), *self.unlisted))

    @property
    def exit_status(self) -> int:
        """0 all judged holds, 1 something wrong or missing, 3 something left open or nothing to judge."""
        counts = self.counts
        if counts["wrong"] or self.missing or self.unlisted_missing:
            return 1
        judged = sum(counts[word] for word in VERDICTS if word not in {"withdrawn", "unchecked"})
        is_open = any(counts[word] for word in ("unread", "ambiguous", "undecided", "unstated"))
        return 3 if is_open or not judged else 0

    @property
    def summary(self) -> str:
        """One line: ``41 statements: 27 right, 5 rounded, 4 wrong``."""
        counts = self.counts
        words = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if counts[word])
        total = counts.total()
        return f"{total} statement{'s' * (total != 1)}" + (f": {words}" if words else "")

    def as_json(self) -> dict[str, object]:
        """Return the report as ``symattn check --json`` prints it."""
        return {
            "format": FORMAT,
            "source": self.source,
            "statements": [finding.as_json() for finding in self.findings],
            "policy": None if self.policy is None else self.policy.as_json(),
            "first_mistake": None if self.first_mistake is None else self._first(self.first_mistake),
            "missing": list(self.missing),
            "marks": None if self.marks is None else self.marks.as_json(),
            "remarks": list(self.remarks),
            "summary": {word: self.counts[word] for word in VERDICTS},
            **({} if self.reveal == "value" else {"reveal": self.reveal}),
            **({"missing_count": self.unlisted_missing} if self.reveal == "marks" else {}),
        }

    def redacted(self, reveal: Reveal) -> Self:
        """Return the report with less in it, as it may be given to the person whose work it is.

        What was taken out of a report does not come back at a higher level. Counts, marks and exit status stay.

        Args:
            reveal: ``"marks"`` leaves points and counts; ``"place"`` also the statements with their verdicts, the
                place of the first mistake and the names of what is missing; ``"cause"`` also diagnoses, hypotheses
                that are not named, and the sentences that state no value; ``"value"`` everything.

        Raises:
            InputError: an unknown level.
        """
        if reveal not in REVEALS:
            known = ", ".join(REVEALS[:-1])
            raise InputError(f"reveal must be {known} or {REVEALS[-1]}, not {shortened(str(reveal))!r}.")
        if REVEALS.index(reveal) >= REVEALS.index(self.reveal):
            return self
        if reveal == "marks":
            return replace(
                self, findings=(), policy=None, first_mistake=None, missing=(), remarks=(), reveal=reveal,
                marks=_without_reasons(self.marks), unlisted=tuple(sorted(self.counts.elements(), key=VERDICTS.index)),
                unlisted_missing=len(self.missing),
            )  # fmt: skip
        has_causes = reveal == "cause"
        return replace(
            self,
            findings=tuple(_without_values(item, has_cause=has_causes) for item in self.findings),
            marks=self.marks if has_causes else _without_reasons(self.marks),
            remarks=tuple(filter(None, (_plain_sentences(remark) for remark in self.remarks))),
            reveal=reveal,
        )

    def _first(self, position: int) -> dict[str, object]:
        finding = self.findings[position]
        return {
            "statement": position,
            "line": finding.shown_at.line,
            "column": finding.shown_at.column,
            "name": finding.name,
            "explanation": finding.explanation,
        }


# Redaction -----------------------------------------------------------------------------------------


_PLAIN = late.pattern(
    r"""
    (?: (?:row|column|line|token|block|key|term|head|sequence|layer|part)s? [ ] \d+ (?: (?:,|[ ]and) [ ] \d+ )*
      | [A-Z]\w* (?:\^\d+)? (?:@\d+)? \[(?:\d+|:) (?:,(?:\d+|:))?\]    # the name of an entry, a row or a column
      | \(\d+,\d+\) | counted[ ]from[ ]\d+
      | (?: (?![\u0370-\u03ff]) [^\W\d_] | (?<=\w)[-_](?=[^\W\d]) )++ (?![\w(])
      | (?<!\w)\( | \) | [\s.,:;'"?!]
    )+
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A sentence of words, in which numbers are those of rows, lines, entries and the like."""

_STATES_A_VALUE = late.pattern(r"copied as|, not\b|\bcomes? to\b|\bstands for\b|\b(?:is|are|to) \w\b", re.IGNORECASE)
"""Words beside which a right value may stand as a letter."""


def _plain_sentences(text: str, values: Iterable[str] = ()) -> str:
    """Return those sentences of a text that state no number, no formula and none of some values.

    >>> _plain_sentences("The sign is wrong. S[1,2] is -2.5, not 2.5. See line 12.")
    'The sign is wrong. See line 12.'
    >>> _plain_sentences("K[1,2] is beta, copied as b. A term is missing."), _plain_sentences("It is q.", ["q"])
    ('A term is missing.', '')
    """
    stated = [re.compile(rf"(?<!\w){re.escape(value)}(?!\w)") for value in values]
    return " ".join(
        sentence
        for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", text)
        if _PLAIN.fullmatch(sentence)
        and not _STATES_A_VALUE.search(sentence)
        and not any(value.search(sentence) for value in stated)
    )


def _without_values(finding: Finding, *, has_cause: bool) -> Finding:
    """Return a finding without any right value, and without causes unless these are kept."""
    entries = finding.entries and tuple(tuple(replace(item, expected=None) for item in row) for row in finding.entries)
    place = replace(
        finding, expected=None, checks=Checks(), explanation="", diagnosis=None, entries=entries, missing_hypotheses=()
    )
    if not has_cause:
        return place
    values = {item.expected for row in finding.entries or () for item in row} | {finding.expected}
    stated = [value for value in values if value]
    return replace(
        place,
        checks=finding.checks,
        explanation=_plain_sentences(finding.explanation, stated),
        diagnosis=None if finding.diagnosis is None else _general(finding.diagnosis, stated),
        missing_hypotheses=finding.missing_hypotheses,
    )


def _general(diagnosis: Diagnosis, values: Iterable[str]) -> Diagnosis:
    """Return a diagnosis whose sentence states no value: if it does, the meaning of its code."""
    if diagnosis.text and _plain_sentences(diagnosis.text, values) == diagnosis.text:
        return diagnosis
    text = mistake_catalogue.sentence(diagnosis.code) if diagnosis.code in mistake_catalogue.CODES else ""
    return replace(diagnosis, text=text, is_sure=diagnosis.is_sure or not text)


def _without_reasons(marks: Marks | None) -> Marks | None:
    return marks and replace(marks, parts=tuple(replace(part, reasons=()) for part in marks.parts))
