"""The worker of a practice page on Pyodide, in node: the same reports as the command line gives."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.courses.practice_pages import (
    EXAMPLES,
    GATE,
    build,
    examples,
    needs_flint,
    needs_pyodide,
    on_the_command_line,
    without_source,
    works,
)

NODE = shutil.which("node")
pytestmark = [needs_pyodide, pytest.mark.skipif(NODE is None, reason="node is not installed")]

OTHER_FUNCTIONS = r"$A_{11} = \sin(1) = 0.84$ and $0.52 = \operatorname{erf}(1/2)$"


def messages(site: Path, submissions: list[str]) -> list[dict[str, Any]]:
    """Return all that the worker tells the page of, for works that are checked one after the other."""
    command = [str(NODE), str(Path(__file__).with_name("worker_in_node.mjs"))]
    given = json.dumps({"site": str(site), "works": submissions})
    done = subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def reports(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [without_source(message["answer"]["json"]) for message in told if message["kind"] == "answer"]


@pytest.mark.parametrize("problem", examples())
def test_the_worker_reports_as_the_command_line_does(problem: Path, tmp_path: Path) -> None:
    submissions = works(problem)
    told = messages(build(problem, tmp_path / "site"), submissions)
    assert told[0] == {"kind": "ready"}
    expected = [on_the_command_line(problem, work, tmp_path) for work in submissions]
    assert reports(told) == expected
    assert expected[0]["summary"]["wrong"] == 0
    assert expected[1]["summary"]["wrong"] > 0


@pytest.mark.long
@needs_flint
def test_functions_of_a_work_load_flint_when_they_come(tmp_path: Path) -> None:
    problem = EXAMPLES / f"{GATE}.toml"
    plain = works(problem)[1]
    told = messages(build(problem, tmp_path / "site"), [plain, OTHER_FUNCTIONS, plain])
    assert [message["kind"] for message in told] == ["ready", "answer", "loading", "answer", "answer"]
    assert reports(told) == [on_the_command_line(problem, work, tmp_path) for work in (plain, OTHER_FUNCTIONS, plain)]
