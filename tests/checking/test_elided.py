"""Matrices with dots in the middle, as large keys print them."""

from __future__ import annotations

import re
from random import Random

import pytest

from symattn.api import solve
from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.problem.model import Problem

SIZE = 16


def _matrix(random: Random) -> list[list[int]]:
    return [[random.randint(-3, 3) for _ in range(SIZE)] for _ in range(SIZE)]


@pytest.fixture(scope="module")
def problem() -> Problem:
    random = Random(5)
    return Problem.build(Q=_matrix(random), K=_matrix(random), V=_matrix(random))


@pytest.fixture(scope="module")
def bare_key(problem: Problem) -> str:
    return re.sub(r"(?m)%[ ]*symattn:.*$", "%", solve(problem).to_latex("article", "full"))


def _faults(report: Report) -> list[str]:
    return [f.verdict for f in report.findings if f.verdict not in {"right", "rounded", "carried", "unchecked"}]


def test_a_large_key_holds(problem: Problem, bare_key: str) -> None:
    assert r"\cdots" in bare_key
    assert _faults(check_text(problem, bare_key, "tex", strict=True)) == []


@pytest.mark.parametrize(
    ("entry", "place"),
    [((0, 0), "its first row"), ((0, -1), "behind the dots"), ((-1, 0), "below the dots"), ((-1, -1), "the corner")],
)
def test_a_shown_entry_that_is_wrong_is_found(problem: Problem, entry: tuple[int, int], place: str) -> None:
    scores = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in _rows(problem, "K")] for q in _rows(problem, "Q")]
    shown = [0, 1, -1]
    rows = [[scores[i][j] for j in shown] for i in shown]
    i, j = shown.index(entry[0]), shown.index(entry[1])
    report = check_text(problem, f"$QK^T = {_written(rows)}$", "md")
    assert _faults(report) == [], place
    rows[i][j] += 1
    report = check_text(problem, f"$QK^T = {_written(rows)}$", "md")
    assert _faults(report) == ["wrong"]
    (finding,) = (f for f in report.findings if f.verdict == "wrong")
    assert finding.entries is not None
    assert [(a, b) for a in range(3) for b in range(3) if finding.entries[a][b].verdict == "wrong"] == [(i, j)]


def _rows(problem: Problem, name: str) -> list[list[int]]:
    rows = [[entry.rational() for entry in row] for row in problem.inputs[name].rows]
    return [[int(value) for value in row if value is not None] for row in rows]


def _written(rows: list[list[int]]) -> str:
    lines = [f"{row[0]} & {row[1]} & \\cdots & {row[2]}" for row in rows]
    lines.insert(2, r"\vdots & \vdots & \ddots & \vdots")
    return r"\begin{bmatrix}" + r" \\ ".join(lines) + r"\end{bmatrix}"
