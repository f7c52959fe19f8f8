"""Grading of a class: a folder of submissions in, grades, reports and a summary out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from symattn.api.sheet_texts import SheetText
from symattn.checking.report import Reveal
from symattn.courses import roster as rosters
from symattn.courses.grading import outputs
from symattn.courses.grading.judging import (
    Made,
    Points,
    Result,
    Task,
    is_valid,
    judged_digest,
    points_of,
    read_result,
)
from symattn.courses.grading.outputs import ClassSummary, Graded
from symattn.courses.grading.scheduling import Workers
from symattn.courses.grading.submissions import Handed, find_submissions
from symattn.courses.grading.swaps import PrintedNumbers
from symattn.courses.roster import Roster, Student, Variants
from symattn.errors import InputError, OutputError, SymattnError
from symattn.files import make_folder, write_atomically
from symattn.problem.text import document
from symattn.processes.isolation import Failure
from symattn.processes.limits import Budget
from symattn.records import dataclass

Watch: TypeAlias = Callable[[int, int], AbstractContextManager[Callable[[], None]]]
"""Shows a run: of so many tasks so many are done; the function that it yields tells of one more."""

ENDINGS = ("html", "pdf")

_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run.

    Attributes:
        policy: keys of the rounding policy to replace.
        problem: of several problems the one that is graded; None for all.
        strict: accept the sheet's rounding alone.
        reveal: the amount that the students' reports tell.
        pdf: whether the reports are made into PDFs too.
        points_only: put changed points on the results that are there, and judge nothing.
        column: the title of the assignment in the grade book; empty for the title of the sheet.
        budget: what the check of one work may take.
    """

    policy: str | None = None
    problem: str | None = None
    strict: bool = False
    reveal: Reveal = "value"
    pdf: bool = False
    points_only: bool = False
    column: str = ""
    budget: Budget = Budget()


@dataclass(frozen=True, slots=True)
class Course:
    """Files of one assignment.

    Attributes:
        problem: the problem file, whose points are the points of the parts.
        place: the folder, or the zip archive, of the submissions.
        roster: the CSV file of the students.
        variants: the table of variants; None where all students have `problem`.
        output: the folder for what comes out; it is made where it is missing.
    """

    problem: str
    place: str
    roster: str
    variants: str | None
    output: str


def grade_class(course: Course, options: Options, workers: Workers, watch: Watch) -> ClassSummary:
    """Grade the submissions of a class and write grades.csv, summary.html, and a report for each student.

    What an earlier run has finished, and what has not changed since, stays as it is.

    Args:
        course: the files.
        options: the options.
        workers: makes the results.
        watch: shows how far the run is.

    Raises:
        InputError: an input cannot be used as it stands, or with `points_only` a work was not judged yet.
        OutputError: the output cannot be written.
    """
    run = _Run(course, options)
    run.judge(workers, watch)
    summary = run.summary()
    write_atomically(run.output / "grades.csv", outputs.grade_book(summary))
    write_atomically(run.output / "summary.html", outputs.summary_page(summary))
    return summary


