"""Letters, labels and marks as people use them: ``Z`` for outputs, wide commas, decimal commas, arrows, titles."""

from __future__ import annotations

import json

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem

# Scores [[1, 0], [1, 2]], scaled [[0.71, 0], [0.71, 1.41]]; exponentials 2.03, 1 and 2.03, 4.11;
# weights [[0.67, 0.33], [0.33, 0.67]]; outputs [[0.67, 1.32], [0.33, 2.68]].
PLAIN = Problem.build(Q=[[1, 0], [0, 1]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]])
# One query: scores 2, 2, 3; outputs 0.87 and 1.73.
ONE = Problem.build(Q=[[1, 2, 0]], K=[[1, 0, 1], [0, 1, 0], [1, 1, 1]], V=[[2, 0], [0, 4], [1, 1]])
HEADS = Problem.build(
    X=[[1, 0], [0, 1]], W_Q=[[1, 0], [1, 1]], W_K=[[1, 1], [0, 1]], W_V=[[1, 2], [0, 1]], heads=2,
)  # fmt: skip


def report(text: str, form: Format = "md", problem: Problem = PLAIN) -> Report:
    return check_text(problem, text, form)


def bad(text: str, form: Format = "md", problem: Problem = PLAIN) -> list[str | None]:
    found = report(text, form, problem).findings
    return [item.name for item in found if item.verdict in {"wrong", "follows", "unread", "undecided", "ambiguous"}]


def good(text: str, form: Format = "md", problem: Problem = PLAIN) -> int:
    return sum(item.verdict in {"right", "rounded", "carried"} for item in report(text, form, problem).findings)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Q = [[1, 0], [0, 1]]，K = [[1, 1], [0, 2]]", 2),
        ("q1·k1 = 1，q1·k2 = 0；q2·k2 = 2", 3),
        ("权重矩阵 A = [[0.67, 0.33], [0.33, 0.67]]。", 1),
        ("Q＝[[1，0]，[0，1]]，K＝[[1，1]，[0，2]]（第一步）", 2),
        ("第一行：e^0.71 = 2.03，和为 3.03，所以 A_11 = 2.03/3.03 = 0.67", 5),
    ],
)
def test_wide_marks_end_statements(text: str, count: int) -> None:
    assert (bad(text, "txt"), good(text, "txt")) == ([], count)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Q = [[1, 0], [0, 1]]，K = [[1, 1], [0, 3]]", "K"),
        ("q1·k1 = 1，q1·k2 = 4", "S[1,2]"),
        ("权重矩阵 A = [[0.67, 0.33], [0.43, 0.67]]。", "A"),
    ],
)
def test_mistakes_between_wide_marks_are_found(text: str, name: str) -> None:
    assert bad(text, "txt") == [name]


OUTPUTS = r"\begin{bmatrix} 0.67 & 1.32 \\ 0.33 & 2.68 \end{bmatrix}"


@pytest.mark.parametrize(
    "text",
    [
        f"The output matrix is $Z = {OUTPUTS}$.",
        rf"$$\boxed{{Z \approx {OUTPUTS}}}$$",
        rf"$\text{{Attention}}(Q,K,V) = Z = {OUTPUTS}$",
        "$e_1 = (1, 0)$, $e_2 = (1, 2)$",
        "$e_1 = (0.71, 0)$, $e_2 = (0.71, 1.41)$",
        "$z_1 = (0.67, 1.32)$, $z_2 = (0.33, 2.68)$",
        "$z^{(1)} = (0.67, 1.32)$",
        "$z_1 = 0.67 v_1 + 0.33 v_2 = (0.67, 1.32)$",
        "$c_1 = (0.67, 1.32)$, $c_2 = (0.33, 2.68)$",
        "$z_1 = (1, 0)$, $z_2 = (1, 2)$",
        "$Z_1 = 3.03$, $Z_2 = 6.14$",
        "$Z = (3.03, 6.14)$",
    ],
)
def test_a_letter_means_what_its_numbers_are(text: str) -> None:
    assert bad(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"The output matrix is $Z = {OUTPUTS.replace('2.68', '2.78')}$.", "O"),
        ("$z_1 = (0.67, 1.32)$, $z_2 = (0.33, 2.88)$", "O[2,:]"),
        ("$z_1 = 0.67 v_1 + 0.33 v_2 = (0.67, 1.42)$", "O[1,:]"),
        ("$c_1 = (0.67, 1.42)$", "O[1,:]"),
        ("$e_1 = (0.71, 0)$, $e_2 = (0.71, 1.51)$", "S_scaled[2,:]"),
        ("$z_1 = (1, 0)$, $z_2 = (1, 3)$", "S[2,:]"),
        ("$Z = (3.03, 6.24)$", "Z"),
    ],
)
def test_a_wrong_number_of_a_letter_stays_wrong(text: str, name: str) -> None:
    assert bad(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "$c = 7.5$",
        "$c = 3 + 4.5 = 7.5$",
        r"$c = \begin{bmatrix}1 \\ 3 \\ 4 \end{bmatrix}$",
        "$E = 3 + 4.5$",
        "$Z = (1, 2, 3, 4)$",
        "$e = 1 + 2 = 3$",
        "$e = 7.5$",
        "$K = E$",
        "$V = E$",
        "$E = Q$",
        "Для простоты V = E, так что выход совпадёт с весами.",
        "Setze V = Z.",
    ],
)
def test_a_letter_of_the_key_that_does_not_fit_is_one_of_the_work(text: str) -> None:
    assert bad(text) == []


