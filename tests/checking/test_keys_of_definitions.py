"""The key of a sheet with definitions of its own, without its comments: none of its statements is called wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem

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
    "scaled": {"S": "X X^T / sqrt(2)", "dX": "S^T X / sqrt(2)"},
}
DETAILS: tuple[Detail, ...] = ("brief", "full", "every-product")
OWN = Path(__file__).parents[2] / "examples" / "own_definitions.toml"


def sheet(name: str, **rounding: object) -> Problem:
    used = {key: rows for key, rows in INPUTS.items() if any(key in text for text in SHEETS[name].values())}
    return Problem.build(inputs=used, definitions=SHEETS[name], rounding={"places": 3, **rounding})


def wrong(problem: Problem, work: str) -> list[str]:
    return [item.text for item in check_text(problem, work, "tex").findings if item.verdict in {"wrong", "follows"}]


def key(problem: Problem, detail: Detail) -> str:
    return re.sub("% symattn.*", "", solve(problem).to_latex(detail=detail))


@pytest.mark.sample(9)
@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("name", SHEETS)
def test_no_statement_of_a_key_is_wrong(name: str, detail: Detail) -> None:
    for is_shifted in (False, True):
        problem = sheet(name, shift=is_shifted)
        assert wrong(problem, key(problem, detail)) == []


@pytest.mark.parametrize("detail", DETAILS)
def test_no_statement_of_the_key_of_the_example_is_wrong(detail: Detail) -> None:
    problem = Problem.load(OWN)
    assert wrong(problem, key(problem, detail)) == []


@pytest.mark.parametrize("name", ["nested", "two softmaxes", "two in one"])
def test_numbers_rounded_at_each_step_are_those_of_the_sheet(name: str) -> None:
    problem = sheet(name, places=2, steps="all")
    assert wrong(problem, key(problem, "brief")) == []


def test_a_number_of_the_sheet_that_is_wrong_in_a_key_is_found() -> None:
    problem = sheet("two in one")
    work = key(problem, "brief")
    assert wrong(problem, work.replace("1.267", "1.367")) != []


def test_a_raised_number_beside_the_numbers_of_a_row_is_that_of_the_row() -> None:
    problem = sheet("nested")
    assert wrong(problem, r"$O^{(1)} = [0.566, 0.434]$ and $O^{(2)} = [0.1, 0.9]$") == ["O^{(2)} = [0.1, 0.9]"]
