"""``symattn grade``: the marks of a class whose marks are known, and a run that goes on where it was ended."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from symattn.courses.grading import judging, scheduling
from symattn.courses.grading.judging import Result, read_result
from symattn.courses.grading.outputs import decimal
from symattn.courses.grading.run import file_stem
from symattn.courses.grading.scheduling import Emit, TaskOf
from tests.cli.runner import Outcome, refused, run
from tests.courses.classes import HAVE_NO_MARKS, KINDS, POINTS, Class, make_class

ROOT = Path(__file__).resolve().parents[2]
SMALL = len(KINDS)
LARGE = 300
KILLS = 20


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """A class with a work of every kind."""
    return make_class(tmp_path_factory.mktemp("class"), SMALL)


@pytest.fixture(scope="module")
def graded(small: Class) -> dict[str, Any]:
    outcome = run(*small.arguments(small.folder / "out"), "--json", "-j", 2)
    assert outcome.status == 3
    found: dict[str, Any] = json.loads(outcome.out)
    return found


def files(folder: Path) -> dict[str, str]:
    """The digest of each file below a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def results(folder: Path) -> dict[str, Result]:
    found = (read_result(path.read_text("utf-8")) for path in sorted((folder / "results").iterdir()))
    return {result.student: result for result in found if result is not None}


# Marks ---------------------------------------------------------------------------------------------


def agree(made: Class, found: dict[str, Any], output: Path) -> None:
    """Assert that all marks and counts are those that the class was made with."""
    records = results(output)
    expected = {one.id: one.marks for one in made.members}
    assert found["marks"] == {key: None if marks is None else str(marks) for key, marks in expected.items()}
    given = [marks for marks in expected.values() if marks is not None]
    assert (found["students"], found["graded"]) == (len(made.members), len(given))
    assert Fraction(found["mean"]) == sum(given, Fraction(0)) / len(given)
    bins = Counter(min(9, int(10 * marks / POINTS)) for marks in given)
    assert found["distribution"] == [bins[number] for number in range(10)]
    planted = Counter(one.mistake for one in made.members if one.mistake)
    assert found["wrong_entries"] == dict(planted)
    assert sum(found["first_mistakes"].values()) == sum(bool(one.mistake) for one in made.members)
    assert not found["unmatched"]
    assert not found["ambiguous"]
    _agree_on_policies(made, found, records)
    _agree_on_notes(made, found)


def _agree_on_policies(made: Class, found: dict[str, Any], records: dict[str, Result]) -> None:
    reports = [record.report for record in records.values() if record.report is not None and not record.others]
    words = Counter(report.policy.words for report in reports if report.policy is not None)
    assert found["policies"] == dict(words)
    for one in made.members:
        if one.kind in {"right", "carried"}:
            report = records[one.id].report
            assert report is not None
            assert report.policy is not None
            assert report.policy.words.startswith("rounded once" if one.kind == "right" else "every"), one


def _agree_on_notes(made: Class, found: dict[str, Any]) -> None:
    notes = {key: " ".join(told) for key, told in found["for_a_person"].items()}
    words = {
        "empty": "Nothing in the work could be judged.",
        "noise": "judged",
        "bytes": "not UTF-8",
        "pdf": "Nothing that can be read",
        "none": "No submission.",
        "two": "Several files",
        "swapped": "The work answers variant {neighbour} of ",
    }
    assert {one.id for one in made.members if one.kind in words} == notes.keys()
    for one in made.members:
        if one.kind in words:
            assert words[one.kind].format(neighbour=one.neighbour) in notes[one.id], one


def test_every_mark_is_the_expected_one(small: Class, graded: dict[str, Any]) -> None:
    agree(small, graded, small.folder / "out")


def test_the_grade_book_is_that_of_canvas(small: Class, graded: dict[str, Any]) -> None:
    header, points, *rows = csv.reader(io.StringIO((small.folder / "out" / "grades.csv").read_text("utf-8")))
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Attention by hand"]
    assert points == ["    Points Possible", "", "", "", "", "15"]
    for row, one in zip(rows, small.members, strict=True):
        assert row[:5] == [one.name, one.id, "", one.login, "A"]
        mark = graded["marks"][one.id]
        assert row[5] == ("" if mark is None else decimal(Fraction(mark)))


