"""``symattn check`` on one work: its options, what it prints where, and how it ends."""

from __future__ import annotations

import io
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import symattn as sa
from symattn.api import submissions
from symattn.checking.report import REVEALS, Reveal
from symattn.checking.report import Report as Findings
from symattn.cli.main import main
from symattn.errors import InputError
from symattn.problem.model import Problem
from symattn.rendering.latex import compilation
from symattn.rendering.latex.compilation import Engine
from symattn.rendering.reports.text import report_text
from tests.cli.runner import SMALL, refused, run
from tests.fake_engines import MAKES_A_PDF, write_script
from tests.loaded import modules_of
from tests.rendering.reports import EMPTY, REPORT, single

ROOT = Path(__file__).resolve().parents[2]


class Checker:
    """Stands for the checker: gives the report it was made with, and remembers what it was asked."""

    def __init__(self, report: Findings) -> None:
        self.report = report
        self.asked: list[tuple[str, str, str, bool]] = []
        self.problems: list[Problem] = []

    def __call__(self, problem: Problem, text: str, format: str, source: str, *, strict: bool) -> Findings:  # noqa: A002
        self.problems.append(problem)
        self.asked.append((text, format, source, strict))
        return self.report


@pytest.fixture
def checker(monkeypatch: pytest.MonkeyPatch) -> Checker:
    """A checker that finds a little of everything."""
    made = Checker(REPORT)
    monkeypatch.setattr("symattn.checking.check.check_text", made)
    return made


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A problem and a work, in a folder that is the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL, encoding="utf-8")
    Path("work.md").write_text("Q = 1\n", encoding="utf-8")
    return "work.md"


def names() -> set[str]:
    return {path.name for path in Path().iterdir()} - {"small.toml", "work.md"}


# What is printed -----------------------------------------------------------------------------------


def test_a_report_is_printed(work: str, checker: Checker) -> None:
    outcome = run("check", "small.toml", work)
    assert outcome.status == 1
    assert outcome.err == ""
    assert outcome.out.startswith("ps4_student_work.md    6 statements: ")
    assert "\x1b" not in outcome.out
    assert checker.asked == [("Q = 1\n", "md", "work.md", False)]


def test_verbose_shows_every_statement(work: str, checker: Checker) -> None:
    assert checker.report is REPORT
    assert "2:47" not in run("check", "small.toml", work).out
    assert "2:47" in run("check", "small.toml", work, "--verbose").out


def test_json(work: str, checker: Checker) -> None:
    outcome = run("check", "small.toml", work, "--json")
    record: dict[str, Any] = json.loads(outcome.out)
    assert outcome.status == 1
    assert record == json.loads(json.dumps(checker.report.as_json()))


@pytest.mark.parametrize("output", ["-", "out.txt", "out.tex", "out.html", "out.json"])
@pytest.mark.parametrize("level", REVEALS)
@pytest.mark.usefixtures("checker")
def test_each_level_is_that_of_the_report(work: str, level: Reveal, output: str) -> None:
    run("check", "small.toml", work, "-o", output, "--verbose")
    whole = None if output == "-" else Path(output).read_text(encoding="utf-8")
    outcome = run("check", "small.toml", work, "-o", output, "--verbose", "--reveal", level)
    assert outcome.status == 1
    shown = outcome.out if whole is None else Path(output).read_text(encoding="utf-8")
    assert ("copied as 2" in shown) == (level == "value")
    assert whole is None or (shown == whole) == (level == "value")
    if output == "out.json":
        assert json.loads(shown) == json.loads(json.dumps(REPORT.redacted(level).as_json()))


def test_an_unknown_level(work: str) -> None:
    refused(run("check", "small.toml", work, "--reveal", "everything"), "--reveal", *REVEALS)
    refused(run("check", "small.toml", work, "--reveal", "marsk"), '"marks"')


def test_the_proof_of_a_theorem_at_a_level(work: str) -> None:
    Path(work).write_text(r"$E[q \cdot k] = 7 \mu^2$", encoding="utf-8")
    options = ("--theorem", "dot-product-mean", work, "--verbose", "--reveal")
    told = [run("check", *options, level) for level in ("place", "value")]
    assert told[0].status == told[1].status == 1
    assert ["the left side is" in outcome.out for outcome in told] == [False, True]


