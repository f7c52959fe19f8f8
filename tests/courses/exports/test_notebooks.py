"""Notebooks for Otter and nbgrader, run by their own command lines without a network.

`SYMATTN_GRADERS` names the folder of an environment's programs that has symattn, otter-grader 7 and nbgrader 0.9;
without it the programs of the PATH are taken.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from shutil import which
from typing import Any

import nbformat
import pytest

import symattn as sa
from symattn.courses.exports import nbgrader, otter
from symattn.courses.exports.notebook_text import code, notebook, packed
from symattn.problem.model import Problem
from tests.cli.runner import run
from tests.courses.exports.course import ROWS, TEXT, values, work, write_problem, write_variants

GRADERS = os.environ.get("SYMATTN_GRADERS", "")
REASON = 'needs otter-grader and nbgrader: see "Run the checks" in CONTRIBUTING.md'


def program(name: str) -> str | None:
    return which(name, path=GRADERS or None)


needs_otter = pytest.mark.skipif(program("otter") is None, reason=REASON)
needs_nbgrader = pytest.mark.skipif(program("nbgrader") is None, reason=REASON)


def works() -> Mapping[str, str]:
    """Return works that earn all, some and no points, and one in LaTeX with what a string could not hold."""
    problem = Problem.from_text(TEXT.format(rows=ROWS[0]))
    right, end = values(problem, "all"), values(problem, "end")
    slip = {**right, "A": [["0.9", "0.1"], ["0.5", "0.5"]]}
    shown = r"""By hand: \''' and \"\"\" % \n {x}, \begin{align*} Q_{11} &= 1 \cdot 1 + (-1) \cdot 1 = 0 \end{align*}"""
    return {
        "right": sa.solve(problem).to_latex(),
        "numbers": work(right),
        "end": work(end),
        "slip": work(slip),
        "latex": shown,
        "nothing": "I do not know.\n",
    }


def marks(text: str) -> float:
    found = sa.check(Problem.from_text(TEXT.format(rows=ROWS[0])), text, source="work").marks
    assert found is not None
    return round(float(found.earned), 6)


def fill_in(source: Path, target: Path, text: str) -> None:
    """Hand in a notebook with a work in the cell of the student."""
    book = json.loads(source.read_text("utf-8"))
    cells = [cell for cell in book["cells"] if "".join(cell["source"]).startswith("%%writefile work.md\n")]
    (cell,) = cells
    cell["source"] = f"%%writefile work.md\n{text}"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(book), encoding="utf-8")


def call(folder: Path, name: str, *arguments: object) -> str:
    """Run a program of the graders, which ask no network here, and return what it printed."""
    environment = {**os.environ, "PATH": f"{GRADERS}{os.pathsep}{os.environ['PATH']}", "JUPYTER_PLATFORM_DIRS": "1"}
    environment |= {f"{scheme}_proxy": "http://127.0.0.1:9" for scheme in ("http", "https")}
    environment |= {"HOME": str(folder), "IPYTHONDIR": str(folder / ".ipython")}
    done = subprocess.run(
        [program(name) or name, *map(str, arguments)],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def otter_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("otter")
    assert run("export", "otter", write_problem(path), "-o", path / "attention.ipynb").status == 0
    call(path, "otter", "assign", "attention.ipynb", "dist")
    return path


@needs_otter
@pytest.mark.parametrize(
    "name", ["slip", *(pytest.param(name, marks=pytest.mark.long) for name in works() if name != "slip")]
)
def test_otter_gives_the_marks_of_symattn(otter_folder: Path, name: str) -> None:
    (archive,) = (otter_folder / "dist" / "autograder").glob("*.zip")
    path, text = otter_folder / name / "attention.ipynb", works()[name]
    fill_in(otter_folder / "dist" / "student" / "attention.ipynb", path, text)
    call(otter_folder, "otter", "run", "-a", archive, path, "-o", path.parent)
    results = json.loads((path.parent / "results.json").read_text("utf-8"))
    (score,) = [item for item in results["tests"] if item["name"] == "work"]
    assert score["score"] == pytest.approx(marks(text), abs=1e-5)
    assert score["max_score"] == 10
    assert "statement" in results["output"]


@needs_otter
def test_students_get_neither_problem_nor_marks_in_otter(otter_folder: Path) -> None:
    student = (otter_folder / "dist" / "student" / "attention.ipynb").read_text("utf-8")
    for secret in ("symattn.courses", otter.PLUGIN, packed(TEXT.format(rows=ROWS[0]))):
        assert secret not in student


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nbgrader")
    (path / "source" / "attention").mkdir(parents=True)
    source = path / "source" / "attention" / "attention.ipynb"
    assert run("export", "nbgrader", write_problem(path), "-o", source).status == 0
    call(path, "nbgrader", "generate_assignment", "attention", "--create")
    return path


@needs_nbgrader
def test_nbgrader_gives_the_marks_of_symattn(course: Path, request: pytest.FixtureRequest) -> None:
    chosen = list(works()) if "long" in str(request.config.getoption("-m")) else ["slip", "nothing"]
    release = course / "release" / "attention" / "attention.ipynb"
    for name in chosen:
        fill_in(release, course / "submitted" / name / "attention" / "attention.ipynb", works()[name])
    call(course, "nbgrader", "autograde", "attention", "--create")
    call(course, "nbgrader", "export")
    with (course / "grades.csv").open(encoding="utf-8") as file:
        found: dict[str, Any] = {
            row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in csv.DictReader(file)
        }
    assert found == {name: (pytest.approx(marks(works()[name]), abs=1e-5), 10.0) for name in chosen}


@needs_nbgrader
def test_students_get_neither_problem_nor_marks_in_nbgrader(course: Path) -> None:
    released = (course / "release" / "attention" / "attention.ipynb").read_text("utf-8")
    assert "grade(" not in released
    assert packed(TEXT.format(rows=ROWS[0])) not in released


# Without the programs ----------------------------------------------------------------------------------


def read(text: str) -> Any:
    reads: Any = nbformat.reads
    return reads(text, as_version=4)


@pytest.mark.parametrize("target", ["otter", "nbgrader"])
def test_the_notebook_is_valid_and_says_what_the_sheet_says(tmp_path: Path, target: str) -> None:
    done = run("export", target, write_problem(tmp_path))
    book = read(done.out)
    nbformat.validate(book)
    page = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    for said in (
        "# Attention of two tokens",
        "Two tokens, one head.",
        r"\begin{bmatrix} 1 & -1 \\ 0 & 1 \end{bmatrix}",
        "[4 points]",
    ):
        assert said in page
    assert run("export", target, write_problem(tmp_path)).out == done.out


HOSTILE = (
    "<script>alert(1)</script>",
    "### BEGIN SOLUTION",
    "### END HIDDEN TESTS",
    "# IGNORE",
    "```otter",
    "=== BEGIN MARK SCHEME ===",
    "**bold** [link](javascript:x) `code`",
)


@pytest.mark.parametrize("target", ["otter", "nbgrader"])
def test_texts_of_the_author_are_words(tmp_path: Path, target: str) -> None:
    title, words = json.dumps(" ".join(HOSTILE)), json.dumps("\n\n".join(HOSTILE))
    text = TEXT.format(rows=ROWS[0]).replace('"Scores"', title).replace('"Two tokens, one head."', words)
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    book = read(run("export", target, path).out)
    page = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    assert "&lt;script&gt;" in page
    for marker in ("<script", "###", "```", "===", "[link](", " # IGNORE", "**bold"):
        assert marker not in page.replace("# Attention of two tokens", "")
    others = "\n".join(cell.source for cell in book.cells if cell.cell_type != "markdown")
    assert not any(words in others for words in HOSTILE if "HIDDEN" not in words)
    assert others.count("### END HIDDEN TESTS") == (target == "nbgrader")


class Scores:
    """The part of Otter's results that the plugin sets."""

    def __init__(self) -> None:
        self.scores: dict[str, float] = {}
        self.output = ""

    def update_score(self, test_name: str, new_score: float) -> None:
        self.scores[test_name] = new_score

    def set_output(self, output: str) -> None:
        self.output = output


def graded_by_plugin(folder: Path, cells: list[str]) -> Scores:
    path = folder / "a.ipynb"
    path.write_text(notebook(map(code, cells)), encoding="utf-8")
    found = Scores()
    settings = {"problem": packed(TEXT.format(rows=ROWS[0])), "name": None, "reveal": "place"}
    otter.Marks(str(path), {}, settings).after_grading(found)
    return found


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", works())
def test_the_plugin_grades_the_cell_as_text(tmp_path: Path, name: str) -> None:
    found = graded_by_plugin(tmp_path, [f"%%writefile work.md\n{works()[name]}"])
    assert found.scores == {"work": marks(works()[name])}


def test_nothing_that_runs_changes_the_marks(tmp_path: Path) -> None:
    text = works()["slip"]
    cheat = "open('work.md', 'w').write('right')\nimport symattn; symattn.check = None"
    assert graded_by_plugin(tmp_path, [f"%%writefile work.md\n{text}", cheat]).scores == {"work": marks(text)}


def test_a_cell_without_its_first_line_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = graded_by_plugin(tmp_path, ["A_11 = 1"])
    assert (found.scores, "first line" in found.output) == ({"work": 0.0}, True)
    monkeypatch.chdir(tmp_path)
    assert nbgrader.grade(packed(TEXT.format(rows=ROWS[0])), None, "place") == 0


def test_points_are_those_of_parts_that_a_program_judges(tmp_path: Path) -> None:
    book = read(run("export", "nbgrader", write_problem(tmp_path)).out)
    assert [cell.metadata.nbgrader.points for cell in book.cells if cell.metadata.get("nbgrader", {}).get("grade")] == [
        10.0
    ]
    assert Fraction(marks(works()["right"])) == 10


@pytest.mark.parametrize("target", ["otter", "nbgrader"])
def test_variants_are_refused(tmp_path: Path, target: str) -> None:
    done = run("export", target, write_problem(tmp_path), "--variants", write_variants(tmp_path, ["a@example.org"]))
    assert (done.status, done.out) == (2, "")
    assert "one notebook to all students" in done.err
