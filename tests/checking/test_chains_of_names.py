"""Chains of names: every name has its finding, and what stands behind them is said of each."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.problem.model import Problem

IDENTITY = [[1, 0], [0, 1]]
ALIKE: dict[str, Any] = {
    "scale": "none",
    "inputs": {"X": [[1, 0], [0, 1], [1, 0]], "W_Q": IDENTITY, "W_K": IDENTITY, "W_V": IDENTITY},
    "parts": [{"asks": "projections", "points": 9}],
}
"""Q = K = V = X, whose first and third rows are alike. S = [1 0 1; 0 1 0; 1 0 1]."""


def report(*lines: str) -> Report:
    return check_text(Problem.build(**ALIKE), "\n\n".join(f"${line}$" for line in lines), "md")


def named(found: Report) -> list[tuple[str | None, str]]:
    return [(finding.name, finding.verdict) for finding in found.findings]


def test_every_name_is_found() -> None:
    found = report("k_1 = k_3 = [1, 0]", "k_2 = [0, 1]", "q_1=q_3=[1,0]", "q_2 = [0, 1]", "V = X")
    assert named(found)[:2] == [("K[3,:]", "right"), ("K[1,:]", "right")]
    assert not any(name.startswith(("K", "Q")) for name in found.missing)


def test_working_is_shared() -> None:
    found = report("k_1 = k_3 = x_1 W_K = [1, 0]")
    assert {finding.verdict for finding in found.findings} == {"right"}
    assert found.marks is not None
    assert found.marks.earned == 2  # four of eighteen entries, method and accuracy


def test_three_matrices_at_once() -> None:
    found = report(r"Q = K = V = \begin{bmatrix} 1 & 0 \\ 0 & 1 \\ 1 & 0 \end{bmatrix}")
    assert named(found) == [("K", "right"), ("V", "right"), ("Q", "right")]
    assert found.missing == ()


def test_a_name_that_does_not_belong() -> None:
    """v_2 is [0, 1]; the number is right for v_1, and wrong for v_2."""
    found = report("v_1 = v_2 = [1, 0]")
    assert named(found) == [("V[2,:]", "wrong"), ("V[1,:]", "right")]
    assert found.marks is not None
    assert any("V[2,1], V[2,2]: wrong" in reason for reason in found.marks.parts[0].reasons)


def test_a_number_that_is_wrong_for_both() -> None:
    found = report("v_1 = v_3 = [1, 1]")
    assert named(found) == [("V[3,:]", "right"), ("V[1,:]", "wrong")]


def test_what_was_stated_of_one_is_stated_of_the_other() -> None:
    assert "K[3,1]" not in report("k_1 = [1, 0]", "k_3 = k_1").missing
    assert "K[3,2]" in report("k_1 = [1, 1]", "k_3 = k_1").missing


def test_numbers_between_names() -> None:
    found = report("k_1 = [1, 0] = k_3")
    assert named(found) == [("K[1,:]", "right"), ("K[3,:]", "right")]
    assert "K[3,1]" not in found.missing


@pytest.mark.parametrize(
    ("value", "word"),
    [("0.42", "rounded"), ("0.4223", "rounded"), ("0.43", "wrong")],
)
def test_entries(value: str, word: str) -> None:
    """e/(2e + 1) = 0.42231…"""
    assert named(report(f"A_{{11}} = A_{{13}} = {value}")) == [("A[1,3]", "right"), ("A[1,1]", word)]


def test_alike_to_the_digits_that_are_written() -> None:
    problem = Problem.build(scale="none", inputs={"Q": [[1]], "K": [["1/1000"], [0]], "V": [[1], [2]]})
    found = check_text(problem, r"$A_{11} \approx A_{12} \approx 0.50$", "md")
    assert {finding.verdict for finding in found.findings} == {"rounded"}
    other = check_text(problem, r"$A_{11} = A_{12} = 0.5002$", "md")
    assert other.findings[0].verdict == "wrong"


def test_alike_because_of_an_earlier_mistake() -> None:
    found = report("S_{12} = 1", "A_{11} = A_{12} = 0.33")
    assert [word for _, word in named(found)] == ["wrong", "follows", "follows"]


def test_another_name_for_the_same_is_no_other_name() -> None:
    found = report("S = QK^T = Z^T")
    assert named(found)[0] == ("S", "right")


@pytest.mark.parametrize("text", ["o_1 ≈ v_1", r"O \approx V", r"o_1 \simeq v_1", "o_2 ~ v_2"])
def test_quantities_that_are_said_to_be_near_are_not_said_to_be_equal(text: str) -> None:
    problem = Problem.build(Q=[[1, 2], [0, 1]], K=[[1, 2], [1, 0]], V=[[3, -1], [1, 4]])
    assert {item.verdict for item in check_text(problem, f"${text}$", "md").findings} == {"unchecked"}
    (found,) = check_text(problem, "$o_1 = v_1$", "md").findings
    assert found.verdict == "wrong"
