"""Rosters and tables of variants, as systems export them, as people write them, and as strangers would."""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path

import pytest

from symattn.courses import roster
from symattn.courses.roster import Student, Variant, read_roster, read_variants, spreadsheet_cell
from symattn.errors import InputError

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Sheet 1 (99)
    Points Possible,,,,,10
"Öz, Ana",101,s-1,ana@uni.example,A,
"Li, Bo",102,s-2,bo@uni.example,"A, B",
"""


def written(folder: Path, text: str | bytes, name: str = "roster.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_canvas_export_is_read(tmp_path: Path) -> None:
    assert read_roster(written(tmp_path, CANVAS)).students == (
        Student("Öz, Ana", "101", "s-1", "ana@uni.example", "A"),
        Student("Li, Bo", "102", "s-2", "bo@uni.example", "A, B"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "name,E-Mail\nAna,ana@x\n",
        " NAME ;email\r\nAna; ana@x \r\n;;\r\n",
        '\ufeffName\tPhone\tE mail\n"Ana"\t\tana@x',
        "Email,Name,Points\rana@x,Ana,3\r",
    ],
)
def test_people_write_tables_in_their_own_way(tmp_path: Path, text: str) -> None:
    (student,) = read_roster(written(tmp_path, text)).students
    assert (student.name, student.email, student.key, student.label) == ("Ana", "ana@x", "ana@x", "Ana (ana@x)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Name,Grade\nAna,1\n", "no column that identifies"),
        ("", "no column that identifies"),
        ("ID\n", "names no student"),
        ("Student,ID\n    Points Possible,\n", "names no student"),
        ("ID,Name\n1,Ana\n\n,Bo\n", "line 4: Bo has no ID"),
        ("ID,Name\n1,Ana\n1,Bo\n", r"line 3: the ID '1' stands in line 2"),
        ("Email\nANA@x\nana@X\n", "the e-mail 'ana@X' stands in line 2"),
        ("ID,SIS Login ID\nx,\n,X\n", "line 3: the ID or login 'X' stands in line 2"),
        ("Name,Student,ID\nA,B,1\n", "two columns for name"),
        ("ID\n=cmd()\n", "'=cmd\\(\\)' begins as a formula"),
        ("ID\n'+1\n", "begins as a formula"),
        ("ID\n\uff1d1\n", "begins as a formula"),
        ('ID\n"1\n', "line 2: not CSV"),
        ("ID\n" + "1" * 501 + "\n", "more than 500 characters"),
        ("ID\n" + "1" * 200_000 + "\n", "line 2: not CSV|more than 500"),
        (b"ID\n1\n\xff\n", "line 3: not UTF-8"),
        ("I\0D\n", "NUL characters"),
        ("ID\n1\n".encode("utf-16"), "not UTF-8"),
    ],
)
def test_what_is_no_roster_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as refusal:
        read_roster(written(tmp_path, text))
    assert "roster.csv" in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "ID\n1\n2\n3\n")
    monkeypatch.setattr(roster, "MAX_ROWS", 3)
    assert len(read_roster(path).students) == 3
    monkeypatch.setattr(roster, "MAX_ROWS", 2)
    with pytest.raises(InputError, match="more than 2 rows"):
        read_roster(path)
    monkeypatch.setattr(roster, "MAX_BYTES", 8)
    with pytest.raises(InputError, match="larger than 8 bytes"):
        read_roster(path)


@pytest.mark.parametrize("name", ["none.csv", "", "a\0b"])
def test_a_missing_file_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_roster(tmp_path / name)


@pytest.mark.parametrize("name", ["=cmd()", "@x", "-1+1", "+x", "\uff1dx", " =x", "'=x", "'", "O'Hara", "'t Hooft"])
def test_a_name_goes_to_a_spreadsheet_and_back(tmp_path: Path, name: str) -> None:
    cell = spreadsheet_cell(name)
    assert not cell.lstrip().startswith(roster._FORMULA)
    file = io.StringIO()
    csv.writer(file).writerows([["Name", "ID"], [cell, "1"]])
    (student,) = read_roster(written(tmp_path, file.getvalue())).students
    assert student.name == name


# Variants ------------------------------------------------------------------------------------------


def table(folder: Path, *rows: dict[str, str], header: tuple[str, ...] = roster.VARIANT_COLUMNS) -> Path:
    """A table of variants, whose rows have usual cells but for those given."""
    (folder / "variants").mkdir(exist_ok=True)
    (folder / "variants" / "0001.toml").write_bytes(b'scale = "none"\n')
    usual = {
        "variant": "1",
        "problem": "variants/0001.toml",
        "digest": hashlib.sha256(b'scale = "none"\n').hexdigest(),
    }
    file = io.StringIO()
    writer = csv.DictWriter(file, header, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({**usual, **row} for row in rows)
    return written(folder, file.getvalue(), "variants.csv")


def test_a_variant_has_its_problem_and_its_student(tmp_path: Path) -> None:
    found = read_variants(table(tmp_path, {"id": "101", "email": "Ana@x"}, {"variant": "2", "id": "bo"}))
    first, second = found.variants
    assert (first.variant, first.name, first.sheet) == ("1", "", "")
    assert found.problem_text(first) == 'scale = "none"\n'
    for student in (Student(id="101"), Student(email="ana@X"), Student(id="7", email="ana@x")):
        assert found.of_student(student) == first
    assert found.of_student(Student(login="BO")) == second
    assert found.of_student(Student(id="102", name="Ana")) is None
    with pytest.raises(InputError, match="2 variants for 101"):
        found.of_student(Student(id="101", login="bo"))


def test_rows_without_students_belong_to_nobody(tmp_path: Path) -> None:
    found = read_variants(table(tmp_path, {}, {"variant": "2"}))
    assert found.of_student(Student(name="Ana", login="ana")) is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"variant": ""}, "line 2: the number of the variant is missing"),
        ({"problem": ""}, "problem must be a path"),
        ({"problem": "../x.toml"}, "inside the folder"),
        ({"problem": "/etc/passwd"}, "inside the folder"),
        ({"sheet": "C:\\x.pdf"}, "sheet must be a path inside"),
        ({"key": "a\\..\\..\\x"}, "key must be a path inside"),
        ({"digest": "0" * 63}, "64 hexadecimal digits"),
        ({"digest": "G" * 64}, "64 hexadecimal digits"),
    ],
)
def test_a_row_that_leads_elsewhere_is_refused(tmp_path: Path, row: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_variants(table(tmp_path, row))


def test_a_table_of_variants_is_whole(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lacks the column digest"):
        read_variants(table(tmp_path, {}, header=roster.VARIANT_COLUMNS[:-1]))
    with pytest.raises(InputError, match="has no variants"):
        read_variants(table(tmp_path))
    with pytest.raises(InputError, match="the ID 'Ana' stands in line 2"):
        read_variants(table(tmp_path, {"id": "ana"}, {"variant": "2", "id": "Ana"}))
    with pytest.raises(InputError, match="the variant '1' stands in line 2"):
        read_variants(table(tmp_path, {}, {}))


def test_a_changed_problem_is_refused(tmp_path: Path) -> None:
    found = read_variants(table(tmp_path, {}))
    (row,) = found.variants
    (tmp_path / row.problem).write_text('scale = "2"\n', encoding="utf-8")
    with pytest.raises(InputError, match="has changed since"):
        found.problem_text(row)


def test_the_header_is_the_row() -> None:
    assert Variant.__match_args__ == roster.VARIANT_COLUMNS
