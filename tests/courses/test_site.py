"""The folder of a practice page: what is in it, what it says, and what is refused. No browser is needed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from symattn.courses.site.build import program_archive
from symattn.courses.site.practice import Checker, Settings
from symattn.errors import InputError
from tests.cli.runner import SMALL, Outcome, refused, run
from tests.courses.practice_pages import EXAMPLES, RUNTIME, stub_pyodide

PS4 = EXAMPLES / "ps4_self_attention.toml"
WORK = EXAMPLES / "ps4_student_work.md"
WHEEL = "python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl"
TEXTS = {"index.html", "page.mjs", "settings.json", "site.css", "symattn.zip", "worker.mjs"}


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    return stub_pyodide(tmp_path / "npm")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The practice page of one problem, for tests that only look at it."""
    return made(PS4, stub_pyodide(tmp_path_factory.mktemp("page") / "npm"))


def made(problem: Path, pyodide: Path, *options: object) -> Path:
    """Return the folder that the command line writes."""
    site = pyodide.parent / "site"
    done = run("site", problem, "-o", site, "--pyodide", pyodide, *options)
    assert done.status == 0, done.err
    assert f"wrote {site} " in done.err
    return site


def problem_of(folder: Path, text: str) -> Path:
    path = folder / "problem.toml"
    path.write_text(text, encoding="utf-8")
    return path


# The folder ------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """All tags of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_folder_holds_the_page_the_program_and_pyodide(page: Path) -> None:
    assert {path.name for path in page.iterdir()} == {*TEXTS, "pyodide"}
    assert {path.name for path in (page / "pyodide").iterdir()} == RUNTIME
    for name in RUNTIME:
        assert (page / "pyodide" / name).read_bytes() == (page.parent / "npm" / name).read_bytes()


def test_the_page_shows_the_sheet_and_no_answer(page: Path) -> None:
    text = (page / "index.html").read_text("utf-8")
    assert "Compute the attention map of the layer." in text
    assert 'data-symattn="W_V"' in text
    assert 'data-symattn="O_31' not in text
    assert "1.17" not in text
    assert "this key follows" not in text
    assert "hides nothing" in text
    assert "Marks come from grading" in text


def test_the_page_asks_its_own_folder_alone(page: Path) -> None:
    tags = Tags((page / "index.html").read_text("utf-8")).found
    asked = [value for tag, names in tags if tag != "a" for key, value in names.items() if key in {"src", "href"}]
    assert sorted(map(str, asked)) == ["data:,", "page.mjs", "site.css"]
    assert [names for tag, names in tags if tag == "script"] == [{"type": "module", "src": "page.mjs"}]
    assert not [key for _, names in tags for key in names if key.startswith("on")]
    policy = next(str(names["content"]) for _, names in tags if names.get("http-equiv"))
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == rules["worker-src"] == "'self'"
    assert rules["script-src"] == "'self' 'wasm-unsafe-eval'"
    for name in ("page.mjs", "worker.mjs"):
        assert not re.search(r"https?:|\beval\b|document\.write", (page / name).read_text("utf-8"))


def test_texts_of_a_problem_are_escaped(pyodide: Path) -> None:
    hostile = "</title><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}"
    text = f"language = 'de'\ntitle = '{hostile}'\ntext = '{hostile}'\n{SMALL}"
    text += f"[[parts]]\nasks = 'map'\ntext = '{hostile}'\n"
    site = made(problem_of(pyodide.parent, text), pyodide)
    page = (site / "index.html").read_text("utf-8")
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "{{ 7 * 7 }}" in page
    assert '<div class="sheet" lang="de"' in page
    assert json.loads((site / "settings.json").read_text("utf-8"))["problem"] == text


def test_options_reach_the_page(pyodide: Path) -> None:
    homework = EXAMPLES / "how_to" / "homework.toml"
    options = ("--problem", 2, "--policy", "places=3", "--reveal", "cause", "--strict", "--timeout", 9, "--memory", 2)
    settings = Settings.of_json((made(homework, pyodide, *options) / "settings.json").read_text("utf-8"))
    assert settings._replace(problem="") == Settings(
        "homework.toml", "", 9, 2, name="2", policy="places=3", reveal="cause", strict=True
    )
    [problem] = settings.sheet().problems
    assert (problem.title, problem.policy.as_json()["places"]) == ("A masked layer", 3)


