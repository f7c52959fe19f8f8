"""Rosters and tables of variants: the CSV files that say who is in a course, and whose sheet is which."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TypeAlias

from symattn.errors import InputError, shortened
from symattn.files import decoded, read_bytes
from symattn.printable import visible
from symattn.records import dataclass

MAX_BYTES = 20_000_000
"""Bytes of a roster or a table of variants."""

MAX_ROWS = 100_000
"""Students of one course, and variants of one problem."""

MAX_CELL = 500
"""Characters of one cell."""

MAX_PROBLEM = 10_000_000
"""Bytes of the problem file of one variant."""

VARIANT_COLUMNS = ("variant", "id", "name", "email", "problem", "sheet", "key", "digest")
"""The header of `variants.csv`, whose rows the fields of `Variant` are."""

_STUDENT_COLUMNS = {
    "student": "name",
    "name": "name",
    "id": "id",
    "sisuserid": "sis_id",
    "sisloginid": "login",
    "section": "section",
    "email": "email",
    "e-mail": "email",
}
"""Columns of a roster, in lower case without spaces, and the fields of `Student` that they fill."""

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""First characters for which a spreadsheet takes a cell for a formula; the last four are their wide forms."""

_Row: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class Student:
    """One row of a roster; what a roster does not say is empty.

    Attributes:
        name: as the roster writes it.
        id: the number in the course's system.
        sis_id: the number in the register of students.
        login: the login name.
        section: the section of the course.
        email: the address.
    """

    name: str = ""
    id: str = ""
    sis_id: str = ""
    login: str = ""
    section: str = ""
    email: str = ""

    @property
    def key(self) -> str:
        """The text that stands for the student in files and draws: the ID, or else the login, or else the e-mail."""
        return self.id or self.login or self.email

    @property
    def label(self) -> str:
        """The name with the key behind it, for people."""
        return f"{self.name} ({self.key})" if self.name else self.key


