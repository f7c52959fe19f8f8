"""``symattn check`` on a folder: one line a file, whatever becomes of the others, and a run that goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from symattn.cli import batch
from symattn.cli.batch import Sheet, check_folder, earlier_results, works_in
from symattn.errors import InputError, OutputError
from tests.cli.checks import fine
from tests.cli.runner import SMALL, refused, run

ROOT = Path(__file__).resolve().parents[2]
SHEET = Sheet(SMALL, "small.toml")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of works, named from the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("works").mkdir()
    return Path("works")


def put(folder: Path, **works: str) -> None:
    for name, text in works.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def lines(path: str | Path) -> dict[str, Any]:
    """The lines of results by the names of their files, each file once."""
    records = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    found = {Path(record["file"]).stem: record for record in records}
    assert len(found) == len(records)
    return found


# Which files ---------------------------------------------------------------------------------------


def test_works_are_found_below_the_folder_and_sorted(folder: Path) -> None:
    for name in ("b.md", "a.tex", "c/d.TXT", "c/e.ipynb", ".git/x.md", "c/.ipynb_checkpoints/e.ipynb", "f.py", ".g.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    (folder / "folder.md").mkdir()
    assert works_in("works") == ["works/a.tex", "works/b.md", "works/c/d.TXT", "works/c/e.ipynb"]


def test_a_folder_without_works_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="holds no work"):
        check_folder(SHEET, str(folder))


def test_the_problem_is_looked_at_first(folder: Path) -> None:
    put(folder, a="")
    with pytest.raises(InputError, match="unknown"):
        check_folder(Sheet(SMALL, "small.toml", "unknown=1"), str(folder), "r.jsonl", check=fine)
    assert not Path("r.jsonl").exists()


# What is written -----------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_file_has_its_line(folder: Path, jobs: int) -> None:
    put(folder, a="", b="status 1", c="status 3", d="", e="")
    assert check_folder(SHEET, "works", "r.jsonl", jobs=jobs, check=fine) == 3
    found = lines("r.jsonl")
    assert {name: record["exit_status"] for name, record in found.items()} == {"a": 0, "b": 1, "c": 3, "d": 0, "e": 0}
    assert len({record["error"] for record in found.values()}) <= jobs  # the processes that checked them


def test_without_an_output_the_lines_are_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, a="")
    assert check_folder(SHEET, "works", check=fine) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["file"] == "works/a.md"
    assert printed.err == ""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_broken_file_costs_its_own_line_only(folder: Path, jobs: int) -> None:
    put(folder, a="", b="crash", c="raise", d="", e="crash", f="")
    assert check_folder(SHEET, "works", "r.jsonl", jobs=jobs, check=fine) == 4
    found = lines("r.jsonl")
    assert {name: record["exit_status"] for name, record in found.items()} == {
        "a": 0, "b": 4, "c": 4, "d": 0, "e": 4, "f": 0,
    }  # fmt: skip
    assert "process" in found["b"]["error"]
    assert "ValueError: small.toml False" in found["c"]["error"]


def test_what_cannot_be_read_is_a_line_too(folder: Path) -> None:
    (folder / "a.md").write_bytes(b"\nQ = \xff")
    assert check_folder(SHEET, "works", "r.jsonl") == 2
    assert lines("r.jsonl")["a"] == {
        "file": "works/a.md",
        "error": "works/a.md, line 2: not UTF-8 text; save the file as UTF-8.",
        "exit_status": 2,
    }


def test_half_characters_are_written_as_json_writes_them() -> None:
    line = batch.failed("a\udcff.md", "β", 2).text
    assert json.loads(line)["file"] == "a\udcff.md"
    assert line.encode("utf-8").decode().isprintable()
    assert "β" in line


# Going on ------------------------------------------------------------------------------------------


def test_what_has_a_line_is_not_checked_again(folder: Path) -> None:
    put(folder, a="", b="status 1")
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    before = Path("r.jsonl").read_bytes()
    put(folder, a="status 3", b="", c="")
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 1
    assert Path("r.jsonl").read_bytes().startswith(before)
    assert set(lines("r.jsonl")) == {"a", "b", "c"}
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 1


@pytest.mark.parametrize("cut", [1, 2, 9, 10, 30])
def test_a_torn_last_line_is_dropped(folder: Path, cut: int) -> None:
    put(folder, a="", b="")
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    whole = Path("r.jsonl").read_bytes()
    first, second = whole.splitlines(keepends=True)
    Path("r.jsonl").write_bytes(first + (second[:-cut] if cut < 10 else second[:cut]))
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 0
    assert set(lines("r.jsonl")) == {"a", "b"}


@pytest.mark.parametrize(
    "text",
    ["notes\n", "notes", '{"a": 1}\n', "[]\n", '{"file": 1, "exit_status": 0}\n', '{"file": "a"}\n', "[" * 9999 + "\n"],
)
def test_a_file_of_something_else_is_left_alone(folder: Path, text: str) -> None:
    put(folder, a="")
    Path("r.jsonl").write_text(text)
    with pytest.raises(OutputError, match="line 1: not the results of a check"):
        check_folder(SHEET, "works", "r.jsonl", check=fine)
    assert Path("r.jsonl").read_text() == text


def test_results_of_other_files_are_kept(folder: Path) -> None:
    put(folder, a="")
    Path("r.jsonl").write_text('{"file": "other/z.md", "exit_status": 3}\n')
    assert earlier_results("r.jsonl") == {"other/z.md": 3}
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 0
    assert set(lines("r.jsonl")) == {"z", "a"}


def test_a_file_that_cannot_be_written_is_refused(folder: Path) -> None:
    put(folder, a="")
    with pytest.raises(OutputError, match="cannot be written"):
        check_folder(SHEET, "works", "missing/r.jsonl", check=fine)


@pytest.mark.skipif(sys.platform == "win32", reason="sends the signal of Ctrl-C")
def test_an_interrupted_run_leaves_whole_lines_and_goes_on(folder: Path) -> None:
    put(folder, a="", b="slow", c="")
    program = (
        "from symattn.cli import batch\nfrom symattn.cli.main import main\nfrom tests.cli.checks import fine\n"
        "batch.check_file = fine\nmain(['check', 'small.toml', 'works', '-o', 'r.jsonl', '--jobs', '2'])"
    )
    Path("small.toml").write_text(SMALL)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and not (Path("r.jsonl").exists() and Path("r.jsonl").read_text().count("\n") == 2):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, messages = process.communicate(timeout=30)
    assert process.returncode == 130
    assert messages == "symattn: stopped; the lines that were written are whole: the same command goes on from here.\n"
    assert set(lines("r.jsonl")) == {"a", "c"}
    put(folder, b="status 1")
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 1
    assert set(lines("r.jsonl")) == {"a", "b", "c"}


# The command ---------------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are checked in no time."""
    monkeypatch.setattr(batch, "check_file", fine)


