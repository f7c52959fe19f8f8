"""Matrices with dots in the middle, as large keys print them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.graph.builders.attention import attention_layer
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


@pytest.mark.sample(2)
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


BIASED = Problem.build(
    Q=[[1, 2], [0, 1], [2, -1], [1, 1], [-1, 3]],
    K=[[1, 0], [2, 1], [0, 1], [1, -2], [3, 1]],
    V=[[1, 0], [2, 1], [3, -1], [4, 0], [5, 2]],
    scale="1/2",
    bias={"alibi": "1/2"},
    names={"S_scaled": "L"},
)


@pytest.mark.parametrize(
    ("name", "form", "parts"),
    [("G", "L + B = {0} + {1}", ("S_scaled", "B")), ("L", r"\frac{{1}}{{2}} {0}", ("S",)), ("O", "{0}{1}", ("A", "V"))],
)
def test_arithmetic_with_dots_is_judged_where_it_is_shown(name: str, form: str, parts: tuple[str, ...]) -> None:
    rows = [_shown(part) for part in parts]
    text = f"${name} = {form.format(*map(_written, rows))}$"
    assert _faults(check_text(BIASED, text, "md")) == []
    for number in range(len(rows)):
        rows = [_shown(part) for part in parts]
        rows[number][0][0] = "17"
        text = f"${name} = {form.format(*map(_written, rows))}$"
        assert "wrong" in _faults(check_text(BIASED, text, "md")), text


def test_a_softmax_of_what_is_left_out_is_undecided() -> None:
    text = f"$A = \\operatorname{{softmax}}({_written(_shown('L'))})$"
    assert _faults(check_text(BIASED, text, "md")) == ["undecided"]


def _shown(name: str) -> list[list[str]]:
    """Return rows 1, 2 and 5 of a quantity, and as many columns of a square one."""
    matrix = attention_layer(BIASED).scene.quantities["S_scaled" if name == "L" else name].exact
    lines = (0, 1, 4)
    columns = lines if matrix.shape[1] == 5 else range(matrix.shape[1])
    return [[decimal(matrix[i, j], Rounding(places=4)) for j in columns] for i in lines]


def _rows(problem: Problem, name: str) -> list[list[int]]:
    rows = [[entry.rational() for entry in row] for row in problem.inputs[name].rows]
    return [[int(value) for value in row if value is not None] for row in rows]


def _written(rows: Sequence[Sequence[int | str]]) -> str:
    """Return rows 1, 2 and the last one, with dots between the second and the third column where there is a third."""
    if len(rows[0]) == 2:
        lines = [f"{row[0]} & {row[1]}" for row in rows]
        lines.insert(2, r"\vdots & \vdots")
    else:
        lines = [f"{row[0]} & {row[1]} & \\cdots & {row[2]}" for row in rows]
        lines.insert(2, r"\vdots & \vdots & \ddots & \vdots")
    return r"\begin{bmatrix}" + r" \\ ".join(lines) + r"\end{bmatrix}"
