"""An assignment as all targets take it: the problems of a file, or a variant of them for each student."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from symattn.api.sheet_submissions import check_sheet
from symattn.api.sheets import SheetResult
from symattn.api.solutions import solve
from symattn.checking.report import Marks, Reveal
from symattn.courses.roster import Variant, Variants, read_variants
from symattn.errors import InputError
from symattn.problem.sheet import Sheet
from symattn.problem.text.document import parse, read_file
from symattn.records import dataclass
from symattn.rendering.sections.document import Document


@dataclass(frozen=True, slots=True)
class Version:
    """A problem file as some or all students have it.

    Attributes:
        text: the text of the file.
        sheet: its problems, or the one that was chosen.
        row: its row in the table of variants; None where all have the same file.
    """

    text: str
    sheet: Sheet
    row: Variant | None = None

    @property
    def label(self) -> str:
        """The number of the variant for messages, or the name of the file."""
        return self.sheet.source if self.row is None else f"variant {self.row.variant}"

    def document(self) -> Document:
        """Return the questions without answers."""
        problems = self.sheet.problems
        return (SheetResult(self.sheet) if len(problems) > 1 else solve(problems[0])).document("brief", "sheet")


@dataclass(frozen=True, slots=True)
class Assignment:
    """The versions of one assignment, and how it is graded.

    Attributes:
        versions: at least one; the first stands for all where students see no numbers.
        name: the problem that was chosen of several, by number or title; None for all.
        reveal: the amount that students are told.
        wheel: a wheel of symattn that an autograder installs; None for the version of the package index.
    """

    versions: tuple[Version, ...]
    name: str | None = None
    reveal: Reveal = "place"
    wheel: Path | None = None

    @property
    def title(self) -> str:
        """The title of the sheet, in one line."""
        sheet = self.versions[0].sheet
        return " ".join((sheet.title or sheet.problems[0].title).split()) or "Attention by hand"

    @property
    def slug(self) -> str:
        """The title as the name of a file: ASCII letters and digits joined by hyphens."""
        return "-".join(re.findall("[a-z0-9]+", self.title.lower()))[:60].strip("-") or "attention"

    @property
    def digest(self) -> str:
        """The SHA-256 of the texts of all versions, in hexadecimal digits."""
        found = hashlib.sha256()
        for version in self.versions:
            found.update(hashlib.sha256(version.text.encode()).digest())
        return found.hexdigest()

    def only_version(self, target: str) -> Version:
        """Return the version that all students have.

        Raises:
            InputError: there are variants, which the target cannot tell apart.
        """
        if self.versions[0].row is not None:
            raise InputError(
                f"{target} hands one notebook to all students, so it takes no variants. Leave --variants out, or "
                "export the file of each variant by itself."
            )
        return self.versions[0]


def load(problem: str | Path, variants: str | Path | None = None, name: str | None = None) -> tuple[Version, ...]:
    """Return the versions of an assignment: one, or one for each row of a table of variants.

    Args:
        problem: the problem file.
        variants: the path of `variants.csv`.
        name: of several problems the one to export, by number or title; None for all.

    Raises:
        InputError: a file that cannot be read or used, or a variant with other parts than the problem.
    """
    text, source = read_file(problem)
    own = Version(text, read_sheet(text, source, name))
    if variants is None:
        return (own,)
    table = read_variants(variants)
    found = tuple(_version(table, row, name) for row in table.variants)
    for version in found:
        if _parts(version.sheet) != _parts(own.sheet):
            raise InputError(
                f"{table.source}: {version.label} has other parts or points than {source}. Make the variants of "
                "this problem once more."
            )
    return found


def read_sheet(text: str, source: str, name: str | None = None) -> Sheet:
    """Return the problems of the text of a file, or the one that is named.

    Raises:
        InputError: something in it cannot be used, or no such problem.
    """
    return Sheet.of_tables(parse(text, "", source), source).chosen(name, None)


def _version(table: Variants, row: Variant, name: str | None) -> Version:
    text = table.problem_text(row)
    return Version(text, read_sheet(text, str(table.folder / row.problem), name), row)


def _parts(sheet: Sheet) -> Sequence[object]:
    return [(part.asks, part.points, part.tokens) for problem in sheet.problems for part in problem.parts]


def full_marks(sheet: Sheet) -> Marks:
    """Return the marks that a program can give for the problems of a sheet, of which an empty work earns none.

    Raises:
        InputError: no part has points that a program can judge.
    """
    problems = sheet.problems
    empty = "\n\n".join(f"# Problem {number}" for number in range(1, len(problems) + 1)) if len(problems) > 1 else ""
    marks = check_sheet(sheet, empty, "md", source=sheet.source).marks
    if marks is None or not marks.points:
        raise InputError(
            f"{sheet.source} gives no points that a program can judge. Write points below [[parts]] that ask for "
            "numbers."
        )
    return marks


def decimal_points(points: Fraction) -> float:
    """Return points as the number that other systems take.

    >>> decimal_points(Fraction(17, 3)), decimal_points(Fraction(6))
    (5.666667, 6.0)
    """
    return round(float(points), 6)
