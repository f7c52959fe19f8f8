"""Forms of worked examples that people publish: side by side, with remarks, in blocks of code, in other scripts.

Each form is read where the work is right, and a mistake in it is found. Values: mpmath, by hand.
"""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem

# Scores [[1, 0], [1, 2]], scaled [[0.707, 0], [0.707, 1.414]]; exponentials 2.028, 1 and 2.028, 4.113;
# weights [[0.670, 0.330], [0.330, 0.670]]; outputs [[0.670, 1.321], [0.330, 2.679]].
PLAIN = Problem.build(Q=[[1, 0], [0, 1]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]])
# Scores [[2, 4, 2], [2, 2, 3], [3, 2, 5]]; weights of row 1: 0.163579, 0.672842, 0.163579;
# outputs [[0.490737, 2.509263], [1.255235, 2], [1.645732, 1.909579]].
THREE = Problem.build(Q=[[2, 0], [1, 1], [1, 2]], K=[[1, 1], [2, 0], [1, 2]], V=[[1, 1], [0, 3], [2, 2]])
CAUSAL = Problem.build(Q=[[1, 0], [0, 1]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]], mask="causal")
ONE = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1], [-1, 0]], V=[[10, 0], [0, 10], [5, 5]])
EYE = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
HEADS = Problem.build(X=[[1, 0, 1, 0], [0, 1, 0, 1]], W_Q=EYE, W_K=EYE, W_V=EYE, heads=2)
BIASED = Problem.build(
    X=[[1, 0], [0, 1]], W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 0], [0, 1]], b_Q=[1, 2],
)  # fmt: skip
ENTROPY = Problem.build(
    Q=[[1, 0], [0, 1]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]], gradient={"loss": "cross-entropy", "labels": [1, 2]},
)  # fmt: skip


def report(text: str, form: Format = "md", problem: Problem = PLAIN) -> Report:
    return check_text(problem, text, form)


def bad(text: str, form: Format = "md", problem: Problem = PLAIN) -> list[str | None]:
    found = report(text, form, problem).findings
    return [item.name for item in found if item.verdict in {"wrong", "follows", "unread", "undecided", "ambiguous"}]


def good(text: str, form: Format = "md", problem: Problem = PLAIN) -> int:
    return sum(item.verdict in {"right", "rounded", "carried"} for item in report(text, form, problem).findings)


SIDE_BY_SIDE = """```
S = Q · K^T = [[1, 0],  · [[1, 0],    = [[1, 0],
               [0, 1]]     [1, 2]]       [1, 2]]

Weights = [0.67  0.33]
          [0.33  0.67]

Output = [0.67  0.33] × [1  0] = [0.67×1 + 0.33×0  0.67×0 + 0.33×4]
         [0.33  0.67]   [0  4]   [0.33×1 + 0.67×0  0.33×0 + 0.67×4]
       = [0.67  1.32]
         [0.33  2.68]
```
"""


