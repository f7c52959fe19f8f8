"""What lies in a folder beside submissions: each entry is told of once, with its reason, and none is waited for."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

import pytest

from symattn.courses.folders import contents
from tests.cli.runner import SMALL, refused, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no such entries")


@pytest.fixture
def works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of every kind of entry, two of which are submissions and three get a line with an error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sheet.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "outside.md").write_text("$O = 1$", encoding="utf-8")
    folder = tmp_path / "works"
    for name in ("deep", ".git", "deep/.cache", "named.md"):
        (folder / name).mkdir(parents=True)
    for name in (
        "a.md",
        "named.md/b.tex",
        "r.jsonl",
        "p.toml",
        "c.PDF",
        "none",
        ".h.md",
        ".git/x.md",
        "deep/.cache/y.md",
    ):
        (folder / name).write_text("$O = 1.2689$", encoding="utf-8")
    os.mkfifo(folder / "pipe.md")
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("works/socket.txt")
    for name, to in {
        "null.md": "/dev/null", "gone.md": "nowhere", "gone.bin": "nowhere", "loop.txt": "loop.txt", "here": "deep",
        "out.md": "../outside.md", "to-pipe.tex": "pipe.md",
    }.items():  # fmt: skip
        (folder / name).symlink_to(to)
    return folder


LEFT_OUT = {
    "hidden": [".git", ".h.md", "deep/.cache"],
    "not a .tex, .md, .txt or .ipynb file": ["c.PDF", "none"],
    "not a regular file": ["pipe", "pipe.md", "socket.txt", "to-pipe.tex"],
    "a link that leads nowhere or to a folder": ["gone.bin", "here"],
}


@pytest.mark.usefixtures("works")
def test_every_entry_is_a_submission_or_left_out_for_one_reason() -> None:
    found = contents("works")
    omitted = {reason: [name.removeprefix("works/") for name in names] for reason, names in found.omitted.items()}
    assert omitted == LEFT_OUT
    names = ("a.md", "gone.md", "loop.txt", "named.md/b.tex", "null.md", "out.md")
    assert found.works == tuple(f"works/{name}" for name in names)


@pytest.mark.usefixtures("works")
def test_they_are_told_in_one_sentence_and_stall_nothing() -> None:
    outcome = run("check", "sheet.toml", "works", "--jobs", "2")
    records = {record["file"]: record for record in map(json.loads, outcome.out.splitlines())}
    assert len(records) == 6
    assert {name for name, record in records.items() if "error" not in record} == {"works/a.md", "works/named.md/b.tex"}
    (line,) = outcome.err.splitlines()
    assert line.startswith("left out: 11 (")
    assert all(f"works/{name}" in line for names in LEFT_OUT.values() for name in names)
    assert all(reason in line for reason in LEFT_OUT)


def test_of_many_a_few_are_named(works: Path) -> None:
    for number in range(500):
        (works / f"scan{number:03}.png").write_bytes(b"")
    words = contents("works").words
    assert words.startswith("left out: 511 (")
    assert "and 492 more" in words
    assert len(words) < 1000


def test_a_folder_that_cannot_be_read_is_told(works: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def guarded(path: str) -> object:
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert contents(str(works)).omitted["a folder that cannot be read"] == [f"{works}/deep"]


def test_a_folder_without_submissions_says_what_it_holds(works: Path) -> None:
    (works / "deep" / "scan.png").write_bytes(b"")
    refused(run("check", "sheet.toml", "works/deep"), "holds no work", "left out: 2", "scan.png", ".cache")
