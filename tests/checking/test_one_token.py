"""Works that go token by token without numbers: one row stands for all of a quantity, that of the token spoken of."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

EYE = [[1, 0], [0, 1]]
PLAIN: dict[str, Any] = {
    "inputs": {"X": [[1, 0], [0, 1]], "W_Q": EYE, "W_K": [[1, 1], [0, 2]], "W_V": [[1, 0], [0, 4]]}
}
"""Q = I, S = [1 0; 1 2], scaled [0.71 0; 0.71 1.41], A = [0.6698 0.3302; 0.3302 0.6698], O = A V."""

TWO_HEADS: dict[str, Any] = {
    "scale": "none",
    "inputs": {"X": EYE, "W_O": [["0.5", 0], [0, "0.5"], ["0.5", 0], [0, "0.5"]]},
    "heads": [{"W_Q": EYE, "W_K": EYE, "W_V": EYE}, {name: [[0, 1], [1, 0]] for name in ("W_Q", "W_K", "W_V")}],
}
"""Both heads have [0.73 0.27; 0.27 0.73] for weights, the outputs are those and [0.27 0.73; 0.73 0.27]."""


def found(tables: dict[str, Any], *lines: str) -> list[tuple[str | None, str]]:
    report = check_text(Problem.build(**tables), "\n\n".join(lines) + "\n", "md")
    return [(finding.name, finding.verdict) for finding in report.findings if finding.verdict != "unchecked"]


def test_a_row_given_for_the_output_below_a_token_is_its_row() -> None:
    lines = ["### Head 1", "For “cat” now:", "* Query: \\[0, 1]", "* Output: \\[0.27, 0.73]"]
    assert found(TWO_HEADS, *lines) == [("Q^1[2,:]", "right"), ("H^1[2,:]", "rounded")]
    lines = ["### Head 2", "Now for “I”:", "* Q = [0, 1]", "* Output: [0.27, 0.73]"]
    assert found(TWO_HEADS, *lines) == [("Q^2[1,:]", "right"), ("H^2[1,:]", "rounded")]


def test_a_wrong_row_below_a_token_is_wrong_and_told_as_its_row() -> None:
    lines = ["### Head 2", "Now for “I”:", "* Q = [0, 1]", "* Output: [0.27, 0.93]"]
    assert found(TWO_HEADS, *lines) == [("Q^2[1,:]", "right"), ("H^2[1,:]", "wrong")]
    assert found(PLAIN, "## Token “cat”", "- Query: [0, 1]", "- Scores: [1, 3]") == [
        ("Q[2,:]", "right"),
        ("S[2,:]", "wrong"),
    ]


def test_without_a_token_it_is_open_which_row_it_is() -> None:
    assert found(PLAIN, "$O = [0.67, 1.32]$") == [(None, "ambiguous")]


TITLES = (
    "Token 2", "The second token", "Zweites Wort", "Zeile 2", "第二个词", "2番目のトークン", "두 번째 토큰",
    "Второе слово", "Deuxième mot", "Segunda palabra", "Fila 2",
)  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_a_token_is_counted_in_many_languages(title: str) -> None:
    assert found(PLAIN, f"## {title}", "Output: [0.33, 2.68]", "weights: [0.33, 0.76]") == [
        ("O[2,:]", "rounded"),
        ("A[2,:]", "wrong"),
    ]


@pytest.mark.parametrize("name", ["s", "\\tilde{s}", "S", "\\mathbf{s}"])
@pytest.mark.parametrize("index", ["2:", "2,:", "2\\cdot", "2,\\cdot", "2*", "2,*", "2\\bullet"])
def test_a_dot_a_star_and_a_colon_choose_a_row(name: str, index: str) -> None:
    masked = {
        "mask": "causal",
        "scale": "none",
        "inputs": {"Q": [[1]] * 3, "K": [[-1], [0], [1]], "V": [[1], [2], [3]]},
    }
    assert found(masked, f"${name}_{{{index}}} = [-1, 0, -\\infty]$") == [("S_masked[2,:]", "right")]
    assert [word for _, word in found(masked, f"${name}_{{{index}}} = [-1, 2, -\\infty]$")] == ["wrong"]


def test_such_a_row_is_counted_from_0_where_the_work_does() -> None:
    masked = {
        "mask": "causal",
        "scale": "none",
        "inputs": {"Q": [[1]] * 3, "K": [[-1], [0], [1]], "V": [[1], [2], [3]]},
    }
    lines = [r"$\alpha_{10} = \frac{e^{-1}}{e^{-1}+e^{0}}$", r"$\tilde{s}_{1\cdot} = [-1, 0, -\infty]$"]
    assert found(masked, *lines) == [("A[2,1]", "right"), ("S_masked[2,:]", "right")]
