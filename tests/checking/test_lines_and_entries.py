"""Rows, columns and entries in all their spellings are judged as those of the quantities."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

IDENTITY = [[1, 0], [0, 1]]
SMALL: dict[str, Any] = {
    "scale": "none",
    "inputs": {"X": [[1, 2], [0, 1], [3, 0]], "W_Q": IDENTITY, "W_K": IDENTITY, "W_V": IDENTITY},
}
"""Q = K = V = X, so S = [5 2 3; 2 1 0; 3 0 9]."""


def verdicts(*lines: str, form: Any = "md") -> list[tuple[str | None, str]]:
    found = check_text(Problem.build(**SMALL), "\n\n".join(lines), form)
    return [(finding.name, finding.verdict) for finding in found.findings]


@pytest.mark.parametrize("name", [r"Q_{1\cdot}", r"Q_{1,\cdot}", "Q_{1:}", "Q_{1,:}"])
def test_rows_are_bound(name: str) -> None:
    assert verdicts(f"${name} = [1, 2]$") == [("Q[1,:]", "right")]
    assert verdicts(f"${name} = [1, 3]$") == [("Q[1,:]", "wrong")]


@pytest.mark.parametrize("name", [r"Q_{\cdot 2}", r"Q_{\cdot,2}", "Q_{:,2}", "Q_{:2}"])
def test_columns_are_bound(name: str) -> None:
    assert verdicts(f"${name} = [2, 1, 0]^T$") == [("Q[:,2]", "right")]
    assert verdicts(f"${name} = [2, 1, 1]^T$") == [("Q[:,2]", "wrong")]


def test_entries_of_scores_come_from_rows() -> None:
    found = verdicts(r"$S_{12} = Q_{1\cdot} K_{2\cdot}^\top = 1 \cdot 0 + 2 \cdot 1 = 2$")
    assert found == [("S[1,2]", "right")] * 3


def test_lines_of_arrays_are_counted_from_zero_where_one_of_them_is() -> None:
    found = verdicts("Q[0,:] = [1, 2]", "Q[1,:] = [0, 1]", "Q[:,1] = [2, 1, 0]", form="txt")
    assert {verdict for _, verdict in found} == {"right"}
    assert {name for name, _ in found} == {"Q[1,:]", "Q[2,:]", "Q[:,2]"}
    assert ("Q[2,:]", "wrong") in verdicts("Q[0,:] = [1, 2]", "Q[1,:] = [1, 1]", form="txt")


def test_products_of_lines_of_arrays() -> None:
    found = verdicts("S[0,1] = Q[0,:] @ K[1,:] = 2", "S[0,2] = Q[0,:] @ K[2,:].T = 3", form="txt")
    assert {verdict for _, verdict in found} == {"right"}


@pytest.mark.parametrize(
    ("line", "name", "verdict"),
    [
        ("score(1,3) = 3", "S[1,3]", "right"),
        ("score(1,3) = 4", "S[1,3]", "wrong"),
        ("S(1,3) = 1*3 + 2*0", "S[1,3]", "right"),
        ("s(1, 3) = 3", "S[1,3]", "right"),
        ("Q(3,1) = 3", "Q[3,1]", "right"),
        ("weight(2,3) = 0.0900", "A[2,3]", "rounded"),
        ("weight(2,3) = 0.1900", "A[2,3]", "wrong"),
        ("A(2,3) = 0.0900", "A[2,3]", "rounded"),
    ],
)
def test_entries_in_the_way_of_calls_are_bound(line: str, name: str, verdict: str) -> None:
    # The second row of the scores is 2, 1, 0: its third weight is 1/(e^2 + e + 1) = 0.09003.
    assert verdicts(line, form="txt") == [(name, verdict)]


def test_a_word_without_indices_is_no_matrix_of_such_things() -> None:
    assert verdicts("weight = 0.5", form="txt") == [(None, "unchecked")]


def test_calls_are_counted_from_zero_where_one_of_them_is() -> None:
    found = verdicts("score(0,0) = 5", "score(0,1) = 2", "score(1,0) = 2", form="txt")
    assert found == [("S[1,1]", "right"), ("S[1,2]", "right"), ("S[2,1]", "right")]


@pytest.mark.parametrize("bar", ["-{}", "-{}-", r"\text{{---}} {} \text{{---}}", "{}", "- & {} & -"])
def test_rows_one_below_the_other_with_bars_that_are_no_minus_signs(bar: str) -> None:
    problem = Problem.build(X=[[1, 0], [0, 1]], W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 0], [0, 1]])
    rows = r" \\ ".join(bar.format(rf"\mathbf{{x}}_{i}^T") for i in (1, 2))
    other = r" \\ ".join(bar.format(rf"\mathbf{{x}}_{i}^T") for i in (2, 1))
    found = [check_text(problem, rf"$$X = \begin{{bmatrix}} {text} \end{{bmatrix}}$$", "md") for text in (rows, other)]
    assert [[finding.verdict for finding in report.findings] for report in found] == [["right"], ["wrong"]]


@pytest.mark.parametrize("line", [r"$O \in \mathbb{R}^{1 \times 3}$", r"$O = AV \in \mathbb{R}^{1 \times 3}$"])
def test_a_set_of_matrices_says_nothing_of_an_entry(line: str) -> None:
    """The sheet asks of one token alone, and the sizes of a set are no numbers of its row."""
    asked = [{"asks": ["shapes", "outputs"], "tokens": [1]}]
    problem = Problem.build(Q=[[-1, 3]], K=[["3/2", 1]], V=[[-1, 3, 0]], parts=asked)
    assert {(item.verdict, item.name) for item in check_text(problem, line, "tex").findings} == {("right", "O")}


ONE = Problem.build(Q=[[1, 2]], K=[[1, 1], [0, 1], [2, 0]], V=[[1, 0], [0, 2], [2, 2]])
"""S = [3 2 2], A = [.503 .248 .248], O = [1 .993]."""


@pytest.mark.parametrize(
    "text",
    [
        "$A_1 = (0.503, 0.248, 0.248)$",
        "$a_1 = (0.503, 0.248, 0.248)$",
        r"$A_1 = \operatorname{softmax}(S_1/\sqrt{2}) = [0.503, 0.248, 0.248]$",
        "$S_1 = Q_1 K^T = (3, 2, 2)$, $A_1 = 0.503, 0.248, 0.248$",
        "A[0] = [0.503, 0.248, 0.248]",
    ],
)
def test_a_number_below_the_name_of_a_single_row_means_that_row(text: str) -> None:
    found = {item.verdict for item in check_text(ONE, text, "md").findings}
    assert found <= {"right", "rounded"}, found
    changed = check_text(ONE, text.replace("0.503", "0.530"), "md").findings
    assert {item.name for item in changed if item.verdict == "wrong"} == {"A"}


def test_numbers_below_a_single_row_that_stand_beside_numbers_mean_entries() -> None:
    text = "$A_1 = 0.503$, $A_2 = 0.248$, $O = A_1 (1, 0) + A_2 (0, 2) + A_3 (2, 2) = (1, 0.993)$"
    found = {item.name for item in check_text(ONE, text, "md").findings if item.verdict in {"right", "rounded"}}
    assert found == {"A[1,1]", "A[1,2]", "O"}
