"""Exponentials of exponentials are judged: no closed form holds them, enclosures do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from symattn.checking.checker import Checker
from symattn.problem.model import Problem

S = np.array([[1, 3], [0, 1]])
V = np.array([[1, 2], [3, 4]])


def softmax(scores: Any) -> Any:
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True)


WEIGHTS = softmax(S)
CASES = {
    "softmax(A)": softmax(WEIGHTS),
    "softmax(A V)": softmax(WEIGHTS @ V),
    "softmax(A) V": softmax(WEIGHTS) @ V,
    "softmax(softmax(A)) V": softmax(softmax(WEIGHTS)) @ V,
    "exp(A) V": np.exp(WEIGHTS) @ V,
    "exp(A)": np.exp(WEIGHTS),
}


@pytest.mark.parametrize("formula", CASES)
def test_what_follows_a_second_softmax_is_judged(formula: str) -> None:
    values = CASES[formula]
    given = {"S": S.tolist(), "V": V.tolist()}
    checker = Checker(Problem.build(inputs=given, definitions={"A": "softmax(S)", "B": formula}))
    for i, j in np.ndindex(values.shape):
        for shift, verdicts in ((0.0, {"rounded"}), (0.01, {"wrong"})):
            text = f"$B_{{{i + 1}{j + 1}}} = {values[i, j] + shift:.4f}$"
            assert {finding.verdict for finding in checker.report(text, "md", "<work>").findings} == verdicts, text
