"""Outputs of a graded class: the grade book that Canvas imports, and a summary for the people who teach."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape
from statistics import median

from symattn.checking import mistake_catalogue
from symattn.checking.report import Finding, Marks, Report, Verdict
from symattn.courses.grading.judging import Result
from symattn.courses.grading.submissions import Handed
from symattn.courses.grading.swaps import wrong_entries
from symattn.courses.roster import Student, spreadsheet_cell
from symattn.printable import visible
from symattn.records import dataclass
from symattn.rendering.charts import Chart, chart_svg
from symattn.rendering.html import page

COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
"""Columns of a grade book of Canvas in front of the assignments."""

_PLACES = 2
_MOST_PLACES = 4
_BINS = 10
_MOST_NAMED = 10
_OPEN: tuple[Verdict, ...] = ("unread", "ambiguous", "undecided")


@dataclass(frozen=True, slots=True)
class Graded:
    """One student of a graded class.

    Attributes:
        student: the student.
        variant: the number of the student's variant; empty without variants.
        result: what was found; None where nothing could be judged.
        marks: the marks; None where a person must give them.
        notes: what needs a person's eye, a sentence each.
    """

    student: Student
    variant: str
    result: Result | None
    marks: Marks | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """A graded class.

    Attributes:
        title: the assignment.
        points: the points that a program judges.
        all_points: the points of the whole sheet.
        graded: the students in the order of the roster.
        handed: the files that were found.
        faults: how many results an internal fault has prevented.
    """

    title: str
    points: Fraction
    all_points: Fraction
    graded: tuple[Graded, ...]
    handed: Handed
    faults: int = 0

    @property
    def earned(self) -> list[Fraction]:
        """The marks that were given, in the order of the roster."""
        return [one.marks.earned for one in self.graded if one.marks is not None]

    @property
    def bins(self) -> list[int]:
        """The number of students in each tenth of the points, the last one with its upper end."""
        counts = Counter(min(_BINS - 1, int(mark / self.points * _BINS)) for mark in self.earned)
        return [counts[number] for number in range(_BINS)]

    @property
    def reports(self) -> list[Report]:
        """The reports of all works that were judged, those apart that answer another student's variant."""
        found = [one.result.report for one in self.graded if one.result is not None and not one.result.others]
        return [report for report in found if report is not None]

    @property
    def first_mistakes(self) -> Counter[str]:
        """The causes of first mistakes, in words."""
        return Counter(_cause(report.first) for report in self.reports if report.first is not None)

    @property
    def wrong_entries(self) -> Counter[str]:
        """The number of students who made a mistake of their own in an entry."""
        return Counter(name for report in self.reports for name in wrong_entries(report))

    @property
    def policies(self) -> Counter[str]:
        """The roundings that explain the works, in words."""
        return Counter(report.policy.words for report in self.reports if report.policy is not None)

    @property
    def noted(self) -> list[Graded]:
        """The students whose work needs a person's eye."""
        return [one for one in self.graded if one.notes]

    @property
    def exit_status(self) -> int:
        """0 all is graded, 3 something needs a person's eye, 4 an internal fault."""
        if self.faults:
            return 4
        return 3 if self.noted or self.handed.unmatched or self.handed.ambiguous else 0

    def as_json(self) -> dict[str, object]:
        """Return the summary for machines; points are strings, ``"5/2"``."""
        earned = self.earned
        return {
            "format": 1,
            "title": self.title,
            "points": str(self.points),
            "students": len(self.graded),
            "graded": len(earned),
            "mean": str(sum(earned, Fraction(0)) / len(earned)) if earned else None,
            "median": str(median(earned)) if earned else None,
            "distribution": self.bins,
            "first_mistakes": dict(_ranked(self.first_mistakes)),
            "wrong_entries": dict(_ranked(self.wrong_entries)),
            "policies": dict(_ranked(self.policies)),
            "marks": {one.student.key: None if one.marks is None else str(one.marks.earned) for one in self.graded},
            "for_a_person": {one.student.key: list(one.notes) for one in self.noted},
            "unmatched": list(self.handed.unmatched),
            "ambiguous": {name: list(labels) for name, labels in self.handed.ambiguous.items()},
            "left_out": {reason: list(names) for reason, names in self.handed.omitted.items()},
        }


# What is counted -----------------------------------------------------------------------------------


def notes_on(report: Report, marks: Marks) -> Iterator[str]:
    """Yield what needs a person's eye in a judged work, a sentence each."""
    counts = report.counts
    if report.exit_status == 0 or marks.earned == marks.points:
        return
    judged = sum(counts.values()) - counts["withdrawn"] - counts["unchecked"]
    if not judged:
        yield "Nothing in the work could be judged."
    found = [f"{counts[word]} {word}" for word in _OPEN if counts[word]]
    if found:
        yield f"Not every statement could be judged: {', '.join(found)}."


def _cause(finding: Finding) -> str:
    """Return the cause of a mistake in words, or the quantity of one that has none."""
    if finding.diagnosis is not None:
        return mistake_catalogue.sentence(finding.diagnosis.code) or finding.diagnosis.code
    about = "" if finding.name is None else f" in {finding.name.partition('[')[0]}"
    return f"A wrong value{about}, of no known cause."


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


