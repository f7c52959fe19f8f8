"""``symattn check`` on a folder: one line a file, whatever becomes of the others, and a run that goes on."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from symattn.api.sheet_texts import SheetText
from symattn.cli import batch
from symattn.cli.batch import Earlier, check_folder, earlier_results
from symattn.courses.folders import contents
from symattn.errors import InputError, OutputError
from tests.cli.checks import fine
from tests.cli.runner import SMALL, refused, run, validate

ROOT = Path(__file__).resolve().parents[2]
SHEET = SheetText(SMALL, "small.toml")


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
    assert list(contents("works").works) == ["works/a.tex", "works/b.md", "works/c/d.TXT", "works/c/e.ipynb"]


def test_a_folder_without_works_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="holds no work"):
        check_folder(SHEET, str(folder))


def test_the_problem_is_looked_at_first(folder: Path) -> None:
    put(folder, a="")
    with pytest.raises(InputError, match="unknown"):
        check_folder(SheetText(SMALL, "small.toml", "unknown=1"), str(folder), "r.jsonl", check=fine)
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


def test_what_is_no_work_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody who hands in a PDF is to be heard of, or a hidden file; problems and results are nobody's work."""
    put(folder, a="")
    (folder / "deep").mkdir()
    for name in ("b.docx", "deep/c.PDF", "p.toml", "r.jsonl", ".hidden.pdf"):
        (folder / name).write_bytes(b"")
    assert check_folder(SHEET, "works", check=fine) == 0
    said = capsys.readouterr().err
    assert "works/b.docx, works/deep/c.PDF" in said
    assert "hidden: works/.hidden.pdf" in said
    assert not any(name in said for name in ("p.toml", "r.jsonl"))


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


def test_each_line_holds_a_report_at_the_level(folder: Path) -> None:
    put(folder, a="A_11 = 0.62", b="A_11 = 0.731")
    Path("small.toml").write_text(SMALL, encoding="utf-8")
    whole = [json.loads(line) for line in run("check", "small.toml", folder).out.splitlines()]
    outcome = run("check", "small.toml", folder, "--reveal", "place")
    assert outcome.status == 1
    assert "0.73" in json.dumps(whole[0])
    for line, full in zip(map(json.loads, outcome.out.splitlines()), whole, strict=True):
        validate("check-folder", line)
        assert line["report"] == {**full["report"], **line["report"], "reveal": "place"}
        assert (line["summary"], line["exit_status"]) == (full["summary"], full["exit_status"])
        assert line["problem_digest"] != full["problem_digest"]
        assert "expected" not in json.dumps([item for item in line["report"]["statements"] if item["expected"]])
        assert ("0.73" in json.dumps(line)) == (line["file"] == "works/b.md")


def test_what_cannot_be_read_is_a_line_too(folder: Path) -> None:
    (folder / "a.md").write_bytes(b"\nQ = \xff")
    assert check_folder(SHEET, "works", "r.jsonl") == 2
    assert lines("r.jsonl")["a"] == {
        "file": "works/a.md",
        "work_digest": hashlib.sha256(b"\nQ = \xff").hexdigest(),
        "problem_digest": SHEET.digest(strict=False),
        "error": "works/a.md, line 2: not UTF-8 text; save the file as UTF-8.",
        "exit_status": 2,
    }


def test_half_characters_are_written_as_json_writes_them() -> None:
    line = batch.failed("a\udcff.md", "β", 2).text
    assert json.loads(line)["file"] == "a\udcff.md"
    assert line.encode("utf-8").decode().isprintable()
    assert "β" in line


# Going on ------------------------------------------------------------------------------------------


def test_what_has_a_line_is_not_checked_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, a="", b="status 1")
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    assert capsys.readouterr().err == ""
    before = Path("r.jsonl").read_bytes()
    put(folder, c="")
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 1
    assert capsys.readouterr().err == "r.jsonl: 2 kept, 0 checked again\n"
    assert Path("r.jsonl").read_bytes().startswith(before)
    assert set(lines("r.jsonl")) == {"a", "b", "c"}
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 1