def test_json_with_half_a_character(work: str, checker: Checker) -> None:
    checker.report = single("\ud800 = 7", 0, 5)
    outcome = run("check", "small.toml", work, "--json")
    assert json.loads(outcome.out)["statements"][0]["text"] == "\ud800 = 7"
    outcome.out.encode("utf-8")


@pytest.mark.parametrize(
    ("report", "status"),
    [
        (REPORT, 1),
        (EMPTY, 3),
        (single("Q = 1", 0, 5, "right"), 0),
        (single("Q = 1", 0, 5, "follows"), 0),
        (single("Q = 1", 0, 5, "unread"), 3),
        (single("Q = 1", 0, 5, "wrong"), 1),
    ],
)
@pytest.mark.parametrize("options", [(), ("--json",), ("-o", "out.tex"), ("-o", "out.json")])
def test_exit_status(work: str, checker: Checker, report: Findings, status: int, options: tuple[str, ...]) -> None:
    checker.report = report
    assert run("check", "small.toml", work, *options).status == status


class Terminal(io.StringIO):
    """A terminal to print on."""

    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("checker")
@pytest.mark.parametrize("no_color", [False, True])
def test_colours_are_for_terminals(work: str, monkeypatch: pytest.MonkeyPatch, *, no_color: bool) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1" * no_color)
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    with pytest.raises(SystemExit, match="1"):
        main(["check", "small.toml", work])
    text = screen.getvalue()
    assert ("\x1b[31m" in text) is not no_color
    plain = click.unstyle(text)
    assert plain == report_text(REPORT, width=60)


# What is asked -------------------------------------------------------------------------------------


def test_standard_input(work: str, checker: Checker) -> None:
    assert work
    assert run("check", "small.toml", "-", "--format", "tex", stdin="Q = 1\r\n").status == 1
    assert run("check", "-", work, stdin=SMALL).status == 1
    assert checker.asked == [("Q = 1\n", "tex", "<stdin>", False), ("Q = 1\n", "md", "work.md", False)]


def test_text_from_standard_input_is_never_taken_for_a_path(work: str, checker: Checker) -> None:
    run("check", "small.toml", "-", "--format", "md", stdin=work)
    assert checker.asked[0][0] == work


def test_the_format_replaces_the_ending(work: str, checker: Checker) -> None:
    run("check", "small.toml", work, "--format", "txt")
    assert checker.asked[0][1] == "txt"


def test_strict_and_policy(work: str, checker: Checker) -> None:
    run("check", "small.toml", work, "--strict", "--policy", "steps=all,places=2")
    assert checker.asked[0][3] is True
    assert checker.problems[0].policy.as_json()["steps"] == "all"


# Files ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("checker")
@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("out.tex", "\\documentclass"),
        ("out.json", "{\n"),
        ("out.html", "<!DOCTYPE html>"),
        ("out.txt", "ps4_student_work.md"),
        ("out", "ps4_student_work.md"),
    ],
)
def test_the_ending_says_what_is_written(work: str, name: str, begins: str) -> None:
    outcome = run("check", "small.toml", work, "-o", name)
    assert (outcome.status, outcome.out, outcome.err) == (1, "", f"wrote {name}\n")
    assert Path(name).read_text(encoding="utf-8").startswith(begins)