# The grade book ------------------------------------------------------------------------------------


def grade_book(summary: ClassSummary) -> str:
    """Return the CSV file that Canvas imports; a student without marks has an empty cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*COLUMNS, spreadsheet_cell(summary.title)])
    writer.writerow(["    Points Possible", "", "", "", "", decimal(summary.points)])
    for one in summary.graded:
        who = one.student
        cells = (who.name, who.id, who.sis_id, who.login, who.section)
        marks = "" if one.marks is None else decimal(one.marks.earned)
        writer.writerow([*(spreadsheet_cell(cell) for cell in cells), marks])
    return file.getvalue()


def decimal(value: Fraction) -> str:
    """Return a mark as a decimal: exact with up to four places, otherwise rounded half up to two.

    >>> [decimal(Fraction(text)) for text in ("3", "5/2", "1/16", "7/3", "0.125")]
    ['3', '2.5', '0.0625', '2.33', '0.125']
    """
    places = next((places for places in range(_MOST_PLACES + 1) if not value * 10**places % 1), None)
    if places is None:
        value = Fraction((value * 10**_PLACES + Fraction(1, 2)) // 1, 10**_PLACES)
        places = _PLACES
    whole = str(value * 10**places // 1).rjust(places + 1, "0")
    return f"{whole[:-places]}.{whole[-places:]}" if places else whole


# The summary ---------------------------------------------------------------------------------------


def summary_page(summary: ClassSummary) -> str:
    """Return the summary of a class as a page."""
    earned = summary.earned
    said = f"{len(summary.graded)} students: {len(earned)} graded, {len(summary.noted)} for a person to look at"
    parts = [page.header(f"{_text(summary.title)}: the class", said)]
    if earned:
        mean = decimal(sum(earned, Fraction(0)) / len(earned))
        parts.append(
            f"<p>Mean {mean}, median {decimal(Fraction(median(earned)))}, of {decimal(summary.points)} points.</p>"
        )
    if summary.all_points != summary.points:
        parts.append(
            f"<p>The sheet has {decimal(summary.all_points)} points. A person gives the rest, which is not in "
            "grades.csv.</p>"
        )
    picture = page.scrolling(chart_svg(_distribution(summary)), label="picture, scrolls sideways")
    parts += ["<h2>Marks</h2>", f"<figure>{picture}</figure>"]
    parts += _counted("Commonest first mistakes", "cause", "each student's first mistake", summary.first_mistakes)
    parts += _counted("Hardest entries", "entry", "a mistake of the student's own", summary.wrong_entries)
    parts += _counted("Rounding policies", "policy", "the rounding that explains the work", summary.policies)
    parts += _eye(summary)
    parts += _all(summary)
    return page.page(f"{visible(summary.title)}: the class", "\n".join(parts))


def _distribution(summary: ClassSummary) -> Chart:
    """Return the distribution of the marks as bars over tenths of the points."""
    ends = [decimal(summary.points * number / _BINS) for number in range(_BINS + 1)]
    bars = ((f"{low} to {high} points", count) for low, high, count in zip(ends, ends[1:], summary.bins, strict=False))
    return Chart("Distribution of the marks", tuple(bars))


def _counted(title: str, what: str, caption: str, counts: Counter[str]) -> Iterator[str]:
    yield f"<h2>{title}</h2>"
    rows = [(name, str(count)) for name, count in _ranked(counts)[:_MOST_NAMED]]
    yield _table(f"Students by {caption}", (what, "students"), rows) if rows else "<p>None.</p>"
    if len(counts) > _MOST_NAMED:
        yield f"<p>And {len(counts) - _MOST_NAMED} more.</p>"


def _eye(summary: ClassSummary) -> Iterator[str]:
    yield "<h2>For a person to look at</h2>"
    rows = [(one.student.label, " ".join(one.notes)) for one in summary.noted]
    rows += [(name, "The name names no student of the roster.") for name in summary.handed.unmatched]
    rows += [
        (name, f"The name fits several students: {'; '.join(labels)}.")
        for name, labels in summary.handed.ambiguous.items()
    ]
    yield _table("Students and files", ("student or file", "reason"), rows) if rows else "<p>Nothing.</p>"
    for reason, names in summary.handed.omitted.items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        yield f"<p>Left out ({_text(reason)}): {_text(', '.join(names[:_MOST_NAMED]))}{more}.</p>"


def _all(summary: ClassSummary) -> Iterator[str]:
    yield "<h2>All students</h2>"
    rows = [
        (
            one.student.label,
            one.student.section,
            one.variant,
            "" if one.marks is None else decimal(one.marks.earned),
            "" if one.result is None or one.result.report is None else one.result.report.summary,
        )
        for one in summary.graded
    ]
    yield _table("In the order of the roster", ("student", "section", "variant", "marks", "statements"), rows)


def _table(caption: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return page.table_html(caption, titles, (map(_text, row) for row in rows))


def _text(words: str) -> str:
    return escape(visible(words))