def test_a_work_that_has_changed_is_checked_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, a="", b="status 1", c="")
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    before = Path("r.jsonl").read_text().splitlines()
    put(folder, b="", c="status 3")
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 3
    assert "1 kept, 2 checked again" in capsys.readouterr().err
    assert Path("r.jsonl").read_text().splitlines()[0] == before[0]
    assert {name: record["exit_status"] for name, record in lines("r.jsonl").items()} == {"a": 0, "b": 0, "c": 3}


@pytest.mark.parametrize(
    ("sheet", "strict"),
    [
        (SheetText(SMALL + "\n# another comment\n", "small.toml"), False),
        (SheetText(SMALL, "small.toml", "places=3"), False),
        (SHEET, True),
        (replace(SHEET, reveal="place"), False),
    ],
)
def test_another_problem_or_option_checks_all_again(
    folder: Path, sheet: SheetText, strict: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, a="", b="")
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    check_folder(sheet, "works", "r.jsonl", check=fine, strict=strict)
    assert "0 kept, 2 checked again" in capsys.readouterr().err
    assert {record["problem_digest"] for record in lines("r.jsonl").values()} == {sheet.digest(strict=strict)}


def test_another_name_of_the_problem_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, a="")
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    check_folder(SheetText(SMALL, "renamed.toml"), "works", "r.jsonl", check=fine)
    assert "1 kept, 0 checked again" in capsys.readouterr().err


def test_another_release_checks_all_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(folder, a="")
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    before = lines("r.jsonl")["a"]["problem_digest"]
    monkeypatch.setattr("symattn.api.sheet_texts.VERSION", "99")
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    assert lines("r.jsonl")["a"]["problem_digest"] != before


def test_lines_without_digests_are_checked_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, a="", b="")
    Path("r.jsonl").write_text('{"file": "works/a.md", "exit_status": 3}\n')
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 0
    assert "0 kept, 1 checked again" in capsys.readouterr().err
    assert set(lines("r.jsonl")) == {"a", "b"}


def test_lines_that_were_left_twice_count_once(folder: Path) -> None:
    """A run that was killed leaves the old line and the new one: the last is the one that holds."""
    put(folder, a="status 1")
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    new = Path("r.jsonl").read_text()
    Path("r.jsonl").write_text('{"file": "works/a.md", "exit_status": 3}\n' + new)
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 1
    assert Path("r.jsonl").read_text() == new


def test_an_interrupted_second_run_loses_no_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(folder, a="", b="status 1", c="")
    check_folder(SHEET, "works", "r.jsonl", check=fine)

    def stopped(_: object, __: object, emit: batch.Emit, ___: int) -> None:
        emit(batch.failed("works/a.md", "once more", 3))
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "_check_all", stopped)
    with pytest.raises(KeyboardInterrupt):
        check_folder(SHEET, "works", "r.jsonl", strict=True)
    found = lines("r.jsonl")
    assert {name: record["exit_status"] for name, record in found.items()} == {"a": 3, "b": 1, "c": 0}
    assert found["a"]["problem_digest"] != found["b"]["problem_digest"]


def test_the_digests_stand_behind_the_name() -> None:
    name = 'q"\udcff/ä\\.md'
    line = batch.failed(name, "No.", 2).stamped(batch.Stamp("w", "p"))
    assert list(json.loads(line.text).items()) == [
        ("file", name), ("work_digest", "w"), ("problem_digest", "p"), ("error", "No."), ("exit_status", 2),
    ]  # fmt: skip


def test_what_could_not_be_read_is_tried_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.md").symlink_to("nothing.md")
    assert check_folder(SHEET, "works", "r.jsonl") == 2
    assert lines("r.jsonl")["a"]["work_digest"] == ""
    assert "cannot be read" in lines("r.jsonl")["a"]["error"]
    check_folder(SHEET, "works", "r.jsonl")
    assert "0 kept, 1 checked again" in capsys.readouterr().err


# Links ---------------------------------------------------------------------------------------------


