"""What a checker finds in the written work of a case, number by number, against what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from symattn.checking.check import check_text
from symattn.checking.report import Finding, Report, Verdict
from symattn.problem.model import Problem
from tests.conformance.cases import Case, Known
from tests.conformance.written import NOTATIONS, Format, Number, Work

Checker: TypeAlias = Callable[[Problem, str, Format], Report]

UNJUDGED = "unjudged"
"""The word for a number at which nothing was found."""

ACCEPTED: dict[str, frozenset[Verdict]] = {
    "B": frozenset({"right", "rounded"}),
    "E": frozenset({"right", "rounded"}),
    "S": frozenset({"right", "rounded", "carried", "follows"}),
    "T": frozenset({"truncated"}),
    "F": frozenset({"right", "rounded", "truncated"}),
    "W": frozenset({"wrong"}),
}
"""The words that agree with each letter; no sheet here asks for places, so that coarse is never one."""


@dataclass(frozen=True)
class Disagreement:
    """A number of which the checker says something else than what is known."""

    case: str
    notation: str
    step: str
    item: int
    row: int
    column: int
    printed: str
    code: str
    verdict: str
    explanation: str

    def __str__(self) -> str:
        item = f" (print {self.item + 1})" if self.item else ""
        place = f"{self.case} {self.notation} {self.step}{item}[{self.row + 1},{self.column + 1}]"
        return f"{place} = {self.printed}: known {self.code}, found {self.verdict}. {self.explanation}".rstrip()


@dataclass(frozen=True)
class Outcome:
    """One case in one notation."""

    case: str
    notation: str
    numbers: int
    agree: int
    false_alarm: bool
    is_wrong: bool
    first_wrong_found: bool | None
    disagreements: tuple[Disagreement, ...]
    remarks: tuple[str, ...] = ()


@dataclass
class Total:
    """All that was scored, and what was not."""

    outcomes: list[Outcome] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return len({outcome.case for outcome in self.outcomes})

    @property
    def numbers(self) -> int:
        return sum(outcome.numbers for outcome in self.outcomes)

    @property
    def agree(self) -> int:
        return sum(outcome.agree for outcome in self.outcomes)

    @property
    def agreement(self) -> float:
        return self.agree / self.numbers if self.numbers else 0.0

    @property
    def false_alarms(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.false_alarm]

    @property
    def with_first_wrong(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.first_wrong_found is not None]

    @property
    def first_wrong_missed(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.first_wrong_found is False]

    @property
    def disagreements(self) -> list[Disagreement]:
        return [one for outcome in self.outcomes for one in outcome.disagreements]


def real_checker(problem: Problem, text: str, format: Format) -> Report:  # noqa: A002 (the word that the checker uses)
    """The checker of the package."""
    return check_text(problem, text, format)


def score(cases: Iterable[Case], notations: Iterable[str], checker: Checker = real_checker) -> Total:
    """Every case in every notation; cases out of scope are listed with the reason."""
    total, chosen = Total(), tuple(notations)
    for case in cases:
        if reason := case.out_of_scope:
            total.skipped.append((case.id, reason))
            continue
        total.outcomes += [score_one(case, notation, checker) for notation in chosen]
    return total


def score_one(case: Case, notation: str, checker: Checker = real_checker) -> Outcome:
    """One case: its work is written and checked, and only then compared with what is known."""
    work = NOTATIONS[notation](case.handed_in)
    report = checker(case.problem, work.text, work.format)
    found = [said_of(number, report) for number in work.numbers]
    return compare(case, notation, work, report, found)


def said_of(number: Number, report: Report) -> tuple[str, str]:
    """The verdict on a number and its explanation, by the place where it stands."""
    around = [one for one in report.findings if one.place.start < number.end and number.start < one.place.end]
    for finding in sorted(around, key=lambda one: one.place.end - one.place.start):
        for row in finding.entries or ():
            for entry in row:
                if entry.place.start < number.end and number.start < entry.place.end:
                    return entry.verdict, finding.explanation
        if finding.entries is None:
            return finding.verdict, finding.explanation
    return UNJUDGED, "nothing was found there"


def compare(case: Case, notation: str, work: Work, report: Report, found: list[tuple[str, str]]) -> Outcome:
    """What was found against what is known."""
    known = case.verdict()
    apart: list[Disagreement] = []
    for number, (verdict, explanation) in zip(work.numbers, found, strict=True):
        code = known.code(number.step, number.item, number.row, number.column)
        if verdict not in ACCEPTED[code]:
            place = (number.step, number.item, number.row, number.column)
            apart.append(Disagreement(case.id, notation, *place, number.printed, code, verdict, explanation))
    alarmed = any(verdict in {"wrong", "follows"} for verdict, _ in found)
    return Outcome(
        case=case.id,
        notation=notation,
        numbers=len(work.numbers),
        agree=len(work.numbers) - len(apart),
        false_alarm=alarmed and not known.is_wrong,
        is_wrong=known.is_wrong,
        first_wrong_found=_is_first_found(known, work, report),
        disagreements=tuple(apart),
        remarks=case.remarks,
    )


def _is_first_found(known: Known, work: Work, report: Report) -> bool | None:
    """Whether the first mistake that is named is where the first wrong number stands; None without one."""
    if known.first_wrong is None:
        return None
    step, row, column = known.first_wrong
    first = next(
        (
            number
            for number in work.numbers
            if (number.step, number.row, number.column) == (step, row, column)
            and known.code(step, number.item, row, column) == "W"
        ),
        None,
    )
    if first is None:
        return None  # it stands in what was left out
    if report.first_mistake is None:
        return False
    named: Finding = report.findings[report.first_mistake]
    return named.place.start < first.end and first.start < named.place.end
