"""Whose a submitted file is: names as systems and people make them, archives as strangers make them."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from symattn.api.submissions import MAX_WORK
from symattn.courses.grading import submissions
from symattn.courses.grading.submissions import Handed, WorkFile, find_submissions
from symattn.courses.roster import Roster, Student
from symattn.errors import InputError

ROSTER = Roster((
    Student("Öz, Ana-María", "101", "s-77", "aoz", "A", "ana.oz@uni.example"),
    Student("Li, Bo", "102", "", "bo@uni.example"),
    Student("Li, Bo", "103", "", "bli"),
    Student("Ana Li", "104"),
    Student("山田 太郎", "105"),
    Student("Ødegård, Åse", "106", "", "ase"),
    Student("Kurt, Ase", "107", "", "kurt"),
    Student("Kurt, Ase", "108"),
))  # fmt: skip


def handed(folder: Path, *names: str) -> Handed:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("A_11 = 1", encoding="utf-8")
    return find_submissions(folder, ROSTER)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("101.md", "101"),
        ("ozana_101_998877_work-2.tex", "101"),
        ("Bo Li_103_assignsubmission_file_/work.md", "103"),
        ("s-77 final.txt", "101"),
        ("AOZ.ipynb", "101"),
        ("ana.oz@uni.example.md", "101"),
        ("Ana María Öz_12345_assignsubmission_file_/answers.md", "101"),
        ("oz ana maria.md", "101"),
        ("bo@uni.example.md", "102"),
        ("Li Bo 103.md", "103"),
        ("section A/104/deep/work.md", "104"),
        ("Li, Ana.md", "104"),
        ("山田太郎.md", "105"),
        ("Odegard_Ase.md", "106"),
        ("ase.md", "106"),
        ("Ase Kurt by kurt.md", "107"),
        ("Ase Kurt 108.md", "108"),
    ],
)
def test_a_name_names_its_student(tmp_path: Path, name: str, key: str) -> None:
    found = handed(tmp_path, name)
    assert {one: [file.name for file in files] for one, files in found.works.items()} == {key: [name]}
    assert not found.unmatched
    assert not found.ambiguous


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("Bo Li.md", ("Li, Bo (102)", "Li, Bo (103)")),
        ("Ase Kurt.md", ("Kurt, Ase (107)", "Kurt, Ase (108)")),  # neither a login of one, nor one of somebody else
        ("101_102.md", ("Öz, Ana-María (101)", "Li, Bo (102)")),
        ("Ana Li 105.md", ("Ana Li (104)", "山田 太郎 (105)")),
        ("1010.md", ()),
        ("work.md", ()),
        ("bo2.md", ()),
    ],
)
def test_nothing_is_guessed(tmp_path: Path, name: str, labels: tuple[str, ...]) -> None:
    found = handed(tmp_path, name)
    assert not found.works
    assert found.ambiguous == ({name: labels} if labels else {})
    assert found.unmatched == (() if labels else (name,))


def test_the_first_part_of_a_path_that_names_somebody_decides(tmp_path: Path) -> None:
    found = handed(tmp_path, "101/from_102.md", "101/b.tex", "x/102.md", "103.md/work.txt")
    assert {key: len(files) for key, files in found.works.items()} == {"101": 2, "102": 1, "103": 1}


def test_what_cannot_be_read_is_told_with_its_student(tmp_path: Path) -> None:
    found = handed(tmp_path, "101.pdf", "102/scan.jpg", "104.md", ".103.md")
    assert found.others == {"101": ("101.pdf",), "102": ("102/scan.jpg",)}
    assert found.omitted["hidden"] == (".103.md",)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="has no links")
def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("A_11 = 1", encoding="utf-8")
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "101.md").symlink_to("../secret.md")
    found = handed(tmp_path / "works", "102.md")
    assert [*found.works] == ["102"]
    assert found.omitted == {"a link that leads out of the folder": ("101.md",)}


@pytest.mark.parametrize("place", ["none", "a\0b", "text.zip"])
def test_no_folder_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "text.zip").write_text("no archive", encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot be read|neither a folder nor a zip"):
        find_submissions(tmp_path / place, ROSTER)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no submission"):
        find_submissions(tmp_path / "empty", ROSTER)


# Archives ------------------------------------------------------------------------------------------


def archive(path: Path, **entries: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries.items():
            file.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return path


def test_an_archive_is_read_as_a_folder_is(tmp_path: Path) -> None:
    path = archive(tmp_path / "all.zip", sub__101_dot_md=b"A", sub__102__x_dot_tex=b"B", sub__103_dot_pdf=b"C")
    found = find_submissions(path, ROSTER)
    assert {key: files[0].read() for key, files in found.works.items()} == {"101": b"A", "102": b"B"}
    assert found.others == {"103": ("sub/103.pdf",)}


def test_an_archive_of_one_student_is_opened(tmp_path: Path) -> None:
    (tmp_path / "works").mkdir()
    archive(tmp_path / "works" / "101_x.zip", answers_dot_md=b"A", deep__zip_dot_zip=b"x")
    (tmp_path / "works" / "102.zip").write_bytes(b"PK\3\4 torn")
    found = find_submissions(tmp_path / "works", ROSTER)
    assert [file.name for file in found.works["101"]] == ["101_x.zip/answers.md"]
    assert found.others == {"101": ("101_x.zip/deep/zip.zip",), "102": ("102.zip",)}
    assert set(found.omitted) == {"an archive inside an archive", "not a zip archive that can be read"}


def test_entries_that_lead_elsewhere_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "works.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name in ("../101.md", "/102.md", "a/../../103.md", "C:\\104.md", "__MACOSX/101.md", ".git/102.md"):
            file.writestr(name, b"A")
        link = zipfile.ZipInfo("105.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(link, "/etc/passwd")
        file.writestr(zipfile.ZipInfo("104.md"), b"A", zipfile.ZIP_BZIP2)
    found = find_submissions(path, ROSTER)
    assert not found.works
    assert len(found.omitted["a path that leaves the archive"]) == 4
    assert found.omitted["not a regular file"] == ("105.md",)
    assert found.omitted["packed or encrypted in a way that is not read here"] == ("104.md",)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path / "101.zip", a_dot_md=bytes(MAX_WORK + 1), b_dot_md=b"A")
    found = find_submissions(path, Roster((Student("", "a"),)))
    assert not found.works
    assert found.omitted == {f"larger than {MAX_WORK:,} bytes": ("a.md",)}
    monkeypatch.setattr(submissions, "MAX_UNPACKED", MAX_WORK)
    with pytest.raises(InputError, match="unpacks to more than"):
        find_submissions(path, ROSTER)
    monkeypatch.setattr(submissions, "MAX_DIRECTORY", 10)
    with pytest.raises(InputError, match="larger than an archive of submissions may be"):
        find_submissions(path, ROSTER)


def test_an_entry_that_lies_about_its_size_is_read_to_the_bound(tmp_path: Path) -> None:
    """The directory says 1 byte, the data go on; nothing more than the bound is ever read."""
    path = archive(tmp_path / "101.zip", a_dot_md=bytes(3_000_000))
    data = path.read_bytes()
    lie = data.replace(struct.pack("<L", 3_000_000), struct.pack("<L", 1))
    path.write_bytes(lie)
    (file,) = find_submissions(path, Roster((Student("", "a"),))).works["a"]
    try:
        assert len(file.read()) <= 1
    except InputError as refusal:
        assert "cannot be read" in str(refusal)  # noqa: PT017 - both are fine


def test_a_torn_entry_is_told(tmp_path: Path) -> None:
    path = archive(tmp_path / "101.zip", a_dot_md=b"A_11 = 1 " * 100)
    data = bytearray(path.read_bytes())
    data[40] ^= 0xFF
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match=r"x/a\.md cannot be read"):
        WorkFile("x/a.md", path, "a.md").read()
    with pytest.raises(InputError, match="cannot be read"):
        WorkFile("x/b.md", path, "b.md").read()
    with pytest.raises(InputError, match="cannot be read"):
        WorkFile("gone.md", tmp_path / "gone.md").read()