def test_a_scale_stays_one() -> None:
    assert bad(r"$c = \frac{1}{\sqrt{2}} = 0.717$") == ["c"]
    assert bad("$c = 1/2$") == ["c"]
    assert good("$c = 0.707$") == 1


@pytest.mark.parametrize("letter", ["E", "I"])
def test_the_identity_has_two_letters(letter: str) -> None:
    unit = Problem.build(Q=[[1, 2], [2, 1]], K=[[1, 0], [0, 1]], V=[[1, 0], [0, 1]])
    assert (bad(f"$V = {letter}$", problem=unit), good(f"$V = {letter}$", problem=unit)) == ([], 1)


def test_a_list_is_no_scale_factor() -> None:
    right = r"$$c = \begin{bmatrix}0.87\\1.73\end{bmatrix}$$"
    assert (bad(right, problem=ONE), good(right, problem=ONE)) == ([], 1)
    wrong = r"$$\alpha_1 = \frac{1.78}{8.82} = 0.20$$ $$c = \begin{bmatrix}1.04\\2.08\end{bmatrix}$$"
    found = report(wrong, problem=ONE)
    assert found.first is not None
    assert found.first.place.column < 30


SCALED = "[0.71, 0; 0.71, 1.41]"


@pytest.mark.parametrize(
    ("formula", "names"),
    [
        (r"e_{ij} = q_i^\top k_j / \sqrt{d_k}, \quad e_{22} = 1.41", []),
        (r"s_{ij} = q_i^\top k_j / \sqrt{2}, \quad s_{22} = 1.41", []),
        (r"e_{ij} = q_i^\top k_j, \quad e_{22} = 2", []),
        (r"e_{ij} = q_i^\top k_j / \sqrt{d_k}, \quad e_{22} = 1.51", ["S_scaled[2,2]"]),
        (r"s_{ij} = q_i^\top k_j / d_k", [None]),
    ],
)
def test_scores_with_running_indices_may_be_scaled(formula: str, names: list[str | None]) -> None:
    assert bad(f"$${formula}$$") == names


@pytest.mark.parametrize("label", ["XW_1^Q", "X W^Q_1", "X W_1^{Q}", "X W_Q^{(1)}"])
def test_the_number_of_a_head_may_stand_before_the_label(label: str) -> None:
    for heading in ("", "## Head 1\n\n"):
        right = rf"{heading}$$Q_1 = {label} = \begin{{bmatrix}} 1 \\ 1 \end{{bmatrix}}$$"
        assert (bad(right, problem=HEADS), good(right, problem=HEADS)) == ([], 2)
    other = rf"$$Q_2 = {label} = \begin{{bmatrix}} 0 \\ 1 \end{{bmatrix}}$$"
    assert bad(other, problem=HEADS) == ["Q^2"]


