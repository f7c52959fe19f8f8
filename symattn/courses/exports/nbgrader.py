"""The source notebook for nbgrader, and the call in its last cell that grades with symattn."""

from __future__ import annotations

from pathlib import Path

from symattn.courses.exports.assignment import Assignment, decimal_points, full_marks
from symattn.courses.exports.marking import NO_WORK, marked
from symattn.courses.exports.notebook_text import (
    PROMPT,
    WORK,
    WRITES,
    code,
    markdown,
    notebook,
    packed,
    sheet_cells,
    unpacked,
)

_SCHEMA = 3
"""The version of the metadata of cells that nbgrader 0.6 and later use."""


def nbgrader(assignment: Assignment) -> str:
    """Return the source notebook of an assignment for nbgrader.

    Raises:
        InputError: several variants, or no points that a program can judge.
    """
    version = assignment.only_version("nbgrader")
    points = decimal_points(full_marks(version.sheet).points)
    call = f"grade({packed(version.text)!r}, {assignment.name!r}, {assignment.reveal!r})"
    lines = [
        f"# Grades {WORK} with symattn once it is handed in.",
        "### BEGIN HIDDEN TESTS",
        f"from {__name__} import grade",
        call,
        "### END HIDDEN TESTS",
    ]
    return notebook(
        [
            *(
                markdown(text, nbgrader=_metadata(f"sheet-{number}", grade=False))
                for number, text in enumerate(sheet_cells(assignment.title, version.document()), 1)
            ),
            code(f"{WRITES}\n{PROMPT}"),
            code("\n".join(lines), nbgrader={**_metadata("work", grade=True), "points": points}),
        ]
    )


def _metadata(name: str, *, grade: bool) -> dict[str, object]:
    """Return the metadata of a locked cell."""
    return {
        "grade": grade, "grade_id": name, "locked": True, "schema_version": _SCHEMA, "solution": False, "task": False,
    }  # fmt: skip


def grade(problem: str, name: str | None, reveal: str) -> float:
    """Print the report on `work.md` in the current folder, and return its points for nbgrader.

    Args:
        problem: the text of the problem file, packed.
        name: of several problems the one that was chosen.
        reveal: the amount that the report tells.
    """
    path = Path(WORK)
    if not path.is_file():
        print(NO_WORK)  # noqa: T201 - the output of the cell is what students see
        return 0.0
    found = marked(unpacked(problem), path.read_text(encoding="utf-8"), name, reveal)
    print(found.text)  # noqa: T201 - likewise
    return found.points
