"""Works on masks, biases and heads: what people write for them, and the mistakes that only they leave room for."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.checking.checker import Checker
from symattn.checking.graph.layer import graph_of_definitions, graph_of_layer
from symattn.checking.graph.quantities import Valuation
from symattn.checking.mistake_catalogue import CODES
from symattn.checking.report import Finding, Report
from symattn.errors import InputError
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.definitions import defined_layer
from symattn.problem.model import Problem

CAUSAL = Problem.build(
    Q=[[1, 0], [0, 1], [1, 1]], K=[[1, 0], [1, 1], [0, 1]], V=[[1, 0], [0, 1], [1, 1]], mask="causal"
)
"""S = [1 1 0; 0 1 1; 1 2 1]."""

SCORES = np.array([[1, 1, 0], [0, 1, 1], [1, 2, 1]]) / np.sqrt(2)
SEEN = np.tril(np.ones((3, 3)))

X = np.array([[1, 0, 1, 1], [0, 1, 1, 0]])
W_Q = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 1, 1]])
W_K = np.array([[0, 1, 1, 0], [1, 0, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]])
W_V = np.array([[1, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0]])
W_O = np.array([[1, 2, 0, 0], [0, 1, 3, 0], [0, 0, 1, 1], [1, 0, 0, 2]])
TWO = Problem.build(X=X.tolist(), W_Q=W_Q.tolist(), W_K=W_K.tolist(), W_V=W_V.tolist(), W_O=W_O.tolist(), heads=2)


def softmax(scores: Any) -> Any:
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True)


def masked(seen: Any) -> Any:
    powers = np.exp(SCORES) * seen
    return powers / powers.sum(axis=1, keepdims=True)


def of_head(matrix: Any, head: int) -> Any:
    return matrix[:, 2 * head - 2 : 2 * head]


Q, K, V = X @ W_Q, X @ W_K, X @ W_V
S = {head: of_head(Q, head) @ of_head(K, head).T for head in (1, 2)}
A = {head: softmax(S[head] / np.sqrt(2)) for head in (1, 2)}
H = {head: A[head] @ of_head(V, head) for head in (1, 2)}
C = np.hstack([H[1], H[2]])


def shown(matrix: Any) -> str:
    return "[" + ", ".join("[" + ", ".join(f"{entry:.4f}" for entry in row) + "]" for row in matrix) + "]"


def check(problem: Problem, text: str) -> Report:
    return check_text(problem, text, "md")


def last(problem: Problem, text: str) -> Finding:
    return check(problem, text).findings[-1]


# What is read ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        r"$S_{masked} = \begin{bmatrix} 0.7 & -\infty & -\infty \\ 0 & 0.7 & -\infty \\ 0.7 & 1.4 & 0.7 \end{bmatrix}$",
        r"$S_{\text{masked}} = \begin{bmatrix} 0.71 & - & - \\ 0 & 0.71 & - \\ 0.71 & 1.41 & 0.71 \end{bmatrix}$",
        "Masked scores = [[0.71, -inf, -inf], [0, 0.71, -inf], [0.71, 1.41, 0.71]]",
        "masked_scores = [[0.71, -1e9, -1e9], [0, 0.71, -1e9], [0.71, 1.41, 0.71]]",
        "## After masking\n\n[[0.71, -inf, -inf], [0, 0.71, -inf], [0.71, 1.41, 0.71]]",
        "## Masked scores\n\n[[0.71, -10000, -10000], [0, 0.71, -10000], [0.71, 1.41, 0.71]]",
        "S_scaled + M = [[0.71, -inf, -inf], [0, 0.71, -inf], [0.71, 1.41, 0.71]]",
    ],
)
def test_masked_scores_as_people_write_them(text: str) -> None:
    finding = last(CAUSAL, text)
    assert (finding.name, finding.verdict) == ("S_masked", "rounded"), finding


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("M = [[0, -inf, -inf], [0, 0, -inf], [0, 0, 0]]", "M"),
        ("mask = [[0, -1e9, -1e9], [0, 0, -1e9], [0, 0, 0]]", "M"),
        (r"$A_{12} = \frac{e^{-\infty}}{e^{0.7071} + e^{-\infty}} = 0$", "A[1,2]"),
        (r"$E_{12} = e^{-\infty} = 0$", "E[1,2]"),
        ("A = [[1, 0, 0], [0.33, 0.67, 0], [0.25, 0.50, 0.25]]", "A"),
        (r"$A_{12} = 0$", "A[1,2]"),
    ],
)
def test_masks_and_what_follows_from_them(text: str, name: str) -> None:
    findings = check(CAUSAL, text).findings
    assert {finding.verdict for finding in findings} <= {"right", "rounded"}, findings
    assert findings[-1].name == name


def test_a_finite_number_for_a_hidden_score_is_wrong() -> None:
    finding = last(CAUSAL, "S_masked = [[0.71, -100, -inf], [0, 0.71, -inf], [0.71, 1.41, 0.71]]")
    assert [entry.verdict for row in finding.entries or () for entry in row].count("wrong") == 1
    assert finding.explanation.startswith("S_masked[1,2] is -inf, not -100.")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"$E_{12} = e^{\infty}$", "wrong"),
        (r"$A_{12} = \frac{e^{\infty}}{2.03}$", "wrong"),
        (r"$A_{12} = \frac{0.00}{1.40}$", "wrong"),
        (r"$A_{12} = \frac{0.00}{2.03}$", "right"),
        (r"$A_{12} = \frac{0}{e^{0.71} + 0 + 0}$", "right"),
        (r"$A_{12} = \frac{e^{-\infty}}{e^{0.71} + e^{-\infty} + e^{-\infty}}$", "right"),
        (r"$S_{masked,12} = 0.71 + (-\infty)$", "right"),
        (r"$S_{masked,12} = \infty$", "wrong"),
        (r"$e^{-\infty} = 0$", "right"),
        (r"$e^{-\infty} = 1$", "wrong"),
        (r"$d_k \to \infty$", "unchecked"),
    ],
)
def test_infinity_in_working(text: str, verdict: str) -> None:
    assert last(CAUSAL, text).verdict == verdict


def test_a_mask_may_be_written_in_zeros_and_ones() -> None:
    for text in ("M = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]", "mask = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]"):
        finding = last(CAUSAL, text)
        assert (finding.name, finding.verdict) == ("M", "right")
        assert finding.explanation.startswith("Read as 1 for a key that is ")
    assert last(CAUSAL, "M = [[1, 1, 1], [0, 1, 1], [0, 0, 1]]").verdict == "wrong"


def test_a_strict_sheet_takes_minus_infinity_as_it_is() -> None:
    problem = Problem.build(Q=[[1], [2]], K=[[1], [3]], V=[[1], [2]], mask="causal", rounding={"places": 2})
    for text, verdict in (("-0.50", "wrong"), ("-1e9", "rounded"), (r"-\infty", "right")):
        report = check_text(problem, f"$S_{{masked,12}} = {text}$", "md", strict=True)
        assert report.findings[0].verdict == verdict
    report = check_text(problem, r"$E_{12} = e^{-1.00} = 0.37$", "md", strict=True)
    assert [finding.verdict for finding in report.findings] == ["wrong", "follows"]


def test_a_zero_in_a_name_of_the_sheet_counts_nothing_from_zero() -> None:
    problem = Problem.build(inputs={"S0": [[1, 2], [3, 4]]}, definitions={"T": "2 S0"})
    finding = last(problem, "S0 = [[1, 2], [3, 4]]\n\nT_{1,:} = [2, 4]")
    assert (finding.name, finding.verdict) == ("T[1,:]", "right")


NAMES = [
    ("Q = {Q}", "Q", Q, ""),
    ("Q_1 = {}", "Q^1", of_head(Q, 1), "Head 1"),
    ("Q = {}", "Q^2", of_head(Q, 2), "Head 2"),
    ("Q^{{(2)}} = {}", "Q^2", of_head(Q, 2), ""),
    ("W_Q^{{(2)}} = {}", "W_Q^2", of_head(W_Q, 2), ""),
    ("K^2 = {}", "K^2", of_head(K, 2), ""),
    ("V2 = {}", "V^2", of_head(V, 2), ""),
    ("Q_1 K_1^T = {}", "S^1", S[1], ""),
    ("QK^T = {}", "S^2", S[2], "Second head"),
    ("scores = {}", "S^2", S[2], "Head two"),
    ("scaled scores = {}", "S_scaled^1", S[1] / np.sqrt(2), "Head 1"),
    ("A^1 = {}", "A^1", A[1], ""),
    ("A_2 = {}", "A^2", A[2], ""),
    ("weights = {}", "A^2", A[2], "### Attention of head 2"),
    ("head_1 = {}", "H^1", H[1], ""),
    ("head2 = {}", "H^2", H[2], ""),
    ("H_2 = {}", "H^2", H[2], ""),
    ("Z = {}", "H^1", H[1], "Head 1"),
    ("output = {}", "H^1", H[1], "Head 1"),
    ("Concat = {}", "C", C, ""),
    ("Concat(head_1, head_2) = {}", "C", C, ""),
    ("[head_1, head_2] = {}", "C", C, ""),
    ("{}", "C", C, "Concat"),
    ("MultiHead(Q, K, V) = {}", "O", C @ W_O, ""),
    ("MHA output = {}", "O", C @ W_O, ""),
    ("output = {}", "O", C @ W_O, "Multi-head output"),
    ("Concat(head_1, head_2) W_O = {}", "O", C @ W_O, ""),
]


@pytest.mark.parametrize(("text", "name", "values", "heading"), NAMES)
def test_names_of_heads(text: str, name: str, values: Any, heading: str) -> None:
    formula = text.format(shown(values), Q=shown(Q))
    finding = last(TWO, f"## {heading}\n\n{formula}\n" if heading else f"{formula}\n")
    assert finding.name == name, finding
    assert finding.verdict in {"right", "rounded"}, finding


def test_a_whole_work_on_two_heads() -> None:
    text = f"""