def test_matrices_side_by_side() -> None:
    assert (bad(SIDE_BY_SIDE), good(SIDE_BY_SIDE)) == ([], 7)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("[1, 2]]       [1, 2]]", "[1, 2]]       [1, 3]]", ["S"]),
        ("[0.33  0.67]\n\n", "[0.33  0.61]\n\n", ["A"]),
        ("0.33×0 + 0.67×4]", "0.33×0 + 0.67×2]", ["O", "O"]),
        ("[0.33  2.68]\n```", "[0.33  2.86]\n```", ["O"]),
    ],
)
def test_mistakes_in_matrices_side_by_side_are_found_where_they_stand(old: str, new: str, names: list[str]) -> None:
    text = SIDE_BY_SIDE.replace(old, new)
    assert bad(text)[: len(names)] == names
    place = next(item for item in report(text).findings if item.verdict == "wrong").culprit
    assert place is not None
    assert text[place.start : place.end] in new


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (r"$$Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} \quad (2 \times 2)$$", 1),
        (r"$$K = \begin{bmatrix} 1 & 1 \\ 0 & 2 \end{bmatrix} \quad \text{(shape: } 2 \times 2)$$", 1),
        ("```\nQ = [[1, 0],     token 1\n     [0, 1]]     token 2     (2, 2)\n```", 1),
        ('q_1 = (1, 0)     "the"\nq_2 = (0, 1)     "cat"', 2),
        ("A_1 = [0.67, 0.33]   ← most on itself", 1),
        ("// S = [[1, 0], [1, 2]]\n// A = [[0.67, 0.33], [0.33, 0.67]]", 2),
        ("K = [[1, 1], [0, 2]]      V = [[1, 0], [0, 4]]", 2),
        ("0.67 + 0.33 = 1.00 ✓", 1),
    ],
)
def test_remarks_beside_mathematics(text: str, count: int) -> None:
    assert (bad(text), good(text)) == ([], count)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (r"$$Q = \begin{bmatrix} 1 & 0 \\ 0 & 2 \end{bmatrix} \quad (2 \times 2)$$", "Q"),
        (r"$$Q = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} (2 \cdot 2)$$", "Q"),
        ('q_1 = (1, 1)     "the"', "Q[1,:]"),
        ("// S = [[1, 0], [1, 3]]", "S"),
        ("K = [[1, 1], [0, 2]]      V = [[1, 0], [0, 3]]", "V"),
    ],
)
def test_mistakes_beside_remarks_are_found(text: str, name: str) -> None:
    assert bad(text) == [name]


def test_working_in_a_block_of_code_is_read() -> None:
    text = (
        "```python\nscores[0][0] = [1,0] · [1,1] = 1×1 + 0×1 = {}\nscaled = [1, 0] / sqrt(2)\n       = [0.707, 0]\n```"
    )
    assert (bad(text.format("1")), good(text.format("1"))) == ([], 5)
    assert bad(text.format("2")) != []
    program = "```python\nS = Q @ K.T\nA = softmax(S, axis=-1)\n```"
    assert [item.verdict for item in report(program).findings] == ["unchecked"]


def test_lines_that_go_on_with_words_are_about_nothing_before_them() -> None:
    text = "v_2 = [0, 4]\n\n|a⟩ = Σⱼ a · v\n  = 0.67×[1, 0] + 0.33×[0, 4]\n  = [0.67, {}]\n"
    assert bad(text.format("1.32"), "txt") == []
    assert len(bad(text.format("1.52"), "txt")) == 1


def test_a_row_is_that_of_the_words_before_it() -> None:
    text = (
        "$$S' = S/\\sqrt{2}$$\n\n**Row 1**, entries $[0.707,\\ 0]$:\n\n"
        "$$e^{S'} = [2.028,\\ 1], \\qquad \\text{sum} = 3.028$$\n\n"
        "**Row 2**, entries $[0.707,\\ 1.414]$:\n\n$$e^{S'} = [2.028,\\ %s], \\qquad \\text{sum} = 6.141$$\n"
    )
    assert bad(text % "4.113") == []
    assert bad(text % "4.131") == ["E[2,:]"]


def test_terms_may_be_rounded_one_by_one() -> None:
    text = "0.434·1.0 + 0.214·0.0 + 0.351·0.7 = 0.434 + {} = {}"
    assert bad(text.format("0.246", "0.680"), "txt") == []
    assert len(bad(text.format("0.256", "0.690"), "txt")) == 1
    assert len(bad(text.format("0.246", "0.690"), "txt")) == 1


def test_sums_of_more_digits_than_are_shown_are_those_of_an_entry() -> None:
    text = "- component 2: $0.163579(1) + 0.672842(3) + 0.163579(2) = 0.163579 + 2.018525 + 0.327158 = {}$"
    assert bad(text.format("2.509263"), "md", THREE) == []
    assert len(bad(text.format("2.509261"), "md", THREE)) == 1
    assert len(bad("$0.24 + 0.24 = 0.49$", "md", THREE)) == 1


