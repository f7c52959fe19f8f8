"""What people call the functions of a block and what comes out of it; numbers are those of numpy."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
import pytest

import symattn as sa
from symattn.api.solutions import solve
from symattn.checking.checker import Checker
from symattn.checking.report import Finding
from symattn.problem.model import Problem
from tests.checking.test_blocks import (
    B_1,
    CHECKER,
    EPS,
    F_1,
    F_ACT,
    PROBLEM,
    R_1,
    R_2,
    W_F1,
    W_F2,
    O,
    X,
    attention,
    norm,
    shown,
)
from tests.rendering.page_measures import SHEETS

RIGHT = {"right", "rounded"}
Y = norm(R_2)


def findings(text: str, checker: Checker = CHECKER) -> list[Finding]:
    return list(checker.report(text, "md", "work.md").findings)


@pytest.mark.parametrize(
    ("side", "name"),
    [
        ("F_act = max(0, F_1)", "F_act"),
        (r"$F_{act} = \max\{0, F_1\}$", "F_act"),
        ("F_act = np.maximum(F_1, 0)", "F_act"),
        ("F_act = relu(Y_1 W_F1 + b_F1)", "F_act"),
        ("hidden = ReLU(Y_1 W_F1 + b_F1)", "F_act"),
        ("F_2 = max(0, Y_1 W_F1 + b_F1) W_F2", "F_2"),
        ("F_2 = FFN(Y_1)", "F_2"),
        ("Y_1 = LN(X + O)", "Y_1"),
        (r"$Y_1 = \mathrm{LayerNorm}(R_1)$", "Y_1"),
        ("Y_1 = AddNorm(X, O)", "Y_1"),
        (r"$N_1 = \frac{R_1 - \mu_1}{\sqrt{\sigma_1^2 + 0.1}}$", "N_1"),
        ("Y_1 = N_1 * gamma_1 + beta_1", "Y_1"),
        ("Y_1 = gamma_1 * LayerNorm(R_1) + beta_1", "Y_1"),
        (r"$Y = \text{LN}(R_2)$", "N_2"),
        ("Y = LayerNorm(Y_1 + FFN(Y_1))", "N_2"),
        ("Output = LayerNorm(R_2)", "N_2"),
        ("Output = A V", "O"),
        ("Y_2 = LN(R_2)", "N_2"),
    ],
)
def test_functions_of_a_block_are_known(side: str, name: str) -> None:
    found = findings(side)[-1]
    assert (found.name, found.verdict) == (name, "right"), found.explanation


@pytest.mark.parametrize(
    "side",
    [
        "F_act = max(0, Y_1)",
        "F_act = ReLU(Y_1 W_F1)",
        "F_2 = max(0, Y_1 W_F1) W_F2",
        "F_2 = FFN(X)",
        "Y_1 = LN(O)",
        r"$N_1 = \frac{R_1 - \mu_1}{\sqrt{\sigma_1^2 + 0.2}}$",
        "Y_1 = N_1 * beta_1 + gamma_1",
        "Y_1 = LayerNorm(R_1) * X",
        "Y_2 = LN(Y_1)",
        "Output = LayerNorm(Y_1 + F_act)",
        "N_1 = LayerNorm([[1, 2, 3], [0, 1, 2]])",
    ],
)
def test_other_formulas_are_not_called_right(side: str) -> None:
    assert findings(side)[-1].verdict not in RIGHT


@pytest.mark.parametrize("word", ["Y", "Output", "out", "block output", "Output of the block", "Y_2"])
def test_what_comes_out_of_a_block(word: str) -> None:
    sign = ":" if " " in word else " ="
    assert [(item.name, item.verdict) for item in findings(f"{word}{sign} {shown(Y)}")] == [("N_2", "rounded")]
    wrong = Y.copy()
    wrong[1, 0] += 0.5
    found = findings(f"O = {shown(O)}\n\n{word}{sign} {shown(wrong)}")[-1]
    assert (found.name, found.verdict) == ("N_2", "wrong")


def test_the_output_of_attention_is_known_by_its_numbers() -> None:
    for word in ("Output", "Y", "out"):
        assert [(item.name, item.verdict) for item in findings(f"{word} = {shown(O)}")] == [("O", "rounded")]
    assert [(item.name, item.verdict) for item in findings(f"Z = {shown(R_1)}")] == [("R_1", "rounded")]
    assert findings(f"hidden = {shown(F_ACT)}")[0].name == "F_act"
    assert findings(f"hidden = {shown(F_1)}")[0].name == "F_1"


def working(token: int, *, below: int = 3) -> str:
    rows = R_1.round(4)
    mean = rows[token].mean().round(4)
    squares = " + ".join(f"({entry:.4f}-{mean:.4f})^2".replace("(-", "(0-") for entry in rows[token])
    return f"({squares})/{below}"


@pytest.mark.parametrize("token", [0, 1])
def test_the_mean_and_the_variance_of_a_token(token: int) -> None:
    k, mean, variance = token + 1, R_1[token].mean(), R_1[token].var()
    right = [
        rf"$\mu_{k} = {mean:.4f}$",
        rf"$\sigma_{k}^2 = {variance:.3f}$",
        rf"$\sigma_{k}^2 = {working(token)} = {variance:.3f}$",
        f"var_1[{k}] = {working(token)} = {variance:.3f}",
    ]
    for text in right[1 - token :]:  # the mean of a first norm, or of its first token: both are called mu_1
        assert {item.verdict for item in findings(text)} <= RIGHT, text
    for text in (
        rf"$\mu_{k} = {mean + 0.3:.4f}$",
        rf"$\sigma_{k}^2 = {working(token, below=2)} = {variance * 1.5:.3f}$",
    ):
        assert "wrong" in {item.verdict for item in findings(text)}, text


SINGLE = Problem.build(
    X=[[1, 0, 2], [0, 3, 1]], W_Q=[[1, 0], [0, 1], [1, 0]], W_K=[[0, 1], [1, 0], [0, 1]],
    W_V=[[1, 0, 0], [0, 1, 0], [1, 0, 1]], projection="X W", block={"norm": "layer", "placement": "post", "eps": 0},
    rounding={"places": 3},
)  # fmt: skip
"""One norm, of rows with the means 2.667 and 3, and the variances 0.220 and 0.053."""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Variance of each row: 0.220 and @.053", "var_1"),
        ("Varianz jeder Zeile: 0,220 und @,053", "var_1"),
        ("Varianza de cada fila: 0,220 y @,053", "var_1"),
        ("Row means: @2.667, 3.000", "mu_1"),
    ],
)
def test_means_and_variances_of_all_rows(text: str, name: str) -> None:
    for digit, verdict in (("", "rounded"), ("1", "wrong")):
        said = text.replace("@", digit or ("" if "@2" in text else "0"))
        assert [(item.name, item.verdict) for item in findings(said, Checker(SINGLE)) if item.name] == [(name, verdict)]


def test_a_loss_at_the_output_of_a_block() -> None:
    target = np.array([[0, 1, 0], [1, 0, -1]])
    inputs = {name: [list(map(str, row)) for row in PROBLEM.inputs[name].rows] for name in ("X", "W_Q", "W_K", "W_V")}
    checker = Checker(
        Problem.build(
            **inputs,
            block={"norm": "layer", "eps": "1/10"},
            gradient={"loss": "squared", "target": target.tolist()},
        )
    )
    start = shown(norm(R_1) - target)
    for side in (r"\frac{\partial L}{\partial Y} = Y - T", "dY = Y_1 - T", "dN_1 = N_1 - T", r"\nabla_Y L = Y - T"):
        found = findings(f"${side} = {start}$", checker)
        assert {item.verdict for item in found} <= RIGHT, (side, found)
        assert found[-1].name == "dN_1"
    assert findings(r"$\frac{\partial L}{\partial Y} = T - Y$", checker)[-1].verdict == "wrong"


def test_an_activation_of_its_own_form() -> None:
    gelu = np.vectorize(lambda x: x / 2 * (1 + erf(x / sqrt(2))))
    checker = Checker(
        Problem.build(
            X=X.tolist(),
            W_Q=[[1], [1], [0]],
            W_K=[[0], [1], [2]],
            W_V=[[1, 0, 0], [0, 2, 0], [1, 0, 1]],
            W_F1=W_F1.tolist(),
            b_F1=B_1.tolist(),
            W_F2=W_F2.tolist(),
            block={"norm": "rms", "eps": "1/10", "placement": "pre", "activation": "gelu"},
        )
    )
    normed = X / np.sqrt((X**2).mean(axis=1, keepdims=True) + EPS)
    sums = X + attention(normed)
    first = sums / np.sqrt((sums**2).mean(axis=1, keepdims=True) + EPS) @ W_F1 + B_1
    found = findings(f"Q = X W_Q = {shown(X @ [[1], [1], [0]])}", checker)
    assert [item.diagnosis.code for item in found if item.diagnosis is not None] == ["norm-forgotten"] * 2
    lines = [
        "N_1 = RMSNorm(X)",
        "N_2 = RMSNorm(R_1)",
        f"F_act = GELU(F_1) = {shown(gelu(first))}",
        f"Output = R_1 + F_2 = {shown(sums + gelu(first) @ W_F2)}",
    ]
    assert {item.verdict for item in findings("\n\n".join(lines), checker)} <= RIGHT
    for side in ("F_act = GELU(N_2)", "F_act = ReLU(F_1)", "Output = X + F_2", "N_2 = RMSNorm(X)"):
        assert findings(side, checker)[-1].verdict not in RIGHT


def test_the_entropy_of_a_row_is_no_hidden_layer() -> None:
    """``H_1`` of a work that says what H_i is."""
    layer = {"X": [[1, 2], [3, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": [[0, 1], [1, 0]], "W_V": [[1, 1], [0, 1]]}
    network = {"W_F1": [[1, 0], [1, 1]], "W_F2": [[1, 1], [0, 1]], "block": {"norm": "none", "activation": "relu"}}
    problem = Problem.build(**layer, **network)
    text = solve(problem).to_latex()
    entropies = [
        item for item in Checker(problem).report(text, "tex", "key").findings if item.text.startswith("\\eta_")
    ]
    assert entropies
    assert {item.verdict for item in entropies} <= {"right", "rounded", "unchecked"}


TWO_HEADS = Problem.load(SHEETS / "encoder_block.toml")
NORMED = r"$N_{{2,11}} = \frac{{{} - {}}}{{\sqrt{{\mathrm{{var}}_{{{}}} + \epsilon}}}}$"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Q = Y_1 W_Q", "right"),
        (r"$\mathbf{V} = \mathbf{Y}_{1}\mathbf{W}_{V}$", "right"),
        ("Q = Y_1 W_K", "wrong"),
        ("H_1 = A^{(1)} V^{(1)}", "right"),
        (NORMED.format("R_{1,11}", r"\mu_{2,1}", "2,1"), "right"),
        (NORMED.format("R_{1,12}", r"\mu_{2,1}", "2,1"), "wrong"),
        (NORMED.format("R_{1,11}", r"\mu_{2,2}", "2,1"), "wrong"),
        (NORMED.format("R_{1,11}", r"\mu_{2,1}", "2,2"), "wrong"),
    ],
)
def test_norms_of_a_block_with_several_heads_are_not_those_of_heads(text: str, verdict: str) -> None:
    """Neither is Y_1 what head 1 makes, nor does an entry without a closed form leave its own definition undecided."""
    (finding,) = sa.check(TWO_HEADS, text, "md", strict=True).findings
    assert finding.verdict == verdict