def test_several_problems_are_told_apart_by_headings(pyodide: Path) -> None:
    text = (made(EXAMPLES / "how_to" / "homework.toml", pyodide) / "index.html").read_text("utf-8")
    assert "<code># Problem 2</code>" in text
    assert '<p class="soft">20.5 points</p>' in text


# The archive -----------------------------------------------------------------------------------------


def test_the_archive_is_the_same_each_time_and_holds_the_program_alone(tmp_path: Path) -> None:
    first = program_archive()
    assert program_archive() == first
    path = tmp_path / "symattn.zip"
    path.write_bytes(first)
    names = zipfile.ZipFile(path).namelist()
    assert names == sorted(names, key=lambda name: name.split("/"))
    package = EXAMPLES.parent / "symattn"
    assert {name for name in names if name.endswith(".py")} == {
        path.relative_to(package.parent).as_posix() for path in package.rglob("*.py")
    }
    assert {Path(name).suffix for name in names} == {".py", ".toml", ".proof", ".css"}


ALONE = """
import sys; sys.path.insert(0, sys.argv[1])
from symattn.courses.site.practice import Checker
print(Checker(sys.argv[2]).check(sys.argv[3], "md"))
"""


def alone(archive: Path, settings: Settings, work: str) -> dict[str, Any]:
    """Return the answer of the archive in a Python that has no other package."""
    command = [sys.executable, "-I", "-S", "-c", ALONE, str(archive), settings.to_json(), work]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_archive_checks_without_any_other_package(tmp_path: Path) -> None:
    archive = tmp_path / "symattn.zip"
    archive.write_bytes(program_archive())
    settings = Settings("ps4.toml", PS4.read_text("utf-8"), 30, 1)
    answer = alone(archive, settings, WORK.read_text("utf-8"))
    expected = json.loads(run("check", PS4, WORK, "--json", "--reveal", "place").out)
    assert json.loads(answer["json"]) == {**expected, "source": "Your work"}
    assert not answer["needs_flint"]
    answer = alone(archive, settings, r"$A_{11} = \tanh(1) = 0.76$")
    assert answer["needs_flint"]
    assert '"undecided"' in answer["json"]


# Checks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reveal", ["marks", "place", "cause", "value"])
def test_a_report_tells_what_is_revealed(reveal: Any) -> None:
    settings = Settings("ps4.toml", PS4.read_text("utf-8"), 30, 1, reveal=reveal)
    answer = json.loads(Checker(settings.to_json()).check("$O_{31} = 9.99$", "md"))
    assert ("1.17" in answer["html"]) == ("1.17" in answer["json"]) == (reveal == "value")
    assert answer["status"] == "1 statement: 1 wrong"


def test_a_refused_work_is_a_sentence_in_the_place_of_a_report() -> None:
    text = (EXAMPLES / "how_to" / "homework.toml").read_text("utf-8")
    answer = json.loads(Checker(Settings("homework.toml", text, 30, 1).to_json()).check("A_11 = 1\ud83d"))
    assert answer["status"].startswith("Your work does not say which problem it answers, and homework.toml has")
    assert answer["html"] == answer["json"] == ""


def test_hooks_of_a_check_are_gone_after_it() -> None:
    before = list(sys.meta_path)
    Checker(Settings("x.toml", SMALL, 30, 1).to_json()).check("A_11 = 1")
    assert sys.meta_path == before


# Earlier pages, and refusals -------------------------------------------------------------------------


def attempt(pyodide: Path, problem: Path, *options: object) -> Outcome:
    return run("site", problem, "-o", pyodide.parent / "site", "--pyodide", pyodide, *options)


def test_an_earlier_page_is_replaced_whole(pyodide: Path) -> None:
    site = pyodide.parent / "site"
    (site / "pyodide").mkdir(parents=True)
    (site / "pyodide" / "left over").touch()
    made(problem_of(pyodide.parent, SMALL), pyodide)
    assert {path.name for path in (site / "pyodide").iterdir()} == RUNTIME
    assert json.loads((site / "settings.json").read_text("utf-8"))["problem"] == SMALL
    assert sorted(path.name for path in site.parent.iterdir()) == ["npm", "problem.toml", "site"]