def test_the_scores_are_cited_below_the_scaled_ones() -> None:
    text = "$$QK^T = [[1, 0], [1, 2]]$$\n\n## Scaled scores\n\n$$S' = [[0.707, 0], [0.707, 1.414]]$$\n\n"
    text += "Row 2 was $[1, {}]$.\n"
    assert bad(text.format("2")) == []
    assert len(bad(text.format("3"))) == 1


@pytest.mark.parametrize(
    ("text", "problem", "names"),
    [
        ("A = softmax(S / sqrt(2), dim=0)", PLAIN, ["A"]),
        ("A = softmax(S / sqrt(2), dim=-1)", PLAIN, []),
        ("A = softmax(S / sqrt(2), axis=1)", PLAIN, []),
        ("E = exp(S / sqrt(2))\nA = E / E.sum(dim=1, keepdim=True)", PLAIN, []),
        ("E = exp(S / sqrt(2))\nA = E / E.sum(dim=0, keepdim=True)", PLAIN, ["A"]),
        ("E = exp(S / sqrt(2))\nZ = np.sum(E, axis=1)\nA = E / Z[:, None]", PLAIN, []),
        ("A = softmax([[0.707, 0], [0.707, 1.414]], dim=0) = [[0.5, 0.2], [0.5, 0.8]]", PLAIN, ["A", "A"]),
        ("A_1 = softmax([0.707, 0], dim=0) = [0.67, 0.33]", PLAIN, []),
        ("q1 and k1 = 1\nq2 and k2 = 2", PLAIN, []),
        ("q1 and k1 = 2", PLAIN, ["S[1,1]"]),
        ("S[0,0,1,1] = Q[0,0,1,0]*K[0,0,1,0] + Q[0,0,1,1]*K[0,0,1,1] = 0*0 + 1*2 = 2", PLAIN, []),
        ("S[0,0,1,1] = Q[0,0,1,0]*K[0,0,1,0] + Q[0,0,1,1]*K[0,0,1,1] = 0*0 + 1*2 = 3", PLAIN, ["S[2,2]"]),
        ("合 = 11.1\n验证:每行求和 = 0.67 + 0.33 = 1.0", PLAIN, []),
        ("A[1] = [0.67, 0.33] 的权重(第一行)", PLAIN, []),
        ("scores = K·q / √2 = [1, 0, -1] / 1,414 = [0,707 ; 0 ; -0,707]", ONE, []),
        ("softmax([0,707 ; 0 ; -0,707]) = [0,576 ; 0,284 ; 0,140]", ONE, []),
        ("T = 0.5\n\nT = 1.0", PLAIN, []),
    ],
)
def test_ways_of_programs_and_of_other_scripts(text: str, problem: Problem, names: list[str]) -> None:
    assert bad(text, "txt", problem) == names


@pytest.mark.parametrize(
    ("text", "problem", "names"),
    [
        (r"$A_{\text{causal}} = [[1, 0], [0.33, 0.67]]$", CAUSAL, []),
        (r"$A_{\text{causal}} = [[0.67, 0.33], [0.33, 0.67]]$", CAUSAL, ["A"]),
        (r"$Q = X W_Q + \mathbf{1} b_Q^T$", BIASED, []),
        (r"$Q = X W_Q + \mathbf{1} b_K^T$", BIASED, ["Q"]),
        (r"$dO = \text{softmax}(O) - Y$", ENTROPY, []),
        (r"$dO = \text{softmax}(O) + Y$", ENTROPY, ["dO"]),
        ("### Head 1\n\n$$S' = [[0.707, 0], [0, 0.707]]$$\n\n$$Z_1 = A_1 V_1$$", HEADS, []),
        ("A = tensor([[[0.67, 0.33],\n [0.33, 0.67]],\n\n [[0.67, 0.33],\n [0.33, 0.67]]])", HEADS, []),
        ("A = tensor([[[0.67, 0.33],\n [0.33, 0.67]],\n\n [[0.67, 0.33],\n [0.33, 0.76]]])", HEADS, ["A^2"]),
    ],
)
def test_labels_heads_and_biases(text: str, problem: Problem, names: list[str]) -> None:
    assert bad(text, "md", problem) == names


