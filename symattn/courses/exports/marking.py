"""Marks of one work where another system runs: the points as its number, the report as its text."""

from __future__ import annotations

from fractions import Fraction

from symattn.api.sheet_submissions import check_sheet
from symattn.checking.report import REVEALS
from symattn.courses.exports.assignment import decimal_points, full_marks, read_sheet
from symattn.courses.exports.notebook_text import WORK
from symattn.errors import SymattnError
from symattn.printable import visible
from symattn.records import dataclass

NO_WORK = f"There is no work to grade: the first line of its cell must be %%writefile {WORK}."


@dataclass(frozen=True, slots=True)
class Marked:
    """A graded work.

    Attributes:
        points: what it earns.
        text: the report for the student.
    """

    points: float
    text: str


def marked(problem: str, work: str, name: str | None, reveal: str) -> Marked:
    """Grade a work; one that cannot be read earns nothing and is told why.

    Args:
        problem: the text of the problem file.
        work: the text of the work.
        name: of several problems the one that was chosen.
        reveal: the amount that the report tells.

    Raises:
        InputError: the problem cannot be used.
    """
    sheet = read_sheet(problem, "the problem", name)
    full_marks(sheet)
    level = next((word for word in REVEALS if word == reveal), REVEALS[0])
    try:
        report = check_sheet(sheet, work, source="work").redacted(level)
    except SymattnError as error:
        return Marked(0.0, f"Not graded. {visible(str(error))}")
    earned = Fraction(0) if report.marks is None else report.marks.earned
    return Marked(decimal_points(earned), report.to_text())
