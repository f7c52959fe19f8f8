"""Biases written out as rows, softmaxes with an extra 1, and tables of heads with as few tokens as heads."""

from __future__ import annotations

import re
from typing import Any

import pytest

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem

BIASED = Problem.build(
    X=[[1, 0], [2, 1]], W_Q=[[1, 1], [0, 2]], W_K=[[1, 0], [0, 1]], W_V=[[1, 2], [3, 4]], b_Q=[1, 3]
)  # X W_Q is [[1, 1], [2, 4]]


def verdicts(problem: Problem, text: str, form: Format = "md") -> list[str]:
    return [str(finding.verdict) for finding in check_text(problem, text, form).findings]


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


ALIBI = Problem.build(
    Q=[[1], [2], [1]], K=[[1], [0], [2]], V=[[1], [2], [0]], scale="none", mask="causal", bias={"alibi": "1/2"}
)


@pytest.mark.parametrize(("below", "is_right"), [("-1", True), ("-2", False)])
def test_a_bias_may_be_shown_with_its_mask(below: str, is_right: bool) -> None:
    rows = [["0", "−∞", "−∞"], ["-0.5", "0", "−∞"], [below, "-0.5", "0"]]
    cells = "\n".join(f"| q{i} | {' | '.join(row)} |" for i, row in enumerate(rows, 1))
    table = f"**Step 2. Bias**, and −∞ for the future\n\n|  | k1 | k2 | k3 |\n|---|---|---|---|\n{cells}"
    assert ("wrong" not in verdicts(ALIBI, table)) is is_right
    assert ("wrong" not in verdicts(ALIBI, f"B = [{', '.join(f'[{chr(44).join(row)}]' for row in rows)}]")) is is_right
    assert not {"right", "rounded"} & {*verdicts(ALIBI, "$B_{31} = -\\infty$")}


@pytest.mark.parametrize("formula", [r"\text{softmax}(QK^T/\sqrt{d_k})", "softmax_1(QK^T/\\sqrt{d_k})"])
def test_a_softmax_is_the_one_that_the_sheet_declares(formula: str) -> None:
    problem = Problem.build(Q=[[1, 0], [2, 1]], K=[[1, 1], [0, 2]], V=[[1, 2], [3, 4]], softmax_one=True)
    assert verdicts(problem, f"$A = {formula}$") == ["right"]
    assert verdicts(problem, r"$A = \text{softmax}(QK^T)$") == ["wrong"]


@pytest.mark.parametrize("work", ["softmax(1, 0) = {}", "softmax([1, 0]) = {}", "A_1 = softmax(1, 0) = {}"])
def test_a_softmax_of_numbers_is_the_one_that_the_sheet_declares(work: str) -> None:
    """exp(1)/(1 + exp(1) + 1) is 0.576; without the 1 more it is 0.731."""
    layer: dict[str, Any] = {"Q": [[1], [2]], "K": [[1], [0]], "V": [[1], [2]], "scale": "none"}
    for keys, right, wrong in (
        ({"softmax_one": True}, "(0.576, 0.212)", "(0.731, 0.269)"),
        ({}, "(0.731, 0.269)", "(0.576, 0.212)"),
    ):
        problem = Problem.build(**layer, **keys, rounding={"places": 3})
        assert set(verdicts(problem, work.format(right))) <= {"right", "rounded"}
        assert "wrong" in verdicts(problem, work.format(wrong))


MORE = Problem.build(
    Q=[[1, 0], [0, 1], [2, 1]], K=[[1, 1], [0, 2], [3, 1]], V=[[1, 0], [0, 4], [2, 2]], mask="causal", scale="none",
    softmax_one=True,
)  # fmt: skip
"""S = [1 0 3; 1 2 1; 3 2 7]. With the 1 the weights of row 1 are e/(1 + e) = 0.7311, 0 and 0."""


@pytest.mark.parametrize(
    ("weights", "code"),
    [
        ("1.0000, 0, 0; 0.2689, 0.7311, 0; 0.0179, 0.0066, 0.9756", "dropped-one"),
        ("0.1096, 0, 0; 0.1966, 0.5344, 0; 0.0179, 0.0066, 0.9747", "mask-after"),
        ("0.1025, 0, 0; 0.1025, 0.4683, 0; 0.7573, 0.4683, 0.9991", "wrong-axis"),
        ("0.1065, 0, 0; 0.1065, 0.5, 0; 0.7870, 0.5, 1", "wrong-axis"),
    ],
)
def test_usual_mistakes_with_a_1_more_are_named(weights: str, code: str) -> None:
    (finding,) = check_text(MORE, f"$A = [{weights}]$", "md").findings
    assert finding.diagnosis is not None
    assert (finding.verdict, finding.diagnosis.code) == ("wrong", code)