def test_each_student_has_a_report(small: Class, graded: dict[str, Any]) -> None:
    reports = {path.stem for path in (small.folder / "out" / "reports").iterdir()}
    assert reports == {one.id for one in small.members if one.kind not in {"none", "pdf", "two"}}
    assert len(graded["marks"]) == SMALL
    (swapped,) = (one for one in small.members if one.kind == "swapped")
    page = (small.folder / "out" / "reports" / f"{swapped.id}.html").read_text("utf-8")
    assert swapped.neighbour not in page  # whose numbers they are is for the teachers


@pytest.mark.usefixtures("graded")
def test_the_summary_names_what_needs_an_eye(small: Class) -> None:
    page = (small.folder / "out" / "summary.html").read_text("utf-8")
    eye = page.partition("For a person to look at")[2].partition("All students")[0]
    assert all((one.id in eye) == (one.kind in {*HAVE_NO_MARKS, "swapped", "empty", "noise"}) for one in small.members)
    assert page.count('<svg xmlns="http://www.w3.org/2000/svg" class="symattn-chart"') == 1
    assert "<script" not in page


# Runs that go on -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("graded")
def test_a_second_run_judges_nothing(small: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(small.folder / "out")
    monkeypatch.setattr("symattn.courses.grading.scheduling.make_result", None)
    assert run(*small.arguments(small.folder / "out")).status == 3
    assert files(small.folder / "out") == before


def start(made: Class, output: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "symattn", *made.arguments(output), *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def finish(made: Class, output: Path, kills: int, *options: str) -> None:
    """Run a class, kill the run at random moments, and let a last one come to its end."""
    chance = random.Random(kills)
    for _ in range(kills):
        process = start(made, output, *options)
        before = len(list((output / "results").glob("*.json"))) if output.exists() else 0
        while process.poll() is None and len(list((output / "results").glob("*.json"))) <= before:
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 1))
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert start(made, output, *options).wait() == 3


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
@pytest.mark.usefixtures("graded")
def test_a_run_that_was_killed_goes_on(small: Class, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / ".symattn-0123.tmp").write_bytes(b"torn")
    finish(small, tmp_path, 1, "-j", "2")
    assert files(tmp_path) == files(small.folder / "out")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_a_class_of_300_that_is_killed_20_times(tmp_path: Path) -> None:
    made = make_class(tmp_path / "class", LARGE, seed=2)
    outcome = run(*made.arguments(tmp_path / "whole"), "--json", "-j", 2)
    agree(made, json.loads(outcome.out), tmp_path / "whole")
    finish(made, tmp_path / "killed", KILLS, "-j", "2")
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


@pytest.mark.tex
def test_pdfs_are_the_same_bytes(small: Class, tmp_path: Path) -> None:
    (tmp_path / "works").mkdir()
    for path in sorted((small.folder / "works").glob("70000*"))[:1]:
        (tmp_path / "works" / path.name).write_bytes(path.read_bytes())
    arguments = small.arguments("")
    arguments[2] = str(tmp_path / "works")
    for name in ("one", "two"):
        arguments[-1] = str(tmp_path / name)
        assert run(*arguments, "--pdf", "--reveal", "place").status == 3
    assert (tmp_path / "one" / "reports" / "70000.pdf").read_bytes()[:5] == b"%PDF-"
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert run(*arguments).status == 3
    assert not (tmp_path / "two" / "reports" / "70000.pdf").exists()


# Changes -------------------------------------------------------------------------------------------