@pytest.mark.usefixtures("quick")
def test_the_command_prints_lines(folder: Path) -> None:
    put(folder, a="", b="status 1")
    outcome = run("check", "-", folder, stdin=SMALL)
    assert (outcome.status, outcome.err) == (1, "")
    assert [json.loads(line)["exit_status"] for line in outcome.out.splitlines()] == [0, 1]


@pytest.mark.usefixtures("quick")
def test_the_command_writes_lines(folder: Path) -> None:
    put(folder, a="")
    outcome = run("check", "-", folder, "-o", "r.jsonl", "--jobs", "2", "--json", stdin=SMALL)
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert set(lines("r.jsonl")) == {"a"}


@pytest.mark.parametrize("name", ["r.json", "r.tex", "works/a.md"])
def test_lines_are_not_written_to_another_kind_of_file(folder: Path, name: str) -> None:
    put(folder, a="")
    refused(run("check", "-", folder, "-o", name, stdin=SMALL), name, ".jsonl")


@pytest.mark.parametrize("option", [("--pdf",), ("--verbose",), ("--format", "md")])
def test_options_for_one_work(folder: Path, option: tuple[str, ...]) -> None:
    outcome = run("check", "-", folder, *option, stdin=SMALL)
    assert outcome.status == 2
    assert "for one work" in outcome.err


def test_a_bad_problem_is_refused_before_anything_is_written(folder: Path) -> None:
    put(folder, a="")
    refused(run("check", "-", folder, "-o", "r.jsonl", stdin="nonsense = 1"), "nonsense")
    refused(run("check", "missing.toml", folder, "-o", "r.jsonl"), "missing.toml cannot be read")
    assert not Path("r.jsonl").exists()