def test_links_out_of_the_folder_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("secret.md").write_text("status 3")
    Path("elsewhere").mkdir()
    (Path("elsewhere") / "other.md").write_text("status 3")
    (folder / "a.md").symlink_to(Path("secret.md").absolute())
    (folder / "b.md").symlink_to("../secret.md")
    (folder / "c").symlink_to("../elsewhere", target_is_directory=True)
    (folder / "d.md").symlink_to("/nothing/there.md")
    put(folder, e="status 1")
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 2
    found = lines("r.jsonl")
    assert {name: record["exit_status"] for name, record in found.items()} == {"a": 2, "b": 2, "c": 2, "d": 2, "e": 1}
    for name in "abcd":
        assert found[name]["error"].count(".") - found[name]["file"].count(".") == 1
        assert "leads out of works" in found[name]["error"]
        assert "secret" not in found[name]["error"]
    check_folder(SHEET, "works", "r.jsonl", check=fine)
    assert "5 kept, 0 checked again" in capsys.readouterr().err


def test_a_link_that_becomes_a_work_is_checked(folder: Path) -> None:
    Path("secret.md").write_text("")
    (folder / "a.md").symlink_to("../secret.md")
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 2
    (folder / "a.md").unlink()
    put(folder, a="")
    assert check_folder(SHEET, "works", "r.jsonl", check=fine) == 0


def test_links_inside_the_folder_are_works(folder: Path) -> None:
    put(folder, a="status 1")
    (folder / "b.md").symlink_to("a.md")
    (folder / "sub").mkdir()
    (folder / "again").symlink_to("sub", target_is_directory=True)
    Path("by-link").symlink_to("works", target_is_directory=True)
    assert list(contents("works").works) == ["works/a.md", "works/b.md"]
    assert list(contents("by-link").works) == ["by-link/a.md", "by-link/b.md"]
    assert check_folder(SHEET, "by-link", "r.jsonl", check=fine) == 1


def test_links_in_a_circle_are_no_end(folder: Path) -> None:
    (folder / "a.md").symlink_to("b.md")
    (folder / "b.md").symlink_to("a.md")
    (folder / "up").symlink_to(".", target_is_directory=True)
    put(folder, c="")
    assert list(contents("works").works) == ["works/a.md", "works/b.md", "works/c.md"]


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
    assert earlier_results("r.jsonl") == {"other/z.md": Earlier(3)}
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
        "import signal\nfrom symattn.cli import batch\n"
        "from symattn.cli.main import main\nfrom tests.cli.checks import fine\n"
        # What a shell starts in the background ignores Ctrl-C, and so would this.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
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
    _, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    assert messages == "symattn: Stopped. The results so far are complete. Run the same command again to continue.\n"
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


@pytest.mark.usefixtures("quick")
def test_the_command_says_what_it_kept(folder: Path) -> None:
    put(folder, a="", b="")
    command = ("check", "-", folder, "-o", "r.jsonl")
    run(*command, stdin=SMALL)
    put(folder, b="status 1", c="")
    outcome = run(*command, stdin=SMALL)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith("r.jsonl: 1 kept, 1 checked again")
    outcome = run(*command, "--strict", stdin=SMALL)
    assert outcome.err.startswith("r.jsonl: 0 kept, 3 checked again")
    assert set(lines("r.jsonl")) == {"a", "b", "c"}


@pytest.mark.parametrize("name", ["r.json", "r.tex", "works/a.md"])
def test_lines_are_not_written_to_another_kind_of_file(folder: Path, name: str) -> None:
    put(folder, a="")
    refused(run("check", "-", folder, "-o", name, stdin=SMALL), name, ".jsonl")


@pytest.mark.parametrize("option", [("--pdf",), ("--verbose",), ("--format", "md")])
def test_options_for_one_work(folder: Path, option: tuple[str, ...]) -> None:
    outcome = run("check", "-", folder, *option, stdin=SMALL)
    assert outcome.status == 2
    assert f"is a folder: leave {option[0]} out" in outcome.err


def test_a_bad_problem_is_refused_before_anything_is_written(folder: Path) -> None:
    put(folder, a="")
    refused(run("check", "-", folder, "-o", "r.jsonl", stdin="nonsense = 1"), "nonsense")
    refused(run("check", "missing.toml", folder, "-o", "r.jsonl"), "missing.toml cannot be read")
    assert not Path("r.jsonl").exists()