def notebook(title: str, source: str, shown: str) -> str:
    output = {"output_type": "execute_result", "metadata": {}, "execution_count": 1, "data": {"text/plain": shown}}
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": title},
        {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": source, "outputs": [output]},
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_the_name_of_the_method_is_no_step() -> None:
    title, source = "# Scaled dot-product attention", "scores = Q @ K.T\nscores"
    assert bad(notebook(title, source, "array([[1., 0.],\n       [1., 2.]])"), "ipynb") == []
    assert bad(notebook(title, source, "array([[1., 0.],\n       [1., 3.]])"), "ipynb") == ["S"]


@pytest.mark.parametrize(
    ("heading", "matrix", "names"),
    [
        ("Attention scores (scaled)", SCALED, []),
        ("Attention scores (scaled)", SCALED.replace("1.41", "1.51"), ["S_scaled"]),
        ("Unscaled scores", "[1, 0; 1, 2]", []),
        ("Scores before scaling", "[1, 0; 1, 3]", ["S"]),
        ("Scaled scores", "[1, 0; 1, 2]", ["S_scaled"]),
    ],
)
def test_what_a_heading_says_in_any_order(heading: str, matrix: str, names: list[str]) -> None:
    assert bad(f"## {heading}\n\n$${matrix}$$") == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Scores for q1: [1, 0]\nScores for q2: [1, 2]", []),
        ("Scores for q1: [0.71, 0]\nWeights for q1: [0.67, 0.33]", []),
        ("Output for q_2: [0.33, 2.68]", []),
        ("Scores for q2: [1, 3]", ["S[2,:]"]),
        ("Weights for q2: [0.33, 0.77]", ["A[2,:]"]),
        ("scores(q1) = [1, 0]", []),
        ("weights(q2) = [0.33, 0.77]", ["A[2,:]"]),
        ("Score for q1 and k2: 0", []),
        ("q1: softmax → 0.67, 0.33", []),
        ("q2 → [1, 2] → softmax → [0.33, 0.67]", []),
        ("q1 -> scores [1, 0] -> softmax [0.67, 0.33] -> output [0.67, 1.32]", []),
        ("q2 → [1, 2] → softmax → [0.33, 0.77]", ["A[2,:]"]),
        ("q1 -> scores [1, 4] -> softmax [0.67, 0.33]", ["S[1,:]"]),
        ("q1: [1, 0]\nq2: [0, 1]", []),
        ("q2: [0, 3]", ["Q[2,:]"]),
        ("q1 → [1, 3]", ["Q[1,:]"]),
    ],
)
def test_a_query_as_the_label_of_what_is_made_of_it(text: str, names: list[str]) -> None:
    assert bad(text, "txt") == names


def test_queries_as_labels_below_a_heading() -> None:
    text = "## Attention weights\n\nq1: [0.67, 0.33]\nq2: [0.33, {}]\n\n## Scores\n\n- q1 → [1, 0]\n- q2 → [1, {}]"
    assert bad(text.format("0.67", "2")) == []
    assert bad(text.format("0.77", "3")) == ["A[2,:]", "S[2,:]"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Es ist $e^{0,707} = 2,028$ und $e^{1,414} = 4,112$.", 0),
        ("Es ist $e^{0,707} = 2,028$ und $e^{1,414} = 4,213$.", 1),
        (r"$A = \begin{bmatrix} 0,670 & 0,330 \\ 0,330 & 0,670 \end{bmatrix}$ und $O_{22} = 2,679$", 0),
        (r"$A = \begin{bmatrix} 0,670 & 0,330 \\ 0,330 & 0,670 \end{bmatrix}$ und $O_{22} = 2,779$", 1),
    ],
)
def test_decimal_commas_of_a_document_hold_for_all_of_its_numbers(text: str, count: int) -> None:
    assert len(bad(text)) == count


@pytest.mark.parametrize(
    "text", ["L = S/sqrt(2)\n\nA = softmax(L + M)", "L = QK^T/sqrt(2)\n\nT = L + M\n\nA = softmax(T)"]
)
def test_a_letter_given_to_the_scaled_scores_has_their_shape(text: str) -> None:
    inputs = {"X": [[1, 2], [3, -1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[0, 1], [1, 0]], "W_V": [[1, 1], [0, 1]]}
    report = check_text(Problem.build(**inputs, mask="causal"), text, "md")
    assert {finding.verdict for finding in report.findings} == {"right"}


def test_what_is_projected_once_more_is_not_taken_for_the_output() -> None:
    """C is A V as the key has it, made of values as an output is; O is what W_O makes of it."""
    given = {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 2]], "V": [[1, 0], [0, 4]]}
    problem = Problem.build(**given, W_O=[[1, 2], [3, 1]], rounding={"places": 2})
    first = "$C_{11} = A_{11} V_{11} + A_{12} V_{21} = 0.67$"
    second = "$C_{12} = A_{11} V_{12} + A_{12} V_{22} = 1.32$"
    text = f"{first}\n\n{second}\n\n$O_{{11}} = 4.63$"
    assert (bad(text, "md", problem), good(text, "md", problem)) == ([], 5)


@pytest.mark.parametrize("strict", [False, True])
def test_running_values_with_numbers_below_and_above_under_the_heading_of_their_block(strict: bool) -> None:
    problem = Problem.build(Q=[[1]], K=[[-4], [-6]], V=[[-1], [8]], online=1, scale="none")
    first = r"$o_{11}^{(1)} = e^{-4 - (-4)} \cdot (-1) = -1$"
    second = r"$o_{11}^{(2)} = o_{11}^{(1)} \cdot e^{-4 - (-4)} + e^{-6 - (-4)} \cdot 8 = -1 + 8 e^{-2}$"
    text = f"## Block 1\n\n{first}\n\n## Block 2\n\n{second}"
    assert {item.verdict for item in check_text(problem, text, "md", strict=strict).findings} == {"right"}
