"""Minus infinity and a number far below every score stand for each other, where another score of the line is seen."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.problem.model import Problem

SCORES = [[2, 1, 3], [1, 2, 4], [2, 0, 1]]


def defined(far: str, *, first_row: str = "0") -> Problem:
    mask = [[first_row, far, far], ["0", "0", far], ["0", "0", "0"]]
    return Problem.build(inputs={"S": SCORES, "M": mask}, definitions={"N": "S + M", "A": "softmax(N)"})


def report(problem: Problem, *lines: str) -> Report:
    return check_text(problem, "\n\n".join(lines) + "\n", "md")


def words(problem: Problem, *lines: str) -> list[str]:
    return [finding.verdict for finding in report(problem, *lines).findings]


FAR = pytest.mark.parametrize("far", ["-1000", "-1e4", "-1e9"])


@FAR
def test_minus_infinity_is_the_masks_own(far: str) -> None:
    found = report(
        defined(far),
        "M = [[0, -inf, -inf], [0, 0, -inf], [0, 0, 0]]",
        "N = [[2, -inf, -inf], [1, 2, -inf], [2, 0, 1]]",
        "A = [[1, 0, 0], [0.269, 0.731, 0], [0.665, 0.090, 0.245]]",
    )
    assert [finding.verdict for finding in found.findings] == ["rounded"] * 3
    assert "hides as much" in found.findings[0].explanation
    assert found.first_mistake is None


@FAR
def test_what_is_replaced_instead_of_added_is_so_too(far: str) -> None:
    assert words(defined(far), "N = [[2, -1e9, -1e9], [1, 2, -1e9], [2, 0, 1]]") == ["rounded"]


@FAR
def test_working_with_it_is_right(far: str) -> None:
    assert words(defined(far), r"$N_{12} = 1 + (-\infty) = -\infty$") == ["right", "rounded"]
    weight = r"$A_{21} = \frac{e^{1}}{e^{1} + e^{2} + e^{-\infty}} = 0.269$"
    assert words(defined(far), weight) == ["right", "rounded"]


@FAR
@pytest.mark.parametrize(
    "matrix",
    ["[[2, -inf, 3], [1, 2, -inf], [2, 0, 1]]", "[[2, -inf, -inf], [1, -inf, -inf], [2, 0, 1]]",
     "[[2, -inf, -inf], [1, 2, -inf], [2, 0, 0]]", "[[2, inf, -inf], [1, 2, -inf], [2, 0, 1]]"],
)  # fmt: skip
def test_other_entries_are_judged_as_ever(far: str, matrix: str) -> None:
    assert words(defined(far), f"N = {matrix}") == ["wrong"]


@FAR
def test_a_key_that_is_seen_is_not_hidden_in_working(far: str) -> None:
    assert words(defined(far), r"$A_{22} = \frac{e^{-\infty}}{e^{1} + e^{2} + e^{-\infty}} = 0$")[0] == "wrong"


@FAR
def test_a_row_that_is_hidden_wholly_is_defined(far: str) -> None:
    """The softmax of three equal shifts is that of the scores, and nothing is undefined."""
    problem = defined(far, first_row=far)
    assert words(problem, "A = [[0.245, 0.090, 0.665], [0.269, 0.731, 0], [0.665, 0.090, 0.245]]") == ["rounded"]
    assert words(problem, "N = [[-inf, -inf, -inf], [1, 2, -inf], [2, 0, 1]]") == ["wrong"]
    assert "right" not in words(problem, "A = [[nan, nan, nan], [0.269, 0.731, 0], [0.665, 0.090, 0.245]]")


def test_scores_that_are_only_low_are_numbers() -> None:
    problem = Problem.build(inputs={"S": [[2, "-400"]]}, definitions={"A": "softmax(S)"})
    assert words(problem, "S = [2, -inf]") == ["wrong"]


def test_a_finite_mask_of_a_layer_hides_so_too() -> None:
    tables: dict[str, Any] = {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 2]], "V": [[1, 0], [0, 4]]}
    problem = Problem.build(inputs=tables, mask={"add": [[0, "-1e9"], [0, 0]]})
    assert words(problem, "S_masked = [[0.71, -inf], [0.71, 1.41]]", "A = [[1, 0], [0.33, 0.67]]") == ["rounded"] * 2
