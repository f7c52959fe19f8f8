"""Grading on Gradescope: `python -m symattn.courses.exports.autograder` in the layout of its autograders.

The layout and the keys of the results are those of gradescope-autograders.readthedocs.io, pages "specs" and
"submission_metadata": `source` holds the unpacked zip, `submission` what was handed in, `submission_metadata.json` who
did so, and `results/results.json` is what Gradescope reads.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from symattn.api.sheet_submissions import check_sheet
from symattn.api.submissions import WORK_FORMATS, Report
from symattn.checking.report import REVEALS
from symattn.courses.exports.assignment import decimal_points, full_marks, read_sheet
from symattn.courses.exports.gradescope import PROBLEM, SETTINGS, VARIANTS
from symattn.courses.roster import Student, read_variants
from symattn.errors import InputError, SymattnError
from symattn.printable import json_text, visible
from symattn.problem.sheet import Sheet

_ENDINGS = tuple(f".{form}" for form in WORK_FORMATS)


def main(root: Path) -> None:
    """Grade the submission below a folder and write `results/results.json`; a fault becomes a sentence for students.

    Args:
        root: the folder that Gradescope calls `/autograder`.
    """
    try:
        results = _results(root)
    except SymattnError as error:
        results = {"score": 0.0, "output": f"Not graded. {visible(str(error))}", "tests": []}
    (root / "results").mkdir(exist_ok=True)
    (root / "results" / "results.json").write_text(json_text(results) + "\n", encoding="utf-8")


def _results(root: Path) -> Mapping[str, object]:
    """Return the record of a graded submission.

    Raises:
        SymattnError: no file or several to grade, no variant for its student, or a work that cannot be read.
    """
    settings = _read_json(root / "source" / SETTINGS)
    sheet = _sheet(root, settings.get("problem"))
    available = full_marks(sheet)
    path = _submission(root / "submission")
    report = check_sheet(sheet, path, source=path.name)
    reveal = next((word for word in REVEALS if word == settings.get("reveal")), REVEALS[0])
    return _record(report.redacted(reveal), len(available.parts))


def _record(report: Report, count: int) -> Mapping[str, object]:
    """Return a report as Gradescope shows it: the marks of each of some parts, and the text of the report."""
    marks = report.marks
    if marks is None or len(marks.parts) != count:
        raise InputError(f"{report.source} has no marks for some part; ask the instructor.")
    return {
        "score": decimal_points(marks.earned),
        "output": report.to_text(),
        "output_format": "text",
        "tests": [
            {
                "name": part.part,
                "score": decimal_points(part.earned),
                "max_score": decimal_points(part.points),
                "output": "\n".join(part.reasons),
            }
            for part in marks.parts
        ],
    }


def _sheet(root: Path, name: object) -> Sheet:
    """Return the problems of whoever handed in, or the one that is named."""
    source, chosen = root / "source", name if isinstance(name, str) else None
    if not (source / VARIANTS).is_file():
        return read_sheet((source / PROBLEM).read_text(encoding="utf-8"), PROBLEM, chosen)
    table = read_variants(source / VARIANTS)
    users = _read_json(root / "submission_metadata.json").get("users")
    emails = [str(user.get("email", "")) for user in users if isinstance(user, dict)] if isinstance(users, list) else []
    rows = {row.variant: row for email in emails if email and (row := table.of_student(Student(email=email)))}
    if len(rows) != 1:
        whose = ", ".join(map(visible, emails)) or "this submission"
        why = "several variants belong to" if rows else "no variant belongs to"
        raise InputError(f"{VARIANTS}: {why} {whose}. Ask the instructor to look at the e-mail address in it.")
    (row,) = rows.values()
    return read_sheet(table.problem_text(row), f"variant {row.variant}", chosen)


def _submission(folder: Path) -> Path:
    """Return the one file to grade.

    Raises:
        InputError: no such file, or several.
    """
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in _ENDINGS and path.is_file() and not path.is_symlink() and "__MACOSX" not in path.parts
    )
    if len(found) != 1:
        endings = ", ".join(_ENDINGS)
        named = f": {', '.join(visible(path.name) for path in found[:5])}" if found else ""
        raise InputError(f"The submission has {len(found)} files to grade{named}. Hand in one of {endings}.")
    return found[0]


def _read_json(path: Path) -> Mapping[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path.name} cannot be read: {error}.") from error
    return found if isinstance(found, dict) else {}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
