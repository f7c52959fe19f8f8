"""Reports made by hand, for tests of how they are shown."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from symattn.checking.report import (
    Checks,
    Diagnosis,
    EntryFinding,
    Finding,
    Marks,
    PartMarks,
    Place,
    PolicyFound,
    Report,
    Verdict,
)
from symattn.exact.rounding.quotients import Rounding
from symattn.problem.settings.policy import STEPS, Policy

WORK = r"""# Q3a: Größe ≈ “naïve”
- Q_{31} = (-2·2) + (2·1) + (-1·-1/2) + (0·1) = 5/2
~~Q_{32} = 4~~
$$ S = \begin{bmatrix} 1 & 2 \\
  3 & 5 \end{bmatrix} $$
so it is = 0.7 and then = 8, as asked
"""


def place(text: str, start: int, end: int, cell: int | None = None) -> Place:
    """The place of a span of a text."""

    def position(offset: int) -> tuple[int, int]:
        return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)

    return Place(start, end, *position(start), *position(end), cell)


def of(part: str, text: str = WORK) -> Place:
    """The place of the first occurrence of a piece."""
    start = text.index(part)
    return place(text, start, start + len(part))


MATRIX = WORK[WORK.index("= \\begin") : WORK.index(" $$\nso")]

FINDINGS = (
    Finding(
        of("= (-2·2) + (2·1) + (-1·-1/2) + (0·1)"), "= (-2·2) + …", "Q[3,1]", "wrong", "5/2", "5/2",
        checks=Checks(operands=False, arithmetic=False, value=True),
        explanation="W_Q[1,1] is 0, copied as 2. The value 5/2 is right; the sum as written is -3/2.",
        diagnosis=Diagnosis("operand", "The factor was taken from another place."),
        culprit=of("-2·2"),
    ),
    Finding(of("= 5/2"), "= 5/2", "Q[3,1]", "right", "5/2", "5/2"),
    Finding(of("Q_{32} = 4"), "Q_{32} = 4", "Q[3,2]", "withdrawn", "4", "5"),
    Finding(
        of(MATRIX), MATRIX, "S", "wrong",
        entries=(
            (EntryFinding("right", "1", "1", of("1 &")), EntryFinding("wrong", "2", "7", of("2 \\\\"))),
            (EntryFinding("follows", "3", "4", of("3 &")), EntryFinding("right", "5", "5", of("5 \\end"))),
        ),
    ),
    Finding(of("= 0.7"), "= 0.7", "A[1,1]", "coarse", "0.7", "0.73", explanation="The sheet asks for two places."),
    Finding(of("= 8"), "= 8", None, "unread", explanation="Nothing was asked that this could be."),
)  # fmt: skip

REPORT = Report(
    "ps4_student_work.md",
    WORK,
    FINDINGS,
    PolicyFound(
        Policy(Rounding(places=2), steps=STEPS[1:]).as_json(),
        "every step to 2 places, half-up",
        declared=False,
        explained=37,
        of=41,
        exceptions=(4,),
    ),
    0,
    ("O[1,1]", "O[1,2]"),
    Marks(
        (
            PartMarks("a", Fraction(6), Fraction(9, 2), ("Q[3,1] has a wrong operand.",)),
            PartMarks("b", Fraction(3), Fraction(3)),
        ),
        "one mark off for each mistake",
    ),
    ("Rounded once at the end the answer is 1.18.",),
)

EMPTY = Report("empty.md", "", ())


def single(
    text: str,
    start: int,
    end: int,
    verdict: Verdict = "wrong",
    explanation: str = "It is not so.",
    cell: int | None = None,
) -> Report:
    """A report with one finding in a text."""
    finding = Finding(place(text, start, end, cell), text[start:end], None, verdict, explanation=explanation)
    return Report("work.md", text, (finding,))


def with_finding(**changes: object) -> Report:
    """The report of one wrong statement, something of it changed."""
    return replace(REPORT, findings=(replace(FINDINGS[0], **changes),), policy=None)  # type: ignore[arg-type]
