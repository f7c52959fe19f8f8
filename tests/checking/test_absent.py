"""Indices beyond the shape of a matrix are mistakes, unless another reading makes them exist."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Finding
from symattn.problem.model import Problem

INPUTS = {"Q": [[1, 2], [0, 1], [1, 1]], "K": [[1, 0], [1, 1], [2, 1]], "V": [[1, 0], [0, 1], [1, 1]]}


def findings(text: str, form: str = "md", **tables: Any) -> tuple[Finding, ...]:
    problem = Problem.build(**{"scale": "none", "inputs": INPUTS, **tables})
    return check_text(problem, text, form).findings  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("$Q_{13} = 4$", "Q is 3 × 2 and has no entry (1,3)"),
        ("$Q_{1,3} = 4$", "Q is 3 × 2 and has no entry (1,3)"),
        ("$S_{41} = 2 \\cdot 1 + 1 \\cdot 1 = 3$", "S is 3 × 3 and has no entry (4,1)"),
        ("$S_{41} = q_4 k_1 = 3$", "S is 3 × 3 and has no entry (4,1)"),
        ("$K_4 = [1, 2]$", "K is 3 × 2 and has no row 4"),
        ("$\\mathbf{k}_4 = [1, 2]$", "K is 3 × 2 and has no row 4"),
        ("$K^T_{24} = 2$", "K^T is 2 × 3 and has no entry (2,4)"),
        ("$(K^T)_{31} = 2$", "K^T is 2 × 3 and has no entry (3,1)"),
        ("$\\alpha_{41} = 0.2$", "A is 3 × 3 and has no entry (4,1)"),
        ("$O_{11} = A_{14} V_{41}$", "A is 3 × 3 and has no entry (1,4)"),
        ("$(QK^T)_{41} = 3$", "S is 3 × 3 and has no entry (4,1)"),
        ("$S[4, 1] = 3$", "S is 3 × 3 and has no entry (4,1)"),
        ("$S[4][1] = 3$", "S is 3 × 3 and has no entry (4,1)"),
    ],
)
def test_what_does_not_exist_is_wrong(text: str, words: str) -> None:
    first = findings(text)[0]
    assert first.verdict == "wrong"
    assert words in first.explanation
    assert first.diagnosis is not None
    assert first.diagnosis.code == "no-such-entry"
    assert first.culprit is not None


def test_the_rest_of_the_chain_is_still_arithmetic() -> None:
    _, good = findings("$S_{41} = 2 \\cdot 1 + 1 \\cdot 1 = 3$")
    _, bad = findings("$S_{41} = 2 \\cdot 1 + 1 \\cdot 1 = 4$")
    assert (good.verdict, bad.verdict) == ("right", "wrong")


@pytest.mark.parametrize(
    "text",
    [
        "$x_4 = 3$",
        "$Q_4 = \\begin{bmatrix} 1 & 2 \\\\ 0 & 1 \\\\ 1 & 1 \\end{bmatrix}$",
        "$Q_4 = X W_4$",
        "$z_{41} = 3$",
        "$D_7 = 3$",
        "There is no $S_{41}$ here.",
        "$S_{41}$",
    ],
)
def test_what_may_be_something_else_is_left_alone(text: str) -> None:
    assert all(finding.verdict == "unchecked" for finding in findings(text))


def test_entries_of_a_transpose() -> None:
    """K has no (1,3), its transpose has; the other way round, the entry of K is meant perhaps."""
    assert [item.verdict for item in findings("$K^T_{13} = 2$\n\n$K^T_{12} = 1$")] == ["right", "right"]
    (other,) = findings("$K^T_{32} = 1$")
    assert (other.name, other.verdict) == ("K[3,2]", "right")
    assert findings("$K^T_{32} = 7$")[0].guess


def test_a_letter_may_be_another_quantity() -> None:
    """Z is the row sums, 3 × 1, to some, and the outputs to others."""
    (found,) = findings("$Z_{22} = 0.80$")
    assert (found.name, found.guess) == ("O[2,2]", True)
    assert "Taken to be O[2,2]" in found.explanation


@pytest.mark.parametrize("opening", ["Indices start at 0.", "We use zero-based indices.", "I count from 0:"])
def test_counted_from_zero(opening: str) -> None:
    (there,) = (item for item in findings(f"{opening}\n\n$S_{{20}} = 1$") if item.name)
    assert (there.name, there.verdict) == ("S[3,1]", "right")
    beyond = findings(f"{opening}\n\n$S_{{40}} = 1$")[-1]
    assert beyond.verdict == "wrong"
    assert "counted from 0" in beyond.explanation


def test_pairs_with_zeros() -> None:
    found = findings("$S_{00} = 1$\n\n$S_{01} = 3$\n\n$S_{20} = 1$")
    assert [(item.name, item.verdict) for item in found] == [
        ("S[1,1]", "right"),
        ("S[1,2]", "right"),
        ("S[3,1]", "right"),
    ]


def test_counted_from_zero_here_and_from_one_there() -> None:
    """One of the two is a slip, and nobody can say which."""
    assert findings("$S_{00} = 1$\n\n$S_{33} = 3$")[-1].verdict == "unchecked"


def test_matrices_whose_tokens_are_columns() -> None:
    turned = {name: [list(row) for row in zip(*rows, strict=True)] for name, rows in INPUTS.items()}
    tables: dict[str, Any] = {"tokens": "columns", "inputs": turned}
    assert findings("$Q_{13} = 1$", **tables)[0].verdict == "right"
    beyond = findings("$Q_{31} = 1$", **tables)[0]
    assert beyond.verdict == "wrong"
    assert "Q is 2 × 3" in beyond.explanation


def test_struck_out() -> None:
    assert findings("~~$S_{41} = 3$~~")[0].verdict == "withdrawn"
