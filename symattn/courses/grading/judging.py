"""Results of students: one task for each, made of plain data, and one record that holds all that was found.

A record is keyed by digests of all that decides it, so that a class that was stopped goes on where it was. The report
in it is whole; what a student is shown, and the points, are put on it when its pages are made.
"""

from __future__ import annotations

import hashlib
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from html import escape
from typing import Any, TypeAlias

from symattn.api import sheet_submissions
from symattn.api.sheet_texts import SheetText
from symattn.api.submissions import Report, decode_work
from symattn.api.transcripts import VERSION
from symattn.checking.report import Marks, PartMarks, Reveal
from symattn.courses.grading.swaps import SWAPPED, wrong_entries
from symattn.errors import EngineError, InputError, OutputError, SymattnError
from symattn.notation.documents.reader import format_of
from symattn.printable import json_text, visible
from symattn.problem.sheet import Sheet
from symattn.problem.text import document
from symattn.processes.limits import BudgetError, limited
from symattn.records import dataclass
from symattn.rendering.html import page
from symattn.rendering.latex import compilation
from symattn.rendering.reports.html import report_page

FORMAT = 1

_SAME_BYTES = "\\pdfinfoomitdate=1\\pdftrailerid{}\\pdfsuppressptexinfo=-1\n"
"""What makes pdfTeX write the same file each time."""

Points: TypeAlias = tuple[tuple[str, Fraction], ...]
"""The parts that a program judges, by their labels, and the points of each."""


@dataclass(frozen=True, slots=True)
class Task:
    """All that the result of one student is made of, for a process that has nothing else.

    Attributes:
        student: the key of the student.
        sheet: the student's problem.
        work: the name of the submitted file.
        data: its bytes.
        others: numbers of variants that the work may answer, and their problems.
        strict: accept the sheet's rounding alone.
        points: the points of each part.
        reveal: the amount that the student's report tells.
        pdf: whether the report is made into a PDF too.
        judged: the digest of all that decides the report.
        record: the record of an earlier run; empty without one.
    """

    student: str
    sheet: SheetText
    work: str
    data: bytes
    others: tuple[tuple[str, SheetText], ...]
    strict: bool
    points: Points
    reveal: Reveal
    pdf: bool
    judged: str
    record: str = ""

    @property
    def rendered(self) -> str:
        """The digest of all that decides the student's pages."""
        points = [[label, str(points)] for label, points in self.points]
        return _digest([self.judged, VERSION, self.work, points, self.reveal, self.pdf])


@dataclass(frozen=True, slots=True)
class Result:
    """Findings on the work of one student.

    Attributes:
        student: the key of the student.
        work: the name of the submitted file.
        judged: the digest of all that decides the report.
        report: everything that was found; None where the work could not be read or took more than its budget.
        error: the reason for a missing report, for people.
        budget: what the check was allowed, if it took more.
        others: the numbers of the variants that the work answers instead of the student's own, each equally well.
        other_marks: what it would earn there.
        rendered: the digest of all that decides the pages of the student.
        pages: the SHA-256 of each page, by its ending.
    """

    student: str
    work: str
    judged: str
    report: Report | None
    error: str = ""
    budget: tuple[float, float] | None = None
    others: tuple[str, ...] = ()
    other_marks: Marks | None = None
    rendered: str = ""
    pages: tuple[tuple[str, str], ...] = ()

    def marks(self, points: Points) -> Marks | None:
        """Return the marks with the points of each part; None where nothing was judged, or other numbers were.

        Raises:
            InputError: the parts are others than those that were judged.
        """
        return None if self.report is None or self.others else self._scaled(self.report.marks, points)

    def marks_elsewhere(self, points: Points) -> Marks | None:
        """Return the marks on the other variant, likewise."""
        return self._scaled(self.other_marks, points)

    def _scaled(self, own: Marks | None, points: Points) -> Marks | None:
        if own is None:
            return None
        if [part.part for part in own.parts] != [label for label, _ in points]:
            raise InputError(
                f"The problem of {self.work} has other parts than the sheet: make the variants of this sheet."
            )
        parts = zip(own.parts, points, strict=True)
        return replace(own, parts=tuple(_with_points(part, most) for part, (_, most) in parts))

    def as_text(self) -> str:
        """Return the record as JSON, with a digest of its content."""
        content = _plain(self)
        return json_text({"format": FORMAT, "digest": _digest(content), "result": content}, indent=None) + "\n"


@dataclass(frozen=True, slots=True)
class Made:
    """Files of one student: the pages by their endings, the record, and the reason for a missing PDF."""

    pages: tuple[tuple[str, bytes], ...]
    record: str
    warning: str = ""


def read_result(text: str) -> Result | None:
    """Return the result of a record; None where it is not whole, or was written by another release."""
    try:
        record = json.loads(text)
        content = record["result"]
        if record["format"] != FORMAT or record["digest"] != _digest(content):
            return None
        found: Result = _typed(Result, content)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return found


def judged_digest(
    sheet: SheetText, name: str, data: bytes, others: tuple[tuple[str, SheetText], ...], *, strict: bool
) -> str:
    """Return the digest of all that decides a report: problem, work, options and release; points do not.

    Raises:
        InputError: a problem that cannot be read.
    """
    problems = [_without_points(document.parse(one.text, "", one.source)) for one in (sheet, *(o for _, o in others))]
    numbers = [number for number, _ in others]
    work = hashlib.sha256(data).hexdigest()
    return _digest([FORMAT, VERSION, problems, numbers, sheet.policy, sheet.name, name, work, strict])


