"""Standard streams that are closed, full, or read by nobody: a sentence or silence, and the usual exit status."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runner import SMALL

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not Path("/dev/full").exists(), reason="closes streams as a shell of Linux does"
)

_BASH = shutil.which("bash") or "bash"
RIGHT = "$S_{11} = 1$, $S_{12} = 0$, $A = [0.7311, 0.2689]$, $O = 1.2689$\n"
WRONG = RIGHT.replace("1.2689", "1.5")


def shell(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    (folder / "sheet.toml").write_text(SMALL, encoding="utf-8")
    (folder / "work.md").write_text(RIGHT, encoding="utf-8")
    (folder / "wrong.md").write_text(WRONG, encoding="utf-8")
    program = f'symattn() {{ "{sys.executable}" -m symattn "$@"; }}; '
    return subprocess.run(
        [_BASH, "-c", program + command], cwd=folder, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip


def assert_is_told(found: subprocess.CompletedProcess[str], *words: str) -> None:
    (line,) = found.stderr.splitlines()
    assert line.startswith("symattn: ")
    assert all(word in line for word in words)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("symattn check sheet.toml work.md >&-", 0),
        ("symattn check sheet.toml wrong.md >&-", 1),
        ("symattn check sheet.toml wrong.md >&- 2>&-", 1),
        ("symattn check sheet.toml nowhere.md >&- 2>&-", 2),
        ("symattn check sheet.toml nowhere.md 2>/dev/full", 2),
        ("symattn check sheet.toml work.md <&- >/dev/null", 0),
        ("symattn check sheet.toml . -o done.jsonl >&- 2>&- <&-", 1),
        ("symattn check sheet.toml wrong.md | true; exit ${PIPESTATUS[0]}", 1),
        ("symattn check sheet.toml . | true; exit ${PIPESTATUS[0]}", 141),
        ("symattn check sheet.toml wrong.md --json | head -1 >/dev/null; exit ${PIPESTATUS[0]}", 1),
        ("symattn solve sheet.toml | true; exit ${PIPESTATUS[0]}", 0),
        ("symattn solve sheet.toml -o key.json >&- 2>&-", 0),
        ("symattn prove dot-product-mean --json | true; exit ${PIPESTATUS[0]}", 0),
        ("symattn theorems | true; exit ${PIPESTATUS[0]}", 0),
        ("symattn schema | true; exit ${PIPESTATUS[0]}", 0),
        ("symattn init | true; exit ${PIPESTATUS[0]}", 0),
        ("symattn --help | true; exit ${PIPESTATUS[0]}", 0),
        ("symattn solve --help | true; exit ${PIPESTATUS[0]}", 0),
        ("symattn --version >&-", 0),
        ("symattn bogus 2>&-", 2),
    ],
)  # fmt: skip
def test_a_stream_that_nobody_reads_changes_no_status(tmp_path: Path, command: str, status: int) -> None:
    found = shell(tmp_path, command)
    assert (found.returncode, found.stderr) == (status, "")
    for path in (tmp_path / "key.json", tmp_path / "done.jsonl"):
        assert not path.exists() or path.read_text().startswith("{")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "command",
    ["symattn solve sheet.toml", "symattn check sheet.toml work.md", "symattn check sheet.toml .", "symattn --help",
     "symattn schema", "symattn init", "symattn theorems --json"],
)  # fmt: skip
def test_an_output_that_is_full_is_told(tmp_path: Path, command: str) -> None:
    found = shell(tmp_path, f"{command} >/dev/full")
    assert found.returncode == 2
    assert_is_told(found, "Standard output cannot be written", "No space left on device")


@pytest.mark.parametrize(
    "command",
    ["symattn solve -", "symattn check sheet.toml - -f md", "symattn check -t dot-product-mean - -f md",
     "symattn check - work.md", "symattn replay -"],
)  # fmt: skip
def test_an_input_that_is_closed_is_told(tmp_path: Path, command: str) -> None:
    found = shell(tmp_path, f"{command} <&-")
    assert found.returncode == 2
    assert_is_told(found, "Standard input is closed")