class _Run:
    """One run: its inputs, which are read at once, and the results as they come."""

    def __init__(self, course: Course, options: Options) -> None:
        self.output, self.options = Path(course.output), options
        self.roster: Roster = rosters.read_roster(course.roster)
        self.base = SheetText(*document.read_file(course.problem), options.policy, options.budget, name=options.problem)
        self.sheet = self.base.problems()
        self.points: Points = points_of(self.sheet)
        self.variants: Variants | None = None if course.variants is None else rosters.read_variants(course.variants)
        self.numbers: dict[str, str] = {}
        self.sheets = dict(self._sheets())
        if self.output.resolve().is_relative_to(Path(course.place).resolve()):
            raise InputError(f"{course.output} lies in the folder of the submissions. Name another output folder.")
        self.handed: Handed = find_submissions(course.place, self.roster)
        self.printed = PrintedNumbers(dict(self._variant_sheets()))
        self.results: dict[str, Result] = {}
        self.failures: dict[str, Failure] = {}
        self.unread: dict[str, str] = {}
        for folder in ("results", "reports"):
            make_folder(self.output / folder)
        for folder in ("results", "reports", "."):
            for rest in (self.output / folder).glob(".symattn-*.tmp"):  # of a run that was killed
                rest.unlink(missing_ok=True)

    def _sheets(self) -> Iterator[tuple[str, SheetText]]:
        """Yield the problem of each student who has one."""
        for student in self.roster.students:
            if self.variants is None:
                yield student.key, self.base
            elif row := self.variants.of_student(student):
                self.numbers[student.key] = row.variant
                yield student.key, self._sheet_of(row)

    def _variant_sheets(self) -> Iterator[tuple[str, SheetText]]:
        for row in self.variants.variants if self.variants is not None else ():
            yield row.variant, self._sheet_of(row)

    def _sheet_of(self, row: rosters.Variant) -> SheetText:
        if self.variants is None:
            raise ValueError("a row of a table that was not read")
        text = self.variants.problem_text(row)
        return SheetText(text, row.problem, self.options.policy, self.options.budget, name=self.options.problem)

    # Judging

    def judge(self, workers: Workers, watch: Watch) -> None:
        """Make the results that are not there yet."""
        ready = [key for key, files in self.handed.works.items() if len(files) == 1 and key in self.sheets]
        waiting = [key for key in ready if not self._is_done(key)]
        with watch(len(ready), len(ready) - len(waiting)) as advance:

            def emit(key: str, outcome: Made | Failure) -> None:
                self._keep(key, outcome)
                advance()

            if waiting:
                workers(self._task, waiting, emit)
        for student in self.roster.students:
            self._drop_old(student)

    def _task(self, key: str) -> Task:
        (work,) = self.handed.works[key]
        sheet, data = self.sheets[key], work.read()
        others = self.printed.nearest(data, self.numbers.get(key, ""))
        judged = judged_digest(sheet, work.name, data, others, strict=self.options.strict)
        path = self._path(key)
        try:
            record = path.read_text("utf-8") if path.is_file() else ""
        except (OSError, ValueError):
            record = ""
        return Task(
            key, sheet, work.name, data, others, self.options.strict, self.points, self.options.reveal,
            self.options.pdf, judged, record,
        )  # fmt: skip

    def _is_done(self, key: str) -> bool:
        """Return whether the result and the pages of a student are there, and are those of this run."""
        try:
            task = self._task(key)
        except InputError as error:
            self.unread[key] = str(error)
            return True
        result = read_result(task.record)
        if result is None or not is_valid(result, task):
            if self.options.points_only:
                raise InputError(
                    f"{task.work} was not judged on this problem with these options yet: run without --points-only."
                )
            return False
        pages = all(_digest(self._path(key, ending)) == digest for ending, digest in result.pages)
        if result.rendered == task.rendered and pages:
            self.results[key] = result
            return True
        return False

    def _keep(self, key: str, outcome: Made | Failure) -> None:
        """Write the files of a student, the record last: a run that is stopped before makes them once more."""
        if isinstance(outcome, Failure):
            if isinstance(outcome.error, SymattnError):
                raise outcome.error
            self.failures[key] = outcome
            return
        for ending, data in outcome.pages:
            write_atomically(self._path(key, ending), data)
        write_atomically(self._path(key), outcome.record)
        result = read_result(outcome.record)
        if result is None:
            raise OutputError(f"The record of {key} cannot be read back: please report it.")
        self.results[key] = result
        if outcome.warning:
            self.unread[key] = outcome.warning

    def _drop_old(self, student: Student) -> None:
        """Remove files of earlier runs that nothing stands behind any more."""
        result = self.results.get(student.key)
        pages = {} if result is None else dict(result.pages)
        for ending in ENDINGS:
            if ending not in pages:
                self._path(student.key, ending).unlink(missing_ok=True)
        if result is None:
            self._path(student.key).unlink(missing_ok=True)

    def _path(self, key: str, ending: str = "json") -> Path:
        folder = "results" if ending == "json" else "reports"
        return self.output / folder / f"{file_stem(key)}.{ending}"

    # What comes out

    def summary(self) -> ClassSummary:
        """Return the graded class."""
        graded = tuple(self._graded(student) for student in self.roster.students)
        points = sum((points for _, points in self.points), Fraction(0))
        title = self.options.column or self.sheet.title or self.sheet.problems[0].title or Path(self.base.source).stem
        return ClassSummary(
            title, points, self.sheet.points or points, graded, self.handed,
            sum(not failure.is_over for failure in self.failures.values()),
        )  # fmt: skip

    def _graded(self, student: Student) -> Graded:
        result = self.results.get(student.key)
        marks = None if result is None else result.marks(self.points)
        return Graded(student, self.numbers.get(student.key, ""), result, marks, tuple(self._notes(student, result)))

    def _notes(self, student: Student, result: Result | None) -> Iterator[str]:
        key = student.key
        files, others = self.handed.works.get(key, ()), self.handed.others.get(key, ())
        if len(files) > 1:
            yield f"Several files, none of which was judged: {', '.join(file.name for file in files[:9])}."
        elif not files:
            yield f"Nothing that can be read: {', '.join(others[:9])}." if others else "No submission."
        elif key not in self.sheets:
            yield "The table of variants has no variant for this student."
        if key in self.failures:
            yield self.failures[key].told[0]
        if key in self.unread:
            yield self.unread[key]
        if result is None:
            return
        if result.report is None:
            yield result.error
        elif marks := result.marks(self.points):
            yield from outputs.notes_on(result.report, marks)
        if there := result.marks_elsewhere(self.points):
            owners = " or ".join(map(self._owned, result.others))
            earned = f"{outputs.decimal(there.earned)}/{outputs.decimal(there.points)}"
            yield f"The work answers variant {owners}: {earned} there. A person gives the marks."

    def _owned(self, variant: str) -> str:
        """Return a variant and whose it is."""
        owners = [student.label for student in self.roster.students if self.numbers.get(student.key) == variant]
        return " of ".join([variant, *owners])


def file_stem(key: str) -> str:
    """Return the name of the files of a student, which every system takes.

    >>> file_stem("101"), file_stem("ana@uni.example"), file_stem("../x")
    ('101', 'ana@uni.example', '%2E.%2Fx')
    """
    plain = "".join(_safe(letter) for letter in key.casefold())
    plain = f"%2E{plain[1:]}" if plain.startswith(".") else plain
    return plain if len(plain) <= _LONGEST else hashlib.sha256(key.encode()).hexdigest()


def _safe(letter: str) -> str:
    """Return a letter of a file name, or its bytes as addresses of the web have them."""
    if letter.isascii() and (letter.isalnum() or letter in "@._-"):
        return letter
    return "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "surrogatepass"))


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
