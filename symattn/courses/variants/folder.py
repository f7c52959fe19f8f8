"""The folder of a course's variants: problem files, sheets, keys, and the table that says whose each is."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from symattn.api.solutions import solve
from symattn.courses.roster import VARIANT_COLUMNS, Roster, Student, Variant, read_variants, spreadsheet_cell
from symattn.courses.variants.design import Design
from symattn.courses.variants.problem_files import variant_text
from symattn.courses.variants.search import Found
from symattn.errors import InputError
from symattn.files import make_folder, write_atomically
from symattn.problem.model import Problem
from symattn.records import dataclass
from symattn.rendering.latex.compilation import compile_tex

TABLE = "variants.csv"
FOLDERS = ("variants", "sheets", "keys")


@dataclass(frozen=True, slots=True)
class Course:
    """A course whose variants are made.

    Attributes:
        design: of the variants.
        seed: of the draws.
        students: whose variant each number is.
        earlier: the rows of the table of an earlier run.
    """

    design: Design
    seed: int
    students: Sequence[Student]
    earlier: Sequence[Variant]


def read_earlier(folder: Path) -> tuple[Variant, ...]:
    """Return the rows of the table that an earlier run left in a folder.

    Raises:
        InputError: the table cannot be read.
    """
    table = folder / TABLE
    return read_variants(table).variants if table.exists() else ()


def in_order(earlier: Sequence[Variant], roster: Roster | None, count: int, seed: int) -> list[Student]:
    """Return whose variant each number is: those of an earlier table first, so that nobody gets another one.

    Who has left the roster keeps the number. Further students follow in the order of a hash, which the order of the
    roster does not touch. Without a roster each variant is nobody's.

    Raises:
        InputError: the earlier table is of a roster and none is given, or the other way round.
    """
    if any(bool(row.id) != (roster is not None) for row in earlier):
        has, wants = ("no students", "a roster") if roster is not None else ("students", "no roster")
        raise InputError(f"The folder has a {TABLE} with {has}, and {wants} is given: name another folder.")
    if roster is None:
        return [Student()] * max(count, len(earlier))
    by_key = {student.key: student for student in roster.students}
    kept = [by_key.pop(row.id, Student(row.name, row.id, email=row.email)) for row in earlier]
    return [*kept, *sorted(by_key.values(), key=lambda one: hashlib.sha256(f"{seed} {one.key}".encode()).digest())]


def write_folder(
    course: Course, found: Sequence[Found], folder: Path, *, pdf: bool, advance: Callable[[], None] = lambda: None
) -> None:
    """Write the variants into a folder, the table last.

    Raises:
        OutputError: a file or folder cannot be written.
        InputError: an earlier table names a variant that this seed and design do not give.
        EngineError: PDFs are asked for, and no engine makes them.
    """
    texts = [_problem_text(course, one, number) for number, one in enumerate(found, 1)]
    for row, text in zip(course.earlier, texts, strict=False):
        if row.digest != _digest(text):
            raise InputError(
                f"{folder / TABLE} has variants of another seed or design: {row.variant} differs. Name another folder."
            )
    for name in FOLDERS:
        make_folder(folder / name)
    rows = []
    for number, (student, text) in enumerate(zip(course.students, texts, strict=True), 1):
        rows.append(_write_variant(student, text, f"{number:04}", folder, pdf=pdf))
        advance()
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(VARIANT_COLUMNS)
    writer.writerows([spreadsheet_cell(getattr(row, name)) for name in VARIANT_COLUMNS] for row in rows)
    write_atomically(folder / TABLE, lines.getvalue())


def _problem_text(course: Course, found: Found, number: int) -> str:
    design = course.design
    note = f"Variant {number}, made by symattn variants with seed {course.seed} and design {design.digest[:16]}."
    return variant_text(design.tables, found.inputs, number, note)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _write_variant(student: Student, text: str, name: str, folder: Path, *, pdf: bool) -> Variant:
    result = solve(Problem.from_text(text, "toml", f"{name}.toml"))
    ending = "pdf" if pdf else "tex"
    row = Variant(
        name, student.key, student.name, student.email, f"variants/{name}.toml", f"sheets/{name}.{ending}",
        f"keys/{name}.{ending}", _digest(text),
    )  # fmt: skip
    write_atomically(folder / row.problem, text)
    for path, tex in ((row.sheet, result.to_latex("sheet")), (row.key, result.to_latex("article"))):
        write_atomically((folder / path).with_suffix(".tex"), tex)
        if pdf:
            write_atomically(folder / path, compile_tex(tex).pdf)
    return row