@dataclass(frozen=True, slots=True)
class Roster:
    """The students of a course, in the order of their file.

    Attributes:
        students: at least one; no two share an ID, a login, an e-mail or a key.
        source: what messages call the file.
    """

    students: tuple[Student, ...]
    source: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One row of `variants.csv`: a variant of a problem, and whose it is.

    Attributes:
        variant: the number of the variant.
        id: the key of the student (`Student.key`); empty without a roster.
        name: the name of the student.
        email: the e-mail of the student.
        problem: the problem file, relative to the folder of the table, as are `sheet` and `key`.
        sheet: the sheet without answers.
        key: the worked key.
        digest: the SHA-256 of the problem file's bytes in hexadecimal digits.
    """

    variant: str
    id: str
    name: str
    email: str
    problem: str
    sheet: str
    key: str
    digest: str


@dataclass(frozen=True, slots=True)
class Variants:
    """The variants of a problem.

    Attributes:
        variants: at least one; no number and no student stands in two of them.
        folder: where the paths of the rows begin.
        source: what messages call the file.
    """

    variants: tuple[Variant, ...]
    folder: Path
    source: str = ""

    def problem_text(self, variant: Variant) -> str:
        """Return the text of a variant's problem file, after a comparison with its digest.

        Raises:
            InputError: the file cannot be read, or is not the one that the table was written for.
        """
        path = self.folder / variant.problem
        data = _read_bytes(path, MAX_PROBLEM)
        if hashlib.sha256(data).hexdigest() != variant.digest:
            raise InputError(
                f"{visible(str(path))} has changed since {self.source} was written: its digest is another one. Put the "
                "old file back, or make the variants once more."
            )
        return decoded(data, str(path))

    def of_student(self, student: Student) -> Variant | None:
        """Return the variant of a student; None where the table gives the student none.

        Raises:
            InputError: the student's keys belong to different variants.
        """
        keys = {key.casefold() for key in (student.id, student.login, student.email) if key}
        found = [row for row in self.variants if {row.id.casefold(), row.email.casefold()} & keys]
        if len(found) > 1:
            raise InputError(
                f"{self.source} has {len(found)} variants for {student.label}: leave one of the rows "
                f"{', '.join(row.variant for row in found[:5])}."
            )
        return found[0] if found else None


def read_roster(path: str | Path) -> Roster:
    """Read a roster: a CSV file with a header, as Canvas exports it or as people write it.

    Known columns, case and spaces ignored, are Student or Name, ID, SIS User ID, SIS Login ID, Section and Email;
    others are skipped. A row of points possible is skipped, and so is an empty one.

    Raises:
        InputError: an unreadable or too large file, no column that identifies students, a row without ID, login and
            e-mail, or one of them in two rows.
    """
    source, header, rows = _read_csv(path, _STUDENT_COLUMNS.get)
    if not {"id", "login", "email"} & set(header):
        raise InputError(
            f"{source} has no column that identifies students: its header needs ID, SIS Login ID or Email."
        )
    students = []
    for line, row in rows:
        student = Student(**row)
        if _is_no_student(student):
            continue
        if not student.key:
            raise InputError(
                f"{source}, line {line}: {shortened(visible(student.name or student.sis_id))} has no ID, no login and "
                "no e-mail. Give one of them, or take the row out."
            )
        for what, text in (("ID", student.id), ("login", student.login), ("e-mail", student.email)):
            _refuse_formula(f"{source}, line {line}: the {what}", text)
        students.append((line, student))
    if not students:
        raise InputError(f"{source} names no student. Write one in each row below the header.")
    for field, what in (("id", "ID"), ("login", "login"), ("email", "e-mail"), ("key", "ID or login")):
        _refuse_repeated(source, what, ((line, getattr(student, field)) for line, student in students))
    return Roster(tuple(student for _, student in students), source)


def read_variants(path: str | Path) -> Variants:
    """Read `variants.csv`, the table that `symattn variants` writes.

    Raises:
        InputError: an unreadable or too large file, a missing column, a path that leaves the folder of the file, a
            digest that is none, or a variant or student in two rows.
    """
    source, header, rows = _read_csv(path, lambda text: text if text in VARIANT_COLUMNS else None)
    if missing := [name for name in VARIANT_COLUMNS if name not in header]:
        raise InputError(
            f"{source} lacks the column {missing[0]}: its header must be {','.join(VARIANT_COLUMNS)}, as `symattn "
            "variants` writes it."
        )
    found = [(line, Variant(**row)) for line, row in rows if any(row.values())]
    if not found:
        raise InputError(f"{source} has no variants. Write one in each row below the header.")
    for line, row in found:
        _check_variant(f"{source}, line {line}", row)
    for field, what in (("variant", "variant"), ("id", "ID"), ("email", "e-mail")):
        _refuse_repeated(source, what, ((line, getattr(row, field)) for line, row in found))
    return Variants(tuple(row for _, row in found), Path(path).parent, source)


def spreadsheet_cell(text: str) -> str:
    """Return a text for a CSV file that no spreadsheet takes for a formula: an apostrophe stands before one.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("Ana"), spreadsheet_cell("'=1+1")
    ("'=1+1", 'Ana', "''=1+1")
    """
    plain = visible(text)
    return f"'{plain}" if plain.lstrip(" '").startswith(_FORMULA) else plain


def _plain(cell: str) -> str:
    """Return the text of a cell, without the apostrophe of `spreadsheet_cell`."""
    return cell[1:] if cell[:1] == "'" and cell.lstrip(" '").startswith(_FORMULA) else cell


def _is_no_student(student: Student) -> bool:
    return student.name.casefold() == "points possible" or not (student.name or student.key or student.sis_id)


def _check_variant(place: str, row: Variant) -> None:
    if not row.variant:
        raise InputError(f"{place}: the number of the variant is missing.")
    for name in ("problem", "sheet", "key"):
        path = getattr(row, name)
        is_absolute = PurePosixPath(path).is_absolute() or PureWindowsPath(path).anchor
        if is_absolute or ".." in PureWindowsPath(path).parts or (name == "problem" and not path):
            raise InputError(
                f"{place}: {name} must be a path inside the folder of the table, such as variants/0001.toml, not "
                f"{shortened(visible(path))!r}."
            )
    if len(row.digest) != 64 or set(row.digest) - set("0123456789abcdef"):
        raise InputError(f"{place}: the digest must be the 64 hexadecimal digits of the SHA-256 of {row.problem}.")


def _refuse_formula(what: str, text: str) -> None:
    """Refuse an identifier that a grade book could not take back: there a changed one finds no student."""
    if text.startswith(_FORMULA):
        raise InputError(
            f"{what} {shortened(visible(text))!r} begins as a formula of a spreadsheet does; write it without its "
            f"first character."
        )


def _refuse_repeated(source: str, what: str, cells: Iterable[tuple[int, str]]) -> None:
    lines: dict[str, int] = {}
    for line, text in cells:
        first = lines.setdefault(text.casefold(), line) if text else line
        if first != line:
            raise InputError(
                f"{source}, line {line}: the {what} {shortened(visible(text))!r} stands in line {first} already. Leave "
                "it in one of them."
            )


# CSV -----------------------------------------------------------------------------------------------


def _read_csv(
    path: str | Path, column: Callable[[str], str | None]
) -> tuple[str, list[str], Iterator[tuple[int, _Row]]]:
    """Return the name of a CSV file, its known columns, and its rows with their lines.

    Args:
        path: the file.
        column: returns the field of a column's title in lower case without spaces, None for one to skip.
    """
    source = visible(shortened(str(path), 200))
    text = decoded(_read_bytes(Path(path), MAX_BYTES), source)
    if "\0" in text:
        raise InputError(f"{source} is not a CSV file: it holds NUL characters. Save the table as CSV in UTF-8.")
    head = text.partition("\n")[0]
    # Spreadsheets of several countries separate by semicolons.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True)
    rows = _rows(reader, source)
    _, first = next(rows, (1, []))
    fields = [column("".join(cell.casefold().split())) for cell in first]
    known = [field for field in fields if field is not None]
    if repeated := next((name for name in known if known.count(name) > 1), None):
        raise InputError(f"{source} has two columns for {repeated}: leave one of them.")
    return source, known, ((line, _record(fields, cells)) for line, cells in rows)


def _rows(reader: Iterator[list[str]], source: str) -> Iterator[tuple[int, list[str]]]:
    line = 1
    for count in range(MAX_ROWS + 2):
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{source}, line {line}: not CSV ({error}). Save the table as CSV in UTF-8.") from error
        if cells is None:
            return
        if any(len(cell) > MAX_CELL for cell in cells):
            raise InputError(f"{source}, line {line}: a cell has more than {MAX_CELL} characters.")
        if count > MAX_ROWS:
            raise InputError(f"{source} has more than {MAX_ROWS:,} rows. Split the table.")
        yield line, cells
        line = reader.line_num + 1  # type: ignore[attr-defined]


def _record(fields: list[str | None], cells: list[str]) -> _Row:
    pairs: Mapping[str, str] = {
        field: _plain(cell.strip()) for field, cell in zip(fields, cells, strict=False) if field is not None
    }
    return {field: pairs.get(field, "") for field in fields if field is not None}


def _read_bytes(path: Path, most: int) -> bytes:
    source = visible(shortened(str(path), 200))
    data = read_bytes(path, most, source)
    if len(data) > most:
        raise InputError(f"{source} is larger than {most:,} bytes.")
    return data