SHEET = """\
scale = "none"
[inputs]
Q = [[1, 0]]
K = [[1, 0], [0, 1]]
V = [[1], [2]]
[rounding]
places = 2
[[parts]]
asks = "map"
points = 2
[[parts]]
asks = "outputs"
points = 2
"""
WORK = "$A_{11} = e^1/(e^1 + e^0) = 0.73$, $A_{12} = e^0/(e^1 + e^0) = 0.27$\n\n$O = 1.27$\n"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sheet, a roster of two and a work of each; works are judged in this process, which is quicker."""

    def run_here(_jobs: int, task_of: TaskOf, keys: Iterable[str], emit: Emit) -> None:
        for key in keys:
            emit(key, judging.make_result(task_of(key)))

    monkeypatch.setattr(scheduling, "run_here", run_here)
    monkeypatch.chdir(tmp_path)
    Path("works").mkdir()
    Path("sheet.toml").write_text(SHEET, encoding="utf-8")
    Path("roster.csv").write_text("Student,ID\n=cmd(),1\nBo,2\n", encoding="utf-8")
    for name in ("1.md", "2.md"):
        Path("works", name).write_text(WORK, encoding="utf-8")
    return tmp_path


def grade(*options: object) -> Outcome:
    return run("grade", "sheet.toml", "works", "--roster", "roster.csv", "-o", "out", *options)


def marks() -> dict[str, str]:
    rows = csv.reader(io.StringIO(Path("out", "grades.csv").read_text("utf-8")))
    return {row[1] or row[0].strip(): row[5] for row in rows}


@pytest.mark.usefixtures("course")
def test_only_what_has_changed_is_judged_again() -> None:
    assert grade().status == 0
    assert marks() == {"ID": "sheet", "Points Possible": "4", "1": "3", "2": "3"}
    before = {path.name: path.stat().st_mtime_ns for path in Path("out", "results").iterdir()}
    Path("works", "2.md").write_text(WORK.replace("= 1.27", "= 0.73 + 2 \\cdot 0.27 = 1.27"), encoding="utf-8")
    assert grade().status == 0
    assert marks()["2"] == "4"
    after = {path.name: path.stat().st_mtime_ns for path in Path("out", "results").iterdir()}
    assert (before["1.json"] == after["1.json"], before["2.json"] == after["2.json"]) == (True, False)


@pytest.mark.usefixtures("course")
def test_changed_points_need_no_second_judging(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "run without --points-only" in refused(grade("--points-only"))
    assert grade("--column", "=HW 1").status == 0
    Path("sheet.toml").write_text(SHEET.replace("points = 2\n[[", "points = 7 # of old 2\n[["), encoding="utf-8")
    monkeypatch.setattr("symattn.courses.grading.judging._judged", None)
    assert grade("--points-only", "--column", "=HW 1").status == 0
    assert marks() == {"ID": "'=HW 1", "Points Possible": "9", "1": "8", "2": "8"}
    assert "8/9" in Path("out", "reports", "1.html").read_text("utf-8")
    assert "'=cmd()" in Path("out", "grades.csv").read_text("utf-8")
    Path("sheet.toml").write_text(SHEET.replace("[[1], [2]]", "[[1], [3]]"), encoding="utf-8")
    assert "run without --points-only" in refused(grade("--points-only"))


@pytest.mark.usefixtures("course")
def test_a_part_that_had_no_points_is_judged_again() -> None:
    Path("sheet.toml").write_text(SHEET.replace("points = 2\n[[", "points = 0\n[["), encoding="utf-8")
    assert grade().status == 0
    Path("sheet.toml").write_text(SHEET, encoding="utf-8")
    assert "run without --points-only" in refused(grade("--points-only"))
    assert grade().status == 0
    assert marks()["1"] == "3"


@pytest.mark.usefixtures("course")
def test_the_level_of_a_report_changes_without_judging(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("works", "1.md").write_text(WORK.replace("0.73$", "0.37$"), encoding="utf-8")
    assert grade().status == 0
    assert "0.73" in Path("out", "reports", "1.html").read_text("utf-8")
    monkeypatch.setattr("symattn.courses.grading.judging._judged", None)
    assert grade("--reveal", "place").status == 0
    page = Path("out", "reports", "1.html").read_text("utf-8")
    assert "wrong" in page
    assert "0.73" not in page


@pytest.mark.usefixtures("course")
def test_what_was_tampered_with_is_made_again() -> None:
    assert grade().status == 0
    whole = files(Path("out"))
    record = Path("out", "results", "1.json")
    record.write_text(record.read_text("utf-8").replace('"earned": "2"', '"earned": "9"'), encoding="utf-8")
    Path("out", "reports", "2.html").write_text("", encoding="utf-8")
    assert grade().status == 0
    assert files(Path("out")) == whole
    record.write_text("[" * 100_000, encoding="utf-8")
    Path("works", "2.md").unlink()
    assert grade().status == 3
    assert sorted(files(Path("out"))) == ["grades.csv", "reports/1.html", "results/1.json", "summary.html"]


@pytest.mark.usefixtures("course")
def test_a_work_that_takes_too_long_has_no_marks() -> None:
    Path("works", "1.md").write_text("$S = " + "+".join(["1"] * 3000) + "$\n\n" + WORK * 40, encoding="utf-8")
    assert grade("--timeout", "0.05", "-j", 2).status == 3
    assert marks()["1"] == ""
    page = Path("out", "reports", "1.html").read_text("utf-8")
    # One long operation, such as the first compilation of a module, is ended by the process around it.
    assert "more than 0.05 seconds" in page or "more processor time than it may" in page
    assert grade().status in {0, 3}
    assert marks()["1"] != ""


@pytest.mark.usefixtures("course")
def test_pdfs_without_an_engine_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symattn.rendering.latex.compilation.engines", list)
    refused(grade("--pdf"), "No LaTeX engine")
    assert not Path("out").exists()


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize("output", ["works", "works/out", "./works/../works/x"])
def test_outputs_do_not_lie_among_the_submissions(output: str) -> None:
    refused(run("grade", "sheet.toml", "works", "--roster", "roster.csv", "-o", output), "lies in the folder")
    assert len(list(Path("works").iterdir())) == 2


@pytest.mark.usefixtures("course")
def test_a_file_of_another_name_is_read_in_its_own_way() -> None:
    assert grade().status == 0
    Path("works", "1.md").rename(Path("works", "1.tex"))
    assert grade().status == 0
    assert "1.tex" in Path("out", "reports", "1.html").read_text("utf-8")


@pytest.mark.usefixtures("course")
def test_students_without_a_variant_are_told() -> None:
    digest = hashlib.sha256(SHEET.encode()).hexdigest()
    head = "variant,id,name,email,problem,sheet,key,digest\n"
    Path("variants.csv").write_text(f"{head}1,1,,,sheet.toml,,,{digest}\n", encoding="utf-8")
    outcome = grade("--variants", "variants.csv")
    assert outcome.status == 3
    assert "no variant for this student" in outcome.out
    assert marks()["2"] == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: Path("sheet.toml").write_text(SHEET.replace("points", "# points"), "utf-8"), "gives no points"),
        (lambda: Path("sheet.toml").write_text(SHEET.replace("points = 2", "points = 0"), "utf-8"), "gives no points"),
        (lambda: Path("roster.csv").write_text("Name\nAna\n", "utf-8"), "no column that identifies"),
        (lambda: Path("out").write_text("", "utf-8"), "cannot be made"),
        (lambda: Path("sheet.toml").unlink(), "cannot be read"),
    ],
)
@pytest.mark.usefixtures("course")
def test_inputs_that_cannot_be_used_are_refused(change: Any, words: str) -> None:
    change()
    refused(grade(), words)


def test_a_variant_of_another_sheet_is_refused(course: Path) -> None:
    other = SHEET.replace('asks = "outputs"\npoints = 2', 'asks = "outputs"\ntitle = "Other"\npoints = 2')
    (course / "other.toml").write_text(other, encoding="utf-8")
    digest = hashlib.sha256(other.encode()).hexdigest()
    head = "variant,id,name,email,problem,sheet,key,digest\n"
    Path("variants.csv").write_text(f"{head}1,1,,,other.toml,,,{digest}\n2,2,,,other.toml,,,{digest}\n", "utf-8")
    refused(grade("--variants", "variants.csv"), "other parts than")


def test_files_of_students_have_names_that_every_system_takes() -> None:
    stems = [file_stem(key) for key in ("a/b", "..", "A", "x" * 300, "é:*?", "a b")]
    assert all(stem and not set(stem) & set('/\\:*?"<>| ') and not stem.startswith(".") for stem in stems)
    assert all(len(stem) <= 100 for stem in stems)