Q = {shown(Q)}

## Head 1

q_1 = [2, 0]

A_1 = [0.5, 0.5]

a_{{21}} = {A[1][1, 0]:.4f}

$A_{{21}}^{{(1)}} = {A[1][1, 0]:.4f}$

## Head 2

$S^{{(2)}}_{{12}} = 1 \\cdot 1 + 2 \\cdot 1 = 3$

$\\mathrm{{head}}_2 = A^{{(2)}} V^{{(2)}}$

## Concatenation and output projection

output = Concat W_O = {shown(C @ W_O)}
"""
    findings = check(TWO, text).findings
    assert {finding.verdict for finding in findings} <= {"right", "rounded"}, findings
    names = ["Q", "Q^1[1,:]", "A^1[1,:]", "A^1[2,1]", "A^1[2,1]", "S^2[1,2]", "S^2[1,2]", "H^2"]
    assert [finding.name for finding in findings][: len(names)] == names


def test_sentences_about_a_head() -> None:
    text = """# Two heads

## Head 1

### Weights

The attention weights for token 1 are 0.5 and 0.5. Row 2 of A is 0.67, 0.33.

The output for token 1 is 1.5, 1.0.

# Both together

The output for token 1 is 3.39, 4.00, 4.00, 4.79.
"""
    findings = [finding for finding in check(TWO, text).findings if finding.verdict != "unchecked"]
    assert [finding.name for finding in findings] == ["A^1[1,:]", "A^1[2,:]", "H^1[1,:]", "O[1,:]"]
    assert {finding.verdict for finding in findings} <= {"right", "rounded"}
    assert check(TWO, "The attention weights for token 1 are 0.5 and 0.5.").findings[0].verdict == "unchecked"


def test_groups_of_heads_share_their_keys() -> None:
    problem = Problem.build(Q=[[1, 2, 3, 4]], K=[[5, 6]], V=[[7, 8]], heads=4, kv_heads=2)
    assert last(problem, "## Head 3\n\nK = 6").name == "K^2"
    assert last(problem, "## Head 4\n\nS = 24").verdict == "right"


FOUR = {"X": [[1, 2, 0, 1], [2, 0, 1, 1]], "heads": 4, "kv_heads": 2, "rounding": {"places": 2, "steps": "all"}}
FOUR |= {"W_Q": [[1, 0, 2, 1], [0, 1, 1, 0], [2, 1, 0, 1], [1, 1, 0, 2]]}
FOUR |= {"W_K": [[1, 0], [2, 1], [0, 1], [1, 1]], "W_V": [[0, 2], [1, 0], [1, 1], [2, 1]]}


def test_numbers_above_keys_and_values_are_those_of_groups() -> None:
    """K = [6 3; 3 2] and V = [4 3; 3 6]: the key of 4 heads numbers its 2 groups."""
    problem = Problem.build(**FOUR)
    for detail in ("brief", "full"):
        key = re.sub(r"(?<!\\)%.*", "", solve(problem).to_latex(detail=detail))
        for strict in (False, True):
            found = check_text(problem, key, "tex", strict=strict)
            assert [item.text for item in found.findings if item.verdict == "wrong"] == []
            assert found.missing == ()
    assert last(problem, "$K^{(2)} = [3; 2]$").verdict == "right"
    assert last(problem, "$K^{(2)} = [6; 3]$").verdict == "wrong"


def test_numbers_above_keys_are_those_of_heads_where_there_are_more_than_groups() -> None:
    problem = Problem.build(**FOUR)
    lines = ["$K^{(1)} = [6; 3]$", "$K^{(2)} = [6; 3]$", "$K^{(3)} = [3; 2]$", "$K^{(4)} = [3; 2]$"]
    assert [item.verdict for item in check(problem, "\n\n".join(lines)).findings] == ["right"] * 4


def test_the_part_of_each_head_is_all_of_a_projection() -> None:
    tables = {"parts": [{"asks": "projections", "points": 4}, {"asks": "map"}], "heads": 2, "scale": "none"}
    problem = Problem.build(X=[[1, 2]], W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 0], [0, 1]], **tables)
    lines = [f"{name}_{head} = {head}" for name in "QKV" for head in (1, 2)]
    assert check(problem, "\n\n".join(lines)).missing == ("A^1", "A^2")
    assert check(problem, "\n\n".join([*lines, "A_1 = 1", "A_2 = 1"])).missing == ()


# Mistakes ------------------------------------------------------------------------------------------------


def powers(head: int) -> Any:
    return np.exp(S[head] / np.sqrt(2))


MISTAKES = [
    ("mask-forgotten", CAUSAL, f"A = {shown(softmax(SCORES))}"),
    ("mask-forgotten", CAUSAL, f"S_masked = {shown(SCORES)}"),
    ("mask-forgotten", CAUSAL, f"O = {shown(softmax(SCORES) @ np.array([[1, 0], [0, 1], [1, 1]]))}"),
    ("mask-after", CAUSAL, f"A = {shown(softmax(SCORES) * SEEN)}"),
    ("mask-polarity", CAUSAL, "A = [[0, 0.6698, 0.3302], [0, 0, 1], [0, 0, 0]]"),
    ("mask-polarity", CAUSAL, "S_masked = [[-inf, 0.71, 0], [-inf, -inf, 0.71], [-inf, -inf, -inf]]"),
    ("mask-transposed", CAUSAL, f"A = {shown(masked(SEEN.T))}"),
    ("mask-transposed", CAUSAL, "S_masked = [[0.71, 0.71, 0], [-inf, 0.71, 0.71], [-inf, -inf, 0.71]]"),
    ("heads-mixed", TWO, f"## Head 1\n\nS = {shown(of_head(Q, 1) @ of_head(K, 2).T)}"),
    ("heads-mixed", TWO, f"## Head 1\n\nhead_1 = {shown(A[1] @ of_head(V, 2))}"),
    ("heads-mixed", TWO, f"A_1 = {shown(A[2])}"),
    ("heads-mixed", TWO, f"Concat = {shown(np.hstack([H[2], H[1]]))}"),
    ("heads-mixed", TWO, f"Concat(head_2, head_1) = {shown(np.hstack([H[2], H[1]]))}"),
    ("heads-softmax", TWO, f"A_1 = {shown(powers(1) / (powers(1) + powers(2)))}"),
    ("no-transpose", TWO, f"## Multi-head output\n\nO = {shown(C @ W_O.T)}"),
]


@pytest.mark.parametrize(("code", "problem", "text"), MISTAKES)
def test_mistakes_of_masks_and_heads_are_named(code: str, problem: Problem, text: str) -> None:
    finding = next(finding for finding in check(problem, text).findings if finding.verdict == "wrong")
    assert finding.diagnosis is not None, finding
    assert finding.diagnosis.code == code, finding
    assert code in CODES


def test_a_scale_by_the_size_of_the_model_is_named() -> None:
    inputs = {"X": [[1, 2, 0, 1], [3, 1, 1, 0]], "W_Q": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]]}
    problem = Problem.build(**inputs, W_K=inputs["W_Q"], W_V=inputs["W_Q"], heads=1)
    projected = np.array(inputs["X"]) @ np.array(inputs["W_Q"])
    finding = last(problem, f"A = {shown(softmax(projected @ projected.T / 2))}")
    assert finding.diagnosis is not None
    assert finding.diagnosis.code == "scale-other"


def test_a_mask_put_on_after_the_softmax_and_renormalised_is_right() -> None:
    after = softmax(SCORES) * SEEN
    assert last(CAUSAL, f"A = {shown(after / after.sum(axis=1, keepdims=True))}").verdict == "rounded"


def test_a_bias_that_was_forgotten_is_named() -> None:
    problem = Problem.build(Q=[[1], [2]], K=[[1], [1]], V=[[1], [2]], scale="none", bias={"add": [[0, 1], [2, 0]]})
    finding = last(problem, "A = [[0.5, 0.5], [0.5, 0.5]]")
    assert finding.diagnosis is not None
    assert finding.diagnosis.code == "bias-forgotten"
    assert last(problem, "S_biased = [[1, 2], [4, 2]]").verdict == "right"


# The graph -----------------------------------------------------------------------------------------------

LAYERS = [
    CAUSAL,
    TWO,
    Problem.build(Q=[[1], [2]], K=[[1], [3]], V=[[1], [2]], scale="none", softmax_one=True),
    Problem.build(Q=[[1], [2]], K=[[1], [3]], V=[[1], [2]], bias={"alibi": "1/2"}, mask={"causal": True}),
    Problem.build(Q=[[1], [2]], K=[[1], [3]], V=[[1], [2]], mask={"keep": [[1, 0], [0, 0]]}, fully_masked="zeros"),
    Problem.build(Q=[[1], [2]], K=[[1], [3]], V=[[1], [2]], mask={"keep": [[1, 0], [0, 0]]}, fully_masked="uniform"),
    Problem.build(Q=[[1], [2]], K=[[1], [3]], V=[[1], [2]], mask={"keep": [[1, 0], [0, 0]]}),
    Problem.build(Q=[[1, 2], [2, 1]], K=[[1, 0], [3, 1]], V=[[1, 1], [2, 0]], heads=2, combine="mean"),
    Problem.build(Q=[[1, 2], [2, 1]], K=[[1], [3]], V=[[1], [2]], heads=2, kv_heads=1, tokens="rows"),
    Problem.build(
        X=[[1, 2]], W_Q=[[1, 1], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 0], [2, 1]], b_Q=[[1, 0]],
        W_O=[[1, 2], [3, 4]], b_O=[[1, 1]], heads=2,
    ),
]  # fmt: skip


@pytest.mark.parametrize("problem", LAYERS)
def test_the_graph_gives_the_values_of_the_layer(problem: Problem) -> None:
    layer = attention_layer(problem)
    graph = graph_of_layer(layer)
    graph.known.clear()
    values = Valuation(graph)
    for name, quantity in layer.scene.quantities.items():
        for i, row in enumerate(quantity.exact.rows):
            for j, value in enumerate(row):
                found = values.get(name, i, j)
                # What is undefined in the layer has no value in the graph.
                assert found == value if found is not None else str(value) == "-", (name, i, j)


def test_a_query_that_sees_nothing_has_no_weights() -> None:
    problem = LAYERS[6]
    assert last(problem, r"$A_{21} = 0$").verdict == "undecided"
    dashed = last(problem, r"$A = \begin{bmatrix} 1 & 0 \\ - & - \end{bmatrix}$")
    assert dashed.verdict == "right"
    assert last(problem, r"$A = \begin{bmatrix} - & 0 \\ - & - \end{bmatrix}$").verdict == "undecided"


def test_definitions_with_masks_have_their_values() -> None:
    definitions = {
        "S": "mask(X, keep) + [0, 1; 2, 3]",
        "D": "hide(X, keep)",
        "A": "softmax1(S)",
        "T": "[X[1, :]; X .* X][2:3, :] - rowsum(X)",
    }
    problem = Problem.build(inputs={"X": [[1, 2], [3, 4]], "keep": [[1, 0]]}, definitions=definitions)
    values = Valuation(graph_of_definitions(defined_layer(problem)))
    assert values.matrix("S") == [[1, MINUS_INFINITY], [5, MINUS_INFINITY]]
    assert values.matrix("D") == [[MINUS_INFINITY, 2], [MINUS_INFINITY, 4]]
    assert values.matrix("T") == [[-2, 1], [2, 9]]
    assert str(values.get("A", 0, 0)) == "exp(1)/(1 + exp(1))"
    assert values.get("A", 0, 1) == 0


def test_sums_of_sums_of_sums_are_checked_in_a_moment() -> None:
    definitions = {"S0": "X + X", **{f"S{number}": f"S{number - 1} + S{number - 1}" for number in range(1, 60)}}
    problem = Problem.build(inputs={"X": [[1, 2]]}, definitions=definitions)
    report = check(problem, "S1 = [4, 8]\n\nS2 = S1 + S1\n\nS2 = S0 + S1\n\nS59 = [1, 2]")
    assert [finding.verdict for finding in report.findings] == ["right", "right", "wrong", "wrong"]


def test_a_head_that_there_is_not() -> None:
    for number in ("3", "0.40"):
        finding = last(TWO, f"## Head 2\n\n$A_{{21}}^{{({number})}} = 0.67$")
        assert finding.diagnosis is not None
        assert finding.diagnosis.code == "no-such-entry"
        assert finding.explanation.endswith("the heads are counted from 1 to 2.")
    assert last(TWO, "## Head 2\n\n$H_{21}^{(1)} = 1.67$").name == "H^1[2,1]"
    product = r"$S^{(2)} = Q^{(6)} K^{(2)\top} = [[6, 3], [2, 1]]$"
    assert [finding.verdict for finding in check(TWO, product).findings] == ["wrong", "right"]
    for text in ("$K^{(9)} = [[2, 2], [1, 1]]$", "$E_{ij}^{(1)} = e^{S_{ij}^{(4)}}$"):
        assert last(TWO, text).verdict == "wrong", text
    defined = r"$I_{i}^{(1)} = -\sum_j A_{ij}^{(1)} \ln A_{ij}^{(1)}$"
    assert last(TWO, f"{defined}\n\n$I_1^{{(1)}} = 0.69$").verdict in {"right", "rounded"}
    assert last(TWO, f"{defined}\n\n$I_1^{{(2)}} = 0.69$").verdict == "wrong"


def test_a_mask_is_made_of_zeros_and_ones() -> None:
    for name in ("mask", "hide"):
        problem = Problem.build(
            inputs={"X": [[1, 2]], "M": [[1, Fraction(1, 2)]]}, definitions={"S": f"2 {name}(X, M)"}
        )
        with pytest.raises(InputError) as caught:
            Checker(problem)
        assert str(caught.value) == "[definitions] S: A mask is a matrix of 0 and 1, and 1/2 stands in it."


def test_an_output_of_one_feature_numbers_no_rows_above_names() -> None:
    """The column beside A^{(1)} is H^{(1)}, so that V^{(2)} stays that of group 2, which head 4 shares."""
    grouped = Problem.build(
        X=[[1, 2], [0, 1], [-1, 1]],
        W_Q=[[1, 0, 1, 2], [0, 1, -1, 1]],
        W_K=[[1, 0], [1, 1]],
        W_V=[[2, 1], [0, 1]],
        heads=4,
        kv_heads=2,
        mask="causal",
    )
    values = r"\begin{bmatrix} 2.000 \\ 1.000 \\ -1.341 \end{bmatrix}"
    work = rf"\subsection*{{Head 1}} \[ H^{{(1)}} = A^{{(1)}}V^{{(1)}} \approx {values} \]"
    work += r"\subsection*{Head 4} \[ H^{(4)} = A^{(4)}V^{(2)} \]"
    report = check_text(grouped, work, "tex", strict=True)
    assert [finding.verdict for finding in report.findings] == ["right", "rounded", "right"]
