"""Causes that fit by chance are worded as what may be; a cause that explains several numbers is told as it is."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Finding
from symattn.problem.model import Problem

LOGITS = Problem.build(inputs={"z": [[2, 1, 0]]}, definitions={"p": "softmax(z)"})
"""p = [0.66524 0.24473 0.09003]."""

THREE: dict[str, Any] = {"Q": [[1, 0], [0, 1], [2, 1]], "K": [[1, 1], [0, 2], [3, 1]], "V": [[1, 0], [0, 4], [2, 2]]}
"""Unscaled: A = [0.11 0.04 0.84; 0.21 0.58 0.21; 0.02 0.01 0.98], and O = [1.80 1.86; 0.64 2.73; 1.97 1.98]."""


def findings(problem: Problem, *lines: str) -> list[Finding]:
    return list(check_text(problem, "\n\n".join(lines) + "\n", "md").findings)


def test_a_weight_that_the_others_leave_of_1_is_no_dropped_term() -> None:
    (found,) = findings(LOGITS, "p = [0.66, 0.24, 0.10]")
    assert found.verdict == "wrong"
    assert found.diagnosis is not None
    assert found.diagnosis.code == "complement"


def test_a_row_that_does_not_sum_to_1_is_no_complement() -> None:
    (found,) = findings(LOGITS, "p = [0.67, 0.24, 0.10]")
    assert found.diagnosis is None or found.diagnosis.code != "complement"


@pytest.mark.parametrize(("number", "word"), [("0.10", "Perhaps"), ("0.0989", "The"), ("0.099", "Perhaps")])
def test_one_number_of_few_digits_shows_little(number: str, word: str) -> None:
    """Without e^0 = 1 in the denominator the last weight is 0.09894."""
    found = findings(LOGITS, f"$p_{{13}} = {number}$")[-1]
    assert found.verdict == "wrong"
    assert found.diagnosis is not None
    assert found.diagnosis.code == "dropped-one"
    assert found.explanation.startswith(word)


def test_a_cause_of_several_numbers_is_no_chance() -> None:
    (found,) = findings(Problem.build(**THREE), "A = [[0.11, 0.04, 0.84], [0.21, 0.58, 0.21], [0.02, 0.01, 0.98]]")
    assert found.explanation.startswith("It is the softmax of the unscaled scores.")


def test_scores_behind_a_mask_are_no_softmax() -> None:
    problem = Problem.build(**THREE, mask="causal")
    matrix = "S_masked = [[1, -inf, -inf], [1, 2, -inf], [3, 2, 7]]"
    (found,) = findings(problem, matrix)
    assert found.diagnosis is not None
    assert found.diagnosis.code == "missing-scale"


def test_what_a_told_mistake_leads_to_with_all_digits_follows() -> None:
    lines = [
        "A = [[0.11, 0.04, 0.84], [0.21, 0.58, 0.21], [0.02, 0.01, 0.98]]",
        "O = [[1.80, 1.86], [0.64, 2.73], [1.97, 1.98]]",
    ]
    assert [found.verdict for found in findings(Problem.build(**THREE), *lines)] == ["wrong", "follows"]
    lines[1] = lines[1].replace("2.73", "2.85")
    assert [found.verdict for found in findings(Problem.build(**THREE), *lines)] == ["wrong", "wrong"]


def test_a_forgotten_mask_is_told_once() -> None:
    problem = Problem.build(mask="causal", **{**THREE, "Q": [[1, 0], [1, 1], [0, 2]], "K": [[1, 1], [0, 1], [1, 0]]})
    plain = Problem.build(**{**THREE, "Q": [[1, 0], [1, 1], [0, 2]], "K": [[1, 1], [0, 1], [1, 0]]})
    matrix = "A = [[0.40, 0.20, 0.40], [0.50, 0.25, 0.25], [0.45, 0.45, 0.11]]"
    assert findings(plain, matrix)[0].verdict == "rounded"
    output = "O = [[1.20, 1.59], [1.00, 1.49], [0.66, 2.00]]"
    assert findings(plain, matrix, output)[1].verdict in {"rounded", "carried"}
    assert [found.verdict for found in findings(problem, matrix, output)] == ["wrong", "follows"]


@pytest.mark.parametrize("call", ["softmax(S / sqrt(2), dim=0)", "softmax(scores, axis=0)", "scores.softmax(dim=0)"])
def test_a_softmax_down_the_columns_is_told_in_one_sentence(call: str) -> None:
    found = findings(Problem.build(**THREE), f"A = {call}")[-1]
    assert found.verdict == "wrong"
    assert found.explanation == "It runs down the columns, so that each column sums to 1: each row of A should."
    assert found.diagnosis is not None
    assert found.diagnosis.code == "wrong-axis"


def test_of_a_single_row_it_is_right() -> None:
    problem = Problem.build(**{**THREE, "Q": [[1, 0]]}, scale="none")
    assert findings(problem, "A = softmax(S, dim=-1)")[-1].verdict == "right"
    assert findings(problem, "A = softmax(S, dim=0)")[-1].verdict != "wrong"
