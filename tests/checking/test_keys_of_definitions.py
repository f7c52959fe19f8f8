"""The key of a sheet with definitions of its own, without its comments: none of its statements is called wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from tests.checking.unmarked import FINE

INPUTS = {
    "X": [[1, 0], [0, 1], [1, 1]],
    "seen": [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
    "some": [[1, 0, 0], [1, 1, 0], [0, 0, 0]],
}
SHEETS = {
    "one softmax": {"A": "softmax(X X^T)", "O": "A X"},
    "two softmaxes": {"A": "softmax(X X^T)", "B": "softmax(A X)"},
    "two in one": {"O": "softmax(X X^T) X + softmax(X, columns)"},
    "nested": {"O": "softmax(softmax(X X^T) X)"},
    "a line without keys": {"A": "softmax(mask(X X^T, some), zeros)", "O": "A X"},
    "two masks": {"A": "softmax(mask(X X^T, seen))", "O": "softmax(mask(A X X^T, seen)) X"},
    "exponentials": {"E": "exp(X)", "Z": "rowsum(E)", "A": "E / Z", "B": "softmax(X)"},
    "sums of entries": {"O": "rowsum(X .* X) + exp(X X^T) X"},
    "columns": {"A": "softmax(X X^T, columns)", "B": "softmax(A)"},
    "columns without keys": {"A": "softmax(mask(X X^T, some), columns, zeros)", "O": "A^T X"},
    "all together": {"A": "softmax(X X^T, all)", "O": "A X"},
    "one more": {"A": "softmax1(X X^T)", "O": "A X"},
    "zeros twice": {"A": "softmax(mask(X X^T, some), zeros)", "B": "softmax(mask(A, some), zeros)"},
    "three softmaxes": {"A": "softmax(X)", "B": "softmax(A)", "C": "softmax(B)"},
    "scaled": {"S": "X X^T / sqrt(2)", "dX": "S^T X / sqrt(2)"},
}
DETAILS: tuple[Detail, ...] = ("brief", "full", "every-product")
OWN = Path(__file__).parents[2] / "examples" / "own_definitions.toml"


def sheet(name: str, **rounding: object) -> Problem:
    used = {key: rows for key, rows in INPUTS.items() if any(key in text for text in SHEETS[name].values())}
    return Problem.build(inputs=used, definitions=SHEETS[name], rounding={"places": 3, **rounding})


ROUNDED: tuple[dict[str, object], ...] = (
    {},
    {"steps": "matrices", "places": 2},
    {"steps": "all"},
    {"steps": "all", "places": 2},
)
"""Ways to round, beside three places at the end."""


def wrong(problem: Problem, work: str, *, strict: bool = False) -> list[str]:
    findings = check_text(problem, work, "tex", strict=strict).findings
    return [item.text for item in findings if item.verdict not in FINE]


def key(problem: Problem, detail: Detail) -> str:
    return re.sub("% symattn.*", "", solve(problem).to_latex(detail=detail))


@pytest.mark.sample(4)
@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("number", range(len(ROUNDED)))
@pytest.mark.parametrize("name", SHEETS)
def test_nothing_is_held_against_a_key(name: str, number: int, detail: Detail) -> None:
    for is_shifted in (False, True):
        problem = sheet(name, shift=is_shifted, **ROUNDED[number])
        for strict in (False, True):
            assert wrong(problem, key(problem, detail), strict=strict) == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("detail", DETAILS)
def test_nothing_is_held_against_the_key_of_the_example(detail: Detail) -> None:
    problem = Problem.load(OWN)
    assert wrong(problem, key(problem, detail)) == []


def test_a_number_of_the_sheet_that_is_wrong_in_a_key_is_found() -> None:
    problem = sheet("two in one")
    work = key(problem, "brief")
    assert wrong(problem, work.replace("1.267", "1.367")) != []


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (r"Z_{3}^{(1)} &= e^{-1} + e^{-1} + e^{0}", r"Z_{3}^{(1)} &= e^{-1} + e^{-1} + e^{1}", "Z⁽1⁾[3]"),
        (r"D_{12}^{(1)} &= 0 - 1", r"D_{12}^{(1)} &= 0 - 2", "D⁽1⁾[1,2]"),
        (r"m_{3}^{(1)} &= \max(1, 1, 2) = 2", r"m_{3}^{(1)} &= \max(1, 1, 2) = 1", "m⁽1⁾[3]"),
        (r"\frac{0.37}{1.74}", r"\frac{0.37}{1.47}", "O⁽2⁾[3,1]"),
        (r"\operatorname{softmax}(\mathbf{X}^{\top})^{\top}", r"\operatorname{softmax}(\mathbf{X})", "O⁽4⁾"),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_a_mistake_on_the_way_to_a_quantity_of_the_sheet_is_found(
    old: str, new: str, named: str, *, strict: bool
) -> None:
    problem = sheet("two in one", shift=True, places=2, steps="all")
    work = key(problem, "every-product")
    assert old in work
    found = check_text(problem, work.replace(old, new, 1), "tex", strict=strict).findings
    assert named in {item.name for item in found if item.verdict == "wrong"}


def test_a_key_says_that_a_softmax_runs_down_the_columns() -> None:
    assert r"\mathbf{A} \approx \operatorname{softmax}(\mathbf{A}^{(1)\top})^{\top}" in key(sheet("columns"), "brief")
