"""The autograder zip of Gradescope: `setup.sh`, `run_autograder`, and what `autograder` reads."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import astuple, replace
from pathlib import Path

from symattn.api.transcripts import VERSION
from symattn.courses.exports.assignment import Assignment, full_marks
from symattn.courses.exports.templates import fill
from symattn.courses.roster import VARIANT_COLUMNS, Variant
from symattn.errors import InputError

PROBLEM, VARIANTS, SETTINGS = "problem.toml", "variants.csv", "settings.json"
"""Files of the zip: the problem of all students, or the table of variants, and how submissions are graded."""

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_SCRIPTS = ("setup.sh", "run_autograder")
_WHEEL = re.compile(r"symattn-[0-9][0-9A-Za-z.+]{0,40}-py3-none-any\.whl")
"""Names that a shell takes as they are."""


def gradescope(assignment: Assignment) -> bytes:
    """Return the autograder zip, the same bytes for the same input.

    Raises:
        InputError: a version without points or e-mail, or a wheel that is none of symattn.
    """
    for version in assignment.versions:
        full_marks(version.sheet)
    files = {**_problems(assignment), SETTINGS: _settings(assignment)}
    package = f"symattn=={VERSION}"
    if assignment.wheel is not None:
        files[assignment.wheel.name] = _wheel(assignment.wheel)
        package = f"./{assignment.wheel.name}"
    scripts = {name: fill(f"gradescope/{name}", package=package).encode() for name in _SCRIPTS}
    return _archive({**scripts, **files})


def _settings(assignment: Assignment) -> bytes:
    return json.dumps({"problem": assignment.name, "reveal": assignment.reveal}).encode()


def _problems(assignment: Assignment) -> Mapping[str, bytes]:
    """Return the problem of all, or that of each student with a table that says no more of them than it must."""
    rows = [(version, version.row) for version in assignment.versions if version.row is not None]
    if not rows:
        return {PROBLEM: assignment.versions[0].text.encode()}
    found = {f"variants/{number:04}.toml": version.text.encode() for number, (version, _) in enumerate(rows, 1)}
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(VARIANT_COLUMNS)
    writer.writerows(astuple(_told(row, path)) for path, (_, row) in zip(found, rows, strict=True))
    return {VARIANTS: text.getvalue().encode(), **found}


def _told(row: Variant, path: str) -> Variant:
    if not row.email:
        raise InputError(
            f"Variant {row.variant} has no e-mail, and Gradescope knows students by theirs. Make the variants with a "
            "roster that has a column Email."
        )
    return replace(row, id="", name="", problem=path, sheet="", key="")


def _wheel(path: Path) -> bytes:
    if not _WHEEL.fullmatch(path.name):
        raise InputError(f"{path} is not a wheel of symattn: take dist/symattn-{VERSION}-py3-none-any.whl.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def _archive(files: Mapping[str, bytes]) -> bytes:
    """Return a zip with its files in the order of their names, all of one date."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.create_system = 3  # Unix: without it the permissions are not read
            entry.external_attr = (0o100755 if name in _SCRIPTS else 0o100644) << 16
            # Stored: another release of zlib compresses to other bytes.
            archive.writestr(entry, data)
    return made.getvalue()
