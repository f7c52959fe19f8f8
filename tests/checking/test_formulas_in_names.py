"""Formulas in names with numbers beside them: what they are of, and what is said of wrong ones."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from symattn.checking.check import check_text
from symattn.checking.checker import Checker
from symattn.checking.report import Finding
from symattn.problem.model import Problem

X = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]])
W_Q = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1]])
W_K = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 1]])
W_V = np.array([[1, 0, 2, 0], [0, 2, 0, 1], [1, 1, 0, 0]])
W_O = np.array([[1, 0], [0, 1], [1, 1], [2, 0]])
SCORES = [(X @ W_Q)[:, part] @ (X @ W_K)[:, part].T for part in (slice(0, 2), slice(2, 4))]

GIVEN = {"X": X.tolist(), "W_Q": W_Q.tolist(), "W_K": W_K.tolist(), "W_V": W_V.tolist()}
ONE = Checker(Problem.build(**GIVEN))
TWO = Checker(Problem.build(**GIVEN, W_O=W_O.tolist(), heads=2))

RAISED = "$S^{(%d)} = \\frac{Q^{(%d)} {K^{(%d)}}^T}{\\sqrt{2}} = %s$"
"""The scaled scores of a head with a raised number."""


def shown(matrix: Any) -> str:
    return "[" + ", ".join("[" + ", ".join(f"{value:.3f}" for value in row) + "]" for row in matrix) + "]"


def findings(checker: Checker, text: str) -> list[Finding]:
    return list(checker.report(text, "md", "<work>").findings)


def said_of(finding: Finding) -> str:
    diagnosis = finding.diagnosis
    return " ".join([finding.explanation, "" if diagnosis is None else f"{diagnosis.code} {diagnosis.text}"])


@pytest.mark.parametrize("name", ["S", "scores", "S_scaled"])
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(
    "form",
    [
        "{n}_{k} = Q_{k} K_{k}^T / sqrt(2) = {v}",
        "{n}_{k} = Q_{k}K_{k}^T/sqrt(d_k) = {v}",
        "## Head {k}\n{n} = QK^T/√2 = {v}",
    ],
)
def test_scores_of_a_head_that_are_scaled_are_the_scaled_ones(form: str, name: str, number: int) -> None:
    right = SCORES[number - 1] / np.sqrt(2)
    text = form.format(n=name, k=number, v=shown(right))
    assert {finding.verdict for finding in findings(TWO, text)} <= {"right", "rounded"}
    wrong = right.copy()
    wrong[1, 2] += 0.25
    last = findings(TWO, form.format(n=name, k=number, v=shown(wrong)))[-1]
    assert last.verdict == "wrong"
    assert last.entries is not None
    assert [(i, j) for i, row in enumerate(last.entries) for j, e in enumerate(row) if e.verdict == "wrong"] == [(1, 2)]


def test_what_a_letter_means_goes_on_for_all_heads() -> None:
    scaled = [shown(scores / np.sqrt(2)) for scores in SCORES]
    lines = [
        f"S_1 = Q_1 K_1^T = {shown(SCORES[0])}",
        f"S_1 = Q_1 K_1^T/sqrt(2) = {scaled[0]}",
        "A_1 = softmax(S_1)",
        f"S_2 = Q_2 K_2^T = {shown(SCORES[1])}",
        f"S_2 = Q_2 K_2^T/sqrt(2) = {scaled[1]}",
        "A_2 = softmax(S_2)",
    ]
    assert {finding.verdict for finding in findings(TWO, "\n".join(lines))} <= {"right", "rounded"}
    assert findings(TWO, "S_1 = Q_1 K_1^T\nA_1 = softmax(S_1)")[-1].verdict == "wrong"
    assert findings(TWO, RAISED % (2, 2, 2, scaled[1]))[-1].verdict == "rounded"
    assert findings(TWO, RAISED % (2, 2, 2, scaled[0]))[-1].verdict == "wrong"


@pytest.mark.parametrize(
    ("text", "place"),
    [("S = Q K^T / 4 = ", "S_scaled[1,1]"), ("S = 2 Q K^T = ", "S[1,1]"), ("O = 2 A V = ", "O[1,1]")],
)
def test_a_wrong_formula_is_told_by_its_entries(text: str, place: str) -> None:
    found = findings(ONE, text + shown(np.ones((3, 3))))[0]
    assert found.verdict == "wrong"
    assert place in found.explanation
    assert "copied as" not in found.explanation


FACTORS = ("Q", "K", "V", "Q^T", "K^T", "A", "S", "X", "W_K^T", "q_1", "v_2", "(Q + K)", "softmax(S)")


def formulas(count: int) -> Iterator[tuple[str, bool]]:
    """Formulas of this and that, most of them wrong, and whether the layer has two heads."""
    random = Random("formulas")
    for _ in range(count):
        subject = random.choice(["S", "A", "O", "Q", "S_1", "S_12", "o_1", "scaled scores"])
        factors = " ".join(random.choices(FACTORS, k=random.randint(1, 3)))
        number, below = (
            random.choice(["", "2 ", "0.5 ", "-3 "]),
            random.choice(["", "/2", "/sqrt(2)", "/sqrt(3)", "/4"]),
        )
        value = random.choice(["", " = [[1, 2, 3], [0, 1, 2], [1, 1, 1]]", " = [1, 2, 3]", " = 7"])
        yield f"{subject} = {number}{factors}{below}{value}", random.choice([True, False])


@pytest.mark.sample(12)
@pytest.mark.parametrize(("text", "is_of_heads"), list(formulas(200)))
def test_no_name_of_ours_is_told(text: str, *, is_of_heads: bool) -> None:
    for finding in findings(TWO if is_of_heads else ONE, text):
        assert said_of(finding).isprintable()
        assert '"' not in finding.explanation


@pytest.mark.parametrize(
    "lines",
    [
        ["G = Q G/2"],
        ["G = Q U/2", "U = K G/2"],
        ["G = U/2", "U = P_2/3", "P_2 = G/4"],
        ["Q' = Q'^T/2"],
        ["c_j = Σ_j c_j"],
    ],
)
def test_names_that_are_given_by_themselves_mean_nothing(lines: list[str]) -> None:
    for checker in (ONE, TWO):
        found = findings(checker, "\n".join([*lines, *lines, "S = Q G", "S = Q' K^T"]))
        assert not any(finding.verdict in {"right", "rounded"} for finding in found[-2:-1])


# Mistakes written as formulas --------------------------------------------------------------------------

SQUARE: dict[str, Any] = {"Q": [[1, 2], [0, 1]], "K": [[2, 1], [1, 1]], "V": [[1, 0], [3, 1]]}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("$A = softmax(Q K^T)$", "unscaled-softmax"),
        (r"$S = Q K$", "no-transpose"),
        ("$O = A^T V$", "no-transpose"),
        (r"$O = softmax(Q K^T) V$", "unscaled-softmax"),
        (r"$A = softmax(Q K^T / \sqrt{2})$", "mask-forgotten"),
        (r"$A = Q V$", "formula"),
    ],
)
def test_a_mistake_that_is_written_as_a_formula_is_named(line: str, code: str) -> None:
    keys = {"mask": "causal"} if code == "mask-forgotten" else {}
    (found,) = check_text(Problem.build(**SQUARE, **keys), line, "md").findings
    assert (found.verdict, found.diagnosis and found.diagnosis.code) == ("wrong", code)


CAPPED = Checker(
    Problem.build(Q=[[2, 2], [1, 0]], K=[[2, 1], [0, 1], [1, 0]], V=[[1, 0], [0, 1], [1, 1]], scale="none", softcap=3)
)
"""Scores 6, 2, 2 and 2, 0, 1 under a cap of 3."""


@pytest.mark.parametrize(
    "formula",
    [
        "$S_{cap} = 3\\tanh(S/3)$",
        "$S = QK^T$\n\n$S' = 3\\tanh\\left(\\frac{S}{3}\\right)$",
        "    score -> 3 * tanh(score / 3)\n    score(1,1) = 6",
        "    scores = cap * np.tanh(scores / cap)",
        "$A = \\operatorname{softmax}(3 \\tanh(QK^T/3))$",
        "$E = \\exp(3\\tanh(S/3))$",
    ],
)
def test_a_soft_cap_is_a_formula_of_each_entry(formula: str) -> None:
    verdicts = {finding.verdict for finding in findings(CAPPED, formula)}
    assert verdicts <= {"right", "unchecked"}
    assert "right" in verdicts


@pytest.mark.parametrize(
    "formula", ["S_capped = 2 * tanh(S / 2)", "$A = softmax(3 \\tanh(QK^T/2))$", "$E = \\exp(\\tanh(S/3))$"]
)
def test_another_cap_is_wrong(formula: str) -> None:
    assert {finding.verdict for finding in findings(CAPPED, formula)} == {"wrong"}


@pytest.mark.parametrize(
    "rule",
    [
        "score -> f(score)",
        "score -> tanh(score)",
        "score -> score^2",
        "score -> max(score, 0)",
        "S -> exp(S)",
        "score -> sigmoid(score)",
    ],
)
def test_a_rule_that_makes_something_unknown_of_a_name_is_unchecked(rule: str) -> None:
    assert {finding.verdict for finding in findings(ONE, f"    {rule}")} == {"unchecked"}


COLUMNS = Checker(
    Problem.build(Q=[[1, 0], [2, 1]], K=[[1, 0, 1], [0, 1, 1]], V=[[2, 0, 1], [1, 3, 0]], tokens="columns")
)


@pytest.mark.parametrize(
    "formula",
    [
        "A = softmax(K^T Q / sqrt(2))",
        "A = softmax(K.T @ Q / np.sqrt(2), axis=0)",
        "A = softmax(1/sqrt(2) K^T Q)",
        "A = softmax(S_scaled)",
        "softmax(K^T Q / sqrt(2))",
        "A = softmax([[1, 0], [2, 1], [3, 1]] / sqrt(2))",
    ],
)
def test_a_softmax_runs_down_where_tokens_are_columns(formula: str) -> None:
    text = f"    {formula} = [[0.140, 0.198], [0.284, 0.401], [0.576, 0.401]]"
    assert {finding.verdict for finding in findings(COLUMNS, text)} <= {"right", "rounded"}
    assert "wrong" in {finding.verdict for finding in findings(COLUMNS, text.replace("0.576", "0.567"))}