def test_tokens_of_a_table_name_nothing() -> None:
    table = "| Token | Query $q$ | Key $k$ | Value $v$ |\n|---|---|---|---|\n| A | — | (1, 0) | (10, 0) |\n"
    table += "| B | — | (0, 1) | (0, {}) |\n| C | (1, 0) | (-1, 0) | (5, 5) |\n"
    assert (bad(table.format(10), "md", ONE), good(table.format(10), "md", ONE)) == ([], 7)
    assert bad(table.format(11), "md", ONE) == ["V[2,:]"]


def test_a_cause_that_explains_few_of_many_wrong_numbers_is_not_told() -> None:
    invented = "$$A = [[0.35, 0.25, 0.35], [0.24, 0.25, 0.35], [0.37, 0.25, 0.37]]$$"
    found = report(invented, "md", THREE).findings[0]
    assert (found.verdict, found.diagnosis) == ("wrong", None)
    unscaled = "$$A = [[0.11, 0.79, 0.11], [0.21, 0.21, 0.58], [0.11, 0.04, 0.84]]$$"
    cause = report(unscaled, "md", THREE).findings[0].diagnosis
    assert cause is not None
    assert cause.code == "unscaled-softmax"


def test_the_first_mistake_is_an_exponential_that_a_weight_follows_from() -> None:
    text = "- exp(0.707) = 2.03, exp(1.414) = 4.31\n- Sum = 2.03 + 4.31 = 6.34\n- A_2 = [0.32, 0.68]\n"
    found = report(text)
    assert found.first_mistake is not None
    assert "4.31" in found.findings[found.first_mistake].text


def test_terms_on_lines_of_their_own_belong_to_one_sum() -> None:
    text = "O_1 = 0.67·[1, 0] + 0.33·[0, 4]\n    = [0.67, 0]\n    + [0, {}]\n    = [0.67, 1.32]\n"
    assert bad(text.format("1.32"), "txt") == []
    assert bad(text.format("1.52"), "txt") != []


def test_what_the_softmax_is_taken_of_may_stand_behind_it() -> None:
    text = "We apply softmax to the scaled scores $[0.707, {}]$.\n\n$\\alpha_{{11}} = 0.67$\n"
    assert bad(text.format("0")) == []
    assert len(bad(text.format("0.5"))) == 1


def test_the_words_softmax_and_weights_are_a_name() -> None:
    assert bad("Softmax weights: [0.576, 0.284, 0.140]", "txt", ONE) == []
    assert bad("Softmax weights: [0.576, 0.284, 0.240]", "txt", ONE) == ["A"]


def test_an_entry_in_column_ten_of_two_counts_from_zero() -> None:
    assert bad(r"$\alpha_{10} = 0.33$, $\alpha_{11} = 0.67$") == []
    assert bad(r"$\alpha_{10} = 0.33$, $\alpha_{11} = 0.76$") == ["A[2,2]"]


def test_a_matrix_of_unseen_size_is_not_wrong() -> None:
    assert bad("S = diag(0.5)", "txt") == []


def test_marks_escaped_for_markdown_are_read() -> None:
    text = "# Row 1\n\nA\\_1 = \\[0.67, {}\\]\n"
    assert bad(text.format("0.33")) == []
    assert bad(text.format("0.43")) != []


def test_a_formula_on_display_may_begin_with_a_list() -> None:
    assert bad("# Row 1\n\n\\[[0.667, 0.333] \\to [0.67, 0.33]\\]\n\n\\[\nA_1 = [0.67, 0.33]\n\\]\n") == []
    assert bad("\\[[0.67, 0.43] = A_1\\]\n") == ["A[1,:]"]
