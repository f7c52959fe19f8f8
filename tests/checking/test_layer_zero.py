r"""``X^{(0)}`` is the input of the first layer: its 0 counts no row, and the work counts from 1."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

PLAIN: dict[str, Any] = {
    "inputs": {"X": [[1, 0], [0, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[1, 1], [0, 2]], "W_V": [[1, 0], [0, 4]]}
}
EYE = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
HEADS: dict[str, Any] = {"inputs": {"X": [[1, 0, 1, 0], [0, 1, 0, 2]], "W_Q": EYE, "W_K": EYE, "W_V": EYE}, "heads": 2}


def found(tables: dict[str, Any], text: str) -> list[tuple[str | None, str]]:
    report = check_text(Problem.build(**tables), text + "\n", "md")
    return [(finding.name, finding.verdict) for finding in report.findings if finding.verdict != "unchecked"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (r"$X^{(0)} = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}$", "X"),
        ("$H^{(0)} = X$", "X"),
        ("$x_1^{(0)} = [1, 0]$", "X[1,:]"),
        ("x₂⁽⁰⁾ = [0, 1]", "X[2,:]"),
        ("$q_2 = x_2^{(0)} W_Q$", "Q[2,:]"),
    ],
)
def test_names_with_it(text: str, name: str) -> None:
    assert found(PLAIN, f"{text}\n\n$S_{{21}} = 1$\n\n$S_{{12}} = 0$") == [
        (name, "right"),
        ("S[2,1]", "right"),
        ("S[1,2]", "right"),
    ]


def test_a_wrong_row_of_it_is_found() -> None:
    assert found(PLAIN, "$x_2^{(0)} = [1, 1]$") == [("X[2,:]", "wrong")]


def test_a_power_is_a_power() -> None:
    assert found(PLAIN, "$S_{12} = e^{(0)} - 1 = 0$")[-1] == ("S[1,2]", "right")
    assert found(PLAIN, "$e^0 = 0$")[-1][1] == "wrong"


HEAD_BY_HEAD = {
    "raised": "$A^{(0)} = [[0.670, 0.330], [0.330, 0.670]]$\n\n$A^{(1)} = [[0.670, 0.330], [0.056, 0.944]]$",
    "titles": "## Head 0\n\nweights: [[0.670, 0.330], [0.330, 0.670]]\n\n## Head 1\n\n"
    "weights: [[0.670, 0.330], [0.056, 0.944]]",
}


@pytest.mark.parametrize("way", HEAD_BY_HEAD)
def test_heads_may_be_counted_from_0(way: str) -> None:
    text = HEAD_BY_HEAD[way]
    assert found(HEADS, text) == [("A^1", "rounded"), ("A^2", "rounded")]
    assert found(HEADS, text.replace("0.056", "0.065")) == [("A^1", "rounded"), ("A^2", "wrong")]
    from_one = text.replace("(1)", "(2)").replace("(0)", "(1)").replace("Head 1", "Head 2").replace("Head 0", "Head 1")
    assert found(HEADS, from_one) == [("A^1", "rounded"), ("A^2", "rounded")]


def test_the_input_is_no_head() -> None:
    text = "$X^{(0)} = [[1, 0, 1, 0], [0, 1, 0, 2]]$\n\n$A^{(1)} = [[0.670, 0.330], [0.330, 0.670]]$"
    assert found(HEADS, text) == [("X", "right"), ("A^1", "rounded")]