def points_of(sheet: Sheet) -> Points:
    """Return the parts of a sheet that a program judges, and their points.

    Raises:
        InputError: none of them has points.
    """
    marks = sheet_submissions.check_sheet(sheet, "", "txt", source=sheet.source).marks
    if marks is None or not marks.points:
        raise InputError(
            f"{sheet.source} gives no points for what a program judges: write points = 2, say, into its [[parts]]."
        )
    return tuple((part.part, part.points) for part in marks.parts)


def make_result(task: Task) -> Made:
    """Judge the work of one student, unless its record holds, and make the pages."""
    result = read_result(task.record)
    if result is None or not is_valid(result, task):
        result = _judged(task)
    pages, warning = _pages(task, result)
    stamps = tuple((ending, hashlib.sha256(data).hexdigest()) for ending, data in pages)
    complete = replace(result, rendered="" if warning else task.rendered, pages=stamps)
    return Made(pages, complete.as_text(), warning)


def is_valid(result: Result, task: Task) -> bool:
    """Return whether a result is that of a task: of the same digest, and within another budget if it took too long."""
    return result.judged == task.judged and (result.budget is None or result.budget == _budget(task))


def _budget(task: Task) -> tuple[float, float]:
    return float(task.sheet.budget.seconds), float(task.sheet.budget.gigabytes)


def _judged(task: Task) -> Result:
    empty = Result(task.student, task.work, task.judged, None)
    try:
        text = decode_work(task.data, task.work)
        with limited(task.sheet.budget, task.work):
            report = _report(task, task.sheet, text)
            others, marks = _other_variants(task, text, report)
    except BudgetError as error:
        return replace(empty, error=str(error), budget=_budget(task))
    except SymattnError as error:
        return replace(empty, error=str(error))
    return replace(empty, report=report, others=others, other_marks=marks)


def _report(task: Task, sheet: SheetText, text: str) -> Report:
    return sheet_submissions.check_sheet(
        sheet.problems(), text, format_of(task.work), strict=task.strict, source=task.work
    )


def _other_variants(task: Task, text: str, own: Report) -> tuple[tuple[str, ...], Marks | None]:
    """Return the variants that a work answers best, if it fails its own, and its marks there."""
    wrong = len(wrong_entries(own))
    found: dict[str, Report] = {}
    for number, sheet in task.others if wrong >= SWAPPED else ():
        report = _report(task, sheet, text)
        if SWAPPED * len(wrong_entries(report)) <= wrong:
            found[number] = report
    best = max(found.values(), key=_earned, default=None)
    if best is None:
        return (), None
    return tuple(number for number, report in found.items() if _earned(report) == _earned(best)), best.marks


def _earned(report: Report) -> Fraction:
    return report.marks.earned if report.marks is not None else Fraction(0)


def _with_points(part: PartMarks, points: Fraction) -> PartMarks:
    if part.points == points:
        return part
    if part.points == 0:
        raise InputError(
            f"Part {part.part} had 0 points when it was judged: make the variants of this sheet once more."
        )
    return replace(part, points=points, earned=part.earned / part.points * points)


# Pages ---------------------------------------------------------------------------------------------


def _pages(task: Task, result: Result) -> tuple[tuple[tuple[str, bytes], ...], str]:
    """Return the pages of a student by their endings, and the reason for a missing PDF."""
    if result.report is None:
        title = f"Report on {visible(result.work)}"
        body = page.header(escape(title), escape(visible(result.error)))
        return (("html", page.page(title, body).encode()),), ""
    report = replace(result.report, marks=result.marks(task.points)).redacted(task.reveal)
    pages = [("html", report_page(report).encode())]
    if task.pdf:
        try:
            pages.append(("pdf", compilation.compile_tex(_SAME_BYTES + report.to_latex()).pdf))
        except (EngineError, OutputError) as error:
            return tuple(pages), str(error)
    return tuple(pages), ""


# Records -------------------------------------------------------------------------------------------


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def _without_points(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a problem file, of whose points only whether there are any is left."""
    return {
        key: [_without_points(one) for one in value if isinstance(one, Mapping)]
        if key in {"parts", "problems"} and isinstance(value, list)
        else _is_positive(value) if key == "points" else value
        for key, value in tables.items()
    }  # fmt: skip


def _is_positive(points: object) -> bool:
    return str(getattr(points, "text", points)).strip("0.") != ""


def _plain(value: object) -> Any:
    """Return a tree of records as JSON has it: each one as an object of its fields."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


def _typed(kind: Any, value: Any) -> Any:
    """Return what `_plain` made plain, as its type says.

    Raises:
        TypeError: it is of another type.
        ValueError: a fraction that is none.
        KeyError: a field is missing.
    """
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in {typing.Union, types.UnionType}:
        (inner,) = (one for one in arguments if one is not types.NoneType)
        return None if value is None else _typed(inner, value)
    if origin is typing.Literal:
        if value not in arguments:
            raise ValueError(value)
        return value
    if origin is tuple:
        kinds = [arguments[0]] * len(value) if arguments[-1] is Ellipsis else list(arguments)
        return tuple(_typed(one, item) for one, item in zip(kinds, value, strict=True))
    if kind is Fraction:
        return Fraction(value)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{field.name: _typed(hints[field.name], value[field.name]) for field in fields(kind)})
    if not isinstance(value, origin or kind):
        raise TypeError(kind)
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)
