"""Biases written out as rows, softmaxes with an extra 1, and tables of heads with as few tokens as heads."""

from __future__ import annotations

import re
from typing import Any

import pytest

from symattn.api import solve
from symattn.checking.check import check_text
from symattn.problem.model import Problem

BIASED = Problem.build(
    X=[[1, 0], [2, 1]], W_Q=[[1, 1], [0, 2]], W_K=[[1, 0], [0, 1]], W_V=[[1, 2], [3, 4]], b_Q=[1, 3]
)  # X W_Q is [[1, 1], [2, 4]]


def verdicts(problem: Problem, text: str) -> list[str]:
    return [str(finding.verdict) for finding in check_text(problem, text, "md").findings]


def typeset(rows: list[list[int]]) -> str:
    return r"\begin{pmatrix} " + r" \\ ".join(" & ".join(map(str, row)) for row in rows) + r" \end{pmatrix}"


@pytest.mark.parametrize("bias", [[[1, 3]], [[1, 3], [1, 3]]])
@pytest.mark.parametrize(
    ("product", "value", "is_right"),
    [
        ([[1, 1], [2, 4]], [[2, 4], [3, 7]], True),
        ([[1, 1], [2, 4]], [[2, 4], [3, 8]], False),
        ([[1, 1], [2, 5]], [[2, 4], [3, 8]], False),
    ],
)
def test_a_bias_is_added_to_every_token(
    product: list[list[int]], bias: list[list[int]], value: list[list[int]], is_right: bool
) -> None:
    line = f"$Q = X W_Q + b_Q = {typeset(product)} + {typeset(bias)} = {typeset(value)}$"
    assert ("wrong" not in verdicts(BIASED, line)) is is_right


@pytest.mark.parametrize("formula", [r"\text{softmax}(QK^T/\sqrt{d_k})", "softmax_1(QK^T/\\sqrt{d_k})"])
def test_a_softmax_is_the_one_that_the_sheet_declares(formula: str) -> None:
    problem = Problem.build(Q=[[1, 0], [2, 1]], K=[[1, 1], [0, 2]], V=[[1, 2], [3, 4]], softmax_one=True)
    assert verdicts(problem, f"$A = {formula}$") == ["right"]
    assert verdicts(problem, r"$A = \text{softmax}(QK^T)$") == ["wrong"]


@pytest.mark.parametrize("width", [1, 2])
def test_the_key_of_as_many_heads_as_tokens_is_right_without_its_comments(width: int) -> None:
    given: dict[str, Any] = {
        name: [[(3 * i + 2 * j + k) % 4 - 1 for j in range(2 * width)] for i in (0, 1)] for k, name in enumerate("QKV")
    }
    problem = Problem.build(**given, heads=2)
    key = re.sub("% symattn.*", "", solve(problem).to_latex())
    report = check_text(problem, key, "tex", strict=True)
    assert [finding for finding in report.findings if finding.verdict in {"wrong", "ambiguous", "unread"}] == []