@pytest.fixture
def engine_that_prints(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that makes some PDF of everything, at once."""
    script = write_script(tmp_path_factory.mktemp("bin") / "pdflatex", MAKES_A_PDF)
    monkeypatch.setattr(compilation, "_system_engine", lambda: Engine("system", script))


@pytest.mark.usefixtures("checker", "engine_that_prints")
@pytest.mark.parametrize(
    ("options", "written"),
    [
        (("--pdf",), {"work-checked.pdf", "work-checked.tex"}),
        (("-o", "out.pdf"), {"out.pdf", "out.tex"}),
        (("--pdf", "-o", "out"), {"out.pdf", "out.tex"}),
        (("--pdf", "-o", "out.json"), {"out.json", "out.pdf", "out.tex"}),
    ],
)
def test_the_pdf_and_its_source_stand_side_by_side(work: str, options: tuple[str, ...], written: set[str]) -> None:
    outcome = run("check", "small.toml", work, *options)
    assert (outcome.status, outcome.out) == (1, ""), outcome.err
    assert names() == written


@pytest.mark.usefixtures("checker", "engine_that_prints")
def test_the_work_is_never_written_over(work: str) -> None:
    assert work
    Path("mine.tex").write_text("Q = 1")
    for arguments in (
        ("mine.tex", "-o", "mine.tex"),
        ("mine.tex", "-o", "mine.pdf"),
        ("mine.tex", "--pdf", "-o", "mine"),
    ):
        refused(run("check", "small.toml", *arguments), "mine.tex is the work itself")
    assert run("check", "small.toml", "mine.tex", "--pdf").status == 1
    refused(run("check", "mine.tex", "work.md", "-o", "mine.tex"), "the problem itself")
    assert Path("mine.tex").read_text() == "Q = 1"


# What is refused -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("checker")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("small.toml", "missing.md"), ("missing.md cannot be read",)),
        (("missing.toml", "work.md"), ("missing.toml cannot be read",)),
        (("small.toml", "a\x00b.md"), ("cannot be read",)),
        (("small.toml", "x" * 400 + ".md"), ("cannot be read",)),
        (("small.toml", "-"), ("--format",)),
        (("-", "-", "-f", "md"), ("cannot both be standard input",)),
        (("small.toml", "work.md", "-o", "out.docx"), (".docx", ".html")),
        (("small.toml", "work.md", "-o", "missing/out.tex"), ("cannot be written",)),
        (("small.toml", "work.md", "--pdf", "-o", "-"), ("Name a file",)),
        (("small.toml", "work.md", "-p", "nonsense=1"), ("nonsense",)),
    ],
)
def test_bad_input(work: str, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert work
    refused(run("check", *arguments), *words)
    assert names() == set()


def test_work_that_is_not_utf_8(work: str, checker: Checker) -> None:
    Path(work).write_bytes("Größe\n".encode() + "Größe".encode("latin-1"))
    refused(run("check", "small.toml", work), "work.md, line 2: not UTF-8 text")
    refused(run("check", "small.toml", "-", "-f", "md", stdin=b"\xff\xfe"), "<stdin>, line 1: not UTF-8 text")
    assert checker.asked == []


def test_work_that_is_too_large(work: str, checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "MAX_WORK", 5)
    refused(run("check", "small.toml", work), "larger than 5 bytes")
    assert checker.asked == []


@pytest.mark.usefixtures("checker")
@pytest.mark.parametrize(
    "options",
    [("--json", "-o", "out.tex"), ("--pdf", "-o", "out.html"), ("--format", "html"), ("--jobs", "0"), ("--jobs", "2")],
)
def test_options_that_do_not_fit(work: str, options: tuple[str, ...]) -> None:
    refused(run("check", "small.toml", work, *options), options[0])
    assert names() == set()


# From Python ---------------------------------------------------------------------------------------


def test_check_gives_a_report_that_shows_itself(checker: Checker) -> None:
    problem = Problem.from_text(SMALL)
    report = sa.check(problem, "Q = 1\n")
    assert isinstance(report, sa.Report)
    assert isinstance(report, Findings)
    assert report.findings == REPORT.findings
    assert report.as_json() == REPORT.as_json()
    assert report.exit_status == 1
    assert report.to_text().startswith("ps4_student_work.md")
    assert str(report) == report.to_text()
    assert repr(report) == f"<Report on ps4_student_work.md: {REPORT.summary}>"
    assert report.to_latex().startswith("\\documentclass")
    assert report._repr_html_().startswith("<div")
    assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301 - made here
    assert checker.problems[0] is problem


@pytest.mark.parametrize(
    ("text", "written_as", "expected"),
    [
        ("Q = 1", "", "md"),
        ("Q = 1\n", "txt", "txt"),
        ("\\documentclass{article}\n", "", "tex"),
        ('{"cells": []}', "", "ipynb"),
        ("", "", "md"),
        ("x" * 5000, "", "md"),
        ("a\x00b", "", "md"),
    ],
)
def test_text_from_python(checker: Checker, text: str, written_as: str, expected: str) -> None:
    sa.check(Problem.from_text(SMALL), text, written_as)
    assert checker.asked == [(text, expected, "<work>", False)]


def test_paths_from_python(work: str, checker: Checker) -> None:
    Path(work).write_bytes(b"\xef\xbb\xbfQ = 1\r\nK = 2\r")
    sa.check("small.toml", work, strict=True)
    sa.check(Path("small.toml"), Path(work))
    assert checker.asked == [("Q = 1\nK = 2\n", "md", "work.md", True), ("Q = 1\nK = 2\n", "md", "work.md", False)]


@pytest.mark.parametrize("name", ["missing.md", "missing.TEX", Path("missing")])
def test_a_path_that_is_not_there_is_not_taken_for_a_text(checker: Checker, name: str | Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        sa.check(Problem.from_text(SMALL), name)
    assert checker.asked == []
    if isinstance(name, str):
        sa.check(Problem.from_text(SMALL), name, "md")
        assert checker.asked == [(name, "md", "<work>", False)]


@pytest.mark.usefixtures("checker")
def test_a_format_that_does_not_exist() -> None:
    with pytest.raises(InputError, match="Unknown format 'docx': take tex, md, txt, ipynb"):
        sa.check(Problem.from_text(SMALL), "Q = 1\n", "docx")


# The whole way -------------------------------------------------------------------------------------

RIGHT = "$S_{11} = 1$ and $S_{12} = 0$\n"
WRONG = "## Scores\n\n$S_{11} = 1$ and $S_{12} = 7$\n"


def test_a_mistake_is_found_at_its_place(work: str) -> None:
    Path(work).write_text(WRONG, encoding="utf-8")
    outcome = run("check", "small.toml", work, "--json")
    assert outcome.status == 1
    record = json.loads(outcome.out)
    assert (record["first_mistake"]["line"], record["first_mistake"]["name"]) == (3, "S[1,2]")
    wrong = [item for item in record["statements"] if item["verdict"] == "wrong"]
    assert [(item["line"], item["value"], item["expected"]) for item in wrong] == [(3, "7", "0")]
    shown = run("check", "small.toml", work).out
    assert "$S_{11} = 1$ and $S_{12} = 7$" in shown
    assert "first mistake: line 3, S[1,2]" in shown


def test_a_folder_is_checked_the_whole_way(work: str) -> None:
    Path("works").mkdir()
    Path("works", "right.md").write_text(RIGHT, encoding="utf-8")
    Path("works", "wrong.tex").write_text(WRONG, encoding="utf-8")
    Path("works", "words.txt").write_text("I did not do it.\n", encoding="utf-8")
    Path("works", "torn.ipynb").write_text("{", encoding="utf-8")
    outcome = run("check", "small.toml", "works", "--jobs", "2")
    assert work
    assert outcome.err == ""
    found = {Path(record["file"]).stem: record for record in map(json.loads, outcome.out.splitlines())}
    assert outcome.status == max(record["exit_status"] for record in found.values()) == 3  # nothing to judge in words
    assert set(found["torn"]) == {"file", "work_digest", "problem_digest", "error", "exit_status"}
    for name in ("right", "wrong", "words"):
        assert set(found[name]) == {"file", "work_digest", "problem_digest", "exit_status", "summary", "report"}
        assert found[name]["summary"] == found[name]["report"]["summary"]
    assert found["right"]["summary"]["wrong"] == 0
    assert found["right"]["summary"]["right"] == 2
    assert found["wrong"]["summary"]["wrong"] == 1


# Starting ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("--help",), ("check", "--help"), ("solve", "examples/nyu_columns.toml")])
def test_other_commands_load_nothing_of_checking(arguments: tuple[str, ...]) -> None:
    _, loaded = modules_of(*arguments)
    assert ("symattn.cli.check" in loaded) == (arguments[0] != "solve")
    late = (
        "symattn.checking",
        "symattn.rendering.reports.text",
        "symattn.cli.batch",
        "rich",
        "concurrent",
        "multiprocessing",
    )
    assert [name for name in loaded if name.startswith(late)] == []
