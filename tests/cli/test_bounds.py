"""A check ends: in its budget of time and memory, or by a signal, and nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from symattn.api.sheet_texts import SheetText
from symattn.cli.batch import check_folder
from symattn.processes import limits
from symattn.processes.limits import Budget, BudgetError, limited
from tests.cli.checks import slow
from tests.cli.hostile import hostile_folder
from tests.cli.runner import SMALL, Outcome, refused

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.unmeasured,
    pytest.mark.skipif(sys.platform != "linux", reason="limits and signals of Linux"),
]


def put(folder: Path, **works: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in works.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def lines(path: Path) -> dict[str, Any]:
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {Path(record["file"]).stem: record for record in records}


def test_a_work_over_its_budget_is_told_of_in_its_line(tmp_path: Path) -> None:
    put(tmp_path / "works", a="", b="slow", c="large", d="status 1", e="deaf", f="")
    sheet, output = SheetText(SMALL, "small.toml", None, Budget(0.3, 3)), tmp_path / "r.jsonl"
    assert check_folder(sheet, str(tmp_path / "works"), str(output), jobs=2, check=slow) == 2
    found = lines(output)
    assert {name: item["exit_status"] for name, item in found.items()} == {
        "a": 0, "b": 2, "c": 2, "d": 1, "e": 2, "f": 0,
    }  # fmt: skip
    assert "--timeout" in found["b"]["error"]
    assert "--memory" in found["c"]["error"]
    assert "--timeout" in found["e"]["error"]


def test_a_work_over_its_budget_is_checked_again_with_another(tmp_path: Path) -> None:
    put(tmp_path / "works", a="", b="deaf", c="slow")
    folder, output = str(tmp_path / "works"), tmp_path / "r.jsonl"
    check_folder(SheetText(SMALL, "small.toml", None, Budget(0.2, 3)), folder, str(output), check=slow)
    digests = {name: item["problem_digest"] for name, item in lines(output).items()}
    assert digests["a"] != digests["b"] == digests["c"]
    before = output.read_text()
    check_folder(SheetText(SMALL, "small.toml", None, Budget(0.2, 3)), folder, str(output), check=None)
    assert output.read_text() == before
    check_folder(SheetText(SMALL, "small.toml", None, Budget(9, 3)), folder, str(output))
    assert lines(output)["c"]["problem_digest"] == digests["a"]


def test_a_single_work_over_its_budget_is_one_sentence(tmp_path: Path) -> None:
    work = tmp_path / "a.md"
    work.write_text("$Q_{11} = 1$\n\n" * 1600)
    # In a process of its own: twice the budget ends the process.
    command = [sys.executable, "-m", "symattn", "check", "-", str(work), "--timeout", "0.2"]
    ended = subprocess.run(
        command, check=False, input=SMALL, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    refused(Outcome(ended.returncode, ended.stdout, ended.stderr), "so it was stopped", "--timeout")


def work_for_ever(budget: Budget) -> None:
    with limited(budget, "w"):
        while True:
            pass


def test_limits_are_taken_back() -> None:
    with pytest.raises(BudgetError, match=r"w: checking it takes more than 0\.3 seconds .* --timeout"):
        work_for_ever(Budget(0.3))
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == signal.getitimer(signal.ITIMER_PROF)[0] == 0
    assert signal.getsignal(signal.SIGVTALRM) == signal.SIG_DFL
    assert limits.SECONDS == 60


def check_hostile(tmp_path: Path, count: int, seed: int) -> None:
    """Every file has its line, none of them over a budget of five seconds or for an internal fault."""
    hostile_folder(tmp_path / "works", count, seed)
    sheet = SheetText((ROOT / "examples/ps4_self_attention.toml").read_text("utf-8"), "ps4.toml", None, Budget(5))
    output = tmp_path / "r.jsonl"
    assert check_folder(sheet, str(tmp_path / "works"), str(output), jobs=2) in {2, 3}
    found = lines(output)
    assert len(found) == count
    assert not [item for item in found.values() if item["exit_status"] == 4 or "--timeout" in item.get("error", "")]


def test_hostile_files_stall_nothing(tmp_path: Path) -> None:
    check_hostile(tmp_path, 24, 1)


@pytest.mark.long
def test_many_hostile_files_stall_nothing(tmp_path: Path) -> None:
    check_hostile(tmp_path, 300, 2)


PROGRAM = """
from symattn.cli import batch
from symattn.__main__ import main
from tests.cli.checks import fine
import sys
batch.check_file = fine
sys.argv = ["symattn", "check", "small.toml", "works", "-o", "r.jsonl", "--jobs", "2"]
main()
"""


def processes(group: int) -> set[int]:
    """The living processes of a session."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == group and fields[0] != "Z":
                found.add(int(entry.name))
    return found


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGKILL, -9)],
)
def test_a_folder_that_is_stopped_leaves_nothing_and_goes_on(tmp_path: Path, number: int, status: int) -> None:
    put(tmp_path / "works", a="", b="slow", c="status 3", d="slow")
    (tmp_path / "small.toml").write_text(SMALL)
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + PROGRAM
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    output, until = tmp_path / "r.jsonl", time.monotonic() + 60
    while time.monotonic() < until and not (output.exists() and output.read_text().count("\n") == 2):
        time.sleep(0.05)
    os.kill(process.pid, number)
    assert process.wait(60) == status
    until = time.monotonic() + 20
    while processes(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not processes(process.pid)
    assert {path.name for path in tmp_path.iterdir()} == {"works", "small.toml", "r.jsonl"}
    put(tmp_path / "works", b="", d="status 1")
    check_folder(SheetText(SMALL, "small.toml"), str(tmp_path / "works"), str(output), check=slow)
    assert {name: item["exit_status"] for name, item in lines(output).items()} == {"a": 0, "b": 0, "c": 3, "d": 1}


def stopped_often(tmp_path: Path, times: int, count: int) -> None:
    """Stop a folder at random moments, go on, and find what an undisturbed run finds."""
    random = Random(times)
    hostile_folder(tmp_path / "works", count, 3)
    command = [sys.executable, "-m", "symattn", "check", str(ROOT / "examples/ps4_self_attention.toml"), "works"]

    def start(output: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*command, "-o", output, "--jobs", "2"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    for _ in range(times):
        process = start("r.jsonl")
        time.sleep(random.uniform(0, 1.5))
        os.kill(process.pid, random.choice((signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)))
        process.wait(60)
        until = time.monotonic() + 20
        while processes(process.pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert not processes(process.pid)
    for output in ("r.jsonl", "whole.jsonl"):
        assert start(output).wait(300) in {2, 3}
    assert {path.name for path in tmp_path.iterdir()} == {"works", "r.jsonl", "whole.jsonl"}
    assert lines(tmp_path / "r.jsonl") == lines(tmp_path / "whole.jsonl")


def test_a_folder_stopped_at_random_moments_loses_nothing(tmp_path: Path) -> None:
    stopped_often(tmp_path, 2, 16)


@pytest.mark.long
def test_a_folder_stopped_at_many_random_moments_loses_nothing(tmp_path: Path) -> None:
    stopped_often(tmp_path, 20, 300)
