"""Works on blocks: norms, residual sums and networks as people write them, and the mistakes they leave room for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symattn.checking.checker import Checker
from symattn.checking.mistake_catalogue import CODES
from symattn.checking.report import Finding
from symattn.problem.model import Problem

X = np.array([[1, 0, 2], [0, 3, -1]])
W_Q = np.array([[1], [1], [0]])
W_K = np.array([[0], [1], [2]])
W_V = np.array([[1, 0, 0], [0, 2, 0], [1, 0, 1]])
W_F1 = np.array([[-1, 2], [1, -1], [1, 1]])
W_F2 = np.array([[1, 0, 1], [0, 1, 0]])
B_1, GAMMA, BETA, EPS = np.array([0, 1]), np.array([1, 2, 3]), np.array([0, 1, -1]), 0.1

PROBLEM = Problem.build(
    X=X.tolist(),
    W_Q=W_Q.tolist(),
    W_K=W_K.tolist(),
    W_V=W_V.tolist(),
    W_F1=W_F1.tolist(),
    b_F1=B_1.tolist(),
    W_F2=W_F2.tolist(),
    gamma_1=GAMMA.tolist(),
    beta_1=BETA.tolist(),
    block={"norm": "layer", "eps": "1/10"},
)
CHECKER = Checker(PROBLEM)


def attention(tokens: Any) -> Any:
    scores = (tokens @ W_Q) @ (tokens @ W_K).T
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True) @ (tokens @ W_V)


def norm(rows: Any, *, axis: int = 1, less: int = 0, eps: float = EPS, beside: float = 0.0) -> Any:
    root = np.sqrt(rows.var(axis=axis, ddof=less, keepdims=True) + eps) + beside
    return (rows - rows.mean(axis=axis, keepdims=True)) / root


O = attention(X)
R_1 = X + O
N_1 = norm(R_1)
Y_1 = N_1 * GAMMA + BETA
F_1 = Y_1 @ W_F1 + B_1
F_ACT = np.maximum(F_1, 0)
F_2 = F_ACT @ W_F2
R_2 = Y_1 + F_2


def shown(matrix: Any) -> str:
    return "[" + ", ".join("[" + ", ".join(f"{entry:.4f}" for entry in row) + "]" for row in matrix) + "]"


def last(text: str) -> Finding:
    return CHECKER.report(text, "md", "work.md").findings[-1]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"R_1 = X + O = {shown(R_1)}", "R_1"),
        (f"residual = {shown(R_1)}", "R_1"),
        (f"mu_1 = {[round(float(m), 4) for m in R_1.mean(axis=1)]}", "mu_1"),
        (f"variance = {[round(float(m), 4) for m in R_1.var(axis=1)]}", "var_1"),
        (f"N_1 = {shown(N_1)}", "N_1"),
        (f"LN1 = {shown(Y_1)}", "Y_1"),
        (f"hidden = {shown(F_1)}", "F_1"),
        (f"$F_{{act}} = {shown(F_ACT)}$", "F_act"),
        (f"relu = {shown(F_ACT)}", "F_act"),
        (f"FFN = {shown(F_2)}", "F_2"),
        (f"N_2 = {shown(norm(R_2))}", "N_2"),
    ],
)
def test_what_people_write_for_a_block(text: str, name: str) -> None:
    finding = last(text)
    assert finding.name == name
    assert finding.verdict in {"rounded", "right"}, finding


def test_an_activation_written_out() -> None:
    finding = last(rf"$(F_{{act}})_{{12}} = \max(0, {F_1[0, 1]:.4f}) = {F_ACT[0, 1]:.4f}$")
    assert finding.name == "F_act[1,2]"
    assert finding.verdict in {"rounded", "right"}, finding


SLIPS: dict[str, tuple[str, Callable[[], Any]]] = {
    "residual-forgotten": ("R_1", lambda: O),
    "norm-forgotten": ("N_2", lambda: R_2),
    "variance-d-1": ("N_1", lambda: norm(R_1, less=1)),
    "mean-forgotten": ("N_1", lambda: R_1 / np.sqrt(R_1.var(axis=1, keepdims=True) + EPS)),
    "eps-forgotten": ("N_1", lambda: norm(R_1, eps=0)),
    "eps-outside": ("N_1", lambda: norm(R_1, eps=0, beside=EPS)),
    "gain-forgotten": ("Y_1", lambda: N_1 + BETA),
    "shift-forgotten": ("Y_1", lambda: N_1 * GAMMA),
    "norm-axis": ("N_1", lambda: norm(R_1, axis=0)),
    "norm-before": ("N_1", lambda: X + norm(O)),
    "activation-forgotten": ("F_2", lambda: F_1 @ W_F2),
}


ALWAYS = ("norm-before", "activation-forgotten")


@pytest.mark.parametrize(
    "code", [code if code in ALWAYS else pytest.param(code, marks=pytest.mark.long) for code in SLIPS]
)
def test_mistakes_are_named(code: str) -> None:
    name, made = SLIPS[code]
    finding = last(f"{name} = {shown(made())}")
    assert finding.verdict == "wrong"
    assert finding.diagnosis is not None, finding.explanation
    assert finding.diagnosis.code == code
    assert code in CODES


@pytest.mark.long
def test_attention_after_the_norm_is_named_too() -> None:
    finding = last(f"N_1 = {shown(X + attention(norm(X)))}")
    assert finding.diagnosis is not None
    assert finding.diagnosis.code == "norm-before"


def test_what_follows_from_a_mistake_is_not_punished_again() -> None:
    wrong = np.round(O, 2)
    normed = np.round(norm(wrong), 2)
    text = f"R_1 = {wrong.tolist()}\n\nN_1 = {normed.tolist()}\n\nY_1 = {np.round(normed * GAMMA + BETA, 2).tolist()}"
    verdicts = [finding.verdict for finding in CHECKER.report(text, "md", "work.md").findings]
    assert verdicts == ["wrong", "follows", "follows"]


ROOTS = Problem.build(
    X=[[1, 2], [0, 3]],
    W_Q=[[1, 0], [0, 1]],
    W_K=[[0, 1], [1, 0]],
    W_V=[[1, 0], [0, 1]],
    block={"norm": "rms", "eps": 0, "placement": "pre"},
    scale="none",
)
"""Q = [√10/5 2√10/5; 0 √2], K = [2√10/5 √10/5; √2 0]."""


@pytest.mark.parametrize(
    ("line", "copied"),
    [
        (r"S_{22} = 0 \cdot \sqrt{2} + \sqrt{2} \cdot 0 = 0", ""),
        (r"S_{22} = \sqrt{2} \cdot 0 + 0 \cdot \sqrt{2} = 0", ""),
        (r"S_{22} = 0 \cdot \sqrt{3} + \sqrt{2} \cdot 0 = 0", "K[2,1]"),
        (r"S_{22} = 0 \cdot \sqrt{2} + \sqrt{3} \cdot 0 = 0", "Q[2,2]"),
        (r"S_{21} = 0 \cdot \frac{2\sqrt{10}}{5} + \sqrt{2} \cdot \frac{\sqrt{10}}{5} = \frac{2\sqrt{5}}{5}", ""),
        (r"S_{21} = 0 \cdot \frac{2\sqrt{41}}{5} + \sqrt{2} \cdot \frac{\sqrt{10}}{5} = \frac{2\sqrt{5}}{5}", "K[1,1]"),
    ],
)
def test_closed_forms_beside_zeros_are_copied_rightly(line: str, copied: str) -> None:
    """No value tells: what is copied wrongly is multiplied by zero."""
    first = Checker(ROOTS).report(f"${line}$", "md", "work.md").findings[0]
    assert first.verdict == ("wrong" if copied else "right")
    assert first.explanation.startswith(copied)


@pytest.mark.parametrize("placed", ["{form} + {other}", "{other} + {form}", "{other} - {negative}"])
@pytest.mark.parametrize(("root", "verdict"), [("2", "right"), ("3", "wrong")])
def test_a_closed_form_is_one_term_wherever_it_stands(placed: str, root: str, verdict: str) -> None:
    problem = Problem.build(
        X=[["4 - 2*sqrt(2)", 1], [0, 3]],
        W_Q=[[1, 0], [0, 1]],
        W_K=[[0, 1], [1, 0]],
        W_V=[[1, 0], [0, 1]],
        block={"norm": "layer", "eps": "1/10"},
        scale="none",
    )
    names = {"other": "0.2772", "negative": rf"(2\sqrt{{{root}}} - 4)"}
    for form in (rf"(4 - 2\sqrt{{{root}}})", rf"4 - 2\sqrt{{{root}}}"):
        line = rf"$(R_1)_{{11}} = {placed.format(form=form, **names)}$"
        assert [item.verdict for item in Checker(problem).report(line, "md", "work.md").findings] == [verdict]