def test_a_refusal_leaves_the_earlier_page(pyodide: Path) -> None:
    site = pyodide.parent / "site"
    site.mkdir()
    (site / "index.html").write_text("earlier", encoding="utf-8")
    before = {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}
    refused(attempt(pyodide, EXAMPLES / "encoder_block.toml"), "--flint")
    assert {path: path.read_bytes() for path in site.rglob("*") if path.is_file()} == before
    assert sorted(path.name for path in site.parent.iterdir()) == ["npm", "site"]


def test_other_files_are_not_replaced(pyodide: Path) -> None:
    site = pyodide.parent / "site"
    site.mkdir()
    (site / "notes.txt").touch()
    refused(attempt(pyodide, PS4), "site has other files, such as notes.txt. Name a new folder.")
    assert list(site.iterdir()) == [site / "notes.txt"]


@pytest.mark.parametrize("name", sorted([*RUNTIME, "package.json"]))
def test_a_folder_that_is_not_pyodide_is_refused(pyodide: Path, name: str) -> None:
    (pyodide / name).unlink()
    refused(attempt(pyodide, PS4), f"has no file {name}, so it is not Pyodide. Unpack the npm package pyodide")


@pytest.mark.parametrize(("name", "text"), [("package.json", "{"), ("pyodide-lock.json", "[]"), ("package.json", "{}")])
def test_tables_of_pyodide_that_say_nothing_are_refused(pyodide: Path, name: str, text: str) -> None:
    (pyodide / name).write_text(text, encoding="utf-8")
    refused(attempt(pyodide, PS4), "does not say which version of Pyodide it is")


def test_an_old_python_is_refused(pyodide: Path) -> None:
    stub_pyodide(pyodide, python="3.10.2")
    refused(attempt(pyodide, PS4), "brings Python 3.10.2, and symattn needs 3.11. Take a newer Pyodide.")


@pytest.mark.parametrize(
    "name", [WHEEL.replace("cp314", "cp313"), WHEEL.replace("2026", "2025"), "numpy-1-cp314.whl", WHEEL]
)
def test_a_wheel_that_pyodide_cannot_load_is_refused(pyodide: Path, name: str) -> None:
    wheel = pyodide / name
    wheel.write_bytes(b"no zip")
    refused(attempt(pyodide, EXAMPLES / "encoder_block.toml", "--flint", wheel), wheel.name)


def test_a_problem_beyond_elementary_numbers_takes_its_wheel_along(pyodide: Path) -> None:
    wheel = pyodide / WHEEL
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("flint/__init__.py", "")
    site = made(EXAMPLES / "how_to" / "sinusoidal_positions.toml", pyodide, "--flint", wheel)
    assert (site / "pyodide" / WHEEL).read_bytes() == wheel.read_bytes()
    assert json.loads((site / "settings.json").read_text("utf-8"))["flint"] == WHEEL


def test_proofs_and_prose_are_refused(pyodide: Path) -> None:
    refused(attempt(pyodide, EXAMPLES / "nyu_hw4_theory.toml"), "has no numbers to check")


def test_standard_output_is_no_folder(pyodide: Path) -> None:
    refused(run("site", PS4, "-o", "-", "--pyodide", pyodide), "Name a folder with -o")


@pytest.mark.parametrize("place", ["no/such/site", "problem.toml/site", "problem.toml"])
def test_folders_that_cannot_be_made_are_refused(pyodide: Path, place: str) -> None:
    problem = problem_of(pyodide.parent, SMALL)
    refused(run("site", problem, "-o", pyodide.parent / place, "--pyodide", pyodide), "cannot be written")
    assert problem.read_text("utf-8") == SMALL


def test_a_problem_that_cannot_be_read_is_refused(pyodide: Path) -> None:
    refused(attempt(pyodide, problem_of(pyodide.parent, "scale = ")), "problem.toml")
    with pytest.raises(InputError, match="is none of the problems"):
        Settings("x.toml", SMALL, 30, 1, name="7").sheet()
