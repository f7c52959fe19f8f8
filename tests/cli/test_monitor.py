"""A single check that never comes back to Python, or dies: one sentence and an exit status, as in a folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from symattn.processes.limits import monitored
from tests.cli.runner import SMALL

pytestmark = [
    pytest.mark.unmeasured,
    pytest.mark.skipif(sys.platform != "linux", reason="limits and signals of Linux"),
]

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import os, signal, sys
from symattn.api import submissions
from symattn.__main__ import main
def check(*_, **__):
    {body}
submissions.check = check
sys.argv = ["symattn", "check", "small.toml", "work.md", *sys.argv[1:]]
main()
"""
DEAF = "signal.signal(signal.SIGVTALRM, signal.SIG_IGN)"
"""As while one operation of C never ends: no handler of Python runs."""

BLOCKED = "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))"

BODIES = {
    "one operation": (f"{DEAF}\n    while True: pass", ("--timeout", "0.2"), 2, "--timeout"),
    "a loop": ("while True: pass", ("--timeout", "0.2"), 2, "--timeout"),
    "memory": ("bytearray(10**11)", ("--memory", "1"), 2, "--memory"),
    "memory of a library": ("os.abort()", (), 2, "--memory"),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", (), 2, "--memory"),
    "a fault of a library": ("os.kill(os.getpid(), signal.SIGSEGV)", (), 4, "report"),
}


def start(folder: Path, body: str, *options: str) -> subprocess.Popen[str]:
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    (folder / "work.md").write_text("$S_{11} = 1$, $O = 1.5$", encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(body=body), *options], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize(("body", "options", "status", "word"), BODIES.values(), ids=BODIES)
def test_its_end_is_told_in_one_sentence(
    tmp_path: Path, body: str, options: tuple[str, ...], status: int, word: str
) -> None:
    process = start(tmp_path, body, *options, "-o", "checked.txt")
    out, err = process.communicate()
    assert (process.returncode, out) == (status, "")
    (line,) = err.splitlines()
    assert line.startswith("symattn: work.md: ")
    assert line.endswith(".")
    assert word in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.toml", "work.md"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("body", ["signal.pause()", f"{BLOCKED}; signal.pause()"], ids=["listens", "is deaf"])
def test_a_request_to_end_is_passed_on(tmp_path: Path, number: signal.Signals, body: str) -> None:
    process = start(tmp_path, f"print(os.getpid(), flush=True); {body}")
    assert process.stdout is not None
    child = int(process.stdout.readline())
    assert child != process.pid
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == 128 + number
    assert err == "symattn: Stopped.\n"
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_run_that_is_asked_to_end_clears_up_itself(tmp_path: Path) -> None:
    body = "try: print(flush=True); signal.pause()\n    finally: open('cleared', 'w').close()"
    process = start(tmp_path, body)
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    _, err = process.communicate()
    assert (process.returncode, err) == (128 + signal.SIGTERM, "symattn: Stopped.\n")
    assert (tmp_path / "cleared").exists()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("work", "status"), [("$O = 1.2689$", 0), ("$O = 1.5$", 1), ("Words.", 1), ("$S_{11} = (1$", 1)]
)
def test_the_status_and_the_report_are_those_of_the_check(tmp_path: Path, work: str, status: int) -> None:
    (tmp_path / "small.toml").write_text(SMALL + "[[parts]]\nasks = 'outputs'\n", encoding="utf-8")
    (tmp_path / "work.md").write_text(work, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", "symattn", "check", "small.toml", "work.md"], cwd=tmp_path, capture_output=True,
        text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert found.returncode == status
    assert found.stdout.count("work.md") == 1
    assert found.stderr == ""


def test_nothing_is_forked_inside_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def fork() -> int:
        raise AssertionError

    monkeypatch.setattr(os, "fork", fork)
    assert monitored("work.md", print) is None


def test_a_check_goes_on_where_no_process_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def fork() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", fork)
    monkeypatch.setattr("symattn.processes.limits.is_own_process", lambda: True)
    assert monitored("work.md", print) is None