@pytest.mark.parametrize("width", [1, 2])
def test_the_key_of_as_many_heads_as_tokens_is_right_without_its_comments(width: int) -> None:
    given: dict[str, Any] = {
        name: [[(3 * i + 2 * j + k) % 4 - 1 for j in range(2 * width)] for i in (0, 1)] for k, name in enumerate("QKV")
    }
    problem = Problem.build(**given, heads=2)
    key = re.sub("% symattn.*", "", solve(problem).to_latex())
    report = check_text(problem, key, "tex", strict=True)
    assert [finding for finding in report.findings if finding.verdict in {"wrong", "ambiguous", "unread"}] == []


OF_SIZE_1 = Problem.build(
    X=[[1, 0], [0, 1], [2, 1]],
    W_Q=[[1, 0], [1, 1]],
    W_K=[[0, 1], [1, 1]],
    W_V=[[1, 2], [0, 2]],
    W_O=[[1, 0], [1, 1]],
    heads=2,
    gradient={"dO": [[1, 0], [0, 1], [1, 1]]},
)
"""Two heads of size 1: X W_Q is [[1, 0], [1, 1], [3, 1]], X W_K is [[0, 1], [1, 1], [1, 3]]."""

ONE_TOKEN = Problem.build(
    X=[[1, 0, 2]], W_Q=[[1, 0], [2, 1], [0, 1]], W_K=[[0, 1], [1, 0], [1, 0]], W_V=[[1, 1], [0, 2], [0, 1]]
)
"""X W_Q is [1, 2] and X W_K is [2, 1]."""


@pytest.mark.parametrize(
    ("problem", "side"),
    [
        (OF_SIZE_1, "S_1 = Q_1 K_1^T = [[0, 1, 1], [0, 1, 1], [0, 3, 3]]"),
        (OF_SIZE_1, "S_2 = Q_2 K_2^T = [[0, 0, 0], [1, 1, 3], [1, 1, 3]]"),
        (OF_SIZE_1, "H_1 = A_1 V_1"),
        (OF_SIZE_1, "dA_1 = dH_1 V_1^T"),
        (OF_SIZE_1, "dV_1 = A_1^T dH_1"),
        (OF_SIZE_1, "dQ_1 = dS_1 K_1"),
        (ONE_TOKEN, "q = x W_Q = [1, 2]"),
        (ONE_TOKEN, "q^T = W_Q^T x^T = [1; 2]"),
        (ONE_TOKEN, "k = x W_K = [2, 1]"),
        (ONE_TOKEN, "k = x W_K\ns = q k^T = 4"),
        (ONE_TOKEN, "v = x W_V = [1, 3]\na = 1\no = a v = [1, 3]"),
    ],
)
def test_lines_of_one_number_and_matrices_of_one_line(problem: Problem, side: str) -> None:
    assert set(verdicts(problem, side, "txt")) == {"right"}


@pytest.mark.parametrize(
    ("problem", "side"),
    [
        (OF_SIZE_1, "S_1 = Q_1^T K_1"),
        (OF_SIZE_1, "S_1 = Q_1 K_2^T"),
        (OF_SIZE_1, "dA_1 = V_1 dH_1^T"),
        (ONE_TOKEN, "q = x W_K"),
        (ONE_TOKEN, "q = x W_Q = [2, 1]"),
        (ONE_TOKEN, "s = q k^T = 5"),
    ],
)
def test_mistakes_beside_them_are_found(problem: Problem, side: str) -> None:
    assert "wrong" in verdicts(problem, side, "txt")


@pytest.mark.parametrize("strict", [False, True])
def test_minus_infinity_is_what_a_bias_and_a_mask_come_to(strict: bool) -> None:
    distances = {"relative": {"-2": "1/2", "-1": 1, "0": 0, "1": 0, "2": 0}}
    problem = Problem.build(
        Q=[[1, 0], [0, 1], [1, 1]], K=[[1, 1], [0, 1], [1, 0]], V=[[1], [0], [3]], mask="causal", bias=distances
    )
    text = r"$A_{23} = \frac{e^{-\infty}}{Z_{2}} = 0$ and $A_{12} = \frac{e^{-\infty}}{Z_{1}} = 0$"
    findings = check_text(problem, text, "md", strict=strict).findings
    assert {item.verdict for item in findings} <= {"right", "unchecked"}
