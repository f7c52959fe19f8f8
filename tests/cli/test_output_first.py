"""Where results are to go is looked at before the work: here there is none to do, and the path is what is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.runner import SMALL, refused, run

COMMANDS: dict[str, tuple[str, ...]] = {
    "solve": ("solve", "nowhere.toml", "-o"),
    "check": ("check", "nowhere.toml", "nowhere.txt", "-o"),
    "a proof": ("check", "--theorem", "nothing", "nowhere.txt", "-o"),
    "compare": ("compare", "nowhere.toml", "nowhere.npy", "--svg"),
    "prove": ("prove", "nothing", "-o"),
}
ENDINGS: dict[str, tuple[str, ...]] = {
    "solve": (".tex", ".json", ".pdf", ".csv", ".jsonl", ".npy"),
    "check": (".txt", ".tex", ".json", ".html", ".pdf"),
    "a proof": (".txt", ".pdf"),
    "compare": (".svg",),
    "prove": (".tex", ".json", ".pdf"),
}


@pytest.mark.parametrize(("command", "ending"), [(name, end) for name, ends in ENDINGS.items() for end in ends])
def test_a_folder_that_is_not_there_is_told_first(tmp_path: Path, command: str, ending: str) -> None:
    refused(run(*COMMANDS[command], tmp_path / "none" / f"x{ending}"), "its folder does not exist")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_is_no_output_file(tmp_path: Path, command: str) -> None:
    refused(run(*COMMANDS[command], tmp_path), "it is a folder")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["", " "])
def test_a_file_has_a_name(command: str, name: str) -> None:
    outcome = run(*COMMANDS[command], name)
    assert outcome.status == 2
    assert "is empty. Give a file name, or leave the option out" in outcome.err


def test_the_pdf_of_a_json_file_is_looked_for_too(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").mkdir()
    refused(run("solve", "nowhere.toml", "--pdf", "-o", tmp_path / "x.json"), "x.pdf cannot be written")


def test_the_lines_of_a_folder_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(SMALL)
    (tmp_path / "works").mkdir()
    outcome = run("check", tmp_path / "p.toml", tmp_path / "works", "-o", tmp_path / "none" / "x.jsonl")
    refused(outcome, "its folder does not exist")


@pytest.mark.parametrize("options", [("-t", "exam"), ("-d", "brief"), ("--pdf",), ("--json",)])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "npy"])
def test_a_table_is_no_document(tmp_path: Path, ending: str, options: tuple[str, ...]) -> None:
    outcome = run("solve", "nowhere.toml", "-o", tmp_path / f"x.{ending}", *options)
    assert outcome.status == 2
    assert f"A .{ending} file is a table of numbers: leave" in outcome.err


@pytest.mark.parametrize("options", [("-t", "exam"), ("-d", "brief")])
def test_json_is_no_document(options: tuple[str, ...]) -> None:
    outcome = run("solve", "nowhere.toml", "--json", *options)
    assert outcome.status == 2
    assert "JSON is not a document: leave --" in outcome.err
