"""What programs write beside the usual: sums along an axis, products entry by entry, norms with a bare sigma."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

BACKWARD = Problem.build(
    inputs={"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 1]], "V": [[1, 2], [0, 1]]},
    gradient={"dO": [[1, 0], [0, 1]]},
    scale="none",
)
LABELS = Problem.build(
    inputs={"Q": [[1, 0], [0, 1]], "K": [[1, 1], [1, 0], [0, 1]], "V": [[1, 0], [0, 1], [1, 1]]},
    gradient={"loss": "cross-entropy", "labels": [1, 2]},
)
EYE = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


NORMED: dict[str, Any] = {
    "X": [[1, 2, 3, 6], [0, 1, -1, 4]],
    "W_Q": [[1, 0], [0, 1], [1, 0], [0, 1]],
    "W_K": [[1, 0], [0, 1], [0, 1], [0, 0]],
    "W_V": EYE,
}
"""The sums R_1 have the means 6 and 4, and the variances 14 and 12.5, to many digits."""


def block(eps: str, **inputs: Any) -> Problem:
    return Problem.build(inputs={**NORMED, **inputs}, block={"norm": "layer", "eps": eps})


def words(problem: Problem, text: str) -> list[str]:
    report = check_text(problem, text + "\n", "md")
    return [finding.verdict for finding in report.findings]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("dS = A ⊙ (dA - rowsum(dA ⊙ A))", "right"),
        ("dS = A ∘ (dA - rowsum(dA ∘ A))", "right"),
        ("dS = A * (dA - (dA * A).sum(axis=1, keepdims=True))", "right"),
        ("dS = A * (dA - np.sum(dA * A, axis=-1, keepdims=True))", "right"),
        ("dS = A * (dA - (A * dA).sum(0, keepdim=True))", "wrong"),
        ("dS = dA * (A - (dA * A).sum(axis=1, keepdims=True))", "unchecked"),
    ],
)
def test_the_way_back_through_a_softmax(line: str, word: str) -> None:
    assert words(BACKWARD, f"dA = dO @ V.T\n\n{line}") == ["right", word]


def test_y_beside_a_target_is_the_target() -> None:
    assert words(LABELS, "p = softmax(O)\n\ndO = p - y") == ["right", "right"]
    assert words(LABELS, "p = softmax(O)\n\ndO = y - p")[-1] == "wrong"


@pytest.mark.parametrize("call", ["exp(S/sqrt(2))./sum(exp(S/sqrt(2)),2)", "softmax(S ./ sqrt(2), dims=2)"])
def test_matlab_and_julia(call: str) -> None:
    problem = Problem.build(Q=[[1, 0], [0, 1]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]])
    assert words(problem, f"A = {call}") == ["right"]
    assert words(problem, f"A = {call.replace('dims=2', 'dims=1').replace(',2)', ',1)')}") != ["right"]


@pytest.mark.parametrize("eps", ["0", "1e-5"])
@pytest.mark.parametrize("formula", [r"(R_1-\mu)/\sigma", r"\frac{R_1-\mu}{\sigma}", r"\frac{R_1 - \mu_1}{\sigma_1}"])
def test_a_bare_sigma_is_the_root_of_the_variance(eps: str, formula: str) -> None:
    numbers = "[[-1.069, -0.535, 0.000, 1.604], [-0.849, -0.283, -0.566, 1.697]]"
    assert words(block(eps), f"$N = {formula} = {numbers}$") == ["right", "rounded"]
    assert words(block(eps), f"$N = {formula} = {numbers.replace('0.283', '0.823')}$") == ["right", "wrong"]


@pytest.mark.parametrize("wrong", [r"(R_1-\mu)/\sigma^2", r"(\mu-R_1)/\sigma"])
def test_other_formulas_with_it_are_not_right(wrong: str) -> None:
    assert "right" not in words(block("0"), f"$N_1 = {wrong}$")


def test_deviations_by_number_are_those_of_tokens() -> None:
    """The variances of the rows are 14 and 12.5."""
    assert words(block("0"), r"$\sigma_1 = 3.742$, $\sigma_2 = 3.536$") == ["rounded", "rounded"]
    assert words(block("0"), r"$\sigma_2 = 3.636$") == ["wrong"]


def test_means_by_number_are_those_of_tokens_though_there_are_two_norms() -> None:
    network = {"W_F1": EYE, "b_F1": [0, 0, 0, 0], "W_F2": EYE, "b_F2": [0, 0, 0, 0]}
    assert words(block("0", **network), r"$\mu_1 = 6$, $\mu_2 = 4$") == ["rounded", "rounded"]
    assert words(block("0", **network), r"$\mu_2 = 5$") == ["wrong"]


@pytest.mark.parametrize("lines", [r"x_1^{(0)} W^K", r"x_1 \cdot W^K_1", r"x_1 W_K"])
def test_names_that_a_sheet_does_not_know_have_no_shape(lines: str) -> None:
    problem = Problem.build(Q=[[1, 0]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]])
    assert words(problem, f"$K_1 = {lines} = [1, 1]$") == ["unchecked", "right"]
    assert words(problem, f"$K_1 = {lines} = [1, 3]$") == ["unchecked", "wrong"]


def test_lines_of_a_table_that_name_their_rows_are_those_rows() -> None:
    problem = Problem.build(Q=[[1, 0], [0, 1]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]])
    text = "$q_2 k_2 = 2$\n\n| | k1 | k2 |\n|---|---|---|\n| q1, scaled | 0.71 | 0.00 |\n| q2, scaled | 0.71 | 1.41 |"
    assert [word for word in words(problem, text) if word != "unchecked"] == ["right", "rounded", "rounded"]


def test_labels_of_tables_in_html_lead_to_nothing() -> None:
    problem = Problem.build(Q=[[1, 0], [0, 1]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]])
    head = "<table><tr><th></th><th>key 1</th><th>key 2</th></tr>"
    rows = "<tr><td>query 1</td><td>1</td><td>0</td></tr>\n<tr><td>query 2</td><td>1</td><td>2</td></tr></table>"
    assert words(problem, f"## Scores\n\n{head}\n{rows}")[-1] == "right"


FORMULAS = Problem.build(
    inputs={"Q": [[1, 0], [0, 1]], "K": [[1, 0], [1, 1]], "V": [[1, 2], [3, 4]], "mask": [[0, "-1e9"], [0, 0]]},
    definitions={
        "scores": "Q K^T / sqrt(2)",
        "masked": "scores + mask",
        "weights": "softmax(masked)",
        "out": "weights V",
    },
)


@pytest.mark.parametrize(("seen", "word"), [("0.6698", "rounded"), ("0.6798", "wrong")])
def test_a_program_gives_a_name_of_the_sheet_a_new_value(seen: str, word: str) -> None:
    text = (
        "```python\nscores = Q @ K.T / np.sqrt(2)\nscores = scores.masked_fill(mask == 0, -1e9)\n"
        "# [[ 7.071e-01 -1.000e+09]\n#  [ 0.000e+00  7.071e-01]]\n"
        f"weights = softmax(scores, dim=-1)\n# [[1.     0.    ]\n#  [0.3302 {seen}]]\n```"
    )
    assert words(FORMULAS, text) == ["unchecked", "right", "rounded", "right", word]


def test_without_the_program_the_name_is_the_sheets() -> None:
    assert words(FORMULAS, "weights = softmax(scores)") == ["wrong"]


@pytest.mark.parametrize(("last", "word"), [("1.503", "rounded"), ("1.603", "wrong")])
def test_what_runs_from_block_to_block(last: str, word: str) -> None:
    online = Problem.build(
        inputs={"Q": [[1, 0]], "K": [[1, 0], [2, 1], [0, 1]], "V": [[1, 0], [0, 1], [1, 1]]},
        online=1,
        scale="none",
        parts=[{"asks": "online"}],
    )
    text = (
        "Block 1: $m = 1$, $l = 1$, $o = [1, 0]$.\n\n"
        "Block 2: $m \\leftarrow \\max(1, 2) = 2$, $l \\leftarrow 1 \\cdot e^{1-2} + 1 = 1.368$.\n\n"
        f"Block 3: $m = 2$, $l = 1.368 + e^{{0-2}} = {last}$."
    )
    found = [item for item in words(online, text) if item != "unchecked"]
    assert found == ["right"] * 6 + ["rounded", "right", "right", word]


@pytest.mark.parametrize("label", ["\\text{Scaled: } &", "\\text{Scaled}: &", "\\textbf{Scaled:}"])
def test_labels_inside_of_formulas(label: str) -> None:
    problem = Problem.build(Q=[[1, 0], [0, 1]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]])
    for corner, word in (("1.41", "rounded"), ("1.45", "wrong")):
        matrix = f"\\begin{{pmatrix}} 0.71 & 0 \\\\ 0.71 & {corner} \\end{{pmatrix}}"
        text = f"\\begin{{align*}} {label} {matrix} \\end{{align*}}"
        assert [finding.verdict for finding in check_text(problem, text, "tex").findings] == [word]
